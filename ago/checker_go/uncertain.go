package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file keeps errors apart that only follow from an unknown type: what embeds one has members that nobody here can see.

// ofMembers are the codes of errors about members that a type does not have.
var ofMembers = []string{"MissingFieldOrMethod", "InvalidIfaceAssign", "ImpossibleAssert", "InvalidTypeArg", "InvalidMethodExpr"}

// dropUncertain takes back what go/types said of members of types that are partly unknown, and what it said of the unknown
// type itself: it does so on its own behind a first error, which may be another package's.
func (u *Unit) dropUncertain() {
	u.Diags = slices.DeleteFunc(u.Diags, func(d Diag) bool {
		if d.Source == "types" && strings.Contains(d.Msg, types.Typ[types.Invalid].Name()) {
			return true
		}
		if d.Source != "types" || !slices.Contains(ofMembers, d.Code) {
			return false
		}
		i := slices.Index(u.Names, d.File)
		if i < 0 {
			return false
		}
		pos := u.Files[i].FileStart + token.Pos(d.Offset)
		if sel := selectorAt(u.Files[i], pos); sel != nil {
			t := u.Info.TypeOf(sel.X)
			return t != nil && hidesMembers(t, map[types.Type]bool{})
		}
		return u.unknownAround(u.Files[i], pos)
	})
}

// selectorAt is the selector whose name stands at pos, nil for none.
func selectorAt(f *ast.File, pos token.Pos) *ast.SelectorExpr {
	var found *ast.SelectorExpr
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Pos() == pos {
			found = sel
		}
		return n != nil && n.Pos() <= pos && pos <= n.End()
	})
	return found
}

// unknownAround says that a type is involved at pos whose members are not all known.
func (u *Unit) unknownAround(f *ast.File, pos token.Pos) bool {
	found := false
	for _, part := range partsAround(f, pos) {
		ast.Inspect(part, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && !found {
				t := u.Info.TypeOf(e)
				found = t != nil && (hidesMembers(t, map[types.Type]bool{}) || hasInvalid(t))
			}
			return !found
		})
	}
	return found
}

// hidesMembers says that a type has members of an unknown type, embedded in it or behind it.
func hidesMembers(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.Basic:
		return t.Kind() == types.Invalid
	case *types.Pointer:
		return hidesMembers(t.Elem(), seen)
	case *types.Named:
		return hidesMembers(t.Underlying(), seen)
	case *types.TypeParam:
		return hidesMembers(t.Constraint(), seen)
	case *types.Struct:
		for field := range t.Fields() {
			if field.Embedded() && hidesMembers(field.Type(), seen) {
				return true
			}
		}
	case *types.Interface:
		for embedded := range t.EmbeddedTypes() {
			if hidesMembers(embedded, seen) {
				return true
			}
		}
	}
	return false
}
