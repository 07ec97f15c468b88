package main

import (
	"go/ast"
	"go/token"
	"go/types"
	language "go/version"
)

// This file tells the loops whose variables it matters for whether each turn has its own: since Go 1.22 it has, by the
// version of the file, and what captured a variable of an older loop sees the last turn's value.

const ownVariables = "go1.22"

// loopWords say what a variable of a loop is, by the index of its site.
var loopWords = [...]string{"one for each turn", "one for all turns"}

// loop adds the captured variables of a loop that declares some.
func (w *siteWalk) loop(n ast.Node) {
	for _, id := range loopVariables(n) {
		v, ok := w.info.Defs[id].(*types.Var)
		if !ok || !w.isCaptured(v, n) {
			continue
		}
		turns := 0
		if language.Compare(w.version, ownVariables) < 0 && w.version != "" {
			turns = 1
		}
		w.emit(site{kind: siteLoop, pos: id.Pos(), obj: v, index: turns})
	}
}

// loopVariables are the identifiers that the head of a loop declares.
func loopVariables(n ast.Node) []*ast.Ident {
	var heads []ast.Expr
	switch n := n.(type) {
	case *ast.ForStmt:
		if init, ok := n.Init.(*ast.AssignStmt); ok && init.Tok == token.DEFINE {
			heads = init.Lhs
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			heads = []ast.Expr{n.Key, n.Value}
		}
	}
	var ids []*ast.Ident
	for _, e := range heads {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
			ids = append(ids, id)
		}
	}
	return ids
}

// isCaptured says that something may hold on to a variable of a loop: a function literal, or its address.
func (w *siteWalk) isCaptured(v *types.Var, loop ast.Node) bool {
	found := false
	is := func(e ast.Expr) bool {
		id, ok := rootOf(e).(*ast.Ident)
		return ok && w.info.Uses[id] == v
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, func(inner ast.Node) bool {
				id, ok := inner.(*ast.Ident)
				found = found || ok && w.info.Uses[id] == v
				return !found
			})
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.SliceExpr:
			_, array := w.info.TypeOf(n.X).Underlying().(*types.Array)
			found = found || array && is(n.X)
		case *ast.SelectorExpr:
			found = found || w.takesAddress(n) && is(n.X)
		}
		return !found
	})
	return found
}

// takesAddress says that a method of a pointer is selected from a variable, whose address it is called with.
func (w *siteWalk) takesAddress(e *ast.SelectorExpr) bool {
	s := w.info.Selections[e]
	if s == nil || s.Kind() != types.MethodVal || s.Indirect() {
		return false
	}
	_, pointer := types.Unalias(s.Obj().(*types.Func).Signature().Recv().Type()).(*types.Pointer)
	_, already := types.Unalias(s.Recv()).Underlying().(*types.Pointer)
	return pointer && !already
}

// rootOf is the variable that an expression selects or indexes a part of.
func rootOf(e ast.Expr) ast.Expr {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		default:
			return x
		}
	}
}
