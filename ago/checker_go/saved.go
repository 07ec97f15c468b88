package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// This file keeps the graph between two lives of agocheck. A start with equal stamps
// (stamps.go) runs no go command.

// savedFormat is part of the key; raise it when Graph or Package change.
const savedFormat = "ago graph 3"

// savedGraph is the place where the graph of a root, context and environment is kept.
type savedGraph struct{ path, key string }

// savedBody is the content of that place.
type savedBody struct {
	Key      string
	Stamps   map[string]stamp
	Context  Context
	Modules  []*Module
	Packages []savedPackage
	Missing  map[string]string
	GoWork   string
	Flags    string // GOFLAGS
	Views    []moduleView
	Problems []Diag
}

// savedPackage is a package with its module by index (-1: none).
type savedPackage struct {
	Package Package
	Module  int
}

func savedPath(root string, params loadParams) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(root, params.GOOS, params.GOARCH, params.Tags, params.Cgo != nil && *params.Cgo, params.Dir)))
	return filepath.Join(params.CacheDir, "graphs", hex.EncodeToString(sum[:12]))
}

// savedKey covers everything outside the workspace that a graph depends on, without running the go command.
func savedKey(root string, params loadParams) string {
	h := sha256.New()
	fmt.Fprintln(h, savedFormat, depsFormat, version, root, params.variables(), params.Tags, params.Tags != nil)
	if params.Own != nil {
		fmt.Fprintf(h, "%+v\n", *params.Own)
	}
	for _, name := range []string{"GOFLAGS", "GOWORK", "GOROOT", "GOPATH", "GOMODCACHE", "GOOS", "GOARCH", "CGO_ENABLED",
		"CC", "GOENV", "GOEXPERIMENT", "GO111MODULE", "HOME", "PATH"} {
		fmt.Fprintln(h, name, os.Getenv(name))
	}
	if config, err := os.UserConfigDir(); err == nil {
		fmt.Fprintln(h, stampOf(filepath.Join(config, "go", "env")), stampOf(os.Getenv("GOENV")))
	}
	for _, program := range []string{"go", "gcc", "clang", "cc"} {
		path, _ := exec.LookPath(program)
		fmt.Fprintln(h, path, stampOf(path))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// store writes the graph; a failure only costs the next start its speed. One that lacks packages is not kept: what comes
// into the module cache has no stamp.
func (s savedGraph) store(l loaded, stamps *stamper) {
	g := l.Graph
	if g.lacksSome() {
		os.Remove(s.path)
		return
	}
	body := savedBody{Key: s.key, Stamps: stamps.stamps, Context: g.Context, Modules: g.Modules, Missing: g.Missing,
		GoWork: g.gowork, Flags: g.env.flags, Views: l.Views, Problems: l.Problems}
	index := map[*Module]int{nil: -1}
	for i, m := range g.Modules {
		index[m] = i
	}
	for _, p := range g.Packages {
		saved := savedPackage{*p, index[p.Module]}
		saved.Package.Module = nil
		body.Packages = append(body.Packages, saved)
	}
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(body); err == nil {
		writeAtomically(s.path, out.Bytes())
	}
}

// read gets what was stored under the same key.
func (s savedGraph) read() (body savedBody, ok bool) {
	file, err := os.ReadFile(s.path)
	if err != nil {
		return body, false
	}
	err = gob.NewDecoder(bytes.NewReader(file)).Decode(&body)
	return body, err == nil && body.Key == s.key
}

// load takes the saved graph and brings it up to date; false when only the go command can tell.
func (s savedGraph) load(root string, params loadParams) (loaded, bool) {
	body, ok := s.read()
	if !ok {
		return loaded{}, false
	}
	changed, ok := changedFiles(root, body.Stamps)
	if !ok {
		return loaded{}, false
	}
	l := loaded{State: stateOK, Graph: body.graph(root, params), Views: body.Views, Problems: body.Problems}
	if len(changed) == 0 {
		return l, true
	}
	stamps := newStamper(root)
	var err error
	if l.Graph, _, err = l.Graph.Refreshed(changed); err != nil {
		return loaded{}, false
	}
	stamps.addGraph(l.Graph)
	s.store(l, stamps)
	return l, true
}

func (b savedBody) graph(root string, params loadParams) *Graph {
	g := &Graph{Root: root, cacheDir: params.CacheDir, Context: b.Context, Own: params.Own, Modules: b.Modules,
		Missing: b.Missing, gowork: b.GoWork, view: params.Dir,
		Packages: make(map[string]*Package, len(b.Packages)), env: newGoEnv(params.folder(root), b.Flags, params.variables()...)}
	if g.Missing == nil {
		g.Missing = map[string]string{}
	}
	for i := range b.Packages {
		p := &b.Packages[i].Package
		if m := b.Packages[i].Module; m >= 0 {
			p.Module = g.Modules[m]
		}
		g.Packages[p.Path] = p
	}
	g.prepare()
	g.index()
	return g
}

// writeAtomically puts a file in place in one step, so that a reader sees all of it or none.
func writeAtomically(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	if err2 := temp.Close(); err == nil {
		err = err2
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}
