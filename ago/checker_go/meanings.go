package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// This file says what the sites of a file mean, as texts that are equal exactly when the meanings are.

// meanings says what the sites of a unit mean. names.local and at are left to the user of it: the key of a local, and the
// key of a position with the word that is there.
type meanings struct {
	names *namer
	types *canon
	at    func(token.Pos, string) string
}

func newMeanings(u *Unit, inverse renameMap) *meanings {
	names := newNamer(u.Types, inverse)
	return &meanings{names: names, types: newCanon(names)}
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
	case siteLoop:
		return loopWords[s.index]
	case siteBoxed:
		return boxedWords[s.index]
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
