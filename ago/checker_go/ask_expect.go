package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file answers what a place expects: the values of a call's or a return's list, and the members that a value has.

// expectAnswer is a list of values that does not fit: what stands there, and what is wanted. Start and End are the
// range between the parentheses of a call, or of the results behind `return`.
type expectAnswer struct {
	What     string        `json:"what"` // call, return
	Of       string        `json:"of"`   // the called function as it is written
	Sig      string        `json:"signature"`
	Start    int           `json:"start"`
	End      int           `json:"end"`
	Variadic bool          `json:"variadic"`
	Wanted   []wantedValue `json:"wanted"`
	Given    []givenValue  `json:"given"`
}

// wantedValue is a parameter or result; Scope lists the variables in sight that may stand for it, the nearest last.
type wantedValue struct {
	Name  string   `json:"name"`
	Type  string   `json:"type"`
	Zero  string   `json:"zero"`
	Scope []string `json:"scope"`
}

// givenValue is an expression of the list; Fits says for each wanted value whether it could be that.
type givenValue struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Type  string `json:"type"`
	Fits  []bool `json:"fits"`
}

// expects finds the innermost call or return around an offset whose values are too few, too many or of other types.
func (a *asker) expects(q question) (any, error) {
	u, i, pos, err := a.offsetOf(q)
	if err != nil {
		return nil, err
	}
	var found *expectAnswer
	var around []types.Type
	ast.Inspect(u.Files[i], func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || n.End() <= pos {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			if fn := u.Info.Defs[n.Name]; fn != nil {
				around = append(around, fn.Type())
			}
		case *ast.FuncLit:
			around = append(around, typeOf(u, n))
		case *ast.CallExpr:
			if sig, ok := typeOf(u, n.Fun).(*types.Signature); ok {
				found = mismatch(found, a.expected(u, i, "call", sig.Params(), sig.Variadic(), n.Args, n.Lparen+1, n.Rparen))
				if found != nil && found.Of == "" && found.What == "call" {
					found.Of = types.ExprString(n.Fun)
					found.Sig = strings.TrimPrefix(types.TypeString(sig, fileQualifier(u, u.Files[i])), "func")
				}
			}
		case *ast.ReturnStmt:
			if len(around) == 0 {
				break
			}
			if sig, ok := around[len(around)-1].(*types.Signature); ok {
				found = mismatch(found, a.expected(u, i, "return", sig.Results(), false, n.Results, n.Return+6, n.End()))
			}
		}
		return true
	})
	if found == nil {
		return nil, fmt.Errorf("no list of values at %d of %s has to be another", q.Offset, q.File)
	}
	return found, nil
}

// mismatch is next where its values do not fit, else the one around it.
func mismatch(outer, next *expectAnswer) *expectAnswer {
	few := len(next.Given) < len(next.Wanted)
	if next.Variadic {
		few = len(next.Given) < len(next.Wanted)-1
	}
	if few || (!next.Variadic && len(next.Given) > len(next.Wanted)) {
		return next
	}
	for i, value := range next.Given {
		if i < len(value.Fits) && !value.Fits[i] && !next.Variadic {
			return next
		}
	}
	return outer
}

func typeOf(u *Unit, e ast.Expr) types.Type {
	if t := u.Info.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

func (a *asker) expected(u *Unit, i int, what string, wanted *types.Tuple, variadic bool, given []ast.Expr,
	from, to token.Pos) *expectAnswer {
	in := fileQualifier(u, u.Files[i])
	base := u.Files[i].FileStart
	answer := &expectAnswer{What: what, Start: int(from - base), End: int(to - base), Variadic: variadic,
		Wanted: []wantedValue{}, Given: []givenValue{}}
	for v := range wanted.Variables() {
		answer.Wanted = append(answer.Wanted, wantedValue{v.Name(), types.TypeString(v.Type(), in), zeroOf(v.Type(), in),
			namesOfType(u, i, from, v.Type())})
	}
	for _, e := range given {
		t := u.Info.TypeOf(e)
		value := givenValue{Start: int(e.Pos() - base), End: int(e.End() - base), Fits: []bool{}}
		if t != nil {
			value.Type = types.TypeString(t, in)
		}
		for v := range wanted.Variables() {
			value.Fits = append(value.Fits, t != nil && types.AssignableTo(t, v.Type()))
		}
		answer.Given = append(answer.Given, value)
	}
	return answer
}

// namesOfType is the variables in sight at a place that have exactly a type, the package's left out.
func namesOfType(u *Unit, i int, pos token.Pos, want types.Type) []string {
	found := []string{}
	scope := innermost(u, u.Files[i], pos)
	for s := scope; s != nil && s != u.Types.Scope() && s != u.Info.Scopes[u.Files[i]]; s = s.Parent() {
		for _, name := range s.Names() {
			obj, ok := visible(s, scope, name, pos).(*types.Var)
			if ok && name != "_" && types.Identical(obj.Type(), want) {
				found = append([]string{name}, found...)
			}
		}
	}
	return found
}

// memberAnswer is a field or method that can be selected on a value.
type memberAnswer struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Type string `json:"type"`
}

// membersOf lists what can be selected on the expression at a range, or on what a name means at an offset, and the declared
// type of it behind a pointer.
func (a *asker) membersOf(q question) (any, error) {
	u, i, t, err := a.selectedOf(q)
	if err != nil {
		return nil, err
	}
	in := fileQualifier(u, u.Files[i])
	members := []memberAnswer{}
	seen := map[string]bool{}
	add := func(obj types.Object) {
		visible := obj.Exported() || obj.Pkg() == u.Types
		if visible && !seen[obj.Name()] {
			seen[obj.Name()] = true
			members = append(members, memberAnswer{obj.Name(), kindOf(obj), types.TypeString(obj.Type(), in)})
		}
	}
	receiver := t
	if _, isPointer := t.Underlying().(*types.Pointer); !isPointer && !types.IsInterface(t) {
		receiver = types.NewPointer(t)
	}
	for m := range types.NewMethodSet(receiver).Methods() {
		add(m.Obj())
	}
	fieldsOf(t, nil, add)
	answer := map[string]any{"members": members, "type": types.TypeString(t, in)}
	if named := namedOf(t); named != nil {
		if at := askNamer(u).address(named.Origin().Obj()); at.Sym != "" {
			answer["named"] = symbol{at.Pkg, at.Sym}
		}
	}
	return answer, nil
}

// selectedOf is the unit and file that a question speaks of, and the type of the expression or name that it gives.
func (a *asker) selectedOf(q question) (*Unit, int, types.Type, error) {
	var t types.Type
	var u *Unit
	var i int
	var err error
	if q.Name == "" {
		var e ast.Expr
		if u, i, e, err = a.exprOf(q); err == nil {
			t = u.Info.TypeOf(e)
		}
	} else {
		var pos token.Pos
		if u, i, pos, err = a.offsetOf(q); err == nil {
			if _, obj := innermost(u, u.Files[i], pos).LookupParent(q.Name, pos); obj != nil {
				t = obj.Type()
			}
		}
	}
	if err == nil && t == nil {
		err = fmt.Errorf("nothing there has a type")
	}
	return u, i, t, err
}

// fieldsOf yields the fields of a struct, or of the one that t points to, those of embedded ones behind its own.
func fieldsOf(t types.Type, around []types.Type, add func(types.Object)) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	for _, outer := range around {
		ok = ok && !types.Identical(outer, t)
	}
	if !ok {
		return
	}
	for f := range s.Fields() {
		add(f)
	}
	for f := range s.Fields() {
		if f.Embedded() {
			fieldsOf(f.Type(), append(around, t), add)
		}
	}
}
