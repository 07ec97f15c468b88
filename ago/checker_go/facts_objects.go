package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file makes object rows: every declaration that has an address.

// Flags of an object row.
const (
	flagEmbedded = 1 << iota
	flagGeneric
	flagGrouped
	flagIota
	flagInherits
	flagGenerated
	flagInterface
	flagStruct
	flagPointerReceiver
	flagVariadic
	flagSharedSpec
	flagBodyless
	flagAssembly
)

// declared is what the row of one declaration is made of.
type declared struct {
	name       *ast.Ident
	kind       string
	doc        string
	start, end token.Pos
	flags      int
}

func (x *extraction) declObjects(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		x.funcObject(d)
		x.members(d.Type)
	case *ast.GenDecl:
		switch d.Tok {
		case token.TYPE:
			for _, s := range d.Specs {
				x.typeObject(d, s.(*ast.TypeSpec))
				x.members(s)
			}
		case token.CONST, token.VAR:
			var model *ast.ValueSpec
			for _, s := range d.Specs {
				spec := s.(*ast.ValueSpec)
				if spec.Type != nil || len(spec.Values) > 0 {
					model = spec
				}
				x.valueObjects(d, spec, model)
				x.members(spec)
			}
		}
	}
}

// object adds the row of a declaration, unless what it declares has no address.
func (x *extraction) object(d declared, typ string) {
	obj := x.u.Info.Defs[d.name]
	if obj == nil {
		return
	}
	at := x.obj(obj)
	if at < 0 {
		return
	}
	parent := -1
	if owner, ok := x.names.ownerOf(origin(obj)); ok && owner != nil {
		parent = x.obj(owner)
	}
	if x.generated {
		d.flags |= flagGenerated
	}
	if x.assembly[obj.Name()] && parent < 0 {
		d.flags |= flagAssembly
	}
	off := int(d.name.Pos() - x.start)
	line, col := x.lineCol(off)
	x.Objects = append(x.Objects, []any{at, d.kind, typ, d.doc, obj.Exported(), x.file, off, line, col,
		int(d.start - x.start), int(d.end - x.start), parent, d.flags})
}

func (x *extraction) funcObject(d *ast.FuncDecl) {
	fn, ok := x.u.Info.Defs[d.Name].(*types.Func)
	if !ok {
		return
	}
	sig := fn.Signature()
	kind, flags := "func", 0
	if recv := sig.Recv(); recv != nil {
		kind = "method"
		if _, ok := types.Unalias(recv.Type()).(*types.Pointer); ok {
			flags |= flagPointerReceiver
		}
	}
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
		flags |= flagGeneric
	}
	if sig.Variadic() {
		flags |= flagVariadic
	}
	if d.Body == nil {
		flags |= flagBodyless
	}
	start, end := rangeOf(d, d.Doc, nil)
	x.object(declared{d.Name, kind, docText(d.Doc), start, end, flags}, x.typeText(sig))
}

func (x *extraction) typeObject(d *ast.GenDecl, s *ast.TypeSpec) {
	tn, ok := x.u.Info.Defs[s.Name].(*types.TypeName)
	if !ok {
		return
	}
	kind, flags := "type", 0
	if s.Assign.IsValid() {
		kind = "alias"
	}
	if s.TypeParams != nil {
		flags |= flagGeneric
	}
	typ := ""
	switch u := tn.Type().Underlying().(type) {
	case *types.Interface:
		flags, typ = flags|flagInterface, "interface"
	case *types.Struct:
		flags, typ = flags|flagStruct, "struct"
	default:
		typ = x.typeText(u)
	}
	if a, ok := tn.Type().(*types.Alias); ok {
		typ = x.typeText(a.Rhs())
	}
	start, end, doc, grouped := specRange(d, s, s.Doc, s.Comment)
	x.object(declared{s.Name, kind, doc, start, end, flags | grouped}, typ)
}

// valueObjects adds the rows of a const or var spec; model is the spec whose type and values it repeats.
func (x *extraction) valueObjects(d *ast.GenDecl, s, model *ast.ValueSpec) {
	start, end, doc, flags := specRange(d, s, s.Doc, s.Comment)
	kind := "var"
	if d.Tok == token.CONST {
		kind = "const"
		if len(s.Values) == 0 {
			flags |= flagInherits
		}
		if model != nil && x.mentionsIota(model) {
			flags |= flagIota
		}
	}
	if len(s.Names) > 1 {
		flags |= flagSharedSpec
	}
	for _, name := range s.Names {
		if obj := x.u.Info.Defs[name]; obj != nil && obj.Type() != nil {
			x.object(declared{name, kind, doc, start, end, flags}, x.typeText(obj.Type()))
		}
	}
}

var iotaObject = types.Universe.Lookup("iota")

func (x *extraction) mentionsIota(s *ast.ValueSpec) bool {
	found := false
	for _, v := range s.Values {
		ast.Inspect(v, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && x.u.Info.Uses[id] == iotaObject {
				found = true
			}
			return !found
		})
	}
	return found
}

// members adds the rows of the fields and interface methods that a declaration writes.
func (x *extraction) members(decl ast.Node) {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.StructType:
			for _, f := range n.Fields.List {
				x.fieldObjects(f)
			}
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				for _, name := range f.Names {
					x.memberObject(f, name, "interface_method", 0)
				}
			}
		}
		return true
	})
}

func (x *extraction) fieldObjects(f *ast.Field) {
	if len(f.Names) == 0 {
		if id := embeddedIdent(f.Type); id != nil {
			x.memberObject(f, id, "field", flagEmbedded)
		}
	}
	shared := 0
	if len(f.Names) > 1 {
		shared = flagSharedSpec
	}
	for _, name := range f.Names {
		x.memberObject(f, name, "field", shared)
	}
}

func (x *extraction) memberObject(f *ast.Field, name *ast.Ident, kind string, flags int) {
	obj := x.u.Info.Defs[name]
	if obj == nil || obj.Type() == nil {
		return
	}
	if sig, ok := obj.Type().(*types.Signature); ok && sig.Variadic() {
		flags |= flagVariadic
	}
	start, end := rangeOf(f, f.Doc, f.Comment)
	doc := docText(f.Doc)
	if doc == "" {
		doc = docText(f.Comment)
	}
	x.object(declared{name, kind, doc, start, end, flags}, x.typeText(obj.Type()))
}

// embeddedIdent is the identifier that names an embedded field: the T of T, *T, p.T and T[A].
func embeddedIdent(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.ParenExpr:
		return embeddedIdent(e.X)
	case *ast.StarExpr:
		return embeddedIdent(e.X)
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return embeddedIdent(e.X)
	case *ast.IndexListExpr:
		return embeddedIdent(e.X)
	}
	return nil
}

// rangeOf is a node with the comments that belong to it.
func rangeOf(n ast.Node, doc, trailing *ast.CommentGroup) (start, end token.Pos) {
	start, end = n.Pos(), n.End()
	if doc != nil {
		start = doc.Pos()
	}
	if trailing != nil && trailing.End() > end {
		end = trailing.End()
	}
	return start, end
}

// specRange is the range, doc and group flag of a spec: alone it is its whole declaration.
func specRange(d *ast.GenDecl, s ast.Spec, doc, trailing *ast.CommentGroup) (start, end token.Pos, text string, grouped int) {
	if !d.Lparen.IsValid() {
		start, end = rangeOf(d, d.Doc, trailing)
		doc = d.Doc
	} else {
		start, end = rangeOf(s, doc, trailing)
		grouped = flagGrouped
	}
	text = docText(doc)
	if text == "" {
		text = docText(trailing)
	}
	return start, end, text, grouped
}

func docText(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	return strings.TrimSpace(g.Text())
}
