package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// This file compares what no single identifier shows: what other code asks types for at run time, and the order of
// initialisation. The methods of one type are compared in compare_methods.go.

// standardMethods are the methods by which the standard library finds out at run time what a value can do.
var standardMethods = []string{
	"As", "Close", "Error", "Flush", "Format", "GoString", "GobDecode", "GobEncode", "Is", "IsZero", "Len", "Less",
	"LogValue", "MarshalBinary", "MarshalJSON", "MarshalText", "MarshalXML", "MarshalXMLAttr", "MarshalYAML", "Read",
	"ReadFrom", "Scan", "ServeHTTP", "String", "Swap", "Temporary", "Timeout", "UnmarshalBinary", "UnmarshalJSON",
	"UnmarshalText", "UnmarshalXML", "UnmarshalXMLAttr", "UnmarshalYAML", "Unwrap", "Value", "Write", "WriteString",
	"WriteTo",
}

// compareTypes reports, for each type in both units, methods that it gained or lost, whether they are asked for at run
// time, and promoted methods that another method took the place of.
func (c *comparison) compareTypes() {
	before, after := askedFor(&c.base), askedFor(&c.cand)
	candTypes := map[address]*types.TypeName{}
	for _, tn := range declaredTypes(c.cand.Types) {
		candTypes[c.cand.meanings.names.address(tn)] = tn
	}
	for _, old := range declaredTypes(c.base.Types) {
		if now := candTypes[c.base.meanings.names.address(old)]; now != nil {
			c.compareMethods(old, now, before, after)
		}
	}
	c.compareInterfaces()
}

// declaredTypes lists the package-level defined types that are no interfaces.
func declaredTypes(pkg *types.Package) []*types.TypeName {
	var list []*types.TypeName
	for _, name := range pkg.Scope().Names() {
		if tn, ok := pkg.Scope().Lookup(name).(*types.TypeName); ok && !tn.IsAlias() && !types.IsInterface(tn.Type()) {
			list = append(list, tn)
		}
	}
	return list
}

// askers are the signatures by which methods are asked for at run time, by their names; anySignature for a method of the
// standard library's interfaces.
type askers map[string][]string

const anySignature = ""

// askedFor finds the methods of the interfaces that values are asserted to in a unit.
func askedFor(s *side) askers {
	asked := askers{}
	for _, name := range standardMethods {
		asked[name] = []string{anySignature}
	}
	for _, f := range s.Files {
		for e := range assertedTypes(f) {
			t := s.Info.TypeOf(e)
			if t == nil {
				continue
			}
			if i, ok := t.Underlying().(*types.Interface); ok {
				for m := range i.Methods() {
					asked[m.Name()] = append(asked[m.Name()], s.meanings.types.text(m.Type()))
				}
			}
		}
	}
	return asked
}

// wants says that somebody asks for a method.
func (a askers) wants(name, sig string) bool {
	return slices.Contains(a[name], anySignature) || slices.Contains(a[name], sig)
}

// assertedTypes yields the types of type assertions and type-switch cases.
func assertedTypes(f *ast.File) func(yield func(ast.Expr) bool) {
	return func(yield func(ast.Expr) bool) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeAssertExpr:
				return n.Type == nil || yield(n.Type)
			case *ast.TypeSwitchStmt:
				for _, s := range n.Body.List {
					for _, e := range s.(*ast.CaseClause).List {
						if !yield(e) {
							return false
						}
					}
				}
			}
			return true
		})
	}
}

// initialiser is a step of package initialisation that can have effects.
type initialiser struct {
	key  string
	name string
	pos  token.Pos
}

// compareInit reports the first initialiser, and the first init function, that comes at another place among those that
// are in both units.
func (c *comparison) compareInit() {
	for _, steps := range []func(*side) []initialiser{initialisers, initFuncs} {
		before, after := common(steps(&c.base), steps(&c.cand)), common(steps(&c.cand), steps(&c.base))
		if c.across && !c.whole {
			c.reportMoved(before, after)
		} else {
			c.compareOrder(before, after)
		}
	}
}

// reportMoved reports the steps that run with another package now.
func (c *comparison) reportMoved(before, after []initialiser) {
	for _, was := range before {
		k := slices.IndexFunc(after, func(now initialiser) bool { return now.key == was.key })
		i, off := c.base.files.find(was.pos)
		j, to := c.cand.files.find(after[k].pos)
		if i >= 0 && j >= 0 {
			c.report("init_order", was.name, "run with "+c.base.Types.Path(), "run with "+c.cand.Types.Path(), passage{i, off, j, to})
		}
	}
}

func (c *comparison) compareOrder(before, after []initialiser) {
	for k := range before {
		if k >= len(after) || before[k].key == after[k].key {
			continue
		}
		i, off := c.base.files.find(before[k].pos)
		for _, now := range after {
			if now.key == before[k].key && i >= 0 {
				j, to := c.cand.files.find(now.pos)
				c.report("init_order", now.name, orderText(before), orderText(after), passage{i, off, j, to})
				break
			}
		}
		return
	}
}

func orderText(list []initialiser) string {
	names := make([]string, len(list))
	for i, in := range list {
		names[i] = in.name
	}
	return strings.Join(names, " ")
}

// common keeps the initialisers of a that are in b.
func common(a, b []initialiser) []initialiser {
	in := map[string]bool{}
	for _, x := range b {
		in[x.key] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(x initialiser) bool { return !in[x.key] })
}

// initialisers lists the variables whose initialisation calls a function or receives, in order.
func initialisers(s *side) []initialiser {
	var list []initialiser
	for _, in := range s.Info.InitOrder {
		if !hasEffects(s.Info, in.Rhs) {
			continue
		}
		lhs := in.Lhs[0]
		for _, v := range in.Lhs {
			if v.Name() != "_" {
				lhs = v
				break
			}
		}
		list = append(list, initialiser{s.meanings.names.key(lhs), lhs.Name(), lhs.Pos()})
	}
	return list
}

// pureFuncs are functions of the standard library that do nothing but make their result, by package; "*" for all of a
// package that are no methods.
var pureFuncs = map[string][]string{
	"errors": {"*"}, "strings": {"*"}, "strconv": {"*"}, "math": {"*"}, "math/bits": {"*"}, "unicode": {"*"},
	"unicode/utf8": {"*"}, "path": {"*"}, "net/netip": {"*"}, "bytes": {"*"}, "time": {"Date", "Unix", "UnixMilli"},
	"fmt": {"Errorf", "Sprint", "Sprintf", "Sprintln"}, "regexp": {"MustCompile", "MustCompilePOSIX"},
	"path/filepath": {"Base", "Clean", "Dir", "Ext", "FromSlash", "Join", "ToSlash"},
	"net":           {"CIDRMask", "IPv4", "IPv4Mask", "ParseIP"}, "reflect": {"TypeFor", "TypeOf", "ValueOf"},
	"math/big": {"NewFloat", "NewInt", "NewRat"}, "sync": {"NewCond"}, "context": {"Background"},
}

// isPure says that a call can be made earlier or later without any difference.
func isPure(info *types.Info, call *ast.CallExpr) bool {
	if tv := info.Types[call.Fun]; tv.IsType() || tv.IsBuiltin() {
		return true
	}
	fn, ok := calledObject(info, call).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
		return false
	}
	names := pureFuncs[fn.Pkg().Path()]
	return slices.Contains(names, "*") || slices.Contains(names, fn.Name())
}

// hasEffects says that evaluating e calls a function that may have an effect, or receives from a channel.
func hasEffects(info *types.Info, e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // when it is called, the call was met before
		case *ast.CallExpr:
			found = found || !isPure(info, n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// initFuncs lists the init functions in the order they run: by file name, then by position.
func initFuncs(s *side) []initialiser {
	order := make([]int, len(s.Files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(s.Names[a], s.Names[b]) })
	var list []initialiser
	for _, i := range order {
		for _, d := range s.Files[i].Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				where := s.Names[i] + ":" + strconv.Itoa(s.Fset.PositionFor(fn.Pos(), false).Line)
				list = append(list, initialiser{s.meanings.at(fn.Name.Pos(), "init"), where, fn.Name.Pos()})
			}
		}
	}
	return list
}
