package main

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

// This file holds the rules of the go command about imports.

// importRules are the codes after which the file's import means nothing to go/types.
var importRules = map[string]bool{
	"import_missing": true, "import_no_go_files": true, "import_local": true, "import_not_canonical": true,
	"import_cycle": true,
}

// imports checks every import spec of the unit's own files. A test variant looks at its test files only.
func (r *rules) imports() {
	folded := map[string]string{}
	for i, f := range r.unit.Files {
		if r.unit.Key.Variant == InTest && !isTestFile(r.unit.Names[i]) {
			continue
		}
		for _, spec := range f.Imports {
			imp := importPath(spec)
			if imp == "" || imp == "C" || imp == "unsafe" {
				continue
			}
			if code, msg := r.importProblem(imp); code != "" {
				r.add(spec.Path.Pos(), spec.Path.End(), code, "%s", msg)
			}
			if other, ok := folded[strings.ToLower(imp)]; ok && other != imp {
				r.add(spec.Path.Pos(), spec.Path.End(), "import_case_collision",
					"case-insensitive import collision: %q and %q", imp, other)
			}
			folded[strings.ToLower(imp)] = imp
		}
	}
}

// importProblem names the first rule that an import breaks; code is "" when it breaks none.
func (r *rules) importProblem(imp string) (code, msg string) {
	g, p := r.view.graph, r.unit.Pkg
	resolved := p.Resolve(imp)
	target := g.Packages[resolved]
	switch {
	case strings.HasPrefix(imp, "./") || strings.HasPrefix(imp, "../") || imp == "." || imp == "..":
		return "import_local", "local import \"" + imp + "\" in non-local package"
	case strings.HasPrefix(imp, "/"):
		return "import_not_canonical", "cannot import absolute path"
	case path.Clean(imp) != imp:
		return "import_not_canonical", "non-canonical import path \"" + imp + "\": should be \"" + path.Clean(imp) + "\""
	case strings.HasPrefix(imp, "vendor/") || strings.Contains(imp, "/vendor/"):
		_, rest, _ := strings.Cut("/"+imp, "/vendor/")
		return "import_vendor", imp + " must be imported as " + rest
	case target == nil || target.Source && len(target.GoFiles)+len(target.CgoFiles) == 0:
		return r.unresolved(imp, target)
	case target.Name == "main" && !(r.unit.Key.Variant == XTest && resolved == p.Path):
		return "import_main", "import \"" + imp + "\" is a program, not an importable package"
	case !mayUseInternal(p, resolved):
		return "import_internal", "use of internal package " + imp + " not allowed"
	case !target.Source && len(r.view.doubts.of(resolved)) > 0:
		return "import_missing", imp + " imports " + strings.Join(r.view.doubts.of(resolved), ", ") + ", which is missing"
	case r.closesCycle(resolved):
		return "import_cycle", "import cycle not allowed: " + strings.Join(r.cyclePath(resolved), " -> ")
	}
	return "", ""
}

// unresolved explains an import of something that is no package.
func (r *rules) unresolved(imp string, target *Package) (code, msg string) {
	if target != nil {
		if len(target.IgnoredGoFiles) > 0 {
			return "import_no_go_files", "build constraints exclude all Go files in " + r.view.graph.Rel(target.Dir)
		}
		if len(target.TestGoFiles)+len(target.XTestGoFiles) > 0 && r.unit.Key.Variant == XTest && target == r.unit.Pkg {
			return "", "" // an external test may import a package that has tests alone
		}
		return "import_no_go_files", "no non-test Go files in " + r.view.graph.Rel(target.Dir)
	}
	if msg := r.view.graph.Missing[r.unit.Pkg.Resolve(imp)]; msg != "" {
		if strings.Contains(msg, "GOPROXY=off") { // our own setting says nothing to anybody
			msg = "no module in the module cache provides " + imp
		}
		return "import_missing", msg
	}
	return "import_missing", "package " + imp + " is not in std or any module of the build"
}

// mayUseInternal applies the internal rule: only code below the parent of "internal" may import what is in it.
func mayUseInternal(p *Package, imp string) bool {
	elems := strings.Split(imp, "/")
	for i, elem := range slices.Backward(elems) {
		if elem != "internal" {
			continue
		}
		parent := strings.Join(elems[:i], "/")
		if parent == "" {
			return p.Std
		}
		return p.Path == parent || strings.HasPrefix(p.Path, parent+"/")
	}
	return true
}

// closesCycle says that importing path from this unit closes a cycle, through in-package tests too.
func (r *rules) closesCycle(path string) bool {
	p := r.unit.Pkg
	switch r.unit.Key.Variant {
	case Primary:
		n := r.view.cycles[path]
		return path == p.Path || n != 0 && n == r.view.cycles[p.Path]
	case InTest:
		return r.view.importsDeeply(path, p.Path)
	}
	return false
}

// cyclePath is a way from the unit's package over path back to it.
func (r *rules) cyclePath(start string) []string {
	target := r.unit.Pkg.Path
	seen := map[string]bool{}
	var find func(path string) []string
	find = func(path string) []string {
		if path == target {
			return []string{path}
		}
		p := r.view.graph.Packages[path]
		if p == nil || !p.Source || seen[path] {
			return nil
		}
		seen[path] = true
		for _, imp := range p.Imports {
			if rest := find(p.Resolve(imp)); rest != nil {
				return append([]string{path}, rest...)
			}
		}
		return nil
	}
	return append([]string{target}, find(start)...)
}

// imports says whether a file imports a path.
func importsPath(f *ast.File, imp string) bool {
	return slices.ContainsFunc(f.Imports, func(spec *ast.ImportSpec) bool { return importPath(spec) == imp })
}
