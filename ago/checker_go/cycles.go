package main

import "slices"

// This file finds import cycles.

// findCycles numbers the import cycles of the source set; packages outside any are absent.
func findCycles(g *Graph) map[string]int {
	f := cycleFinder{g: g, index: map[string]int{}, low: map[string]int{}, onStack: map[string]bool{}, cycles: map[string]int{}}
	for path, p := range g.Packages {
		if p.Source && f.index[path] == 0 {
			f.visit(p)
		}
	}
	return f.cycles
}

// cycleFinder is Tarjan's algorithm for strongly connected components.
type cycleFinder struct {
	g          *Graph
	index, low map[string]int
	onStack    map[string]bool
	stack      []string
	cycles     map[string]int
	found      int
}

func (f *cycleFinder) visit(p *Package) {
	n := len(f.index) + 1
	f.index[p.Path], f.low[p.Path] = n, n
	f.stack = append(f.stack, p.Path)
	f.onStack[p.Path] = true
	own := false
	for _, imp := range p.Imports {
		q := f.g.Packages[p.Resolve(imp)]
		switch {
		case q == nil || !q.Source:
		case f.index[q.Path] == 0:
			f.visit(q)
			f.low[p.Path] = min(f.low[p.Path], f.low[q.Path])
		case f.onStack[q.Path]:
			own = own || q == p
			f.low[p.Path] = min(f.low[p.Path], f.index[q.Path])
		}
	}
	if f.low[p.Path] != f.index[p.Path] {
		return
	}
	i := slices.Index(f.stack, p.Path)
	component := f.stack[i:]
	f.stack = f.stack[:i]
	f.found++
	for _, path := range component {
		f.onStack[path] = false
		if len(component) > 1 || own {
			f.cycles[path] = f.found
		}
	}
}
