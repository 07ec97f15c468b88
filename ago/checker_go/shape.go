package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/types"
	"slices"
	"strconv"
)

// This file writes the canonical form of one declaration: its shape.
//
// Invariant: no aliases, no parameter names, type parameters by index, constants by their exact value.

// shapeWriter writes canonical forms of types: no aliases, no parameter names, type parameters by index.
type shapeWriter struct {
	bytes.Buffer
	inSource func(path string) bool
	refs     map[typeRef]bool
	pkgs     map[string]bool
	tparams  map[*types.TypeParam]string
	locals   map[*types.TypeName]bool // function-local types being written in place
}

func newShape(inSource func(string) bool, write func(*shapeWriter)) *shape {
	w := &shapeWriter{
		inSource: inSource, refs: map[typeRef]bool{}, pkgs: map[string]bool{},
		tparams: map[*types.TypeParam]string{}, locals: map[*types.TypeName]bool{},
	}
	write(w)
	s := &shape{sum: sha256.Sum256(w.Bytes())}
	for ref := range w.refs {
		s.refs = append(s.refs, ref)
	}
	for pkg := range w.pkgs {
		s.pkgs = append(s.pkgs, pkg)
	}
	return s
}

func (w *shapeWriter) object(obj types.Object) {
	switch obj := obj.(type) {
	case *types.Const:
		w.WriteString("const ")
		w.typ(obj.Type())
		fmt.Fprintf(w, " %d %s", obj.Val().Kind(), obj.Val().ExactString())
	case *types.Var:
		w.WriteString("var ")
		w.typ(obj.Type())
	case *types.Func:
		w.WriteString("func ")
		w.typ(obj.Type())
	case *types.TypeName:
		w.WriteString("type ")
		if alias, ok := obj.Type().(*types.Alias); ok && obj.IsAlias() {
			w.typeParams(alias.TypeParams(), "a")
			w.WriteString("= ")
		}
		w.typ(obj.Type())
	}
}

// definedType writes the declaration of a type: parameters, underlying type, methods.
func (w *shapeWriter) definedType(tn *types.TypeName) {
	named, ok := tn.Type().(*types.Named)
	if !ok {
		w.typ(tn.Type())
		return
	}
	w.typeParams(named.TypeParams(), "t")
	w.typ(named.Underlying())
	methods := make([]string, 0, named.NumMethods())
	for i := range named.NumMethods() {
		methods = append(methods, w.apart(func() { w.method(named.Method(i)) }))
	}
	slices.Sort(methods)
	for _, m := range methods {
		w.WriteString("\n" + m)
	}
}

// method writes a declared method with the kind of its receiver.
func (w *shapeWriter) method(m *types.Func) {
	sig := m.Signature()
	for i := range sig.RecvTypeParams().Len() {
		w.tparams[sig.RecvTypeParams().At(i)] = "t" + strconv.Itoa(i)
	}
	w.WriteString(m.Id())
	if _, ptr := types.Unalias(sig.Recv().Type()).(*types.Pointer); ptr {
		w.WriteString(" *")
	}
	w.typ(sig)
}

// apart runs write and returns what it wrote instead of leaving it in the buffer.
func (w *shapeWriter) apart(write func()) string {
	start := w.Len()
	write()
	text := string(w.Bytes()[start:])
	w.Truncate(start)
	return text
}

// typeParams names the parameters prefix0, prefix1 … and writes their constraints.
func (w *shapeWriter) typeParams(list *types.TypeParamList, prefix string) {
	if list.Len() == 0 {
		return
	}
	for i := range list.Len() {
		w.tparams[list.At(i)] = prefix + strconv.Itoa(i)
	}
	w.WriteByte('[')
	for i := range list.Len() {
		w.typ(list.At(i).Constraint())
		w.WriteByte(',')
	}
	w.WriteByte(']')
}

func (w *shapeWriter) typ(t types.Type) {
	switch t := t.(type) {
	case *types.Alias:
		w.mention(t.Obj())
		for i := range t.TypeArgs().Len() {
			w.apart(func() { w.typ(t.TypeArgs().At(i)) })
		}
		w.typ(types.Unalias(t))
	case *types.Basic:
		if t.Kind() < types.UntypedBool && t.Kind() > types.Invalid {
			w.WriteString(types.Typ[t.Kind()].Name()) // byte is uint8, rune is int32
		} else {
			w.WriteString(t.Name())
		}
	case *types.Named:
		w.named(t)
	case *types.TypeParam:
		if name, ok := w.tparams[t]; ok {
			w.WriteString(name)
		} else {
			w.WriteString("?" + t.Obj().Name())
		}
	case *types.Pointer:
		w.WriteByte('*')
		w.typ(t.Elem())
	case *types.Slice:
		w.WriteString("[]")
		w.typ(t.Elem())
	case *types.Array:
		fmt.Fprintf(w, "[%d]", t.Len())
		w.typ(t.Elem())
	case *types.Map:
		w.WriteString("map[")
		w.typ(t.Key())
		w.WriteByte(']')
		w.typ(t.Elem())
	case *types.Chan:
		fmt.Fprintf(w, "chan%d(", t.Dir())
		w.typ(t.Elem())
		w.WriteByte(')')
	case *types.Struct:
		w.structType(t)
	case *types.Tuple:
		w.tuple(t)
	case *types.Signature:
		w.signature(t)
	case *types.Interface:
		w.interfaceType(t)
	case *types.Union:
		w.union(t)
	default:
		fmt.Fprintf(w, "%v", t)
	}
}

func (w *shapeWriter) named(t *types.Named) {
	tn := t.Origin().Obj()
	if tn.Pkg() == nil {
		w.WriteString("universe." + tn.Name()) // error, comparable
		return
	}
	w.WriteString(tn.Pkg().Path() + "." + tn.Name())
	if local := tn.Parent() != nil && tn.Parent() != tn.Pkg().Scope(); local {
		w.localType(tn)
	} else if w.inSource(tn.Pkg().Path()) {
		w.refs[typeRef{tn.Pkg().Path(), tn.Name()}] = true
	}
	if t.TypeArgs().Len() == 0 {
		return
	}
	w.WriteByte('[')
	for i := range t.TypeArgs().Len() {
		w.typ(t.TypeArgs().At(i))
		w.WriteByte(',')
	}
	w.WriteByte(']')
}

// localType writes a type declared in a function in place: no reference can name it.
func (w *shapeWriter) localType(tn *types.TypeName) {
	w.mention(tn)
	if w.locals[tn] {
		return
	}
	w.locals[tn] = true
	w.WriteByte('{')
	w.definedType(tn)
	w.WriteByte('}')
}

// mention records that the form depends on an object of a source-set package without naming it as a reference.
func (w *shapeWriter) mention(tn *types.TypeName) {
	if tn.Pkg() != nil && w.inSource(tn.Pkg().Path()) {
		w.pkgs[tn.Pkg().Path()] = true
	}
}

func (w *shapeWriter) structType(t *types.Struct) {
	w.WriteString("struct{")
	for i := range t.NumFields() {
		f := t.Field(i)
		w.WriteString(f.Id())
		if f.Embedded() {
			w.WriteByte('!')
		}
		w.WriteByte(' ')
		w.typ(f.Type())
		if tag := t.Tag(i); tag != "" {
			w.WriteString(strconv.Quote(tag))
		}
		w.WriteByte(';')
	}
	w.WriteByte('}')
}

func (w *shapeWriter) tuple(t *types.Tuple) {
	w.WriteByte('(')
	for i := range t.Len() {
		w.typ(t.At(i).Type())
		w.WriteByte(',')
	}
	w.WriteByte(')')
}

func (w *shapeWriter) signature(t *types.Signature) {
	w.WriteString("func")
	w.typeParams(t.TypeParams(), "f")
	w.tuple(t.Params())
	if t.Variadic() {
		w.WriteString("...")
	}
	w.tuple(t.Results())
}

// interfaceType writes the declared methods and the embedded elements as one sorted set. What an element brings is
// found by its reference: expanding it here would not end for an anonymous interface that refers to itself.
func (w *shapeWriter) interfaceType(t *types.Interface) {
	elems := make([]string, 0, t.NumExplicitMethods()+t.NumEmbeddeds())
	for i := range t.NumExplicitMethods() {
		m := t.ExplicitMethod(i)
		elems = append(elems, w.apart(func() {
			w.WriteString(m.Id())
			w.typ(m.Type())
		}))
	}
	for i := range t.NumEmbeddeds() {
		elems = append(elems, w.apart(func() {
			w.WriteByte('!')
			w.typ(t.EmbeddedType(i))
		}))
	}
	slices.Sort(elems)
	w.WriteString("interface{")
	for _, e := range slices.Compact(elems) {
		w.WriteString(e + ";")
	}
	w.WriteByte('}')
}

func (w *shapeWriter) union(t *types.Union) {
	terms := make([]string, 0, t.Len())
	for i := range t.Len() {
		terms = append(terms, w.apart(func() {
			if t.Term(i).Tilde() {
				w.WriteByte('~')
			}
			w.typ(t.Term(i).Type())
		}))
	}
	slices.Sort(terms)
	for i, term := range terms {
		if i > 0 {
			w.WriteByte('|')
		}
		w.WriteString(term)
	}
}
