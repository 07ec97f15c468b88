package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// This file notes what must be known of a file when its syntax is gone, to tell what a change elsewhere means to it: which
// names of which packages it mentions, and what it is like outside the bodies of its functions. That comes from syntax
// alone: it is known for files with errors too, and needs no check. It errs on the side of too many mentions (a local
// that shadows an import).

// wholePackage stands for every name: a dot import.
const wholePackage = "*"

// nameUses maps an import path as written to the names used of it; an import without uses has an empty set.
type nameUses map[string]map[string]bool

// fileNote is what is remembered of one version of a file.
type fileNote struct {
	sum     string
	uses    nameUses
	outside string   // hash of the text outside the bodies of functions; "" when the file can't be parsed
	test    testFile // of test files
}

// noteFile remembers a parsed file of the base.
func (u *Universe) noteFile(f *parsedFile) fileNote {
	u.notesMu.Lock()
	note, ok := u.notes[f.rel]
	u.notesMu.Unlock()
	if ok && note.sum == f.sum {
		return note
	}
	note = noteOf(f, u.base.localName)
	u.notesMu.Lock()
	u.notes[f.rel] = note
	u.notesMu.Unlock()
	return note
}

// note returns what is known of a file of the view, parsing it when nothing is.
func (v *view) note(rel string) fileNote {
	_, overlaid := v.overlay[rel]
	if !overlaid {
		if known, ok := v.u.noted(rel); ok {
			return known
		}
		return v.u.noteFile(v.parse(rel))
	}
	v.mu.Lock()
	known, ok := v.notes[rel]
	v.mu.Unlock()
	if !ok {
		known = noteOf(v.parse(rel), v.localName)
		v.mu.Lock()
		v.notes[rel] = known
		v.mu.Unlock()
	}
	return known
}

// noted returns what is known of a file of the base.
func (u *Universe) noted(rel string) (fileNote, bool) {
	u.notesMu.Lock()
	defer u.notesMu.Unlock()
	known, ok := u.notes[rel]
	return known, ok
}

func noteOf(f *parsedFile, localName func(string) string) fileNote {
	note := fileNote{sum: f.sum, uses: findUses(f.ast, localName)}
	if len(f.diags) == 0 {
		note.outside = outsideHash(f)
	}
	if isTestFile(f.rel) {
		note.test = describeTest(f.ast)
	}
	return note
}

// outsideHash hashes the text of a file without what is between the braces of its functions.
func outsideHash(f *parsedFile) string {
	h := newTextHash()
	at := 0
	for _, decl := range f.ast.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
			h.add(string(f.src[at : fn.Body.Lbrace-f.ast.FileStart]))
			at = int(fn.Body.Rbrace - f.ast.FileStart)
		}
	}
	h.add(string(f.src[at:]))
	return h.String()
}

// localName is the name that an import without one introduces.
func (v *view) localName(imp string) string {
	if p := v.graph.Packages[imp]; p != nil && p.Name != "" {
		return p.Name
	}
	return assumedName(imp)
}

// assumedName is what a package that nobody knows most likely calls itself: the last element of its path that is no major
// version, without a version of gopkg.in and without what is no identifier.
func assumedName(imp string) string {
	base := path.Base(imp)
	if majorVersion.MatchString(base) && path.Dir(imp) != "." {
		base = path.Base(path.Dir(imp))
	}
	base, _, _ = strings.Cut(base, ".v")
	return strings.TrimSuffix(strings.TrimPrefix(base, "go-"), "-go")
}

// assumedNames are all the names that such a package may have, the likeliest first: the elements of `golang-lru` too.
func assumedNames(imp string) []string {
	first := assumedName(imp)
	names := []string{first}
	parts := strings.FieldsFunc(first, func(c rune) bool { return c == '-' || c == '.' })
	slices.Reverse(parts)
	names = append(append(names, parts...), strings.ReplaceAll(first, "-", ""))
	return slices.DeleteFunc(names, func(name string) bool { return !token.IsIdentifier(name) })
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

func findUses(f *ast.File, localName func(string) string) nameUses {
	uses := nameUses{}
	byName := map[string][]string{} // local name -> import paths
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if uses[imp] == nil {
			uses[imp] = map[string]bool{}
		}
		name := localName(imp)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		switch name {
		case "_":
		case ".":
			uses[imp][wholePackage] = true
		default:
			byName[name] = append(byName[name], imp)
		}
	}
	if len(byName) == 0 {
		return uses
	}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok {
			for _, imp := range byName[x.Name] {
				uses[imp][sel.Sel.Name] = true
			}
		}
		return true
	})
	return uses
}

// linknamed lists the linkname directives of a unit: what they make of a declaration belongs to its api.
func linknamed(u *Unit) string {
	var lines []string
	for _, f := range u.Files {
		for _, group := range f.Comments {
			for _, c := range group.List {
				if strings.HasPrefix(c.Text, "//go:linkname ") {
					lines = append(lines, c.Text)
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}
