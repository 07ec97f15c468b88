package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file makes the rows that tie types to interfaces: assertions, and conversions, written or implied.

// conversions adds the rows of one node.
func (w *useWalk) conversions(n ast.Node) {
	info := w.u.Info
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
	case *ast.CallExpr:
		w.callConversions(n)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN {
			to := make([]types.Type, len(n.Lhs))
			for i, e := range n.Lhs {
				to[i] = info.TypeOf(e)
			}
			w.convertAll(n.Rhs, to)
		}
	case *ast.ValueSpec:
		w.specConversions(n)
	case *ast.ReturnStmt:
		if sig := w.signature(); sig != nil {
			w.convertAll(n.Results, tupleTypes(sig.Results()))
		}
	case *ast.SendStmt:
		if t := info.TypeOf(n.Chan); t != nil {
			if ch, ok := t.Underlying().(*types.Chan); ok {
				w.convert(n.Value.Pos(), info.TypeOf(n.Value), ch.Elem())
			}
		}
	case *ast.CompositeLit:
		w.literalConversions(n)
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

func (w *useWalk) callConversions(call *ast.CallExpr) {
	tv, ok := w.u.Info.Types[call.Fun]
	switch {
	case !ok || tv.IsBuiltin():
	case tv.IsType():
		w.convertAll(call.Args, []types.Type{tv.Type})
	default:
		sig, ok := tv.Type.Underlying().(*types.Signature)
		if !ok {
			return
		}
		to := tupleTypes(sig.Params())
		if n := len(to) - 1; sig.Variadic() && !call.Ellipsis.IsValid() {
			if s, ok := to[n].Underlying().(*types.Slice); ok {
				for to = to[:n]; len(to) < max(len(call.Args), n); {
					to = append(to, s.Elem())
				}
			}
		}
		w.convertAll(call.Args, to)
	}
}

func (w *useWalk) specConversions(s *ast.ValueSpec) {
	if s.Type == nil {
		return
	}
	t := w.u.Info.TypeOf(s.Type)
	for _, v := range s.Values {
		w.convert(v.Pos(), w.u.Info.TypeOf(v), t)
	}
}

func (w *useWalk) literalConversions(lit *ast.CompositeLit) {
	info := w.u.Info
	if s := literalStruct(info, lit); s != nil {
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok && info.Uses[id] != nil {
					w.convert(kv.Value.Pos(), info.TypeOf(kv.Value), info.Uses[id].Type())
				}
			} else if i < s.NumFields() {
				w.convert(e.Pos(), info.TypeOf(e), s.Field(i).Type())
			}
		}
		return
	}
	key, elem := elementTypes(info.TypeOf(lit))
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			w.convert(kv.Key.Pos(), info.TypeOf(kv.Key), key)
			e = kv.Value
		}
		w.convert(e.Pos(), info.TypeOf(e), elem)
	}
}

// elementTypes are the key and element types of the literal of a map, slice or array.
func elementTypes(t types.Type) (key, elem types.Type) {
	if t == nil {
		return nil, nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := t.Underlying().(type) {
	case *types.Map:
		return t.Key(), t.Elem()
	case *types.Slice:
		return nil, t.Elem()
	case *types.Array:
		return nil, t.Elem()
	}
	return nil, nil
}

// signature is that of the innermost function around the node in work.
func (w *useWalk) signature() *types.Signature {
	for i := len(w.stack) - 1; i >= 0; i-- {
		switch f := w.stack[i].(type) {
		case *ast.FuncLit:
			sig, _ := w.u.Info.TypeOf(f).(*types.Signature)
			return sig
		case *ast.FuncDecl:
			if fn, ok := w.u.Info.Defs[f.Name].(*types.Func); ok {
				return fn.Signature()
			}
			return nil
		}
	}
	return nil
}

// convertAll converts expressions, or the results of one call, to the types that they are assigned to.
func (w *useWalk) convertAll(from []ast.Expr, to []types.Type) {
	if len(from) == 1 && len(to) > 1 {
		if t, ok := w.u.Info.TypeOf(from[0]).(*types.Tuple); ok {
			for i, r := range tupleTypes(t) {
				if i < len(to) {
					w.convert(from[0].Pos(), r, to[i])
				}
			}
		}
		return
	}
	for i, e := range from {
		if i < len(to) {
			w.convert(e.Pos(), w.u.Info.TypeOf(e), to[i])
		}
	}
}

func tupleTypes(t *types.Tuple) []types.Type {
	list := make([]types.Type, t.Len())
	for i := range list {
		list[i] = t.At(i).Type()
	}
	return list
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
