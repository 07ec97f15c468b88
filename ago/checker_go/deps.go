package main

import (
	"fmt"
	"go/token"
	"go/types"
	"sync"
)

// Deps hands out the packages outside the source set, read from the shared export-data cache.
//
// Invariant: Prepare runs while no check runs and is the only writer; Import during a check only looks up, and what
// it hands out is complete.
type Deps struct {
	Fset *token.FileSet

	mu       sync.RWMutex
	packages map[string]*types.Package
}

// OpenDeps makes an empty map of dependencies for the graph, whose objects get positions in fset.
func OpenDeps(s *server, g *Graph, fset *token.FileSet) *Deps {
	return &Deps{Fset: fset, packages: map[string]*types.Package{"unsafe": types.Unsafe}}
}

// Prepare makes the packages of paths (import paths after Package.Resolve; those of the source set are skipped)
// ready for Import: it builds what the cache lacks and reads the rest. It says how many it had to build.
func (d *Deps) Prepare(g *Graph, paths []string, progress func(done, total int)) (built int, err error) {
	return 0, fmt.Errorf("not ready")
}

// Import looks a prepared dependency up.
func (d *Deps) Import(path string) (*types.Package, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if p := d.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	return nil, fmt.Errorf("package %s was not prepared", path)
}
