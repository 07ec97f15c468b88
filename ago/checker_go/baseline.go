package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// This file tells revealed diagnostics from new ones: an error outside the edit that was there before, hidden by
// another error, is no fault of the edit.

// markRevealed marks the revealed ones among the diagnostics of a unit.
func (c *candidate) markRevealed(key UnitKey, answer *unitReply, t *trails) error {
	for i := range answer.Diags {
		d := &answer.Diags[i]
		file, offset, outside := c.basePlace(d, t)
		if !outside || d.Source != "types" || isStanding(answer.BaseDiags, file, offset, d.Code) {
			continue
		}
		base, err := c.view.u.baseUnit(key)
		if err != nil {
			return err
		}
		d.Revealed = hidesErrors(base, answer.BaseDiags, file, offset)
	}
	return nil
}

// basePlace maps the position of a diagnostic back to the base; outside says that it lies in surviving text.
func (c *candidate) basePlace(d *Diag, t *trails) (file string, offset int, outside bool) {
	if _, edited := c.view.overlay[d.File]; !edited {
		return d.File, d.Offset, true
	}
	return t.basePlace(d.File, d.Offset)
}

func isStanding(base []Diag, file string, offset int, code string) bool {
	return slices.ContainsFunc(base, func(d Diag) bool {
		return d.File == file && d.Offset == offset && d.Code == code
	})
}

// hidesErrors says whether the base could not see an error at an offset: its file was not understood, or the
// statement or declaration there holds something invalid.
func hidesErrors(base *Unit, standing []Diag, file string, offset int) bool {
	if slices.ContainsFunc(standing, func(d Diag) bool { return d.File == file && blinds(d) }) {
		return true
	}
	i := slices.Index(base.Names, file)
	if i < 0 {
		return false
	}
	pos := base.Files[i].FileStart + token.Pos(offset)
	for _, part := range partsAround(base.Files[i], pos) {
		if base.holdsInvalid(part) {
			return true
		}
	}
	return false
}

// blinds says that a diagnostic keeps go/types from seeing what its file means.
func blinds(d Diag) bool {
	return d.Source == "syntax" || d.Code == "BrokenImport" || importRules[d.Code]
}

// partsAround finds the parts of the innermost statement, spec, field or function head at pos that are to be looked at.
func partsAround(f *ast.File, pos token.Pos) []ast.Node {
	var path []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || pos > n.End() {
			return false
		}
		path = append(path, n)
		return true
	})
	for _, n := range slices.Backward(path) {
		switch n := n.(type) {
		case *ast.BlockStmt:
		case *ast.CaseClause:
			parts := make([]ast.Node, len(n.List))
			for i, e := range n.List {
				parts[i] = e
			}
			return parts
		case *ast.FuncDecl:
			if n.Recv != nil {
				return []ast.Node{n.Recv, n.Type}
			}
			return []ast.Node{n.Type}
		case ast.Stmt, ast.Spec, *ast.Field:
			return []ast.Node{n}
		}
	}
	return nil
}

// holdsInvalid looks for an expression that has no valid type, below n but not in nested blocks.
func (u *Unit) holdsInvalid(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CommClause:
			return false
		case *ast.CaseClause:
			return false
		case *ast.Ident:
			found = found || u.isInvalidName(n)
		case *ast.CallExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.IndexExpr, *ast.CompositeLit, *ast.FuncLit, *ast.StarExpr:
			tv, ok := u.Info.Types[n.(ast.Expr)]
			found = found || !ok || hasInvalid(tv.Type)
		}
		return !found
	})
	return found
}

func (u *Unit) isInvalidName(id *ast.Ident) bool {
	if id.Name == "_" {
		return false
	}
	if obj := u.Info.ObjectOf(id); obj != nil {
		return hasInvalid(obj.Type()) && !isTypeless(obj)
	}
	_, defines := u.Info.Defs[id] // nil for package clauses and type switch symbols
	return !defines
}

// isTypeless says that an object has the invalid type by nature.
func isTypeless(obj types.Object) bool {
	switch obj.(type) {
	case *types.PkgName, *types.Builtin, *types.Label:
		return true
	}
	return false
}

// hasInvalid says whether a type is or directly contains the invalid type; named types are opened once.
func hasInvalid(t types.Type) bool {
	seen := map[types.Type]bool{}
	var look func(t types.Type, open bool) bool
	tuple := func(t *types.Tuple) bool {
		for i := range t.Len() {
			if look(t.At(i).Type(), false) {
				return true
			}
		}
		return false
	}
	look = func(t types.Type, open bool) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		switch t := types.Unalias(t).(type) {
		case *types.Basic:
			return t.Kind() == types.Invalid
		case *types.Pointer:
			return look(t.Elem(), open)
		case *types.Slice:
			return look(t.Elem(), open)
		case *types.Array:
			return look(t.Elem(), open)
		case *types.Chan:
			return look(t.Elem(), open)
		case *types.Map:
			return look(t.Key(), open) || look(t.Elem(), open)
		case *types.Tuple:
			return tuple(t)
		case *types.Signature:
			return tuple(t.Params()) || tuple(t.Results())
		case *types.Struct:
			for i := range t.NumFields() {
				if look(t.Field(i).Type(), false) {
					return true
				}
			}
		case *types.Interface:
			for i := range t.NumMethods() {
				if look(t.Method(i).Type(), false) {
					return true
				}
			}
		case *types.Named:
			if !open {
				return false
			}
			for i := range t.NumMethods() {
				if look(t.Method(i).Type(), false) {
					return true
				}
			}
			return look(t.Underlying(), false)
		}
		return false
	}
	return look(t, true)
}
