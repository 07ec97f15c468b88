package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// This file gets the Go declarations of C names from cgo, through the go command.

// setUsesCgo makes go/types look C.name up in the declarations of _cgo_gotypes.go, so that the original files can be
// checked and positions stay right. The field has no public setter.
func setUsesCgo(conf *types.Config) {
	field := reflect.ValueOf(conf).Elem().FieldByName("go115UsesCgo")
	*(*bool)(field.Addr().UnsafePointer()) = true
}

// CgoTypes runs cgo for packages that import "C" and returns the path of _cgo_gotypes.go of each by import path; one
// that cgo or the C compiler could not process is absent. The files lie in the go command's build cache.
func (g *Graph) CgoTypes(paths []string) map[string]string {
	found := map[string]string{}
	if !g.Context.Cgo || !g.Context.CompilerPresent || len(paths) == 0 {
		return found
	}
	type compiled struct {
		ImportPath               string
		GoFiles, CompiledGoFiles []string
		Error                    *struct{ Err string }
	}
	args := append([]string{"list", "-e", "-compiled", "-json=ImportPath,GoFiles,CompiledGoFiles,Error", "--"}, paths...)
	list, err := decodeList[compiled](g.env.run(args...))
	if err != nil {
		return found
	}
	for _, p := range list {
		// The declarations are the first file after those that cgo leaves alone; in the build cache it has no telling name.
		if n := len(p.GoFiles); p.Error == nil && len(p.CompiledGoFiles) > n && filepath.IsAbs(p.CompiledGoFiles[n]) {
			found[p.ImportPath] = p.CompiledGoFiles[n]
		}
	}
	return found
}

// CgoSignature identifies what a file asks of cgo: the preambles of import "C" and the C names that it uses. While it
// stays, _cgo_gotypes.go of the base holds for the edited file as well.
func CgoSignature(src []byte) string {
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if tree == nil {
		return ""
	}
	var parts []string
	for _, decl := range tree.Decls {
		decl, ok := decl.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			continue
		}
		for _, spec := range decl.Specs {
			if spec := spec.(*ast.ImportSpec); spec.Path.Value == `"C"` {
				parts = append(parts, rawText(spec.Doc), rawText(decl.Doc))
			}
		}
	}
	names := map[string]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "C" {
				names[sel.Sel.Name] = true
			}
		}
		return true
	})
	for _, group := range tree.Comments {
		for _, comment := range group.List {
			if strings.HasPrefix(comment.Text, "//export ") {
				parts = append(parts, comment.Text)
			}
		}
	}
	sum := sha256.Sum256(fmt.Append(nil, slices.Concat(parts, sorted(names))))
	return hex.EncodeToString(sum[:8])
}

func rawText(group *ast.CommentGroup) string {
	if group == nil {
		return ""
	}
	var lines []string
	for _, comment := range group.List {
		lines = append(lines, comment.Text)
	}
	return strings.Join(lines, "\n")
}
