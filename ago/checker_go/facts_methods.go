package main

import (
	"cmp"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// This file makes method-set rows: by id and canonical signature it can be told in SQL which type satisfies which
// interface.
//
// Invariant: a type without a declaration is interned by its canonical text, so that identical ones are one; where its
// methods have addresses, as those of a parameter's interface, also by the object that these hang on.

// What a row says of its method beside whether it needs a pointer: that its type is an interface.
const ofInterface = 2

// methodSets adds the rows of the types that the files declare, of the dependency types that they mention, and of the
// types without a declaration that they write, or call methods of.
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
	for _, a := range slices.SortedFunc(maps.Keys(x.unnamed), compareAddresses) {
		x.methodsOf(x.intern(a), x.unnamed[a], true)
	}
}

func compareAddresses(a, b address) int {
	return cmp.Or(strings.Compare(a.Pkg, b.Pkg), strings.Compare(a.Sym, b.Sym))
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
	if at := x.obj(tn); at >= 0 {
		x.methodsOf(at, tn.Type(), unexported)
	}
}

func (x *extraction) methodsOf(at int, t types.Type, unexported bool) {
	if iface, ok := t.Underlying().(*types.Interface); ok {
		for m := range iface.Methods() {
			x.Methods = append(x.Methods, []any{at, ofInterface, x.canon.id(m), x.canon.text(m.Type()), -1, x.function(m)})
		}
		return
	}
	values := types.NewMethodSet(t)
	all := types.NewMethodSet(types.NewPointer(t))
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
			via = x.obj(t.Underlying().(*types.Struct).Field(sel.Index()[0])) // the embedded field that it comes through first
		}
		x.Methods = append(x.Methods, []any{at, ptr, x.canon.id(m), x.canon.text(sel.Type()), via, x.function(m)})
	}
}

// function is the number of a function or method, -1 for one that nothing can name. A method of an interface that has
// no name is called by that interface's text where it has no address.
func (x *extraction) function(fn *types.Func) int {
	at := x.obj(fn)
	if at >= 0 || !isAbstract(fn) {
		return at
	}
	fn = fn.Origin()
	return x.intern(address{Sym: x.ownerText(fn) + "." + fn.Name()})
}

// isAbstract says that an interface declares a method.
func isAbstract(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// ownerText is the text of the interface that declares a method.
func (x *extraction) ownerText(fn *types.Func) string {
	return x.text(fn.Signature().Recv().Type().Underlying())
}

// text is what a type without a declaration is called: its canonical text, with predeclared names as they are written.
func (x *extraction) text(t types.Type) string {
	return strings.ReplaceAll(x.canon.text(t), "universe@", "")
}

// called notes the interface whose method may be called, and gives its number: what the call may run is told by its
// method set.
func (x *extraction) called(fn *types.Func) int {
	fn = fn.Origin()
	iface := fn.Signature().Recv().Type()
	if named := namedOf(iface); named != nil && x.obj(named.Obj()) >= 0 {
		x.mention(named.Obj())
		return x.obj(named.Obj())
	}
	of := address{Sym: x.ownerText(fn)}
	if a := x.names.address(fn); a.Sym != "" {
		of = address{a.Pkg, strings.TrimSuffix(a.Sym, fn.Name()) + of.Sym}
	}
	x.unnamed[of] = iface.Underlying()
	return x.intern(of)
}

// promoted notes a struct without a declaration that has methods of what it embeds.
func (x *extraction) promoted(s *types.Struct) {
	for f := range s.Fields() {
		if f.Embedded() && types.NewMethodSet(types.NewPointer(s)).Len() > 0 {
			x.unnamed[address{Sym: x.text(s)}] = s
			return
		}
	}
}
