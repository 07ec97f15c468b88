package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// This file holds the compiler's rules about //go: directives, file by file.
//
// The compiler collects the directives before a declaration and hands them to it; a directive that the declaration does
// not take, or that stands where none is due, is misplaced.

// funcDirectives are those that a function takes.
var funcDirectives = []string{
	"go:noescape", "go:norace", "go:nosplit", "go:noinline", "go:nocheckptr", "go:systemstack", "go:nowritebarrier",
	"go:nowritebarrierrec", "go:yeswritebarrierrec", "go:cgo_unsafe_args", "go:uintptrkeepalive", "go:uintptrescapes",
	"go:registerparams",
}

// runtimeDirectives are those that only the runtime may use.
var runtimeDirectives = []string{"go:systemstack", "go:nowritebarrier", "go:nowritebarrierrec", "go:yeswritebarrierrec"}

// directive is a comment of the form //go:verb args.
type directive struct {
	*ast.Comment
	verb string
	args []string
	text string // without the slashes
}

// directivesOf lists the directives of a file that start their line.
func directivesOf(f *ast.File) []directive {
	var found []directive
	for _, group := range f.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, "//go:")
			if !ok {
				continue
			}
			fields := strings.Fields(text)
			if len(fields) == 0 || strings.HasPrefix(text, " ") {
				continue
			}
			found = append(found, directive{c, "go:" + fields[0], fields[1:], "go:" + text})
		}
	}
	return found
}

// directives checks form and place of the directives of every file.
func (r *rules) directives() {
	for i, f := range r.unit.Files {
		if !r.skips(i) {
			for _, d := range directivesOf(f) {
				r.directive(f, r.unit.Src[i], d)
			}
		}
	}
}

// skips says that the primary unit reports the file already.
func (r *rules) skips(i int) bool {
	return r.unit.Key.Variant == InTest && !isTestFile(r.unit.Names[i])
}

func (r *rules) directive(f *ast.File, src []byte, d directive) {
	if !startsLine(f, src, d.Pos()) {
		if d.verb != "go:generate" && d.verb != "go:fix" {
			r.misplaced(d)
		}
		return
	}
	switch {
	case d.verb == "go:linkname", d.verb == "go:embed", d.verb == "go:generate", d.verb == "go:debug", d.verb == "go:fix":
		return // linknames and embeds have rules of their own
	case d.verb == "go:wasmimport" || d.verb == "go:wasmexport":
		r.wasm(f, d)
	case d.verb == "go:build":
		if d.Pos() > f.Package {
			r.misplaced(d)
		}
	case strings.HasPrefix(d.verb, "go:cgo_") && !strings.HasPrefix(d.verb, "go:cgo_import_dynamic"):
		r.add(d.Pos(), d.End(), "cgo_directive", "//%s only allowed in cgo-generated code", d.text)
	case slices.Contains(funcDirectives, d.verb):
		r.funcDirective(f, d)
	}
}

func (r *rules) misplaced(d directive) {
	r.add(d.Pos(), d.End(), "misplaced_directive", "misplaced compiler directive")
}

// funcDirective checks a directive that belongs before a function.
func (r *rules) funcDirective(f *ast.File, d directive) {
	if slices.Contains(runtimeDirectives, d.verb) {
		r.add(d.Pos(), d.End(), "runtime_directive", "//%s only allowed in runtime", d.verb)
		return
	}
	if d.verb == "go:uintptrkeepalive" {
		r.add(d.Pos(), d.End(), "runtime_directive", "//%s is only allowed in the standard library", d.verb)
		return
	}
	fn, ok := receiverOf(f, d.Pos()).(*ast.FuncDecl)
	switch {
	case !ok:
		r.misplaced(d)
	case d.verb == "go:noescape" && fn.Body != nil:
		r.add(fn.Name.Pos(), fn.Name.End(), "noescape_with_body",
			"can only use //go:noescape with external func implementations")
	}
}

// wasm checks //go:wasmimport and //go:wasmexport, whose form holds everywhere and whose place only on wasm.
func (r *rules) wasm(f *ast.File, d directive) {
	if want := map[string]int{"go:wasmimport": 2, "go:wasmexport": 1}[d.verb]; len(d.args) != want {
		usage := map[string]string{"go:wasmimport": "importmodule importname", "go:wasmexport": "exportname"}[d.verb]
		r.add(d.Pos(), d.End(), "directive_form", "usage: //%s %s", d.verb, usage)
		return
	}
	if r.view.graph.Context.GOARCH != "wasm" {
		return
	}
	fn, ok := receiverOf(f, d.Pos()).(*ast.FuncDecl)
	switch {
	case !ok:
		r.add(d.Pos(), d.End(), "misplaced_directive", "misplaced %s directive", d.verb)
	case d.verb == "go:wasmimport" && fn.Body != nil:
		r.add(fn.Name.Pos(), fn.Name.End(), "wasmimport_with_body",
			"can only use //go:wasmimport with external func implementations")
	}
}

// startsLine says that only blanks stand before pos on its line.
func startsLine(f *ast.File, src []byte, pos token.Pos) bool {
	for i := int(pos-f.FileStart) - 1; i >= 0 && src[i] != '\n'; i-- {
		if src[i] != ' ' && src[i] != '\t' && src[i] != '\r' {
			return false
		}
	}
	return true
}

// receiverOf is the declaration that takes a directive at pos: the first taker behind it, nil where the compiler has
// thrown the directive away before.
func receiverOf(f *ast.File, pos token.Pos) ast.Node {
	first := taker{pos: f.FileEnd}
	for _, t := range takersOf(f) {
		if t.pos > pos && t.pos < first.pos {
			first = t
		}
	}
	return first.node
}

// taker is a place where the compiler hands over the directives that it has collected: to a declaration, or to nobody.
type taker struct {
	pos  token.Pos
	node ast.Node // *ast.FuncDecl, ast.Spec, *ast.File or nil
}

func takersOf(f *ast.File) []taker {
	takers := []taker{{f.Package, f}}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			takers = append(takers, taker{n.Type.Func, n}, taker{n.End() - 1, nil})
		case *ast.GenDecl:
			if n.Lparen.IsValid() {
				takers = append(takers, taker{n.Lparen, nil})
			}
			for _, spec := range n.Specs {
				takers = append(takers, taker{spec.Pos(), spec})
			}
			takers = append(takers, taker{n.End() - 1, nil})
		case *ast.DeclStmt:
		case ast.Stmt:
			takers = append(takers, taker{n.Pos(), nil}, taker{n.End() - 1, nil})
		}
		return true
	})
	return takers
}

// linknames checks //go:linkname: form, unsafe, target, duplicates.
func (r *rules) linknames() {
	r.linked = map[string]bool{}
	scope := r.unit.Types.Scope()
	for i, f := range r.unit.Files {
		for _, d := range directivesOf(f) {
			if d.verb != "go:linkname" || !startsLine(f, r.unit.Src[i], d.Pos()) {
				continue
			}
			if code, msg := r.linkname(f, d, scope); code != "" && !r.skips(i) {
				r.add(d.Pos(), d.End(), code, "%s", msg)
			}
		}
	}
}

func (r *rules) linkname(f *ast.File, d directive, scope *types.Scope) (code, msg string) {
	if len(d.args) != 1 && len(d.args) != 2 {
		return "linkname_form", "usage: //go:linkname localname [linkname]"
	}
	// The file that cgo makes of one with import "C" imports unsafe.
	if !importsPath(f, "unsafe") && !importsPath(f, "C") {
		return "linkname_without_unsafe", "//go:linkname only allowed in Go files that import \"unsafe\""
	}
	if len(d.args) == 2 && strings.Contains(d.args[1], "[") && strings.Contains(d.args[1], "]") {
		return "linkname_form", "//go:linkname reference of an instantiation is not allowed"
	}
	switch scope.Lookup(d.args[0]).(type) {
	case *types.Func, *types.Var:
	default:
		return "linkname_target", "//go:linkname must refer to declared function or variable"
	}
	if r.linked[d.args[0]] {
		return "linkname_duplicate", "duplicate //go:linkname for " + d.args[0]
	}
	r.linked[d.args[0]] = true
	return "", ""
}

// debugSettings checks //go:debug: where it may stand and what it may set.
func (r *rules) debugSettings() {
	for i, f := range r.unit.Files {
		if r.skips(i) {
			continue
		}
		for _, d := range directivesOf(f) {
			if d.verb != "go:debug" {
				continue
			}
			switch {
			case f.Name.Name != "main" && !isTestFile(r.unit.Names[i]):
				r.add(d.Pos(), d.End(), "debug_place", "//go:debug directive only valid in package main or test")
			case d.Pos() > f.Package:
				r.add(d.Pos(), d.End(), "debug_place", "//go:debug directive only valid before package declaration")
			default:
				if msg := debugProblem(r.view.graph.Context, strings.TrimSpace(strings.TrimPrefix(d.text, "go:debug"))); msg != "" {
					r.add(d.Pos(), d.End(), "debug_setting", "%s", msg)
				}
			}
		}
	}
}

var settingName = regexp.MustCompile(`\{Name: "([^"]+)"`)

// debugProblem checks key=value against the settings that this Go knows; it is silent when Go's table can't be read.
func debugProblem(ctx Context, setting string) string {
	key, value, ok := strings.Cut(setting, "=")
	switch {
	case !ok:
		return "missing key=value"
	case strings.ContainsAny(key, " \t") || strings.ContainsAny(value, " \t"):
		return "key or value contains space"
	case strings.Contains(key, ",") || strings.Contains(value, ","):
		return "key or value contains comma"
	case key == "default":
		if !strings.HasPrefix(value, "go1.") {
			return "value for default= must be goVERSION"
		}
		return ""
	}
	table, err := os.ReadFile(filepath.Join(ctx.GOROOT, "src/internal/godebugs/table.go"))
	if err != nil {
		return ""
	}
	all, _, _ := strings.Cut(string(table), "var Removed")
	for _, match := range settingName.FindAllStringSubmatch(all, -1) {
		if match[1] == key {
			return ""
		}
	}
	return "unknown //go:debug setting \"" + key + "\""
}
