package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file answers which methods a type lacks of an interface, written as the type's own file would write them.

// missingMethod is a method that a type lacks, as it would be declared.
type missingMethod struct {
	Name      string `json:"name"`
	Signature string `json:"signature"`
	// WrongType says that the type has something else of that name, and not by embedding.
	WrongType bool `json:"wrong_type"`
	// Foreign says that no other package may declare the method.
	Foreign bool `json:"foreign,omitempty"`
}

// neededImport is an import that the signatures need and the file does not have; Name is "" where no alias is.
type neededImport struct {
	Path string `json:"path"`
	Name string `json:"name"`
}

// missingMethods compares a type with an interface. With a file, the interface is what the text Name means in it, and
// signatures are written for the file.
func (a *asker) missingMethods(q question) (any, error) {
	if q.File != "" {
		return a.missingIn(q)
	}
	t, iface, own, err := a.typeAndInterface(q.Type, q.Iface)
	if err != nil {
		return nil, err
	}
	in := func(p *types.Package) string {
		if p == own {
			return ""
		}
		return p.Name()
	}
	if q.Ptr {
		t = types.NewPointer(t)
	}
	missing, err := lackedMethods(t, iface, own, in)
	if err != nil {
		return nil, err
	}
	return map[string]any{"missing": missing}, nil
}

func (a *asker) missingIn(q question) (any, error) {
	u, i, err := a.fileUnit(q.File)
	if err != nil {
		return nil, err
	}
	t, err := lookupType(u.Types, q.Type.Sym)
	if err != nil {
		return nil, err
	}
	iface, err := a.typeIn(u, u.Files[i], t, q.Name)
	if err != nil {
		return nil, err
	}
	w := &signatureWriter{u: u, file: u.Files[i], in: fileQualifier(u, u.Files[i]), taken: map[string]bool{}}
	missing, err := lackedMethods(types.NewPointer(ofItself(t)), iface, u.Types, w.qualify)
	if err != nil {
		return nil, err
	}
	return map[string]any{"missing": missing, "imports": orEmpty(w.needed)}, nil
}

// ofItself is a generic type as its own methods see it: the instance by its own type parameters, since each method has
// parameters of its own.
func ofItself(t types.Type) types.Type {
	named, ok := t.(*types.Named)
	if !ok || named.TypeParams().Len() == 0 {
		return t
	}
	args := make([]types.Type, named.TypeParams().Len())
	for i := range args {
		args[i] = named.TypeParams().At(i)
	}
	if instance, err := types.Instantiate(nil, named, args, false); err == nil {
		return instance
	}
	return t
}

// lackedMethods lists the methods of an interface that are not in the method set of t with their type.
func lackedMethods(t, iface types.Type, own *types.Package, in types.Qualifier) ([]missingMethod, error) {
	methods, ok := iface.Underlying().(*types.Interface)
	if !ok || !methods.IsMethodSet() {
		return nil, fmt.Errorf("%s is no interface that a type can implement", types.TypeString(iface, in))
	}
	missing := []missingMethod{}
	set := types.NewMethodSet(t)
	for m := range methods.Methods() {
		sel := set.Lookup(m.Pkg(), m.Name())
		if sel != nil && types.Identical(sel.Type(), m.Type()) {
			continue
		}
		other, index, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		missing = append(missing, missingMethod{m.Name(), strings.TrimPrefix(types.TypeString(m.Type(), in), "func"),
			other != nil && len(index) == 1, !m.Exported() && m.Pkg() != own})
	}
	return missing, nil
}

// signatureWriter qualifies types for a file, and notes the imports that it does not have.
type signatureWriter struct {
	u      *Unit
	file   *ast.File
	in     types.Qualifier
	taken  map[string]bool
	needed []neededImport
	names  map[string]string
}

func (w *signatureWriter) qualify(p *types.Package) string {
	if p == w.u.Types || w.imports(p.Path()) {
		return w.in(p)
	}
	if name, ok := w.names[p.Path()]; ok {
		return name
	}
	name := p.Name()
	for n := 2; w.taken[name] || w.u.Types.Scope().Lookup(name) != nil || w.fileHas(name); n++ {
		name = p.Name() + strconv.Itoa(n)
	}
	if w.names == nil {
		w.names = map[string]string{}
	}
	w.names[p.Path()], w.taken[name] = name, true
	alias := name
	if name == p.Name() {
		alias = ""
	}
	w.needed = append(w.needed, neededImport{p.Path(), alias})
	return name
}

// imports says that the file imports path by some name.
func (w *signatureWriter) imports(path string) bool {
	for _, spec := range w.file.Imports {
		if p := importedPkg(spec, w.u.Info); p != nil && p.Path() == path {
			return true
		}
	}
	return false
}

func (w *signatureWriter) fileHas(name string) bool {
	scope := w.u.Info.Scopes[w.file]
	return scope != nil && scope.Lookup(name) != nil
}

// typeIn finds what a type expression means in a file: names of the package and its imports, type parameters of t, and
// packages that the file does not import, by path or by the name of a package that is known.
func (a *asker) typeIn(u *Unit, file *ast.File, t types.Type, text string) (types.Type, error) {
	path, rest := "", text
	if head, _, _ := strings.Cut(text, "["); strings.Contains(head, "/") {
		dot := strings.Index(head[strings.LastIndexByte(head, '/'):], ".")
		if dot < 0 {
			return nil, fmt.Errorf("%s names no type of a package", text)
		}
		dot += strings.LastIndexByte(head, '/')
		path, rest = text[:dot], text[dot+1:]
	}
	e, err := parser.ParseExpr(rest)
	if err != nil {
		return nil, err
	}
	r := &typeReader{a: a, u: u, file: file, params: map[string]types.Type{}}
	if named := namedOf(t); named != nil {
		for p := range named.TypeParams().TypeParams() {
			r.params[p.Obj().Name()] = p
		}
	}
	if path == "" {
		return r.read(e)
	}
	return r.readOf(path, e)
}

// typeReader evaluates type expressions that are not part of the source.
type typeReader struct {
	a      *asker
	u      *Unit
	file   *ast.File
	params map[string]types.Type
}

func (r *typeReader) readOf(path string, e ast.Expr) (types.Type, error) {
	switch e := e.(type) {
	case *ast.Ident:
		p, err := r.importOf(path)
		if err != nil {
			return nil, err
		}
		return lookupType(p, e.Name)
	case *ast.IndexExpr:
		return r.instance(path, e.X, []ast.Expr{e.Index})
	case *ast.IndexListExpr:
		return r.instance(path, e.X, e.Indices)
	}
	return nil, fmt.Errorf("no name of a type")
}

func (r *typeReader) read(e ast.Expr) (types.Type, error) {
	switch e := e.(type) {
	case *ast.Ident:
		if p := r.params[e.Name]; p != nil {
			return p, nil
		}
		if r.u.Types.Scope().Lookup(e.Name) != nil {
			return lookupType(r.u.Types, e.Name)
		}
		return lookupType(nil, e.Name)
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return r.readOf(r.pathOf(x.Name), e.Sel)
		}
	case *ast.IndexExpr:
		return r.instance("", e.X, []ast.Expr{e.Index})
	case *ast.IndexListExpr:
		return r.instance("", e.X, e.Indices)
	default:
		tv, err := types.Eval(r.u.Fset, r.u.Types, r.file.Name.End(), types.ExprString(e))
		if err == nil && tv.IsType() {
			return tv.Type, nil
		}
	}
	return r.composed(e)
}

// composed reads the type literals that type arguments are made of.
func (r *typeReader) composed(e ast.Expr) (types.Type, error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		t, err := r.read(e.X)
		return types.NewPointer(t), err
	case *ast.ArrayType:
		t, err := r.read(e.Elt)
		if e.Len == nil {
			return types.NewSlice(t), err
		}
	case *ast.MapType:
		k, err := r.read(e.Key)
		if err != nil {
			return nil, err
		}
		v, err := r.read(e.Value)
		return types.NewMap(k, v), err
	}
	return nil, fmt.Errorf("%s is no type here", types.ExprString(e))
}

func (r *typeReader) instance(path string, x ast.Expr, args []ast.Expr) (types.Type, error) {
	var generic types.Type
	var err error
	if path != "" {
		generic, err = r.readOf(path, x)
	} else {
		generic, err = r.read(x)
	}
	if err != nil {
		return nil, err
	}
	list := make([]types.Type, len(args))
	for i, arg := range args {
		if list[i], err = r.read(arg); err != nil {
			return nil, err
		}
	}
	return types.Instantiate(nil, generic, list, true)
}

// pathOf finds the package that the file imports by a name, else the one of std or the workspace that is called so.
func (r *typeReader) pathOf(name string) string {
	for _, spec := range r.file.Imports {
		if p := importedPkg(spec, r.u.Info); p != nil && importName(spec, r.u.Info) == name {
			return p.Path()
		}
	}
	found, err := r.a.importCandidates(question{Name: name, From: r.u.Key.Pkg})
	if err != nil {
		return name
	}
	list, _ := found.(map[string]any)["candidates"].([]candidateAnswer)
	if len(list) == 0 {
		return name
	}
	return list[0].Path
}

// importOf is a package as the file's own package sees it: the very objects that its imports have.
func (r *typeReader) importOf(path string) (*types.Package, error) {
	for _, spec := range r.file.Imports {
		if p := importedPkg(spec, r.u.Info); p != nil && p.Path() == path {
			return p, nil
		}
	}
	b, err := r.a.importing(r.file, r.u, path)
	if err != nil {
		return nil, err
	}
	return b.typesOf(path)
}

// importing is an asker whose graph has a package that a file does not import yet.
func (a *asker) importing(file *ast.File, u *Unit, path string) (*asker, error) {
	if a.view.graph.Packages[path] != nil {
		return a, nil
	}
	i := slices.Index(u.Files, file)
	at := int(file.Name.End() - file.FileStart)
	src := u.Src[i]
	text := slices.Concat(src[:at], []byte("; import _ "+strconv.Quote(path)), src[at:])
	overlay := maps.Clone(a.overlay)
	if overlay == nil {
		overlay = Overlay{}
	}
	overlay[u.Names[i]] = Content{B64: text}
	return a.s.newAsker(overlay)
}

// typeAndInterface finds both types in one world: what the package of either one sees of the other, or both from the
// universe.
func (a *asker) typeAndInterface(typ, iface symbol) (t, i types.Type, own *types.Package, err error) {
	p, err := a.typesOf(typ.Pkg)
	if err != nil {
		return nil, nil, nil, err
	}
	q, err := a.typesOf(iface.Pkg)
	if err != nil {
		return nil, nil, nil, err
	}
	if t, err = lookupType(p, typ.Sym); err != nil {
		return nil, nil, nil, err
	}
	i, err = lookupType(q, iface.Sym)
	return t, i, p, err
}
