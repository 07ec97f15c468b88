package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
)

// This file spares in-package tests a second check of the bodies of the files under test.
//
// Where the test files can't change what a body in the other files means, those bodies are checked in the primary
// unit alone, and the test unit consists of the test files.

// testFile is what addsOnly must know of a test file.
type testFile struct {
	types, receivers map[string]bool
	// reaches says that the file can change what others mean by itself: it hides a predeclared name, imports with a dot, or
	// has a variable whose initialiser may run code of the package.
	reaches bool
}

// addsOnly says that test files leave the meaning of the other files' bodies alone: they declare no method on a type of
// those files, nothing that hides a predeclared name, and no variable whose initialiser may run code of the package
// (the order of initialisation follows references through bodies).
func addsOnly(tests []testFile) bool {
	own := map[string]bool{}
	for _, t := range tests {
		maps.Copy(own, t.types)
	}
	return !slices.ContainsFunc(tests, func(t testFile) bool {
		for receiver := range t.receivers {
			if !own[receiver] {
				return true
			}
		}
		return t.reaches
	})
}

func describeTest(f *ast.File) testFile {
	t := testFile{map[string]bool{}, map[string]bool{}, false}
	imported := map[string]bool{}
	for _, spec := range f.Imports {
		t.reaches = t.reaches || spec.Name != nil && spec.Name.Name == "."
		imported[importedName(spec)] = true
	}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			if fn.Recv != nil {
				t.receivers[receiverName(fn)] = true
			} else {
				t.reaches = t.reaches || isPredeclared(fn.Name)
			}
		}
	}
	eachSpec(f, func(spec ast.Spec) {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			t.types[spec.Name.Name] = true
			t.reaches = t.reaches || isPredeclared(spec.Name)
		case *ast.ValueSpec:
			t.reaches = t.reaches || slices.ContainsFunc(spec.Names, isPredeclared) ||
				slices.ContainsFunc(spec.Values, func(value ast.Expr) bool { return runsOwnCode(value, imported) })
		}
	})
	return t
}

func eachSpec(f *ast.File, visit func(ast.Spec)) {
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range gen.Specs {
				visit(spec)
			}
		}
	}
}

func isPredeclared(id *ast.Ident) bool { return types.Universe.Lookup(id.Name) != nil }

// runsOwnCode says that evaluating an expression may call a function of the package by name: it calls anything but a name
// of an import, by the likely name of that. What (*T)(x) names is a type or a variable.
func runsOwnCode(expr ast.Expr, imported map[string]bool) bool {
	found := false
	ast.Inspect(expr, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			sel, qualified := call.Fun.(*ast.SelectorExpr)
			var x *ast.Ident
			if qualified {
				x, qualified = sel.X.(*ast.Ident)
			}
			_, pointer := ast.Unparen(call.Fun).(*ast.StarExpr)
			found = found || !pointer && (!qualified || !imported[x.Name])
		}
		return !found
	})
	return found
}

// importedName is the name that an import most likely introduces.
func importedName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return path.Base(importPath(spec))
}

// withoutBodies copies files with empty function bodies, which end nowhere so that no result is missed.
func withoutBodies(files []*ast.File) []*ast.File {
	copies := make([]*ast.File, len(files))
	for i, f := range files {
		c := *f
		c.Decls = make([]ast.Decl, len(f.Decls))
		for j, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				head := *fn
				head.Body = &ast.BlockStmt{Lbrace: fn.Body.Lbrace, Rbrace: fn.Body.Rbrace, List: []ast.Stmt{endless(fn.Body.Lbrace)}}
				decl = &head
			}
			c.Decls[j] = decl
		}
		copies[i] = &c
	}
	return copies
}

func endless(pos token.Pos) ast.Stmt {
	return &ast.ForStmt{For: pos, Body: &ast.BlockStmt{Lbrace: pos, Rbrace: pos}}
}
