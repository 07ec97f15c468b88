package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync/atomic"
)

// This file finds what an overlay makes different: which packages importers see anew, and which units have to be
// checked with bodies.
//
// Invariant: every package whose exported API reaches an object of a replaced package is replaced too.
// Invariant: a unit that isn't in keys has the verdict and the meaning that it had on the base.

// candidate is the source set under one overlay, with everything that was found out about it.
type candidate struct {
	id         string
	digest     string // of the overlay
	generation int    // of the base it stands on
	view       *view
	contrast   *contrast
	needed     map[string]bool // what a further build looks at; nil: everything
	touched    map[string]*touch
	blind      bool            // the base's text of the touched files is gone
	inBodies   map[string]bool // bodiesOnly of the packages to check

	replaced map[string]bool            // packages with a new object, gone ones included
	changed  map[string]map[string]bool // replaced package -> exported names that importers find changed
	all      map[string]bool            // replaced packages of which everything counts as changed
	moved    map[typeRef]bool           // types of another shape
	apiMoved []string                   // packages whose api hash moved

	keys    []UnitKey // units to check with bodies
	gone    []UnitKey
	rebound []string // replaced packages of which no unit needs a check
	units   map[UnitKey]*Unit
	states  map[UnitKey]*unitState
	tainted []taint
}

// taint is a reason why agocheck can't speak for an edit.
type taint struct {
	Pkg    string `json:"pkg"`
	Reason string `json:"reason"`
}

// candidateOf walks the overlay over the base; a candidate that was made before is used again.
func (u *Universe) candidateOf(overlay Overlay) (*candidate, error) {
	digest := digestOf(overlay)
	for _, c := range u.candidates {
		if c.digest == digest && c.generation == u.generation {
			return c, nil
		}
	}
	graph, _, err := u.base.graph.Overlaid(overlay)
	if err != nil {
		return nil, err
	}
	c, err := u.walk(overlay, graph, nil)
	if err != nil {
		return nil, err
	}
	c.digest = digest
	for _, older := range u.candidates {
		older.units = map[UnitKey]*Unit{} // made again when they are asked for
	}
	u.candidates = append(u.candidates, c)
	if len(u.candidates) > 2 {
		u.candidates = slices.Delete(u.candidates, 0, 1)
	}
	return c, nil
}

func digestOf(overlay Overlay) string {
	text, _ := json.Marshal(overlay) // keys come sorted
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// walk finds what the overlay replaces and which units it concerns. known holds api hashes of the base for
// packages whose base can't be looked at any more (their files have already changed on disk); nil otherwise.
func (u *Universe) walk(overlay Overlay, graph *Graph, known map[string]string) (*candidate, error) {
	c := &candidate{
		id:         nextCandidate(),
		generation: u.generation, view: u.over(overlay, graph), touched: map[string]*touch{},
		replaced: map[string]bool{}, changed: map[string]map[string]bool{}, all: map[string]bool{},
		blind: known != nil, inBodies: map[string]bool{},
		moved: map[typeRef]bool{}, units: map[UnitKey]*Unit{}, states: map[UnitKey]*unitState{},
	}
	c.contrast = newContrast(c.view)
	c.findNeeded()
	for rel := range overlay {
		c.touch(u.base.graph, rel)
		c.touch(graph, rel)
	}
	c.widen()
	if c.importsMoved() {
		c.view.cycles = findCycles(graph)
	}
	slices.SortFunc(c.tainted, func(a, b taint) int { return cmpString(a.Pkg+a.Reason, b.Pkg+b.Reason) })
	c.tainted = slices.Compact(c.tainted)
	if err := c.prepare(); err != nil {
		return nil, err
	}
	for _, path := range c.order() {
		if err := c.step(path, known); err != nil {
			return nil, err
		}
	}
	slices.Sort(c.apiMoved)
	return c, c.selectUnits()
}

// widen touches the primary unit of packages that appear or vanish, and of those whose list of files is another one:
// the rules about a folder as a whole are reported there.
func (c *candidate) widen() {
	for path, t := range c.touched {
		old, now := c.view.below.graph.Packages[path], c.view.graph.Packages[path]
		if old == nil || now == nil || len(old.Problems)+len(now.Problems) > 0 || !sameFiles(old, now) {
			t.primary = true
		}
	}
}

func sameFiles(a, b *Package) bool {
	return slices.Equal(a.GoFiles, b.GoFiles) && slices.Equal(a.CgoFiles, b.CgoFiles) &&
		slices.Equal(a.TestGoFiles, b.TestGoFiles) && slices.Equal(a.XTestGoFiles, b.XTestGoFiles) &&
		slices.Equal(a.OtherFiles, b.OtherFiles)
}

// importsMoved says whether a touched package has other imports than before.
func (c *candidate) importsMoved() bool {
	for path := range c.touched {
		old, now := c.view.below.graph.Packages[path], c.view.graph.Packages[path]
		if old == nil || now == nil || !slices.Equal(old.Imports, now.Imports) {
			return true
		}
	}
	return false
}

// candidateCount numbers candidates over the life of the process, so that no id is ever given twice.
var candidateCount atomic.Int64

func nextCandidate() string { return fmt.Sprintf("c%d", candidateCount.Add(1)) }

// prepare makes the entries of the base that the walk compares with and builds on. Where the touched
// files of the base are gone from disk no entry may be made from them.
func (c *candidate) prepare() error {
	base := c.view.below
	var have []string
	for path := range c.touched {
		if base.graph.Packages[path] != nil && !c.blind && !c.skips(path) {
			have = append(have, path)
		}
	}
	if _, err := base.ensure(have, true, nil); err != nil {
		return err
	}
	return c.prepareImports(slices.DeleteFunc(keysOf(c.touched), c.skips), false)
}

// prepareImports makes what the candidate's versions of paths import: dependencies, and packages that no entry exists of
// yet. Those go into the base where they don't depend on the edit, else into the candidate, once the walk has passed
// them. Packages that the base does not know become touched.
func (c *candidate) prepareImports(paths []string, passed bool) error {
	v, base := c.view, c.view.below
	need, external := v.missing(paths, false)
	var fresh []string
	for _, path := range need {
		if p := base.graph.Packages[path]; p == nil || !p.Source {
			fresh = append(fresh, path)
		}
	}
	v.u.prepareCgo(base.graph, slices.Concat(need, paths))
	if _, err := v.u.deps.Prepare(v.graph, external, nil); err != nil {
		return err
	}
	runTasks(v.u.server.jobs, base.entryTasks(c.independent(need)))
	if !passed {
		for _, path := range fresh {
			c.touchOf(path).primary = true
		}
		return nil
	}
	need, _ = v.missing(paths, false)
	runTasks(v.u.server.jobs, v.entryTasks(need))
	return nil
}

// independent keeps the packages that are the same without the edit: known to the base, and neither touched nor
// importing what is. paths come in import order.
func (c *candidate) independent(paths []string) []string {
	depends := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		t, p := c.touched[path], c.view.below.graph.Packages[path]
		depends[path] = t != nil && t.primary || p == nil || !p.Source ||
			slices.ContainsFunc(p.Imports, func(imp string) bool {
				to := p.Resolve(imp)
				t := c.touched[to]
				return depends[to] || c.replaced[to] || t != nil && t.primary
			})
		return depends[path]
	})
}

// order lists the touched packages and those that import one of them, directly or not, each after what it imports.
func (c *candidate) order() []string {
	g := c.view.graph
	reached := map[string]bool{}
	var spread func(path string)
	spread = func(path string) {
		if !reached[path] {
			reached[path] = true
			for _, importer := range g.Importers(path) {
				spread(importer)
			}
		}
	}
	for path := range c.touched {
		spread(path)
	}
	var order []string
	done := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		if done[path] || !reached[path] {
			return
		}
		done[path] = true
		if p := g.Packages[path]; p != nil {
			for _, imp := range p.Imports {
				visit(p.Resolve(imp))
			}
		}
		order = append(order, path)
	}
	for _, path := range slices.Sorted(maps.Keys(reached)) {
		visit(path)
	}
	return order
}

// step decides whether one package is replaced.
func (c *candidate) step(path string, known map[string]string) error {
	v := c.view
	p, base := v.graph.Packages[path], v.below
	if p == nil || !p.Source {
		c.replace(path, nil, nil)
		return nil
	}
	touched := c.touched[path] != nil && c.touched[path].primary
	importsMoved := slices.ContainsFunc(p.Imports, func(imp string) bool { return c.replaced[p.Resolve(imp)] })
	if !touched && !importsMoved {
		return nil
	}
	if c.skips(path) {
		c.drop(path)
		return nil
	}
	if base.graph.Packages[path] != nil && base.entry(path) == nil && known == nil {
		if _, err := base.ensure([]string{path}, true, nil); err != nil {
			return err
		}
	}
	old := base.entry(path)
	if !touched && old != nil && !c.hits(p, Primary) && !overlap(old.api.reach, c.replaced) {
		return nil
	}
	if err := c.prepareImports([]string{path}, true); err != nil {
		return err
	}
	fresh := v.makeEntry(p)
	same := old != nil && old.api.hash == fresh.api.hash || old == nil && known[path] == fresh.api.hash
	if !same {
		c.apiMoved = append(c.apiMoved, path)
	}
	switch {
	case !same || overlap(fresh.api.reach, c.replaced):
		c.replace(path, old, fresh)
	case old == nil:
		base.put(path, fresh)
	}
	return nil
}

func overlap(a, b map[string]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

// replace installs a package in the candidate and works out which of its names importers find changed.
func (c *candidate) replace(path string, old, fresh *entry) {
	c.replaced[path] = true
	c.view.put(path, fresh)
	if old == nil || fresh == nil || old.api.name != fresh.api.name || old.api.extra != fresh.api.extra {
		c.all[path] = true
	}
	if old == nil || fresh == nil {
		return
	}
	for _, ref := range changedTypes(path, old.api, fresh.api) {
		c.moved[ref] = true
	}
	c.changed[path] = changedNames(path, old.api, fresh.api, c.moved, c.view.api)
}

// checkUnits checks the units that were not checked yet, in parallel.
func (c *candidate) checkUnits(keys []UnitKey) {
	var tasks []*task
	fresh := make([]*Unit, len(keys))
	states := make([]*unitState, len(keys))
	for i, key := range keys {
		if c.units[key] == nil {
			tasks = append(tasks, &task{name: key.String(), run: func() {
				fresh[i] = c.view.unit(key)
				states[i] = c.view.stateOf(fresh[i])
			}})
		}
	}
	runTasks(c.view.u.server.jobs, tasks)
	for i, key := range keys {
		if fresh[i] != nil {
			c.units[key] = fresh[i]
			c.states[key] = states[i]
		}
	}
}

// stateOf keeps what must be known of a unit when its syntax is gone, but for the resolution hashes of its files.
func (v *view) stateOf(u *Unit) *unitState {
	state := &unitState{diags: u.Diags, tainted: u.Tainted}
	switch {
	case u.Key.Variant == Primary && v.api(u.Key.Pkg) != nil:
		state.apiHash = v.api(u.Key.Pkg).hash
	case u.Key.Variant == InTest && len(u.Pkg.XTestGoFiles) > 0:
		state.apiHash = v.testHash(u.Pkg)
	}
	return state
}

// String names a unit as the go command does.
func (k UnitKey) String() string {
	switch k.Variant {
	case InTest:
		return k.Pkg + " [" + path.Base(k.Pkg) + ".test]"
	case XTest:
		return k.Pkg + "_test"
	}
	return k.Pkg
}
