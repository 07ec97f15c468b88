package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file makes reference rows: which object an identifier refers to, in which role, and in which declaration.

// useWalk visits one declaration.
type useWalk struct {
	*extraction
	stack []ast.Node
	encl  int // object of the declaration, -1
	init  int // 1 in a package initialiser
}

// declUses adds the references in a declaration. An initialiser of a variable and an init function are attributed to
// the initialisation of the package.
func (x *extraction) declUses(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		w := &useWalk{extraction: x, encl: x.definition(d.Name)}
		if d.Recv == nil && d.Name.Name == "init" {
			w.init = 1
		}
		ast.Inspect(d, w.visit)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				w := &useWalk{extraction: x, encl: x.definition(s.Name)}
				ast.Inspect(s, w.visit)
			case *ast.ValueSpec:
				x.valueUses(d, s)
			}
		}
	}
}

func (x *extraction) valueUses(d *ast.GenDecl, s *ast.ValueSpec) {
	w := &useWalk{extraction: x, encl: x.definition(s.Names[0])}
	w.stack = append(w.stack, s)
	for _, name := range s.Names {
		ast.Inspect(name, w.visit)
	}
	if s.Type != nil {
		ast.Inspect(s.Type, w.visit)
		w.conversions(s)
	}
	if d.Tok == token.VAR {
		w.init = 1
	}
	for i, v := range s.Values {
		if len(s.Names) == len(s.Values) {
			w.encl = x.definition(s.Names[i])
		}
		ast.Inspect(v, w.visit)
	}
}

func (x *extraction) definition(id *ast.Ident) int {
	if obj := x.u.Info.Defs[id]; obj != nil {
		return x.obj(obj)
	}
	return -1
}

func (w *useWalk) visit(n ast.Node) bool {
	if n == nil {
		w.stack = w.stack[:len(w.stack)-1]
		return true
	}
	switch n := n.(type) {
	case *ast.Ident:
		w.ident(n)
	case *ast.SelectorExpr:
		if s := w.u.Info.Selections[n]; s != nil && len(s.Index()) > 1 {
			for _, f := range implicitFields(s) {
				w.implicit(f, n.Sel.Pos(), "promotion")
			}
		}
	case *ast.CompositeLit:
		w.unkeyed(n)
	case *ast.InterfaceType:
		if i, ok := w.u.Info.TypeOf(n).(*types.Interface); ok && !w.isDeclared() {
			for m := range i.ExplicitMethods() {
				w.called(m)
			}
		}
	case *ast.StructType:
		if s, ok := w.u.Info.TypeOf(n).(*types.Struct); ok && !w.isDeclared() {
			w.promoted(s)
		}
	case *ast.GoStmt:
		w.effect("go", n.Go)
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && w.u.Info.Uses[id] == universePanic {
			w.effect("panic", id.Pos())
		}
	}
	w.conversions(n)
	w.stack = append(w.stack, n)
	return true
}

// isDeclared says that the node in work is the type that a package-level declaration names.
func (w *useWalk) isDeclared() bool {
	if len(w.stack) != 1 {
		return false
	}
	s, ok := w.stack[0].(*ast.TypeSpec)
	return ok && !s.Assign.IsValid()
}

func (w *useWalk) ident(id *ast.Ident) {
	if obj := w.u.Info.Defs[id]; obj != nil {
		at := w.obj(obj)
		if fn, ok := obj.(*types.Func); ok {
			at = w.function(fn)
		}
		if at >= 0 {
			w.use(at, id.Pos(), len(id.Name), "def", w.encl, w.init)
		}
	}
	obj := w.u.Info.Uses[id]
	at := w.used(obj)
	if at < 0 {
		return
	}
	w.use(at, id.Pos(), len(id.Name), w.role(id, obj), w.encl, w.init)
	if instance, ok := w.u.Info.Instances[id]; ok {
		w.implicit(obj, id.Pos(), "instance")
		w.constraints(id.Pos(), obj, instance.TypeArgs)
	}
	if tn, ok := obj.(*types.TypeName); ok {
		w.mention(tn)
	}
}

// used is the number of an object that an identifier refers to, -1 for what has no references: locals, packages, names
// of the universe but for the method of error.
func (w *useWalk) used(obj types.Object) int {
	switch obj := obj.(type) {
	case nil, *types.PkgName:
		return -1
	case *types.Func:
		if isAbstract(obj) {
			w.called(obj)
		}
		return w.function(obj)
	}
	if obj.Pkg() == nil {
		return -1
	}
	if at := w.obj(obj); at >= 0 {
		return at
	}
	return w.embeddedType(obj)
}

// mention notes a type of another package whose method set the facts need.
func (x *extraction) mention(tn *types.TypeName) {
	if tn.Pkg() != x.u.Types {
		x.mentioned[tn] = true
	}
}

var universePanic = types.Universe.Lookup("panic")

// effect adds a statement that has no object to refer to: one that starts a goroutine or panics.
func (w *useWalk) effect(form string, pos token.Pos) {
	off := int(pos - w.start)
	line, col := w.lineCol(off)
	w.Effects = append(w.Effects, []any{w.encl, w.init, w.file, off, line, col, form})
}

// embeddedType is the type that an embedded field of a function's own struct is called after: where the field has no
// address, its name is one more reference to the type. -1 for anything else.
func (w *useWalk) embeddedType(obj types.Object) int {
	v, ok := origin(obj).(*types.Var)
	if !ok || !v.Embedded() {
		return -1
	}
	if tn := typeNameOf(v.Type()); tn != nil && tn.Pkg() != nil {
		return w.obj(tn)
	}
	return -1
}

// implicit adds a reference that has no letters of its own.
func (w *useWalk) implicit(obj types.Object, pos token.Pos, role string) {
	if at := w.obj(obj); at >= 0 {
		w.use(at, pos, 0, role, w.encl, w.init)
	}
}

// unkeyed adds the type and the fields that an unkeyed struct literal depends on.
func (w *useWalk) unkeyed(lit *ast.CompositeLit) {
	s := literalStruct(w.u.Info, lit)
	if s == nil || len(lit.Elts) == 0 || len(lit.Elts) > s.NumFields() {
		return
	}
	if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); keyed {
		return
	}
	if named := namedOf(w.u.Info.TypeOf(lit)); named != nil && named.Obj().Pkg() != nil {
		w.implicit(named.Obj(), lit.Lbrace, "unkeyed")
	}
	for i, e := range lit.Elts {
		w.implicit(s.Field(i), e.Pos(), "unkeyed")
	}
}

// role says how an identifier is used, by the expression around it.
func (w *useWalk) role(id *ast.Ident, obj types.Object) string {
	e, i := w.operand(id)
	var parent ast.Node
	if i >= 0 {
		parent = w.stack[i]
	}
	switch obj := obj.(type) {
	case *types.TypeName:
		return w.typeRole(e, i)
	case *types.Func:
		return w.funcRole(e, i, obj)
	case *types.Var:
		return varRole(e, parent, obj)
	}
	return "read"
}

// operand widens id to the whole operand: p.id, (id), id[T]. It returns the index of its parent in the stack.
func (w *useWalk) operand(id *ast.Ident) (ast.Node, int) {
	var e ast.Node = id
	i := len(w.stack) - 1
	_, generic := w.u.Info.Instances[id]
	for ; i >= 0; i-- {
		switch p := w.stack[i].(type) {
		case *ast.SelectorExpr:
			if p.Sel != e {
				return e, i
			}
		case *ast.IndexExpr:
			if p.X != e || !generic {
				return e, i
			}
		case *ast.IndexListExpr:
			if p.X != e {
				return e, i
			}
		case *ast.ParenExpr:
		default:
			return e, i
		}
		e = w.stack[i]
	}
	return e, i
}

func (w *useWalk) typeRole(e ast.Node, i int) string {
	for ; i >= 0; i-- {
		switch p := w.stack[i].(type) {
		case *ast.StarExpr, *ast.ParenExpr:
			e = p
			continue
		case *ast.Field:
			if len(p.Names) == 0 && i >= 2 && p.Type == e {
				switch w.stack[i-2].(type) {
				case *ast.StructType, *ast.InterfaceType:
					return "embed"
				}
			}
		case *ast.CallExpr:
			if p.Fun == e {
				return "conversion"
			}
		}
		break
	}
	return "type"
}

func (w *useWalk) funcRole(e ast.Node, i int, fn *types.Func) string {
	if i >= 0 {
		if call, ok := w.stack[i].(*ast.CallExpr); ok && call.Fun == e {
			if i > 0 {
				switch w.stack[i-1].(type) {
				case *ast.GoStmt:
					return "go"
				case *ast.DeferStmt:
					return "defer"
				}
			}
			return "call"
		}
	}
	if fn.Signature().Recv() != nil {
		return "method_value"
	}
	return "value"
}

func varRole(e, parent ast.Node, v *types.Var) string {
	switch p := parent.(type) {
	case *ast.KeyValueExpr:
		if p.Key == e && v.IsField() {
			return "key"
		}
	case *ast.AssignStmt:
		for _, l := range p.Lhs {
			if l == e {
				return "write"
			}
		}
	case *ast.IncDecStmt:
		return "write"
	case *ast.RangeStmt:
		if p.Key == e || p.Value == e {
			return "write"
		}
	case *ast.UnaryExpr:
		if p.Op == token.AND {
			return "address"
		}
	case *ast.CallExpr:
		if p.Fun == e {
			return "call"
		}
	}
	return "read"
}
