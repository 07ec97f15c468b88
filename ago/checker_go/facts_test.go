package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// useTexts renders the reference rows to one symbol as "role file:line:col text".
func useTexts(u *Unit, f *Facts, pkg, sym string) []string {
	var list []string
	for _, row := range f.Uses {
		if f.Objs[row[0].(int)] != [2]string{pkg, sym} {
			continue
		}
		file, off, length := row[1].(int), row[2].(int), row[5].(int)
		text := string(u.Src[file][off : off+length])
		list = append(list, fmt.Sprintf("%s %d:%d %s", row[6], row[3], row[4], text))
	}
	return list
}

func allFacts(u *Unit, g *Graph) *Facts {
	files := make([]int, len(u.Files))
	for i := range files {
		files[i] = i
	}
	return extractFactsOf(u, g, files, nil)
}

func wantUses(t *testing.T, u *Unit, f *Facts, pkg, sym string, want ...string) {
	t.Helper()
	got := useTexts(u, f, pkg, sym)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("uses of %s.%s:\n got %s\nwant %s", pkg, sym, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func TestEmbeddedFieldIsTypeAndField(t *testing.T) {
	units := checkSources(t, sources{"p/a.go": `package p

type Engine struct{ Power int }

func (e *Engine) Rev() int { return e.Power }

type Truck struct {
	*Engine
	Name string
}

func f(t Truck) int {
	t.Power = 2
	_ = Truck{Engine: &Engine{3}}
	return t.Engine.Rev() + t.Rev()
}
`})
	u := units["p"]
	f := allFacts(u, graphOf(units))
	wantUses(t, u, f, "p", "Engine", "def 3:6 Engine", "type 5:10 Engine", "embed 8:3 Engine", "type 14:21 Engine", "unkeyed 14:27 ")
	wantUses(t, u, f, "p", "Truck.Engine", "def 8:3 Engine", "promotion 13:4 ", "key 14:12 Engine", "read 15:11 Engine", "promotion 15:28 ")
	wantUses(t, u, f, "p", "Engine.Power", "def 3:21 Power", "read 5:39 Power", "write 13:4 Power", "unkeyed 14:28 ")
	wantUses(t, u, f, "p", "Engine.Rev", "def 5:18 Rev", "call 15:18 Rev", "call 15:28 Rev")
}

func TestFieldsOfInstancesAreTheDeclaredField(t *testing.T) {
	units := checkSources(t, sources{
		"ring/ring.go": "package ring\n\ntype Slot[K comparable, V any] struct {\n\tKey     K\n\tPayload V\n}\n\nfunc Last[V any](s []Slot[string, V]) V { return s[len(s)-1].Payload }\n",
		"app/app.go":   "package app\n\nimport \"ring\"\n\nfunc Sum() int {\n\ts := ring.Slot[string, int]{Key: \"a\", Payload: 3}\n\ts.Payload++\n\treturn s.Payload + ring.Last([]ring.Slot[string, int]{s})\n}\n",
	})
	g := graphOf(units)
	wantUses(t, units["ring"], allFacts(units["ring"], g), "ring", "Slot.Payload", "def 5:2 Payload", "read 8:62 Payload")
	app := allFacts(units["app"], g)
	wantUses(t, units["app"], app, "ring", "Slot.Payload", "key 6:40 Payload", "write 7:4 Payload", "read 8:11 Payload")
	wantUses(t, units["app"], app, "ring", "Last", "call 8:26 Last", "instance 8:26 ")
}

func TestGoAndPanicStatements(t *testing.T) {
	units := checkSources(t, sources{"p/a.go": `package p

var ready = func() bool {
	go F(1)
	return true
}()

func F(n int) {
	go func() { (panic)("in a closure") }()
	defer panic(n)
}

func panicky() {
	panic := func(string) {}
	panic("shadowed")
}
`})
	f := allFacts(units["p"], graphOf(units))
	var got []string
	for _, row := range f.Effects {
		got = append(got, fmt.Sprintf("%s %d:%d in %s init %d", row[6], row[4], row[5], f.Objs[row[0].(int)][1], row[1]))
	}
	want := []string{"go 4:2 in ready init 1", "go 9:2 in F init 0", "panic 9:15 in F init 0", "panic 10:8 in F init 0"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDocReferences(t *testing.T) {
	units := checkSources(t, sources{
		"codec/codec.go": `package codec

// Encode packs v. The inverse is [Decode]; streams use [Codec.Flush].
//
//	Encode(1) // [Encode] in code
//
//  - [Encode] in a list
//
// [RFC]: https://example.org
func Encode(v int) string { return string(rune(v)) }

// Decode reverses [Encode]. Encode is not called; a[Encode] is no link.
func Decode(s string) int { return len(s) }

// A Codec streams.
type Codec struct {
	// N counts [*Codec] uses.
	N int
}

/*
Flush ends what [Encode] started.
*/
func (Codec) Flush() {}
`,
		"use/use.go": "package use\n\nimport \"codec\"\n\n// Run wraps [codec.Encode] and [codec.Codec.Flush].\nfunc Run() string { return codec.Encode(65) }\n",
	})
	g := graphOf(units)
	u := units["codec"]
	f := allFacts(u, g)
	wantUses(t, u, f, "codec", "Encode", "def 10:6 Encode", "doc_name 3:4 Encode", "doc_link 7:8 Encode",
		"doc_link 12:21 Encode", "doc_link 22:18 Encode")
	wantUses(t, u, f, "codec", "Codec", "doc_name 15:6 Codec", "def 16:6 Codec", "doc_link 17:16 Codec", "type 24:7 Codec",
		"doc_link 3:58 Codec")
	wantUses(t, u, f, "codec", "Codec.Flush", "doc_link 3:64 Flush", "doc_name 22:1 Flush", "def 24:14 Flush")
	wantUses(t, u, f, "codec", "Codec.N", "doc_name 17:5 N", "def 18:2 N")
	use := units["use"]
	wantUses(t, use, allFacts(use, g), "codec", "Encode", "doc_link 5:21 Encode", "call 6:34 Encode")
	wantUses(t, use, allFacts(use, g), "codec", "Codec.Flush", "doc_link 5:46 Flush")
}

func TestDirectivesAreReferences(t *testing.T) {
	units := checkSources(t, sources{
		"p/a.go": "package p\n\nimport (\n\t_ \"embed\"\n\t_ \"unsafe\"\n)\n\n//go:linkname local q.Target\nfunc local()\n\n// assets holds.\n//\n//go:embed assets/*.txt\nvar assets string\n",
		"q/q.go": "package q\n\nfunc Target() {}\n",
	})
	u := units["p"]
	f := allFacts(u, graphOf(units))
	wantUses(t, u, f, "p", "local", "directive 8:15 local", "def 9:6 local")
	wantUses(t, u, f, "q", "Target", "directive 8:23 Target")
	wantUses(t, u, f, "p", "assets", "doc_name 11:4 assets", "def 14:5 assets")
}

func TestObjectRows(t *testing.T) {
	units := checkSources(t, sources{"p/a.go": `package p

import "net/http"

// The kinds.
const (
	// None is zero.
	None Kind = iota
	File // one
	A, B
)

// Kind is an enum.
type Kind int

type (
	I interface{ M(xs ...int) error }
	S[T any] struct {
		X, Y T
		In struct{ Sub *http.Request }
	}
)

func (s *S[T]) Do() {}

func init() {}

func _() {}
`})
	u := units["p"]
	f := allFacts(u, graphOf(units))
	got := map[string]string{}
	for _, row := range f.Objects {
		text := string(u.Src[0][row[9].(int):row[10].(int)])
		if len(text) > 30 {
			text = text[:30]
		}
		parent := ""
		if p := row[11].(int); p >= 0 {
			parent = f.Objs[p][1]
		}
		got[f.Objs[row[0].(int)][1]] = fmt.Sprintf("%s|%s|%s|%q|%s|%b", row[1], row[2], row[3], text, parent, row[12])
	}
	want := map[string]string{
		"None":     `const|Kind|None is zero.|"// None is zero.\n\tNone Kind = "||1100`,
		"File":     `const|Kind|one|"File // one"||11100`,
		"A":        `const|Kind||"A, B"||10000011100`,
		"B":        `const|Kind||"A, B"||10000011100`,
		"Kind":     `type|int|Kind is an enum.|"// Kind is an enum.\ntype Kind "||0`,
		"I":        `type|interface||"I interface{ M(xs ...int) erro"||1000100`,
		"I.M":      `interface_method|func(xs ...int) error||"M(xs ...int) error"|I|1000000000`,
		"S":        `type|struct||"S[T any] struct {\n\t\tX, Y T\n\t\tI"||10000110`,
		"S.X":      `field|T||"X, Y T"|S|10000000000`,
		"S.Y":      `field|T||"X, Y T"|S|10000000000`,
		"S.In":     `field|struct{Sub *http.Request}||"In struct{ Sub *http.Request }"|S|0`,
		"S.In.Sub": `field|*http.Request||"Sub *http.Request"|S.In|0`,
		"S.Do":     `method|func()||"func (s *S[T]) Do() {}"|S|100000010`,
	}
	for sym, row := range want {
		if got[sym] != row {
			t.Errorf("%s:\n got %s\nwant %s", sym, got[sym], row)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d objects, want %d: %v", len(got), len(want), got)
	}
}

// methodTexts renders the method rows as "type pointer identity signature through method", sorted.
func methodTexts(f *Facts) []string {
	var rows []string
	for _, m := range f.Methods {
		via := "-"
		if m[4].(int) >= 0 {
			via = f.Objs[m[4].(int)][1]
		}
		rows = append(rows, fmt.Sprint(f.Objs[m[0].(int)][1], " ", m[1], " ", m[2], m[3], " ", via, " ", f.Objs[m[5].(int)]))
	}
	slices.Sort(rows)
	return rows
}

func TestMethodSetsOfTypesWithoutADeclaration(t *testing.T) {
	units := checkSources(t, sources{
		"p/a.go": `package p

import "io"

type Box[T any] struct{ Src interface{ Get() T } }

type file struct{}

func (file) Shut() {}

func Shut(c interface{ Shut() }) { c.Shut() }

func each[T interface{ stop() }](list []T, body io.ReadCloser) error {
	var local interface {
		io.Reader
		interface{ Reset(any) }
	}
	local.Reset(nil)
	type own interface{ stop() }
	own(list[0]).stop()
	list[0].stop()
	_ = struct{ file }{}
	_, _ = body.(interface{ mark() })
	return body.Close()
}

func text(err error) string { return err.Error() }
`,
		"q/q.go": "package q\n\nimport \"p\"\n\nfunc Get(b p.Box[int]) int { return b.Src.Get() }\n",
	})
	g := graphOf(units)
	f := allFacts(units["p"], g)
	shut, stop := "interface{Shut()()}", "interface{p.stop()()}"
	reset := "interface{Reset(interface{})()}"
	want := []string{
		"Box.Src.interface{Get()($0)} 2 Getfunc()($0) - [p Box.Src.Get]",
		"Closer 2 Closefunc()(universe@error) - [io Closer.Close]",
		"Shut." + shut + " 2 Shutfunc()() - [p Shut.Shut]",
		"error 2 Errorfunc()(string) - [ error.Error]",
		"file 0 Shutfunc()() - [p file.Shut]",
		reset + " 2 Resetfunc(interface{})() - [ " + reset + ".Reset]",
		"interface{p.mark()()} 2 p.markfunc()() - [ interface{p.mark()()}.mark]",
		stop + " 2 p.stopfunc()() - [ " + stop + ".stop]",
		"struct{!p.file p.file;} 0 Shutfunc()() - [p file.Shut]",
	}
	rows := slices.DeleteFunc(methodTexts(f), func(row string) bool { return strings.HasPrefix(row, "Read") })
	slices.Sort(want)
	if !slices.Equal(rows, want) {
		t.Errorf("methods:\n got %s\nwant %s", strings.Join(rows, "\n     "), strings.Join(want, "\n     "))
	}
	wantUses(t, units["p"], f, "", stop+".stop", "call 20:15 stop", "call 21:10 stop", "def 13:24 stop", "def 19:22 stop")
	wantUses(t, units["p"], f, "p", "Shut.Shut", "def 11:24 Shut", "call 11:38 Shut")
	wantUses(t, units["p"], f, "", "error.Error", "call 27:42 Error")
	got := methodTexts(allFacts(units["q"], g))
	if want := []string{"Box.Src.interface{Get()($0)} 2 Getfunc()($0) - [p Box.Src.Get]"}; !slices.Equal(got, want) {
		t.Errorf("methods of q: %q", got)
	}
}

func TestMethodSetsAndTies(t *testing.T) {
	units := checkSources(t, sources{"p/a.go": `package p

import "io"

type Buf = []uint8

type R struct{}

func (*R) Read(p Buf) (n int, err error) { return }
func (R) Any(x any, f func(r rune)) {}

type W struct{ *R }

type J interface {
	io.Reader
	Any(interface{}, func(int32))
}

var _ io.Reader = W{}

func take(r io.Reader) bool {
	_, ok := r.(J)
	return ok
}

func give() { take(&R{}) }
`})
	u := units["p"]
	f := allFacts(u, graphOf(units))
	rows := methodTexts(f)
	read, any := "Readfunc([]uint8)(int,universe@error)", "Anyfunc(interface{},func(int32)())()"
	want := []string{
		"R 1 " + read + " - [p R.Read]", "R 0 " + any + " - [p R.Any]",
		"W 0 " + read + " W.R [p R.Read]", "W 0 " + any + " W.R [p R.Any]",
		"J 2 " + any + " - [p J.Any]", "J 2 " + read + " - [io Reader.Read]",
		"Reader 2 " + read + " - [io Reader.Read]",
	}
	slices.Sort(want)
	if !slices.Equal(rows, want) {
		t.Errorf("methods:\n got %s\nwant %s", strings.Join(rows, "\n     "), strings.Join(want, "\n     "))
	}
	var ties []string
	for _, a := range f.Asserts {
		ties = append(ties, fmt.Sprint(a[4], " ", f.Objs[a[0].(int)][1], " ", f.Objs[a[1].(int)][1]))
	}
	slices.Sort(ties)
	if want := []string{"assert Reader J", "convert R Reader", "convert W Reader"}; !slices.Equal(ties, want) {
		t.Errorf("ties: got %v want %v", ties, want)
	}
}
