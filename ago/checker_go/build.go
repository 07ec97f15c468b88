package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/gcexportdata"
)

// This file is `agocheck deps`, the short-lived child that type-checks dependencies from source, without function
// bodies, and writes export data of those that the workspace imports. It lives apart so that its peak of memory ends
// with it.

// buildSpec is what the child reads from its standard input.
type buildSpec struct {
	GOARCH   string
	Jobs     int
	Packages []buildPackage // each after what it imports
}

// buildPackage is one package to check.
type buildPackage struct {
	Path, Dir string
	Files     []string // absolute
	ImportMap map[string]string
	Imports   []string // paths after ImportMap, those of this build only
	Absent    []string // those of them that are not there: what needs them has the invalid type
	GoVersion string
	Cgo       bool   // some files import "C"
	CgoTypes  string // absolute path of _cgo_gotypes.go, "" when there is none
	Out       string // where the export data goes, "" for nowhere
}

// entryHeader is the first line of a cache entry.
type entryHeader struct {
	Error string `json:"error,omitempty"` // the first type error: importers can't compile
	Taint string `json:"taint,omitempty"` // why its C-typed objects are not to be trusted
}

// builder checks the packages of a spec.
type builder struct {
	spec   buildSpec
	fset   *token.FileSet
	sizes  types.Sizes
	mu     sync.Mutex
	ready  map[string]*types.Package
	failed atomic.Bool
}

// buildDeps serves one spec: progress lines on out, the outcome as exit code.
func buildDeps(in io.Reader, out io.Writer) int {
	b := &builder{fset: token.NewFileSet(), ready: map[string]*types.Package{"unsafe": types.Unsafe}}
	if err := gob.NewDecoder(in).Decode(&b.spec); err != nil {
		fmt.Fprintln(os.Stderr, "agocheck deps:", err)
		return 2
	}
	// Memory goes back at exit, so collecting garbage is mostly waste.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(3 << 29)
	b.sizes = types.SizesFor("gc", b.spec.GOARCH)
	b.run(out)
	if b.failed.Load() {
		return 1
	}
	return 0
}

// run checks every package as soon as its imports are checked.
func (b *builder) run(out io.Writer) {
	waiting, users, position := map[string]int{}, map[string][]int{}, map[string]int{}
	for i, p := range b.spec.Packages {
		position[p.Path] = i
	}
	todo := make(chan int, len(b.spec.Packages))
	for i, p := range b.spec.Packages {
		for _, imp := range p.Imports {
			if _, ok := position[imp]; ok && imp != p.Path {
				waiting[p.Path]++
				users[imp] = append(users[imp], i)
			}
		}
		if waiting[p.Path] == 0 {
			todo <- i
		}
	}
	done := 0
	var wg sync.WaitGroup
	for range b.spec.Jobs {
		wg.Go(func() {
			for i := range todo {
				p := &b.spec.Packages[i]
				pkg := b.build(p)
				b.mu.Lock()
				b.ready[p.Path] = pkg
				done++
				for _, user := range users[p.Path] {
					path := b.spec.Packages[user].Path
					if waiting[path]--; waiting[path] == 0 {
						todo <- user
					}
				}
				if done%64 == 0 {
					fmt.Fprintln(out, done)
				}
				if done == len(b.spec.Packages) {
					close(todo)
				}
				b.mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// build checks one package and writes its entry.
func (b *builder) build(p *buildPackage) *types.Package {
	var header entryHeader
	var files []*ast.File
	names := p.Files
	if p.CgoTypes != "" {
		names = append(names, p.CgoTypes)
	}
	conf := &types.Config{
		IgnoreFuncBodies: true, GoVersion: p.GoVersion, Sizes: b.sizes, Importer: b.importer(p),
		Error: func(err error) {
			if header.Error == "" && !strings.Contains(err.Error(), absentImport) {
				header.Error = err.Error()
			}
		},
	}
	for _, name := range names {
		file, err := b.parse(name)
		if err != nil {
			conf.Error(err)
		}
		if file != nil {
			files = append(files, file)
		}
	}
	switch {
	case p.CgoTypes != "":
		setUsesCgo(conf)
	case p.Cgo:
		conf.FakeImportC = true
	}
	pkg, _ := conf.Check(p.Path, b.fset, files, nil)
	if p.Cgo && p.CgoTypes == "" && p.GoVersion != "" {
		header = entryHeader{Taint: "cgo could not be run for " + p.Path}
	}
	if p.Out != "" {
		if err := b.write(p, pkg, header); err != nil {
			b.failed.Store(true)
			fmt.Fprintf(os.Stderr, "agocheck deps: %s: %v\n", p.Path, err)
		}
	}
	return pkg
}

// parse reads a file without its function bodies; when that fails, the whole file says why.
func (b *builder) parse(name string) (*ast.File, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	blanked := bytes.Clone(src)
	blankBodies(blanked)
	if file, err := parser.ParseFile(b.fset, name, blanked, parser.SkipObjectResolution); err == nil {
		return file, nil
	}
	return parser.ParseFile(b.fset, name, src, parser.SkipObjectResolution)
}

// absentImport is said of an import that is known to be missing.
const absentImport = "no module has it"

func (b *builder) importer(p *buildPackage) importFunc {
	return func(path string) (*types.Package, error) {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if pkg := b.ready[path]; pkg != nil {
			return pkg, nil
		}
		if slices.Contains(p.Absent, path) {
			return types.NewPackage(path, assumedName(path)), errors.New(absentImport)
		}
		return nil, fmt.Errorf("package %s is not there", path)
	}
}

func (b *builder) write(p *buildPackage, pkg *types.Package, header entryHeader) error {
	var out bytes.Buffer
	if err := json.NewEncoder(&out).Encode(header); err != nil {
		return err
	}
	if header.Error == "" {
		if err := gcexportdata.Write(&out, b.fset, pkg); err != nil {
			return err
		}
	}
	return writeAtomically(filepath.Clean(p.Out), out.Bytes())
}
