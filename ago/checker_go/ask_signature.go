package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file answers what a function takes and gives, as another file would write it: with the names that packages have
// there, and with type arguments for what is generic.

// signatureAnswer describes a function; Hidden says that the other file can't name all of its types.
type signatureAnswer struct {
	Qualifier string         `json:"qualifier"` // what stands before the dot, "" where the package is its own
	TypeArgs  []string       `json:"type_args"`
	Recv      *valueAnswer   `json:"recv,omitempty"`
	Params    []valueAnswer  `json:"params"`
	Results   []valueAnswer  `json:"results"`
	Variadic  bool           `json:"variadic"`
	Hidden    bool           `json:"hidden"`
	Makers    []makerAnswer  `json:"makers"`
	Imports   []importWanted `json:"imports"`
}

// valueAnswer is a parameter or a result. Deep: == looks at addresses somewhere in it, or is not there at all; Opaque:
// it has fields that are not exported.
type valueAnswer struct {
	resultAnswer
	Name   string  `json:"name"`
	Deep   bool    `json:"deep"`
	Flat   bool    `json:"flat"` // a slice of what == compares by value
	Opaque bool    `json:"opaque"`
	Named  *symbol `json:"named,omitempty"`
}

// makerAnswer is a function of the receiver's package that gives a value of the receiver's type, perhaps with an error.
type makerAnswer struct {
	Sym     string `json:"sym"`
	File    string `json:"file"`
	Offset  int    `json:"offset"`
	Generic bool   `json:"generic"`
	Pointer bool   `json:"pointer"`
	Fails   bool   `json:"fails"`
}

// importWanted is an import that the other file lacks.
type importWanted struct {
	Path string `json:"path"`
	Name string `json:"name,omitempty"`
}

func (a *asker) signatureOf(q question) (any, error) {
	u, _, obj, err := a.objectIn(q)
	if err != nil {
		return nil, err
	}
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil, fmt.Errorf("%s is no function", obj.Name())
	}
	sig, args, err := instantiated(u, fn, q.TypeArgs)
	if err != nil {
		return nil, err
	}
	w := a.writerFor(q.Path, q.From, u.Types)
	answer := &signatureAnswer{Qualifier: w.name(fn.Pkg()), Variadic: sig.Variadic(), TypeArgs: []string{},
		Makers: []makerAnswer{}, Params: w.values(sig.Params()), Results: w.values(sig.Results())}
	for _, arg := range args {
		answer.TypeArgs = append(answer.TypeArgs, w.text(arg))
	}
	if recv := sig.Recv(); recv != nil {
		value := w.value(recv)
		answer.Recv = &value
		answer.Makers = a.makersOf(u, namedOf(recv.Type()))
	}
	answer.Hidden = w.hidden || w.from != fn.Pkg().Path() && !fn.Exported()
	answer.Imports = w.imports
	return answer, nil
}

// instantiated is the signature of a function with type arguments: those given as text, else ones that fit.
func instantiated(u *Unit, fn *types.Func, texts []string) (*types.Signature, []types.Type, error) {
	sig := fn.Signature()
	params := sig.TypeParams()
	named := (*types.Named)(nil)
	if recv := sig.Recv(); recv != nil {
		if named = namedOf(recv.Type()); named != nil {
			named = named.Origin()
			params = named.TypeParams()
		}
	}
	if params.Len() == 0 {
		return sig, nil, nil
	}
	args, err := typeArguments(u, fn, params, texts)
	if err != nil {
		return nil, nil, err
	}
	if named == nil {
		inst, err := types.Instantiate(nil, sig, args, true)
		if err != nil {
			return nil, nil, err
		}
		return inst.(*types.Signature), args, nil
	}
	inst, err := types.Instantiate(nil, named, args, true)
	if err != nil {
		return nil, nil, err
	}
	method, _, _ := types.LookupFieldOrMethod(inst, true, fn.Pkg(), fn.Name())
	if method, ok := method.(*types.Func); ok {
		return method.Signature(), args, nil
	}
	return nil, nil, fmt.Errorf("no method %s", fn.Name())
}

// makersOf lists the functions of a type's package that give a value of it, or a pointer to one: NewT, New, then others.
func (a *asker) makersOf(u *Unit, named *types.Named) []makerAnswer {
	list := []makerAnswer{}
	if named == nil || named.Obj().Pkg() == nil {
		return list
	}
	scope := u.Types.Scope()
	for _, name := range scope.Names() {
		fn, ok := scope.Lookup(name).(*types.Func)
		if !ok || !strings.HasPrefix(strings.ToLower(name), "new") {
			continue
		}
		results := fn.Signature().Results()
		made := types.Type(nil)
		if results.Len() > 0 {
			made = results.At(0).Type()
		}
		fails := results.Len() == 2 && types.Identical(results.At(1).Type(), types.Universe.Lookup("error").Type())
		if made == nil || results.Len() > 1 && !fails {
			continue
		}
		if of := namedOf(made); of == nil || of.Origin().Obj() != named.Origin().Obj() {
			continue
		}
		_, pointer := types.Unalias(made).(*types.Pointer)
		at := a.placeOf(u.Fset, fn.Pos())
		list = append(list, makerAnswer{name, at.File, at.Offset, fn.Signature().TypeParams().Len() > 0, pointer, fails})
	}
	rank := func(m makerAnswer) int {
		return slices.Index([]string{"new" + strings.ToLower(named.Obj().Name()), "new"}, strings.ToLower(m.Sym))
	}
	slices.SortStableFunc(list, func(x, y makerAnswer) int {
		i, j := rank(x), rank(y)
		if i < 0 || j < 0 {
			return j - i
		}
		return i - j
	})
	return list
}

// typeWriter writes types as one file of a package does, and gathers the imports that this takes.
type typeWriter struct {
	from    string
	names   map[string]string // by path, of the imports that are there or wanted
	taken   map[string]bool
	imports []importWanted
	hidden  bool
}

// writerFor writes for a file, which need not exist, of the package with the path from.
func (a *asker) writerFor(file, from string, near *types.Package) *typeWriter {
	w := &typeWriter{from: from, names: map[string]string{}, taken: map[string]bool{}, imports: []importWanted{}}
	f, err := a.parseBare(file, parser.ImportsOnly)
	if err != nil || f == nil {
		return w
	}
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := a.nameOfImport(spec, path)
		if name == "_" || name == "" {
			continue
		}
		if name == "." {
			name = ""
		}
		w.names[path], w.taken[name] = name, true
	}
	return w
}

// nameOfImport is the name that an import has in its file.
func (a *asker) nameOfImport(spec *ast.ImportSpec, path string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if p := a.view.graph.Packages[path]; p != nil {
		return p.Name
	}
	return ""
}

// name is what stands before the dot for a package.
func (w *typeWriter) name(p *types.Package) string {
	if p == nil || p.Path() == w.from {
		return ""
	}
	if name, ok := w.names[p.Path()]; ok {
		return name
	}
	name := p.Name()
	for n := 2; w.taken[name]; n++ {
		name = p.Name() + strconv.Itoa(n)
	}
	wanted := importWanted{Path: p.Path()}
	if name != p.Name() {
		wanted.Name = name
	}
	w.names[p.Path()], w.taken[name] = name, true
	w.imports = append(w.imports, wanted)
	return name
}

// hiddenName is a name behind a dot that is not exported.
var hiddenName = regexp.MustCompile(`\w\.[^\p{Lu}.]`)

func (w *typeWriter) text(t types.Type) string {
	text := types.TypeString(t, w.name)
	w.hidden = w.hidden || hiddenName.MatchString(text)
	return text
}

func (w *typeWriter) values(t *types.Tuple) []valueAnswer {
	list := []valueAnswer{}
	for v := range t.Variables() {
		list = append(list, w.value(v))
	}
	return list
}

func (w *typeWriter) value(v *types.Var) valueAnswer {
	t := v.Type()
	answer := valueAnswer{resultAnswer: resultOf(t, w.name), Name: v.Name(), Deep: isDeep(t, nil), Opaque: isOpaque(t, nil)}
	answer.Type = w.text(t)
	answer.Assignable = []bool{types.AssignableTo(t, types.Universe.Lookup("error").Type())}
	if slice, ok := t.Underlying().(*types.Slice); ok {
		answer.Flat = !isDeep(slice.Elem(), nil)
	}
	if named := namedOf(t); named != nil && named.Obj().Pkg() != nil {
		answer.Named = &symbol{named.Obj().Pkg().Path(), named.Obj().Name()}
	}
	return answer
}

// isDeep says that == on a type is missing, or compares addresses where values are meant.
func isDeep(t types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Basic, *types.Chan:
		return false
	case *types.Array:
		return isDeep(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if isDeep(f.Type(), seen) {
				return true
			}
		}
		return false
	}
	return true
}

// isOpaque says that a type has fields somewhere that are not exported.
func isOpaque(t types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) {
		return false
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return isOpaque(u.Elem(), seen)
	case *types.Slice:
		return isOpaque(u.Elem(), seen)
	case *types.Array:
		return isOpaque(u.Elem(), seen)
	case *types.Map:
		return isOpaque(u.Key(), seen) || isOpaque(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Exported() || isOpaque(f.Type(), seen) {
				return true
			}
		}
	}
	return false
}
