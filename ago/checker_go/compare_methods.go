package main

import (
	"go/types"
	"slices"
	"strings"
)

// This file compares the method sets of a type, that of its values and that of pointers to them.

func (c *comparison) compareMethods(old, now *types.TypeName, askedBefore, askedAfter askers) {
	before, after := c.base.meanings.methodTable(old), c.cand.meanings.methodTable(now)
	i, off := c.base.files.find(old.Pos())
	j, to := c.cand.files.find(now.Pos())
	if i < 0 || j < 0 {
		return
	}
	report := func(kind, name, old, new string) { c.report(kind, name, old, new, passage{i, off, j, to}) }
	if types.Comparable(old.Type()) && !types.Comparable(now.Type()) {
		report("comparable_lost", now.Name(), "comparable", "not comparable")
	}
	// Who asks under another name or signature than before has come along.
	stays := func(m methodRow) bool {
		return askedBefore.wants(m.obj.Name(), m.sig) && askedAfter.wants(m.obj.Name(), m.sig)
	}
	lost := func(b methodRow) {
		asked := askedAfter.wants(b.obj.Name(), b.sig)
		report(methodKind("lost", asked), b.obj.Name(), b.shown(&c.base), "")
	}
	gained := func(a methodRow) {
		report(methodKind("gained", stays(a)), a.obj.Name(), "", a.shown(&c.cand))
	}
	moved := func(a methodRow) {
		what := "widened"
		if a.pointer {
			what = "narrowed"
		}
		report(methodKind(what, stays(a)), a.obj.Name(), a.shown(&c.cand), a.shown(&c.cand))
	}
	followed := byBaseID(after)
	for _, id := range sortedIDs(before, followed) {
		b, inBase := before[id]
		a, inCand := followed[id]
		name := id[strings.LastIndexByte(id, '.')+1:]
		called, stands := after[id]
		switch {
		case inBase && inCand && a.isRenamed():
			lost(b)
			gained(a)
		case inBase && (!inCand || a.sig != b.sig):
			lost(b)
		case inCand && !inBase:
			gained(a)
		case inBase && inCand && a.pointer != b.pointer:
			moved(a)
		}
		// A promoted method that is renamed is compared where it is declared.
		if !inBase || !stands || called.key == b.key || called.promoted && called.isRenamed() {
			continue
		}
		if b.promoted {
			report("embed_hidden", name, c.base.shown.key(b.obj), c.cand.shown.key(called.obj))
		} else if called.promoted {
			report("embed_exposed", name, c.base.shown.key(b.obj), c.cand.shown.key(called.obj))
		}
	}
}

// methodKind tells methods that this unit or the standard library asks for from those of which only the facts of other
// packages can tell.
func methodKind(what string, asked bool) string {
	if asked {
		return "method_" + what
	}
	return "method_" + what + "_unasked"
}

// byBaseID keys the methods of a candidate by the names that they had; where a promoted method has come to light under
// the name of a renamed one, the renamed one counts.
func byBaseID(table map[string]methodRow) map[string]methodRow {
	byID := make(map[string]methodRow, len(table))
	for _, row := range table {
		if other, ok := byID[row.id]; !ok || other.promoted {
			byID[row.id] = row
		}
	}
	return byID
}

func sortedIDs(a, b map[string]methodRow) []string {
	var ids []string
	for id := range a {
		ids = append(ids, id)
	}
	for id := range b {
		if _, both := a[id]; !both {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// methodRow is a method in the method set of a type.
type methodRow struct {
	obj      *types.Func
	id       string // by its base name
	key, sig string
	promoted bool
	pointer  bool // T itself has no such method
}

func (r methodRow) isRenamed() bool { return r.id[strings.LastIndexByte(r.id, '.')+1:] != r.obj.Name() }

// shown is the method for people: its key and its signature as one writes it.
func (r methodRow) shown(s *side) string {
	sig := types.TypeString(r.obj.Signature(), (*types.Package).Name)
	return s.shown.key(r.obj) + strings.TrimPrefix(sig, "func")
}

// methodTable is the method set of *T by the ids that the methods have.
func (m *meanings) methodTable(tn *types.TypeName) map[string]methodRow {
	set, own := types.NewMethodSet(types.NewPointer(tn.Type())), types.NewMethodSet(tn.Type())
	table := make(map[string]methodRow, set.Len())
	for i := range set.Len() {
		sel := set.At(i)
		fn := sel.Obj().(*types.Func)
		row := methodRow{fn, m.types.id(fn.Origin()), m.names.key(fn), m.types.text(sel.Type()), len(sel.Index()) > 1,
			own.Lookup(fn.Pkg(), fn.Name()) == nil}
		table[row.id[:strings.LastIndexByte(row.id, '.')+1]+fn.Name()] = row
	}
	return table
}

// promoted lists the methods that a declared type has by embedding, for its resolution hash.
func (m *meanings) promoted(tn *types.TypeName) []string {
	s, ok := tn.Type().Underlying().(*types.Struct)
	if !ok || !hasEmbedded(s) {
		return nil
	}
	var list []string
	for _, row := range m.methodTable(tn) {
		if row.promoted {
			list = append(list, row.id+" "+row.key+row.sig)
		}
	}
	slices.Sort(list)
	return list
}

func hasEmbedded(s *types.Struct) bool {
	for f := range s.Fields() {
		if f.Embedded() {
			return true
		}
	}
	return false
}
