package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const askTree = `-- a/a.go --
package a

import (
	"fmt"
	str "strings"
)

type Shape interface {
	Area() float64
	Name() string
}

type Square struct{ Side float64 }

func (s *Square) Area() float64 { return s.Side * s.Side }

func (s Square) Name() int { return 1 }

func Pair() (Square, error) { return Square{}, nil }

func Use[T any](x T) {
	n := len("abc")
	for i := range n {
		fmt.Println(str.ToUpper("x"), i, n)
	}
	switch v := any(x).(type) {
	case int:
		_ = v
	case string:
		_ = v
	}
	s, err := Pair()
	_, _ = s, err
}
-- b/b.go --
package b

import "ex.com/r/a"

var area = (&a.Square{Side: 2}).Area()
-- internal/rand/rand.go --
package rand

func Intn(n int) int { return n }
-- b/b_test.go --
package b

import "testing"

func TestArea(t *testing.T) {
	if area != 4 {
		t.Fatal(area)
	}
}
`

// asked answers one question over an overlay, as JSON.
func asked(t *testing.T, s *server, overlay map[string]string, q map[string]any) map[string]any {
	t.Helper()
	over := map[string]any{}
	for file, text := range overlay {
		over[file] = map[string]string{"text": text}
	}
	result, _ := call(t, s, "ask", map[string]any{"overlay": over, "questions": []any{q}})
	raw, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var reply struct{ Answers []map[string]any }
	if err := json.Unmarshal(raw, &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Answers[0]
}

// fileOf is a file of askTree.
func fileOf(name string) string {
	_, rest, _ := strings.Cut(askTree, "-- "+name+" --\n")
	body, _, _ := strings.Cut(rest, "\n-- ")
	return body + "\n"
}

func TestAsk(t *testing.T) {
	s := loadServer(t, ruleTree(t, askTree))
	src := fileOf("a/a.go")
	at := func(text string) int { return strings.Index(src, text) }
	span := func(text string) map[string]any {
		return map[string]any{"kind": "type_at", "file": "a/a.go", "start": at(text), "end": at(text) + len(text)}
	}
	check := func(what string, got any, want string) {
		t.Helper()
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", what, got, want)
		}
	}

	q := span(`str.ToUpper("x")`)
	q["assignable_to"] = []string{"string", "any", "fmt.Stringer"}
	a := asked(t, s, nil, q)
	check("call", []any{a["mode"], a["type"], a["zero"], a["assignable"]}, `[value string "" [true true false]]`)
	a = asked(t, s, nil, span("Pair()\n")) // white space is trimmed
	check("results", a["results"], `[map[comparable:true type:Square underlying:struct zero:Square{}] map[comparable:true type:error underlying:interface zero:nil]]`)
	q = span("Pair()\n")
	q["assignable_to"] = []string{"error"}
	a = asked(t, s, nil, q)
	check("each result", []any{a["results"].([]any)[0].(map[string]any)["assignable"], a["results"].([]any)[1].(map[string]any)["assignable"]}, `[[false] [true]]`)
	a = asked(t, s, nil, span(`"abc"`))
	check("constant", []any{a["mode"], a["const"]}, `[const "abc"]`)
	check("no expression", asked(t, s, nil, span("range n"))["error"] != nil, "true")

	a = asked(t, s, nil, map[string]any{"kind": "missing_methods", "type": symbol{"ex.com/r/a", "Square"},
		"iface": symbol{"ex.com/r/a", "Shape"}})
	check("missing for the value", a["missing"], `[map[name:Area signature:() float64 wrong_type:true] map[name:Name signature:() string wrong_type:true]]`)
	a = asked(t, s, nil, map[string]any{"kind": "missing_methods", "type": symbol{"ex.com/r/a", "Square"},
		"iface": symbol{"fmt", "Stringer"}, "ptr": true})
	check("missing from std", a["missing"], `[map[name:String signature:() string wrong_type:false]]`)

	a = asked(t, s, nil, map[string]any{"kind": "object_at", "file": "a/a.go", "offset": at("ToUpper")})
	check("object", []any{a["pkg"], a["sym"], a["kind"]}, "[strings ToUpper func]")
	a = asked(t, s, nil, map[string]any{"kind": "call_targets", "file": "a/a.go", "start": at("Pair()\n"), "end": at("Pair()\n") + 6})
	check("call target", a["targets"].([]any)[0].(map[string]any)["key"], "ex.com/r/a.Pair")
}

func TestAskNames(t *testing.T) {
	s := loadServer(t, ruleTree(t, askTree))
	src := fileOf("a/a.go")
	ask := func(offset int, name string) (captures []string, names map[string]string) {
		a := asked(t, s, nil, map[string]any{"kind": "names_at", "file": "a/a.go", "offset": offset, "name": name})
		for _, c := range a["captures"].([]any) {
			c := c.(map[string]any)
			captures = append(captures, fmt.Sprint(c["line"], ":", c["col"], " ", c["key"]))
		}
		names = map[string]string{}
		for _, n := range a["names"].([]any) {
			n := n.(map[string]any)
			names[n["name"].(string)] = fmt.Sprint(n["level"], " ", n["kind"])
		}
		return captures, names
	}
	inLoop := strings.Index(src, "fmt.Println")
	captures, names := ask(inLoop, "n")
	if !slices.Equal(captures, []string{"24:36 local@22:2"}) {
		t.Errorf("captures of n: %v", captures)
	}
	for name, want := range map[string]string{"i": "block var", "n": "func var", "x": "func var", "T": "func type",
		"str": "file package", "Pair": "package func", "len": "universe builtin", "s": ""} {
		if names[name] != want {
			t.Errorf("%s is %q, want %q", name, names[name], want)
		}
	}
	if captures, _ = ask(inLoop, "str"); !slices.Equal(captures, []string{"24:15 strings"}) {
		t.Errorf("captures of str: %v", captures)
	}
	if captures, _ = ask(strings.Index(src, "func Pair"), "len"); !slices.Equal(captures, []string{"22:7 universe@len"}) {
		t.Errorf("captures of len: %v", captures)
	}
	if captures, _ = ask(strings.Index(src, "n := len"), "Area"); captures != nil {
		t.Errorf("a method is no capture: %v", captures)
	}
}

func TestAskUses(t *testing.T) {
	s := loadServer(t, ruleTree(t, askTree))
	src := fileOf("a/a.go")
	uses := func(overlay map[string]string, q map[string]any) (list []string) {
		q["kind"] = "uses_of"
		for _, u := range asked(t, s, overlay, q)["uses"].([]any) {
			u := u.(map[string]any)
			list = append(list, fmt.Sprint(u["role"], " ", u["file"], ":", u["line"], ":", u["col"]))
		}
		return list
	}
	cases := []struct {
		got, want []string
	}{
		{uses(nil, map[string]any{"pkg": "ex.com/r/a", "sym": "Square.Area"}), []string{"def a/a.go:15:18", "call b/b.go:5:33"}},
		{uses(nil, map[string]any{"pkg": "ex.com/r/b", "sym": "area"}),
			[]string{"def b/b.go:5:5", "read b/b_test.go:6:5", "read b/b_test.go:7:11"}},
		{uses(nil, map[string]any{"file": "a/a.go", "offset": strings.Index(src, "v := any")}),
			[]string{"def a/a.go:26:9", "read a/a.go:28:7", "read a/a.go:30:7"}},
		{uses(nil, map[string]any{"file": "a/a.go", "offset": strings.Index(src, "str.To")}),
			[]string{"def a/a.go:5:2", "import a/a.go:24:15"}},
		{uses(map[string]string{"b/b.go": "package b\n\nvar area = 4\n"}, map[string]any{"pkg": "ex.com/r/a", "sym": "Square.Area"}),
			[]string{"def a/a.go:15:18"}},
	}
	for i, c := range cases {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%d: got %v, want %v", i, c.got, c.want)
		}
	}
}

func TestAskImports(t *testing.T) {
	s := loadServer(t, ruleTree(t, askTree))
	edited := strings.Replace(fileOf("a/a.go"), `str.ToUpper("x")`, `rand.Intn(3), local.Side, Shape.Name`, 1)
	edited = strings.Replace(edited, "\tn := len", "\tlocal := Square{}\n\tn := len", 1)
	a := asked(t, s, map[string]string{"a/a.go": edited}, map[string]any{"kind": "imports", "file": "a/a.go"})
	if got, want := fmt.Sprint(a["imports"]), "[map[name:fmt path:fmt used:true used_before:true] map[name:str path:strings used:false used_before:true]]"; got != want {
		t.Errorf("imports: got %s", got)
	}
	if got, want := fmt.Sprint(a["missing"], a["missing_before"]), "[map[members:[Intn] name:rand]] []"; got != want {
		t.Errorf("missing: got %s", got)
	}

	// The base knows neither of these packages: the draft's graph has learned what the first one is called.
	fresh := strings.Replace(fileOf("a/a.go"), `"strings"`, `"strings"`+"\n\t\"math/rand/v2\"\n\t\"gone.test/go-gone/v3\"", 1)
	fresh = strings.Replace(fresh, `str.ToUpper("x")`, `str.ToUpper("x"), rand.IntN(3), gone.Gone`, 1)
	a = asked(t, s, map[string]string{"a/a.go": fresh}, map[string]any{"kind": "imports", "file": "a/a.go"})
	if got := fmt.Sprint(a["imports"]); !strings.Contains(got, "name:rand path:math/rand/v2 used:true") || !strings.Contains(got, "name:gone path:gone.test/go-gone/v3 used:true") {
		t.Errorf("fresh imports: got %s", got)
	}
	if got := fmt.Sprint(a["missing"]); got != "[]" {
		t.Errorf("missing beside fresh imports: got %s", got)
	}

	candidates := func(name, from string, members ...string) (list []string) {
		a := asked(t, s, nil, map[string]any{"kind": "import_candidates", "name": name, "from": from, "members": members})
		for _, c := range a["candidates"].([]any) {
			c := c.(map[string]any)
			list = append(list, fmt.Sprint(c["where"], " ", c["path"], " ", c["has"]))
		}
		return list
	}
	for _, c := range []struct {
		got, want []string
	}{
		{candidates("rand", "ex.com/r/a", "Intn"), []string{"workspace ex.com/r/internal/rand [Intn]", "std math/rand [Intn]",
			"std crypto/rand []", "std math/rand/v2 []"}},
		{candidates("str", "ex.com/r/a", "ToUpper"), []string{"same_package strings [ToUpper]"}},
		{candidates("a", "ex.com/r/b", "Pair"), []string{"same_package ex.com/r/a [Pair]"}},
		{candidates("b", "ex.com/r/a"), nil}, // b imports a
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("candidates: got %v, want %v", c.got, c.want)
		}
	}
	a = asked(t, s, nil, map[string]any{"kind": "package", "path": "encoding/hex"})
	if a["name"] != "hex" || a["std"] != true || !strings.Contains(fmt.Sprint(a["exported"]), "EncodeToString") {
		t.Errorf("package: got %v", a)
	}
}

func TestAskSignature(t *testing.T) {
	s := loadServer(t, ruleTree(t, askTree))
	overlay := map[string]string{"c/c.go": `package c

import "fmt"

type set[K comparable] struct{ m map[K]bool }

func newSet[K comparable](first K) (*set[K], error) { return nil, nil }

func (s *set[K]) Add(k K, more ...K) []K { return nil }

type key string

func (key) String() string { return "" }

func Show[E fmt.Stringer, S ~[]E](list S, w *Opts) (n int, err error) { return 0, nil }

type Opts struct{ hidden int }

func none[T interface{ impossible() }](v T) {}
`, "c/c_test.go": "package c_test\n\nimport see \"ex.com/r/c\"\n\nvar _ see.Opts\n"}
	ask := func(name, from string, more ...string) map[string]any {
		t.Helper()
		return asked(t, s, overlay, map[string]any{"kind": "signature", "file": "c/c.go", "path": "c/c_test.go", "from": from,
			"offset": strings.Index(overlay["c/c.go"], name+"("), "type_args": more})
	}
	check := func(what string, got any, want string) {
		t.Helper()
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", what, got, want)
		}
	}
	type object = map[string]any
	value := func(a object, list string, i int) object { return a[list].([]any)[i].(object) }

	a := ask("Add", "ex.com/r/c")
	check("receiver", []any{a["recv"].(object)["type"], a["type_args"], a["variadic"], a["hidden"]}, "[*set[int] [int] true false]")
	check("parameters", []any{value(a, "params", 0)["type"], value(a, "params", 1)["type"], value(a, "results", 0)["deep"]}, "[int []int true]")
	maker := value(a, "makers", 0)
	check("maker", []any{maker["sym"], maker["pointer"], maker["fails"], maker["generic"]}, "[newSet true true true]")
	check("given", ask("Add", "ex.com/r/c", "string")["recv"].(object)["type"], "*set[string]")

	a = asked(t, s, overlay, map[string]any{"kind": "signature", "file": "c/c.go", "path": "c/c_test.go", "from": "ex.com/r/c_test",
		"offset": strings.Index(overlay["c/c.go"], "Show")})
	check("outside", []any{a["qualifier"], a["type_args"], a["hidden"], a["imports"]}, "[see [see.key []see.key] true []]")
	check("its parameter", []any{value(a, "params", 1)["type"], value(a, "params", 1)["opaque"]}, "[*see.Opts true]")
	a = asked(t, s, overlay, map[string]any{"kind": "signature", "file": "c/c.go", "path": "c/c_test.go", "from": "ex.com/r/c",
		"offset": strings.Index(overlay["c/c.go"], "none")})
	check("no argument", a["error"] != nil, "true")
}

func TestNamesAtTheEndOfAClause(t *testing.T) {
	source := "package a\n\nfunc f(v any, c chan int) {\n\tswitch w := v.(type) {\n\tcase int:\n\t\tx := w\n\t\t_ = x\n\t\t// here\n\tcase string:\n\t}\n\tselect {\n\tcase y := <-c:\n\t\t_ = y // there\n\tdefault:\n\t}\n\t// out\n}\n"
	s := loadServer(t, ruleTree(t, "-- go.mod --\nmodule ex.com/q\n\ngo 1.26\n-- a/a.go --\n"+source))
	for _, at := range [][3]string{{"// here", "x", "true"}, {"// here", "w", "true"}, {"// there", "y", "true"},
		{"default", "y", ""}, {"// out", "y", ""}} {
		a := asked(t, s, nil, map[string]any{"kind": "names_at", "file": "a/a.go", "offset": strings.Index(source, at[0]), "name": at[1]})
		got := ""
		if existing, ok := a["existing"].(map[string]any); ok && existing["here"] != nil {
			got = fmt.Sprint(existing["here"])
		}
		if got != at[2] {
			t.Errorf("%s at %q: here is %q in %v", at[1], at[0], got, a["existing"])
		}
	}
}
