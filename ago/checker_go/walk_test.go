package main

import (
	"encoding/json"
	"fmt"
	"go/types"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutable is a module whose files have places that can be filled in several ways, "<<a|b|c>>". Many combinations don't
// compile, on purpose: importers' verdicts have to move with them, in both directions.
const mutable = `
-- base/base.go --
package <<base|base|base|other>>

import "fmt"

const K = <<1|2|"x"|1 << 3>>

const Big = <<1 << 70|1 << 71>>

type T struct {
	A <<int|string|hidden>> <<|` + "`json:\"a\"`" + `>>
	<<b int|B int|hidden|>>
}

type hidden struct{ H <<int|string>> }

func (h hidden) Hid() <<int|string>> { panic(1) }

func (t <<T|*T>>) M() <<int|T|hidden>> { panic(<<1|2>>) }

<<func (t T) String() string { return fmt.Sprint(K) }|var _ = fmt.Sprint>>

type I interface {
	M() <<int|T>>
	<<|String() string>>
}

type Num interface{ <<~int|int|~int \| ~string>> }

func Sum[P <<Num|any|comparable>>](p ...P) <<P|int>> { panic(<<len(p)|undefined>>) }

type Alias = <<T|*T|int>>

type G[P any] struct{ P <<P|[]P>> }

func New() <<T|*T|hidden>> { panic(1) }

var Hook func(<<T|int>>) <<T|G[T]|G[int]>>

<<func Gone() {}|>>
-- base/more.go --
package base

func more(t T) { <<_ = t.A|_ = t.b|t.M()|>> }

var Names = <<[]string{"a"}|map[string]int{}>>
-- base/in_test.go --
package base

import "testing"

var Export = <<more|New>>

<<func (t T) OnlyInTest() {}|>>

func TestMore(t *testing.T) { <<more(T{})|_ = T{}.b|_ = len(Names)>> }
-- base/out_test.go --
package base_test

import (
	"testing"

	"ex.com/m/base"
	"ex.com/m/mid"
)

func TestOut(t *testing.T) { _ = <<base.Export|base.New|mid.Make>>; mid.Take(<<base.New()|base.T{}>>) }
-- mid/mid.go --
package mid

import "ex.com/m/base"

type Wrap struct{ <<base.T|*base.T|t base.T>> }

func Make() <<base.T|base.Alias|Wrap>> { panic(1) }

func Take(t base.T) <<|int>> { panic(<<base.K|1|t.A>>) }

var _ base.I = <<base.T{}|base.New()|nil>>

const Twice = base.K <<+ base.K|>>

var Sum = base.Sum(<<1, 2|"a">>)
-- side/side.go --
package side

import <<. "ex.com/m/base"|"ex.com/m/base">>

<<func use(t T) { _ = t.M() }|func use() { _ = base.K }|type T int>>
-- top/top.go --
package top

import "ex.com/m/mid"

func Use() {
	w := mid.Wrap{}
	<<w.M()|_ = w.A|_ = w.String|>>
	_ = mid.Make().<<A|M|Hid>>
	var f [mid.Twice]int
	_ = f
}

type Up interface{ <<Make() mid.Wrap|M() int>> }

func Through() Up { <<return nil|return mid.Wrap{}>> }
-- top/top_test.go --
package top

import (
	"testing"

	"ex.com/m/<<side|mid>>"
)

func TestTop(t *testing.T) { <<Use()|Through().M()>>; _ = <<side|mid>>.<<Sum|T>> }
-- far/far.go --
package far

import "ex.com/m/top"

var X = top.Through()<<|.M()>>
`

// template is one file of mutable.
type template struct{ name, text string }

func templates() []template {
	var list []template
	for _, section := range strings.Split(mutable, "\n-- ")[1:] {
		name, body, _ := strings.Cut(section, " --\n")
		list = append(list, template{name, body + "\n"})
	}
	return list
}

// fill makes a text of a template. It mostly takes the first way, which compiles.
func (f template) fill(r *rand.Rand, wild float64) string {
	var out strings.Builder
	for rest := f.text; ; {
		head, tail, found := strings.Cut(rest, "<<")
		out.WriteString(head)
		if !found {
			return out.String()
		}
		var choice string
		choice, rest, _ = strings.Cut(tail, ">>")
		if strings.HasPrefix(choice, " ") || choice == "" { // a shift
			out.WriteString("<<" + choice + ">>")
			continue
		}
		ways := strings.Split(strings.ReplaceAll(choice, `\|`, "\x00"), "|")
		way := ways[0]
		if r.Float64() < wild {
			way = ways[r.IntN(len(ways))]
		}
		out.WriteString(strings.ReplaceAll(way, "\x00", "|"))
	}
}

// TestWalkEqualsFreshLoad makes random edits and compares what the moved base knows with a fresh universe.
func TestWalkEqualsFreshLoad(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { walkRandomly(t, rand.New(rand.NewPCG(seed, 1)), 20) })
	}
}

func walkRandomly(t *testing.T, r *rand.Rand, steps int) {
	root, files := t.TempDir(), templates()
	put(t, root, "go.mod", "module ex.com/m\n\ngo 1.26\n")
	for _, f := range files {
		put(t, root, f.name, f.fill(r, 0.1))
	}
	s := loadServer(t, root)
	call(t, s, "check_all", nil)
	before := known(t, s.universe)
	for step := range steps {
		overlay, trail := Overlay{}, ""
		for range 1 + r.IntN(2) {
			f := files[r.IntN(len(files))]
			text := f.fill(r, 0.3)
			overlay[f.name] = Content{Text: &text}
			if r.IntN(12) == 0 {
				overlay[f.name] = Content{Deleted: true}
			}
			trail += " " + f.name
		}
		hashes := apiHashes(s.universe)
		if r.IntN(3) == 0 {
			trail += " (cold)"
			call(t, s, "reset", nil)
		}
		if r.IntN(3) > 0 {
			result, _ := call(t, s, "check", map[string]any{"overlay": overlay, "proofs": r.IntN(2) == 0})
			apply(t, root, overlay)
			call(t, s, "advance", map[string]any{"candidate": result.(checkReply).Candidate})
		} else {
			trail += " (outside)"
			apply(t, root, overlay)
			call(t, s, "refresh", map[string]any{"paths": slices.Collect(maps.Keys(overlay)), "api_hashes": hashes})
		}
		checkOneObjectPerPath(t, s.universe)
		got, want := known(t, s.universe), freshly(t, root)
		for _, key := range slices.Sorted(maps.Keys(mergeKeys(got, want))) {
			if _, checked := got[key]; !checked {
				got[key] = before[key] // the facts of before still hold
			}
			if got[key] != want[key] {
				t.Fatalf("step %d, after%s: %s\n got %s\nwant %s", step, trail, key, got[key], want[key])
			}
		}
		before = want
		call(t, s, "check_all", nil)
	}
}

// apply puts an overlay on disk.
func apply(t *testing.T, root string, overlay Overlay) {
	for name, content := range overlay {
		if content.Deleted {
			os.Remove(filepath.Join(root, name))
		} else {
			put(t, root, name, *content.Text)
		}
	}
}

// apiHashes are those of the primary units, as the facts keep them.
func apiHashes(u *Universe) map[string]string {
	hashes := map[string]string{}
	for key, state := range u.units {
		if key.Variant == Primary {
			hashes[key.Pkg] = state.apiHash
		}
	}
	return hashes
}

func mergeKeys(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// known writes down what a universe knows of every unit: verdict, api hash, meaning.
func known(t *testing.T, u *Universe) map[string]string {
	known := map[string]string{}
	for key, state := range u.units {
		diags := slices.Clone(state.diags)
		for i := range diags {
			diags[i].Msg = "" // may name a type by an alias or by what it means
		}
		text, err := json.Marshal(struct {
			Diags []Diag
			Files []FileResult
			API   string
		}{diags, state.files, state.apiHash})
		if err != nil {
			t.Fatal(err)
		}
		known[key.String()] = string(text)
	}
	return known
}

func freshly(t *testing.T, root string) map[string]string {
	s := loadServer(t, root)
	call(t, s, "check_all", nil)
	return known(t, s.universe)
}

// checkOneObjectPerPath follows the exported API of every entry.
func checkOneObjectPerPath(t *testing.T, u *Universe) {
	t.Helper()
	owner := map[string]*types.Package{}
	seen := map[types.Type]bool{}
	var look func(typ types.Type, from string)
	meet := func(obj types.Object, from string) {
		if obj == nil || obj.Pkg() == nil {
			return
		}
		path := obj.Pkg().Path()
		if known := owner[path]; known != nil && known != obj.Pkg() {
			t.Fatalf("%s reaches another object of %s by %s", from, path, obj.Name())
		}
		owner[path] = obj.Pkg()
	}
	tuple := func(list *types.Tuple, from string) {
		for i := range list.Len() {
			look(list.At(i).Type(), from)
		}
	}
	params := func(list *types.TypeParamList, from string) {
		for i := range list.Len() {
			look(list.At(i).Constraint(), from)
		}
	}
	args := func(list *types.TypeList, from string) {
		for i := range list.Len() {
			look(list.At(i), from)
		}
	}
	look = func(typ types.Type, from string) {
		if typ == nil || seen[typ] {
			return
		}
		seen[typ] = true
		switch typ := typ.(type) {
		case *types.Alias:
			meet(typ.Obj(), from)
			args(typ.TypeArgs(), from)
			look(types.Unalias(typ), from)
		case *types.Named:
			meet(typ.Obj(), from)
			args(typ.TypeArgs(), from)
			params(typ.TypeParams(), from)
			look(typ.Underlying(), from)
			for i := range typ.NumMethods() {
				look(typ.Method(i).Type(), from)
			}
		case *types.Pointer:
			look(typ.Elem(), from)
		case *types.Slice:
			look(typ.Elem(), from)
		case *types.Array:
			look(typ.Elem(), from)
		case *types.Chan:
			look(typ.Elem(), from)
		case *types.Map:
			look(typ.Key(), from)
			look(typ.Elem(), from)
		case *types.Struct:
			for i := range typ.NumFields() {
				meet(typ.Field(i), from)
				look(typ.Field(i).Type(), from)
			}
		case *types.Signature:
			params(typ.TypeParams(), from)
			tuple(typ.Params(), from)
			tuple(typ.Results(), from)
		case *types.Interface:
			for i := range typ.NumMethods() {
				look(typ.Method(i).Type(), from)
			}
			for i := range typ.NumEmbeddeds() {
				look(typ.EmbeddedType(i), from)
			}
		case *types.Union:
			for i := range typ.Len() {
				look(typ.Term(i).Type(), from)
			}
		}
	}
	for path, e := range u.base.entries {
		if known := owner[path]; known != nil && known != e.types {
			t.Fatalf("the entry of %s is not what others reach", path)
		}
		owner[path] = e.types
	}
	for path, e := range u.base.entries {
		for _, name := range e.types.Scope().Names() {
			if obj := e.types.Scope().Lookup(name); obj.Exported() {
				meet(obj, path)
				look(obj.Type(), path)
			}
		}
	}
}
