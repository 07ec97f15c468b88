package main

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// This file finds references that stand outside Go's grammar: go:linkname and export directives, assembly and C.
//
// Invariant: the words of a go:embed directive are file patterns, never references.

// asmSymbol matches a symbol of the package's own in assembly: ·name, with nothing or "" before the dot.
var asmSymbol = regexp.MustCompile(`(?:^|[^\pL\pN_/.∕])·([\pL_][\pL\pN_]*)`)

// cWord matches an identifier of C.
var cWord = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// assemblyNames finds the package-level names of a unit that its .s files refer to, and those of its //export functions
// that its C text speaks of.
func assemblyNames(u *Unit) map[string]bool {
	names := map[string]bool{}
	exported := exportedNames(u)
	inC := func(text string) {
		for _, w := range cWord.FindAllString(text, -1) {
			if exported[w] {
				names[w] = true
			}
		}
	}
	if len(exported) > 0 {
		for _, f := range u.Files {
			inC(preamble(f))
		}
	}
	for _, name := range u.Pkg.OtherFiles {
		isAssembly := strings.HasSuffix(name, ".s")
		if !isAssembly && len(exported) == 0 {
			continue
		}
		text, err := os.ReadFile(filepath.Join(u.Pkg.Dir, name))
		if err != nil {
			continue // a file that vanished is the load's business
		}
		if !isAssembly {
			inC(string(text))
			continue
		}
		for _, m := range asmSymbol.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
	}
	return names
}

// exportedNames are the functions that a unit gives to C.
func exportedNames(u *Unit) map[string]bool {
	names := map[string]bool{}
	for _, f := range u.Files {
		for _, g := range f.Comments {
			for _, c := range g.List {
				if rest, ok := strings.CutPrefix(c.Text, "//export "); ok {
					names[firstField(rest)] = true
				}
			}
		}
	}
	return names
}

// preamble is the C text of a file: the comment above import "C".
func preamble(f *ast.File) string {
	var text strings.Builder
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			break
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ImportSpec)
			for _, doc := range []*ast.CommentGroup{g.Doc, spec.Doc} {
				if spec.Path.Value == `"C"` && doc != nil {
					for _, c := range doc.List {
						text.WriteString(c.Text + "\n")
					}
				}
			}
		}
	}
	return text.String()
}

// directiveFacts adds the references of go:linkname and export directives.
func (x *extraction) directiveFacts() {
	for _, g := range x.syntax.Comments {
		for _, c := range g.List {
			switch {
			case strings.HasPrefix(c.Text, "//go:linkname "):
				x.linkname(c)
			case strings.HasPrefix(c.Text, "//export "):
				x.directiveWord(c, len("//export "))
			}
		}
	}
}

// linkname adds the local name of //go:linkname local path.name, and the target when it is in the workspace.
func (x *extraction) linkname(c *ast.Comment) {
	at := x.directiveWord(c, len("//go:linkname "))
	rest := c.Text[at:]
	at += len(rest) - len(strings.TrimLeft(rest, " \t"))
	target := firstField(c.Text[at:])
	dot := strings.LastIndexByte(target, '.')
	if dot <= strings.LastIndexByte(target, '/') || x.g == nil {
		return
	}
	if p := x.g.Packages[target[:dot]]; p != nil && p.Workspace {
		x.use(x.intern(address{p.Path, target[dot+1:]}), c.Slash+token.Pos(at+dot+1), len(target)-dot-1, "directive", -1, 0)
	}
}

// directiveWord adds the object that the first word behind offset at names, and returns where the word ends.
func (x *extraction) directiveWord(c *ast.Comment, at int) int {
	rest := c.Text[at:]
	at += len(rest) - len(strings.TrimLeft(rest, " \t"))
	word := firstField(c.Text[at:])
	x.docRow(x.u.Types.Scope().Lookup(word), c.Slash+token.Pos(at), word, "directive", -1)
	return at + len(word)
}

func firstField(s string) string {
	if fields := strings.Fields(s); len(fields) > 0 {
		return fields[0]
	}
	return ""
}
