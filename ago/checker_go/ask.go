package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"log"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

// This file answers `ask`: general questions about types and names over an overlay. Each kind is a function in the
// table below; the kinds are in ask_types.go, ask_names.go, ask_uses.go and ask_imports.go.
//
// Invariant: a question that can't be answered is answered with an error of its own and does not fail the others.

func init() { methods["ask"] = (*server).handleAsk }

// question is one question; which fields it needs depends on its kind.
type question struct {
	Kind         string   `json:"kind"`
	File         string   `json:"file"`
	Start        int      `json:"start"`
	End          int      `json:"end"`
	Offset       int      `json:"offset"`
	Name         string   `json:"name"`
	AssignableTo []string `json:"assignable_to"`
	Pkg          string   `json:"pkg"`
	Sym          string   `json:"sym"`
	Type         symbol   `json:"type"`
	Iface        symbol   `json:"iface"`
	Ptr          bool     `json:"ptr"`
	Path         string   `json:"path"`
	Members      []string `json:"members"`
	From         string   `json:"from"`
	TypeArgs     []string `json:"type_args"`
	Places       []place  `json:"places"`
}

// symbol is an object address on the wire.
type symbol struct {
	Pkg string `json:"pkg"`
	Sym string `json:"sym"`
}

var questions = map[string]func(*asker, question) (any, error){
	"type_at":           (*asker).typeAt,
	"names_at":          (*asker).namesAt,
	"object_at":         (*asker).objectAt,
	"idents_in":         (*asker).identsIn,
	"name_means":        (*asker).nameMeans,
	"uses_of":           (*asker).usesOf,
	"missing_methods":   (*asker).missingMethods,
	"package":           (*asker).packageOf,
	"imports":           (*asker).importsOf,
	"import_candidates": (*asker).importCandidates,
	"call_targets":      (*asker).callTargets,
	"signature":         (*asker).signatureOf,
	"expects":           (*asker).expects,
	"members":           (*asker).membersOf,
}

// asker answers the questions of one request.
type asker struct {
	home    *server // of the build as it is on disk
	s       *server // the same, or its fork where the overlay changes the build
	u       *Universe
	overlay Overlay
	view    *view
	units   map[string][]*Unit // by file
}

func (s *server) handleAsk(r *request) (any, error) {
	var params struct {
		Overlay   Overlay           `json:"overlay"`
		Questions []json.RawMessage `json:"questions"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	a, err := s.newAsker(params.Overlay)
	if err != nil {
		return nil, err
	}
	answers := make([]any, len(params.Questions))
	for i, raw := range params.Questions {
		if err := r.alive(); err != nil {
			return nil, err
		}
		if answers[i], err = a.answer(raw); err != nil {
			answers[i] = map[string]string{"error": err.Error()}
		}
	}
	return map[string]any{"answers": answers}, nil
}

func (s *server) newAsker(overlay Overlay) (*asker, error) {
	home := s
	s, err := s.under(overlay)
	if err != nil {
		return nil, err
	}
	u, err := s.readyToGrow()
	if err != nil {
		return nil, err
	}
	a := &asker{home: home, s: s, u: u, overlay: overlay, view: u.base, units: map[string][]*Unit{}}
	if len(overlay) > 0 {
		c, err := u.candidateOf(overlay)
		if err != nil {
			return nil, err
		}
		a.view = c.view
	}
	return a, nil
}

// answer answers one question; a panic in it is its error.
func (a *asker) answer(raw json.RawMessage) (answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Printf("panic in ask: %v\n%s", p, debug.Stack())
			err = fmt.Errorf("internal: %v", p)
		}
	}()
	var q question
	if err := json.Unmarshal(raw, &q); err != nil {
		return nil, err
	}
	f := questions[q.Kind]
	if f == nil {
		return nil, fmt.Errorf("no question %q", q.Kind)
	}
	answer, err = f(a, q)
	if lacks := a.lacks(q); len(lacks) > 0 && (err != nil || speaksOfUnknown(answer)) {
		return unknownAnswer{"its type is unknown: " + strings.Join(lacks, ", ") + " is missing", lacks}, nil
	}
	return answer, err
}

// fileUnit is the unit that owns a file, and the index of the file in it.
func (a *asker) fileUnit(file string) (*Unit, int, error) {
	units, ok := a.units[file]
	if !ok {
		var err error
		if units, err = a.s.unitsIn(a.overlay, file); err != nil {
			return nil, 0, err
		}
		a.units[file] = units
	}
	i := slices.Index(units[0].Names, file)
	if i < 0 {
		return nil, 0, fmt.Errorf("%s is no file of the package", file)
	}
	return units[0], i, nil
}

// position is the position of an offset of a file.
func position(u *Unit, i, off int) (token.Pos, error) {
	if off < 0 || off > len(u.Src[i]) {
		return 0, fmt.Errorf("offset %d is outside of %s", off, u.Names[i])
	}
	return u.Files[i].FileStart + token.Pos(off), nil
}

// offsetOf is the unit and file that a question speaks of, and the position of its offset.
func (a *asker) offsetOf(q question) (*Unit, int, token.Pos, error) {
	u, i, err := a.fileUnit(q.File)
	if err != nil {
		return nil, 0, 0, err
	}
	pos, err := position(u, i, q.Offset)
	return u, i, pos, err
}

// exprOf is the unit and file that a question speaks of, and the expression at its range.
func (a *asker) exprOf(q question) (*Unit, int, ast.Expr, error) {
	u, i, err := a.fileUnit(q.File)
	if err != nil {
		return nil, 0, nil, err
	}
	e, err := exprAt(u, i, q.Start, q.End)
	return u, i, e, err
}

// exprAt is the outermost expression that covers exactly the range, white space aside.
func exprAt(u *Unit, i, start, end int) (ast.Expr, error) {
	if start < 0 || end > len(u.Src[i]) || start > end {
		return nil, fmt.Errorf("%d..%d is outside of %s", start, end, u.Names[i])
	}
	isSpace := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
	for start < end && isSpace(u.Src[i][start]) {
		start++
	}
	for end > start && isSpace(u.Src[i][end-1]) {
		end--
	}
	base := u.Files[i].FileStart
	from, to := base+token.Pos(start), base+token.Pos(end)
	var found ast.Expr
	ast.Inspect(u.Files[i], func(n ast.Node) bool {
		if found != nil || n == nil || n.Pos() > from || n.End() < to {
			return false
		}
		if e, ok := n.(ast.Expr); ok && n.Pos() == from && n.End() == to {
			found = e
		}
		return found == nil
	})
	if found == nil {
		return nil, fmt.Errorf("no expression at %d..%d of %s", start, end, u.Names[i])
	}
	return found, nil
}

// identAt is the identifier at an offset, with the cursor in it or right behind it.
func identAt(u *Unit, i, off int) (*ast.Ident, error) {
	pos, err := position(u, i, off)
	if err != nil {
		return nil, err
	}
	var found *ast.Ident
	ast.Inspect(u.Files[i], func(n ast.Node) bool {
		if n == nil || n.Pos() > pos || n.End() < pos {
			return false
		}
		if id, ok := n.(*ast.Ident); ok && (found == nil || id.Pos() == pos) {
			found = id
		}
		return true
	})
	if found == nil {
		return nil, fmt.Errorf("no identifier at %d of %s", off, u.Names[i])
	}
	return found, nil
}

// fileQualifier writes types as a file would: its own package bare, imports by the names they have in it.
func fileQualifier(u *Unit, f *ast.File) types.Qualifier {
	names := map[string]string{}
	for _, spec := range f.Imports {
		if p := importedPkg(spec, u.Info); p != nil {
			if name := importName(spec, u.Info); name != "." {
				names[p.Path()] = name
			} else {
				names[p.Path()] = ""
			}
		}
	}
	return func(p *types.Package) string {
		if p == u.Types {
			return ""
		}
		if name, ok := names[p.Path()]; ok {
			return name
		}
		return p.Name()
	}
}

// askNamer names the objects of a unit for people; locals by line and column.
func askNamer(u *Unit) *namer {
	n := newNamer(u.Types, nil)
	n.local = func(obj types.Object) string {
		p := u.Fset.PositionFor(obj.Pos(), false)
		return fmt.Sprintf("local@%d:%d", p.Line, p.Column)
	}
	return n
}

// kindOf is the kind of an object on the wire.
func kindOf(obj types.Object) string {
	switch obj := obj.(type) {
	case *types.Func:
		if recv := obj.Signature().Recv(); recv == nil {
			return "func"
		} else if types.IsInterface(recv.Type()) {
			return "interface_method"
		}
		return "method"
	case *types.TypeName:
		if obj.IsAlias() {
			return "alias"
		}
		return "type"
	case *types.Const:
		return "const"
	case *types.Var:
		if obj.IsField() {
			return "field"
		}
		return "var"
	case *types.PkgName:
		return "package"
	case *types.Label:
		return "label"
	case *types.Builtin:
		return "builtin"
	case *types.Nil:
		return "nil"
	}
	return "unknown"
}

// place is where an object is defined.
type place struct {
	File   string `json:"file"`
	Offset int    `json:"offset"`
	Line   int    `json:"line"`
	Col    int    `json:"col"`
}

// typeTextOf is the type of an object, "" for one that has none (a builtin, a package, a label).
func typeTextOf(obj types.Object, in types.Qualifier) string {
	t := obj.Type()
	if t == nil || t == types.Typ[types.Invalid] {
		return ""
	}
	return types.TypeString(t, in)
}

// placeOf is nil for what has no source; an object of a dependency has a line at best.
func (a *asker) placeOf(fset *token.FileSet, pos token.Pos) *place {
	p := fset.PositionFor(pos, false)
	if !p.IsValid() {
		return nil
	}
	file := p.Filename
	if filepath.IsAbs(file) {
		file = a.view.graph.Rel(file)
	}
	return &place{path.Clean(file), p.Offset, p.Line, p.Column}
}
