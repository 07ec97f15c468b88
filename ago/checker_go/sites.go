package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file finds the places of a file whose meaning an edit elsewhere can change. Vectors hash what they mean;
// comparisons match the places of base and candidate.

// siteKind says which of its meanings a place is about.
type siteKind uint8

const (
	siteDef       siteKind = iota // an identifier that declares
	siteUse                       // an identifier that refers
	siteSelection                 // a selected field or method, with the implicit steps that lead to it
	siteConst                     // the value of a constant
	siteInstance                  // type arguments
	siteInferred                  // the type of a variable whose declaration writes none
	siteElement                   // an element of an unkeyed struct literal
	siteArg                       // a positional argument
	siteControl                   // break, continue, fallthrough, return, defer
	siteLoop                      // a captured variable of a loop
	siteBoxed                     // a value that could be nil where an interface is wanted or not
)

// changeKinds are the kinds on the wire.
var changeKinds = [...]string{"ident", "ident", "selection", "const", "instance", "type", "unkeyed", "unkeyed", "control", "loop", "boxed"}

// site is one such place.
type site struct {
	kind  siteKind
	pos   token.Pos
	id    *ast.Ident   // the identifier, nil for elements, arguments and control flow
	obj   types.Object // def, use, const, inferred; the field of an element; the parameter of an argument; the variable of a loop
	sel   *types.Selection
	node  ast.Node // control: the construct that is its target; element and argument: the literal or call
	typ   types.Type
	index int // argument number; 1 when the turns of a loop share the variable, when a value is put in an interface
}

// siteWalk finds the sites of one file.
type siteWalk struct {
	info *types.Info
	emit func(site)
	// control asks for the control-flow sites, which only a touched file can change.
	control bool
	version string // of the language, "" for the newest
	stack   []ast.Node
}

// eachSite calls emit with the sites of a file in preorder.
func eachSite(f *ast.File, info *types.Info, control bool, emit func(site)) {
	w := &siteWalk{info: info, control: control, version: info.FileVersions[f], emit: emit}
	for _, decl := range f.Decls {
		ast.Inspect(decl, w.visit)
	}
}

// sitesOf lists the sites of a file in preorder.
func sitesOf(f *ast.File, info *types.Info, control bool) []site {
	var sites []site
	eachSite(f, info, control, func(s site) { sites = append(sites, s) })
	return sites
}

func (w *siteWalk) visit(n ast.Node) bool {
	if n == nil {
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	switch n := n.(type) {
	case *ast.Ident:
		w.ident(n)
	case *ast.SelectorExpr:
		if s := w.info.Selections[n]; s != nil {
			w.emit(site{kind: siteSelection, pos: n.Sel.Pos(), id: n.Sel, obj: s.Obj(), sel: s})
		}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			w.inferred(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			w.inferred(n.Key, n.Value)
		}
		w.loop(n)
	case *ast.ForStmt:
		w.loop(n)
	case *ast.ValueSpec:
		if n.Type == nil {
			for _, id := range n.Names {
				w.inferred(id)
			}
		}
	case *ast.CaseClause:
		if obj := w.info.Implicits[n]; obj != nil {
			w.emit(site{kind: siteInferred, pos: n.Pos(), obj: obj, typ: obj.Type()})
		}
	case *ast.CompositeLit:
		w.elements(n)
	case *ast.CallExpr:
		w.args(n)
	}
	conversions{w.info, w.stack, w.converted}.of(n)
	if w.control {
		w.flow(n)
	}
	w.stack = append(w.stack, n)
	return true
}

// ident adds what an identifier declares and what it refers to: an embedded field and a receiver's type parameter do
// both; `_`, a type-switch symbol and a package clause neither.
func (w *siteWalk) ident(id *ast.Ident) {
	if obj := w.info.Defs[id]; obj != nil {
		w.emit(site{kind: siteDef, pos: id.Pos(), id: id, obj: obj})
		w.constant(id, obj)
	}
	obj := w.info.Uses[id]
	if obj == nil {
		return
	}
	if !w.isSelected(id) {
		w.emit(site{kind: siteUse, pos: id.Pos(), id: id, obj: obj})
	}
	w.constant(id, obj)
	if inst, ok := w.info.Instances[id]; ok {
		args := make([]*types.Var, inst.TypeArgs.Len())
		for i := range args {
			args[i] = types.NewParam(token.NoPos, nil, "", inst.TypeArgs.At(i))
		}
		w.emit(site{kind: siteInstance, pos: id.Pos(), id: id, typ: types.NewTuple(args...)})
	}
}

// isSelected says that id is the field or method of a selection, which has a site of its own.
func (w *siteWalk) isSelected(id *ast.Ident) bool {
	if len(w.stack) == 0 {
		return false
	}
	sel, ok := w.stack[len(w.stack)-1].(*ast.SelectorExpr)
	return ok && sel.Sel == id && w.info.Selections[sel] != nil
}

func (w *siteWalk) constant(id *ast.Ident, obj types.Object) {
	if c, ok := obj.(*types.Const); ok && c.Pkg() != nil {
		w.emit(site{kind: siteConst, pos: id.Pos(), id: id, obj: obj})
	}
}

func (w *siteWalk) inferred(lhs ...ast.Expr) {
	for _, e := range lhs {
		id, _ := e.(*ast.Ident)
		if id == nil {
			continue
		}
		if v, ok := w.info.Defs[id].(*types.Var); ok {
			w.emit(site{kind: siteInferred, pos: id.Pos(), id: id, obj: v, typ: v.Type()})
		}
	}
}

// elements adds the fields that the elements of an unkeyed struct literal set.
func (w *siteWalk) elements(lit *ast.CompositeLit) {
	t := literalStruct(w.info, lit)
	if t == nil || len(lit.Elts) > t.NumFields() {
		return
	}
	for i, e := range lit.Elts {
		if _, keyed := e.(*ast.KeyValueExpr); keyed {
			return
		}
		w.emit(site{kind: siteElement, pos: e.Pos(), obj: t.Field(i), node: lit})
	}
}

// literalStruct is the struct type of a composite literal, also of one whose type is elided to &T.
func literalStruct(info *types.Info, lit *ast.CompositeLit) *types.Struct {
	t := info.TypeOf(lit)
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, _ := t.Underlying().(*types.Struct)
	return s
}

// args adds the parameters that the arguments of a call are bound to.
func (w *siteWalk) args(call *ast.CallExpr) {
	sig := calledSignature(w.info, call)
	if sig == nil {
		return
	}
	for i, arg := range call.Args {
		if p := paramOf(sig, i); p != nil {
			w.emit(site{kind: siteArg, pos: arg.Pos(), obj: p, typ: p.Type(), index: i, node: call})
		}
	}
}

// calledSignature is the signature that a call binds its arguments to, of a generic function the declared one; nil for
// conversions and builtins.
func calledSignature(info *types.Info, call *ast.CallExpr) *types.Signature {
	tv, ok := info.Types[call.Fun]
	if !ok || tv.IsType() || tv.IsBuiltin() {
		return nil
	}
	sig, _ := tv.Type.Underlying().(*types.Signature)
	fun := ast.Unparen(call.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok && info.Selections[sel] != nil && info.Selections[sel].Kind() == types.MethodExpr {
		return sig
	}
	if fn, ok := calledObject(info, call).(*types.Func); ok {
		return fn.Origin().Signature()
	}
	return sig
}

// calledObject is the function, method or variable that a call names; nil when its operand is another expression.
func calledObject(info *types.Info, call *ast.CallExpr) types.Object {
	fun := ast.Unparen(call.Fun)
	switch e := fun.(type) {
	case *ast.IndexExpr:
		fun = ast.Unparen(e.X)
	case *ast.IndexListExpr:
		fun = ast.Unparen(e.X)
	}
	switch e := fun.(type) {
	case *ast.Ident:
		return info.Uses[e]
	case *ast.SelectorExpr:
		return info.Uses[e.Sel]
	}
	return nil
}

// paramOf is the parameter that the i-th argument goes to.
func paramOf(sig *types.Signature, i int) *types.Var {
	n := sig.Params().Len()
	if sig.Variadic() && i >= n-1 {
		i = n - 1
	}
	if i >= n {
		return nil
	}
	return sig.Params().At(i)
}

// flow adds the target of a statement that leaves or is bound to an enclosing construct.
func (w *siteWalk) flow(n ast.Node) {
	var target ast.Node
	switch n := n.(type) {
	case *ast.BranchStmt:
		if n.Label != nil {
			return // its label is an identifier
		}
		target = w.branchTarget(n.Tok)
	case *ast.ReturnStmt, *ast.DeferStmt:
		target = w.enclosing(isFunc)
	}
	if target != nil {
		w.emit(site{kind: siteControl, pos: n.Pos(), node: target})
	}
}

func (w *siteWalk) branchTarget(tok token.Token) ast.Node {
	switch tok {
	case token.BREAK:
		return w.enclosing(func(n ast.Node) bool {
			switch n.(type) {
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				return true
			}
			return isLoop(n) || isFunc(n)
		})
	case token.CONTINUE:
		return w.enclosing(func(n ast.Node) bool { return isLoop(n) || isFunc(n) })
	case token.FALLTHROUGH:
		return w.nextClause()
	}
	return nil
}

// nextClause is the clause that a fallthrough goes on in.
func (w *siteWalk) nextClause() ast.Node {
	for i := len(w.stack) - 1; i > 0; i-- {
		clause, ok := w.stack[i].(*ast.CaseClause)
		if !ok {
			continue
		}
		body := w.stack[i-1].(*ast.BlockStmt)
		for j, s := range body.List {
			if s == clause && j+1 < len(body.List) {
				return body.List[j+1]
			}
		}
		return nil
	}
	return nil
}

func (w *siteWalk) enclosing(match func(ast.Node) bool) ast.Node {
	for i := len(w.stack) - 1; i >= 0; i-- {
		if match(w.stack[i]) {
			return w.stack[i]
		}
	}
	return nil
}

func isLoop(n ast.Node) bool {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	}
	return false
}

func isFunc(n ast.Node) bool {
	switch n.(type) {
	case *ast.FuncDecl, *ast.FuncLit:
		return true
	}
	return false
}
