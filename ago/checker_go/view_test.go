package main

import "testing"

const withView = `
-- go.mod --
module ex.com/m

go 1.26
-- a/a.go --
package a

// F is used by the view.
func F() int { return 1 }
-- tools/go.mod --
module ex.com/m/tools

go 1.26

replace ex.com/m => ../

require ex.com/m v0.0.0
-- tools/tool.go --
package tools

import "ex.com/m/a"

// X is F's.
var X = a.F()
-- tools/tool_test.go --
package tools

import "testing"

func TestX(t *testing.T) { _ = X + 1 }
`

// viewServer is a server for the build of a view below root.
func viewServer(t *testing.T, root, dir string) *server {
	t.Helper()
	s := &server{root: root, jobs: 2}
	call(t, s, "load", map[string]any{"root": root, "cache_dir": depsCache(), "dir": dir})
	return s
}

// TestView: a module of its own is loaded with its own build list, and judges edits of the folders that it takes modules from.
func TestView(t *testing.T) {
	root := tree(t, withView)
	own := mustLoad(t, root, loadParams{})
	same(t, "own packages", own.Graph.Order(), "[ex.com/m/a]")
	same(t, "replaces", own.Views[0].Replaces, "[.]")
	l := mustLoad(t, root, loadParams{Dir: "tools"})
	same(t, "state", l.State+l.Message, stateOK)
	same(t, "order", l.Graph.Order(), "[ex.com/m/a ex.com/m/tools]")
	var told []string
	for _, p := range l.reply().Packages {
		told = append(told, p.Pkg+" "+p.Dir)
	}
	same(t, "told", told, "[ex.com/m/tools tools]")
	s := viewServer(t, root, "tools")
	reply := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\nfunc F() string { return \"\" }\n")}})
	same(t, "verdicts", verdicts(reply), "[tools  full: tools test full: MismatchedTypes]")
	reply = check(t, s, map[string]any{"overlay": Overlay{
		"a/a.go": text("package a\n\nimport \"ex.com/m/b\"\n\nfunc F() int { return b.B }\n"),
		"b/b.go": text("package b\n\nconst B = 1\n")}})
	same(t, "a new package below it", verdicts(reply), "[]")
}

// TestFork: an overlay with module files stands on the build list that they make.
func TestFork(t *testing.T) {
	root := tree(t, withView)
	put(t, root, "other/go.mod", "module ex.com/other\n")
	put(t, root, "other/o.go", "package other\n\nconst O = 1\n")
	s := &server{root: root, jobs: 2}
	call(t, s, "load", map[string]any{"root": root, "cache_dir": depsCache()})
	overlay := Overlay{
		"go.mod": text("module ex.com/m\n\ngo 1.26\n\nreplace ex.com/other => ./other\n\nrequire ex.com/other v0.0.0\n"),
		"a/a.go": text("package a\n\nimport \"ex.com/other\"\n\nfunc F() int { return other.O }\n"),
	}
	reply := check(t, s, map[string]any{"overlay": overlay})
	same(t, "judged", reply.Judged, false)
	same(t, "with them", verdicts(reply), "[a  full: other  full:]")
	reply = check(t, s, map[string]any{"overlay": Overlay{"a/a.go": overlay["a/a.go"]}})
	same(t, "without them", verdicts(reply), "[a  full: import_missing]")
}
