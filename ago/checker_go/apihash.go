package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
)

// This file writes the canonical form of what a package shows its importers, and hashes it.
//
// Two packages with one API hash are interchangeable for the type-checking of any importer. So the form has exact
// constant values, tags, embedded bits, receiver kinds and constraints, and, deeply, every named type of the source
// set that can be reached; it has no bodies, values of variables, docs, positions or parameter names.
//
// A shape is shallow: it names the types it mentions (refs) and the reader follows them, so that each declaration is
// written once, however many packages reach it.

// typeRef names a package-level type of a source-set package.
type typeRef struct{ path, name string }

// shape is the canonical form of one declaration.
type shape struct {
	sum  [sha256.Size]byte
	refs []typeRef
	pkgs []string // source-set packages of the aliases it mentions: transparent, yet objects
}

// api is what a package shows: the shapes of its exported objects and of all its package-level types.
type api struct {
	name    string            // of the package clause
	extra   string            // declaration errors, linknamed functions, taint
	objects map[string]*shape // exported objects
	types   map[string]*shape // package-level defined types, unexported ones too
	hash    string            // 32 hex digits
	reach   map[string]bool   // source-set packages that the exported objects reach, itself excluded
}

// describe writes the shapes of pkg. inSource tells which packages belong to the source set; lookup finds the api of
// one of those that pkg imports, directly or not.
func describe(pkg *types.Package, extra string, inSource func(path string) bool, lookup func(path string) *api) *api {
	a := &api{name: pkg.Name(), extra: extra, objects: map[string]*shape{}, types: map[string]*shape{}}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if tn, ok := obj.(*types.TypeName); ok && !tn.IsAlias() {
			a.types[name] = newShape(inSource, func(w *shapeWriter) { w.definedType(tn) })
		}
		if obj.Exported() {
			a.objects[name] = newShape(inSource, func(w *shapeWriter) { w.object(obj) })
		}
	}
	a.seal(pkg.Path(), lookup)
	return a
}

// seal follows the references of the exported objects and fills hash and reach.
func (a *api) seal(path string, lookup func(path string) *api) {
	sum := sha256.New()
	fmt.Fprintf(sum, "package %s %q\n", a.name, a.extra)
	a.reach = map[string]bool{}
	find := func(ref typeRef) *shape {
		from := a
		if ref.path != path {
			if from = lookup(ref.path); from == nil {
				return nil
			}
		}
		return from.types[ref.name]
	}
	closure := map[typeRef]*shape{}
	var follow func(s *shape)
	follow = func(s *shape) {
		for _, pkg := range s.pkgs {
			a.reach[pkg] = true
		}
		for _, ref := range s.refs {
			if _, seen := closure[ref]; seen {
				continue
			}
			a.reach[ref.path] = true
			target := find(ref)
			closure[ref] = target
			if target != nil {
				follow(target)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.objects)) {
		s := a.objects[name]
		fmt.Fprintf(sum, "%s %x\n", name, s.sum)
		follow(s)
	}
	for _, ref := range sortedRefs(closure) {
		if s := closure[ref]; s != nil {
			fmt.Fprintf(sum, "%s %s %x\n", ref.path, ref.name, s.sum)
		}
	}
	delete(a.reach, path)
	a.hash = hex.EncodeToString(sum.Sum(nil)[:16])
}

func sortedRefs(closure map[typeRef]*shape) []typeRef {
	return slices.SortedFunc(maps.Keys(closure), func(x, y typeRef) int {
		if x.path != y.path {
			return cmpString(x.path, y.path)
		}
		return cmpString(x.name, y.name)
	})
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// changedTypes lists the package-level types of path whose own shape differs between two versions of it.
func changedTypes(path string, old, new *api) []typeRef {
	var changed []typeRef
	for name, s := range new.types {
		if was := old.types[name]; was == nil || was.sum != s.sum {
			changed = append(changed, typeRef{path, name})
		}
	}
	for name := range old.types {
		if new.types[name] == nil {
			changed = append(changed, typeRef{path, name})
		}
	}
	return changed
}

// changedNames lists the exported names of path that an importer would find changed: added, gone, of another shape, or
// reaching a type in moved (which the caller has gathered over the packages replaced so far).
func changedNames(path string, old, new *api, moved map[typeRef]bool, lookup func(path string) *api) map[string]bool {
	changed := map[string]bool{}
	for name := range old.objects {
		if new.objects[name] == nil {
			changed[name] = true
		}
	}
	reaching := reachesMoved(path, new, moved, lookup)
	for name, s := range new.objects {
		was := old.objects[name]
		if was == nil || was.sum != s.sum || slices.ContainsFunc(s.refs, func(r typeRef) bool { return reaching[r] }) {
			changed[name] = true
		}
	}
	return changed
}

// reachesMoved finds, among the types that the exported objects of a reach, those from which a moved type is reached.
func reachesMoved(path string, a *api, moved map[typeRef]bool, lookup func(path string) *api) map[typeRef]bool {
	from := map[typeRef][]typeRef{} // type -> types that mention it
	seen := map[typeRef]bool{}
	var visit func(ref typeRef)
	visit = func(ref typeRef) {
		if seen[ref] {
			return
		}
		seen[ref] = true
		owner := a
		if ref.path != path {
			owner = lookup(ref.path)
		}
		if owner == nil || owner.types[ref.name] == nil {
			return
		}
		for _, next := range owner.types[ref.name].refs {
			from[next] = append(from[next], ref)
			visit(next)
		}
	}
	for _, s := range a.objects {
		for _, ref := range s.refs {
			visit(ref)
		}
	}
	reaching := map[typeRef]bool{}
	var spread func(ref typeRef)
	spread = func(ref typeRef) {
		if reaching[ref] {
			return
		}
		reaching[ref] = true
		for _, mention := range from[ref] {
			spread(mention)
		}
	}
	for ref := range moved {
		if seen[ref] {
			spread(ref)
		}
	}
	return reaching
}

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
