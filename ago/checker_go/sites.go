package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// This file lists the places of a file whose meaning an edit elsewhere can change (gate.md 7), and says what each
// means. Vectors hash the meanings; comparisons match the places of base and candidate.

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
)

// changeKinds are the kinds on the wire.
var changeKinds = [...]string{"ident", "ident", "selection", "const", "instance", "type", "unkeyed", "unkeyed", "control"}

// site is one such place.
type site struct {
	kind  siteKind
	pos   token.Pos
	id    *ast.Ident   // the identifier, nil for elements, arguments and control flow
	obj   types.Object // def, use, const, inferred; the field of an element; the parameter of an argument
	sel   *types.Selection
	node  ast.Node // control: the construct that is its target; element and argument: the literal or call
	typ   types.Type
	index int // argument number
}

// siteWalk collects the sites of one file.
type siteWalk struct {
	info  *types.Info
	sites []site
	// control asks for the control-flow sites, which only a touched file can change.
	control bool
	stack   []ast.Node
}

// sitesOf lists the sites of a file in preorder.
func sitesOf(f *ast.File, info *types.Info, control bool) []site {
	w := &siteWalk{info: info, control: control, sites: make([]site, 0, 256)}
	for _, decl := range f.Decls {
		ast.Inspect(decl, w.visit)
	}
	return w.sites
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
			w.sites = append(w.sites, site{kind: siteSelection, pos: n.Sel.Pos(), id: n.Sel, obj: s.Obj(), sel: s})
		}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			w.inferred(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			w.inferred(n.Key, n.Value)
		}
	case *ast.ValueSpec:
		if n.Type == nil {
			for _, id := range n.Names {
				w.inferred(id)
			}
		}
	case *ast.CaseClause:
		if obj := w.info.Implicits[n]; obj != nil {
			w.sites = append(w.sites, site{kind: siteInferred, pos: n.Pos(), obj: obj, typ: obj.Type()})
		}
	case *ast.CompositeLit:
		w.elements(n)
	case *ast.CallExpr:
		w.args(n)
	}
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
		w.sites = append(w.sites, site{kind: siteDef, pos: id.Pos(), id: id, obj: obj})
		w.constant(id, obj)
	}
	obj := w.info.Uses[id]
	if obj == nil {
		return
	}
	if !w.isSelected(id) {
		w.sites = append(w.sites, site{kind: siteUse, pos: id.Pos(), id: id, obj: obj})
	}
	w.constant(id, obj)
	if inst, ok := w.info.Instances[id]; ok {
		args := make([]*types.Var, inst.TypeArgs.Len())
		for i := range args {
			args[i] = types.NewParam(token.NoPos, nil, "", inst.TypeArgs.At(i))
		}
		w.sites = append(w.sites, site{kind: siteInstance, pos: id.Pos(), id: id, typ: types.NewTuple(args...)})
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
		w.sites = append(w.sites, site{kind: siteConst, pos: id.Pos(), id: id, obj: obj})
	}
}

func (w *siteWalk) inferred(lhs ...ast.Expr) {
	for _, e := range lhs {
		id, _ := e.(*ast.Ident)
		if id == nil {
			continue
		}
		if v, ok := w.info.Defs[id].(*types.Var); ok {
			w.sites = append(w.sites, site{kind: siteInferred, pos: id.Pos(), id: id, obj: v, typ: v.Type()})
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
		w.sites = append(w.sites, site{kind: siteElement, pos: e.Pos(), obj: t.Field(i), node: lit})
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
			w.sites = append(w.sites, site{kind: siteArg, pos: arg.Pos(), obj: p, typ: p.Type(), index: i, node: call})
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
		w.sites = append(w.sites, site{kind: siteControl, pos: n.Pos(), node: target})
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

// meanings says what sites mean; at names a position of the unit.
type meanings struct {
	names *namer
	types *canon
	at    func(token.Pos, string) string
}

// newMeanings makes the meanings of a unit. at gets a position and the name of what is there.
func newMeanings(u *Unit, inverse renameMap, at func(token.Pos, string) string) *meanings {
	names := newNamer(u.Types, inverse)
	clauses := map[types.Object]ast.Node{}
	for n, obj := range u.Info.Implicits {
		if clause, ok := n.(*ast.CaseClause); ok {
			clauses[obj] = clause
		}
	}
	names.local = func(obj types.Object) string {
		key := "local@" + at(obj.Pos(), obj.Name())
		if clause := clauses[obj]; clause != nil {
			key += "/" + at(clause.Pos(), "case")
		}
		return key
	}
	return &meanings{names, newCanon(names), at}
}

// of is the meaning of a site as text, equal for equal meanings.
func (m *meanings) of(s *site) string {
	switch s.kind {
	case siteDef, siteUse, siteElement:
		return m.names.key(s.obj)
	case siteSelection:
		return m.selection(s.sel)
	case siteConst:
		return s.obj.(*types.Const).Val().ExactString()
	case siteInstance, siteInferred, siteArg:
		return m.types.text(s.typ)
	case siteControl:
		return nodeWord(s.node) + "@" + m.at(s.node.Pos(), nodeWord(s.node))
	}
	return ""
}

// selection is the key of the selected member behind the embedded fields that lead to it.
func (m *meanings) selection(s *types.Selection) string {
	key := m.names.key(s.Obj())
	if len(s.Index()) == 1 {
		return key
	}
	var b strings.Builder
	for _, f := range implicitFields(s) {
		b.WriteString(m.names.key(f))
		b.WriteByte('>')
	}
	b.WriteString(key)
	return b.String()
}

// implicitFields are the embedded fields that a selection goes through without writing them.
func implicitFields(s *types.Selection) []*types.Var {
	index := s.Index()
	fields := make([]*types.Var, 0, len(index)-1)
	t := s.Recv()
	for _, i := range index[:len(index)-1] {
		t = types.Unalias(t)
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			break
		}
		f := st.Field(i)
		fields = append(fields, f)
		t = f.Type()
	}
	return fields
}

// nodeWord is the keyword that a construct starts with.
func nodeWord(n ast.Node) string {
	switch n.(type) {
	case *ast.ForStmt, *ast.RangeStmt:
		return "for"
	case *ast.SwitchStmt, *ast.TypeSwitchStmt:
		return "switch"
	case *ast.SelectStmt:
		return "select"
	case *ast.CaseClause:
		return "case"
	}
	return "func"
}

// importSet maps the import paths of a file to the names that it uses them by.
func importSet(f *ast.File, info *types.Info) map[string]string {
	set := make(map[string]string, len(f.Imports))
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if old, twice := set[path]; twice {
			set[path] = old + "," + importName(spec, info)
		} else {
			set[path] = importName(spec, info)
		}
	}
	return set
}

// importName is the name that an import declares: as written (with . and _), else the name of the package.
func importName(spec *ast.ImportSpec, info *types.Info) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if obj, ok := info.Implicits[spec].(*types.PkgName); ok {
		return obj.Name()
	}
	return ""
}
