package main

import (
	"go/types"
	"slices"
	"strings"
)

// This file finds the types that satisfied an interface until it came to ask for more: assertions that held fail then,
// and nothing tells of it where no value is assigned.

// compareInterfaces reports the types of a unit, and of what it imports from its module, that are lost to an interface
// of the unit.
func (c *comparison) compareInterfaces() {
	scope := c.cand.Types.Scope()
	asserted := c.assertedInterfaces()
	for _, name := range c.base.Types.Scope().Names() {
		old, ok := c.base.Types.Scope().Lookup(name).(*types.TypeName)
		now, stands := scope.Lookup(name).(*types.TypeName)
		if !ok || !stands || !isPlainInterface(old) || !isPlainInterface(now) {
			continue
		}
		before, after := old.Type().Underlying().(*types.Interface), now.Type().Underlying().(*types.Interface)
		if c.methodTexts(&c.base, before) == c.methodTexts(&c.cand, after) || before.NumMethods() == 0 {
			continue
		}
		kind := "satisfaction_lost"
		if !asserted[name] {
			kind += "_unasked"
		}
		i, off := c.base.files.find(old.Pos())
		j, to := c.cand.files.find(now.Pos())
		for _, lost := range c.lostTypes(before, after) {
			c.report(kind, before.Method(0).Name(), lost, c.cand.shown.key(now), passage{i, off, j, to})
		}
	}
}

// isPlainInterface says that a name is that of an interface without type parameters that values can have.
func isPlainInterface(tn *types.TypeName) bool {
	named, ok := tn.Type().(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return false
	}
	i, ok := named.Underlying().(*types.Interface)
	return ok && i.IsMethodSet()
}

// assertedInterfaces are the names of the unit's own interfaces that values are asserted to in it.
func (c *comparison) assertedInterfaces() map[string]bool {
	names := map[string]bool{}
	for _, f := range c.cand.Files {
		for e := range assertedTypes(f) {
			if t := c.cand.Info.TypeOf(e); t != nil {
				if named := namedOf(t); named != nil && named.Obj().Pkg() == c.cand.Types {
					names[named.Obj().Name()] = true
				}
			}
		}
	}
	return names
}

// methodTexts are the methods of an interface, by their base names.
func (c *comparison) methodTexts(s *side, i *types.Interface) string {
	var list []string
	for m := range i.Methods() {
		list = append(list, s.meanings.types.id(m)+s.meanings.types.text(m.Signature()))
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// lostTypes are the types that satisfied an interface, themselves or by pointer, and do not any more.
func (c *comparison) lostTypes(before, after *types.Interface) []string {
	now := map[string]*types.TypeName{}
	c.cand.eachVisibleType(func(tn *types.TypeName) { now[c.cand.meanings.names.key(tn)] = tn })
	var lost []string
	c.base.eachVisibleType(func(tn *types.TypeName) {
		if other := now[c.base.meanings.names.key(tn)]; other != nil && satisfies(tn, before) && !satisfies(other, after) {
			lost = append(lost, c.base.shown.key(tn))
		}
	})
	return lost
}

// eachVisibleType calls visit with the defined types of a unit and of what it imports from its module.
func (s *side) eachVisibleType(visit func(*types.TypeName)) {
	packages := []*types.Package{s.Types}
	for _, imported := range s.Types.Imports() {
		if m := s.Pkg.Module; m != nil && strings.HasPrefix(imported.Path()+"/", m.Path+"/") {
			packages = append(packages, imported)
		}
	}
	for _, p := range packages {
		for _, tn := range declaredTypes(p) {
			visit(tn)
		}
	}
}

func satisfies(tn *types.TypeName, i *types.Interface) bool {
	named, ok := tn.Type().(*types.Named)
	return ok && named.TypeParams().Len() == 0 && types.Implements(types.NewPointer(named), i)
}
