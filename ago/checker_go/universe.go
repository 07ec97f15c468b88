package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
)

// This file holds the universe: for each package of the source set one types.Package without function bodies, and
// the layers that overlays and tests put over it.
//
// Invariant: two packages that the exported API of any entry reaches and that have one path are one object.
// Invariant: an entry never changes; a moved package gets a new entry, and so does each that reaches it (walk.go).
//
// Units (packages with bodies) are checked against the entries and never become part of them, so that their
// scopes and syntax can be dropped.

// growthCap is the number of parsed source bytes after which the FileSet has grown enough for a fresh universe.
const growthCap = 96 << 20

// parsedCap bounds the source bytes whose syntax is kept for the next check.
const parsedCap = 3 << 20

// Universe is the base that overlays are judged against.
type Universe struct {
	server *server
	fset   *token.FileSet
	deps   *Deps
	parsed *parseCache
	base   *view
	units  map[UnitKey]*unitState // what is known of the base's units
	kept   []*Unit                // checked units of the base, the last used last
	// candidates are the last overlays that were looked at, newest last.
	candidates []*candidate
	generation int // counts the moves of base

	stateMu sync.Mutex // guards units while units are checked in parallel

	usesMu sync.Mutex
	uses   map[string]fileUses // by file of the base
	cgo    map[string]cgoPackage
}

// unitState is what stays of a checked unit.
type unitState struct {
	diags   []Diag
	files   []FileResult // every file of the unit
	apiHash string
	tainted string
}

// entry is one package of the source set as importers see it.
type entry struct {
	pkg   *Package
	types *types.Package
	api   *api
}

// view is the source set under an overlay: entries of its own, the rest from below.
type view struct {
	u       *Universe
	below   *view // nil: the base, which reads the disk
	graph   *Graph
	overlay Overlay

	mu      sync.Mutex
	entries map[string]*entry
	cycles  map[string]int // package -> number of the import cycle it is in
	// testHashes are the api hashes of packages compiled with their tests, of a candidate.
	testHashes map[*Package]string
}

// newUniverse starts an empty universe over the server's graph; entries are made when they are needed.
func newUniverse(s *server) *Universe {
	fset := token.NewFileSet()
	u := &Universe{
		server: s, fset: fset, deps: OpenDeps(s, s.graph, fset), units: map[UnitKey]*unitState{},
		uses: map[string]fileUses{}, cgo: map[string]cgoPackage{},
		parsed: &parseCache{fset: fset, files: map[string]*parsedFile{}},
	}
	u.base = &view{u: u, graph: s.graph, entries: map[string]*entry{}, cycles: findCycles(s.graph)}
	return u
}

// ready returns the universe of the loaded graph, a fresh one after a load.
func (s *server) ready() (*Universe, error) {
	if s.graph == nil {
		return nil, failf(notLoaded, "nothing is loaded")
	}
	if s.universe == nil || s.universe.base.graph != s.graph {
		s.universe = newUniverse(s)
	}
	return s.universe, nil
}

// readyToGrow is ready for a request that parses new texts: it starts afresh when the FileSet has grown too much. The
// candidates that were handed out before are stale then.
func (s *server) readyToGrow() (*Universe, error) {
	if s.universe != nil && s.universe.parsed.parsed > growthCap {
		s.universe = nil
	}
	return s.ready()
}

// over makes a view of the overlay above the base.
func (u *Universe) over(overlay Overlay, g *Graph) *view {
	return &view{u: u, below: u.base, graph: g, overlay: overlay, entries: map[string]*entry{}, cycles: u.base.cycles,
		testHashes: map[*Package]string{}}
}

// entry finds a package of the source set, nil when it was not made or does not exist.
func (v *view) entry(path string) *entry {
	v.mu.Lock()
	e, own := v.entries[path]
	v.mu.Unlock()
	if own || v.below == nil {
		return e
	}
	return v.below.entry(path)
}

func (v *view) put(path string, e *entry) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.entries[path] = e
}

// inSource tells whether a path belongs to the source set.
func (v *view) inSource(path string) bool {
	p := v.graph.Packages[path]
	return p != nil && p.Source
}

// api finds the api of a package of the source set.
func (v *view) api(path string) *api {
	if e := v.entry(path); e != nil {
		return e.api
	}
	return nil
}

// ensure makes the entries that checking the units of paths takes: what they import, tests included, deeply. With
// self it makes the entries of paths themselves too.
func (v *view) ensure(paths []string, self bool, progress func(done, total int)) (depsBuilt int, err error) {
	need, external := v.missing(paths, self)
	built, err := v.u.deps.Prepare(v.graph, external, progress)
	if err != nil {
		return built, err
	}
	v.u.prepareCgo(v.graph, slices.Concat(need, paths))
	runTasks(v.u.server.jobs, v.entryTasks(need))
	return built, nil
}

// missing lists the entries to make, each after what it imports, and the paths outside the source set.
func (v *view) missing(paths []string, self bool) (need, external []string) {
	seen, outside := map[string]bool{}, map[string]bool{}
	var visit func(path string)
	follow := func(p *Package, imports []string) {
		for _, imp := range imports {
			path := p.Resolve(imp)
			switch q := v.graph.Packages[path]; {
			case path == "C" || path == "unsafe":
			case q != nil && q.Source:
				visit(path)
			case q != nil:
				outside[path] = true
			}
		}
	}
	visit = func(path string) {
		if seen[path] {
			return
		}
		seen[path] = true
		p := v.graph.Packages[path]
		follow(p, p.Imports)
		if len(p.CgoFiles) > 0 {
			follow(p, []string{"syscall", "runtime/cgo"}) // what cgo's declarations import
		}
		if v.entry(path) == nil {
			need = append(need, path)
		}
	}
	for _, path := range paths {
		p := v.graph.Packages[path]
		if p == nil {
			continue
		}
		if self {
			visit(path)
		} else {
			follow(p, p.Imports)
		}
		if p.Workspace {
			follow(p, p.TestImports)
			follow(p, p.XTestImports)
		}
	}
	return need, slices.Sorted(maps.Keys(outside))
}

// entryTasks makes a task for each path, after the tasks of what it imports.
func (v *view) entryTasks(paths []string) []*task {
	byPath := make(map[string]*task, len(paths))
	tasks := make([]*task, 0, len(paths))
	for _, path := range paths {
		p := v.graph.Packages[path]
		t := &task{name: path, run: func() { v.put(path, v.makeEntry(p)) }}
		for _, imp := range p.Imports {
			if before := byPath[p.Resolve(imp)]; before != nil {
				t.after = append(t.after, before)
			}
		}
		byPath[path] = t
		tasks = append(tasks, t)
	}
	return tasks
}

// makeEntry checks a package without bodies against the entries of this view.
func (v *view) makeEntry(p *Package) *entry {
	unit := v.check(UnitKey{p.Path, Primary}, false, v.importer(p))
	return v.entryOf(unit)
}

// entryOf describes what a unit that was checked without bodies shows.
func (v *view) entryOf(unit *Unit) *entry {
	extra := unit.Tainted + linknamed(unit)
	if slices.ContainsFunc(unit.Diags, func(d Diag) bool { return d.Source != "rule" }) {
		extra += " errors"
	}
	return &entry{unit.Pkg, unit.Types, describe(unit.Types, extra, v.inSource, v.api)}
}

// importer resolves the imports of p against this view.
func (v *view) importer(p *Package) importFunc {
	return func(imp string) (*types.Package, error) {
		path := p.Resolve(imp)
		q := v.graph.Packages[path]
		switch {
		case path == "unsafe":
			return types.Unsafe, nil
		case q != nil && q.Source:
			if n := v.cycles[path]; n != 0 && n == v.cycles[p.Path] {
				return nil, fmt.Errorf("import cycle not allowed")
			}
			if e := v.entry(path); e != nil {
				return e.types, nil
			}
			return nil, fmt.Errorf("package %s can't be checked", path)
		case v.graph.Missing[path] != "":
			return nil, fmt.Errorf("%s", v.graph.Missing[path])
		}
		return v.u.deps.Import(path)
	}
}

// importFunc is an importer as go/types wants it.
type importFunc func(path string) (*types.Package, error)

// Import makes importFunc a types.Importer.
func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// read returns the bytes of a file under the overlay.
func (v *view) read(rel string) ([]byte, error) {
	if c, ok := v.overlay[rel]; ok {
		switch {
		case c.Deleted:
			return nil, os.ErrNotExist
		case c.Text != nil:
			return []byte(*c.Text), nil
		}
		return c.B64, nil
	}
	return os.ReadFile(v.graph.Abs(rel))
}

// parse returns the syntax of a file under the overlay.
func (v *view) parse(rel string) *parsedFile {
	src, err := v.read(rel)
	if err != nil {
		return &parsedFile{rel: rel, ast: &ast.File{Name: ast.NewIdent("_")}, diags: []Diag{{
			File: rel, Line: 1, Col: 1, Code: "unreadable_file", Msg: err.Error(), Source: "list"}}}
	}
	return v.u.parsed.parse(rel, src)
}

// parsedFile is the syntax of one version of a file.
type parsedFile struct {
	rel   string
	src   []byte
	sum   string // 16 hex digits
	ast   *ast.File
	diags []Diag
	once  sync.Once
}

// parseCache keeps the syntax of the files that were used last.
type parseCache struct {
	fset  *token.FileSet
	mu    sync.Mutex
	files map[string]*parsedFile // by path and content
	order []string               // keys, the oldest first
	size  int
	// parsed counts the source bytes that were ever parsed, each of which takes room in the FileSet.
	parsed int
}

func (c *parseCache) parse(rel string, src []byte) *parsedFile {
	sum := contentHash(src)
	key := rel + "\x00" + sum
	c.mu.Lock()
	f := c.files[key]
	if f == nil {
		f = &parsedFile{rel: rel, src: src, sum: sum}
		c.files[key] = f
		c.order = append(c.order, key)
		c.size += len(src)
		c.parsed += len(src)
		c.shrink()
	}
	c.mu.Unlock()
	f.once.Do(func() { f.fill(c.fset) })
	return f
}

// shrink forgets the oldest files beyond the cap.
func (c *parseCache) shrink() {
	for c.size > parsedCap && len(c.order) > 1 {
		c.size -= len(c.files[c.order[0]].src)
		delete(c.files, c.order[0])
		c.order = c.order[1:]
	}
}

func (f *parsedFile) fill(fset *token.FileSet) {
	const mode = parser.ParseComments | parser.AllErrors | parser.SkipObjectResolution
	var err error
	f.ast, err = parser.ParseFile(fset, f.rel, f.src, mode)
	list, _ := err.(scanner.ErrorList)
	for _, e := range list {
		line, col := lineCol(f.src, e.Pos.Offset)
		f.diags = append(f.diags, Diag{
			File: f.rel, Line: line, Col: col, Offset: e.Pos.Offset, End: e.Pos.Offset,
			Code: "syntax", Msg: e.Msg, Source: "syntax"})
	}
}

// contentHash is the hash of a file's bytes on the wire.
func contentHash(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:8])
}

// lineCol is the 1-based line and byte column of an offset.
func lineCol(src []byte, offset int) (line, col int) {
	before := string(src[:min(offset, len(src))])
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}

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

// task is a step of parallel work.
type task struct {
	name   string
	run    func()
	after  []*task // tasks that must have run
	urgent bool    // goes before tasks that are not

	waits   int
	release []*task
}

// runTasks runs tasks on n goroutines; after of each may only name tasks of the list. It panics with the first
// panic of a task.
func runTasks(n int, tasks []*task) {
	q := &taskQueue{left: len(tasks)}
	q.cond = sync.NewCond(&q.mu)
	for _, t := range tasks {
		t.waits = len(t.after)
		for _, before := range t.after {
			before.release = append(before.release, t)
		}
		if t.waits == 0 {
			q.push(t)
		}
	}
	var wg sync.WaitGroup
	for range min(n, len(tasks)) {
		wg.Go(q.work)
	}
	wg.Wait()
	if q.failed != nil {
		panic(q.failed)
	}
}

// taskQueue holds the tasks that can run.
type taskQueue struct {
	mu             sync.Mutex
	cond           *sync.Cond
	urgent, normal []*task
	left           int
	failed         any
}

func (q *taskQueue) push(t *task) {
	if t.urgent {
		q.urgent = append(q.urgent, t)
	} else {
		q.normal = append(q.normal, t)
	}
}

func (q *taskQueue) work() {
	for t := q.next(); t != nil; t = q.next() {
		q.finish(t, runGuarded(t))
	}
}

// runGuarded runs a task and returns what it panicked with.
func runGuarded(t *task) (failed any) {
	defer func() {
		if p := recover(); p != nil {
			failed = fmt.Sprintf("%s: %v\n%s", t.name, p, shortStack())
		}
	}()
	t.run()
	return nil
}

func (q *taskQueue) next() *task {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case q.left == 0 || q.failed != nil:
			return nil
		case len(q.urgent) > 0:
			t := q.urgent[0]
			q.urgent = q.urgent[1:]
			return t
		case len(q.normal) > 0:
			t := q.normal[0]
			q.normal = q.normal[1:]
			return t
		}
		q.cond.Wait()
	}
}

func (q *taskQueue) finish(t *task, failed any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left--
	if failed != nil {
		q.failed = failed
	}
	for _, next := range t.release {
		if next.waits--; next.waits == 0 {
			q.push(next)
		}
	}
	q.cond.Broadcast()
}
