package main

import (
	"bytes"
	"go/scanner"
	"go/token"
	"slices"
)

// This file follows positions of a base file into its candidate, through the pieces that an edit left alone.
//
// Invariant: a byte survives when it lies in a piece; what lies between two pieces of the base and between the same two
// of the candidate is one hole, which the edit wrote.

// piece is a run of surviving bytes.
type piece struct{ base, cand, n int }

// fileMap holds the pieces of one file, and the identifiers that were renamed in the holes between them.
type fileMap struct {
	byBase, byCand []piece
	renamed        map[int]int // base offset -> candidate offset
	renamedCand    map[int]bool
}

// identityMap is the map of a file of n bytes that was not edited.
func identityMap(n int) *fileMap { return newFileMap([][3]int{{0, 0, n}}) }

// newFileMap sorts the pieces and joins those that touch on both sides.
func newFileMap(spans [][3]int) *fileMap {
	pieces := make([]piece, 0, len(spans))
	for _, s := range spans {
		if s[2] > 0 {
			pieces = append(pieces, piece{s[0], s[1], s[2]})
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return a.base - b.base })
	joined := pieces[:0]
	for _, p := range pieces {
		if k := len(joined) - 1; k >= 0 && joined[k].base+joined[k].n == p.base && joined[k].cand+joined[k].n == p.cand {
			joined[k].n += p.n
			continue
		}
		joined = append(joined, p)
	}
	byCand := slices.Clone(joined)
	slices.SortFunc(byCand, func(a, b piece) int { return a.cand - b.cand })
	return &fileMap{byBase: joined, byCand: byCand}
}

// forward maps n bytes of the base; ok is false when they do not lie in one piece and are no renamed identifier.
func (m *fileMap) forward(off, n int) (cand int, ok bool) {
	if cand, ok = m.renamed[off]; ok {
		return cand, true
	}
	i := m.before(off)
	if i < 0 || off+n > m.byBase[i].base+m.byBase[i].n {
		return 0, false
	}
	return off - m.byBase[i].base + m.byBase[i].cand, true
}

// before is the index of the last piece that starts at or before a base offset, -1 without one.
func (m *fileMap) before(off int) int {
	i, found := slices.BinarySearchFunc(m.byBase, off, func(p piece, off int) int { return p.base - off })
	if found {
		return i
	}
	return i - 1
}

// beforeCand is the same for a candidate offset, in byCand.
func (m *fileMap) beforeCand(off int) int {
	i, found := slices.BinarySearchFunc(m.byCand, off, func(p piece, off int) int { return p.cand - off })
	if found {
		return i
	}
	return i - 1
}

// survivor says that a candidate byte lies in a piece or starts a renamed identifier.
func (m *fileMap) survivor(cand int) bool {
	if m.renamedCand[cand] {
		return true
	}
	i := m.beforeCand(cand)
	return i >= 0 && cand < m.byCand[i].cand+m.byCand[i].n
}

// hole names what lies between two pieces; the same hole has the same pieces around it on both sides. Offsets are of
// the candidate, -1 at an end of the file.
type hole struct{ left, right int }

// holeAt is the hole that a base offset lies in.
func (m *fileMap) holeAt(off int) hole { return holeAfter(m.byBase, m.before(off)) }

// holeAtCand is the hole that a candidate offset lies in.
func (m *fileMap) holeAtCand(off int) hole { return holeAfter(m.byCand, m.beforeCand(off)) }

func holeAfter(pieces []piece, i int) hole {
	h := hole{-1, -1}
	if i >= 0 {
		h.left = pieces[i].cand
	}
	if i+1 < len(pieces) {
		h.right = pieces[i+1].cand
	}
	return h
}

// pairRenamed lets the identifiers of holes that were renamed in place survive: a hole counts when both of its sides are
// the same tokens but for identifiers that renamed accepts.
func (m *fileMap) pairRenamed(base, cand []byte, renamed func(from, to string) bool) {
	type stretch struct{ from, to int }
	candHoles := map[hole]stretch{}
	for i := -1; i < len(m.byCand); i++ {
		candHoles[holeAfter(m.byCand, i)] = stretch{endOf(m.byCand, i, false), startOf(m.byCand, i+1, len(cand), false)}
	}
	pairs := map[int]int{}
	m.renamedCand = map[int]bool{}
	for i := -1; i < len(m.byBase); i++ {
		c, ok := candHoles[holeAfter(m.byBase, i)]
		if !ok {
			continue
		}
		from, to := endOf(m.byBase, i, true), startOf(m.byBase, i+1, len(base), true)
		pairTokens(pairs, base, cand, from, to, c.from, c.to, renamed)
	}
	for _, to := range pairs {
		m.renamedCand[to] = true
	}
	m.renamed = pairs
}

func endOf(pieces []piece, i int, base bool) int {
	if i < 0 {
		return 0
	}
	if base {
		return pieces[i].base + pieces[i].n
	}
	return pieces[i].cand + pieces[i].n
}

func startOf(pieces []piece, i, end int, base bool) int {
	if i >= len(pieces) {
		return end
	}
	if base {
		return pieces[i].base
	}
	return pieces[i].cand
}

// pairTokens adds the renamed identifiers of one hole to pairs. The stretches are first widened to whole tokens, as a
// piece may share letters with a new name.
func pairTokens(pairs map[int]int, base, cand []byte, from, to, candFrom, candTo int, renamed func(from, to string) bool) {
	for from > 0 && candFrom > 0 && isWordByte(base[from-1]) && base[from-1] == cand[candFrom-1] {
		from, candFrom = from-1, candFrom-1
	}
	for to < len(base) && candTo < len(cand) && isWordByte(base[to]) && base[to] == cand[candTo] {
		to, candTo = to+1, candTo+1
	}
	if from >= to || candFrom >= candTo {
		return
	}
	a, b := tokensOf(base[from:to]), tokensOf(cand[candFrom:candTo])
	if len(a) != len(b) {
		return
	}
	for i := range a {
		same := a[i].tok == b[i].tok && bytes.Equal(a[i].text, b[i].text)
		if !same && !(a[i].tok == token.IDENT && b[i].tok == token.IDENT && renamed(string(a[i].text), string(b[i].text))) {
			return
		}
	}
	for i := range a {
		if a[i].tok == token.IDENT {
			pairs[from+a[i].off] = candFrom + b[i].off
		}
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// lexeme is a token or comment of a text.
type lexeme struct {
	tok  token.Token
	off  int
	text []byte
}

// tokensOf scans a text; semicolons that the scanner inserts are left out.
func tokensOf(src []byte) []lexeme {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	var list []lexeme
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return list
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		off := file.Offset(pos)
		list = append(list, lexeme{tok, off, src[off : off+lexemeLen(src[off:], tok, lit)]})
	}
}

// lexemeLen is the length of a token in the source; the scanner's literal lacks the carriage returns of comments and
// raw strings.
func lexemeLen(rest []byte, tok token.Token, lit string) int {
	n := len(lit)
	switch {
	case tok == token.COMMENT && lit[1] == '/':
		n = len(rest)
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			n = i
		}
		return len(bytes.TrimSuffix(rest[:n], []byte("\r")))
	case tok == token.COMMENT:
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			n = i + 4
		}
	case tok == token.STRING && lit[0] == '`':
		if i := bytes.IndexByte(rest[1:], '`'); i >= 0 {
			n = i + 2
		}
	case lit == "":
		n = len(tok.String())
	}
	return min(n, len(rest))
}
