package main

import (
	"go/ast"
	"go/parser"
	"go/types"
	"path/filepath"
	"slices"
)

// This file gives go/types the C names of a unit: the declarations that cgo made for the base, as long as the
// candidate asks the same of cgo. Otherwise the unit is tainted, and the toolchain has to judge it.

// prepareCgo runs cgo for the packages of paths that need it, once.
func (u *Universe) prepareCgo(g *Graph, paths []string) {
	var need []string
	for _, path := range paths {
		p := g.Packages[path]
		if _, known := u.cgo[path]; p != nil && len(p.CgoFiles) > 0 && !known {
			need = append(need, path)
		}
	}
	if len(need) == 0 {
		return
	}
	found := g.CgoTypes(need)
	for _, path := range need {
		c := cgoPackage{types: found[path], signatures: map[string]string{}}
		for _, name := range g.Packages[path].CgoFiles {
			rel := g.Rel(filepath.Join(g.Packages[path].Dir, name))
			if src, err := u.base.read(rel); err == nil {
				c.signatures[rel] = CgoSignature(src)
			}
		}
		u.cgo[path] = c
	}
}

// cgoPackage is what cgo made of a package of the base.
type cgoPackage struct {
	types      string            // path of _cgo_gotypes.go; "" when cgo failed
	signatures map[string]string // file -> what it asked of cgo
}

// withCgo returns the files to check a unit with, and taints the unit when its C names are unknown.
func (v *view) withCgo(u *Unit, conf *types.Config) []*ast.File {
	u.Tainted = v.importTaint(u)
	if len(u.Pkg.CgoFiles) == 0 || u.Key.Variant == XTest {
		return u.Files
	}
	c := v.u.cgo[u.Pkg.Path]
	if c.types != "" && v.sameCgo(u, c) {
		extra, err := parser.ParseFile(u.Fset, c.types, nil, parser.SkipObjectResolution)
		if err == nil {
			setUsesCgo(conf)
			return append(slices.Clone(u.Files), extra)
		}
	}
	u.Tainted = "its C declarations are unknown"
	conf.FakeImportC = true
	return u.Files
}

// sameCgo says that the unit's files ask of cgo what those of the base asked.
func (v *view) sameCgo(u *Unit, c cgoPackage) bool {
	count := 0
	for i, rel := range u.Names {
		if slices.Contains(u.Pkg.CgoFiles, filepath.Base(rel)) {
			count++
			if CgoSignature(u.Src[i]) != c.signatures[rel] {
				return false
			}
		}
	}
	return count == len(c.signatures)
}

// importTaint says which import of a unit has C types that are not known.
func (v *view) importTaint(u *Unit) string {
	for _, f := range u.Files {
		for _, spec := range f.Imports {
			path := u.Pkg.Resolve(importPath(spec))
			if reason := v.u.deps.Taint(path); reason != "" {
				return path + ": " + reason
			}
		}
	}
	return ""
}
