package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"
)

// This file makes checked units from texts, for the tests of facts and comparisons.

// sources maps an import path and file name ("p/a.go") to a text.
type sources map[string]string

// universeOf checks the packages of s by path; imports are looked up in s, then in the standard library.
type testUniverse struct {
	t     *testing.T
	fset  *token.FileSet
	src   sources
	units map[string]*Unit
	std   types.Importer
}

var stdFset = token.NewFileSet()
var stdImporter = importer.ForCompiler(stdFset, "source", nil)

func checkSources(t *testing.T, src sources) map[string]*Unit {
	t.Helper()
	u := &testUniverse{t, stdFset, src, map[string]*Unit{}, stdImporter}
	for _, name := range slices.Sorted(maps.Keys(src)) {
		u.unit(name[:strings.LastIndexByte(name, '/')])
	}
	return u.units
}

func (u *testUniverse) Import(path string) (*types.Package, error) {
	if unit := u.unit(path); unit != nil {
		return unit.Types, nil
	}
	return u.std.Import(path)
}

func (u *testUniverse) unit(path string) *Unit {
	if unit, ok := u.units[path]; ok {
		return unit
	}
	unit := &Unit{Key: UnitKey{Pkg: path}, Path: path, Pkg: &Package{Path: path, Workspace: true, Source: true}, Fset: u.fset}
	for _, name := range slices.Sorted(maps.Keys(u.src)) {
		if name[:strings.LastIndexByte(name, '/')] != path {
			continue
		}
		f, err := parser.ParseFile(u.fset, name, u.src[name], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			u.t.Fatal(err)
		}
		unit.Files = append(unit.Files, f)
		unit.Names = append(unit.Names, name)
		unit.Src = append(unit.Src, []byte(u.src[name]))
	}
	if len(unit.Files) == 0 {
		return nil
	}
	unit.Info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{}}
	conf := types.Config{Importer: u, Error: func(err error) { unit.Diags = append(unit.Diags, Diag{Msg: err.Error()}) }}
	unit.Types, _ = conf.Check(path, u.fset, unit.Files, unit.Info)
	u.units[path] = unit
	return unit
}

// graphOf is a graph of the checked packages.
func graphOf(units map[string]*Unit) *Graph {
	g := &Graph{Packages: map[string]*Package{}}
	for path, u := range units {
		g.Packages[path] = u.Pkg
	}
	return g
}

// spansOf finds the surviving pieces between two texts for tests: the longest common runs of lines.
func spansOf(base, cand string) [][3]int {
	a, b := strings.SplitAfter(base, "\n"), strings.SplitAfter(cand, "\n")
	n, m := len(a), len(b)
	lcs := make([][]int, n+1)
	for i := range lcs {
		lcs[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			}
		}
	}
	var spans [][3]int
	offA, offB := 0, 0
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[i] == b[j]:
			spans = append(spans, [3]int{offA, offB, len(a[i])})
			offA, offB = offA+len(a[i]), offB+len(b[j])
			i, j = i+1, j+1
		case lcs[i+1][j] >= lcs[i][j+1]:
			offA += len(a[i])
			i++
		default:
			offB += len(b[j])
			j++
		}
	}
	return spans
}

// wordSpans finds the pieces between two texts that differ in single words of their lines.
func wordSpans(base, cand string) [][3]int {
	a, b := tokensOf([]byte(base)), tokensOf([]byte(cand))
	if len(a) != len(b) {
		return spansOf(base, cand)
	}
	var spans [][3]int
	for i := range a {
		if a[i].tok == b[i].tok && string(a[i].text) == string(b[i].text) {
			spans = append(spans, [3]int{a[i].off, b[i].off, len(a[i].text)})
		}
	}
	return spans
}
