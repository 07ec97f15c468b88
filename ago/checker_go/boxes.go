package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file tells where a nil value gets into an interface, which then is not nil: a pointer where the interface itself
// went before.

// boxedWords say what a nil value is, by the index of its site.
var boxedWords = [...]string{"nil", "an interface that is not nil"}

// converted adds a value that could be nil, in an interface or not.
func (w *siteWalk) converted(e ast.Expr, from, to types.Type) {
	if from == nil || to == nil || isTypeParam(from) || isTypeParam(to) {
		return
	}
	if _, several := w.info.TypeOf(e).(*types.Tuple); several {
		return // they stand at one place
	}
	boxed := 0
	if types.IsInterface(to) && !types.IsInterface(from) {
		boxed = 1
	}
	if !types.IsInterface(from) && (!canBeNil(from) || isFresh(e)) {
		return
	}
	w.emit(site{kind: siteBoxed, pos: e.Pos(), index: boxed})
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// canBeNil says that a type that is no interface has the value nil.
func canBeNil(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	}
	return false
}

// isFresh says that an expression makes its value, which is not nil.
func isFresh(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CompositeLit, *ast.FuncLit:
		return true
	}
	return false
}
