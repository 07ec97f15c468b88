package main

import (
	"maps"
	"slices"
	"time"
)

// This file serves the methods that move the base or report the whole of it: check_all, advance, refresh,
// facts.

func init() {
	methods["check_all"] = (*server).handleCheckAll
	methods["advance"] = (*server).handleAdvance
	methods["refresh"] = (*server).handleRefresh
	methods["facts"] = (*server).handleFacts
}

// movedReply is the result of advance and refresh.
type movedReply struct {
	Packages []packageReply  `json:"packages"`
	Gone     []string        `json:"gone"`
	Outside  []string        `json:"outside"` // as in the answer to load
	Missing  []absentPackage `json:"missing"` // likewise
	Reload   bool            `json:"reload"`
	// Read are the content hashes of the files that a refresh was told of, "" for one that is not there: the disk may have
	// moved on since the caller looked.
	Read   map[string]string `json:"read,omitempty"`
	Millis int64             `json:"ms"`
}

func (s *server) handleCheckAll(r *request) (any, error) {
	defer work()()
	start := time.Now()
	var params struct {
		Facts bool `json:"facts"`
		ownAPI
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	params.learn(s)
	u, err := s.readyToGrow()
	if err != nil {
		return nil, err
	}
	paths := u.wanted()
	need, external := u.base.missing(paths, true)
	built, err := u.deps.Prepare(s.graph, external, progressOf(r, "deps"))
	if err != nil {
		return nil, err
	}
	u.prepareCgo(s.graph, paths)
	depsTime := time.Since(start)
	units, err := u.checkAll(r, paths, need, params.Facts)
	if err != nil {
		return nil, err
	}
	reply := map[string]any{"units": units, "ms": time.Since(start).Milliseconds(), "deps_ms": depsTime.Milliseconds(),
		"deps_built": built}
	if s.graph.Own != nil {
		reply["packages"] = s.graph.replies(paths)
	}
	return reply, nil
}

// checkAll makes the missing entries and checks every unit of the workspace; a unit's syntax is dropped when its
// result is out.
func (u *Universe) checkAll(r *request, paths, need []string, facts bool) (int, error) {
	tasks := u.base.entryTasks(need)
	byPath := map[string]*task{}
	for _, t := range tasks {
		byPath[t.name] = t
	}
	primaries := newPrimaryVectors()
	count := 0
	for _, path := range paths {
		p := u.base.graph.Packages[path]
		var primary *task
		for _, key := range unitKeys(p) {
			t := &task{name: key.String(), urgent: true, run: func() {
				if r.alive() == nil {
					u.reportUnit(r, key, facts, primaries)
				}
			}}
			for _, imp := range slices.Concat([]string{path}, p.Imports, p.TestImports, p.XTestImports) {
				if before := byPath[p.Resolve(imp)]; before != nil && !slices.Contains(t.after, before) {
					t.after = append(t.after, before)
				}
			}
			if primary != nil {
				t.after = append(t.after, primary) // its vectors say which rows the test variant adds
			} else if key.Variant == Primary {
				primary = t
			}
			tasks = append(tasks, t)
			count++
		}
	}
	runTasks(u.server.jobs, tasks)
	return count, r.alive()
}

// reportUnit checks a unit of the base, remembers what is needed of it and sends the result.
func (u *Universe) reportUnit(r *request, key UnitKey, facts bool, primaries *primaryVectors) {
	unit := u.base.unit(key)
	state := u.base.stateOf(unit)
	state.files = unit.fileResults(vectorHashes(unit, nil, nil))
	u.stateMu.Lock()
	u.units[key] = state
	u.stateMu.Unlock()
	r.event(map[string]any{"unit": unitResult(unit, state, u.base.graph, primaries, facts, nil)})
}

// progressOf makes a function that reports progress, at most ten times a second.
func progressOf(r *request, phase string) func(done, total int) {
	var last time.Time
	return func(done, total int) {
		if now := time.Now(); done == total || now.Sub(last) >= 100*time.Millisecond {
			last = now
			r.event(map[string]any{"progress": map[string]any{"phase": phase, "done": done, "total": total}})
		}
	}
}

// unitResult puts a checked unit on the wire. A test variant reports only what the primary unit does not. before is what
// the receiver has of the unit, nil when it has nothing: references in files that did not change go without saying.
func unitResult(
	unit *Unit, state *unitState, g *Graph, primaries *primaryVectors, facts bool, before *unitState,
) UnitResult {
	result := UnitResult{UnitKey: unit.Key, Name: unit.Types.Name(), APIHash: state.apiHash, Errors: len(state.diags) > 0,
		Diags: orEmpty(state.diags), Files: []FileResult{}}
	if unit.Pkg.Module != nil {
		result.Module = unit.Pkg.Module.Path
	}
	primaries.note(unit.Key, state.files)
	owned := []int{}
	for i, f := range state.files {
		if unit.Key.Variant != InTest || isTestFile(f.Path) || !primaries.has(unit.Key.Pkg, f) {
			owned = append(owned, i)
			result.Files = append(result.Files, f)
		}
	}
	if facts {
		result.Facts = extractFactsOf(unit, g, owned, keptFiles(result.Files, before))
		if unit.Pkg.Outside {
			result.Facts = result.Facts.intoWorkspace(g)
		}
	}
	return result
}

// keptFiles lists the files, by their place in the list, that the receiver has the references of.
func keptFiles(files []FileResult, before *unitState) []int {
	kept := []int{}
	for i, f := range files {
		if before != nil && slices.Contains(before.files, f) {
			kept = append(kept, i)
		}
	}
	return kept
}

func (s *server) handleAdvance(r *request) (any, error) {
	defer work()()
	start := time.Now()
	var params struct {
		Candidate string `json:"candidate"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	u, err := s.ready()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(u.candidates, func(c *candidate) bool { return c.id == params.Candidate })
	if i < 0 || u.candidates[i].generation != u.generation {
		return nil, failf(staleCandidate, "candidate %s does not stand on the present base", params.Candidate)
	}
	return u.install(r, u.candidates[i], start)
}

// install makes a candidate the base and reports its units.
func (u *Universe) install(r *request, c *candidate, start time.Time) (*movedReply, error) {
	c.checkUnits(c.keys)
	c.hashFiles()
	before, states := u.base.graph, map[UnitKey]*unitState{}
	for _, key := range c.keys {
		states[key] = u.units[key]
	}
	u.adopt(c)
	if err := u.checkPrimaries(c.keys); err != nil {
		return nil, err
	}
	primaries := newPrimaryVectors()
	for _, key := range c.keys {
		unit := c.units[key]
		if known := u.units[UnitKey{key.Pkg, Primary}]; known != nil {
			primaries.note(UnitKey{key.Pkg, Primary}, known.files)
		}
		r.event(map[string]any{"unit": unitResult(unit, u.units[key], u.base.graph, primaries, true, states[key])})
		u.keep(unit)
	}
	for _, key := range c.gone {
		r.event(map[string]any{"gone": key})
	}
	reply := &movedReply{Packages: []packageReply{}, Gone: []string{}, Outside: u.base.graph.outside(), Missing: u.base.graph.absents()}
	for _, path := range slices.Sorted(maps.Keys(c.touched)) {
		if p := u.base.graph.Packages[path]; p != nil && c.contrast.wants(p) && u.base.graph.lists(p) {
			reply.Packages = append(reply.Packages, u.base.graph.PackageReply(p))
		} else if before.Packages[path] != nil {
			reply.Gone = append(reply.Gone, path)
		}
	}
	reply.Millis = time.Since(start).Milliseconds()
	return reply, nil
}

// checkPrimaries sees to it that the hashes of the primary unit are known beside each test unit that has files of it.
func (u *Universe) checkPrimaries(keys []UnitKey) error {
	var primaries []UnitKey
	for _, key := range keys {
		state := u.units[key]
		if key.Variant == InTest && slices.ContainsFunc(state.files, func(f FileResult) bool { return !isTestFile(f.Path) }) {
			primaries = append(primaries, UnitKey{key.Pkg, Primary})
		}
	}
	_, err := u.baseStates(primaries)
	return err
}

// hashFiles fills in the resolution hashes of the candidate's units.
func (c *candidate) hashFiles() {
	var tasks []*task
	for _, key := range c.keys {
		if state := c.states[key]; state.files == nil {
			tasks = append(tasks, &task{name: key.String(), run: func() { state.files = c.units[key].fileResults(c.vectors(key, nil)) }})
		}
	}
	runTasks(c.view.u.server.jobs, tasks)
}

// adopt moves the base to the candidate.
func (u *Universe) adopt(c *candidate) {
	u.base.graph, u.base.cycles, u.base.doubts = c.view.graph, c.view.cycles, c.view.doubts
	u.server.graph, u.server.fork = c.view.graph, nil
	for path, e := range c.view.entries {
		if e == nil {
			delete(u.base.entries, path)
		} else {
			u.base.entries[path] = e
		}
	}
	for _, key := range c.gone {
		delete(u.units, key)
	}
	for _, key := range c.keys {
		u.units[key] = c.states[key]
	}
	for rel := range c.view.overlay {
		if note, ok := c.view.notes[rel]; ok {
			u.notes[rel] = note
		} else {
			delete(u.notes, rel)
		}
	}
	u.kept = slices.DeleteFunc(u.kept, func(k *Unit) bool { return !c.leaves(k) })
	u.generation++
	u.candidates = nil
}

// leaves says that a kept unit of the base is as good after the candidate as before.
func (c *candidate) leaves(k *Unit) bool {
	if slices.Contains(c.keys, k.Key) || slices.Contains(c.gone, k.Key) || k.Key.Variant == XTest && len(c.replaced) > 0 {
		return false
	}
	for _, imported := range k.Types.Imports() {
		if c.replaced[imported.Path()] {
			return false
		}
	}
	return true
}

func (s *server) handleRefresh(r *request) (any, error) {
	defer work()()
	start := time.Now()
	var params struct {
		Paths []string `json:"paths"`
		// APIHashes are the api hashes of the stored facts by package. They stand in for packages that were not checked
		// since agocheck started: their old files are gone from disk.
		APIHashes map[string]string `json:"api_hashes"`
		ownAPI
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	params.learn(s)
	u, err := s.readyToGrow()
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(params.Paths, IsModuleFile) {
		return &movedReply{Packages: []packageReply{}, Gone: []string{}, Reload: true}, nil
	}
	overlay := s.graph.onDisk(params.Paths)
	graph, _, err := s.graph.Overlaid(overlay)
	if err != nil {
		return nil, err
	}
	known := params.APIHashes
	if known == nil {
		known = map[string]string{}
	}
	c, err := u.walk(overlay, graph, known)
	if err != nil {
		return nil, err
	}
	reply, err := u.install(r, c, start)
	if err != nil {
		return nil, err
	}
	reply.Read = make(map[string]string, len(overlay))
	for rel, content := range overlay {
		if reply.Read[rel] = ""; !content.Deleted {
			reply.Read[rel] = contentHash(content.Bytes())
		}
	}
	return reply, nil
}

func (s *server) handleFacts(r *request) (any, error) {
	defer work()()
	var params struct {
		Pkgs []string `json:"pkgs"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	u, err := s.ready()
	if err != nil {
		return nil, err
	}
	need, external := u.base.missing(params.Pkgs, true)
	if _, err := u.deps.Prepare(s.graph, external, nil); err != nil {
		return nil, err
	}
	u.prepareCgo(s.graph, params.Pkgs)
	units, err := u.checkAll(r, slices.DeleteFunc(params.Pkgs, func(path string) bool {
		return s.graph.Packages[path] == nil
	}), need, true)
	return map[string]any{"units": units}, err
}
