package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file and its neighbours rules_*.go check what go/types leaves to the compiler, the linker and the go command.
//
// Invariant: a rule reports only what a Go tool refuses; its test names the command that does.

// ruleDiags runs every rule over a unit that was checked with bodies.
func ruleDiags(v *view, u *Unit) []Diag {
	r := &rules{view: v, unit: u}
	r.imports()
	r.listProblems()
	r.mainFunction()
	r.linknames()
	r.bodies()
	r.directives()
	r.embeds()
	r.debugSettings()
	r.tests()
	r.sizes()
	r.interfaceCycles()
	return r.diags
}

// rules collects the findings of one unit.
type rules struct {
	view  *view
	unit  *Unit
	diags []Diag
	// linked are the functions and variables that a linkname directive names.
	linked map[string]bool
}

func (r *rules) add(pos, end token.Pos, code, format string, args ...any) {
	r.diags = append(r.diags, r.unit.diag(pos, end, code, fmt.Sprintf(format, args...)))
}

// listProblems repeats what the graph found about the files of the unit's package.
func (r *rules) listProblems() {
	p := r.unit.Pkg
	first := unitKeys(p)[0] == r.unit.Key
	for _, d := range p.Problems {
		if first {
			r.diags = append(r.diags, d)
		}
	}
	if len(r.unit.Files) == 0 || !first {
		return
	}
	at := r.unit.Files[0].Name
	folded := map[string]string{}
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles, p.OtherFiles) {
		if other, ok := folded[strings.ToLower(name)]; ok {
			r.add(at.Pos(), at.End(), "file_case_collision", "case-insensitive file name collision: %q and %q", other, name)
		}
		folded[strings.ToLower(name)] = name
	}
	if len(p.CgoFiles) > 0 {
		return
	}
	for _, name := range p.OtherFiles {
		if slices.Contains(foreignSources, filepath.Ext(name)) {
			r.add(at.Pos(), at.End(), "c_without_cgo", "C source files not allowed when not using cgo or SWIG: %s", name)
		}
	}
}

// foreignSources are the extensions that the go command compiles only beside cgo files.
var foreignSources = []string{".c", ".cc", ".cpp", ".cxx", ".m", ".f", ".F", ".for", ".f90"}

// mainFunction wants func main in a command: only the linker would miss it.
func (r *rules) mainFunction() {
	u := r.unit
	if u.Types.Name() != "main" || u.Key.Variant != Primary || len(u.Files) == 0 {
		return
	}
	if _, ok := u.Types.Scope().Lookup("main").(*types.Func); !ok {
		at := u.Files[0].Name
		r.add(at.Pos(), at.End(), "no_main", "function main is undeclared in the main package")
	}
}

// bodies wants a body for every function, unless something outside Go could define it.
func (r *rules) bodies() {
	p := r.unit.Pkg
	if r.unit.Key.Variant != XTest && len(p.CgoFiles)+len(p.OtherFiles) > 0 && r.definesOutside() {
		return
	}
	for _, f := range r.unit.Files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body != nil || fn.Type.TypeParams != nil || fn.Recv == nil && (fn.Name.Name == "init" || r.linked[fn.Name.Name]) {
				continue
			}
			if fn.Recv == nil && fn.Name.Name == "main" && r.unit.Types.Name() == "main" {
				continue // go/types reports it
			}
			if fn.Name.Name != "_" && !r.hasWasmImport(fn) {
				r.add(fn.Name.Pos(), fn.Name.End(), "bodyless_func", "missing function body")
			}
		}
	}
}

// definesOutside says that the compiler is told not to expect every body.
func (r *rules) definesOutside() bool {
	return len(r.unit.Pkg.CgoFiles) > 0 || slices.ContainsFunc(r.unit.Pkg.OtherFiles, func(name string) bool {
		return !slices.Contains([]string{".h", ".hh", ".hpp", ".hxx"}, filepath.Ext(name))
	})
}

func (r *rules) hasWasmImport(fn *ast.FuncDecl) bool {
	return r.view.graph.Context.GOARCH == "wasm" && fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool {
		return strings.HasPrefix(c.Text, "//go:wasmimport ")
	})
}

// tests wants the signatures that the generated test main needs.
func (r *rules) tests() {
	if r.unit.Key.Variant == Primary {
		return
	}
	for i, f := range r.unit.Files {
		if !isTestFile(r.unit.Names[i]) {
			continue
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil {
				r.testFunction(fn)
			}
		}
	}
	r.twoTestMains()
}

func (r *rules) testFunction(fn *ast.FuncDecl) {
	name := fn.Name.Name
	arg := ""
	switch {
	case name == "TestMain" && takesPointerTo(fn, "T"):
	case name == "TestMain":
		arg = "M"
	case isTestName(name, "Test"):
		arg = "T"
	case isTestName(name, "Benchmark"):
		arg = "B"
	case isTestName(name, "Fuzz"):
		arg = "F"
	}
	switch {
	case arg == "":
	case fn.Type.TypeParams.NumFields() > 0:
		r.add(fn.Name.Pos(), fn.Name.End(), "test_signature",
			"wrong signature for %s, test functions cannot have type parameters", name)
	case !takesPointerTo(fn, arg):
		r.add(fn.Name.Pos(), fn.Name.End(), "test_signature", "wrong signature for %s, must be: func %s(%s *testing.%s)",
			name, name, strings.ToLower(arg), arg)
	}
}

// takesPointerTo says that the function has no result and one parameter of type *arg or *x.arg, as go test reads it.
func takesPointerTo(fn *ast.FuncDecl, arg string) bool {
	params := fn.Type.Params.List
	if fn.Type.Results.NumFields() > 0 || len(params) != 1 || len(params[0].Names) > 1 {
		return false
	}
	ptr, ok := params[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := ptr.X.(type) {
	case *ast.Ident:
		return x.Name == arg
	case *ast.SelectorExpr:
		return x.Sel.Name == arg
	}
	return false
}

// isTestName says that the go command takes name for a test of the kind: no lower-case letter follows the prefix.
func isTestName(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLower(first)
}

// twoTestMains finds a TestMain in both test packages of a folder; in one alone go/types finds the second.
func (r *rules) twoTestMains() {
	p := r.unit.Pkg
	if r.unit.Key.Variant != XTest || len(p.TestGoFiles) == 0 {
		return
	}
	mine := findTestMain(r.unit.Files)
	if mine == nil {
		return
	}
	for _, rel := range r.view.graph.Files(p, InTest) {
		if isTestFile(rel) && findTestMain([]*ast.File{r.view.parse(rel).ast}) != nil {
			r.add(mine.Name.Pos(), mine.Name.End(), "two_test_mains", "multiple definitions of TestMain")
			return
		}
	}
}

func findTestMain(files []*ast.File) *ast.FuncDecl {
	for _, f := range files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fn.Recv == nil && fn.Name.Name == "TestMain" && !takesPointerTo(fn, "T") {
				return fn
			}
		}
	}
	return nil
}

// importPath is the path of an import spec, "" when it can't be read.
func importPath(spec *ast.ImportSpec) string {
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	return path
}
