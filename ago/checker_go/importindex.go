package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// This file is the index of packages on disk that the graph does not hold yet: of the standard library, the vendor
// folder or the modules of the build. A name can only be resolved to those by looking.
//
// Invariant: the index of a module version never changes, so it is kept in the cache folder; that of a vendor folder
// lives in the process and is keyed by its modules.txt.

// indexSource is one tree of packages.
type indexSource struct {
	prefix string // import path of dir
	dir    string
	std    bool
	key    string // names the contents
	saved  bool   // may be kept on disk
}

// indexed is one package of an index.
type indexed struct {
	Path string `json:"path"`
	Name string `json:"name"`
	Dir  string `json:"dir"`
}

type packageIndex []indexed

// indexSources lists where packages can be imported from: std, then the vendor folder or the modules.
func indexSources(g *Graph) []indexSource {
	list := []indexSource{{dir: filepath.Join(g.Context.GOROOT, "src"), std: true, key: "std " + g.Context.GoVersion, saved: true}}
	for _, vendor := range g.vendorDirs {
		if text, err := os.ReadFile(filepath.Join(vendor, "modules.txt")); err == nil {
			return append(list, indexSource{dir: vendor, key: vendor + string(text)})
		}
	}
	for _, m := range g.required() {
		if m.Dir == "" || m.Main || m.Workspace {
			continue
		}
		inCache := g.Context.GOMODCACHE != "" && strings.HasPrefix(m.Dir, g.Context.GOMODCACHE)
		list = append(list, indexSource{prefix: m.Path, dir: m.Dir, key: m.Path + " " + m.Dir, saved: inCache})
	}
	return list
}

// required lists the modules of the build: those that packages of the graph are of, then those that are required and
// have no package in it yet.
func (g *Graph) required() []*Module {
	modules, known := slices.Clone(g.Modules), map[string]bool{}
	for _, m := range modules {
		known[m.Path] = true
	}
	list := g.asked.modules(g.env)
	for i := range list {
		if !known[list[i].Path] {
			modules = append(modules, moduleOf(&list[i], g.Root))
		}
	}
	return modules
}

var (
	indexMu sync.Mutex
	indexes = map[string]packageIndex{}
)

// index returns the packages of a source, from memory, from the cache folder or by reading its folders.
func (s indexSource) index(cacheDir string) packageIndex {
	indexMu.Lock()
	defer indexMu.Unlock()
	if known, ok := indexes[s.key]; ok {
		return known
	}
	sum := sha256.Sum256([]byte("1 " + s.key))
	file := filepath.Join(cacheDir, "packages", hex.EncodeToString(sum[:12])+".json")
	var list packageIndex
	if text, err := os.ReadFile(file); !s.saved || err != nil || json.Unmarshal(text, &list) != nil {
		list = s.read()
		if s.saved {
			saveIndex(file, list)
		}
	}
	indexes[s.key] = list
	return list
}

// saveIndex writes an index for later processes; without it they read the folders again.
func saveIndex(file string, list packageIndex) {
	text, err := json.Marshal(list)
	if err != nil || os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(file), "index")
	if err != nil {
		return
	}
	_, err = temp.Write(text)
	if closeErr := temp.Close(); err != nil || closeErr != nil || os.Rename(temp.Name(), file) != nil {
		os.Remove(temp.Name())
	}
}

// read walks the folders of a source as the go command would.
func (s indexSource) read() packageIndex {
	var list packageIndex
	filepath.WalkDir(s.dir, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if dir != s.dir && s.skips(dir, d.Name()) {
			return fs.SkipDir
		}
		if name := packageName(dir); name != "" && name != "main" {
			rel, _ := filepath.Rel(s.dir, dir)
			list = append(list, indexed{path.Join(s.prefix, filepath.ToSlash(rel)), name, dir})
		}
		return nil
	})
	return list
}

// skips says that a folder holds no package that others may import.
func (s indexSource) skips(dir, name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "internal" || name == "vendor" {
		return true
	}
	if s.std {
		return name == "cmd" && filepath.Dir(dir) == s.dir
	}
	if s.prefix == "" {
		return false // a vendor folder has no go.mod files
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil // another module
}

// packageName reads the package clause of a folder; "" without Go files.
func packageName(dir string) string {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.PackageClauseOnly)
		if err == nil && f.Name.Name != "documentation" && !isIgnored(filepath.Join(dir, name), f.Name.Name) {
			return f.Name.Name
		}
	}
	return ""
}

// isIgnored says that a main file is a tool beside a library, marked with //go:build ignore.
func isIgnored(file, name string) bool {
	if name != "main" {
		return false
	}
	text, err := os.ReadFile(file)
	return err == nil && strings.Contains(string(text), "//go:build ignore")
}

func (x packageIndex) find(path string) *indexed {
	for i := range x {
		if x[i].Path == path {
			return &x[i]
		}
	}
	return nil
}

func (x packageIndex) named(name string) []indexed {
	var list []indexed
	for _, p := range x {
		if p.Name == name {
			list = append(list, p)
		}
	}
	return list
}

// matchesBuild says that a file on disk takes part in the graph's build.
func matchesBuild(g *Graph, file string) bool {
	src, err := os.ReadFile(file)
	return err == nil && g.MatchFile(file, src)
}
