package main

import (
	"bytes"
	"slices"
)

// This file says which text of a base unit stands where in a candidate unit: in the same file, in a file of another
// name, or, piece by piece, in other files, also of other packages.
//
// Invariant: a byte of the base has one place in the candidate at most.

// trails are the survivors of a request: what each edited file kept of its own, and what moved between files.
type trails struct {
	spans   Spans
	renamed map[string]string // files that changed their name or place, base -> candidate
	moved   []MovedText
}

// trails collects the survivors. A file that is gone and whose text went to one new file was moved as a whole.
func (p *checkParams) trails() *trails {
	t := &trails{spans: Spans{}, renamed: map[string]string{}}
	for file, pieces := range p.Spans {
		t.spans[file] = pieces
	}
	for from, to := range p.FilesMoved {
		t.renamed[from] = to
	}
	for _, m := range p.Moved {
		if p.movesWhole(m) {
			t.renamed[m.From] = m.To
			t.spans[m.To] = m.Pieces
		} else {
			t.moved = append(t.moved, m)
		}
	}
	return t
}

func (p *checkParams) movesWhole(m MovedText) bool {
	if source, ok := p.Overlay[m.From]; !ok || !source.Deleted || len(p.Spans[m.To]) > 0 {
		return false
	}
	return !slices.ContainsFunc(p.Moved, func(o MovedText) bool {
		return (o.From == m.From) != (o.To == m.To)
	})
}

// links are the pieces that went from one file to another.
func (t *trails) links() []MovedText {
	list := slices.Clone(t.moved)
	for from, to := range t.renamed {
		list = append(list, MovedText{from, to, t.spans[to]})
	}
	return list
}

// candName is the path that a base file has in the candidate.
func (t *trails) candName(base string) string {
	if to, ok := t.renamed[base]; ok {
		return to
	}
	return base
}

// basePlace finds where a byte of a candidate file stood in the base; ok is false for what the edit wrote there.
func (t *trails) basePlace(file string, offset int) (base string, at int, ok bool) {
	base = file
	for from, to := range t.renamed {
		if to == file {
			base = from
		}
	}
	if at, ok = offsetBefore(t.spans[file], offset); ok {
		return base, at, true
	}
	for _, m := range t.moved {
		if m.To == file {
			if at, ok = offsetBefore(m.Pieces, offset); ok {
				return m.From, at, true
			}
		}
	}
	return base, 0, false
}

func offsetBefore(pieces [][3]int, offset int) (int, bool) {
	for _, p := range pieces {
		if offset >= p[1] && offset < p[1]+p[2] {
			return offset - p[1] + p[0], true
		}
	}
	return 0, false
}

// route is what of a base file stands in a candidate file.
type route struct {
	i, j int // files of the base unit and of the candidate unit
	m    *fileMap
	own  bool // the candidate file is the base file, perhaps by another name
}

// findRoutes makes the routes between two units.
func (c *comparison) findRoutes(t *trails) {
	add := func(i, j int, pieces [][3]int, own bool) {
		base, cand := c.base.Src[i], c.cand.Src[j]
		m := newFileMap(pieces)
		if own && bytes.Equal(base, cand) {
			m = identityMap(len(base))
		} else if len(c.renames) > 0 {
			m.pairRenamed(base, cand, func(from, to string) bool { return c.renames[[2]string{from, to}] })
		}
		r := &route{i, j, m, own}
		c.routes = append(c.routes, r)
		c.from[i], c.into[j] = append(c.from[i], r), append(c.into[j], r)
	}
	for i, name := range c.base.Names {
		if j := slices.Index(c.cand.Names, t.candName(name)); j >= 0 && !c.across {
			add(i, j, t.spans[c.cand.Names[j]], true)
		}
	}
	links := t.moved
	if c.across {
		links = t.links()
	}
	for _, m := range links {
		i, j := slices.Index(c.base.Names, m.From), slices.Index(c.cand.Names, m.To)
		if i >= 0 && j >= 0 {
			add(i, j, m.Pieces, false)
		}
	}
}

// forward finds where n bytes of a base file stand in the candidate.
func (c *comparison) forward(i, off, n int) (j, to int, ok bool) {
	for _, r := range c.from[i] {
		if to, ok := r.m.forward(off, n); ok {
			return r.j, to, true
		}
	}
	return 0, 0, false
}

// survivor says that a byte of a candidate file is not the edit's.
func (c *comparison) survivor(j, off int) bool {
	return slices.ContainsFunc(c.into[j], func(r *route) bool { return r.m.survivor(off) })
}

// ownRoute finds the route of a file to itself among routes.
func ownRoute(routes []*route) *route {
	for _, r := range routes {
		if r.own {
			return r
		}
	}
	return nil
}
