package main

import (
	"bytes"
	"go/token"
	"slices"
)

// This file aligns a text with its formatted form: which bytes are the same. gofmt changes white space, sorts imports,
// puts an import block in the form of its doc comment, and moves few tokens otherwise; so equal tokens are matched in order, and import
// specs by their text.

// alignTexts lists [old start, new start, length] of the bytes that both texts have; nil for equal texts means one
// piece over all.
func alignTexts(old, now []byte) [][3]int {
	if bytes.Equal(old, now) {
		if len(old) == 0 {
			return [][3]int{}
		}
		return [][3]int{{0, 0, len(old)}}
	}
	a, b := tokensOf(old), tokensOf(now)
	pairs := alignTokens(a, b)
	pieces := make([][3]int, 0, len(pairs))
	for _, p := range pairs {
		x, y := a[p[0]], b[p[1]]
		if bytes.Equal(x.text, y.text) {
			pieces = append(pieces, [3]int{x.off, y.off, len(x.text)})
			continue
		}
		// A comment whose inner white space changed: its equal lines.
		pieces = append(pieces, alignLines(x, y)...)
	}
	return joinPieces(pieces, old, now)
}

// alignTokens pairs the tokens of two texts: from both ends, then the rest by import spec or longest common run.
func alignTokens(a, b []lexeme) [][2]int {
	var pairs [][2]int
	lo := 0
	for lo < len(a) && lo < len(b) && sameLexeme(a[lo], b[lo]) {
		pairs = append(pairs, [2]int{lo, lo})
		lo++
	}
	endA, endB := len(a), len(b)
	for endA > lo && endB > lo && sameLexeme(a[endA-1], b[endB-1]) {
		endA, endB = endA-1, endB-1
		pairs = append(pairs, [2]int{endA, endB})
	}
	return append(pairs, alignMiddle(a, b, lo, endA, endB)...)
}

// alignMiddle pairs what differs in the middle by the longest common subsequence; import strings that were sorted cross
// it and are paired by their text.
func alignMiddle(a, b []lexeme, lo, endA, endB int) [][2]int {
	n, m := endA-lo, endB-lo
	if n == 0 || m == 0 {
		return nil
	}
	var pairs [][2]int
	usedA, usedB := make([]bool, n), make([]bool, m)
	for _, p := range commonTokens(a[lo:endA], b[lo:endB]) {
		usedA[p[0]], usedB[p[1]] = true, true
		pairs = append(pairs, [2]int{lo + p[0], lo + p[1]})
	}
	for i := range n {
		if tok := a[lo+i].tok; usedA[i] || tok != token.STRING && tok != token.COMMENT {
			continue
		}
		for j := range m {
			if !usedB[j] && sameLexeme(a[lo+i], b[lo+j]) {
				usedA[i], usedB[j] = true, true
				pairs = append(pairs, [2]int{lo + i, lo + j})
				break
			}
		}
	}
	return pairs
}

// maxTable bounds the cells of the table behind commonTokens; above it tokens are paired greedily.
const maxTable = 4 << 20

// commonTokens is the longest common subsequence of two token lists.
func commonTokens(a, b []lexeme) [][2]int {
	n, m := len(a), len(b)
	if n*m > maxTable {
		return greedyTokens(a, b)
	}
	table := make([]int32, (n+1)*(m+1))
	at := func(i, j int) *int32 { return &table[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if sameLexeme(a[i], b[j]) {
				*at(i, j) = *at(i+1, j+1) + 1
			} else {
				*at(i, j) = max(*at(i+1, j), *at(i, j+1))
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case sameLexeme(a[i], b[j]):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case *at(i+1, j) >= *at(i, j+1):
			i++
		default:
			j++
		}
	}
	return pairs
}

// resyncWindow is how far greedyTokens looks for the next common token.
const resyncWindow = 64

func greedyTokens(a, b []lexeme) [][2]int {
	var pairs [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		if sameLexeme(a[i], b[j]) {
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
			continue
		}
		skip := func(list []lexeme, from int, want lexeme) int {
			k := slices.IndexFunc(list[from:min(from+resyncWindow, len(list))], func(x lexeme) bool { return sameLexeme(x, want) })
			if k < 0 {
				return resyncWindow
			}
			return k
		}
		if skip(b, j, a[i]) <= skip(a, i, b[j]) && skip(b, j, a[i]) < resyncWindow {
			j += skip(b, j, a[i])
		} else if k := skip(a, i, b[j]); k < resyncWindow {
			i += k
		} else {
			i, j = i+1, j+1
		}
	}
	return pairs
}

// sameLexeme compares tokens; comments by their words, as gofmt reindents them.
func sameLexeme(a, b lexeme) bool {
	if a.tok != b.tok {
		return false
	}
	if a.tok == token.COMMENT && !bytes.Equal(a.text, b.text) {
		return slices.EqualFunc(bytes.Fields(a.text), bytes.Fields(b.text), bytes.Equal)
	}
	return bytes.Equal(a.text, b.text)
}

// alignLines pairs the lines of two forms of a comment, without the white space around them.
func alignLines(a, b lexeme) [][3]int {
	linesA, linesB := bytes.SplitAfter(a.text, []byte("\n")), bytes.SplitAfter(b.text, []byte("\n"))
	if len(linesA) != len(linesB) {
		return nil
	}
	var pieces [][3]int
	offA, offB := a.off, b.off
	for i := range linesA {
		textA, textB := bytes.TrimSpace(linesA[i]), bytes.TrimSpace(linesB[i])
		if len(textA) > 0 && bytes.Equal(textA, textB) {
			pieces = append(pieces, [3]int{offA + bytes.Index(linesA[i], textA), offB + bytes.Index(linesB[i], textB), len(textA)})
		}
		offA, offB = offA+len(linesA[i]), offB+len(linesB[i])
	}
	return pieces
}

// joinPieces sorts pieces and joins neighbours that have the same bytes between them on both sides.
func joinPieces(pieces [][3]int, old, now []byte) [][3]int {
	slices.SortFunc(pieces, func(a, b [3]int) int { return a[0] - b[0] })
	joined := pieces[:0]
	for _, p := range pieces {
		if k := len(joined) - 1; k >= 0 {
			last := &joined[k]
			endOld, endNow := last[0]+last[2], last[1]+last[2]
			if gap := p[0] - endOld; gap >= 0 && p[1]-endNow == gap && bytes.Equal(old[endOld:p[0]], now[endNow:p[1]]) {
				last[2] += gap + p[2]
				continue
			}
		}
		joined = append(joined, p)
	}
	return widenEnds(joined, old, now)
}

// widenEnds takes equal white space at both ends of the texts into the outer pieces.
func widenEnds(pieces [][3]int, old, now []byte) [][3]int {
	if len(pieces) == 0 {
		return [][3]int{}
	}
	if p := &pieces[0]; p[0] == p[1] && bytes.Equal(old[:p[0]], now[:p[1]]) {
		*p = [3]int{0, 0, p[0] + p[2]}
	}
	p := &pieces[len(pieces)-1]
	if tail := old[p[0]+p[2]:]; bytes.Equal(tail, now[p[1]+p[2]:]) {
		p[2] += len(tail)
	}
	return pieces
}
