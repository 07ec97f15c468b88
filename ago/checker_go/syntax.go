package main

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"
)

// This file answers `syntax`: whether a fragment is Go, by the parser of the toolchain's own library.
//
// Invariant: positions are those of the fragment alone, and a fragment can't break out of the place it is meant for.

func init() { methods["syntax"] = (*server).handleSyntax }

type syntaxItem struct {
	Path string `json:"path"`
	Text string `json:"text"`
	Kind string `json:"kind"`
}

type syntaxAnswer struct {
	OK    bool   `json:"ok"`
	Diags []Diag `json:"diags"`
	// Normal is the canonical text of an expression or type.
	Normal string `json:"normal,omitempty"`
}

func (s *server) handleSyntax(r *request) (any, error) {
	var params struct {
		Items []syntaxItem `json:"items"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	items := make([]syntaxAnswer, len(params.Items))
	for i, item := range params.Items {
		kind, ok := fragments[item.Kind]
		if !ok {
			return nil, failf(badRequest, "syntax: no kind %q", item.Kind)
		}
		items[i] = kind.check(item)
	}
	return map[string]any{"items": items}, nil
}

// fragment is a kind of text and the file that it is put in for the parser: prefix and suffix surround it. whole finds
// the node that must cover all of the fragment; nil when the file as a whole is the fragment.
type fragment struct {
	prefix, suffix string
	whole          func(*ast.File) ast.Node
	normal         bool
	what           string
}

var fragments = map[string]fragment{
	"file":      {what: "a file"},
	"decl":      {prefix: "package p;", whole: anyDecl, what: "declarations"},
	"stmts":     {prefix: "package p;func _(){", suffix: "\n}", whole: onlyBody, what: "statements"},
	"expr":      {prefix: "package p;var _=", whole: onlyValue, normal: true, what: "an expression"},
	"type":      {prefix: "package p;var _ ", whole: onlyType, normal: true, what: "a type"},
	"signature": {prefix: "package p;var _ func", whole: onlyType, what: "a signature"},
}

func (k fragment) check(item syntaxItem) syntaxAnswer {
	if item.Kind == "signature" {
		if rest := strings.TrimLeft(item.Text, " \t\n"); strings.HasPrefix(rest, "func") {
			k.prefix = strings.TrimSuffix(k.prefix, "func")
		}
	}
	src := []byte(k.prefix + item.Text + k.suffix)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, item.Path, src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	answer := syntaxAnswer{Diags: []Diag{}}
	for _, d := range syntaxDiags(item.Path, src, err) {
		answer.Diags = append(answer.Diags, k.place(d, item.Text))
	}
	if err != nil {
		return answer
	}
	if k.whole == nil {
		answer.OK = true
		return answer
	}
	node := k.whole(f)
	end := len(k.prefix) + len(strings.TrimRight(item.Text, " \t\r\n;"))
	if node == nil || k.suffix == "" && k.normal && behind(src, int(node.End()-f.FileStart), end) ||
		k.suffix != "" && int(node.End()-f.FileStart) != len(src) {
		answer.Diags = append(answer.Diags, k.place(Diag{File: item.Path, Line: 1, Col: len(k.prefix) + 1, Offset: len(k.prefix),
			Code: "syntax", Msg: "this is not " + k.what, Source: "syntax"}, item.Text))
		return answer
	}
	answer.OK = true
	if k.normal {
		var out bytes.Buffer
		if format.Node(&out, fset, node) == nil {
			answer.Normal = out.String()
		}
	}
	return answer
}

// behind says that there is more than white space and comments between two offsets.
func behind(src []byte, from, to int) bool {
	if from >= to {
		return false
	}
	for _, x := range tokensOf(src[from:to]) {
		if x.tok != token.COMMENT {
			return true
		}
	}
	return false
}

// place moves a diagnostic from the file around a fragment into the fragment.
func (k fragment) place(d Diag, text string) Diag {
	if d.Line == 1 {
		d.Col = max(1, d.Col-len(k.prefix))
	}
	d.Offset = min(max(0, d.Offset-len(k.prefix)), len(text))
	d.End = d.Offset
	if lines := 1 + strings.Count(text, "\n"); d.Line > lines {
		d.Line, d.Col = lines, len(text)-strings.LastIndexByte(text, '\n')
	}
	return d
}

// anyDecl is the last of one or more declarations.
func anyDecl(f *ast.File) ast.Node {
	if len(f.Decls) == 0 {
		return nil
	}
	return f.Decls[len(f.Decls)-1]
}

// onlyBody is the body of the only function.
func onlyBody(f *ast.File) ast.Node {
	if len(f.Decls) != 1 {
		return nil
	}
	if fn, ok := f.Decls[0].(*ast.FuncDecl); ok && fn.Body != nil {
		return fn.Body
	}
	return nil
}

// onlySpec is the only var spec of the only declaration.
func onlySpec(f *ast.File) *ast.ValueSpec {
	if len(f.Decls) != 1 {
		return nil
	}
	d, ok := f.Decls[0].(*ast.GenDecl)
	if !ok || len(d.Specs) != 1 || d.Lparen.IsValid() {
		return nil
	}
	return d.Specs[0].(*ast.ValueSpec)
}

func onlyValue(f *ast.File) ast.Node {
	if s := onlySpec(f); s != nil && len(s.Values) == 1 {
		return s.Values[0]
	}
	return nil
}

func onlyType(f *ast.File) ast.Node {
	if s := onlySpec(f); s != nil && len(s.Values) == 0 && s.Type != nil {
		return s.Type
	}
	return nil
}
