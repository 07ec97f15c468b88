package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// This file serves the method check: it judges an overlay against the base and leaves the base alone.

func init() { methods["check"] = (*server).handleCheck }

// checkParams are the parameters of check.
type checkParams struct {
	Overlay    Overlay           `json:"overlay"`
	Spans      Spans             `json:"spans"`
	Renames    []Rename          `json:"renames"`
	Proofs     *bool             `json:"proofs"` // default: yes
	FilesMoved map[string]string `json:"files_moved"`
	Moves      []Move            `json:"moves"`
	Moved      []MovedText       `json:"moved"`
	Elsewhere  []string          `json:"elsewhere"` // files of other builds
	ownAPI
}

// checkReply is the result of check.
type checkReply struct {
	Candidate  string   `json:"candidate"`
	APIChanged []string `json:"api_changed"`
	// APIs are the api hashes of the changed packages that are still there.
	APIs map[string]string `json:"apis"`
	// Reaches are the packages in which the overlay may mean something new: those that it edits, what they import
	// newly, and all units. Elsewhere are files of other builds that mention what changed.
	Reaches   []string    `json:"reaches"`
	Elsewhere []string    `json:"elsewhere"`
	Units     []unitReply `json:"units"`
	Changes   []Change    `json:"changes"`
	Packages  int         `json:"packages"`
	Millis    float64     `json:"ms"`
	Tainted   []taint     `json:"tainted"`
	Unproven  []unproven  `json:"unproven"`
	Left      []string    `json:"left"` // files of the overlay that this build does not compile
	Judged    bool        `json:"judged"`
}

// unitReply is what check says of one unit.
type unitReply struct {
	UnitKey
	Recheck   string `json:"recheck"` // full or rebind
	Errors    bool   `json:"errors"`
	Diags     []Diag `json:"diagnostics"`
	BaseDiags []Diag `json:"base_diagnostics"`
}

// unproven names something that no proof covers.
type unproven struct {
	What   string `json:"what"`
	Reason string `json:"reason"`
}

func (s *server) handleCheck(r *request) (any, error) {
	defer work()()
	start := time.Now()
	var params checkParams
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	s, err := s.under(params.Overlay)
	if err != nil {
		return nil, err
	}
	params.learn(s)
	u, err := s.readyToGrow()
	if err != nil {
		return nil, err
	}
	c, err := u.candidateOf(params.Overlay)
	if err != nil {
		return nil, err
	}
	c.checkUnits(c.keys)
	if err := r.alive(); err != nil {
		return nil, err
	}
	reply := checkReply{Candidate: c.id, APIChanged: orEmpty(c.apiMoved), APIs: c.apiHashes(), Reaches: c.reaches(), Elsewhere: c.elsewhere(params.Elsewhere), Left: c.left(), Tainted: slices.Clone(c.tainted),
		Units: []unitReply{}, Changes: []Change{}, Unproven: c.unproven()}
	if err := c.judge(&params, &reply); err != nil {
		return nil, err
	}
	reply.Tainted = orEmpty(reply.Tainted)
	reply.Judged = len(reply.Tainted) == 0
	reply.Packages = countPackages(c)
	reply.Millis = float64(time.Since(start).Microseconds()) / 1000
	return reply, nil
}

// apiHashes are those of the packages whose api moved.
func (c *candidate) apiHashes() map[string]string {
	hashes := map[string]string{}
	for _, path := range c.apiMoved {
		if api := c.view.api(path); api != nil {
			hashes[path] = api.hash
		}
	}
	return hashes
}

// left lists the Go files of the overlay that no unit of the candidate has.
func (c *candidate) left() []string {
	left := []string{}
	for _, rel := range keysOf(c.view.overlay) {
		if c.view.overlay[rel].Deleted || filepath.Ext(rel) != ".go" {
			continue
		}
		if p, role := c.view.graph.PackageOfFile(rel); p == nil || role == "ignored" || role == "" {
			left = append(left, rel)
		}
	}
	return left
}

// judge fills in units, changes and taint.
func (c *candidate) judge(params *checkParams, reply *checkReply) error {
	u := c.view.u
	base, err := u.baseStates(c.keys)
	if err != nil {
		return err
	}
	trails := params.trails()
	for _, key := range c.keys {
		state, before := c.states[key], base[key]
		answer := unitReply{UnitKey: key, Recheck: "full", Errors: len(state.diags) > 0, Diags: slices.Clone(state.diags), BaseDiags: []Diag{}}
		if state.tainted != "" {
			reply.Tainted = append(reply.Tainted, taint{key.Pkg, state.tainted})
		}
		known := key
		if before == nil && key.Variant == InTest {
			// The first test file of a package: its other files are checked once more, and stand as they stood.
			known.Variant = Primary
			states, err := u.baseStates([]UnitKey{known})
			if err != nil {
				return err
			}
			before = states[known]
		}
		if before != nil {
			answer.BaseDiags = orEmpty(before.diags)
			if err := c.markRevealed(known, &answer, trails); err != nil {
				return err
			}
		}
		answer.Diags = orEmpty(answer.Diags)
		reply.Units = append(reply.Units, answer)
	}
	for _, path := range c.rebound {
		reply.Units = append(reply.Units, unitReply{UnitKey{path, Primary}, "rebind", false, []Diag{}, []Diag{}})
	}
	if params.Proofs == nil || *params.Proofs {
		reply.Changes, err = c.prove(base, params, trails)
	}
	return err
}

// prove compares the meaning of what survived with the base, unit by unit: by the hashes of whole files, and name by
// name where those differ. The hashes do not know of control flow, which only an edited file can move.
func (c *candidate) prove(base map[UnitKey]*unitState, params *checkParams, t *trails) ([]Change, error) {
	inverse := inverseOf(params.Renames, params.Moves)
	differs, moves := make([]bool, len(c.keys)), c.flowMoves()
	var tasks []*task
	for i, key := range c.keys {
		if base[key] != nil {
			tasks = append(tasks, &task{name: key.String(), run: func() {
				differs[i] = renamesMember(params.Renames, key.Pkg) || !c.sameMeaning(key, base[key], inverse, t.renamed) ||
					slices.ContainsFunc(c.units[key].Names, func(name string) bool { return moves[name] != nil && moves[name]() })
			}})
		}
	}
	runTasks(c.view.u.server.jobs, tasks)
	var pairs []unitPair
	for i, key := range c.keys {
		if differs[i] {
			pairs = append(pairs, unitPair{key, key})
		}
	}
	pairs = append(pairs, c.movedBetween(t)...)
	keys := make([]UnitKey, len(pairs))
	for i, pair := range pairs {
		keys[i] = pair.base
	}
	units, err := c.view.u.checkBase(keys)
	if err != nil {
		return nil, err
	}
	changes := make([][]Change, len(pairs))
	tasks = nil
	for i, pair := range pairs {
		tasks = append(tasks, &task{name: pair.cand.String(), run: func() {
			found := compareUnits(units[i], c.units[pair.cand], t, params.Renames, params.Moves)
			changes[i] = c.understood(found, pair, t)
		}})
	}
	runTasks(c.view.u.server.jobs, tasks)
	return distinctChanges(slices.Concat(changes...)), nil
}

// understood leaves out changes in files with fewer syntax errors than before: what the names around a mended one
// meant was guessed from half a file.
func (c *candidate) understood(changes []Change, pair unitPair, t *trails) []Change {
	broken := map[string]int{}
	count := func(state *unitState, name func(string) string, by int) {
		for _, d := range state.diags {
			if d.Source == "syntax" {
				broken[name(d.File)] += by
			}
		}
	}
	count(c.view.u.units[pair.base], t.candName, 1)
	count(c.states[pair.cand], func(file string) string { return file }, -1)
	return slices.DeleteFunc(changes, func(found Change) bool { return broken[found.File] > 0 })
}

// unitPair is a unit of the base and one of the candidate that has text of it.
type unitPair struct{ base, cand UnitKey }

// movedBetween lists the pairs of units of two packages between which text moved.
func (c *candidate) movedBetween(t *trails) []unitPair {
	var pairs []unitPair
	for _, link := range t.links() {
		from, ok := unitOf(c.view.u.base.graph, link.From)
		to, found := unitOf(c.view.graph, link.To)
		pair := unitPair{from, to}
		apart := from.Pkg != to.Pkg || (from.Variant == XTest) != (to.Variant == XTest)
		if ok && found && apart && c.units[to] != nil && !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// unitOf is the first unit of the workspace that a file is compiled in.
func unitOf(g *Graph, file string) (UnitKey, bool) {
	p, _ := g.PackageOfFile(file)
	for _, key := range unitKeys(p) {
		if slices.Contains(g.Files(p, key.Variant), file) {
			return key, true
		}
	}
	return UnitKey{}, false
}

// renamesMember says that a type of pkg may get another method set although every name keeps its meaning.
func renamesMember(renames []Rename, pkg string) bool {
	return slices.ContainsFunc(renames, func(r Rename) bool { return r.Pkg == pkg && strings.Contains(r.Sym, ".") })
}

// sameMeaning says that every file of the unit has the resolution hash of the base, and that none is new or gone.
func (c *candidate) sameMeaning(key UnitKey, before *unitState, inverse renameMap, moved map[string]string) bool {
	unit := c.units[key]
	if len(before.files) != len(unit.Names) {
		return false
	}
	was := map[string]string{}
	for _, f := range before.files {
		path := f.Path
		if to, ok := moved[path]; ok {
			path = to
		}
		was[path] = f.Vector
	}
	vectors := c.vectors(key, inverse)
	if len(inverse) == 0 {
		c.states[key].files = unit.fileResults(vectors)
	}
	for i, vector := range vectors {
		if was[unit.Names[i]] != vector {
			return false
		}
	}
	return true
}

// distinctChanges drops what several variants say alike.
func distinctChanges(changes []Change) []Change {
	type identity struct {
		kind, file, was, now string
		base, cand           int
	}
	seen := map[identity]bool{}
	changes = slices.DeleteFunc(changes, func(c Change) bool {
		id := identity{c.Kind, c.File, c.Old, c.New, c.BaseOffset, c.Offset}
		again := seen[id]
		seen[id] = true
		return again
	})
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset))
	})
	return orEmpty(changes)
}

func countPackages(c *candidate) int {
	seen := map[string]bool{}
	for _, key := range c.keys {
		seen[key.Pkg] = true
	}
	for path := range c.replaced {
		seen[path] = true
	}
	return len(seen)
}

// baseStates returns what is known of units on the base; units that the base lacks are left out.
func (u *Universe) baseStates(keys []UnitKey) (map[UnitKey]*unitState, error) {
	var need []UnitKey
	for _, key := range keys {
		if u.units[key] == nil && slices.Contains(unitKeys(u.base.graph.Packages[key.Pkg]), key) {
			need = append(need, key)
		}
	}
	if _, err := u.checkBase(need); err != nil {
		return nil, err
	}
	states := map[UnitKey]*unitState{}
	for _, key := range keys {
		if state := u.units[key]; state != nil {
			states[key] = state
		}
	}
	return states, nil
}

// baseUnit returns a checked unit of the base.
func (u *Universe) baseUnit(key UnitKey) (*Unit, error) {
	units, err := u.checkBase([]UnitKey{key})
	if err != nil {
		return nil, err
	}
	return units[0], nil
}

// checkBase checks units of the base in parallel, or takes those that were kept.
func (u *Universe) checkBase(keys []UnitKey) ([]*Unit, error) {
	units := make([]*Unit, len(keys))
	var paths []string
	for i, key := range keys {
		if j := slices.IndexFunc(u.kept, func(k *Unit) bool { return k.Key == key }); j >= 0 {
			units[i] = u.kept[j]
		} else {
			paths = append(paths, key.Pkg)
		}
	}
	if len(paths) > 0 {
		if _, err := u.base.ensure(paths, true, nil); err != nil {
			return nil, err
		}
	}
	var tasks []*task
	for i, key := range keys {
		if units[i] == nil {
			tasks = append(tasks, &task{name: key.String(), run: func() { units[i] = u.base.unit(key) }})
		}
	}
	runTasks(u.server.jobs, tasks)
	for _, unit := range units {
		if u.units[unit.Key] == nil {
			u.units[unit.Key] = u.base.stateOf(unit)
			u.units[unit.Key].files = unit.fileResults(vectorHashes(unit, nil, nil))
		}
		u.keep(unit)
	}
	return units, nil
}

// keptCap bounds the source bytes of the units that are kept with syntax and types.
const keptCap = 1 << 20

// keep remembers a checked unit of the base for the next request.
func (u *Universe) keep(unit *Unit) {
	u.kept = slices.DeleteFunc(u.kept, func(k *Unit) bool { return k.Key == unit.Key })
	if slices.ContainsFunc(unit.Src, func(src []byte) bool { return src == nil }) {
		return // a file of it was away just then
	}
	u.kept = append(u.kept, unit)
	size := 0
	for i := len(u.kept) - 1; i >= 0; i-- {
		size += u.kept[i].size()
		if size > keptCap && i < len(u.kept)-1 {
			u.kept = slices.Delete(u.kept, 0, i+1)
			return
		}
	}
}
