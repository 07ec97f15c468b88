package main

import (
	"path/filepath"
	"slices"
	"strings"
)

// This file is the package graph: what the workspace consists of, who imports whom, and which file belongs where.
//
// Invariant: a Graph is never changed once it is made. Overlaid (overlay.go) makes a new one that shares every untouched node.

// Context is the build context that the graph was loaded for.
type Context struct {
	GOOS            string   `json:"goos"`
	GOARCH          string   `json:"goarch"`
	Tags            []string `json:"tags"`
	Cgo             bool     `json:"cgo"`
	GoVersion       string   `json:"go_version"` // go1.26.8
	GOROOT          string   `json:"goroot"`
	GOMODCACHE      string   `json:"gomodcache"`
	CompilerPresent bool     `json:"compiler_present"` // a C compiler
}

// Graph is every package that the workspace and its tests need.
type Graph struct {
	Root     string // absolute
	Context  Context
	Own      *Context // of the workspace's own build; nil when this is it
	Modules  []*Module
	Packages map[string]*Package // by import path
	Missing  map[string]string   // import path that does not resolve -> what the go command says of it

	byDir         map[string]*Package // packages of the source set by absolute folder
	importers     map[string][]string // import path -> source packages that import it
	testImporters map[string][]string // the same for imports of test files
	build         buildRules          // Context in the form that go/build wants
	env           goEnv               // how the go command runs for this graph
	cacheDir      string
	view          string      // folder of the module whose build this is, "" for the build of the root
	gowork        string      // absolute path of go.work, "" without one
	vendorDirs    []string    // absolute
	asked         *askedPaths // what the go command said of paths asked later; shared by all overlays
}

// Importers lists the source-set packages whose GoFiles import path, sorted.
func (g *Graph) Importers(path string) []string { return g.importers[path] }

// TestImporters lists the source-set packages whose test files (both kinds) import path, sorted.
func (g *Graph) TestImporters(path string) []string { return g.testImporters[path] }

// Order lists the source set so that a package comes after what its GoFiles import; inside an import cycle the
// order is the alphabetical one.
func (g *Graph) Order() []string {
	paths := make([]string, 0, len(g.byDir))
	for _, p := range g.byDir {
		paths = append(paths, p.Path)
	}
	slices.Sort(paths)
	order := make([]string, 0, len(paths))
	seen := make(map[string]bool, len(paths))
	var visit func(path string)
	visit = func(path string) {
		p := g.Packages[path]
		if p == nil || !p.Source || seen[path] {
			return
		}
		seen[path] = true
		for _, imp := range p.Imports {
			visit(p.Resolve(imp))
		}
		order = append(order, path)
	}
	for _, path := range paths {
		visit(path)
	}
	return order
}

// Files lists the Go files of a unit, relative to the root: what the variant compiles, InTest with the primary files.
func (g *Graph) Files(p *Package, v Variant) []string {
	var names []string
	switch v {
	case Primary:
		names = slices.Concat(p.GoFiles, p.CgoFiles)
	case InTest:
		names = slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles)
	case XTest:
		names = slices.Clone(p.XTestGoFiles)
	}
	slices.Sort(names)
	for i, name := range names {
		names[i] = g.Rel(filepath.Join(p.Dir, name))
	}
	return names
}

// testFiles lists the files that tests in the package add to it, as Files does.
func (g *Graph) testFiles(p *Package) []string {
	return slices.DeleteFunc(g.Files(p, InTest), func(rel string) bool { return !isTestFile(rel) })
}

// allFiles lists the files of all units of a package.
func (g *Graph) allFiles(path string) []string {
	p := g.Packages[path]
	return slices.Concat(g.Files(p, InTest), g.Files(p, XTest))
}

// Rel turns an absolute path into the form of the wire: posix and relative to the root, but for files of Go and of the
// module cache, which stay as they are.
func (g *Graph) Rel(abs string) string {
	rel := relTo(g.Root, abs)
	if filepath.IsAbs(rel) && !below(abs, g.Context.GOMODCACHE) && !below(abs, g.Context.GOROOT) {
		if beside, err := filepath.Rel(g.Root, abs); err == nil {
			return filepath.ToSlash(beside)
		}
	}
	return rel
}

func relTo(root, abs string) string {
	if rest, ok := strings.CutPrefix(abs, root+string(filepath.Separator)); ok {
		return filepath.ToSlash(rest)
	}
	if abs == root {
		return "."
	}
	return abs
}

// Abs is the inverse of Rel.
func (g *Graph) Abs(rel string) string {
	if filepath.IsAbs(rel) {
		return rel
	}
	return filepath.Join(g.Root, filepath.FromSlash(rel))
}

// PackageOfFile finds the package and role of a workspace file: go cgo test xtest ignored other, nil and "" when the
// graph knows no package in its folder or no such file.
func (g *Graph) PackageOfFile(rel string) (*Package, string) {
	abs := g.Abs(rel)
	p := g.byDir[filepath.Dir(abs)]
	if p == nil {
		return nil, ""
	}
	name := filepath.Base(abs)
	for _, f := range p.roles() {
		if slices.Contains(f.names, name) {
			return p, f.role
		}
	}
	return p, ""
}

// roleNames are the files of one role.
type roleNames struct {
	role  string
	names []string
}

// roles lists the files of p by their role on the wire.
func (p *Package) roles() []roleNames {
	return []roleNames{
		{"go", p.GoFiles}, {"cgo", p.CgoFiles}, {"test", p.TestGoFiles}, {"xtest", p.XTestGoFiles},
		{"ignored", p.IgnoredGoFiles}, {"other", p.OtherFiles},
	}
}

// index fills the look-ups by folder and by import from Packages.
func (g *Graph) index() {
	g.byDir, g.importers, g.testImporters = map[string]*Package{}, map[string][]string{}, map[string][]string{}
	for _, p := range g.Packages {
		if p.Source {
			g.byDir[p.Dir] = p
			link(g.importers, p.Path, p.directs())
			link(g.testImporters, p.Path, p.testDirects())
		}
	}
	for _, table := range []map[string][]string{g.importers, g.testImporters} {
		for _, paths := range table {
			slices.Sort(paths)
		}
	}
}

func link(table map[string][]string, from string, to []string) {
	for _, path := range to {
		table[path] = append(table[path], from)
	}
}

// directs lists the import paths, resolved, that the GoFiles of p import, and what the declarations that cgo
// generates for them do.
func (p *Package) directs() []string {
	if len(p.CgoFiles) == 0 || p.Std {
		return p.resolved(p.Imports)
	}
	return p.resolved(slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(p.Imports), "runtime/cgo", "syscall", "unsafe")))))
}

// testDirects lists the import paths, resolved, that the test files of p import, without duplicates.
func (p *Package) testDirects() []string {
	return p.resolved(slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.TestImports, p.XTestImports)))))
}

// allDirects lists what a package and its tests import; nothing for one that does not exist.
func (p *Package) allDirects() []string {
	if p == nil {
		return nil
	}
	return slices.Concat(p.directs(), p.testDirects())
}

func (p *Package) resolved(imports []string) []string {
	paths := make([]string, len(imports))
	for i, imp := range imports {
		paths[i] = p.Resolve(imp)
	}
	return paths
}
