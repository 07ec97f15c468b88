package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const judged = `
-- go.mod --
module ex.com/j

go 1.26
-- a/a.go --
package a

// F is used.
func F() int { return 1 }

func G() int { return F() }
-- a/a_test.go --
package a

import "testing"

func TestF(t *testing.T) { F() }
-- b/b.go --
package b

import "ex.com/j/a"

var X = a.F()
-- c/c.go --
package c

import "ex.com/j/b"

var Y = b.X
`

// text makes overlay content.
func text(s string) Content { return Content{Text: &s} }

func check(t *testing.T, s *server, params map[string]any) checkReply {
	t.Helper()
	result, _ := call(t, s, "check", params)
	return result.(checkReply)
}

// verdicts lists "pkg variant recheck: codes" of every unit, revealed codes in brackets, standing ones left out.
func verdicts(reply checkReply) []string {
	var list []string
	for _, u := range reply.Units {
		line := u.Pkg[strings.LastIndex(u.Pkg, "/")+1:] + " " + string(u.Variant) + " " + u.Recheck + ":"
		for _, d := range u.Diags {
			code := d.Code
			if d.Revealed {
				code = "[" + code + "]"
			}
			line += " " + code
		}
		list = append(list, line)
	}
	return list
}

func TestCheckJudgesImporters(t *testing.T) {
	s := loadServer(t, tree(t, judged))
	body := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\nfunc F() int { return 2 }\n\nfunc G() int { return F() }\n")}})
	same(t, "body edit", verdicts(body), "[a  full: a test full:]")
	same(t, "api", body.APIChanged, "[]")
	gone := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\nfunc G() int { return 1 }\n")}})
	same(t, "removal", verdicts(gone), "[a  full: a test full: UndeclaredName b  full: UndeclaredImportedName c  full:]")
	typed := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\nfunc F() string { return \"\" }\n")}})
	same(t, "new type", verdicts(typed), "[a  full: a test full: b  full: c  full:]")
	added := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\nfunc F() int { return 1 }\n\nfunc New() {}\n")}})
	same(t, "addition", verdicts(added), "[a  full: a test full:]")
}

func TestCheckFilesComeAndGo(t *testing.T) {
	s := loadServer(t, tree(t, judged))
	created := check(t, s, map[string]any{"overlay": Overlay{
		"new/n.go": text("package n\n\nfunc N() {}\n"),
		"c/c.go":   text("package c\n\nimport n \"ex.com/j/new\"\n\nfunc Y() { n.N() }\n"),
	}})
	same(t, "new package", verdicts(created), "[c  full: new  full:]")
	deleted := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": {Deleted: true}}})
	same(t, "deleted package", verdicts(deleted), "[a test full: UndeclaredName b  full: import_no_go_files c  full:]")
	std := check(t, s, map[string]any{"overlay": Overlay{"c/c.go": text("package c\n\nimport \"strconv\"\n\nvar Y = strconv.Itoa(1)\n")}})
	same(t, "new import", verdicts(std), "[c  full:]")
	missing := check(t, s, map[string]any{"overlay": Overlay{"c/c.go": text("package c\n\nimport \"ex.com/none\"\n\nvar Y = none.X\n")}})
	same(t, "missing import", verdicts(missing), "[c  full: import_missing]")
	moved := check(t, s, map[string]any{"overlay": Overlay{"b/b.go": {Deleted: true}, "b/other.go": text("package b\n\nimport \"ex.com/j/a\"\n\nvar X = a.F()\n")},
		"files_moved": map[string]string{"b/b.go": "b/other.go"}})
	same(t, "moved file", verdicts(moved), "[b  full:]")
	cycle := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\nimport \"ex.com/j/c\"\n\nfunc F() int { return c.Y }\n")}})
	if got := verdicts(cycle); !slices.ContainsFunc(got, func(v string) bool { return strings.Contains(v, "a  full: import_cycle") }) {
		t.Errorf("cycle: %v", got)
	}
}

func TestCheckLeavesTheBase(t *testing.T) {
	s := loadServer(t, tree(t, judged))
	bad := map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\nfunc F() {}\n")}}
	first := check(t, s, bad)
	check(t, s, map[string]any{"overlay": Overlay{"c/c.go": text("package c\n")}})
	same(t, "again", verdicts(check(t, s, bad)), verdicts(first))
	good := check(t, s, map[string]any{"overlay": Overlay{"c/c.go": text("package c\n\nimport \"ex.com/j/b\"\n\nvar Y int = b.X\n")}})
	same(t, "other edit", verdicts(good), "[c  full:]")
	call(t, s, "advance", map[string]any{"candidate": good.Candidate})
	_, _, err := tryCall(s, "advance", map[string]any{"candidate": first.Candidate})
	if err == nil || !strings.Contains(err.Error(), staleCandidate) {
		t.Errorf("a candidate of the old base was taken: %v", err)
	}
}

func TestCheckReveals(t *testing.T) {
	base := "package a\n\nfunc f() {\n\tx := missing()\n\tx.y()\n\tvar s string = x\n\t_ = s\n}\n\nfunc g() { var i int = \"s\"; _ = i }\n"
	s := loadServer(t, tree(t, "\n-- go.mod --\nmodule ex.com/r\n\ngo 1.26\n-- a/a.go --\n"+base))
	onDisk := base + "\n" // as tree writes it
	added := onDisk + "func missing() int { return 1 }\n"
	reply := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text(added)},
		"spans": Spans{"a/a.go": {{0, 0, len(onDisk)}}}})
	same(t, "revealed", verdicts(reply), "[a  full: [MissingFieldOrMethod] [IncompatibleAssign] IncompatibleAssign]")
	same(t, "standing", len(reply.Units[0].BaseDiags), 2)
	broken := strings.Replace(onDisk, "func g() { ", "func g() { var k int = nil; _ = k; ", 1)
	at := strings.Index(onDisk, "func g() { ") + len("func g() { ")
	shift := len(broken) - len(onDisk)
	reply = check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text(broken)},
		"spans": Spans{"a/a.go": {{0, 0, at}, {at, at + shift, len(onDisk) - at}}}})
	same(t, "new", verdicts(reply), "[a  full: UndeclaredName IncompatibleAssign IncompatibleAssign]")
}

func TestCheckTaints(t *testing.T) {
	s := loadServer(t, tree(t, judged))
	for _, name := range []string{"go.mod", "a/x.s", "a/x.c"} {
		reply := check(t, s, map[string]any{"overlay": Overlay{name: text("x")}})
		if reply.Judged || len(reply.Tainted) == 0 {
			t.Errorf("%s was judged", name)
		}
	}
	reply := check(t, s, map[string]any{"overlay": Overlay{"README.md": text("x")}})
	if !reply.Judged || len(reply.Units) > 0 {
		t.Errorf("a text file concerns %v", reply.Units)
	}
}

func TestCheckProves(t *testing.T) {
	s := loadServer(t, tree(t, judged))
	base := "package a\n\n// F is used.\nfunc F() int { return 1 }\n\nfunc G() int { return F() }\n"
	at := strings.Index(base, "return F()")
	captured := base[:at] + "F := func() int { return 3 }; " + base[at:]
	reply := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text(captured)},
		"spans": Spans{"a/a.go": {{0, 0, at}, {at, at + len(captured) - len(base), len(base) - at}}}})
	if len(reply.Changes) != 1 || reply.Changes[0].Name != "F" || reply.Changes[0].Kind != "ident" {
		t.Errorf("capture: %+v", reply.Changes)
	}
	renamed := strings.ReplaceAll(base, "F", "H")
	spans := Spans{}
	for i, off := 0, 0; ; i++ {
		j := strings.Index(base[off:], "F")
		if j < 0 {
			spans["a/a.go"] = append(spans["a/a.go"], [3]int{off, off, len(base) - off})
			break
		}
		spans["a/a.go"] = append(spans["a/a.go"], [3]int{off, off, j})
		off += j + 1
	}
	spans["b/b.go"] = [][3]int{{0, 0, 42}}
	reply = check(t, s, map[string]any{"spans": spans, "renames": []Rename{{"ex.com/j/a", "F", "H"}},
		"overlay": Overlay{"a/a.go": text(renamed), "b/b.go": text("package b\n\nimport \"ex.com/j/a\"\n\nvar X = a.H()\n"),
			"a/a_test.go": text("package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { H() }\n")}})
	same(t, "rename", verdicts(reply), "[a  full: a test full: b  full:]")
	same(t, "rename changes nothing", reply.Changes, "[]")
}

func TestAdvanceReportsFacts(t *testing.T) {
	s := loadServer(t, tree(t, judged))
	reply := check(t, s, map[string]any{"overlay": Overlay{"a/a_test.go": {Deleted: true}, "a/a.go": text("package a\n\nfunc F() int { return 2 }\n")}})
	result, events := call(t, s, "advance", map[string]any{"candidate": reply.Candidate})
	var units, gone []string
	for _, raw := range events {
		var event struct {
			Unit *UnitResult
			Gone *UnitKey
		}
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Fatal(err)
		}
		if event.Unit != nil {
			units = append(units, event.Unit.Pkg)
			if event.Unit.Facts == nil {
				t.Error("no facts")
			}
		}
		if event.Gone != nil {
			gone = append(gone, event.Gone.Pkg+" "+string(event.Gone.Variant))
		}
	}
	same(t, "units", units, "[ex.com/j/a]")
	same(t, "gone", gone, "[ex.com/j/a test]")
	same(t, "packages", result.(*movedReply).Packages[0].Pkg, "ex.com/j/a")
}

func TestGhostOfDeletedType(t *testing.T) {
	// A package outside the main module that mentions P.T must not bring T back once T is gone.
	root := tree(t, `
-- main/go.mod --
module ex.com/p

go 1.26

require ex.com/up v0.0.0

replace ex.com/up => ../up
-- main/p.go --
package p

type T int

func Use(T) {}
-- main/q/q.go --
package q

import (
	"ex.com/p"
	"ex.com/up"
)

var X p.T = up.Y
-- up/go.mod --
module ex.com/up

go 1.26

require ex.com/p v0.0.0
-- up/up.go --
package up

import "ex.com/p"

var Y p.T
`)
	s := loadServer(t, filepath.Join(root, "main"))
	if got := findings(t, s); len(got) > 0 {
		t.Fatal(got)
	}
	reply := check(t, s, map[string]any{"overlay": Overlay{"p.go": text("package p\n\nfunc Use(int) {}\n")}})
	same(t, "T is gone", verdicts(reply), "[p  full: q  full: UndeclaredImportedName up  full: UndeclaredImportedName]")
}

func TestCgo(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("no C compiler")
	}
	source := "package c\n\n// #define FOO 3\n// static int add(int a, int b) { return a + b; }\nimport \"C\"\n\nconst K = C.FOO\n\nfunc Add(a, b int) int { return int(C.add(C.int(a), C.int(b))) }\n"
	s := loadServer(t, tree(t, "\n-- go.mod --\nmodule ex.com/c\n\ngo 1.26\n-- c/c.go --\n"+source+"-- d/d.go --\npackage d\n\nimport \"ex.com/c/c\"\n\nvar s int = c.K\n"))
	if got := findings(t, s); len(got) > 0 {
		t.Fatal(got)
	}
	wrong := check(t, s, map[string]any{"overlay": Overlay{"d/d.go": text("package d\n\nimport \"ex.com/c/c\"\n\nvar s string = c.K\n")}})
	same(t, "constant of C", verdicts(wrong), "[d  full: IncompatibleAssign]")
	body := check(t, s, map[string]any{"overlay": Overlay{"c/c.go": text(strings.Replace(source, "return int(", "return 1 + int(", 1))}})
	same(t, "Go beside C", verdicts(body), "[c  full:]")
	same(t, "judged", body.Judged, true)
	preamble := check(t, s, map[string]any{"overlay": Overlay{"c/c.go": text(strings.Replace(source, "FOO 3", "FOO 4", 1))}})
	same(t, "edited C", preamble.Judged, false)
}

// TestCheckSeesWhatNoNameShows: a new clause takes over a fallthrough while every identifier keeps its meaning.
func TestCheckSeesWhatNoNameShows(t *testing.T) {
	base := "package a\n\nfunc f(n int) {\n\tswitch n {\n\tcase 1:\n\t\tfallthrough\n\tcase 2:\n\t}\n}\n"
	s := loadServer(t, tree(t, "\n-- go.mod --\nmodule ex.com/f\n\ngo 1.26\n-- a/a.go --\n"+base))
	at := strings.Index(base, "\tcase 2")
	reply := check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text(base[:at] + "\tcase 7:\n" + base[at:])},
		"spans": Spans{"a/a.go": {{0, 0, at}, {at, at + len("\tcase 7:\n"), len(base) - at}}}})
	if len(reply.Changes) != 1 || reply.Changes[0].Kind != "control" {
		t.Errorf("changes: %v", reply.Changes)
	}
}

// TestRefreshOfTestFileAlone: a process that never checked the primary unit reports the test file's rows only.
func TestRefreshOfTestFileAlone(t *testing.T) {
	root := tree(t, judged)
	text := "package a\n\nimport \"testing\"\n\nvar x = F()\n\nfunc TestF(t *testing.T) { G() }\n"
	put(t, root, "a/a_test.go", text)
	s := loadServer(t, root)
	_, events := call(t, s, "refresh", map[string]any{"paths": []string{"a/a_test.go"}})
	for _, raw := range events {
		var event struct{ Unit *UnitResult }
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Fatal(err)
		}
		if event.Unit != nil && event.Unit.Variant == InTest {
			same(t, "files", len(event.Unit.Files), 1)
		}
	}
}
