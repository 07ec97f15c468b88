package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file answers which names are visible at a place, and what a new declaration there would capture.

type nameAnswer struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Type  string `json:"type"`
	Level string `json:"level"`
	Here  bool   `json:"here,omitempty"` // declared in the innermost scope of the place
	// Assignable says whether the value of a local can be assigned to each of the types that the question names.
	Assignable []bool `json:"assignable,omitempty"`
	*place
}

type captureAnswer struct {
	File   string `json:"file"`
	Offset int    `json:"offset"`
	Line   int    `json:"line"`
	Col    int    `json:"col"`
	Name   string `json:"name"`
	Key    string `json:"key"`
}

func (a *asker) namesAt(q question) (any, error) {
	u, i, pos, err := a.offsetOf(q)
	if err != nil {
		return nil, err
	}
	scope := innermost(u, u.Files[i], pos)
	levels := levelsOf(u, scope)
	in := fileQualifier(u, u.Files[i])
	targets := make([]types.Type, len(q.AssignableTo))
	for n, text := range q.AssignableTo {
		targets[n] = reachableType(u, pos, text)
	}
	describe := func(obj types.Object, level string) nameAnswer {
		answer := nameAnswer{Name: obj.Name(), Kind: kindOf(obj), Type: typeTextOf(obj, in), Level: level,
			place: a.placeOf(u.Fset, obj.Pos())}
		if _, isVar := obj.(*types.Var); isVar && (level == "func" || level == "block") {
			for _, target := range targets {
				answer.Assignable = append(answer.Assignable, target != nil && types.AssignableTo(obj.Type(), target))
			}
		}
		return answer
	}
	names := []nameAnswer{}
	seen := map[string]bool{}
	for s := scope; s != nil; s = s.Parent() {
		for _, name := range s.Names() {
			if obj := visible(s, scope, name, pos); obj != nil && !seen[name] {
				seen[name] = true
				names = append(names, describe(obj, levels[s]))
			}
		}
	}
	slices.SortStableFunc(names, func(x, y nameAnswer) int { return strings.Compare(x.Name, y.Name) })
	answer := map[string]any{"names": names, "captures": []captureAnswer{}}
	if q.Name != "" {
		if s, obj := scope.LookupParent(q.Name, pos); obj != nil {
			existing := describe(obj, levels[s])
			existing.Here = s == scope
			answer["existing"] = existing
		}
		answer["captures"] = a.captures(u, scope, levels[scope], q.Name, pos)
	}
	return answer, nil
}

// reachableType is a type as a file writes it, or would write it if it imported the packages that the unit reaches; nil
// for what is no type either way.
func reachableType(u *Unit, pos token.Pos, text string) types.Type {
	if found, err := types.Eval(u.Fset, u.Types, pos, text); err == nil && found.IsType() {
		return found.Type
	}
	all := types.NewPackage("", "all")
	seen := map[*types.Package]bool{}
	for todo := u.Types.Imports(); len(todo) > 0; todo = todo[1:] {
		if pkg := todo[0]; !seen[pkg] {
			seen[pkg] = true
			all.Scope().Insert(types.NewPkgName(token.NoPos, all, pkg.Name(), pkg))
			todo = append(todo, pkg.Imports()...)
		}
	}
	if found, err := types.Eval(u.Fset, all, token.NoPos, text); err == nil && found.IsType() {
		return found.Type
	}
	return nil
}

// innermost is the scope of a position: that of the file outside of declarations, also directly before one. The scope of
// a clause reaches to the next one, although go/types ends it with its last statement.
func innermost(u *Unit, f *ast.File, pos token.Pos) *types.Scope {
	file := u.Info.Scopes[f]
	for _, d := range f.Decls {
		if d.Pos() < pos && pos < d.End() {
			if s := file.Innermost(pos); s != nil {
				return clauseBefore(u, d, s, pos)
			}
		}
	}
	return file
}

// clauseBefore is the scope of the clause in s that a position stands behind, s itself without one.
func clauseBefore(u *Unit, d ast.Decl, s *types.Scope, pos token.Pos) *types.Scope {
	found := s
	ast.Inspect(d, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() {
			return false
		}
		switch clause := u.Info.Scopes[n]; n.(type) {
		case *ast.CaseClause, *ast.CommClause:
			if clause != nil && clause.Parent() == s {
				found = clause
			}
		case *ast.BlockStmt:
			return pos < n.End()
		}
		return true
	})
	return found
}

// visible is the object that a name of scope s means at pos in scope from; nil when it is declared later or hidden.
func visible(s, from *types.Scope, name string, pos token.Pos) types.Object {
	obj := s.Lookup(name)
	if _, found := from.LookupParent(name, pos); found != obj {
		return nil
	}
	return obj
}

// levelsOf names the scopes around scope.
func levelsOf(u *Unit, scope *types.Scope) map[*types.Scope]string {
	levels := map[*types.Scope]string{types.Universe: "universe", u.Types.Scope(): "package"}
	for _, f := range u.Files {
		levels[u.Info.Scopes[f]] = "file"
	}
	for n, s := range u.Info.Scopes {
		if _, ok := n.(*ast.FuncType); ok {
			levels[s] = "func"
		}
	}
	for s := scope; s != nil; s = s.Parent() {
		if levels[s] == "" {
			levels[s] = "block"
		}
	}
	return levels
}

// captures lists the identifiers that would mean a new declaration of name at pos: in a function those behind it in its
// block that mean something from outside; at file level those of the package that mean a predeclared or imported name.
func (a *asker) captures(u *Unit, scope *types.Scope, level, name string, pos token.Pos) []captureAnswer {
	names := askNamer(u)
	outer := map[*types.Scope]bool{}
	for s := scope; s != nil; s = s.Parent() {
		outer[s] = true
	}
	global := level == "file" || level == "package"
	list := []captureAnswer{}
	for i, f := range u.Files {
		if !global && (f.FileStart > pos || f.FileEnd < pos) {
			continue
		}
		unqualified(f, name, func(id *ast.Ident) {
			obj := u.Info.Uses[id]
			if obj == nil || isMember(obj) {
				return
			}
			switch {
			case global:
				if obj.Pkg() == u.Types && obj.Parent() != u.Info.Scopes[f] {
					return
				}
			case id.Pos() < pos || id.Pos() >= scope.End():
				return
			case obj.Pkg() == u.Types && !outer[obj.Parent()]:
				return
			}
			p := u.Fset.PositionFor(id.Pos(), false)
			list = append(list, captureAnswer{u.Names[i], p.Offset, p.Line, p.Column, name, names.key(obj)})
		})
	}
	return list
}

// isMember says that an object is not found through scopes.
func isMember(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.IsField()
	case *types.Func:
		return obj.Signature().Recv() != nil
	case *types.Label:
		return true
	}
	return false
}

// unqualified yields the identifiers called name that are not behind a dot.
func unqualified(f *ast.File, name string, yield func(*ast.Ident)) {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			ast.Inspect(n.X, visit)
			return false
		case *ast.Ident:
			if n.Name == name {
				yield(n)
			}
		}
		return true
	}
	ast.Inspect(f, visit)
}
