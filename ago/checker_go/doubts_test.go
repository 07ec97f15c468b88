package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lacking is a workspace whose modules ex.com/gone, which is required, and gopkg.in/odd.v2, which is not, are not here; ex.com/half
// is in a folder and imports one of them.
const lacking = `
-- go.mod --
module ex.com/m

go 1.25

require (
	ex.com/gone v1.2.3
	ex.com/half v0.0.0
)

replace ex.com/half => ./half
-- go.sum --
ex.com/gone v1.2.3 h1:Ab8sNiKZzCCbKbsKMcJPbMy4SGC1c9FfNwCpgp0wPyM=
ex.com/gone v1.2.3/go.mod h1:x7sbLLn1m9L5/m5NyCS9aVxcw0Y2+FzyMVYBqXoeJYs=
-- half/go.mod --
module ex.com/half

go 1.25

require ex.com/gone v1.2.3
-- half/half.go --
package half

import "ex.com/gone"

type Half struct{ gone.Base }

func (Half) Own() int { return 1 }
-- a/a.go --
package a

func F() int { return 1 }
-- b/b.go --
package b

import (
	"ex.com/gone"
	"ex.com/half"
	"ex.com/m/a"
	"gopkg.in/odd.v2"
)

type Server struct{ *gone.Server }

var Odd = odd.Odd

func G(h half.Half) int { return odd.Twice(a.F()) + h.Own() }
-- c/c.go --
package c

import "ex.com/m/b"

func H(s b.Server) int { return b.G(s.Half()) }
-- d/d.go --
package d

import "ex.com/m/a"

var D = a.F()
`

func lackingServer(t *testing.T) (*server, string) {
	root := tree(t, lacking)
	return loadServer(t, root), root
}

func TestWhatIsMissingIsTold(t *testing.T) {
	s, _ := lackingServer(t)
	var got []string
	for _, absent := range s.graph.absents() {
		got = append(got, absent.Path+" "+strings.Join(absent.Mend, " ")+" by "+strings.Join(absent.By, " "))
	}
	same(t, "absent", strings.Join(got, "; "), "ex.com/gone go mod download by ex.com/half ex.com/m/b; gopkg.in/odd.v2 go mod download by ex.com/m/b")
	same(t, "findings", findings(t, s), "[b/b.go:4 import_missing b/b.go:7 import_missing half/half.go:3 import_missing]")
}

func TestPackagesInDoubtAreJudgedAndNamed(t *testing.T) {
	s, root := lackingServer(t)
	src, err := os.ReadFile(filepath.Join(root, "b", "b.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, file, text, verdict, unproven string }{
		{"nothing of it", "d/d.go", "package d\n\nimport \"ex.com/m/a\"\n\nvar D = a.F() + 1\n", "[d  full:]", ""},
		{"an own error", "b/b.go", string(src) + "\nvar S string = a.F()\n",
			"[b  full: import_missing import_missing IncompatibleAssign c  rebind:]", "ex.com/m/b, ex.com/m/c"},
		{"members of the unknown", "b/b.go", string(src) + "\nfunc more(s Server) { s.Serve(gone.Now(), odd.X.Y); _ = half.Half{}.Base }\n",
			"[b  full: import_missing import_missing]", "ex.com/m/b"},
		{"members behind it", "c/c.go", "package c\n\nimport \"ex.com/m/b\"\n\nfunc H(s b.Server) { s.Close(); s.Server.Close(); s.undone() }\n",
			"[c  full:]", "ex.com/m/c"},
		{"values of the unknown", "c/c.go", "package c\n\nimport \"ex.com/m/b\"\n\nfunc H() (n int) {\n\tfor range b.Odd {\n\t\tn += b.Odd\n\t}\n\treturn n\n}\n",
			"[c  full:]", "ex.com/m/c"},
		{"a member of another", "c/c.go", "package c\n\nimport \"ex.com/m/a\"\n\nvar X = a.Gone\n",
			"[c  full: UndeclaredImportedName]", ""},
		{"a new import of it", "d/d.go", "package d\n\nimport \"ex.com/gone\"\n\nvar D = gone.D\n",
			"[d  full: import_missing]", "ex.com/m/d"},
	} {
		reply := check(t, s, map[string]any{"overlay": Overlay{c.file: text(c.text)}})
		same(t, c.name, verdicts(reply), c.verdict)
		var named []string
		for _, u := range reply.Unproven {
			named = append(named, u.What)
		}
		same(t, c.name+", unproven", strings.Join(named, "; "), c.unproven)
	}
}

func TestAnswersOfUnknownTypes(t *testing.T) {
	s, _ := lackingServer(t)
	file := "package b\n\nimport \"ex.com/gone\"\n\nvar n, X = 1, gone.X(2)\n"
	at := func(expr string) map[string]any {
		i := strings.Index(file, expr)
		return asked(t, s, map[string]string{"b/b.go": file},
			map[string]any{"kind": "type_at", "file": "b/b.go", "start": i, "end": i + len(expr)})
	}
	same(t, "known", at("2")["error"], nil)
	same(t, "unknown", at("gone.X(2)")["missing"], "[ex.com/gone]")
}

func TestGuessedNames(t *testing.T) {
	for imp, want := range map[string]string{
		"gopkg.in/yaml.v3": "[yaml yaml yaml]", "ex.com/golang-lru/v2": "[lru golang golanglru]", "ex.com/go-sqlite3": "[sqlite3 sqlite3 sqlite3]",
		"ex.com/nats.go": "[nats]",
	} {
		same(t, imp, assumedNames(imp), want)
	}
}

// TestHalfADependency: export data of a package whose own import is missing holds what is known of it.
func TestHalfADependency(t *testing.T) {
	cache := t.TempDir()
	put(t, cache, "ex.com/dep@v1.0.0/go.mod", "module ex.com/dep\n\ngo 1.25\n\nrequire ex.com/gone v1.2.3\n")
	put(t, cache, "ex.com/dep@v1.0.0/dep.go", "package dep\n\nimport \"ex.com/gone\"\n\ntype T struct{ gone.Base }\n\nconst C = 3\n\nfunc F() gone.G { return nil }\n")
	put(t, cache, "cache/download/ex.com/dep/@v/v1.0.0.mod", "module ex.com/dep\n\ngo 1.25\n\nrequire ex.com/gone v1.2.3\n")
	t.Setenv("GOMODCACHE", cache)
	t.Setenv("GOFLAGS", "")
	root := tree(t, `
-- go.mod --
module ex.com/m

go 1.25

require ex.com/dep v1.0.0

require ex.com/gone v1.2.3 // indirect

replace ex.com/dep => `+cache+`/ex.com/dep@v1.0.0
-- m.go --
package m

import "ex.com/dep"

var X, Y, Z = dep.C, dep.F(), dep.T{}
`)
	s := loadServer(t, root)
	reply := check(t, s, map[string]any{"overlay": Overlay{"m.go": text("package m\n\nimport \"ex.com/dep\"\n\nvar X string = dep.C\n\nvar Y = dep.T{}.Member()\n")}})
	same(t, "verdict", verdicts(reply), "[m  full: import_missing IncompatibleAssign]")
	same(t, "unproven", reply.Unproven, "[{ex.com/m not checked in full: ex.com/gone is missing}]")
}

func TestAModuleOfBeforePruning(t *testing.T) {
	s := loadServer(t, tree(t, `
-- go.mod --
module ex.com/m

go 1.16

require ex.com/gone v1.2.3
-- go.sum --
ex.com/gone v1.2.3 h1:Ab8sNiKZzCCbKbsKMcJPbMy4SGC1c9FfNwCpgp0wPyM=
ex.com/gone v1.2.3/go.mod h1:x7sbLLn1m9L5/m5NyCS9aVxcw0Y2+FzyMVYBqXoeJYs=
-- b/b.go --
package b

import _ "ex.com/gone"
-- d/d.go --
package d
`))
	same(t, "language", s.graph.Packages["ex.com/m/d"].languageVersion(), "go1.16")
	reply := check(t, s, map[string]any{"overlay": Overlay{"d/d.go": text("package d\n\nvar D []any\n")}})
	same(t, "verdict", verdicts(reply), "[d  full: UnsupportedFeature]")
	got, _ := pruned([]byte("module m\n"))
	same(t, "no go line", string(got), "module m\n\ngo 1.17\n")
	if _, changed := pruned([]byte("module m\n\ngo 1.21.3\n")); changed {
		t.Error("a pruned module was changed")
	}
}
