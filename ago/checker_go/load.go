package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// This file answers `load`: from the saved graph when the disk still agrees with it, else from the go command.
//
// Invariant: loading type-checks nothing, downloads nothing and writes only below the cache folder.

func init() { methods["load"] = (*server).handleLoad }

type loadParams struct {
	Root     string   `json:"root"`
	CacheDir string   `json:"cache_dir"`
	GOOS     string   `json:"goos"`
	GOARCH   string   `json:"goarch"`
	Tags     []string `json:"tags"`
	Cgo      *bool    `json:"cgo"`
	Jobs     int      `json:"jobs"`
	// Own is the context of the workspace's own build, beside which this one is loaded; nil for that itself.
	Own *Context `json:"own"`
	// Dir is the folder, relative to the root, of the module whose build is meant: a view of the workspace. "" is the
	// build of the root.
	Dir string `json:"dir"`

	overlay string // of module files, as the go command takes one; "" for none
}

// States of a load.
const (
	stateOK      = "ok"
	stateMissing = "dependencies_missing"
	stateNone    = "no_module"
	stateFailed  = "failed"
)

// loaded is the outcome of a load; Graph is nil unless the state is ok or dependencies_missing.
type loaded struct {
	State    string
	Message  string
	Mend     []string
	Graph    *Graph
	Views    []moduleView
	Problems []Diag
}

// moduleView is a module below the root that the build does not use.
type moduleView struct {
	Dir    string `json:"dir"`
	Module string `json:"module"`
	Reason string `json:"reason"`
	// Replaces are the folders of the workspace that its build takes modules from.
	Replaces []string `json:"replaces"`
}

func (s *server) handleLoad(r *request) (any, error) {
	var params loadParams
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	if params.CacheDir == "" {
		return nil, failf(badRequest, "load: cache_dir is required")
	}
	if params.Root == "" {
		params.Root = s.root
	}
	root, err := filepath.EvalSymlinks(params.Root)
	if err != nil {
		return nil, failf(loadFailed, "load: %v", err)
	}
	s.root, s.cacheDir, s.jobs = root, params.CacheDir, params.Jobs
	if s.jobs <= 0 {
		s.jobs = runtime.GOMAXPROCS(0)
	}
	l, err := load(root, params)
	if err != nil {
		return nil, failf(loadFailed, "load: %v", err)
	}
	s.graph, s.universe, s.params, s.fork = l.Graph, nil, params, nil
	return l.reply(), nil
}

// load takes the saved graph, brought up to date, or makes a new one and saves it.
func load(root string, params loadParams) (loaded, error) {
	saved := savedGraph{path: savedPath(root, params), key: savedKey(root, params)}
	if l, ok := saved.load(root, params); ok {
		return l, nil
	}
	stamps := newStamper(root)
	l, err := loadFresh(root, params, stamps)
	if err == nil && l.State == stateOK {
		saved.store(l, stamps)
	}
	return l, err
}

// loadFresh makes the graph with two go commands: the main modules, then every package that they and their tests need.
func loadFresh(root string, params loadParams, stamps *stamper) (loaded, error) {
	vars, err := goVariables(root, params)
	if err != nil {
		return loaded{State: stateFailed, Message: err.Error()}, nil
	}
	if vars["GOWORK"] == "" && (vars["GOMOD"] == "" || vars["GOMOD"] == os.DevNull) {
		return loaded{State: stateNone, Message: "no go.mod or go.work in " + params.folder(root) + " or above"}, nil
	}
	g := newGraph(root, params, vars)
	mains, err := listMainModules(g.env)
	if err != nil {
		return failedLoad(err.Error()), nil
	}
	for i := range mains {
		g.Modules = append(g.Modules, moduleOf(&mains[i], root))
	}
	g.prepare()
	scanned := scanAll(g, stamps)
	patterns := slices.Concat(workPatterns(g), testImports(g, scanned))
	list, err := listPackages(g.env, patterns)
	if err != nil && failedLoad(err.Error()).State == stateMissing && g.prune(mains, params) {
		if smaller, again := listPackages(g.env, patterns); again == nil {
			list, err = smaller, nil
		}
	}
	if err != nil {
		return failedLoad(err.Error()), nil
	}
	newAbsorber(g, scanned).absorb(list)
	g.addReplaced()
	g.index()
	g.markOutside(g.Order())
	l := judgeList(g, list)
	l.Graph = g
	if params.Dir == "" {
		l.Views = findViews(g, stamps.gomods)
	}
	stamps.addGraph(g)
	return l, nil
}

// goVariables asks the go command for its settings in the context that the caller wants.
func goVariables(root string, params loadParams) (map[string]string, error) {
	// Without the usual GOFLAGS, since they are asked for; `go env` obeys none of them.
	env := goEnv{dir: params.folder(root), env: append(append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local"), params.variables()...)}
	out, err := env.run("env", "-json", "GOFLAGS", "GOMOD", "GOWORK", "GOROOT",
		"GOMODCACHE", "GOOS", "GOARCH", "CGO_ENABLED", "CC", "GOVERSION")
	if err != nil {
		return nil, err
	}
	vars := map[string]string{}
	err = json.Unmarshal(out, &vars)
	return vars, err
}

// variables are the environment settings that the parameters of a load ask for.
func (p loadParams) variables() []string {
	var env []string
	if p.GOOS != "" {
		env = append(env, "GOOS="+p.GOOS)
	}
	if p.GOARCH != "" {
		env = append(env, "GOARCH="+p.GOARCH)
	}
	if p.Cgo != nil {
		env = append(env, "CGO_ENABLED="+map[bool]string{false: "0", true: "1"}[*p.Cgo])
	}
	if p.Dir != "" {
		env = append(env, "GOWORK=off") // the root's go.work does not know this module
	}
	return env
}

// folder is where the go command runs: in the module of a view.
func (p loadParams) folder(root string) string { return filepath.Join(root, filepath.FromSlash(p.Dir)) }

// newGraph makes a graph without packages.
func newGraph(root string, params loadParams, vars map[string]string) *Graph {
	flags, tags := vars["GOFLAGS"], flagTags(vars["GOFLAGS"])
	if params.Tags != nil {
		tags = params.Tags
		flags = strings.Join(append(harmlessFlags(flags), "-tags="+strings.Join(tags, ",")), " ")
	}
	fields := strings.Fields(vars["CC"])
	compiler := false
	if len(fields) > 0 {
		_, err := exec.LookPath(fields[0])
		compiler = err == nil
	}
	g := &Graph{
		Root: root, cacheDir: params.CacheDir, Own: params.Own,
		Context: Context{GOOS: vars["GOOS"], GOARCH: vars["GOARCH"], Tags: tags, Cgo: vars["CGO_ENABLED"] == "1",
			GoVersion: vars["GOVERSION"], GOROOT: vars["GOROOT"], GOMODCACHE: vars["GOMODCACHE"], CompilerPresent: compiler},
		Packages: map[string]*Package{},
		Missing:  map[string]string{},
		env:      newGoEnv(params.folder(root), flags, params.variables()...),
		view:     params.Dir,
	}
	if params.overlay != "" {
		g.env = g.env.withFlag("-overlay=" + params.overlay)
	}
	if work := vars["GOWORK"]; work != "off" {
		g.gowork = work
	}
	return g
}

// prepare fills in what follows from the context and the main modules.
func (g *Graph) prepare() {
	g.build = buildRules{Context: buildContext(g.Context)}
	if g.Own != nil {
		own := buildContext(*g.Own)
		g.build.own = &own
	}
	g.asked = &askedPaths{}
	for _, m := range g.Modules {
		if m.Main {
			g.vendorDirs = append(g.vendorDirs, filepath.Join(m.Dir, "vendor"))
		}
	}
	if g.gowork != "" {
		g.vendorDirs = append(g.vendorDirs, filepath.Join(filepath.Dir(g.gowork), "vendor"))
	}
}

// parallel calls do(0) … do(n-1) from the given number of goroutines.
func parallel(n, workers int, do func(i int)) {
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	wg.Wait()
}

// judgeList finds what the go command could not resolve and the one call that would mend it.
func judgeList(g *Graph, list []listed) loaded {
	l := loaded{State: stateOK}
	for i := range list {
		p := &list[i]
		if p.Error == nil {
			continue
		}
		if mend := mendFor(p.Error.Err); mend != nil && l.State == stateOK {
			l.State, l.Mend, l.Message = stateMissing, mend, p.ImportPath+": "+firstLines(p.Error.Err)
		}
		l.Problems = append(l.Problems, listProblem(g, g.env.dir, p))
	}
	return l
}

// mendFor is the go command that cures an error of the go command, nil when no single one is known to.
func mendFor(text string) []string {
	switch {
	case strings.Contains(text, "GOPROXY=off"):
		return []string{"go", "mod", "download"}
	case strings.Contains(text, "missing go.sum entry"), strings.Contains(text, "updates to go.mod needed"),
		strings.Contains(text, "go mod tidy"):
		return []string{"go", "mod", "tidy"}
	case strings.Contains(text, "inconsistent vendoring"), strings.Contains(text, "-mod=vendor"):
		return []string{"go", "mod", "vendor"}
	}
	return nil
}

func failedLoad(text string) loaded {
	l := loaded{State: stateFailed, Message: text, Mend: mendFor(text)}
	if strings.Contains(text, "GOPROXY=off") || strings.Contains(text, "missing go.sum entry") {
		l.State = stateMissing
	}
	return l
}
