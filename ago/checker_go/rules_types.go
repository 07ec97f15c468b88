package main

import (
	"go/ast"
	"go/types"
)

// This file holds the two limits of the compiler on types that go/types does not know.

// sizes reports declared and written types that are larger than the address space.
func (r *rules) sizes() {
	arch := r.view.graph.Context.GOARCH
	limit := int64(1) << 50
	switch arch {
	case "386", "arm":
		limit = 1<<32 - 1
	case "mips", "mipsle":
		limit = 1<<31 - 1
	}
	sizes := types.SizesFor("gc", arch)
	if sizes == nil {
		return
	}
	for i, f := range r.unit.Files {
		if r.skips(i) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ArrayType:
				r.size(n, sizes, limit)
			case *ast.StructType:
				r.size(n, sizes, limit)
			}
			return true
		})
	}
}

func (r *rules) size(expr ast.Expr, sizes types.Sizes, limit int64) {
	t := r.unit.Info.TypeOf(expr)
	if t == nil || !isConcrete(t, map[types.Type]bool{}) {
		return
	}
	if n := sizes.Sizeof(t); n < 0 || n >= limit {
		r.add(expr.Pos(), expr.End(), "type_too_large", "type %s larger than address space", t)
	}
}

// isConcrete says that the size of a type is known: it holds no type parameter and nothing invalid by value.
func isConcrete(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.TypeParam:
		return false
	case *types.Alias:
		return isConcrete(types.Unalias(t), seen)
	case *types.Named:
		return isConcrete(t.Underlying(), seen)
	case *types.Array:
		return t.Len() >= 0 && isConcrete(t.Elem(), seen)
	case *types.Struct:
		for i := range t.NumFields() {
			if !isConcrete(t.Field(i).Type(), seen) {
				return false
			}
		}
	case *types.Basic:
		return t.Kind() != types.Invalid
	}
	return true
}

// interfaceCycles reports interfaces that contain themselves without a name between.
func (r *rules) interfaceCycles() {
	cyclic := anonymousCycles{}
	for i, f := range r.unit.Files {
		if r.skips(i) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			expr, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			t := r.unit.Info.TypeOf(expr)
			if t == nil {
				return true
			}
			if iface, ok := types.Unalias(t).(*types.Interface); ok && cyclic.has(iface) {
				r.add(expr.Pos(), expr.End(), "interface_cycle", "invalid recursive type: anonymous interface refers to itself")
			}
			return true
		})
	}
}

// anonymousCycles remembers which interfaces were looked at; true while or after a cycle was found through one.
type anonymousCycles map[*types.Interface]bool

func (c anonymousCycles) has(t *types.Interface) bool {
	for i := range t.NumMethods() {
		if c.visit(t.Method(i).Type()) {
			return true
		}
	}
	return false
}

func (c anonymousCycles) visit(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return c.visit(t.Elem())
	case *types.Array:
		return c.visit(t.Elem())
	case *types.Slice:
		return c.visit(t.Elem())
	case *types.Chan:
		return c.visit(t.Elem())
	case *types.Map:
		return c.visit(t.Key()) || c.visit(t.Elem())
	case *types.Signature:
		return c.visit(t.Params()) || c.visit(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			if c.visit(t.At(i).Type()) {
				return true
			}
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if c.visit(t.Field(i).Type()) {
				return true
			}
		}
	case *types.Interface:
		if open, seen := c[t]; seen {
			return open
		}
		c[t] = true
		if c.has(t) {
			return true
		}
		c[t] = false
	}
	return false
}
