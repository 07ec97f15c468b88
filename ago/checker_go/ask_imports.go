package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file answers questions about imports from syntax and the package graph alone, so that they cost no check: what a file
// imports and lacks, and what a package exports.

type exportAnswer struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

func (a *asker) packageOf(q question) (any, error) {
	answer := map[string]any{"path": q.Path}
	if p := a.view.graph.Packages[q.Path]; p != nil {
		answer["name"], answer["std"], answer["main"] = p.Name, p.Std, p.Main
		answer["exported"] = a.exportsOf(a.filesOf(p))
		return answer, nil
	}
	for _, source := range indexSources(a.view.graph) {
		if p := source.index(a.s.cacheDir).find(q.Path); p != nil {
			answer["name"], answer["std"], answer["main"] = p.Name, source.std, p.Name == "main"
			answer["exported"] = a.exportsOf(goFilesIn(a.view.graph, p.Dir))
			return answer, nil
		}
	}
	return nil, fmt.Errorf("no package %s", q.Path)
}

// filesOf lists the Go files of a package without tests, in the form of the wire.
func (a *asker) filesOf(p *Package) []string { return a.view.graph.Files(p, Primary) }

// exportsOf lists what files export, by parsing them.
func (a *asker) exportsOf(files []string) []exportAnswer {
	list := []exportAnswer{}
	for _, name := range files {
		f, err := a.parseBare(name, parser.SkipObjectResolution)
		if f == nil || err != nil && len(f.Decls) == 0 {
			continue
		}
		for id, kind := range declaredNames(f) {
			if id.IsExported() {
				list = append(list, exportAnswer{id.Name, kind})
			}
		}
	}
	slices.SortFunc(list, func(x, y exportAnswer) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// parseBare parses a file under the overlay, outside of the universe's FileSet.
func (a *asker) parseBare(name string, mode parser.Mode) (*ast.File, error) {
	src, err := a.view.read(name)
	if err != nil {
		return nil, err
	}
	return parser.ParseFile(token.NewFileSet(), name, src, mode)
}

// declaredNames yields the package-level names of a file with their kinds.
func declaredNames(f *ast.File) func(yield func(*ast.Ident, string) bool) {
	return func(yield func(*ast.Ident, string) bool) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && !yield(d.Name, "func") {
					return
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					for _, id := range specNames(s) {
						if !yield(id, d.Tok.String()) {
							return
						}
					}
				}
			}
		}
	}
}

func specNames(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

type importAnswer struct {
	Path       string `json:"path"`
	Name       string `json:"name"`
	Used       bool   `json:"used"`
	UsedBefore bool   `json:"used_before"`
}

type missingAnswer struct {
	Name    string   `json:"name"`
	Members []string `json:"members"`
}

func (a *asker) importsOf(q question) (any, error) {
	f, err := a.parseBare(q.File, 0)
	if f == nil {
		return nil, err
	}
	now := a.qualifiers(a.view, q.File, f)
	before, given := map[string][]string{}, map[string]bool{}
	if _, edited := a.overlay[q.File]; edited {
		old := &asker{s: a.s, u: a.u, view: a.u.base}
		if g, _ := old.parseBare(q.File, 0); g != nil {
			before = old.qualifiers(old.view, q.File, g)
			for _, spec := range g.Imports {
				imp, _ := strconv.Unquote(spec.Path.Value)
				for _, name := range old.namesOf(spec, imp) {
					given[name] = true
				}
			}
		}
	} else {
		before = now
	}
	imports, missing, missingBefore := []importAnswer{}, []missingAnswer{}, []string{}
	imported := map[string]bool{}
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		name := a.view.localName(imp)
		// A package whose module the edit drops is known from before.
		dropped := a.home.graph.Packages[imp]
		if dropped != nil && !a.knows(q.File, imp) {
			name = dropped.Name
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = true
		for _, other := range a.namesOf(spec, imp) {
			imported[other] = true
		}
		_, used := now[name]
		_, usedBefore := before[name]
		switch {
		case name == ".":
			used, usedBefore = a.usesDot(f, imp), true
		case name == "_" || imp == "C":
			used, usedBefore = true, true
		case spec.Name == nil && dropped == nil && !a.knows(q.File, imp):
			used = true // nobody knows which name it gives: its own diagnostic says that it does not resolve
		}
		imports = append(imports, importAnswer{imp, name, used, usedBefore})
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !imported[name] {
			missing = append(missing, missingAnswer{name, now[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !imported[name] && !given[name] { // what lost its import by the edit is to have it back
			missingBefore = append(missingBefore, name)
		}
	}
	return map[string]any{"imports": imports, "missing": missing, "missing_before": missingBefore}, nil
}

// knows says that the graph holds the package that an import of a file means.
func (a *asker) knows(file, imp string) bool {
	g := a.view.graph
	p, _ := g.PackageOfFile(file)
	return g.Packages[imp] != nil || p != nil && g.Packages[p.Resolve(imp)] != nil
}

// usesDot says that a file has a name which a dot import of path can give it.
func (a *asker) usesDot(f *ast.File, path string) bool {
	found, err := a.packageOf(question{Path: path})
	if err != nil {
		return true // it does not resolve: its own diagnostic says so
	}
	exports := found.(map[string]any)["exported"].([]exportAnswer)
	return slices.ContainsFunc(f.Unresolved, func(id *ast.Ident) bool {
		return slices.ContainsFunc(exports, func(e exportAnswer) bool { return e.Name == id.Name })
	})
}

// qualifiers finds the names in front of a dot that no declaration of the file or its package explains, each with the
// members that are selected of it. They are imports, or should be.
func (a *asker) qualifiers(v *view, file string, f *ast.File) map[string][]string {
	open := map[*ast.Ident]bool{}
	for _, id := range f.Unresolved {
		open[id] = true
	}
	found := map[string]map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && open[id] {
			if found[id.Name] == nil {
				found[id.Name] = map[string]bool{}
			}
			found[id.Name][sel.Sel.Name] = true
		}
		return true
	})
	if len(found) > 0 {
		for name := range a.siblingNames(v, file) {
			delete(found, name)
		}
	}
	members := map[string][]string{}
	for name, set := range found {
		if types.Universe.Lookup(name) == nil {
			members[name] = slices.Sorted(maps.Keys(set))
		}
	}
	return members
}

// siblingNames are the package-level names of the other files that are compiled together with a file.
func (a *asker) siblingNames(v *view, file string) map[string]bool {
	names := map[string]bool{}
	p, role := v.graph.PackageOfFile(file)
	if p == nil {
		return names
	}
	variant := map[string]Variant{"test": InTest, "xtest": XTest}[role]
	at := &asker{s: a.s, u: a.u, view: v}
	for _, sibling := range v.graph.Files(p, variant) {
		if sibling == file {
			continue
		}
		if f, _ := at.parseBare(sibling, parser.SkipObjectResolution); f != nil {
			for id := range declaredNames(f) {
				names[id.Name] = true
			}
		}
	}
	return names
}
