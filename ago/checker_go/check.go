package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// This file type-checks one unit of a view and collects every error that Go's tools would have of it.

// unit checks a unit with bodies; the view must be ensured for the package.
func (v *view) unit(key UnitKey) *Unit {
	p := v.graph.Packages[key.Pkg]
	imports := v.importer(p)
	if key.Variant == XTest {
		imports = v.testLayer(p).importer(p)
	}
	u := v.check(key, true, imports)
	if len(v.doubts.ofUnit(key)) > 0 {
		u.dropUncertain()
	}
	if key.Variant == InTest { // the primary unit explains the imports of its files
		u.Diags = slices.DeleteFunc(u.Diags, func(d Diag) bool { return d.Code == "BrokenImport" && !isTestFile(d.File) })
	}
	u.Diags = append(u.Diags, ruleDiags(v, u)...)
	u.Diags = tidy(u.Diags)
	return u
}

// check parses and type-checks the files of a unit.
func (v *view) check(key UnitKey, bodies bool, imports importFunc) *Unit {
	p := v.graph.Packages[key.Pkg]
	u := &Unit{Key: key, Path: p.Path, Pkg: p, Fset: v.u.fset, Bodies: bodies}
	if key.Variant == XTest {
		u.Path += "_test"
	}
	for _, rel := range v.graph.Files(p, key.Variant) {
		f := v.parse(rel)
		u.Names = append(u.Names, rel)
		u.Files = append(u.Files, f.ast)
		u.Src = append(u.Src, f.src)
		u.Diags = append(u.Diags, f.diags...)
		if _, overlaid := v.overlay[rel]; !overlaid {
			v.u.noteFile(f)
		}
	}
	if bodies {
		u.Info = newInfo(u.size())
	}
	conf := types.Config{
		Importer: imports, GoVersion: p.languageVersion(), IgnoreFuncBodies: !bodies,
		Sizes: types.SizesFor("gc", v.graph.Context.GOARCH),
	}
	broken := map[string]bool{}
	for _, d := range u.Diags {
		broken[d.File] = broken[d.File] || d.Source == "syntax"
	}
	conf.Error = func(err error) {
		// What the parser could not read makes follow-up errors in its own file, which no tool reports.
		if d, ok := u.typeDiag(err.(types.Error)); ok && !broken[d.File] {
			u.Diags = append(u.Diags, d)
		}
	}
	apart := bodies && u.setTestsApart()
	u.Types, _ = conf.Check(u.Path, v.u.fset, v.withCgo(u, &conf), u.Info)
	if apart {
		u.keepTests()
	}
	return u
}

// setTestsApart takes the bodies out of the files under test where the primary unit says all about them.
func (u *Unit) setTestsApart() bool {
	if u.Key.Variant != InTest {
		return false
	}
	var tests, others []*ast.File
	for i, f := range u.Files {
		if isTestFile(u.Names[i]) {
			tests = append(tests, f)
		} else {
			others = append(others, f)
		}
	}
	described := make([]testFile, len(tests))
	for i, f := range tests {
		described[i] = describeTest(f)
	}
	if len(others) == 0 || !addsOnly(described) {
		return false
	}
	heads := withoutBodies(others)
	for i := range u.Files {
		if !isTestFile(u.Names[i]) {
			u.Files[i], heads = heads[0], heads[1:]
		}
	}
	return true
}

// keepTests drops the files whose bodies were taken out, with the unused imports that this made.
func (u *Unit) keepTests() {
	var kept Unit
	for i, f := range u.Files {
		if isTestFile(u.Names[i]) {
			kept.Files, kept.Names, kept.Src = append(kept.Files, f), append(kept.Names, u.Names[i]), append(kept.Src, u.Src[i])
		}
	}
	u.Files, u.Names, u.Src = kept.Files, kept.Names, kept.Src
	u.Diags = slices.DeleteFunc(u.Diags, func(d Diag) bool { return d.Code == "UnusedImport" && !isTestFile(d.File) })
}

// newInfo makes an Info with all maps, of about the size that so many bytes of source fill.
func newInfo(size int) *types.Info {
	return &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue, size/14), Instances: map[*ast.Ident]types.Instance{},
		Defs: make(map[*ast.Ident]types.Object, size/60), Uses: make(map[*ast.Ident]types.Object, size/18),
		Implicits: map[ast.Node]types.Object{}, Selections: make(map[*ast.SelectorExpr]*types.Selection, size/70),
		Scopes: make(map[ast.Node]*types.Scope, size/120), FileVersions: map[*ast.File]string{},
	}
}

// diag makes a rule diagnostic for a range of the unit's syntax.
func (u *Unit) diag(pos, end token.Pos, code, msg string) Diag {
	d := Diag{Code: code, Msg: msg, Source: "rule"}
	u.place(&d, pos, end)
	return d
}

// size is the number of source bytes of the unit.
func (u *Unit) size() int {
	size := 0
	for _, src := range u.Src {
		size += len(src)
	}
	return size
}

// place fills in file and position, as they are in the file and not as //line has them.
func (u *Unit) place(d *Diag, pos, end token.Pos) {
	at := u.Fset.PositionFor(pos, false)
	d.File, d.Line, d.Col, d.Offset, d.End = at.Filename, at.Line, at.Column, at.Offset, at.Offset
	if end > pos {
		d.End += int(end - pos)
	}
}

// typeDiag turns an error of go/types into a diagnostic. An error that goes on with the one before is joined to it.
func (u *Unit) typeDiag(err types.Error) (Diag, bool) {
	if more, ok := strings.CutPrefix(err.Msg, "\t"); ok {
		if n := len(u.Diags); n > 0 {
			at := u.Fset.PositionFor(err.Pos, false)
			u.Diags[n-1].Msg += fmt.Sprintf(" (%s at %s:%d:%d)", more, at.Filename, at.Line, at.Column)
		}
		return Diag{}, false
	}
	d := Diag{Msg: err.Msg, Source: "types", Soft: err.Soft}
	inner := reflect.ValueOf(err)
	d.Code = codeName(int(inner.FieldByName("go116code").Int()))
	end := token.Pos(inner.FieldByName("go116end").Int())
	u.place(&d, err.Pos, end)
	return d, true
}

// tidy sorts diagnostics by file and position, drops repetitions, and drops what go/types says of an import that a
// rule or the go command explains better.
func tidy(diags []Diag) []Diag {
	explained := map[string]bool{}
	for _, d := range diags {
		if d.Source != "types" {
			explained[fmt.Sprint(d.File, d.Offset)] = true
		}
	}
	diags = slices.DeleteFunc(diags, func(d Diag) bool {
		return d.Code == "BrokenImport" && explained[fmt.Sprint(d.File, d.Offset)]
	})
	slices.SortStableFunc(diags, func(a, b Diag) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Code, b.Code))
	})
	return slices.CompactFunc(diags, func(a, b Diag) bool {
		return a.File == b.File && a.Offset == b.Offset && a.Code == b.Code && a.Msg == b.Msg
	})
}

// testLayer is what the external test of a package is compiled against: the package with its own tests, and anew
// every package between the two. It is made for one check and dropped.
type testLayer struct {
	view    *view
	pkg     *Package
	entries map[string]*entry
	between map[string]bool // whether a package imports pkg, directly or not
}

// testLayer makes the layer for p; without in-package tests it is the view itself.
func (v *view) testLayer(p *Package) *testLayer {
	l := &testLayer{v, p, map[string]*entry{}, map[string]bool{}}
	if len(p.TestGoFiles) > 0 {
		l.between[p.Path] = true
		l.entries[p.Path] = v.testEntry(p)
	}
	return l
}

// testEntry describes p [p.test].
func (v *view) testEntry(p *Package) *entry {
	return v.entryOf(v.check(UnitKey{p.Path, InTest}, false, v.importer(p)))
}

// testHash is the api hash of p [p.test].
func (v *view) testHash(p *Package) string {
	v.mu.Lock()
	hash, known := v.testHashes[p]
	v.mu.Unlock()
	if !known {
		hash = v.testEntry(p).api.hash
		if v.below != nil { // the base moves on while its packages stay
			v.mu.Lock()
			v.testHashes[p] = hash
			v.mu.Unlock()
		}
	}
	return hash
}

func (l *testLayer) importer(p *Package) importFunc {
	if len(l.entries) == 0 {
		return l.view.importer(p)
	}
	below := l.view.importer(p)
	return func(imp string) (*types.Package, error) {
		path := p.Resolve(imp)
		if !l.isBetween(path) {
			return below(imp)
		}
		if l.entries[path] == nil {
			q := l.view.graph.Packages[path]
			l.entries[path] = &entry{q, l.view.check(UnitKey{path, Primary}, false, l.importer(q)).Types, nil}
		}
		return l.entries[path].types, nil
	}
}

// isBetween says whether a package must be compiled anew for the test: it imports the package under test.
func (l *testLayer) isBetween(path string) bool {
	if known, ok := l.between[path]; ok {
		return known
	}
	q := l.view.graph.Packages[path]
	if q == nil || !q.Source {
		return false
	}
	l.between[path] = false // also ends cycles
	found := slices.ContainsFunc(q.Imports, func(imp string) bool { return l.isBetween(q.Resolve(imp)) })
	l.between[path] = found
	return found
}

// importsDeeply says whether the package at from imports target, directly or not, within the source set.
func (v *view) importsDeeply(from, target string) bool {
	l := &testLayer{view: v, between: map[string]bool{target: true}}
	return l.isBetween(from)
}

// fileResults lists the files of a unit with their content and resolution hashes.
func (u *Unit) fileResults(vectors []string) []FileResult {
	files := make([]FileResult, len(u.Names))
	for i, name := range u.Names {
		files[i] = FileResult{Path: name, Hash: contentHash(u.Src[i]), Vector: vectors[i]}
	}
	return files
}

// isTestFile tells files of the test variants by name.
func isTestFile(rel string) bool { return strings.HasSuffix(filepath.Base(rel), "_test.go") }

// primaryVectors knows the resolution hashes of primary units, to tell which files of a test variant differ.
type primaryVectors struct {
	mu    sync.Mutex
	files map[string]map[string]string // package -> file -> vector
}

func newPrimaryVectors() *primaryVectors {
	return &primaryVectors{files: map[string]map[string]string{}}
}

func (p *primaryVectors) note(key UnitKey, files []FileResult) {
	if key.Variant != Primary {
		return
	}
	byPath := make(map[string]string, len(files))
	for _, f := range files {
		byPath[f.Path] = f.Vector
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files[key.Pkg] = byPath
}

// has says that the primary unit has the file with this very hash.
func (p *primaryVectors) has(pkg string, f FileResult) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.files[pkg][f.Path] == f.Vector
}
