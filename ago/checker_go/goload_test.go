package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain lets the test binary serve as the child that builds dependencies.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "deps" {
		os.Exit(buildDeps(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// tree writes files ("-- name --" headed sections) into a new folder and returns it.
func tree(t *testing.T, text string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(text, "\n-- ")[1:] {
		name, body, _ := strings.Cut(section, " --\n")
		put(t, root, name, body+"\n")
	}
	return root
}

func put(t *testing.T, root, name, body string) {
	t.Helper()
	path := filepath.Join(root, name)
	os.MkdirAll(filepath.Dir(path), 0o755)
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mustLoad(t *testing.T, root string, params loadParams) loaded {
	t.Helper()
	if params.CacheDir == "" {
		params.CacheDir = t.TempDir()
	}
	l, err := load(root, params)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

const small = `
-- go.mod --
module ex.com/m

go 1.25
-- a/a.go --
package a

import "fmt"

var _ = fmt.Sprint
-- a/a_test.go --
package a

import "testing"

func TestA(*testing.T) {}
-- a/x_test.go --
package a_test

import "ex.com/m/b"

var _ = b.B
-- a/a_windows.go --
package a
-- b/b.go --
package b

import "ex.com/m/a"

var _ = a.A
-- b/testdata/t.go --
package t
-- sub/go.mod --
module ex.com/sub

replace ex.com/m => ../
`

func TestLoadDescribesPackages(t *testing.T) {
	l := mustLoad(t, tree(t, small), loadParams{})
	g := l.Graph
	same(t, "state", l.State, stateOK)
	same(t, "order", g.Order(), "[ex.com/m/a ex.com/m/b]")
	a := g.Packages["ex.com/m/a"]
	same(t, "primary", g.Files(a, Primary), "[a/a.go]")
	same(t, "test", g.Files(a, InTest), "[a/a.go a/a_test.go]")
	same(t, "xtest", g.Files(a, XTest), "[a/x_test.go]")
	same(t, "ignored", a.IgnoredGoFiles, "[a_windows.go]")
	same(t, "importers", g.Importers("ex.com/m/a"), "[ex.com/m/b]")
	same(t, "test importers", g.TestImporters("ex.com/m/b"), "[ex.com/m/a]")
	same(t, "language", a.languageVersion(), "go1.25")
	same(t, "views", l.Views, "[{sub a module of its own, which replaces a module by a folder of this workspace}]")
	_, role := g.PackageOfFile("a/x_test.go")
	same(t, "role", role, "xtest")
	if g.Packages["testing"] == nil {
		t.Error("what tests import is not in the graph")
	}
}

func TestSavedGraph(t *testing.T) {
	root, params := tree(t, small), loadParams{CacheDir: t.TempDir()}
	mustLoad(t, root, params)
	saved := savedGraph{savedPath(root, params), savedKey(root, params)}
	l, ok := saved.load(root, params)
	if !ok {
		t.Fatal("an unchanged tree needs the go command")
	}
	same(t, "order", l.Graph.Order(), "[ex.com/m/a ex.com/m/b]")
	put(t, root, "b/b.go", "package b\n")
	put(t, root, "c/c.go", "package c\n\nimport _ \"ex.com/m/b\"\n")
	os.Remove(filepath.Join(root, "a/x_test.go"))
	l, ok = saved.load(root, params)
	if !ok {
		t.Fatal("changed Go files need a new load")
	}
	fresh := mustLoad(t, root, loadParams{}).Graph
	for path, p := range fresh.Packages {
		if q := l.Graph.Packages[path]; q == nil || fmt.Sprint(q.Scanned, q.Imports) != fmt.Sprint(p.Scanned, p.Imports) {
			t.Errorf("%s differs from a fresh load: %v, want %v", path, q, p)
		}
	}
	same(t, "importers", l.Graph.importers["ex.com/m/b"], fresh.importers["ex.com/m/b"])
	if changed, _ := changedFiles(root, readStamps(t, saved)); len(changed) > 0 {
		t.Errorf("the graph was not saved again: %v", changed)
	}
	put(t, root, "go.mod", "module ex.com/n\n\ngo 1.25\n")
	if _, ok := saved.load(root, params); ok {
		t.Error("another go.mod, the same graph")
	}
}

func readStamps(t *testing.T, s savedGraph) map[string]stamp {
	t.Helper()
	body, ok := s.read()
	if !ok {
		t.Fatal("no saved graph")
	}
	return body.Stamps
}

func TestOverlaid(t *testing.T) {
	g := mustLoad(t, tree(t, small), loadParams{}).Graph
	text := func(s string) Content { return Content{Text: &s} }
	next, touched, err := g.Overlaid(Overlay{
		"a/a.go":         text("package a\n\nimport _ \"go/doc\"\n"),
		"a/a_windows.go": text("//go:build windows || linux\n\npackage a\n"),
		"a/tagged.go":    text("//go:build never\n\npackage a\n"),
		"b/b.go":         {Deleted: true},
		"new/n.go":       text("package other\n\nimport _ \"ex.com/m/gone\"\n"),
		"sub/s.go":       text("package sub\n"),
		"a/odd.go":       text("package odd\n"),
	})
	if err != nil {
		t.Fatal(err)
	}
	a := next.Packages["ex.com/m/a"]
	same(t, "touched", touched, "[ex.com/m/a ex.com/m/b ex.com/m/new]")
	same(t, "files", a.GoFiles, "[a.go]")
	same(t, "imports", a.Imports, "[go/doc]")
	same(t, "problem", a.Problems[0].File+" "+a.Problems[0].Msg, "a/odd.go package odd; expected package a")
	same(t, "name", next.Packages["ex.com/m/new"].Name, "other")
	if next.Packages["go/doc"] == nil || next.Packages["ex.com/m/b"] != nil || next.Missing["ex.com/m/gone"] == "" {
		t.Error("the overlay's imports are not resolved")
	}
	same(t, "importers", next.Importers("ex.com/m/a"), "[]")
	same(t, "base", g.Packages["ex.com/m/a"].Imports, "[fmt]")
	same(t, "base importers", g.Importers("ex.com/m/a"), "[ex.com/m/b]")
}

func TestStates(t *testing.T) {
	if l := mustLoad(t, t.TempDir(), loadParams{}); l.State != stateNone {
		t.Errorf("no module: %s", l.State)
	}
	root := tree(t, `
-- go.mod --
module ex.com/m

go 1.25

require golang.org/x/nowhere v1.2.3
-- go.sum --
golang.org/x/nowhere v1.2.3 h1:Ab8sNiKZzCCbKbsKMcJPbMy4SGC1c9FfNwCpgp0wPyM=
golang.org/x/nowhere v1.2.3/go.mod h1:x7sbLLn1m9L5/m5NyCS9aVxcw0Y2+FzyMVYBqXoeJYs=
-- m.go --
package m

import _ "golang.org/x/nowhere"
`)
	l := mustLoad(t, root, loadParams{})
	same(t, "missing", l.State, stateMissing)
	same(t, "mend", l.Mend, "[go mod download]")
	put(t, root, "go.mod", "module ex.com/m\n\ngo 1.999\n")
	if l := mustLoad(t, root, loadParams{}); l.State != stateFailed {
		t.Errorf("a go line newer than the toolchain: %s", l.State)
	}
}

// TestHostileWorkspace opens a workspace that asks the go command to run programs and to write.
func TestHostileWorkspace(t *testing.T) {
	root := tree(t, small)
	mark := filepath.Join(t.TempDir(), "ran")
	script := filepath.Join(root, "evil.sh")
	put(t, root, "evil.sh", "#!/bin/sh\ntouch "+mark+"\n")
	os.Chmod(script, 0o755)
	exec.Command("git", "init", "-q", root).Run()
	exec.Command("git", "-C", root, "config", "core.fsmonitor", script).Run()
	put(t, root, "go.mod", "module ex.com/m\n\ngo 1.25\n\ntoolchain go1.99.9\n")
	put(t, root, "a/a.go", "package a\n\nimport _ \"golang.org/x/exp/slices\"\n")
	t.Setenv("GOFLAGS", "-mod=mod -toolexec="+script+" -tags=one")
	before, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	l := mustLoad(t, root, loadParams{})
	after, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	same(t, "state", l.State, stateOK)
	same(t, "tags", l.Graph.Context.Tags, "[one]")
	if _, err := os.Stat(mark); err == nil || !bytes.Equal(before, after) {
		t.Error("loading ran a program of the workspace or wrote go.mod")
	}
}

const upstream = `
-- go.work --
go 1.25

use ./m
use ./lib
-- m/go.mod --
module ex.com/m

go 1.25
-- m/p/p.go --
package p

type T struct{}
-- m/m.go --
package m

import (
	_ "ex.com/lib"
	"net/http"
	"os"
)

var _ http.Handler
var _ *os.File
-- lib/go.mod --
module ex.com/lib

go 1.25
-- lib/lib.go --
package lib

import "ex.com/m/p"

var X p.T
`

// TestDepsHoldNoSource: no read of export data makes or extends a package that is checked from source.
func TestDepsHoldNoSource(t *testing.T) {
	l := mustLoad(t, tree(t, upstream), loadParams{})
	same(t, "order", l.Graph.Order(), "[ex.com/m/p ex.com/lib ex.com/m]")
	s := &server{cacheDir: t.TempDir(), jobs: 2}
	d := OpenDeps(s, l.Graph, token.NewFileSet())
	built, err := d.Prepare(l.Graph, []string{"net/http", "os", "ex.com/m/p"}, nil)
	if err != nil || built == 0 {
		t.Fatalf("built %d: %v", built, err)
	}
	for path := range d.packages {
		if p := l.Graph.Packages[path]; p != nil && p.Source {
			t.Errorf("%s of the source set is among the dependencies", path)
		}
	}
	file, err := d.Import("os")
	if err != nil || file.Scope().Lookup("File") == nil {
		t.Errorf("os: %v", err)
	}
	if _, err := d.Import("net/url"); err == nil {
		t.Error("an incomplete package was handed out")
	}
	again := OpenDeps(s, l.Graph, token.NewFileSet())
	if built, err = again.Prepare(l.Graph, []string{"net/http", "os"}, nil); built != 0 || err != nil {
		t.Errorf("a full cache builds %d: %v", built, err)
	}
}

func TestVendoredSourcesAreKeyedByContent(t *testing.T) {
	root, params := tree(t, `
-- go.mod --
module ex.com/m

go 1.25

require d.com/dep v1.0.0
-- m.go --
package m

import _ "d.com/dep"
-- vendor/modules.txt --
# d.com/dep v1.0.0
## explicit; go 1.20
d.com/dep
-- vendor/d.com/dep/dep.go --
package dep
`), loadParams{CacheDir: t.TempDir()}
	dep := mustLoad(t, root, params).Graph.Packages["d.com/dep"]
	if dep == nil || dep.Source || dep.languageVersion() != "go1.20" {
		t.Fatalf("vendored package: %+v", dep)
	}
	put(t, root, "vendor/d.com/dep/dep.go", "package dep\n\nvar X int\n")
	if mustLoad(t, root, params).Graph.Packages["d.com/dep"].Key == dep.Key {
		t.Error("another content, the same key")
	}
}

func TestKeysFollowDependencies(t *testing.T) {
	key := func(version string) string {
		root := tree(t, small)
		g := mustLoad(t, root, loadParams{}).Graph
		dep := &Package{Path: "d.com/dep", Module: &Module{Path: "d.com/dep"}, Dir: root, Imports: []string{"e.com/e"}}
		g.Packages["e.com/e"] = &Package{Path: "e.com/e", Key: version}
		return newKeyMaker(g).key(dep)
	}
	if key("1") != key("1") || key("1") == key("2") {
		t.Error("the key of a package must follow the keys of its imports, and nothing of the root")
	}
}

func TestCgoTypes(t *testing.T) {
	root := tree(t, `
-- go.mod --
module ex.com/m

go 1.25
-- m.go --
package m

// #define FOO 7
// typedef struct { int n; } pair;
import "C"

const K = C.FOO

func N(p C.pair) int { return int(p.n) }
`)
	g := mustLoad(t, root, loadParams{}).Graph
	if !g.Context.Cgo || !g.Context.CompilerPresent {
		t.Skip("no cgo here")
	}
	generated := g.CgoTypes([]string{"ex.com/m"})["ex.com/m"]
	if generated == "" || !below(generated, g.cacheDir) {
		t.Fatalf("cgo was not run alone: %s", generated)
	}
	if listed := g.listCgo([]string{"ex.com/m"})["ex.com/m"]; listed == "" {
		t.Error("the go command did not run cgo")
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range []string{filepath.Join(root, "m.go"), generated} {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	d := OpenDeps(&server{cacheDir: t.TempDir(), jobs: 2}, g, fset)
	if _, err := d.Prepare(g, g.Packages["ex.com/m"].directs(), nil); err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: importFunc(d.Import)}
	setUsesCgo(conf)
	pkg, err := conf.Check("ex.com/m", fset, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "K", pkg.Scope().Lookup("K").(*types.Const).Val(), "7")
	src, _ := os.ReadFile(filepath.Join(root, "m.go"))
	edited := bytes.ReplaceAll(src, []byte("N(p"), []byte("Other(p"))
	same(t, "signature", CgoSignature(edited), CgoSignature(src))
	if CgoSignature(bytes.ReplaceAll(src, []byte("C.FOO"), []byte("C.BAR"))) == CgoSignature(src) {
		t.Error("another C name, the same signature")
	}
}

func TestEmbedPatterns(t *testing.T) {
	same(t, "patterns", splitPatterns(" a/*.txt \"b c\" `d` all:e"), "[a/*.txt b c d all:e]")
	root := tree(t, small)
	put(t, root, "a/files/one.txt", "")
	put(t, root, "a/files/.two", "")
	same(t, "files", embedded(filepath.Join(root, "a"), []string{"files"}), "["+root+"/a/files/one.txt]")
}

// TestBlankBodies: what is left of the standard library's files parses to the same declarations at the same places.
func TestBlankBodies(t *testing.T) {
	for _, pattern := range []string{"go/*/*.go", "net/http/*.go", "runtime/*.go", "slices/*.go", "unicode/*.go"} {
		names, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", pattern))
		for _, name := range names {
			src, _ := os.ReadFile(name)
			whole := signatures(t, src)
			if blankBodies(src); signatures(t, src) != whole {
				t.Errorf("%s lost more than bodies", name)
			}
		}
	}
	odd := "package p\nfunc a() interface{ M() } { return '{' }\nfunc b()\nvar c = [...]int{1}\n/* { */ func d() struct{ x int } {\n}\n"
	src := []byte(odd)
	blankBodies(src)
	same(t, "odd", string(src), strings.Replace(odd, "return '{'", "          ", 1))
}

// signatures lists the declarations of a file with their places, without bodies.
func signatures(t *testing.T, src []byte) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
	}
	var out strings.Builder
	for _, decl := range file.Decls {
		fmt.Fprintln(&out, decl.Pos(), decl.End())
		if f, ok := decl.(*ast.FuncDecl); ok {
			f.Body = nil
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if n != nil {
				fmt.Fprintf(&out, "%T %d ", n, n.Pos())
			}
			return true
		})
	}
	return out.String()
}

func TestImportablePatterns(t *testing.T) {
	same(t, "paths", importable([]string{"fmt", "C", "all", "x/...", "./a", "-x", "a@v1", "g.com/a.go"}), "[fmt g.com/a.go]")
}

// TestWire: ping is answered while a method runs, a queued call can be canceled, a panic is a typed answer.
func TestWire(t *testing.T) {
	release := make(chan struct{})
	methods["block"] = func(_ *server, r *request) (any, error) { <-release; return nil, r.alive() }
	methods["panic"] = func(*server, *request) (any, error) { panic("boom") }
	defer func() { delete(methods, "block"); delete(methods, "panic") }()
	in, send := io.Pipe()
	receive, out := io.Pipe()
	go serve(&server{}, in, out)
	answers := json.NewDecoder(receive)
	next := func() string {
		var m map[string]json.RawMessage
		if err := answers.Decode(&m); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %s %s", m["id"], m["result"], m["error"])
	}
	next() // hello
	go func() {
		for i, call := range []string{`"block"`, `"panic"`, `"ping"`, `"cancel","params":{"target":1}`, `"nothing"`} {
			fmt.Fprintf(send, "{\"id\":%d,\"method\":%s}\n", i+1, call)
		}
	}()
	got := []string{next(), next()}
	close(release)
	got = append(got, next(), next(), next())
	want := []string{"3 {} ", "4 {} ", "1  " + `{"code":"canceled","message":"block was canceled"}`,
		"2  " + `{"code":"internal","message":"panic: boom"}`, "5  " + `{"code":"bad_request","message":"no method \"nothing\""}`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
