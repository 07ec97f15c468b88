package main

import (
	"math/rand"
	"strings"
	"testing"
)

func formatText(t *testing.T, text string, base *string, decls ...[2]int) (string, formatted) {
	t.Helper()
	a := formatOne(formatItem{Path: "a.go", Text: &text, Base: base, Decls: decls})
	checkMap(t, text, *a.Text, a.Map)
	return *a.Text, a
}

// checkMap holds that the pieces of a map are equal text and don't overlap.
func checkMap(t *testing.T, old, now string, pieces [][3]int) {
	t.Helper()
	seen := make([]bool, len(now))
	end := 0
	for _, p := range pieces {
		if old[p[0]:p[0]+p[2]] != now[p[1]:p[1]+p[2]] || p[0] < end {
			t.Fatalf("piece %v is not the same text: %q and %q", p, old[p[0]:p[0]+p[2]], now[p[1]:p[1]+p[2]])
		}
		end = p[0] + p[2]
		for i := p[1]; i < p[1]+p[2]; i++ {
			if seen[i] {
				t.Fatalf("piece %v overlaps another", p)
			}
			seen[i] = true
		}
	}
}

func TestFormatCanonicalAndNewFiles(t *testing.T) {
	base := "package p\n\nvar x = 1\n"
	got, a := formatText(t, "package p\nvar   x=2 // two\n", &base)
	if want := "package p\n\nvar x = 2 // two\n"; got != want || !a.Whole {
		t.Errorf("got %q", got)
	}
	if got, _ := formatText(t, "package p\nfunc f( ){\n}\n", nil); got != "package p\n\nfunc f() {\n}\n" {
		t.Errorf("got %q", got)
	}
	got, _ = formatText(t, "package p\n\nfunc f(a struct{ x, y int; z int }) int { return 1 }\n", nil)
	if again, err := formatFile([]byte(got)); err != nil || string(again) != got {
		t.Errorf("%q is formatted once more to %q", got, again)
	}
}

func TestFormatOnlyTouchedDeclarations(t *testing.T) {
	base := "package p\n\nvar   x=1\n\nvar y   =2\n"
	text := "package p\n\nvar   x=1\n\n// y is.\nvar y   =  3 // three\n"
	at := strings.Index(text, "var y")
	got, a := formatText(t, text, &base, [2]int{at, at + 5})
	if want := "package p\n\nvar   x=1\n\n// y is.\nvar y = 3 // three\n"; got != want || a.Whole {
		t.Errorf("got %q", got)
	}
}

func TestFormatKeepsCommentBeforeDeclarationOnItsLine(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"package p\n\nvar   y=1\n\n/* a */ func f() { x  := 1; _ = x }\n",
			"package p\n\nvar   y=1\n\n/* a */\nfunc f() { x := 1; _ = x }\n"},
		// This one is no declaration's, and stays.
		{"package p\n\nvar   y=1; /* a */ func f() {\n\tx  := 1; _ = x\n}\n",
			"package p\n\nvar   y=1; /* a */ func f() {\n\tx := 1\n\t_ = x\n}\n"},
	} {
		at := strings.Index(row.text, "x ")
		base := row.text
		if got, _ := formatText(t, row.text, &base, [2]int{at, at + 1}); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

func TestFormatKeepsLineEndingsAndMark(t *testing.T) {
	base := "\ufeffpackage p\r\n\r\n/* a\r\nb */\r\n\r\nvar x = `a\r\nb`\r\n"
	text := "\ufeffpackage p\r\n\r\n/* a\r\nb */\r\n\r\nvar x  = `a\r\nb` // c\r\n"
	got, a := formatText(t, text, &base)
	if want := "\ufeffpackage p\r\n\r\n/* a\r\nb */\r\n\r\nvar x = `a\r\nb` // c\r\n"; got != want || !a.Whole {
		t.Errorf("got %q", got)
	}
	noNewline := "package p\n\nvar x=1"
	if got, _ := formatText(t, noNewline+"\n\nvar  y=2", &noNewline, [2]int{19, 27}); got != "package p\n\nvar x=1\n\nvar y = 2" {
		t.Errorf("got %q", got)
	}
}

func TestFormatSyntaxError(t *testing.T) {
	text := "package p\r\n\r\nfunc f() {\r\n\tx :=\r\n}\r\n"
	got, a := formatText(t, text, nil)
	if got != text || a.Error == nil || a.Error.Line != 5 || a.Error.Col != 1 || a.Error.Offset != strings.Index(text, "}") {
		t.Errorf("got %q, %+v", got, a.Error)
	}
}

func TestFormatMapFollowsSortedImports(t *testing.T) {
	text := "package p\nimport (\n\"os\" // o\n\"fmt\"\n)\nvar _ = fmt.Sprint( os.Args )\n"
	got, a := formatText(t, text, nil)
	m := newFileMap(a.Map)
	for _, word := range []string{`"os"`, "// o", `"fmt"`, "os.Args", "Sprint"} {
		if to, ok := m.forward(strings.Index(text, word), len(word)); !ok || to != strings.Index(got, word) {
			t.Errorf("%s was not followed: %d %v in %q", word, to, ok, got)
		}
	}
}

func TestFormatMapOfDamagedWhiteSpace(t *testing.T) {
	canonical := "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\n// T is.\ntype T struct {\n\tA  int    // a\n\tBB string // b\n}\n\nfunc (t *T) f(x int) {\n\t// c\n\tif x > 1 {\n\t\tfmt.Println(os.Args, t.A)\n\t}\n}\n"
	random := rand.New(rand.NewSource(1))
	for range 200 {
		var b strings.Builder
		for _, r := range canonical {
			b.WriteRune(r)
			if r == ' ' && random.Intn(3) == 0 || r == '\t' && random.Intn(3) == 0 {
				b.WriteByte(' ')
			}
		}
		got, a := formatText(t, b.String(), nil)
		if a.Error != nil {
			t.Fatal(a.Error)
		}
		m := newFileMap(a.Map)
		for _, x := range tokensOf([]byte(b.String())) {
			if x.text[0] == '/' {
				continue // the words of a comment may have been damaged
			}
			if to, ok := m.forward(x.off, len(x.text)); !ok || got[to:to+len(x.text)] != string(x.text) {
				t.Fatalf("%q at %d was not followed", x.text, x.off)
			}
		}
	}
}

func TestSyntaxOfFragments(t *testing.T) {
	cases := []struct {
		kind, text string
		ok         bool
		line, col  int
		normal     string
	}{
		{"expr", "new( 1+2 )", true, 0, 0, "new(1 + 2)"},
		{"expr", "a +", false, 1, 4, ""},
		{"expr", "a, b", false, 1, 1, ""},
		{"expr", "a; func f() {}", false, 1, 1, ""},
		{"expr", "a // note", true, 0, 0, "a"},
		{"type", "map[string] []int", true, 0, 0, "map[string][]int"},
		{"type", "int = 3", false, 1, 1, ""},
		{"stmts", "x := 1\nreturn x", true, 0, 0, ""},
		{"stmts", "x := 1 // c", true, 0, 0, ""},
		{"stmts", "x := 1\nif {\n}", false, 2, 4, ""},
		{"stmts", "}\nfunc g() {", false, 1, 1, ""},
		{"stmts", "if x {", false, 1, 7, ""},
		{"decl", "// F is.\nfunc F[T any](x T) {}", true, 0, 0, ""},
		{"decl", "x := 1", false, 1, 1, ""},
		{"signature", "(a int, b ...string) (n int, err error)", true, 0, 0, ""},
		{"signature", "func(a int) error", true, 0, 0, ""},
		{"signature", "(a int", false, 1, 7, ""},
		{"file", "package p\n\nvar x =\n", false, 3, 9, ""},
		{"file", "package p\n", true, 0, 0, ""},
	}
	for _, c := range cases {
		got := fragments[c.kind].check(syntaxItem{Text: c.text, Kind: c.kind})
		if got.OK != c.ok || got.Normal != c.normal {
			t.Errorf("%s %q: got %+v", c.kind, c.text, got)
			continue
		}
		if !c.ok && (len(got.Diags) == 0 || got.Diags[0].Line != c.line || got.Diags[0].Col != c.col) {
			t.Errorf("%s %q: got %+v, want %d:%d", c.kind, c.text, got.Diags, c.line, c.col)
		}
	}
}

func TestFormatGivesNewLinesTheEndingsOfTheFile(t *testing.T) {
	base := "package p\r\n\r\nvar x = 1\r\n"
	for text, want := range map[string]string{
		"package p\n\nimport \"os\"\r\n\r\nvar x = 1\r\n":       "package p\r\n\r\nimport \"os\"\r\n\r\nvar x = 1\r\n",
		"package p\r\n\r\nvar x = 1\r\n\n// y is.\nvar y = 2\n": "package p\r\n\r\nvar x = 1\r\n\r\n// y is.\r\nvar y = 2\r\n",
		"package p\r\n\r\nvar x = \n":                           "package p\r\n\r\nvar x = \r\n",
	} {
		if got, _ := formatText(t, text, &base); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
	base = "package p\r\n\r\nvar   x=1\r\n\r\nvar y   =2\r\n"
	text := "package p\n\nimport \"os\"\r\n\r\nvar   x=1\r\n\r\nvar y   =  3\r\n"
	at := strings.Index(text, "var y")
	if got, _ := formatText(t, text, &base, [2]int{at, at + 5}); got != "package p\r\n\r\nimport \"os\"\r\n\r\nvar   x=1\r\n\r\nvar y = 3\r\n" {
		t.Errorf("got %q", got)
	}
	base = "package p\n\nvar x = 1\r\nvar y = 2\n"
	if got, _ := formatText(t, "package p\n\nvar x = 1\r\nvar z = 2\n", &base); got != "package p\n\nvar x = 1\r\nvar z = 2\n" {
		t.Errorf("got %q", got)
	}
}
