package main

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"sync"
)

// This file holds the universe: for each package of the source set one types.Package without function bodies, and
// the layers that overlays and tests put over it.
//
// Invariant: two packages that the exported API of any entry reaches and that have one path are one object.
// Invariant: an entry never changes; a moved package gets a new entry, and so does each that reaches it (walk.go).
//
// Units (packages with bodies) are checked against the entries and never become part of them, so that their
// scopes and syntax can be dropped.

// growthCap is the number of parsed source bytes after which the FileSet has grown enough for a fresh universe.
const growthCap = 96 << 20

// Universe is the base that overlays are judged against.
type Universe struct {
	server *server
	fset   *token.FileSet
	deps   *Deps
	parsed *parseCache
	base   *view
	units  map[UnitKey]*unitState // what is known of the base's units
	kept   []*Unit                // checked units of the base, the last used last
	// candidates are the last overlays that were looked at, newest last.
	candidates []*candidate
	generation int // counts the moves of base

	stateMu sync.Mutex // guards units while units are checked in parallel

	notesMu sync.Mutex
	notes   map[string]fileNote // by file of the base
	cgo     map[string]cgoPackage
}

// unitState is what stays of a checked unit.
type unitState struct {
	diags   []Diag
	files   []FileResult // every file of the unit
	apiHash string
	tainted string
}

// entry is one package of the source set as importers see it.
type entry struct {
	pkg   *Package
	types *types.Package
	api   *api
}

// view is the source set under an overlay: entries of its own, the rest from below.
type view struct {
	u       *Universe
	below   *view // nil: the base, which reads the disk
	graph   *Graph
	overlay Overlay

	mu      sync.Mutex
	entries map[string]*entry
	cycles  map[string]int // package -> number of the import cycle it is in
	doubts  *doubts
	// testHashes are the api hashes of packages compiled with their tests, of a candidate.
	testHashes map[*Package]string
	notes      map[string]fileNote // by file of the overlay
}

// newUniverse starts an empty universe over the server's graph; entries are made when they are needed.
func newUniverse(s *server) *Universe {
	fset := token.NewFileSet()
	u := &Universe{
		server: s, fset: fset, deps: OpenDeps(s, s.graph, fset), units: map[UnitKey]*unitState{},
		notes: map[string]fileNote{}, cgo: map[string]cgoPackage{},
		parsed: &parseCache{fset: fset, files: map[string]*parsedFile{}},
	}
	u.base = &view{u: u, graph: s.graph, entries: map[string]*entry{}, cycles: findCycles(s.graph), doubts: newDoubts(s.graph)}
	return u
}

// ready returns the universe of the loaded graph, a fresh one after a load.
func (s *server) ready() (*Universe, error) {
	if s.graph == nil {
		return nil, failf(notLoaded, "nothing is loaded")
	}
	if s.universe == nil || s.universe.base.graph != s.graph {
		s.universe = newUniverse(s)
	}
	return s.universe, nil
}

// readyToGrow is ready for a request that parses new texts: it starts afresh when the FileSet has grown too much. The
// candidates that were handed out before are stale then.
func (s *server) readyToGrow() (*Universe, error) {
	if s.universe != nil && s.universe.parsed.parsed > growthCap {
		s.universe = nil
	}
	return s.ready()
}

// over makes a view of the overlay above the base.
func (u *Universe) over(overlay Overlay, g *Graph) *view {
	return &view{u: u, below: u.base, graph: g, overlay: overlay, entries: map[string]*entry{}, cycles: u.base.cycles,
		doubts: newDoubts(g), testHashes: map[*Package]string{}, notes: map[string]fileNote{}}
}

// entry finds a package of the source set, nil when it was not made or does not exist.
func (v *view) entry(path string) *entry {
	v.mu.Lock()
	e, own := v.entries[path]
	v.mu.Unlock()
	if own || v.below == nil {
		return e
	}
	return v.below.entry(path)
}

func (v *view) put(path string, e *entry) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.entries[path] = e
}

// inSource tells whether a path belongs to the source set.
func (v *view) inSource(path string) bool {
	p := v.graph.Packages[path]
	return p != nil && p.Source
}

// api finds the api of a package of the source set.
func (v *view) api(path string) *api {
	if e := v.entry(path); e != nil {
		return e.api
	}
	return nil
}

// ensure makes the entries that checking the units of paths takes: what they import, tests included, deeply. With
// self it makes the entries of paths themselves too.
func (v *view) ensure(paths []string, self bool, progress func(done, total int)) (depsBuilt int, err error) {
	need, external := v.missing(paths, self)
	built, err := v.u.deps.Prepare(v.graph, external, progress)
	if err != nil {
		return built, err
	}
	v.u.prepareCgo(v.graph, slices.Concat(need, paths))
	runTasks(v.u.server.jobs, v.entryTasks(need))
	return built, nil
}

// missing lists the entries to make, each after what it imports, and the paths outside the source set.
func (v *view) missing(paths []string, self bool) (need, external []string) {
	seen, outside := map[string]bool{}, map[string]bool{}
	var visit func(path string)
	follow := func(p *Package, imports []string) {
		for _, imp := range imports {
			path := p.Resolve(imp)
			switch q := v.graph.Packages[path]; {
			case path == "C" || path == "unsafe":
			case q != nil && q.Source:
				visit(path)
			case q != nil:
				outside[path] = true
			}
		}
	}
	visit = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		p := v.graph.Packages[path]
		follow(p, p.Imports)
		if len(p.CgoFiles) > 0 {
			follow(p, []string{"syscall", "runtime/cgo"}) // what cgo's declarations import
		}
		if v.entry(path) == nil {
			need = append(need, path)
		}
	}
	for _, path := range paths {
		p := v.graph.Packages[path]
		if p == nil {
			continue
		}
		if self {
			visit(path)
		} else {
			follow(p, p.Imports)
		}
		if p.testable() {
			follow(p, p.TestImports)
			follow(p, p.XTestImports)
		}
	}
	return need, slices.Sorted(maps.Keys(outside))
}

// entryTasks makes a task for each path, after the tasks of what it imports.
func (v *view) entryTasks(paths []string) []*task {
	byPath := make(map[string]*task, len(paths))
	tasks := make([]*task, 0, len(paths))
	for _, path := range paths {
		p := v.graph.Packages[path]
		t := &task{name: path, run: func() { v.put(path, v.makeEntry(p)) }}
		for _, imp := range p.Imports {
			if before := byPath[p.Resolve(imp)]; before != nil {
				t.after = append(t.after, before)
			}
		}
		byPath[path] = t
		tasks = append(tasks, t)
	}
	return tasks
}

// makeEntry checks a package without bodies against the entries of this view.
func (v *view) makeEntry(p *Package) *entry {
	unit := v.check(UnitKey{p.Path, Primary}, false, v.importer(p))
	return v.entryOf(unit)
}

// errorMark ends api.extra of a package with errors outside of bodies.
const errorMark = " errors"

// entryOf describes what a unit that was checked without bodies shows.
func (v *view) entryOf(unit *Unit) *entry {
	extra := unit.Tainted + linknamed(unit)
	if slices.ContainsFunc(unit.Diags, func(d Diag) bool { return d.Source != "rule" }) {
		extra += errorMark
	}
	return &entry{unit.Pkg, unit.Types, describe(unit.Types, extra, v.inSource, v.api)}
}

// importer resolves the imports of p against this view.
func (v *view) importer(p *Package) importFunc {
	return func(imp string) (*types.Package, error) {
		path := p.Resolve(imp)
		q := v.graph.Packages[path]
		switch {
		case path == "unsafe":
			return types.Unsafe, nil
		case q != nil && q.Source:
			if n := v.cycles[path]; n != 0 && n == v.cycles[p.Path] {
				return nil, fmt.Errorf("import cycle not allowed")
			}
			if e := v.entry(path); e != nil {
				return e.types, nil
			}
			return nil, fmt.Errorf("package %s can't be checked", path)
		case v.graph.Missing[path] != "":
			return v.unknownPackage(p, path), fmt.Errorf("%s", v.graph.Missing[path])
		}
		dep, err := v.u.deps.Import(path)
		if err != nil && q != nil {
			dep = types.NewPackage(path, q.Name) // the name that its users know
		}
		return dep, err
	}
}

// importFunc is an importer as go/types wants it.
type importFunc func(path string) (*types.Package, error)

// Import makes importFunc a types.Importer.
func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// read returns the bytes of a file under the overlay.
func (v *view) read(rel string) ([]byte, error) {
	if c, ok := v.overlay[rel]; ok {
		switch {
		case c.Deleted:
			return nil, os.ErrNotExist
		case c.Text != nil:
			return []byte(*c.Text), nil
		}
		return c.B64, nil
	}
	return os.ReadFile(v.graph.Abs(rel))
}
