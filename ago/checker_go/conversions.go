package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file finds where values are assigned, passed, returned, sent or put into literals, and so converted, by writing or
// by implication.

// conversions finds those of one node, in the function that the nodes around it tell.
type conversions struct {
	info  *types.Info
	stack []ast.Node
	found func(e ast.Expr, from, to types.Type)
}

func (c conversions) of(n ast.Node) {
	switch n := n.(type) {
	case *ast.CallExpr:
		c.call(n)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN {
			to := make([]types.Type, len(n.Lhs))
			for i, e := range n.Lhs {
				to[i] = c.info.TypeOf(e)
			}
			c.all(n.Rhs, to)
		}
	case *ast.ValueSpec:
		c.spec(n)
	case *ast.ReturnStmt:
		if sig := c.signature(); sig != nil {
			c.all(n.Results, tupleTypes(sig.Results()))
		}
	case *ast.SendStmt:
		if t := c.info.TypeOf(n.Chan); t != nil {
			if ch, ok := t.Underlying().(*types.Chan); ok {
				c.found(n.Value, c.info.TypeOf(n.Value), ch.Elem())
			}
		}
	case *ast.CompositeLit:
		c.literal(n)
	}
}

func (c conversions) call(call *ast.CallExpr) {
	tv, ok := c.info.Types[call.Fun]
	switch {
	case !ok || tv.IsBuiltin():
	case tv.IsType():
		c.all(call.Args, []types.Type{tv.Type})
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
		c.all(call.Args, to)
	}
}

func (c conversions) spec(s *ast.ValueSpec) {
	if s.Type == nil {
		return
	}
	t := c.info.TypeOf(s.Type)
	for _, v := range s.Values {
		c.found(v, c.info.TypeOf(v), t)
	}
}

func (c conversions) literal(lit *ast.CompositeLit) {
	info := c.info
	if s := literalStruct(info, lit); s != nil {
		for i, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok && info.Uses[id] != nil {
					c.found(kv.Value, info.TypeOf(kv.Value), info.Uses[id].Type())
				}
			} else if i < s.NumFields() {
				c.found(e, info.TypeOf(e), s.Field(i).Type())
			}
		}
		return
	}
	key, elem := elementTypes(info.TypeOf(lit))
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			c.found(kv.Key, info.TypeOf(kv.Key), key)
			e = kv.Value
		}
		c.found(e, info.TypeOf(e), elem)
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
func (c conversions) signature() *types.Signature {
	for i := len(c.stack) - 1; i >= 0; i-- {
		switch f := c.stack[i].(type) {
		case *ast.FuncLit:
			sig, _ := c.info.TypeOf(f).(*types.Signature)
			return sig
		case *ast.FuncDecl:
			if fn, ok := c.info.Defs[f.Name].(*types.Func); ok {
				return fn.Signature()
			}
			return nil
		}
	}
	return nil
}

// all converts expressions, or the results of one call, to the types that they are assigned to.
func (c conversions) all(from []ast.Expr, to []types.Type) {
	if len(from) == 1 && len(to) > 1 {
		if t, ok := c.info.TypeOf(from[0]).(*types.Tuple); ok {
			for i, r := range tupleTypes(t) {
				if i < len(to) {
					c.found(from[0], r, to[i])
				}
			}
		}
		return
	}
	for i, e := range from {
		if i < len(to) {
			c.found(e, c.info.TypeOf(e), to[i])
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
