package main

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
)

// This file guesses what a package calls itself that is not there: what go/types makes of the last element of its path would
// leave `yaml.Marshal` undefined behind an import of gopkg.in/yaml.v3.

// unknownPackage stands for a package that package p imports in vain. With an error beside it go/types takes every member of
// it for granted.
func (v *view) unknownPackage(p *Package, path string) *types.Package {
	return types.NewPackage(path, v.guessedName(p, path))
}

// guessedName is the likeliest name that the files of p use, else the only one in them that nothing explains.
func (v *view) guessedName(p *Package, imp string) string {
	names := assumedNames(imp)
	importing := v.filesImporting(p, imp)
	for _, name := range names {
		if slices.ContainsFunc(importing, func(f *parsedFile) bool { return qualifies(f.ast, name) }) {
			return name
		}
	}
	a := &asker{s: v.u.server, u: v.u, view: v}
	for _, f := range importing {
		if open := a.unexplained(f.rel); len(open) == 1 {
			return open[0]
		}
	}
	return append(names, "unknown")[0]
}

// filesImporting lists the files of a package that import a path without giving it a name.
func (v *view) filesImporting(p *Package, imp string) []*parsedFile {
	var files []*parsedFile
	for _, rel := range v.graph.allFiles(p.Path) {
		f := v.parse(rel)
		if slices.ContainsFunc(f.ast.Imports, func(spec *ast.ImportSpec) bool {
			return spec.Name == nil && importPath(spec) == imp
		}) {
			files = append(files, f)
		}
	}
	return files
}

// qualifies says that a file selects something of a name.
func qualifies(f *ast.File, name string) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			id, ok := sel.X.(*ast.Ident)
			found = found || ok && id.Name == name
		}
		return !found
	})
	return found
}

// unexplained lists the qualifiers of a file that no import of it can be called.
func (a *asker) unexplained(file string) []string {
	f, _ := a.parseBare(file, 0)
	if f == nil {
		return nil
	}
	open := a.qualifiers(a.view, file, f)
	for _, spec := range f.Imports {
		imp, _ := strconv.Unquote(spec.Path.Value)
		for _, name := range a.namesOf(spec, imp) {
			delete(open, name)
		}
	}
	return keysOf(open)
}

// namesOf lists what an import may be called in its file: one name, where the package is known or the import says it.
func (a *asker) namesOf(spec *ast.ImportSpec, imp string) []string {
	if spec.Name != nil {
		return []string{spec.Name.Name}
	}
	if a.view.graph.absent(imp) != "" {
		return assumedNames(imp)
	}
	return []string{a.view.localName(imp)}
}
