package main

import (
	"go/token"
	"slices"
	"testing"
)

func TestTestsStandWhileOnlyBodiesChange(t *testing.T) {
	const head = "package a\n\n// F is used.\nfunc F() int { return 1 }\n\n"
	cases := map[string]struct {
		overlay Overlay
		want    []string
	}{
		"body": {
			Overlay{"a/a.go": text(head + "func G() int { return F() + 1 }\n")},
			[]string{"a  full:"},
		},
		"signature": {
			Overlay{"a/a.go": text(head + "func G() string { return \"\" }\n")},
			[]string{"a  full:", "a test full:"},
		},
		"unexported function": {
			Overlay{"a/a.go": text(head + "func G() int { return F() }\n\nfunc g() {}\n")},
			[]string{"a  full:", "a test full:"},
		},
		"test": {
			Overlay{"a/a_test.go": text("package a\n\nfunc h() { F() }\n")},
			[]string{"a test full:"},
		},
		"test that runs code of the package at its start": {
			Overlay{"a/a_test.go": text("package a\n\nvar x = F()\n"),
				"a/a.go": text(head + "func G() int { return F() + 1 }\n")},
			[]string{"a  full:", "a test full:"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := loadServer(t, tree(t, judged))
			if got := verdicts(check(t, s, map[string]any{"overlay": c.overlay})); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOutsideHashLeavesBodiesAlone(t *testing.T) {
	cache := parseCache{fset: token.NewFileSet(), files: map[string]*parsedFile{}}
	hash := func(src string) string { return outsideHash(cache.parse("a.go", []byte(src))) }
	base := hash("package a\n\nfunc F(x int) { x++ }\n\nvar V = func() {}\n")
	if base != hash("package a\n\nfunc F(x int) {\n\tx--\n\treturn\n}\n\nvar V = func() {}\n") {
		t.Error("a body is in the hash")
	}
	for _, other := range []string{
		"package a\n\nfunc F(y int) { x++ }\n\nvar V = func() {}\n",
		"package a\n\nfunc F(x int)\n\nvar V = func() {}\n",
		"package a\n\nfunc F(x int) { x++ }\n\nvar V = func() { F(1) }\n",
		"package a\n\nimport \"fmt\"\n\nfunc F(x int) { x++ }\n\nvar V = func() {}\n",
	} {
		if base == hash(other) {
			t.Errorf("same hash for %q", other)
		}
	}
}
