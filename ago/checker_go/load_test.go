package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	same(t, "views", l.Views, "[{sub ex.com/sub a module of its own, which replaces a module by a folder of this workspace [.]}]")
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

func TestEmbedPatterns(t *testing.T) {
	same(t, "patterns", splitPatterns(" a/*.txt \"b c\" `d` all:e"), "[a/*.txt b c d all:e]")
	root := tree(t, small)
	put(t, root, "a/files/one.txt", "")
	put(t, root, "a/files/.two", "")
	same(t, "files", embedded(filepath.Join(root, "a"), []string{"files"}), "["+root+"/a/files/one.txt]")
}

func TestImportablePatterns(t *testing.T) {
	same(t, "paths", importable([]string{"fmt", "C", "all", "x/...", "./a", "-x", "a@v1", "g.com/a.go"}), "[fmt g.com/a.go]")
}

func TestAFolderOfTestsAloneIsNoProblem(t *testing.T) {
	l := mustLoad(t, tree(t, `
-- go.mod --
module ex.com/m
-- it/it_test.go --
package it
-- gone/gone_windows.go --
package gone
`), loadParams{})
	reply := l.reply()
	same(t, "packages", len(reply.Packages), "1")
	same(t, "error", reply.Packages[0].Error, "")
	same(t, "problems", len(reply.Problems), "0")
	same(t, "missing", l.Graph.Missing["ex.com/m/it"], "no non-test Go files in it")
}
