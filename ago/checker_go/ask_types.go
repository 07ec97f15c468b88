package main

import (
	"fmt"
	"go/ast"
	"go/types"
)

// This file answers what an expression is, what it calls, and which types a package has.

// typeAnswer describes the expression at a span.
type typeAnswer struct {
	Mode       string         `json:"mode"`
	Type       string         `json:"type"`
	Untyped    bool           `json:"untyped"`
	Const      *string        `json:"const,omitempty"`
	Comparable bool           `json:"comparable"`
	Zero       string         `json:"zero"`
	Results    []resultAnswer `json:"results"`
	Assignable []bool         `json:"assignable"`
	Named      *symbol        `json:"named,omitempty"`
	Underlying string         `json:"underlying"`
}

// resultAnswer describes one value of an expression, by its type alone.
type resultAnswer struct {
	Type       string `json:"type"`
	Zero       string `json:"zero"`
	Comparable bool   `json:"comparable"`
	Underlying string `json:"underlying"`
	Assignable []bool `json:"assignable,omitempty"`
}

func (a *asker) typeAt(q question) (any, error) {
	u, i, e, err := a.exprOf(q)
	if err != nil {
		return nil, err
	}
	answer := &typeAnswer{Results: []resultAnswer{}, Assignable: []bool{}}
	tv, ok := u.Info.Types[e]
	if !ok {
		id, _ := e.(*ast.Ident)
		if id == nil || u.Info.ObjectOf(id) == nil {
			return nil, fmt.Errorf("the expression has no type")
		}
		obj := u.Info.ObjectOf(id)
		if _, isPkg := obj.(*types.PkgName); isPkg {
			answer.Mode = "package"
			return answer, nil
		}
		tv.Type = obj.Type()
		if _, isType := obj.(*types.TypeName); isType {
			answer.Mode = "type"
		}
	}
	if answer.Mode == "" {
		answer.Mode = modeOf(tv)
	}
	if tv.Value != nil {
		text := tv.Value.ExactString()
		answer.Const = &text
	}
	if tv.Type == nil || answer.Mode == "builtin" || answer.Mode == "novalue" {
		return answer, nil
	}
	a.describe(answer, u, u.Files[i], tv.Type)
	for _, text := range q.AssignableTo {
		target, err := types.Eval(u.Fset, u.Types, e.Pos(), text)
		if err != nil || !target.IsType() {
			return nil, fmt.Errorf("%q is no type here", text)
		}
		answer.Assignable = append(answer.Assignable, types.AssignableTo(tv.Type, target.Type))
		for n, value := range valuesOf(tv.Type) {
			result := &answer.Results[n]
			result.Assignable = append(result.Assignable, types.AssignableTo(value, target.Type))
		}
	}
	return answer, nil
}

// valuesOf is the types of the values that an expression of type t has.
func valuesOf(t types.Type) []types.Type {
	tuple, ok := t.(*types.Tuple)
	if !ok {
		return []types.Type{t}
	}
	list := make([]types.Type, 0, tuple.Len())
	for v := range tuple.Variables() {
		list = append(list, v.Type())
	}
	return list
}

func modeOf(tv types.TypeAndValue) string {
	switch {
	case tv.IsVoid():
		return "novalue"
	case tv.IsType():
		return "type"
	case tv.IsBuiltin():
		return "builtin"
	case tv.IsNil():
		return "nil"
	case tv.Value != nil:
		return "const"
	}
	return "value"
}

// describe fills in what follows from the type alone.
func (a *asker) describe(answer *typeAnswer, u *Unit, f *ast.File, t types.Type) {
	in := fileQualifier(u, f)
	answer.Type = types.TypeString(t, in)
	for _, value := range valuesOf(t) {
		answer.Results = append(answer.Results, resultOf(value, in))
	}
	if _, ok := t.(*types.Tuple); ok {
		answer.Underlying = "tuple"
		return
	}
	answer.Zero = zeroOf(t, in)
	answer.Comparable = types.Comparable(t)
	if b, ok := t.Underlying().(*types.Basic); ok {
		answer.Untyped = b.Info()&types.IsUntyped != 0
	}
	answer.Underlying = underlyingWord(t)
	if named, ok := types.Unalias(t).(*types.Named); ok {
		if at := askNamer(u).address(named.Obj()); at.Sym != "" {
			answer.Named = &symbol{at.Pkg, at.Sym}
		}
	}
}

func resultOf(t types.Type, in types.Qualifier) resultAnswer {
	return resultAnswer{Type: types.TypeString(t, in), Zero: zeroOf(t, in), Comparable: types.Comparable(t),
		Underlying: underlyingWord(t)}
}

// zeroOf is an expression for the zero value of a type.
func zeroOf(t types.Type, in types.Qualifier) string {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return "*new(" + types.TypeString(p, in) + ")"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsBoolean != 0:
			return "false"
		case info&types.IsNumeric != 0:
			return "0"
		case info&types.IsString != 0:
			return `""`
		}
		return "nil"
	case *types.Struct, *types.Array:
		return types.TypeString(t, in) + "{}"
	}
	return "nil"
}

func underlyingWord(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return "typeparam"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Name()
	case *types.Struct:
		return "struct"
	case *types.Interface:
		return "interface"
	case *types.Pointer:
		return "pointer"
	case *types.Slice:
		return "slice"
	case *types.Array:
		return "array"
	case *types.Map:
		return "map"
	case *types.Chan:
		return "chan"
	case *types.Signature:
		return "func"
	}
	return ""
}

// objectAnswer is an object by its address, where it has one, and its key.
type objectAnswer struct {
	Pkg  string `json:"pkg,omitempty"`
	Sym  string `json:"sym,omitempty"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	Type string `json:"type"`
	Def  *place `json:"def,omitempty"`
	Key  string `json:"key"`
	// Embedded says that it is a field that is called after its type.
	Embedded bool `json:"embedded,omitempty"`
}

func (a *asker) describeObject(u *Unit, f *ast.File, obj types.Object) objectAnswer {
	obj = origin(obj)
	names := askNamer(u)
	at := names.address(obj)
	v, _ := obj.(*types.Var)
	return objectAnswer{Pkg: at.Pkg, Sym: at.Sym, Kind: kindOf(obj), Name: obj.Name(), Key: names.key(obj),
		Type: typeTextOf(obj, fileQualifier(u, f)), Def: a.placeOf(u.Fset, obj.Pos()), Embedded: v != nil && v.Embedded()}
}

func (a *asker) objectAt(q question) (any, error) {
	u, f, obj, err := a.objectIn(q)
	if err != nil {
		return nil, err
	}
	return a.describeObject(u, f, obj), nil
}

// objectIn finds what the identifier at a question's file and offset means, with the unit and the file it stands in.
func (a *asker) objectIn(q question) (*Unit, *ast.File, types.Object, error) {
	u, i, err := a.fileUnit(q.File)
	if err != nil {
		return nil, nil, nil, err
	}
	id, err := identAt(u, i, q.Offset)
	if err != nil {
		return nil, nil, nil, err
	}
	obj := objectOfIdent(u, id)
	if obj == nil {
		return nil, nil, nil, fmt.Errorf("%s resolves to nothing", id.Name)
	}
	return u, u.Files[i], obj, nil
}

// objectOfIdent is what an identifier refers to, else what it declares. A type-switch symbol declares a variable in each clause:
// then it is the first.
func objectOfIdent(u *Unit, id *ast.Ident) types.Object {
	if obj := u.Info.Uses[id]; obj != nil {
		return obj
	}
	if obj := u.Info.Defs[id]; obj != nil {
		return obj
	}
	var first types.Object
	for _, obj := range u.Info.Implicits {
		if obj.Pos() == id.Pos() && obj.Name() == id.Name && (first == nil || obj.Parent().Pos() < first.Parent().Pos()) {
			first = obj
		}
	}
	return first
}

func (a *asker) callTargets(q question) (any, error) {
	u, i, e, err := a.exprOf(q)
	if err != nil {
		return nil, err
	}
	targets := []objectAnswer{}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return nil, fmt.Errorf("the expression is no call")
	}
	if obj := calledObject(u.Info, call); obj != nil {
		targets = append(targets, a.describeObject(u, u.Files[i], obj))
	}
	args, w := []string{}, a.writerFor(q.File, u.Types.Path(), u.Types)
	if list := u.Info.Instances[calleeIdent(call)].TypeArgs; list != nil {
		for t := range list.Types() {
			args = append(args, w.text(t))
		}
	}
	return map[string]any{"targets": targets, "type_args": args, "imports": w.imports, "hidden": w.hidden}, nil
}

// calleeIdent is the identifier that names the function of a call, nil for a literal and the like.
func calleeIdent(call *ast.CallExpr) *ast.Ident {
	for e := call.Fun; ; {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			return x.Sel
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// typesOf is a package of the universe under the overlay; "" is the universe scope.
func (a *asker) typesOf(path string) (*types.Package, error) {
	if path == "" {
		return nil, nil
	}
	p := a.view.graph.Packages[path]
	if p == nil {
		return nil, fmt.Errorf("no package %s", path)
	}
	if p.Source {
		if _, err := a.view.ensure([]string{path}, true, nil); err != nil {
			return nil, err
		}
		if e := a.view.entry(path); e != nil {
			return e.types, nil
		}
		return nil, fmt.Errorf("package %s can't be checked", path)
	}
	if _, err := a.u.deps.Prepare(a.view.graph, []string{path}, nil); err != nil {
		return nil, err
	}
	return a.u.deps.Import(path)
}

func lookupType(p *types.Package, sym string) (types.Type, error) {
	scope := types.Universe
	if p != nil {
		scope = p.Scope()
	}
	tn, ok := scope.Lookup(sym).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("no type %s", sym)
	}
	return tn.Type(), nil
}
