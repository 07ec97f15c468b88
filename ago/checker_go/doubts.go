package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/types"
	"slices"
	"strings"
	"sync"
)

// This file knows what the build lacks: packages that no module here provides, because a module is not downloaded, go.sum
// does not vouch for it, or nothing requires it. What imports one of them, directly or not, is in doubt: go/types takes
// every use of an unknown type for right.
//
// Invariant: a package that is in doubt is never passed off as proved.

// absentPackage is an import path of the build that means nothing here.
type absentPackage struct {
	Path string `json:"path"`
	// Why is what the go command says of it, Mend the call that cures it; empty when no single one is known to.
	Why  string   `json:"why"`
	Mend []string `json:"mend"`
	// By are the packages that import it themselves.
	By []string `json:"by"`
}

// absent says why an import path means nothing here; "" for one that does, and for a package that the workspace itself
// should have: that is no matter of dependencies.
func (g *Graph) absent(path string) string {
	why := g.Missing[path]
	if why == "" || g.Packages[path] != nil {
		return ""
	}
	own := slices.ContainsFunc(g.Modules, func(m *Module) bool {
		return m.Main && (path == m.Path || strings.HasPrefix(path, m.Path+"/"))
	})
	// A module may lie in the folder of another one: then the go command looks for that.
	if own && mendFor(why) == nil {
		return ""
	}
	return why
}

// lacksSome says that there is an absent package.
func (g *Graph) lacksSome() bool {
	for path := range g.Missing {
		if g.absent(path) != "" {
			return true
		}
	}
	return false
}

// absents lists what the packages of the graph import in vain.
func (g *Graph) absents() []absentPackage {
	list := []absentPackage{}
	by := map[string][]string{}
	for path := range g.Missing {
		if g.absent(path) != "" {
			by[path] = []string{}
		}
	}
	if len(by) == 0 {
		return list
	}
	for _, importer := range keysOf(g.Packages) {
		p := g.Packages[importer]
		for _, imp := range slices.Compact(slices.Sorted(slices.Values(p.allDirects()))) {
			if _, ok := by[imp]; ok {
				by[imp] = append(by[imp], importer)
			}
		}
	}
	for _, path := range keysOf(by) {
		if len(by[path]) > 0 { // an edit may have dropped the import
			why := g.Missing[path]
			list = append(list, absentPackage{path, why, orEmpty(mendFor(why)), by[path]})
		}
	}
	return list
}

// mostDoubts bounds how many absent packages are named for one that is in doubt.
const mostDoubts = 3

// doubts finds what packages of one graph lack.
type doubts struct {
	g     *Graph
	none  bool // the graph lacks nothing
	mu    sync.Mutex
	known map[string][]string
}

func newDoubts(g *Graph) *doubts {
	return &doubts{g: g, none: !g.lacksSome(), known: map[string][]string{}}
}

// of lists absent packages that a package imports, directly or not, tests aside.
func (d *doubts) of(path string) []string {
	if d.none {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.find(path)
}

func (d *doubts) find(path string) []string {
	if found, ok := d.known[path]; ok {
		return found
	}
	if d.g.absent(path) != "" {
		return []string{path}
	}
	d.known[path] = nil // also ends cycles
	if p := d.g.Packages[path]; p != nil {
		d.known[path] = d.below(p.directs())
	}
	return d.known[path]
}

// below joins what the packages of some paths lack.
func (d *doubts) below(paths []string) []string {
	var found []string
	for _, path := range paths {
		found = append(found, d.find(path)...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(len(found), mostDoubts)]
}

// ofUnit is the same for what one unit imports.
func (d *doubts) ofUnit(key UnitKey) []string {
	p := d.g.Packages[key.Pkg]
	if d.none || p == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch key.Variant {
	case InTest:
		return d.below(append(p.directs(), p.resolved(p.TestImports)...))
	case XTest:
		return d.below(p.resolved(p.XTestImports))
	}
	return d.below(p.directs())
}

// unproven names the units that the candidate concerns and that are in doubt. Where a type has other members those count
// that can get at it through what they import: what they select of a value whose type is unknown is unknown, too.
func (c *candidate) unproven() []unproven {
	list := []unproven{}
	d := c.view.doubts
	if d.none {
		return list
	}
	keys := slices.Clone(c.keys)
	for _, path := range c.rebound {
		keys = append(keys, UnitKey{path, Primary})
	}
	if len(c.moved) > 0 {
		for _, path := range c.order() {
			keys = append(keys, unitKeys(c.view.graph.Packages[path])...)
		}
	}
	pkgs := map[string][]string{} // by what they lack
	for _, key := range keys {
		lacks := strings.Join(d.ofUnit(key), ", ")
		if lacks != "" && !slices.Contains(pkgs[lacks], key.Pkg) {
			pkgs[lacks] = append(pkgs[lacks], key.Pkg)
		}
	}
	for _, lacks := range keysOf(pkgs) {
		list = append(list, unproven{shortList(pkgs[lacks]), "not checked in full: " + lacks + " is missing"})
	}
	return list
}

// shortList names the first few of some paths.
func shortList(paths []string) string {
	if len(paths) <= mostDoubts+1 {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:mostDoubts], ", "), len(paths)-mostDoubts)
}

// unknownAnswer is what is said of a question about a type that an absent package has.
type unknownAnswer struct {
	Error   string   `json:"error"`
	Missing []string `json:"missing"`
}

// typed are the questions whose answer speaks of types.
var typed = []string{"type_at", "object_at", "missing_methods", "call_targets", "signature", "expects", "members"}

// lacks lists what the package that a question about types is of lacks.
func (a *asker) lacks(q question) []string {
	if a.view.doubts.none || !slices.Contains(typed, q.Kind) {
		return nil
	}
	if q.File == "" {
		return a.view.doubts.of(q.Type.Pkg)
	}
	u, _, err := a.fileUnit(q.File)
	if err != nil {
		return nil
	}
	return a.view.doubts.ofUnit(u.Key)
}

// speaksOfUnknown says that an answer holds the text of a type that is not known.
func speaksOfUnknown(answer any) bool {
	text, err := json.Marshal(answer)
	return err == nil && bytes.Contains(text, []byte(types.Typ[types.Invalid].Name()))
}
