package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
