package main

import (
	"go/ast"
	"go/types"
)

// This file answers what the identifiers of a range refer to, and what one name would mean at several places.

type identAnswer struct {
	Offset int    `json:"offset"`
	Name   string `json:"name"`
	Level  string `json:"level"` // universe, package, import (a package's name), member or local; doc in comments
	Kind   string `json:"kind"`
	Pkg    string `json:"pkg"` // of what has an address; for an import the path
	Sym    string `json:"sym"`
	// Qualified says that a package's name stands before the identifier.
	Qualified bool `json:"qualified"`
}

// identsIn lists the identifiers of a range that refer to something, in order, then those of its doc links.
func (a *asker) identsIn(q question) (any, error) {
	u, i, err := a.fileUnit(q.File)
	if err != nil {
		return nil, err
	}
	names, list := askNamer(u), []identAnswer{}
	qualified := map[*ast.Ident]bool{}
	base := int(u.Files[i].FileStart)
	ast.Inspect(u.Files[i], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				_, isPkg := u.Info.Uses[x].(*types.PkgName)
				qualified[n.Sel] = isPkg
			}
		case *ast.Ident:
			off := int(n.Pos()) - base
			if obj := u.Info.Uses[n]; obj != nil && off >= q.Start && off < q.End {
				at := names.address(obj)
				list = append(list, identAnswer{off, n.Name, levelOf(u, obj), kindOf(obj), at.Pkg, at.Sym, qualified[n]})
			}
		}
		return true
	})
	facts := extractFactsOf(u, a.view.graph, []int{i}, nil)
	for _, row := range facts.Uses {
		if off := row[2].(int); row[6].(string) == "doc_link" && off >= q.Start && off < q.End {
			at := facts.Objs[row[0].(int)]
			name := string(u.Src[i][off : off+row[5].(int)])
			list = append(list, identAnswer{Offset: off, Name: name, Level: "doc", Pkg: at[0], Sym: at[1]})
		}
	}
	return map[string]any{"idents": list}, nil
}

// levelOf says how an identifier finds an object.
func levelOf(u *Unit, obj types.Object) string {
	switch {
	case isMember(obj):
		return "member"
	case obj.Parent() == types.Universe || obj.Pkg() == nil:
		return "universe"
	case obj.Parent() != nil && obj.Parent() == obj.Pkg().Scope():
		return "package"
	}
	if _, ok := obj.(*types.PkgName); ok {
		return "import"
	}
	return "local"
}

type meansAnswer struct {
	Level string `json:"level"` // "" where the name means nothing
	Key   string `json:"key"`
}

// nameMeans says what a name means at each of several places.
func (a *asker) nameMeans(q question) (any, error) {
	list := []meansAnswer{}
	for _, at := range q.Places {
		u, i, err := a.fileUnit(at.File)
		if err != nil {
			return nil, err
		}
		pos, err := position(u, i, at.Offset)
		if err != nil {
			return nil, err
		}
		var answer meansAnswer
		if _, obj := innermost(u, u.Files[i], pos).LookupParent(q.Name, pos); obj != nil {
			answer = meansAnswer{levelOf(u, obj), askNamer(u).key(obj)}
		}
		list = append(list, answer)
	}
	return map[string]any{"means": list}, nil
}
