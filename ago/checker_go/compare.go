package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// This file compares a unit with its candidate: which surviving identifiers, arguments and branches mean something
// else. Types and initialisation are compared in compare_unit.go.
//
// Invariant: what the edit wrote is never reported, only what it left alone.

// comparison is one base unit beside its candidate.
type comparison struct {
	base, cand   side
	across       bool // the units are of two packages, and only what moved between them is compared
	whole        bool // the one package is the other under a new path
	routes       []*route
	from, into   map[int][]*route   // by base file, by candidate file
	renames      map[[2]string]bool // (old last name, new last name)
	seenConst    map[string]bool
	changes      []Change
	changedIdent map[[2]int]bool // base file, offset
}

// side is one of the two units.
type side struct {
	*Unit
	files    fileIndex
	meanings *meanings
	shown    *namer // for people: real names, locals by line and column
}

// compareUnits lists the changes between base and cand, also when these are units of two packages between which text
// moved. A file that the trails leave out is compared as it is when its bytes are equal in both, and counts as written
// anew otherwise.
func compareUnits(base, cand *Unit, t *trails, renames []Rename, moves []Move) []Change {
	c := &comparison{from: map[int][]*route{}, into: map[int][]*route{}, renames: map[[2]string]bool{},
		across: base.Key != cand.Key, seenConst: map[string]bool{}, changedIdent: map[[2]int]bool{}}
	for _, r := range renames {
		c.renames[[2]string{r.Sym[strings.LastIndexByte(r.Sym, '.')+1:], r.To}] = true
	}
	c.base = newSide(base, nil, c.baseAt)
	inverse := inverseOf(renames, moves)
	c.whole = inverse[address{Pkg: cand.Types.Path()}].Pkg == base.Types.Path()
	c.cand = newSide(cand, inverse, c.candAt)
	if c.across {
		c.base.meanings.names.nested, c.cand.meanings.names.nested = "home", "home"
	}
	c.base.shown.local = c.showLocal(&c.base, "gone")
	c.cand.shown.local = c.showLocal(&c.cand, "new")
	c.findRoutes(t)
	for _, r := range c.routes {
		c.compareRoute(r)
	}
	c.changes = slices.DeleteFunc(c.changes, c.isConsequence)
	c.compareTypes()
	c.compareInit()
	for i := range c.changes {
		c.changes[i].Pkg, c.changes[i].Variant = cand.Key.Pkg, cand.Key.Variant
	}
	return c.changes
}

func newSide(u *Unit, inverse renameMap, at func(token.Pos, string) string) side {
	m := newMeanings(u, inverse)
	m.at = at
	m.names.local = localByPlace(u, at)
	return side{u, newFileIndex(u.Files), m, newNamer(u.Types, nil)}
}

// localByPlace keys a local by where it is declared, a variable of a type switch also by its clause.
func localByPlace(u *Unit, at func(token.Pos, string) string) func(types.Object) string {
	clauses := map[types.Object]ast.Node{}
	for n, obj := range u.Info.Implicits {
		if clause, ok := n.(*ast.CaseClause); ok {
			clauses[obj] = clause
		}
	}
	return func(obj types.Object) string {
		key := "local@" + at(obj.Pos(), obj.Name())
		if clause := clauses[obj]; clause != nil {
			key += "/" + at(clause.Pos(), "case")
		}
		return key
	}
}

// baseAt names a base position by where it is in the candidate; what the edit rewrote, by its hole.
func (c *comparison) baseAt(pos token.Pos, name string) string {
	i, off := c.base.files.find(pos)
	if i < 0 {
		return "?"
	}
	if j, to, ok := c.forward(i, off, len(name)); ok {
		return c.cand.Names[j] + ":" + strconv.Itoa(to)
	}
	if r := ownRoute(c.from[i]); r != nil {
		return holeKey(c.cand.Names[r.j], r.m.holeAt(off), name)
	}
	return "gone"
}

// candAt names a candidate position in the same way.
func (c *comparison) candAt(pos token.Pos, name string) string {
	j, off := c.cand.files.find(pos)
	if j < 0 {
		return "?"
	}
	if c.survivor(j, off) {
		return c.cand.Names[j] + ":" + strconv.Itoa(off)
	}
	if r := ownRoute(c.into[j]); r != nil {
		return holeKey(c.cand.Names[j], r.m.holeAtCand(off), name)
	}
	return "new"
}

func holeKey(file string, h hole, name string) string {
	return file + ":" + strconv.Itoa(h.left) + "-" + strconv.Itoa(h.right) + ":" + name
}

// compareRoute compares the sites of a base file that stand in a candidate file.
func (c *comparison) compareRoute(r *route) {
	if len(r.m.byBase)+len(r.m.renamed) == 0 {
		return
	}
	base, cand := c.base.Files[r.i], c.cand.Files[r.j]
	edited := !bytes.Equal(c.base.Src[r.i], c.cand.Src[r.j])
	candSites := sitesOf(cand, c.cand.Info, edited)
	index := indexSites(candSites, cand.FileStart)
	baseSites := sitesOf(base, c.base.Info, edited)
	for k := range baseSites {
		s := &baseSites[k]
		off := int(s.pos - base.FileStart)
		to, ok := r.m.forward(off, siteLen(s))
		if !ok {
			continue
		}
		if t := index.find(s, to); t != nil {
			c.compareSite(s, t, passage{r.i, off, r.j, to})
		}
	}
	if edited && r.own {
		c.compareImports(r.i, r.j)
	}
}

func siteLen(s *site) int {
	if s.id != nil {
		return len(s.id.Name)
	}
	return 1
}

// siteIndex finds sites by kind and candidate offset.
type siteIndex map[siteAt]*site

type siteAt struct {
	kind siteKind
	off  int
}

func indexSites(sites []site, start token.Pos) siteIndex {
	index := make(siteIndex, len(sites))
	for i := range sites {
		index[siteAt{sites[i].kind, int(sites[i].pos - start)}] = &sites[i]
	}
	return index
}

// find is the counterpart of a base site. An identifier may have come to declare where it referred, or the reverse.
func (x siteIndex) find(s *site, off int) *site {
	if t := x[siteAt{s.kind, off}]; t != nil {
		return t
	}
	if s.kind > siteSelection {
		return nil
	}
	for _, kind := range []siteKind{siteUse, siteSelection, siteDef} {
		if t := x[siteAt{kind, off}]; t != nil {
			return t
		}
	}
	return nil
}

// compareSite records a change when base site s and its counterpart t differ.
func (c *comparison) compareSite(s, t *site, at passage) {
	if s.id != nil && s.id.Name != t.id.Name && !c.renames[[2]string{s.id.Name, t.id.Name}] {
		return // the edit wrote letters of this identifier
	}
	if !c.differ(s, t) {
		return
	}
	if s.kind == siteConst {
		key := c.base.meanings.names.key(s.obj)
		if c.seenConst[key] {
			return
		}
		c.seenConst[key] = true
	}
	if s.kind <= siteSelection {
		c.changedIdent[[2]int{at.i, at.off}] = true
	}
	kind := changeKinds[s.kind]
	if t.kind == siteSelection && s.kind <= siteSelection {
		kind = changeKinds[siteSelection]
	}
	c.report(kind, siteName(s), c.show(&c.base, s), c.show(&c.cand, t), at)
}

// differ says whether two sites mean different things.
func (c *comparison) differ(s, t *site) bool {
	switch s.kind {
	case siteElement:
		if len(s.node.(*ast.CompositeLit).Elts) != len(t.node.(*ast.CompositeLit).Elts) {
			return false // the edit rewrote the literal
		}
	case siteArg:
		if len(s.node.(*ast.CallExpr).Args) != len(t.node.(*ast.CallExpr).Args) {
			return false // the edit rewrote the call
		}
		if c.swapped(s, t) {
			return true
		}
	}
	old, now := c.base.meanings.of(s), c.cand.meanings.of(t)
	return old != now && !strings.Contains(now, invalidType) // an invalid type has a diagnostic of its own
}

var invalidType = types.Typ[types.Invalid].Name()

// swapped says that an argument goes to a parameter whose name belonged to another one before.
func (c *comparison) swapped(s, t *site) bool {
	if s.obj.Name() == t.obj.Name() {
		return false
	}
	sig := calledSignature(c.base.Info, s.node.(*ast.CallExpr))
	for i := range sig.Params().Len() {
		if name := sig.Params().At(i).Name(); i != s.index && name != "" && name != "_" && name == t.obj.Name() {
			return true
		}
	}
	return false
}

// siteName is what people call the site.
func siteName(s *site) string {
	switch {
	case s.id != nil:
		return s.id.Name
	case s.obj != nil:
		return s.obj.Name()
	}
	return ""
}

// show is the meaning of a site for people.
func (c *comparison) show(side *side, s *site) string {
	switch s.kind {
	case siteSelection:
		shown := meanings{names: side.shown}
		return shown.selection(s.sel)
	case siteInstance, siteInferred, siteArg:
		if s.kind == siteArg {
			return s.obj.Name() + " " + newCanon(side.shown).text(s.typ)
		}
		return newCanon(side.shown).text(s.typ)
	case siteConst, siteLoop, siteBoxed:
		return side.meanings.of(s)
	case siteControl:
		return nodeWord(s.node) + side.shownAt(s.node.Pos())
	}
	return side.shown.key(s.obj)
}

// showLocal names an object of a function by line and column, or says that the edit took or brought it.
func (c *comparison) showLocal(side *side, written string) func(obj types.Object) string {
	return func(obj types.Object) string {
		i, off := side.files.find(obj.Pos())
		if i < 0 {
			return "?"
		}
		survives := side == &c.cand && c.survivor(i, off)
		if side == &c.base {
			_, _, survives = c.forward(i, off, len(obj.Name()))
		}
		if !survives {
			return written
		}
		return "local" + side.shownAt(obj.Pos())
	}
}

// shownAt is @line:column of a position.
func (s *side) shownAt(pos token.Pos) string {
	p := s.Fset.PositionFor(pos, false)
	return "@" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// passage is where something stands in the base unit (file and offset) and in the candidate unit.
type passage struct{ i, off, j, to int }

func (c *comparison) report(kind, name, old, new string, at passage) {
	p := c.cand.Fset.PositionFor(c.cand.Files[at.j].FileStart+token.Pos(at.to), false)
	c.changes = append(c.changes, Change{Kind: kind, File: c.cand.Names[at.j], Line: p.Line, Col: p.Column,
		Offset: at.to, BaseOffset: at.off, Name: name, Old: old, New: new, baseFile: at.i})
}

// isConsequence says that a change follows from another meaning of the identifier at the same place.
func (c *comparison) isConsequence(ch Change) bool {
	switch ch.Kind {
	case "const", "instance", "type":
		return c.changedIdent[[2]int{ch.baseFile, ch.BaseOffset}]
	}
	return false
}

// compareImports reports import paths that a file gained or lost, or uses by another name.
func (c *comparison) compareImports(i, j int) {
	old, now := importSet(c.base.Files[i], c.base.Info), importSet(c.cand.Files[j], c.cand.Info)
	paths := map[string]string{}
	for path := range old {
		paths[path] = ""
	}
	for path := range now {
		paths[path] = ""
	}
	for path := range sortedMap(paths) {
		if old[path] != now[path] {
			c.report("import", path, old[path], now[path],
				passage{i, importOffset(c.base.Files[i], path), j, importOffset(c.cand.Files[j], path)})
		}
	}
}

// importOffset is where a file imports path, or its package name when it does not.
func importOffset(f *ast.File, path string) int {
	for _, spec := range f.Imports {
		if spec.Path.Value == strconv.Quote(path) {
			return int(spec.Pos() - f.FileStart)
		}
	}
	return int(f.Name.Pos() - f.FileStart)
}
