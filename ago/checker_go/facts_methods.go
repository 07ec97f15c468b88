package main

import (
	"cmp"
	"go/types"
	"slices"
	"strings"
)

// This file makes method-set rows: by id and canonical signature it can be told in SQL which type satisfies which
// interface.

// What a row says of its method beside whether it needs a pointer: that its type is an interface.
const ofInterface = 2

// methodSets adds the rows of the types that the files declare and of the dependency types that they mention.
func (x *extraction) methodSets(files []int) {
	index := newFileIndex(x.u.Files)
	for _, name := range x.u.Types.Scope().Names() {
		tn, ok := x.u.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		if i, _ := index.find(tn.Pos()); slices.Contains(files, i) {
			x.methodSet(tn, true)
		}
	}
	var foreign []*types.TypeName
	for tn := range x.mentioned {
		if p := x.g.Packages[pathOf(tn)]; p == nil || !p.Workspace {
			foreign = append(foreign, tn)
		}
	}
	slices.SortFunc(foreign, func(a, b *types.TypeName) int {
		return cmp.Or(strings.Compare(pathOf(a), pathOf(b)), strings.Compare(a.Name(), b.Name()))
	})
	for _, tn := range foreign {
		x.methodSet(tn, false)
	}
}

// pathOf is the path of an object's package, "" for the universe.
func pathOf(obj types.Object) string {
	if obj.Pkg() == nil {
		return ""
	}
	return obj.Pkg().Path()
}

// methodSet adds the full method set of a defined type, promoted methods included; unexported methods only when a type
// of the workspace can have to do with them.
func (x *extraction) methodSet(tn *types.TypeName, unexported bool) {
	if tn.IsAlias() {
		return
	}
	at := x.obj(tn)
	if at < 0 {
		return
	}
	if iface, ok := tn.Type().Underlying().(*types.Interface); ok {
		for m := range iface.Methods() {
			x.Methods = append(x.Methods, []any{at, ofInterface, x.canon.id(m), x.canon.text(m.Type()), -1, x.obj(m)})
		}
		return
	}
	values := types.NewMethodSet(tn.Type())
	all := types.NewMethodSet(types.NewPointer(tn.Type()))
	for i := range all.Len() {
		sel := all.At(i)
		m := sel.Obj().(*types.Func)
		if !unexported && !m.Exported() {
			continue
		}
		ptr := 0
		if values.Lookup(m.Pkg(), m.Name()) == nil {
			ptr = 1
		}
		via := -1
		if len(sel.Index()) > 1 {
			via = x.obj(stepField(tn, sel.Index()[0]))
		}
		x.Methods = append(x.Methods, []any{at, ptr, x.canon.id(m), x.canon.text(sel.Type()), via, x.obj(m)})
	}
}

// stepField is the embedded field that a promoted method comes through first.
func stepField(tn *types.TypeName, i int) *types.Var {
	return tn.Type().Underlying().(*types.Struct).Field(i)
}
