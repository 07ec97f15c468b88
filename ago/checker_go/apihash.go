package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"maps"
	"slices"
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
