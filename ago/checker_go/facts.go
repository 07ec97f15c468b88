package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// This file drives the extraction of facts: the rows of the wire contract for one checked unit. What becomes a row is
// in facts_objects.go, facts_uses.go, facts_methods.go, facts_asserts.go, doclinks.go and fact_directives.go.
//
// Invariant: an object is interned by its address; what has none (locals, labels, parameters) has no rows.

// extraction is the state of one extraction.
type extraction struct {
	*Facts
	u       *Unit
	g       *Graph
	names   *namer
	canon   *canon
	objects map[types.Object]int
	interns map[address]int
	// assembly are the package-level names in .s files.
	assembly map[string]bool
	// mentioned are the dependency types that the unit names.
	mentioned map[*types.TypeName]bool
	// unnamed are types without a declaration that take part in calls by interfaces.
	unnamed map[address]types.Type

	// The file in work.
	file      int // index on the wire
	syntax    *ast.File
	start     token.Pos
	lines     []int // offset of the start of each line
	line      int   // of the last position that was asked for
	kept      bool  // its references go without saying, but for those of comments
	generated bool
	converted map[[2]int]bool
}

// extractFactsOf yields the facts of the files with these indices; rows count files by their place in the list, and so
// does kept, the files whose references are left out.
func extractFactsOf(u *Unit, g *Graph, files, kept []int) *Facts {
	x := &extraction{Facts: emptyFacts(), u: u, g: g, names: newNamer(u.Types, nil), assembly: assemblyNames(u),
		objects: map[types.Object]int{}, interns: map[address]int{}, mentioned: map[*types.TypeName]bool{},
		unnamed: map[address]types.Type{}}
	x.names.local = func(obj types.Object) string { return u.Path + ".local." + obj.Name() }
	x.canon = newCanon(x.names)
	for at, i := range files {
		x.enter(at, u.Files[i])
		x.kept = slices.Contains(kept, at)
		x.fileFacts()
	}
	x.methodSets(files)
	x.Kept = kept
	return x.Facts
}

// emptyFacts has empty lists, which go over the wire as such and not as null.
func emptyFacts() *Facts {
	return &Facts{[][2]string{}, [][]any{}, [][]any{}, [][]any{}, [][]any{}, [][]any{}, [][]any{}, []int{}}
}

// enter makes f the file in work.
func (x *extraction) enter(at int, f *ast.File) {
	x.file, x.syntax, x.start, x.line = at, f, f.FileStart, 0
	x.lines = []int{0}
	if file := x.u.Fset.File(f.FileStart); file != nil { // nil for a file that could not be read
		x.lines = file.Lines()
	}
	x.generated = ast.IsGenerated(f)
	x.converted = map[[2]int]bool{}
}

func (x *extraction) fileFacts() {
	x.importFacts()
	for _, d := range x.syntax.Decls {
		x.declObjects(d)
		x.declUses(d)
	}
	x.docFacts()
	x.directiveFacts()
}

func (x *extraction) importFacts() {
	for _, spec := range x.syntax.Imports {
		path := strings.Trim(spec.Path.Value, "\"`")
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name
		}
		obj := x.intern(address{Pkg: path})
		pkgname := importName(spec, x.u.Info)
		if p := importedPkg(spec, x.u.Info); p != nil {
			obj, pkgname = x.intern(address{Pkg: p.Path()}), p.Name()
		}
		x.Imports = append(x.Imports, []any{x.file, path, name, int(spec.Pos() - x.start), pkgname})
		role := "import"
		if name == "." {
			role = "dot_import"
		}
		x.use(obj, spec.Path.Pos(), len(spec.Path.Value), role, -1, 0)
	}
}

// importedPkg is the package that a spec imports; nil for a blank import, of which go/types says nothing.
func importedPkg(spec *ast.ImportSpec, info *types.Info) *types.Package {
	obj := info.Implicits[spec]
	if spec.Name != nil {
		obj = info.Defs[spec.Name]
	}
	if p, ok := obj.(*types.PkgName); ok {
		return p.Imported()
	}
	return nil
}

// commentRoles are the roles of references that stand in comments: vectors know nothing of them.
var commentRoles = []string{"doc_link", "doc_name", "directive", "asm"}

// use adds a reference row.
func (x *extraction) use(obj int, pos token.Pos, length int, role string, encl, init int) {
	if x.kept && !slices.Contains(commentRoles, role) {
		return
	}
	off := int(pos - x.start)
	line, col := x.lineCol(off)
	x.Uses = append(x.Uses, []any{obj, x.file, off, line, col, length, role, encl, init})
}

// lineCol finds the 1-based line and column of an offset; offsets mostly rise, so the last line is tried first.
func (x *extraction) lineCol(off int) (line, col int) {
	i := x.line
	if x.lines[i] > off || i+1 < len(x.lines) && x.lines[i+1] <= off {
		next, found := slices.BinarySearch(x.lines, off)
		if !found {
			next--
		}
		i = next
		x.line = i
	}
	return i + 1, off - x.lines[i] + 1
}

// obj is the index of an object in Objs, -1 for one without an address.
func (x *extraction) obj(o types.Object) int {
	o = origin(o)
	if i, ok := x.objects[o]; ok {
		return i
	}
	i := -1
	if a := x.names.address(o); a != (address{}) {
		i = x.intern(a)
	}
	x.objects[o] = i
	return i
}

func (x *extraction) intern(a address) int {
	if i, ok := x.interns[a]; ok {
		return i
	}
	i := len(x.Objs)
	x.interns[a] = i
	x.Objs = append(x.Objs, [2]string{a.Pkg, a.Sym})
	return i
}

// typeText is a type for people, with package names as qualifiers and none for the unit's own package.
func (x *extraction) typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == x.u.Types {
			return ""
		}
		return p.Name()
	})
}
