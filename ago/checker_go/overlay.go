package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// This file derives graphs: the same workspace with some files changed.

// Overlaid returns the graph as it is with the overlay over the disk: files of the overlay are scanned, constraints
// evaluated, packages assembled anew; import paths that the graph does not know are asked of the go command. touched
// lists the import paths of the packages whose nodes are new, changed or gone. g stays as it is.
func (g *Graph) Overlaid(overlay Overlay) (next *Graph, touched []string, err error) {
	files := make(map[string][]byte, len(overlay))
	for rel, content := range overlay {
		files[g.Abs(rel)] = content.Bytes()
	}
	return g.derive(files)
}

// Refreshed is Overlaid for files that have changed on disk (or appeared, or vanished).
func (g *Graph) Refreshed(paths []string) (next *Graph, touched []string, err error) {
	return g.Overlaid(g.onDisk(paths))
}

// onDisk reads files as an overlay.
func (g *Graph) onDisk(paths []string) Overlay {
	overlay := make(Overlay, len(paths))
	for _, rel := range paths {
		src, err := os.ReadFile(g.Abs(rel))
		overlay[rel] = Content{B64: src, Deleted: err != nil}
	}
	return overlay
}

// Bytes is the text of a file of the overlay, nil for a deleted one.
func (c Content) Bytes() []byte {
	switch {
	case c.Deleted:
		return nil
	case c.Text != nil:
		return []byte(*c.Text)
	case c.B64 != nil:
		return c.B64
	}
	return []byte{}
}

// IsModuleFile says that a change of the file needs a new load: go.mod, go.sum, go.work, anything in a vendor folder.
func IsModuleFile(rel string) bool { return isModuleFile(rel) }

// derive makes the graph for files (by absolute path; nil: deleted) over the disk.
func (g *Graph) derive(files map[string][]byte) (*Graph, []string, error) {
	byDir := map[string][]string{}
	for _, abs := range keysOf(files) {
		if isSource(abs) {
			byDir[filepath.Dir(abs)] = append(byDir[filepath.Dir(abs)], abs)
		}
	}
	next := g.clone()
	var touched []string
	for _, dir := range keysOf(byDir) {
		old := g.byDir[dir]
		p := next.rescanned(dir, old, byDir[dir], files)
		if p != nil {
			next.replace(old, p)
			touched = append(touched, p.Path)
		}
	}
	if err := next.learn(touched); err != nil {
		return nil, nil, err
	}
	next.markOutside(touched)
	return next, touched, nil
}

// clone copies the graph one level deep.
func (g *Graph) clone() *Graph {
	next := *g
	next.Packages, next.Missing = maps.Clone(g.Packages), maps.Clone(g.Missing)
	next.byDir = maps.Clone(g.byDir)
	next.importers, next.testImporters = maps.Clone(g.importers), maps.Clone(g.testImporters)
	next.Modules = slices.Clone(g.Modules)
	return &next
}

// rescanned makes the package of a folder anew; nil when the folder has none and had none.
func (g *Graph) rescanned(dir string, old *Package, changed []string, files map[string][]byte) *Package {
	var p Package
	if old != nil {
		p = *old
	} else if found, ok := g.newPackage(dir); ok {
		p = found
	} else {
		return nil
	}
	p.Scanned = slices.DeleteFunc(slices.Clone(p.Scanned), func(f SourceFile) bool {
		return slices.Contains(changed, filepath.Join(dir, f.Name))
	})
	for _, abs := range changed {
		if src := files[abs]; src != nil {
			p.Scanned = append(p.Scanned, scanFile(g.build, g.Root, abs, src))
		}
	}
	slices.SortFunc(p.Scanned, func(a, b SourceFile) int { return strings.Compare(a.Name, b.Name) })
	assemble(&p, g.Context.Cgo)
	if old == nil && !p.compiles() {
		return nil
	}
	return &p
}

// compiles says that a folder holds a package at all: a Go file that takes part in the build.
func (p *Package) compiles() bool {
	return len(p.GoFiles)+len(p.CgoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) > 0
}

// unimportable says why nobody can import a package that lacks Go files; "" when it has some.
func (g *Graph) unimportable(p *Package) string {
	switch {
	case len(p.GoFiles)+len(p.CgoFiles) > 0:
		return ""
	case p.compiles():
		return "no non-test Go files in " + g.Rel(p.Dir)
	case len(p.IgnoredGoFiles) > 0:
		return "build constraints exclude all Go files in " + g.Rel(p.Dir)
	}
	return "no Go files in " + g.Rel(p.Dir)
}

// newPackage describes a folder that had no package yet; false when no module of the workspace or of go.work owns it.
func (g *Graph) newPackage(dir string) (Package, bool) {
	var owner *Module
	for _, m := range g.Modules {
		if (m.Workspace || m.Main) && !below(m.Dir, g.Context.GOMODCACHE) && below(dir, m.Dir) && (owner == nil || len(m.Dir) > len(owner.Dir)) {
			owner = m
		}
	}
	if owner == nil || g.vendored(dir) || hiddenFolder(relTo(owner.Dir, dir)) {
		return Package{}, false
	}
	for up := dir; up != owner.Dir; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return Package{}, false
		}
	}
	path := owner.Path
	if rel := relTo(owner.Dir, dir); rel != "." {
		path += "/" + rel
	}
	return Package{Path: path, Dir: dir, Module: owner, Source: true, Workspace: owner.Workspace && (owner.Main || g.view == ""), Scanned: scanDir(g.build, g.Root, dir)}, true
}

// replace puts the new node of a package in the place of the old one (nil: there was none). A package without files
// leaves the graph.
func (g *Graph) replace(old, p *Package) {
	var was, wasTests, is, isTests []string
	if old != nil {
		was, wasTests = old.directs(), old.testDirects()
	}
	delete(g.Missing, p.Path)
	if p.compiles() {
		is, isTests = p.directs(), p.testDirects()
		g.Packages[p.Path], g.byDir[p.Dir] = p, p
	} else {
		delete(g.Packages, p.Path)
		delete(g.byDir, p.Dir)
	}
	if why := g.unimportable(p); why != "" {
		g.Missing[p.Path] = why
	}
	relink(g.importers, p.Path, was, is)
	relink(g.testImporters, p.Path, wasTests, isTests)
}

// relink changes the entries of one importer without touching slices that another graph shares.
func relink(importers map[string][]string, from string, was, is []string) {
	for _, path := range was {
		if !slices.Contains(is, path) {
			importers[path] = slices.DeleteFunc(slices.Clone(importers[path]), func(p string) bool { return p == from })
		}
	}
	for _, path := range is {
		if !slices.Contains(was, path) {
			importers[path] = slices.Sorted(slices.Values(append(slices.Clone(importers[path]), from)))
		}
	}
}

// askedPaths keeps what the go command said of import paths that were not in the loaded graph. It holds for all graphs
// of one load, since a change of the build list needs a new load.
type askedPaths struct {
	mu    sync.Mutex
	lists map[string][]listed

	buildList sync.Once
	required  []listedModule
}

// modules asks for the whole build list, once; none where the go command can't tell.
func (a *askedPaths) modules(env goEnv) []listedModule {
	a.buildList.Do(func() {
		a.required, _ = decodeList[listedModule](env.run("list", "-m", "-e", moduleFields, "all"))
	})
	return a.required
}

// learn asks the go command about imports of the touched packages that the graph does not know.
func (g *Graph) learn(touched []string) error {
	unknown := map[string]bool{}
	for _, path := range touched {
		if p := g.Packages[path]; p != nil {
			for _, imp := range importable(p.allDirects()) {
				if _, missing := g.Missing[imp]; g.Packages[imp] == nil && !missing {
					unknown[imp] = true
				}
			}
		}
	}
	return g.ListMissing(keysOf(unknown))
}

// ListMissing adds packages, and all they import, to a graph that is not shared yet. What the go command can't resolve
// ends in Missing.
func (g *Graph) ListMissing(paths []string) error {
	for _, path := range paths {
		list, err := g.asked.list(g.env, path)
		if err != nil {
			return err
		}
		a := newAbsorber(g, nil)
		a.absorb(list)
		for i := range list {
			if p := g.Packages[list[i].ImportPath]; p != nil && p.Source && g.byDir[p.Dir] == nil {
				g.byDir[p.Dir] = p
				relink(g.importers, p.Path, nil, p.directs())
			}
		}
	}
	return nil
}

func (a *askedPaths) list(env goEnv, path string) ([]listed, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if list, ok := a.lists[path]; ok {
		return list, nil
	}
	list, err := listPackages(env, []string{path})
	if err != nil {
		return nil, err
	}
	if a.lists == nil {
		a.lists = map[string][]listed{}
	}
	a.lists[path] = list
	return list, nil
}
