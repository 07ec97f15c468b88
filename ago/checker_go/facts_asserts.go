package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file makes the rows that tie types to interfaces: assertions and conversions.

// conversions adds the rows of one node.
func (w *useWalk) conversions(n ast.Node) {
	switch n := n.(type) {
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			w.assertion(n.X, n.Type)
		}
	case *ast.TypeSwitchStmt:
		x := switchOperand(n)
		for _, s := range n.Body.List {
			for _, e := range s.(*ast.CaseClause).List {
				w.assertion(x, e)
			}
		}
	default:
		conversions{w.u.Info, w.stack, func(e ast.Expr, from, to types.Type) { w.convert(e.Pos(), from, to) }}.of(n)
	}
}

// switchOperand is the x of switch v := x.(type).
func switchOperand(s *ast.TypeSwitchStmt) ast.Expr {
	var e ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		e = a.X
	case *ast.AssignStmt:
		e = a.Rhs[0]
	}
	if t, ok := ast.Unparen(e).(*ast.TypeAssertExpr); ok {
		return t.X
	}
	return e
}

// assertion adds x.(T): the interface is T when T is one, else that of x.
func (w *useWalk) assertion(x, typ ast.Expr) {
	from, to := w.u.Info.TypeOf(x), w.u.Info.TypeOf(typ)
	if from == nil || to == nil {
		return
	}
	if types.IsInterface(to) {
		w.tie(typ.Pos(), from, to, "assert")
	} else {
		w.tie(typ.Pos(), to, from, "assert")
	}
}

// convert adds the conversion of a value to an interface.
func (w *useWalk) convert(pos token.Pos, from, to types.Type) {
	if from == nil || to == nil || from == to || !types.IsInterface(to) {
		return
	}
	switch types.Unalias(to).(type) {
	case *types.Named, *types.Interface:
		w.tie(pos, from, to, "convert")
	}
}

// tie adds a row for a type and an interface with methods; a conversion once a file and pair.
func (w *useWalk) tie(pos token.Pos, typ, iface types.Type, how string) {
	to := w.interfaceOf(iface)
	if to < 0 {
		return
	}
	at := w.interfaceOf(typ)
	if t := namedOf(typ); at < 0 && t != nil {
		at = w.obj(t.Obj())
	}
	if at == to || at < 0 && how == "convert" {
		return
	}
	if pair := [2]int{at, to}; how == "convert" {
		if w.converted[pair] {
			return
		}
		w.converted[pair] = true
	}
	for _, t := range []types.Type{iface, typ} {
		if named := namedOf(t); named != nil {
			w.mention(named.Obj())
		}
	}
	w.Asserts = append(w.Asserts, []any{at, to, w.file, int(pos - w.start), how})
}

// interfaceOf is the number of an interface with methods, with a name or without one; -1 for other types, and where
// nothing but embedded interfaces tells of the methods.
func (w *useWalk) interfaceOf(t types.Type) int {
	i, ok := t.Underlying().(*types.Interface)
	if _, open := types.Unalias(t).(*types.TypeParam); !ok || open || i.NumMethods() == 0 {
		return -1
	}
	if named := namedOf(t); named != nil {
		return w.obj(named.Obj())
	}
	if i.NumExplicitMethods() == 0 {
		return -1
	}
	return w.called(i.ExplicitMethod(0))
}

// constraints adds the rows of an instantiation: type arguments are what the constraints ask for.
func (w *useWalk) constraints(pos token.Pos, obj types.Object, args *types.TypeList) {
	generic, ok := obj.Type().(interface{ TypeParams() *types.TypeParamList })
	if !ok {
		return
	}
	params := generic.TypeParams()
	for i := range min(params.Len(), args.Len()) {
		w.convert(pos, args.At(i), params.At(i).Constraint())
	}
}
