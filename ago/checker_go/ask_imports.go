package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file answers questions about imports from syntax and the package graph alone, so that they cost no check: what a file
// imports and lacks, what a package exports, and which packages could be meant by a name.

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
	before := map[string][]string{}
	if _, edited := a.overlay[q.File]; edited {
		old := &asker{s: a.s, u: a.u, view: a.u.base}
		if g, _ := old.parseBare(q.File, 0); g != nil {
			before = old.qualifiers(old.view, q.File, g)
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
		if !imported[name] {
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
	via := a.chain(p.Path, from)
	switch {
	case p.Main:
		return barredAnswer{p.Path, "command", []string{}}
	case !mayImport(p.Path, from, a.view.graph):
		return barredAnswer{p.Path, "internal", []string{}}
	case via != nil:
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
