package main

import (
	"cmp"
	"go/parser"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file answers which packages could be meant by a name, and which rule of the go command keeps others out.

type candidateAnswer struct {
	Path  string   `json:"path"`
	Name  string   `json:"name"`
	Where string   `json:"where"`
	Has   []string `json:"has"`
}

// barredAnswer is a package of the workspace that a name could mean, were it not for a rule of the go command.
type barredAnswer struct {
	Path string   `json:"path"`
	Why  string   `json:"why"` // command, internal or cycle
	Via  []string `json:"via"` // of a cycle: what it imports, down to the package that asks
}

// importCandidates lists the packages that a name can mean in package q.From: imports of its own files first, then packages of the
// workspace, the standard library and the modules of the build. What other files of the package import by this name comes
// under the name they use. Packages of the workspace that a rule keeps out are told apart, with the rule.
func (a *asker) importCandidates(q question) (any, error) {
	g := a.view.graph
	list := a.siblingImports(q)
	seen := map[string]bool{q.From: true}
	for _, c := range list {
		seen[c.Path] = true
	}
	var barred []barredAnswer
	for _, p := range g.Packages {
		if seen[p.Path] || p.Name != q.Name && !(p.Main && path.Base(p.Path) == q.Name) {
			continue
		}
		if bar := a.barOf(p, q.From); bar.Why != "" {
			if p.Workspace {
				barred = append(barred, bar)
			}
			continue
		}
		seen[p.Path] = true
		list = append(list, candidateAnswer{p.Path, p.Name, whereOf(p), a.has(a.filesOf(p), q.Members)})
	}
	for _, source := range indexSources(g) {
		if !source.std && slices.ContainsFunc(list, func(c candidateAnswer) bool { return len(c.Has) == len(q.Members) }) {
			break // the folders of modules are searched only when nothing nearer fits
		}
		for _, p := range source.index(a.s.cacheDir).named(q.Name) {
			if seen[p.Path] || !mayImport(p.Path, q.From, g) {
				continue
			}
			seen[p.Path] = true
			where := "module"
			if source.std {
				where = "std"
			}
			list = append(list, candidateAnswer{p.Path, p.Name, where, a.has(goFilesIn(g, p.Dir), q.Members)})
		}
	}
	order := []string{"same_package", "workspace", "std", "module"}
	slices.SortFunc(list, func(x, y candidateAnswer) int {
		return cmp.Or(slices.Index(order, x.Where)-slices.Index(order, y.Where), len(y.Has)-len(x.Has), strings.Compare(x.Path, y.Path))
	})
	slices.SortFunc(barred, func(x, y barredAnswer) int { return strings.Compare(x.Path, y.Path) })
	return map[string]any{"candidates": orEmpty(list), "barred": orEmpty(barred)}, nil
}

// siblingImports are the imports by this name in the files of q.From, tests included.
func (a *asker) siblingImports(q question) []candidateAnswer {
	p := a.view.graph.Packages[q.From]
	if p == nil {
		return nil
	}
	var list []candidateAnswer
	for _, key := range unitKeys(p) {
		for _, file := range a.view.graph.Files(p, key.Variant) {
			f, _ := a.parseBare(file, parser.ImportsOnly)
			if f == nil {
				continue
			}
			for _, spec := range f.Imports {
				imp, _ := strconv.Unquote(spec.Path.Value)
				name := a.view.localName(imp)
				if spec.Name != nil {
					name = spec.Name.Name
				}
				known := slices.ContainsFunc(list, func(c candidateAnswer) bool { return c.Path == imp })
				if name != q.Name || known || imp == q.From {
					continue
				}
				has := []string{}
				if target := a.view.graph.Packages[p.Resolve(imp)]; target != nil {
					has = a.has(a.filesOf(target), q.Members)
				}
				list = append(list, candidateAnswer{imp, name, "same_package", has})
			}
		}
	}
	return list
}

// has keeps the members that files export.
func (a *asker) has(files []string, members []string) []string {
	exported := map[string]bool{}
	for _, e := range a.exportsOf(files) {
		exported[e.Name] = true
	}
	return orEmpty(slices.DeleteFunc(slices.Clone(members), func(m string) bool { return !exported[m] }))
}

func whereOf(p *Package) string {
	switch {
	case p.Std:
		return "std"
	case p.Workspace:
		return "workspace"
	}
	return "module"
}

// mayImport says that a package may be imported by from: not internal to others, and no vendored copy of std.
func mayImport(imp, from string, g *Graph) bool {
	p := g.Packages[from]
	if p == nil {
		p = &Package{Path: from}
	}
	return !strings.HasPrefix(imp, "vendor/") && mayUseInternal(p, imp)
}

// barOf is the rule that keeps a package from being imported by from, one with an empty why for none.
func (a *asker) barOf(p *Package, from string) barredAnswer {
	switch {
	case p.Main:
		return barredAnswer{p.Path, "command", []string{}}
	case !mayImport(p.Path, from, a.view.graph):
		return barredAnswer{p.Path, "internal", []string{}}
	}
	if via := a.chain(p.Path, from); via != nil {
		return barredAnswer{p.Path, "cycle", via}
	}
	return barredAnswer{}
}

// chain is what package p imports on a way to target, target last; nil where there is none, and target may import it.
func (a *asker) chain(p, target string) []string {
	g := a.view.graph
	seen := map[string]bool{}
	var visit func(path string) []string
	visit = func(path string) []string {
		node := g.Packages[path]
		if node == nil || !node.Source || seen[path] {
			return nil
		}
		seen[path] = true
		if path == target {
			return []string{path}
		}
		for _, imp := range node.Imports {
			if rest := visit(node.Resolve(imp)); rest != nil {
				return append([]string{path}, rest...)
			}
		}
		return nil
	}
	if whole := visit(p); whole != nil {
		return whole[1:]
	}
	return nil
}

// goFilesIn lists the Go files of a folder that take part in the build, without tests.
func goFilesIn(g *Graph, dir string) []string {
	entries, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.DeleteFunc(entries, func(file string) bool { return strings.HasSuffix(file, "_test.go") || !matchesBuild(g, file) })
}
