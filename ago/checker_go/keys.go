package main

import (
	"go/types"
	"strings"
	"sync"
)

// This file names objects: the address {pkg, sym} of everything that outlives a function, and the key that tells two
// meanings of an identifier apart, for locals too.
//
// Invariant: an instantiated field or method has the name of the declared one (Origin).

// address is where an object is declared: import path and Name or Type.Member; Pkg "" is the universe. The zero
// address stands for objects without one: locals, labels, parameters, types of a function.
type address struct{ Pkg, Sym string }

// renameMap maps a package and a symbol as they are in the candidate, but for owners that have their base names, to the
// base address.
type renameMap map[address]address

// inverseOf turns the renames and moves of a request into the map from candidate addresses back to base addresses.
func inverseOf(renames []Rename, moves []Move) renameMap {
	inverse := make(renameMap, len(renames)+len(moves))
	now := map[address]string{}
	for _, r := range renames {
		owner := r.Sym[:strings.LastIndexByte(r.Sym, '.')+1]
		inverse[address{r.Pkg, owner + r.To}] = address{r.Pkg, r.Sym}
		now[address{r.Pkg, r.Sym}] = r.To
	}
	for _, m := range moves {
		name := m.Sym
		if to := now[address{m.Pkg, m.Sym}]; to != "" {
			name = to
			delete(inverse, address{m.Pkg, name})
		}
		inverse[address{m.ToPkg, name}] = address{m.Pkg, m.Sym}
	}
	for _, m := range moves {
		old := address{m.Pkg, m.Sym}
		if _, ok := inverse[old]; !ok {
			inverse[old] = address{m.Pkg, m.Sym + " (new)"} // another declaration has the name now
		}
	}
	return inverse
}

// origin maps a field or method of an instantiated type to the declared one.
func origin(obj types.Object) types.Object {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.Origin()
	case *types.Func:
		return obj.Origin()
	}
	return obj
}

// namer computes addresses and keys, for one unit and one goroutine.
type namer struct {
	pkg     *types.Package
	owners  owners // of the unit's own package
	inverse renameMap
	// nested is the package that unexported members without an address are called after; "" for their own.
	nested string
	local  func(types.Object) string // key of an object of the unit that has no address
	seen   map[types.Object]address
	keys   map[types.Object]string
}

// newNamer makes the namer of a package; inverse may be nil.
func newNamer(pkg *types.Package, inverse renameMap) *namer {
	return &namer{pkg: pkg, owners: ownersOf(pkg), inverse: inverse,
		seen: map[types.Object]address{}, keys: map[types.Object]string{}}
}

// address finds where obj is declared, in base names when the namer has an inverse rename map.
func (n *namer) address(obj types.Object) address {
	obj = origin(obj)
	if a, ok := n.seen[obj]; ok {
		return a
	}
	n.seen[obj] = address{} // ends the recursion on a type that owns itself, which no valid program has
	a := n.findAddress(obj)
	n.seen[obj] = a
	return a
}

func (n *namer) findAddress(obj types.Object) address {
	if p, ok := obj.(*types.PkgName); ok {
		return n.renamed(address{Pkg: p.Imported().Path()})
	}
	if owner, ok := n.ownerOf(obj); ok {
		if owner == nil {
			return address{}
		}
		return n.member(n.address(owner), obj)
	}
	pkg := obj.Pkg()
	if pkg == nil {
		if obj.Parent() != types.Universe {
			return address{}
		}
		return address{Sym: obj.Name()}
	}
	_, isFunc := obj.(*types.Func)
	if obj.Parent() != pkg.Scope() || obj.Name() == "_" || isFunc && obj.Name() == "init" {
		return address{}
	}
	return n.renamed(address{pkg.Path(), obj.Name()})
}

// ownerOf finds the type, variable, function or field that a member is declared in; ok is false for what is no member.
func (n *namer) ownerOf(obj types.Object) (owner types.Object, ok bool) {
	switch obj := obj.(type) {
	case *types.Func:
		recv := obj.Signature().Recv()
		if recv == nil {
			return nil, false
		}
		if named := namedOf(recv.Type()); named != nil {
			return named.Origin().Obj(), true
		}
	case *types.Var:
		if !obj.IsField() {
			return nil, false
		}
	default:
		return nil, false
	}
	if obj.Pkg() == n.pkg {
		return n.owners[obj], true
	}
	if obj.Pkg() == nil {
		return nil, true
	}
	return sharedOwners.of(obj.Pkg())[obj], true
}

// member is the address of obj in its owner; an embedded field is called as the type that it embeds.
func (n *namer) member(owner address, obj types.Object) address {
	if owner.Sym == "" {
		return address{}
	}
	name := obj.Name()
	if v, ok := obj.(*types.Var); ok && v.Embedded() && len(n.inverse) > 0 {
		if t := typeNameOf(v.Type()); t != nil {
			if a := n.address(t); a.Sym != "" {
				return address{owner.Pkg, owner.Sym + "." + a.Sym[strings.LastIndexByte(a.Sym, '.')+1:]}
			}
		}
	}
	return n.renamed(address{owner.Pkg, owner.Sym + "." + name})
}

func (n *namer) renamed(a address) address {
	if old, ok := n.inverse[a]; ok {
		return old
	}
	return a
}

// homeOf is the (base) package that an unexported member belongs to.
func (n *namer) homeOf(member types.Object) string {
	if a := n.address(member); a.Sym != "" {
		return a.Pkg
	}
	if n.nested != "" && member.Pkg() == n.pkg {
		return n.nested
	}
	return member.Pkg().Path()
}

// lastName is the (base) name of obj without its owners.
func (n *namer) lastName(obj types.Object) string {
	if a := n.address(obj); a.Sym != "" {
		return a.Sym[strings.LastIndexByte(a.Sym, '.')+1:]
	}
	if v, ok := obj.(*types.Var); ok && v.Embedded() { // of a struct without a name
		if t := typeNameOf(v.Type()); t != nil {
			return n.lastName(t)
		}
	}
	return obj.Name()
}

// key tells what an identifier means: universe@len, fmt, a/b.Name, a/b.T.M, or what local says.
func (n *namer) key(obj types.Object) string {
	obj = origin(obj)
	if k, ok := n.keys[obj]; ok {
		return k
	}
	a := n.address(obj)
	var k string
	switch {
	case a.Pkg == "" && a.Sym != "":
		k = "universe@" + a.Sym
	case a.Sym != "":
		k = a.Pkg + "." + a.Sym
	case a.Pkg != "":
		k = a.Pkg
	case obj.Pkg() == n.pkg || obj.Pkg() == nil:
		return n.localKey(obj) // not remembered: what it says is local's business
	default:
		k = obj.Pkg().Path() + ".?." + obj.Name()
	}
	n.keys[obj] = k
	return k
}

// localKey names an object without an address. A method of an interface declared in a function hangs on that type.
func (n *namer) localKey(obj types.Object) string {
	if fn, ok := obj.(*types.Func); ok {
		if owner, _ := n.ownerOf(fn); owner != nil {
			return n.key(owner) + "." + fn.Name()
		}
	}
	return n.local(obj)
}

// namedOf is the defined type behind t, a pointer to it or an alias of either.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, _ := t.(*types.Named)
	return named
}

// typeNameOf is the declared name that an embedded field of type t is called after: a defined type, an alias or a
// basic type.
func typeNameOf(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	switch t := t.(type) {
	case *types.Named:
		return t.Obj()
	case *types.Alias:
		return t.Obj()
	case *types.Basic:
		name, _ := types.Universe.Lookup(t.Name()).(*types.TypeName)
		return name
	}
	return nil
}

// owners maps a field, and a method of an unnamed interface, to what it is declared in: a package-level object or the
// field whose type has it.
type owners map[types.Object]types.Object

// ownersOf walks the package-level declarations of pkg.
func ownersOf(pkg *types.Package) owners {
	m := owners{}
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		obj := scope.Lookup(name)
		if obj.Pkg() != pkg {
			continue
		}
		t := obj.Type()
		if tn, ok := obj.(*types.TypeName); ok {
			t = declaredType(tn)
		}
		m.walk(t, obj)
	}
	return m
}

// declaredType is the right-hand side of a type declaration.
func declaredType(tn *types.TypeName) types.Type {
	switch t := tn.Type().(type) {
	case *types.Alias:
		return t.Rhs()
	case *types.Named:
		return t.Underlying()
	}
	return tn.Type()
}

func (m owners) walk(t types.Type, owner types.Object) {
	switch t := t.(type) {
	case *types.Pointer:
		m.walk(t.Elem(), owner)
	case *types.Slice:
		m.walk(t.Elem(), owner)
	case *types.Array:
		m.walk(t.Elem(), owner)
	case *types.Chan:
		m.walk(t.Elem(), owner)
	case *types.Map:
		m.walk(t.Key(), owner)
		m.walk(t.Elem(), owner)
	case *types.Tuple:
		for i := range t.Len() {
			m.walk(t.At(i).Type(), owner)
		}
	case *types.Signature:
		m.walk(t.Params(), owner)
		m.walk(t.Results(), owner)
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); m.claim(f, owner) {
				m.walk(f.Type(), f)
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			if f := t.ExplicitMethod(i); m.claim(f, owner) {
				m.walk(f.Type(), f)
			}
		}
	}
}

// claim records owner for a member and says whether the member is new. Declarations share a struct after `type A B`:
// then the one that is written directly before the member is its owner.
func (m owners) claim(member, owner types.Object) bool {
	old, ok := m[member]
	if !ok || owner.Pos() < member.Pos() && (old.Pos() > member.Pos() || owner.Pos() > old.Pos()) {
		m[member] = owner
	}
	return !ok
}

// ownerCache keeps the owners of imported packages, the newest few objects of each path, so that a replaced package is
// not kept alive for long.
type ownerCache struct {
	mu     sync.Mutex
	byPath map[string][]ownerEntry
}

type ownerEntry struct {
	pkg    *types.Package
	owners owners
}

var sharedOwners = &ownerCache{byPath: map[string][]ownerEntry{}}

// generationsKept bounds how many packages of one path are remembered: base and candidate, for two variants.
const generationsKept = 4

func (c *ownerCache) of(pkg *types.Package) owners {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := c.byPath[pkg.Path()]
	for _, e := range entries {
		if e.pkg == pkg {
			return e.owners
		}
	}
	e := ownerEntry{pkg, ownersOf(pkg)}
	if len(entries) >= generationsKept {
		entries = entries[1:]
	}
	c.byPath[pkg.Path()] = append(entries[:len(entries):len(entries)], e)
	return e.owners
}

// forget drops what is remembered of all packages.
func (c *ownerCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.byPath)
}
