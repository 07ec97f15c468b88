package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// This file keeps the graph between two lives of agocheck. Every folder and file that the graph was made from is
// stamped; a start with equal stamps runs no go command.

// savedFormat is part of the key; raise it when Graph or Package change.
const savedFormat = "ago graph 1"

// stamp is what lstat knows of a file or folder; zero when there is none.
type stamp struct{ Mtime, Ctime, Size int64 }

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stampInfo(info)
}

func stampInfo(info fs.FileInfo) stamp {
	s := stamp{Mtime: info.ModTime().UnixNano(), Size: info.Size()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Ctime = ctime(sys)
	}
	return s
}

// stamper collects the stamps of a load.
type stamper struct {
	dirs   []string // folders below the root
	gomods []string // those with a go.mod
	stamps map[string]stamp
	before map[string]stamp // taken before anything was read
}

// newStamper walks the root and stamps what it meets, before anything is read.
func newStamper(root string) *stamper {
	s := &stamper{stamps: map[string]stamp{}, before: map[string]stamp{}}
	s.walk(root)
	return s
}

// walk visits the folders that may hold Go files: not those of version control and tools, nor npm's.
func (s *stamper) walk(root string) {
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir():
			s.dirs = append(s.dirs, path)
			s.stamps[path] = stampOf(path)
		case name == "go.mod":
			s.gomods = append(s.gomods, filepath.Dir(path))
		case isSource(name):
			s.before[path] = stampOf(path)
		}
		return nil
	})
}

// addGraph stamps what the graph was made from: the files of its source folders, module files, and the roots of
// the folders that it reads dependencies from.
func (s *stamper) addGraph(g *Graph) {
	for _, p := range g.byDir {
		s.add(p.Dir)
		for _, f := range p.Scanned {
			s.add(filepath.Join(p.Dir, f.Name))
		}
	}
	for _, p := range g.Packages {
		if !p.Source && g.vendored(p.Dir) {
			s.add(p.Dir)
			for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
				s.add(filepath.Join(p.Dir, name))
			}
		}
	}
	for _, m := range g.Modules {
		s.add(m.Dir)
	}
	s.add(filepath.Join(g.Context.GOROOT, "VERSION"))
	for _, path := range moduleFiles(g) {
		s.add(path)
	}
}

func (s *stamper) add(path string) {
	if _, ok := s.stamps[path]; ok || path == "" {
		return
	}
	if early, ok := s.before[path]; ok {
		s.stamps[path] = early
		return
	}
	s.stamps[path] = stampOf(path)
}

// moduleFiles lists the files that decide about the build list, also those that are not there but would.
func moduleFiles(g *Graph) []string {
	var files []string
	for _, m := range g.Modules {
		if m.Main || !below(m.Dir, g.Context.GOMODCACHE) {
			files = append(files, m.GoMod, filepath.Join(m.Dir, "go.sum"))
		}
	}
	for _, dir := range g.vendorDirs {
		files = append(files, filepath.Join(dir, "modules.txt"))
	}
	if g.gowork != "" {
		files = append(files, g.gowork, g.gowork+".sum")
	}
	for dir := g.Root; ; dir = filepath.Dir(dir) {
		files = append(files, filepath.Join(dir, "go.work"), filepath.Join(dir, "go.mod"))
		if dir == filepath.Dir(dir) {
			return files
		}
	}
}

// isModuleFile says that a change of this file can change the build list, or what a vendored dependency is.
func isModuleFile(path string) bool {
	switch filepath.Base(path) {
	case "go.mod", "go.sum", "go.work", "go.work.sum":
		return true
	}
	return strings.Contains("/"+filepath.ToSlash(path), "/vendor/")
}

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
	sum := sha256.Sum256([]byte(fmt.Sprint(root, params.GOOS, params.GOARCH, params.Tags, params.Cgo != nil && *params.Cgo)))
	return filepath.Join(params.CacheDir, "graphs", hex.EncodeToString(sum[:12]))
}

// savedKey covers everything outside the workspace that a graph depends on, without running the go command.
func savedKey(root string, params loadParams) string {
	h := sha256.New()
	fmt.Fprintln(h, savedFormat, depsFormat, version, root, params.variables(), params.Tags, params.Tags != nil)
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

// store writes the graph; a failure only costs the next start its speed.
func (s savedGraph) store(l loaded, stamps *stamper) {
	g := l.Graph
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
	g := &Graph{Root: root, cacheDir: params.CacheDir, Context: b.Context, Modules: b.Modules, Missing: b.Missing, gowork: b.GoWork,
		Packages: make(map[string]*Package, len(b.Packages)), env: newGoEnv(root, b.Flags, params.variables()...)}
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

// changedFiles compares the stamps with the disk. It lists the source files that changed, appeared or vanished, relative
// to the root where they lie below it; false when something changed that decides about more than its own package.
func changedFiles(root string, stamps map[string]stamp) (changed []string, ok bool) {
	paths := keysOf(stamps)
	fresh := make([]stamp, len(paths))
	parallel((len(paths)+255)/256, 2, func(block int) {
		for i := block * 256; i < min(len(paths), (block+1)*256); i++ {
			fresh[i] = stampOf(paths[i])
		}
	})
	for i, path := range paths {
		if fresh[i] == stamps[path] {
			continue
		}
		switch {
		case isModuleFile(path):
			return nil, false
		case !isSource(path) && below(path, root):
			added, ok := newFiles(path, stamps)
			if !ok {
				return nil, false
			}
			changed = append(changed, added...)
		case isSource(path):
			changed = append(changed, path)
		default:
			return nil, false
		}
	}
	for i, path := range changed {
		changed[i] = relTo(root, path)
	}
	slices.Sort(changed)
	return slices.Compact(changed), true
}

// newFiles lists the source files of a changed folder (or of folders new in it) that have no stamp yet; false when a
// module appeared.
func newFiles(dir string, stamps map[string]stamp) (added []string, ok bool) {
	s := &stamper{stamps: map[string]stamp{}, before: map[string]stamp{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, true // vanished: its files are in the stamps
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		_, known := stamps[path]
		switch name := entry.Name(); {
		case known:
		case entry.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules":
			s.walk(path)
		case name == "go.mod":
			return nil, false
		case isSource(name) && !entry.IsDir():
			added = append(added, path)
		}
	}
	return append(added, keysOf(s.before)...), len(s.gomods) == 0
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
