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
	maps         map[string]*fileMap // by candidate file
	renames      map[[2]string]bool  // (old last name, new last name)
	moved        map[string]string
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

// compareUnits lists the changes between base and cand. spans are the surviving pieces by candidate path, moved maps
// base paths to candidate paths; a file that spans leaves out is compared as it is when its bytes are equal in both, and
// counts as written anew otherwise.
func compareUnits(base, cand *Unit, spans Spans, renames []Rename, moved map[string]string) []Change {
	c := &comparison{maps: map[string]*fileMap{}, renames: map[[2]string]bool{}, moved: moved,
		seenConst: map[string]bool{}, changedIdent: map[[2]int]bool{}}
	for _, r := range renames {
		c.renames[[2]string{r.Sym[strings.LastIndexByte(r.Sym, '.')+1:], r.To}] = true
	}
	c.base = newSide(base, nil, c.baseAt)
	c.cand = newSide(cand, inverseOf(renames), c.candAt)
	c.base.shown.local = c.showLocal(&c.base, "gone")
	c.cand.shown.local = c.showLocal(&c.cand, "new")
	pairs := c.pairFiles(spans)
	for _, p := range pairs {
		c.compareFile(p[0], p[1])
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

// candName is the path that a base file has in the candidate.
func (c *comparison) candName(base string) string {
	if to, ok := c.moved[base]; ok {
		return to
	}
	return base
}

// pairFiles matches files of base and candidate and makes the maps between them.
func (c *comparison) pairFiles(spans Spans) [][2]int {
	var pairs [][2]int
	for i, name := range c.base.Names {
		name = c.candName(name)
		j := slices.Index(c.cand.Names, name)
		if j < 0 {
			continue
		}
		if bytes.Equal(c.base.Src[i], c.cand.Src[j]) {
			c.maps[name] = identityMap(len(c.base.Src[i]))
		} else {
			m := newFileMap(spans[name])
			if len(c.renames) > 0 {
				m.pairRenamed(c.base.Src[i], c.cand.Src[j], func(from, to string) bool { return c.renames[[2]string{from, to}] })
			}
			c.maps[name] = m
		}
		pairs = append(pairs, [2]int{i, j})
	}
	return pairs
}

// baseAt names a base position by where it is in the candidate; what the edit rewrote, by its hole.
func (c *comparison) baseAt(pos token.Pos, name string) string {
	i, off := c.base.files.find(pos)
	if i < 0 {
		return "?"
	}
	file := c.candName(c.base.Names[i])
	m := c.maps[file]
	if m == nil {
		return "gone"
	}
	if to, ok := m.forward(off, len(name)); ok {
		return file + ":" + strconv.Itoa(to)
	}
	return holeKey(file, m.holeAt(off), name)
}

// candAt names a candidate position in the same way.
func (c *comparison) candAt(pos token.Pos, name string) string {
	j, off := c.cand.files.find(pos)
	if j < 0 {
		return "?"
	}
	file := c.cand.Names[j]
	m := c.maps[file]
	if m == nil {
		return "new"
	}
	if m.survivor(off) {
		return file + ":" + strconv.Itoa(off)
	}
	return holeKey(file, m.holeAtCand(off), name)
}

func holeKey(file string, h hole, name string) string {
	return file + ":" + strconv.Itoa(h.left) + "-" + strconv.Itoa(h.right) + ":" + name
}

// compareFile compares the sites of one file.
func (c *comparison) compareFile(i, j int) {
	name := c.cand.Names[j]
	m := c.maps[name]
	if len(m.byBase)+len(m.renamed) == 0 {
		return
	}
	edited := !bytes.Equal(c.base.Src[i], c.cand.Src[j])
	candSites := sitesOf(c.cand.Files[j], c.cand.Info, edited)
	index := indexSites(candSites, c.cand.Files[j].FileStart)
	baseSites := sitesOf(c.base.Files[i], c.base.Info, edited)
	for k := range baseSites {
		s := &baseSites[k]
		off := int(s.pos - c.base.Files[i].FileStart)
		to, ok := m.forward(off, siteLen(s))
		if !ok {
			continue
		}
		if t := index.find(s, to); t != nil {
			c.compareSite(s, t, i, off, j, to)
		}
	}
	if edited {
		c.compareImports(i, j)
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
func (c *comparison) compareSite(s, t *site, i, off, j, to int) {
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
		c.changedIdent[[2]int{i, off}] = true
	}
	kind := changeKinds[s.kind]
	if t.kind == siteSelection && s.kind <= siteSelection {
		kind = changeKinds[siteSelection]
	}
	c.report(kind, siteName(s), c.show(&c.base, s), c.show(&c.cand, t), i, off, j, to)
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
	case siteConst:
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
		file := side.Names[i]
		var survives bool
		if side == &c.base {
			if m := c.maps[c.candName(file)]; m != nil {
				_, survives = m.forward(off, len(obj.Name()))
			}
		} else if m := c.maps[file]; m != nil {
			survives = m.survivor(off)
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

func (c *comparison) report(kind, name, old, new string, i, off, j, to int) {
	p := c.cand.Fset.PositionFor(c.cand.Files[j].FileStart+token.Pos(to), false)
	c.changes = append(c.changes, Change{Kind: kind, File: c.cand.Names[j], Line: p.Line, Col: p.Column,
		Offset: to, BaseOffset: off, Name: name, Old: old, New: new})
}

// isConsequence says that a change follows from another meaning of the identifier at the same place.
func (c *comparison) isConsequence(ch Change) bool {
	switch ch.Kind {
	case "const", "instance", "type":
		for i, name := range c.base.Names {
			if c.candName(name) == ch.File {
				return c.changedIdent[[2]int{i, ch.BaseOffset}]
			}
		}
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
			c.report("import", path, old[path], now[path], i, importOffset(c.base.Files[i], path), j,
				importOffset(c.cand.Files[j], path))
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
