package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// compared checks base and candidate and renders the changes of package "p" as "kind name old -> new".
func compared(t *testing.T, base, cand sources, renames ...Rename) []string {
	t.Helper()
	spans := Spans{}
	for name, text := range cand {
		if text == base[name] {
			continue
		}
		if len(renames) > 0 {
			spans[name] = wordSpans(base[name], text)
		} else {
			spans[name] = spansOf(base[name], text)
		}
	}
	var list []string
	for _, c := range compareUnits(checkSources(t, base)["p"], checkSources(t, cand)["p"], &trails{spans: spans}, renames, nil) {
		list = append(list, fmt.Sprintf("%s %s %s -> %s", c.Kind, c.Name, c.Old, c.New))
	}
	return list
}

func wantChanges(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("changes:\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// one is a package p of one file.
func one(body string) sources { return sources{"p/a.go": "package p\n\n" + body} }

func TestCaptureOfBuiltinImportAndLocal(t *testing.T) {
	base := sources{
		"p/a.go": "package p\n\nimport \"strings\"\n\nfunc f(s string) int {\n\treturn len(strings.ToUpper(s))\n}\n",
		"p/b.go": "package p\n",
	}
	cand := sources{"p/a.go": base["p/a.go"], "p/b.go": "package p\n\nfunc len(s string) int { return 1 }\n"}
	wantChanges(t, compared(t, base, cand), "ident len universe@len -> p.len")

	cand = sources{"p/a.go": "package p\n\nimport \"strings\"\n\nfunc f(s string) int {\n\tvar strings upper\n\treturn len(strings.ToUpper(s))\n}\n",
		"p/b.go": "package p\n\ntype upper struct{}\n\nfunc (upper) ToUpper(s string) string { return s }\n"}
	wantChanges(t, compared(t, base, cand), "ident strings strings -> new", "selection ToUpper strings.ToUpper -> p.upper.ToUpper")

	wantChanges(t, compared(t,
		one("func f() int {\n\tx := 1\n\t{\n\t\tprint(2)\n\t\treturn x\n\t}\n}\n"),
		one("func f() int {\n\tx := 1\n\t{\n\t\tx := 2\n\t\tprint(x)\n\t\treturn x\n\t}\n}\n")),
		"ident x local@4:2 -> new")
}

func TestMovedAndRewrittenTextIsNoChange(t *testing.T) {
	wantChanges(t, compared(t,
		one("func f() int {\n\tx := 1\n\treturn x + g()\n}\n\nfunc g() int { return 2 }\n"),
		one("// g is two.\nfunc g() int { return 2 }\n\nfunc f() int {\n\tx := 1 + 1\n\treturn x + g()\n}\n")))
}

func TestRename(t *testing.T) {
	base := one("func Limit() int { return 3 }\n\nfunc Use() int {\n\tlimit := Limit()\n\treturn limit * 2\n}\n")
	cand := one("func limit() int { return 3 }\n\nfunc Use() int {\n\tlimit := limit()\n\treturn limit * 2\n}\n")
	wantChanges(t, compared(t, base, cand, Rename{"p", "Limit", "limit"}))

	base = one("var a = 1\n\nfunc f(b int) int { return a + b }\n")
	cand = one("var b = 1\n\nfunc f(b int) int { return b + b }\n")
	wantChanges(t, compared(t, base, cand, Rename{"p", "a", "b"}), "ident a p.a -> local@5:8")

	base = one("var a, b = 1, 2\n\nfunc f() int { return a - b }\n")
	cand = one("var b, a = 1, 2\n\nfunc f() int { return b - a }\n")
	wantChanges(t, compared(t, base, cand, Rename{"p", "a", "b"}, Rename{"p", "b", "a"}))
	wantChanges(t, compared(t, base, one("var b, a = 1, 2\n\nfunc f() int { return a - b }\n"),
		Rename{"p", "a", "b"}, Rename{"p", "b", "a"}), "ident a p.a -> p.a", "ident b p.b -> p.b")
}

func TestRenameOfAnEmbeddedTypeIsPure(t *testing.T) {
	base := one(`type Engine[T any] struct{ Power T }

func (e *Engine[T]) Rev() T { return e.Power }

type Truck struct {
	*Engine[int]
	Name string
}

func f(t Truck) int {
	x := Truck{Engine: &Engine[int]{Power: 1}}.Engine
	return t.Engine.Rev() + t.Rev() + t.Power + x.Power
}
`)
	cand := sources{"p/a.go": strings.NewReplacer("Engine", "Motor", "Power", "P").Replace(base["p/a.go"])}
	renames := []Rename{{"p", "Engine", "Motor"}, {"p", "Engine.Power", "P"}}
	wantChanges(t, compared(t, base, cand, renames...))
	before := vectorHashes(checkSources(t, base)["p"], nil, nil)
	after := checkSources(t, cand)["p"]
	if got := vectorHashes(after, inverseOf(renames, nil), nil); !slices.Equal(got, before) {
		t.Errorf("a pure rename changed the hash: %v, before %v", got, before)
	}
	if got := vectorHashes(after, nil, nil); slices.Equal(got, before) {
		t.Error("without the rename map the hash must differ")
	}
}

func TestRenameOfATypeEmbeddedInAFunction(t *testing.T) {
	base := one("type Engine struct{ Power int }\n\nfunc f() int {\n\ttype truck struct{ Engine }\n\tx := truck{Engine: Engine{1}}\n\treturn x.Engine.Power\n}\n")
	cand := sources{"p/a.go": strings.ReplaceAll(base["p/a.go"], "Engine", "Motor")}
	wantChanges(t, compared(t, base, cand, Rename{"p", "Engine", "Motor"}))
	units := checkSources(t, base)
	wantUses(t, units["p"], allFacts(units["p"], graphOf(units)), "p", "Engine", "def 3:6 Engine", "embed 6:21 Engine",
		"key 7:13 Engine", "type 7:21 Engine", "unkeyed 7:27 ", "read 8:11 Engine")
}

func TestHiddenPromotion(t *testing.T) {
	base := one("type A struct{ n int }\n\nfunc (A) M() {}\n\ntype B struct{ A }\n\nfunc f(b B) int {\n\tb.M()\n\treturn b.n\n}\n")
	cand := one("type A struct{ n int }\n\nfunc (A) M() {}\n\ntype B struct{ A }\n\nfunc (B) M() {}\n\nfunc f(b B) int {\n\tb.M()\n\treturn b.n\n}\n")
	wantChanges(t, compared(t, base, cand), "selection M p.B.A>p.A.M -> p.B.M", "embed_hidden M p.A.M -> p.B.M")
	cand = one("type A struct{ n int }\n\nfunc (A) M() {}\n\ntype B struct {\n\tA\n\tn int\n}\n\nfunc f(b B) int {\n\tb.M()\n\treturn b.n\n}\n")
	wantChanges(t, compared(t, base, cand), "selection n p.B.A>p.A.n -> p.B.n")
}

func TestReshaped(t *testing.T) {
	wantChanges(t, compared(t,
		one("func f(src, dst string) {}\n\nfunc g() { f(\"a\", \"b\") }\n"),
		one("func f(dst, src string) {}\n\nfunc g() { f(\"a\", \"b\") }\n")),
		"unkeyed src src string -> dst string", "unkeyed dst dst string -> src string")
	wantChanges(t, compared(t,
		one("func f(a string) {}\n\nfunc g() { f(\"a\") }\n"),
		one("func f(b string, more ...int) {}\n\nfunc g() { f(\"a\") }\n")))
	wantChanges(t, compared(t,
		one("type T struct{ A, B int }\n\nvar t = T{1, 2}\n"),
		one("type T struct{ B, A int }\n\nvar t = T{1, 2}\n")),
		"unkeyed A p.T.A -> p.T.B", "unkeyed B p.T.B -> p.T.A")
}

func TestValuesTypesAndInstances(t *testing.T) {
	wantChanges(t, compared(t,
		one("const (\n\tA = iota\n\tB\n\tC\n)\n"),
		one("const (\n\tA = iota\n\tC\n)\n")),
		"const C 2 -> 1")
	wantChanges(t, compared(t,
		one("func f() int { return 1 }\n\nfunc id[T any](x T) T { return x }\n\nfunc g() {\n\tx := f()\n\tprintln(id(x))\n}\n"),
		one("func f() int8 { return 1 }\n\nfunc id[T any](x T) T { return x }\n\nfunc g() {\n\tx := f()\n\tprintln(id(x))\n}\n")),
		"type x int -> int8", "instance id (int) -> (int8)")
}

func TestControlFlow(t *testing.T) {
	base := one("func f(xs []int) int {\n\tfor _, x := range xs {\n\t\tif x > 1 {\n\t\t\tbreak\n\t\t}\n\t\tdefer f(nil)\n\t}\n\treturn 1\n}\n")
	cand := one("func f(xs []int) int {\n\tfor _, x := range xs {\n\t\tfor {\n\t\tif x > 1 {\n\t\t\tbreak\n\t\t}\n\t\t}\n\t\tfunc() {\n\t\tdefer f(nil)\n\t\t}()\n\t}\n\treturn 1\n}\n")
	wantChanges(t, compared(t, base, cand), "control  for@4:2 -> for@5:3", "control  func@3:1 -> func@10:3")
}

func TestFallthroughGoesOnInTheSameClause(t *testing.T) {
	base := one("func f(n int) {\n\tswitch n {\n\tcase 1:\n\t\tfallthrough\n\tcase 2:\n\t\tprintln(2)\n\t}\n}\n")
	cand := one("func f(n int) {\n\tswitch n {\n\tcase 1:\n\t\tfallthrough\n\tcase 7:\n\tcase 2:\n\t\tprintln(2)\n\t}\n}\n")
	wantChanges(t, compared(t, base, cand), "control  case@7:2 -> case@7:2")
}

func TestTypeSwitchClauses(t *testing.T) {
	base := one("func f(v any) any {\n\tswitch x := v.(type) {\n\tcase int:\n\t\treturn x\n\tcase string:\n\t\treturn x\n\t}\n\treturn nil\n}\n")
	cand := one("func f(v any) any {\n\tswitch x := v.(type) {\n\tcase int:\n\t\treturn x\n\tcase bool, string:\n\t\treturn x\n\t}\n\treturn nil\n}\n")
	wantChanges(t, compared(t, base, cand))
	cand = one("func f(v any) any {\n\tswitch x := v.(type) {\n\tcase int:\n\t\t{\n\t\tx := 1\n\t\treturn x\n\t\t}\n\tcase string:\n\t\treturn x\n\t}\n\treturn nil\n}\n")
	wantChanges(t, compared(t, base, cand), "ident x local@4:9 -> new")
}

func TestStandardMethodsGainedAndLost(t *testing.T) {
	base := one("type T struct{}\n\nfunc (T) Error() string { return \"\" }\n")
	cand := one("type T struct{}\n\nfunc (T) String() string { return \"\" }\n")
	wantChanges(t, compared(t, base, cand), "method_lost Error p.T.Error() string -> ", "method_gained String  -> p.T.String() string")
}

func TestMethodsThatOnlyPointersHave(t *testing.T) {
	byValue := one("type T struct{}\n\nfunc (T) String() string { return \"\" }\n\nfunc (T) other() {}\n")
	byPointer := one("type T struct{}\n\nfunc (*T) String() string { return \"\" }\n\nfunc (*T) other() {}\n")
	const narrowed, widened = "method_narrowed String p.T.String() string -> p.T.String() string", "method_widened String p.T.String() string -> p.T.String() string"
	wantChanges(t, compared(t, byValue, byPointer), narrowed, "method_narrowed_unasked other p.T.other() -> p.T.other()")
	wantChanges(t, compared(t, byPointer, byValue), widened, "method_widened_unasked other p.T.other() -> p.T.other()")
	const a = "import \"io\"\n\ntype A struct{}\n\nfunc (*A) Close() error { return io.EOF }\n\n"
	wantChanges(t, compared(t, one(a+"type S struct{ *A }\n"), one(a+"type S struct{ A }\n")),
		"method_narrowed Close p.A.Close() error -> p.A.Close() error")
}

func TestVariablesOfLoops(t *testing.T) {
	const loops = "func f(xs []int) (fs []func() int, ps []*int) {\n\tfor i := range xs {\n\t\tfs = append(fs, func() int { return i })\n\t}\n" +
		"\tfor j := 0; j < 2; j++ {\n\t\tps = append(ps, &j)\n\t}\n\tfor k, x := range xs {\n\t\tps[k] = &xs[x]\n\t}\n\treturn\n}\n"
	now := one(loops)
	old := map[string]string{}
	for name, text := range now {
		old[name] = "//go:build go1.21\n\n" + text
	}
	wantChanges(t, compared(t, now, old), "loop i one for each turn -> one for all turns", "loop j one for each turn -> one for all turns")
	wantChanges(t, compared(t, now, now))
}

func TestInitialisationOrder(t *testing.T) {
	base := one("var a = f()\n\nvar b = f()\n\nvar c = 1\n\nfunc f() int { return 1 }\n")
	wantChanges(t, compared(t, base, one("var c = 1\n\nvar a = f()\n\nvar b = f()\n\nfunc f() int { return 1 }\n")))
	wantChanges(t, compared(t, base, one("var b = f()\n\nvar a = f()\n\nvar c = 1\n\nfunc f() int { return 1 }\n")),
		"init_order a a b -> b a")
}

func TestImportsAreCompared(t *testing.T) {
	base := one("import \"strings\"\n\nvar _ = strings.ToUpper\n")
	cand := one("import (\n\t_ \"os\"\n\t\"strings\"\n)\n\nvar _ = strings.ToUpper\n")
	wantChanges(t, compared(t, base, cand), "import os  -> _")
}

func TestRedeclarationBecomesAssignment(t *testing.T) {
	base := one("func g() (int, error) { return 0, nil }\n\nfunc f() {\n\tx, err := g()\n\tprintln(x, err)\n}\n")
	cand := one("func g() (int, error) { return 0, nil }\n\nfunc f() {\n\tvar err error\n\tx, err := g()\n\tprintln(x, err)\n}\n")
	wantChanges(t, compared(t, base, cand), "ident err local@6:5 -> new", "ident err local@6:5 -> new")
}

func TestVectorIgnoresTextAndPositions(t *testing.T) {
	a := one("func f(x int) int {\n\ty := x\n\treturn y\n}\n")
	b := one("// More words.\nfunc f(z int) int {\n\n\tq := z // text\n\treturn q\n}\n")
	if x, y := vectorHashes(checkSources(t, a)["p"], nil, nil), vectorHashes(checkSources(t, b)["p"], nil, nil); !slices.Equal(x, y) {
		t.Errorf("%v and %v differ", x, y)
	}
	c := one("func f(x int) int {\n\ty := x\n\treturn x\n}\n")
	if x, y := vectorHashes(checkSources(t, a)["p"], nil, nil), vectorHashes(checkSources(t, c)["p"], nil, nil); slices.Equal(x, y) {
		t.Error("another variable has the same hash")
	}
}

func TestInterfacesThatAskForMore(t *testing.T) {
	const code = "type T struct{}\n\nfunc (*T) A() {}\n\ntype Both struct{ T }\n\nfunc (Both) B() {}\n\nfunc f(v any) bool {\n\t_, ok := v.(I)\n\treturn ok\n}\n\n"
	base := one(code + "type I interface{ A() }\n\ntype J interface{ A() }\n")
	cand := one(code + "type I interface {\n\tA()\n\tB()\n}\n\ntype J interface {\n\tA()\n\tB()\n}\n")
	wantChanges(t, compared(t, base, cand), "satisfaction_lost A p.T -> p.I", "satisfaction_lost_unasked A p.T -> p.J")
	wantChanges(t, compared(t, cand, base))
}

func TestNilInInterfaces(t *testing.T) {
	const types = "type E struct{}\n\nfunc (*E) Error() string { return \"\" }\n\nfunc f(e *E) "
	const rest = " {\n\tif e == nil {\n\t\treturn nil\n\t}\n\tif e != nil {\n\t\treturn &E{}\n\t}\n\treturn e\n}\n\n" +
		"func g() error { return f(nil) }\n\nfunc h() (error, int) { return f(nil), 1 }\n"
	concrete, iface := one(types+"*E"+rest), one(types+"error"+rest)
	const boxed, unboxed = "boxed  nil -> an interface that is not nil", "boxed  an interface that is not nil -> nil"
	wantChanges(t, compared(t, concrete, iface), boxed, unboxed, unboxed)
	wantChanges(t, compared(t, iface, concrete), unboxed, boxed, boxed)
}
