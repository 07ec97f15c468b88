package main

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file answers where an object is used under an overlay. The fact store answers that for the base; this is for
// drafts, and for objects without an address.

type useAnswer struct {
	File   string `json:"file"`
	Offset int    `json:"offset"`
	Len    int    `json:"len"`
	Line   int    `json:"line"`
	Col    int    `json:"col"`
	Role   string `json:"role"`
}

func (a *asker) usesOf(q question) (any, error) {
	at := address{q.Pkg, q.Sym}
	var list []useAnswer
	if q.File != "" {
		u, _, obj, err := a.objectIn(q)
		if err != nil {
			return nil, err
		}
		at = askNamer(u).address(obj)
		if at.Sym == "" {
			list = localUses(u, obj)
		}
	}
	if at.Sym != "" {
		var err error
		if list, err = a.addressUses(at); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(x, y useAnswer) int {
		return cmp.Or(strings.Compare(x.File, y.File), x.Offset-y.Offset, x.Len-y.Len, strings.Compare(x.Role, y.Role))
	})
	return map[string]any{"uses": orEmpty(slices.Compact(list))}, nil
}

// addressUses looks for an object in its own package and in all packages below which it can be used.
func (a *asker) addressUses(at address) ([]useAnswer, error) {
	keys := a.keysMentioning(at)
	if len(keys) == 0 {
		return nil, nil
	}
	units, err := a.s.checkedUnits(a.overlay, keys)
	if err != nil {
		return nil, err
	}
	var list []useAnswer
	for _, u := range units {
		files := make([]int, len(u.Files))
		for i := range files {
			files[i] = i
		}
		facts := extractFactsOf(u, a.view.graph, files, nil)
		for _, row := range facts.Uses {
			if facts.Objs[row[0].(int)] == [2]string{at.Pkg, at.Sym} {
				list = append(list, useAnswer{u.Names[row[1].(int)], row[2].(int), row[5].(int), row[3].(int), row[4].(int), row[6].(string)})
			}
		}
	}
	return list, nil
}

// keysMentioning lists the units with a file that has the name in it: of the package itself and, for an exported name,
// of the packages that import it, directly or not.
func (a *asker) keysMentioning(at address) []UnitKey {
	g := a.view.graph
	home := strings.TrimSuffix(at.Pkg, "_test")
	reached := map[string]bool{home: true}
	name := at.Sym[strings.LastIndexByte(at.Sym, '.')+1:]
	if ast.IsExported(name) {
		a.spread(home, reached)
	}
	var keys []UnitKey
	contrast := newContrast(a.view)
	for path := range reached {
		if p := g.Packages[path]; p == nil || !contrast.wants(p) {
			continue
		}
		for _, key := range unitKeys(g.Packages[path]) {
			for _, file := range g.Files(g.Packages[path], key.Variant) {
				if src, err := a.view.read(file); err == nil && bytes.Contains(src, []byte(name)) {
					keys = append(keys, key)
					break
				}
			}
		}
	}
	slices.SortFunc(keys, func(x, y UnitKey) int {
		return cmp.Or(strings.Compare(x.Pkg, y.Pkg), strings.Compare(string(x.Variant), string(y.Variant)))
	})
	return keys
}

// spread adds the packages that import path, directly or not, by tests too.
func (a *asker) spread(path string, reached map[string]bool) {
	for _, importer := range a.view.graph.Importers(path) {
		if !reached[importer] {
			reached[importer] = true
			a.spread(importer, reached)
		}
	}
	for _, importer := range a.view.graph.TestImporters(path) {
		reached[importer] = true
	}
}

// localUses finds the uses of an object without an address: all are in one file, at the identifier that declares it and
// behind it. The variables that a type switch declares, one a clause, are one object here.
func localUses(u *Unit, obj types.Object) []useAnswer {
	i, _ := newFileIndex(u.Files).find(obj.Pos())
	if i < 0 {
		return nil
	}
	x := &extraction{Facts: &Facts{}, u: u, names: newNamer(u.Types, nil)}
	x.enter(0, u.Files[i])
	w := &useWalk{extraction: x}
	var list []useAnswer
	ast.Inspect(u.Files[i], func(n ast.Node) bool {
		if n == nil {
			w.stack = w.stack[:len(w.stack)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && id.Name == obj.Name() {
			if role := w.localRole(id, obj); role != "" {
				off := int(id.Pos() - x.start)
				line, col := x.lineCol(off)
				list = append(list, useAnswer{u.Names[i], off, len(id.Name), line, col, role})
			}
		}
		w.stack = append(w.stack, n)
		return true
	})
	if p, ok := obj.(*types.PkgName); ok {
		list = append(list, importUse(u, i, x, p)...)
	}
	return list
}

// localRole is the role of an identifier, "" when it is another object's.
func (w *useWalk) localRole(id *ast.Ident, obj types.Object) string {
	used := w.u.Info.Uses[id]
	switch {
	case used != nil && sameLocal(used, obj):
		switch obj.(type) {
		case *types.Label:
			return "label"
		case *types.PkgName:
			return "import"
		}
		return w.role(id, used)
	case namesEmbedded(used, obj):
		return "embed"
	case id.Pos() == obj.Pos():
		return "def"
	}
	return ""
}

// namesEmbedded says that used is an embedded field, which has its name of the type obj.
func namesEmbedded(used, obj types.Object) bool {
	tn, ok := obj.(*types.TypeName)
	v, isVar := used.(*types.Var)
	return ok && isVar && v.Embedded() && typeNameOf(v.Type()) == tn
}

// sameLocal compares locals by where they are declared.
func sameLocal(x, y types.Object) bool {
	return x == y || x.Pos() == y.Pos() && x.Pos() != token.NoPos && x.Pkg() == y.Pkg() && x.Name() == y.Name()
}

// importUse is the import spec of a package name, when it has no identifier of its own.
func importUse(u *Unit, i int, x *extraction, p *types.PkgName) []useAnswer {
	for _, spec := range u.Files[i].Imports {
		if spec.Name == nil && u.Info.Implicits[spec] == p {
			off := int(spec.Path.Pos() - x.start)
			line, col := x.lineCol(off)
			return []useAnswer{{u.Names[i], off, len(spec.Path.Value), line, col, "import"}}
		}
	}
	return nil
}
