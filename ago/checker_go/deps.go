package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/tools/go/gcexportdata"
)

// This file hands out the packages outside the source set.

// Deps is the map of dependencies that were read from the export-data cache, which all workspaces share.
//
// Invariant: Prepare runs while no check runs and is the only writer; Import during a check only looks up, and what
// it hands out is complete. No package of the source set gets in.
type Deps struct {
	Fset *token.FileSet

	dir      string // of the cache
	jobs     int
	mu       sync.RWMutex
	packages map[string]*types.Package // by path after ImportMap; incomplete ones are never handed out
	headers  map[string]entryHeader    // of the entries that were read
}

// OpenDeps makes an empty map of dependencies for the graph, whose objects get positions in fset.
func OpenDeps(s *server, g *Graph, fset *token.FileSet) *Deps {
	return &Deps{
		Fset: fset, dir: filepath.Join(s.cacheDir, "deps"), jobs: s.jobs,
		packages: map[string]*types.Package{"unsafe": types.Unsafe},
		headers:  map[string]entryHeader{},
	}
}

// Import looks a prepared dependency up.
func (d *Deps) Import(path string) (*types.Package, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if header := d.headers[path]; header.Error != "" {
		return nil, fmt.Errorf("%s", header.Error)
	}
	if p := d.packages[path]; p != nil && p.Complete() {
		return p, nil
	}
	return nil, fmt.Errorf("package %s was not prepared", path)
}

// Taint says why objects of a prepared dependency whose types come from C can't be trusted; "" when they can.
func (d *Deps) Taint(path string) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.headers[path].Taint
}

// Prepare makes the packages of paths (after Package.Resolve; those of the source set and unknown ones are skipped)
// ready for Import: it builds what the cache lacks and reads the rest. It says how many packages it had to check.
// progress may be nil.
func (d *Deps) Prepare(g *Graph, paths []string, progress func(done, total int)) (built int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var wanted, lacking []*Package
	for _, path := range paths {
		p := g.Packages[path]
		if p == nil || p.Source || path == "unsafe" || len(p.GoFiles)+len(p.CgoFiles) == 0 || d.known(path) {
			continue
		}
		wanted = append(wanted, p)
		if _, err := os.Stat(d.entry(p)); err != nil {
			lacking = append(lacking, p)
		}
	}
	if built, err = d.build(g, lacking, progress); err != nil {
		return built, err
	}
	for _, p := range wanted {
		if d.read(p) == nil {
			continue
		}
		// Another process may have swept the entry, or it is damaged: once more, from source.
		if _, err := d.build(g, []*Package{p}, nil); err != nil {
			return built, err
		}
		if err := d.read(p); err != nil {
			return built, err
		}
	}
	return built, nil
}

// known says that the package was read, with or without errors.
func (d *Deps) known(path string) bool {
	_, ok := d.headers[path]
	return ok
}

// entry is the file of a package in the cache.
func (d *Deps) entry(p *Package) string { return filepath.Join(d.dir, p.Key[:2], p.Key) }

// read puts a package into the map.
func (d *Deps) read(p *Package) error {
	if d.known(p.Path) {
		return nil
	}
	data, err := os.ReadFile(d.entry(p))
	if err != nil {
		return err
	}
	line, data, ok := bytes.Cut(data, []byte("\n"))
	var header entryHeader
	if err := json.Unmarshal(line, &header); !ok || err != nil {
		return fmt.Errorf("damaged cache entry of %s", p.Path)
	}
	if header.Error == "" {
		if _, err := gcexportdata.Read(bytes.NewReader(data), d.Fset, d.packages, p.Path); err != nil {
			return err
		}
	}
	d.headers[p.Path] = header
	return nil
}

// build has the child check the packages and everything they import, and write the entries of those asked for.
func (d *Deps) build(g *Graph, wanted []*Package, progress func(done, total int)) (int, error) {
	if len(wanted) == 0 {
		return 0, nil
	}
	spec := d.spec(g, wanted)
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(spec); err != nil {
		return 0, err
	}
	cmd := exec.Command(self, "deps")
	cmd.Stdin = &in
	cmd.Stdout = &progressLines{total: len(spec.Packages), report: progress}
	if _, err := runGroup(cmd, 10*time.Minute); err != nil {
		return 0, fmt.Errorf("checking dependencies: %w", err)
	}
	sweepDeps(d.dir)
	return len(spec.Packages), nil
}

// progressLines reads the child's output, a number of checked packages a line.
type progressLines struct {
	total  int
	report func(done, total int)
	rest   []byte
}

func (l *progressLines) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte("\n"))
		if !ok {
			return len(data), nil
		}
		l.rest = rest
		if done, err := strconv.Atoi(string(line)); err == nil && l.report != nil {
			l.report(done, l.total)
		}
	}
}

// spec lists the packages and all they import in import order.
func (d *Deps) spec(g *Graph, wanted []*Package) buildSpec {
	spec := buildSpec{GOARCH: g.Context.GOARCH, Jobs: max(d.jobs, 1)}
	asked := map[string]bool{}
	for _, p := range wanted {
		asked[p.Path] = true
	}
	var cgo []string
	seen := map[string]bool{"unsafe": true}
	var visit func(p *Package)
	visit = func(p *Package) {
		if p == nil || seen[p.Path] {
			return
		}
		seen[p.Path] = true
		for _, path := range p.directs() {
			visit(g.Packages[path])
		}
		b := buildPackage{Path: p.Path, Dir: p.Dir, ImportMap: p.ImportMap, Imports: without(p.directs(), "unsafe"),
			GoVersion: p.languageVersion(), Cgo: len(p.CgoFiles) > 0}
		for _, path := range b.Imports {
			if g.absent(path) != "" {
				b.Absent = append(b.Absent, path)
			}
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
			b.Files = append(b.Files, filepath.Join(p.Dir, name))
		}
		if asked[p.Path] {
			b.Out = d.entry(p)
		}
		if b.Cgo && !p.Std {
			cgo = append(cgo, p.Path)
		}
		spec.Packages = append(spec.Packages, b)
	}
	for _, p := range wanted {
		visit(p)
	}
	// The standard library exports nothing whose type is C's, so it needs no cgo.
	cgoTypes := g.CgoTypes(cgo)
	for i := range spec.Packages {
		spec.Packages[i].CgoTypes = cgoTypes[spec.Packages[i].Path]
	}
	return spec
}

// depsLimit bounds the cache, in bytes.
const depsLimit = 1 << 30

// sweepDeps deletes the entries that were written longest ago, until the cache is within its bound.
func sweepDeps(dir string) {
	type entry struct {
		path string
		info os.FileInfo
	}
	var entries []entry
	var total int64
	filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			entries = append(entries, entry{path, info})
			total += info.Size()
		}
		return nil
	})
	slices.SortFunc(entries, func(a, b entry) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, e := range entries {
		if total <= depsLimit {
			return
		}
		if os.Remove(e.path) == nil {
			total -= e.info.Size()
		}
	}
}
