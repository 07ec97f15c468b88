package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// depsCache is one cache of dependencies for all tests of a run.
var depsCache = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "agocheck-test")
	if err != nil {
		panic(err)
	}
	return dir
})

// loadServer loads a tree.
func loadServer(t testing.TB, root string) *server {
	t.Helper()
	s := &server{root: root, jobs: 2}
	call(t, s, "load", map[string]any{"root": root, "cache_dir": depsCache()})
	if s.graph == nil {
		t.Fatal("not loaded")
	}
	return s
}

// call serves one request as the wire would and returns its result and events.
func call(t testing.TB, s *server, method string, params any) (any, []json.RawMessage) {
	t.Helper()
	result, events, err := tryCall(s, method, params)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return result, events
}

func tryCall(s *server, method string, params any) (any, []json.RawMessage, error) {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	r := &request{ID: 1, Method: method, Params: raw, out: &lineWriter{out: bufio.NewWriter(&out)}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	result, err := methods[method](s, r)
	var events []json.RawMessage
	for _, line := range bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n")) {
		var event struct{ Event json.RawMessage }
		if json.Unmarshal(line, &event) == nil {
			events = append(events, event.Event)
		}
	}
	return result, events, err
}

// findings checks everything and lists "file:line code" of every diagnostic, without repetitions of variants.
func findings(t testing.TB, s *server) []string {
	t.Helper()
	_, events := call(t, s, "check_all", map[string]any{})
	var found []string
	for _, raw := range events {
		var event struct{ Unit *UnitResult }
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Fatal(err)
		}
		if event.Unit != nil {
			for _, d := range event.Unit.Diags {
				found = append(found, fmt.Sprintf("%s:%d %s", d.File, d.Line, d.Code))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// ruleCases are trees with what must be found in them. The go command refuses each that has findings and accepts each
// that has none; TestRulesAgainstGo asks it.
var ruleCases = []struct{ name, files, want string }{
	{"main", "-- m.go --\npackage main\n\nfunc main() {}\n", ""},
	{"no main", "-- m.go --\npackage main\n\nfunc f() {}\n", "m.go:1 no_main"},
	{"main of tests alone", "-- m_test.go --\npackage main\n\nfunc main() {}\n", ""},
	{"main is a variable", "-- m.go --\npackage main\n\nvar main = 1\n", "m.go:1 no_main, m.go:3 InvalidMainDecl"},

	{"bodyless", "-- a.go --\npackage a\n\nfunc f()\n\ntype T int\n\nfunc (T) m()\n", "a.go:3 bodyless_func, a.go:7 bodyless_func"},
	{"bodyless with assembly", "-- a.go --\npackage a\n\nfunc f()\n-- a_amd64.s --\nTEXT ·f(SB),4,$0-0\n\tRET\n-- a_arm64.s --\nTEXT ·f(SB),4,$0-0\n\tRET\n", ""},
	{"bodyless and linknamed", "-- a.go --\npackage a\n\nimport _ \"unsafe\"\n\n//go:linkname f time.now\nfunc f()\n", ""},
	{"bodyless in external test", "-- a.go --\npackage a\n\nfunc f()\n-- a_amd64.s --\nTEXT ·f(SB),4,$0-0\n\tRET\n-- a_arm64.s --\nTEXT ·f(SB),4,$0-0\n\tRET\n-- a_test.go --\npackage a_test\n\nfunc g()\n", "a_test.go:3 bodyless_func"},

	{"linkname without unsafe", "-- a.go --\npackage a\n\n//go:linkname f time.now\nfunc f() {}\n", "a.go:3 linkname_without_unsafe"},
	{"linkname of nothing", "-- a.go --\npackage a\n\nimport _ \"unsafe\"\n\n//go:linkname g time.now\nfunc f() {}\n", "a.go:5 linkname_target"},
	{"linkname of a type", "-- a.go --\npackage a\n\nimport _ \"unsafe\"\n\n//go:linkname T time.now\ntype T int\n", "a.go:5 linkname_target"},
	{"linkname twice", "-- a.go --\npackage a\n\nimport _ \"unsafe\"\n\n//go:linkname f x.y\n//go:linkname f x.z\nfunc f() {}\n", "a.go:6 linkname_duplicate"},
	{"linkname form", "-- a.go --\npackage a\n\nimport _ \"unsafe\"\n\n//go:linkname f x y z\nfunc f() {}\n", "a.go:5 linkname_form"},
	{"linkname alone", "-- a.go --\npackage a\n\nimport _ \"unsafe\"\n\n//go:linkname f\nfunc f() {}\n", ""},

	{"embed", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar s string\n-- a.txt --\nx\n", ""},
	{"embed into bytes of a named kind", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\ntype B []byte\n\n//go:embed *.txt\nvar s B\n-- a.txt --\nx\n", ""},
	{"embed without import", "-- a.go --\npackage a\n\n//go:embed a.txt\nvar s string\n-- a.txt --\nx\n", "a.go:3 embed_without_import"},
	{"embed into int", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar s int\n-- a.txt --\nx\n", "a.go:5 embed_type"},
	{"embed with initialiser", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar s string = \"\"\n-- a.txt --\nx\n", "a.go:5 embed_var"},
	{"embed into two", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar s, t string\n-- a.txt --\nx\n", "a.go:5 embed_var"},
	{"embed into a local", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\nfunc f() {\n\t//go:embed a.txt\n\tvar s string\n\t_ = s\n}\n-- a.txt --\nx\n", "a.go:6 embed_var"},
	{"embed before a function", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed a.txt\nfunc f() {}\n-- a.txt --\nx\n", "a.go:5 embed_misplaced"},
	{"embed of nothing", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed b.txt\nvar s string\n", "a.go:5 embed_no_match"},
	{"embed of another module", "-- a.go --\npackage a\n\nimport \"embed\"\n\n//go:embed sub\nvar s embed.FS\n-- sub/go.mod --\nmodule sub\n-- sub/x.txt --\n", "a.go:5 embed_no_match"},
	{"embed of hidden files", "-- a.go --\npackage a\n\nimport \"embed\"\n\n//go:embed sub\nvar s embed.FS\n-- sub/.x --\n", "a.go:5 embed_no_match"},
	{"embed of all hidden files", "-- a.go --\npackage a\n\nimport \"embed\"\n\n//go:embed all:sub\nvar s embed.FS\n-- sub/.x --\n", ""},
	{"embed upwards", "-- a/a.go --\npackage a\n\nimport \"embed\"\n\n//go:embed ../x\nvar s embed.FS\n-- x --\n", "a/a.go:5 embed_no_match"},
	{"embed in a group", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\nvar (\n\t//go:embed a.txt\n\ts string\n)\n-- a.txt --\nx\n", ""},
	{"embed above a group", "-- a.go --\npackage a\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar (\n\ts string\n)\n-- a.txt --\nx\n", "a.go:5 embed_misplaced"},

	{"noinline", "-- a.go --\npackage a\n\n// f is f.\n//\n//go:noinline\nfunc f() {}\n", ""},
	{"noinline on a type", "-- a.go --\npackage a\n\n//go:noinline\ntype T int\n", "a.go:3 misplaced_directive"},
	{"noinline in a body", "-- a.go --\npackage a\n\nfunc f() {\n\t//go:noinline\n\tg := func() {}\n\tg()\n}\n", "a.go:4 misplaced_directive"},
	{"noinline at the end", "-- a.go --\npackage a\n\nfunc f() {}\n\n//go:noinline\n", "a.go:5 misplaced_directive"},
	{"noinline in a struct", "-- a.go --\npackage a\n\ntype T struct {\n\t//go:noinline\n\tx int\n}\n\nfunc f() {}\n", "a.go:4 misplaced_directive"},
	{"noinline behind code", "-- a.go --\npackage a\n\nfunc f() {} //go:noinline\n", "a.go:3 misplaced_directive"},
	{"noinline between", "-- a.go --\npackage a\n\nvar x int\n\n//go:noinline\n\nfunc f() {}\n", ""},
	{"noinline before package", "-- a.go --\n//go:noinline\n\npackage a\n\nfunc f() {}\n", "a.go:1 misplaced_directive"},
	{"unknown directive", "-- a.go --\npackage a\n\n//go:whatever\ntype T int\n", ""},
	{"late build line", "-- a.go --\npackage a\n\n//go:build linux\n\nfunc f() {}\n", "a.go:3 misplaced_directive"},
	{"cgo directive", "-- a.go --\npackage a\n\n//go:cgo_ldflag \"-lx\"\nfunc f() {}\n", "a.go:3 cgo_directive"},
	{"runtime directive", "-- a.go --\npackage a\n\n//go:systemstack\nfunc f() {}\n", "a.go:3 runtime_directive"},
	{"noescape with body", "-- a.go --\npackage a\n\n//go:noescape\nfunc f() {}\n", "a.go:4 noescape_with_body"},
	{"wasmexport form", "-- a.go --\npackage a\n\n//go:wasmexport a b\nfunc f() {}\n", "a.go:3 directive_form"},

	{"debug", "-- m.go --\n//go:debug panicnil=1\n\npackage main\n\nfunc main() {}\n", ""},
	{"debug unknown", "-- m.go --\n//go:debug nonsense=1\n\npackage main\n\nfunc main() {}\n", "m.go:1 debug_setting"},
	{"debug without value", "-- m.go --\n//go:debug panicnil\n\npackage main\n\nfunc main() {}\n", "m.go:1 debug_setting"},
	{"debug in a library", "-- a.go --\n//go:debug panicnil=1\n\npackage a\n", "a.go:1 debug_place"},

	{"import of main", "-- m/m.go --\npackage main\n\nfunc main() {}\n-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/m\"\n", "a/a.go:3 import_main"},
	{"import of main in its external test", "-- m/m.go --\npackage main\n\nfunc main() {}\n-- m/m_test.go --\npackage main_test\n\nimport _ \"ex.com/r/m\"\n", ""},
	{"internal", "-- x/internal/i/i.go --\npackage i\n-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/x/internal/i\"\n", "a/a.go:3 import_internal"},
	{"internal below", "-- x/internal/i/i.go --\npackage i\n-- x/y/a.go --\npackage a\n\nimport _ \"ex.com/r/x/internal/i\"\n", ""},
	{"internal of std", "-- a/a.go --\npackage a\n\nimport _ \"internal/abi\"\n", "a/a.go:3 import_internal"},
	{"vendor", "-- a/a.go --\npackage a\n\nimport _ \"vendor/golang.org/x/net/http2/hpack\"\n", "a/a.go:3 import_vendor"},
	{"relative", "-- b/b.go --\npackage b\n-- a/a.go --\npackage a\n\nimport _ \"../b\"\n", "a/a.go:3 import_local"},
	{"not canonical", "-- b/b.go --\npackage b\n-- a/a.go --\npackage a\n\nimport _ \"ex.com/r//b\"\n", "a/a.go:3 import_not_canonical"},
	{"missing", "-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/b\"\n", "a/a.go:3 import_missing"},
	{"missing std", "-- a/a.go --\npackage a\n\nimport _ \"fmtt\"\n", "a/a.go:3 import_missing"},
	{"constraints exclude all", "-- b/b.go --\n//go:build never\n\npackage b\n-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/b\"\n", "a/a.go:3 import_no_go_files"},
	{"tests only", "-- b/b_test.go --\npackage b\n-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/b\"\n", "a/a.go:3 import_no_go_files"},
	{"case collision", "-- b/b.go --\npackage b\n-- B/b.go --\npackage b\n-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/b\"\nimport _ \"ex.com/r/B\"\n", "a/a.go:4 import_case_collision"},
	{"file case collision", "-- a/a.go --\npackage a\n-- a/A.go --\npackage a\n", "a/A.go:1 file_case_collision"},
	{"C without cgo", "-- a/a.go --\npackage a\n-- a/x.c --\n", "a/a.go:1 c_without_cgo"},
	{"two names", "-- a/a.go --\npackage a\n-- a/b.go --\npackage a\n-- a/c.go --\npackage c\n", "a/c.go:1 several_packages"},
	{"blank name", "-- a/a.go --\npackage _\n", "a/a.go:1 BlankPkgName"},

	{"cycle", "-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/b\"\n-- b/b.go --\npackage b\n\nimport _ \"ex.com/r/a\"\n", "a/a.go:3 import_cycle, b/b.go:3 import_cycle"},
	{"self import", "-- a/a.go --\npackage a\n\nimport _ \"ex.com/r/a\"\n", "a/a.go:3 import_cycle"},
	{"cycle through a test", "-- a/a.go --\npackage a\n-- b/b.go --\npackage b\n\nimport _ \"ex.com/r/a\"\n-- a/a_test.go --\npackage a\n\nimport _ \"ex.com/r/b\"\n", "a/a_test.go:3 import_cycle"},
	{"no cycle through an external test", "-- a/a.go --\npackage a\n-- b/b.go --\npackage b\n\nimport _ \"ex.com/r/a\"\n-- a/a_test.go --\npackage a_test\n\nimport _ \"ex.com/r/b\"\n", ""},

	{"test signature", "-- a_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestX() {}\n\nfunc BenchmarkX(*testing.T) {}\n\nfunc Testing() {}\n\nfunc FuzzX(*testing.F) {}\n", "a_test.go:5 test_signature, a_test.go:7 test_signature"},
	{"generic test", "-- a_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestX[T any](*testing.T) {}\n", "a_test.go:5 test_signature"},
	{"two TestMains", "-- a.go --\npackage a\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) {}\n-- b_test.go --\npackage a_test\n\nimport \"testing\"\n\nfunc TestMain(*testing.M) {}\n", "b_test.go:5 two_test_mains"},
	{"one test in both packages", "-- a.go --\npackage a\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestX(*testing.T) {}\n-- b_test.go --\npackage a_test\n\nimport \"testing\"\n\nfunc TestX(*testing.T) {}\n", ""},
	{"TestMain as a test", "-- a_test.go --\npackage a\n\nimport \"testing\"\n\nfunc TestMain(*testing.T) {}\n", ""},

	{"too large", "-- a.go --\npackage a\n\nvar X [1 << 55]byte\n", "a.go:3 type_too_large"},
	{"large", "-- a.go --\npackage a\n\nvar X *[1 << 40]byte\n", ""},
	{"struct too large", "-- a.go --\npackage a\n\ntype T struct{ a, b [1 << 49]byte }\n\nvar X T\n", "a.go:3 type_too_large"},
	{"interface cycle", "-- a.go --\npackage a\n\ntype I interface{ M() interface{ I } }\n", "a.go:3 interface_cycle"},
	{"named interface cycle", "-- a.go --\npackage a\n\ntype I interface{ M() I }\n", ""},

	{"language version", "-- a.go --\n//go:build go1.20\n\npackage a\n\nfunc f() {\n\tfor range 3 {\n\t}\n}\n", "a.go:6 InvalidRangeExpr"},
}

func ruleTree(t testing.TB, files string) string {
	t.Helper()
	root := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	for _, section := range strings.Split("\n-- go.mod --\nmodule ex.com/r\n\ngo 1.26\n"+files, "\n-- ")[1:] {
		name, body, _ := strings.Cut(section, " --\n")
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRules(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(c.name, func(t *testing.T) {
			s := loadServer(t, ruleTree(t, c.files))
			if got := strings.Join(findings(t, s), ", "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestRulesAgainstGo asks the go command about every case; it takes minutes, so it wants AGOCHECK_GO=1.
func TestRulesAgainstGo(t *testing.T) {
	if os.Getenv("AGOCHECK_GO") == "" {
		t.Skip("AGOCHECK_GO is not set")
	}
	for _, c := range ruleCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := ruleTree(t, c.files)
			var said []string
			for _, args := range [][]string{
				{"list", "-export", "-test", "./..."}, {"vet", "./..."}, {"build", "-o", os.DevNull, "./..."},
			} {
				cmd := exec.Command("go", args...)
				cmd.Dir = root
				if out, err := cmd.CombinedOutput(); err != nil {
					said = append(said, "go "+args[0]+": "+string(out))
				}
			}
			if refused := len(said) > 0; refused != (c.want != "") {
				t.Errorf("findings %q, and Go says %q", c.want, said)
			}
			t.Log(said)
		})
	}
}

// TestFactsOfInterfaceCycle: what only the compiler refuses must not end the process.
func TestFactsOfInterfaceCycle(t *testing.T) {
	s := loadServer(t, ruleTree(t, "-- a.go --\npackage a\n\ntype I interface{ M() interface{ I } }\n\nvar X I\n"))
	call(t, s, "check_all", map[string]any{"facts": true})
}
