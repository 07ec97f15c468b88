package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// This file holds the types that the parts of agocheck share: the package graph (load.go), a type-checked
// unit (check.go) and what goes over the wire. Each type is filled by one file and read by the others.

// Variant says which compilation of a package a unit is.
type Variant string

// The three units that one folder can yield; an external test package is addressed by the package it tests.
const (
	Primary Variant = ""
	InTest  Variant = "test"
	XTest   Variant = "xtest"
)

// UnitKey names one unit: the import path of the package under test and the variant.
type UnitKey struct {
	Pkg     string  `json:"pkg"`
	Variant Variant `json:"variant"`
}

// Module is one module of the build list.
type Module struct {
	Path      string `json:"path"`
	Version   string `json:"version,omitempty"`
	Dir       string `json:"dir"`
	Main      bool   `json:"main"`
	GoVersion string `json:"go_version"`
	GoMod     string `json:"gomod"`
	Sum       string `json:"-"`
	// Workspace says that the module's folder lies below the root, so that its packages can be edited.
	Workspace bool `json:"workspace"`
}

// Package is one node of the graph, of the workspace or of a dependency.
type Package struct {
	Path   string
	Name   string
	Dir    string // absolute
	Module *Module
	Std    bool
	Main   bool
	// Source says that the package belongs to the source set of gate.md 2: always checked from source,
	// never read from or written to the shared export-data cache.
	Source bool
	// Workspace says that it lies below the root, in a main module or in one that a replace resolves to a folder:
	// checked with bodies, editable.
	Workspace bool
	// Outside says that it lies outside the root, in a folder and not in the module cache, and imports the workspace,
	// directly or not: checked with bodies, never edited.
	Outside bool

	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string // base names
	OtherFiles                                   []string // .s .c .h .syso …
	IgnoredGoFiles                               []string
	EmbedPatterns, TestEmbedPatterns             []string
	XTestEmbedPatterns                           []string

	Imports, TestImports, XTestImports []string // as written
	ImportMap                          map[string]string
	Problems                           []Diag // what the go command reports of this package

	Scanned []SourceFile // every source file of the folder, by name; nil outside the source folders
	Key     string       // of the export-data cache; "" for the source set
}

// Resolve maps an import as written in p to the path of the package it means (vendoring of std).
func (p *Package) Resolve(imp string) string {
	if mapped, ok := p.ImportMap[imp]; ok {
		return mapped
	}
	return imp
}

// Unit is one type-checked compilation. Syntax and Info are dropped once the unit's results are taken,
// unless somebody holds the Unit.
type Unit struct {
	Key    UnitKey
	Path   string // path of Types: Key.Pkg, or Key.Pkg + "_test" for an external test
	Pkg    *Package
	Fset   *token.FileSet
	Files  []*ast.File
	Names  []string // workspace-relative posix path of Files[i]
	Src    [][]byte // bytes of Files[i]
	Types  *types.Package
	Info   *types.Info // all maps filled
	Diags  []Diag      // syntax, types and rule errors, by file and offset
	Bodies bool        // false: checked without function bodies (a rebind)
	// Tainted is the reason why agocheck can't speak for this unit ("" when it can).
	Tainted string
}

// Diag is a finding on the wire; Line and Col are 1-based bytes.
type Diag struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Col      int    `json:"col"`
	Offset   int    `json:"offset"`
	End      int    `json:"end"`
	Code     string `json:"code"`
	Msg      string `json:"msg"`
	Source   string `json:"source"` // syntax types rule list
	Soft     bool   `json:"soft,omitempty"`
	Revealed bool   `json:"revealed,omitempty"`
}

// Content is one file of an overlay.
type Content struct {
	Text    *string `json:"text,omitempty"`
	B64     []byte  `json:"b64,omitempty"`
	Deleted bool    `json:"deleted,omitempty"`
}

// Overlay maps workspace-relative paths to their proposed contents.
type Overlay map[string]Content

// Spans maps a path to the pieces [base start, candidate start, length] that an edit left alone.
type Spans map[string][][3]int

// Rename is one entry of the simultaneous old -> new map of a request.
type Rename struct {
	Pkg string `json:"pkg"`
	Sym string `json:"sym"`
	To  string `json:"to"`
}

// Move is a declaration that goes to another package, by its base name; Rename says where its name changes, too. Sym ""
// is the package itself, which has a new path.
type Move struct {
	Pkg   string `json:"pkg"`
	Sym   string `json:"sym"`
	ToPkg string `json:"to_pkg"`
}

// MovedText is text of one file that stands in another: pieces [base start, candidate start, length].
type MovedText struct {
	From   string   `json:"from"`
	To     string   `json:"to"`
	Pieces [][3]int `json:"pieces"`
}

// Change is a surviving identifier (or control-flow statement, or initialiser order) that means something
// else in the candidate.
type Change struct {
	Kind       string  `json:"kind"`
	File       string  `json:"file"`
	Line       int     `json:"line"`
	Col        int     `json:"col"`
	Offset     int     `json:"offset"`
	BaseOffset int     `json:"base_offset"`
	Name       string  `json:"name"`
	Old        string  `json:"old"`
	New        string  `json:"new"`
	Pkg        string  `json:"pkg"`
	Variant    Variant `json:"variant"`

	baseFile int // of the base unit
}

// FileResult is a file of a unit: content hash and resolution hash (16 hex digits each).
type FileResult struct {
	Path   string `json:"path"`
	Hash   string `json:"hash"`
	Vector string `json:"vector"`
}

// UnitResult is what one checked unit yields for the facts.
type UnitResult struct {
	UnitKey
	Module  string       `json:"module"`
	Name    string       `json:"name"`
	APIHash string       `json:"api_hash"`
	Errors  bool         `json:"errors"`
	Diags   []Diag       `json:"diagnostics"`
	Files   []FileResult `json:"files"`
	Facts   *Facts       `json:"facts,omitempty"`
}

// Facts are rows for the fact store; columns as in the wire contract of protocol.go.
//
// Kept are files, by index, that have the content and the resolution hash of the unit that was sent last: all their rows
// are here but those of uses outside of comments (the roles doc_link, doc_name, directive and asm are sent). The receiver
// keeps the ones that it has, and asks for the whole (method facts) when it has those of another version.
type Facts struct {
	Objs    [][2]string `json:"objs"`
	Objects [][]any     `json:"objects"`
	Uses    [][]any     `json:"uses"`
	Imports [][]any     `json:"imports"`
	Methods [][]any     `json:"methods"`
	Asserts [][]any     `json:"asserts"`
	Effects [][]any     `json:"effects"`
	Kept    []int       `json:"kept,omitempty"`
}
