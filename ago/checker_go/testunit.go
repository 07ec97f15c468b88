package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
)

// This file spares in-package tests a second check of the bodies of the files under test.
//
// Where the test files can't change what a body in the other files means, those bodies are checked in the primary
// unit alone, and the test unit consists of the test files.

// addsOnly says that test files leave the meaning of the other files' bodies alone: they declare no method on a type of
// those files, nothing that hides a predeclared name, and no variable whose initialiser may run code of the package
// (the order of initialisation follows references through bodies).
func addsOnly(tests []*ast.File) bool {
	own := map[string]bool{}
	for _, f := range tests {
		eachSpec(f, func(spec ast.Spec) {
			if ts, ok := spec.(*ast.TypeSpec); ok {
				own[ts.Name.Name] = true
			}
		})
	}
	for _, f := range tests {
		imported := map[string]bool{}
		for _, spec := range f.Imports {
			if spec.Name != nil && spec.Name.Name == "." {
				return false
			}
			imported[importedName(spec)] = true
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok {
				if fn.Recv != nil && !own[receiverName(fn)] || fn.Recv == nil && isPredeclared(fn.Name) {
					return false
				}
			}
		}
		adds := true
		eachSpec(f, func(spec ast.Spec) {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				adds = adds && !isPredeclared(spec.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					adds = adds && !isPredeclared(name)
				}
				for _, value := range spec.Values {
					adds = adds && !runsOwnCode(value, imported)
				}
			}
		})
		if !adds {
			return false
		}
	}
	return true
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

// runsOwnCode says that evaluating an expression may call a function of the package: it calls anything but a name of an
// import, by the likely name of that.
func runsOwnCode(expr ast.Expr, imported map[string]bool) bool {
	found := false
	ast.Inspect(expr, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			sel, qualified := call.Fun.(*ast.SelectorExpr)
			var x *ast.Ident
			if qualified {
				x, qualified = sel.X.(*ast.Ident)
			}
			found = found || !qualified || !imported[x.Name]
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
