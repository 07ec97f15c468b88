package main

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

// This file finds which names of which packages a file mentions, from its syntax alone: that is known for files with
// errors too, and needs no check. It errs on the side of too many (a local that shadows an import).

// wholePackage stands for every name: a dot import.
const wholePackage = "*"

// nameUses maps an import path as written to the names used of it; an import without uses has an empty set.
type nameUses map[string]map[string]bool

// fileUses is nameUses of one version of a file.
type fileUses struct {
	sum  string
	uses nameUses
}

// noteUses remembers the uses of a parsed file.
func (u *Universe) noteUses(f *parsedFile) {
	u.usesMu.Lock()
	known, ok := u.uses[f.rel]
	u.usesMu.Unlock()
	if ok && known.sum == f.sum {
		return
	}
	uses := findUses(f.ast, u.localName)
	u.usesMu.Lock()
	u.uses[f.rel] = fileUses{f.sum, uses}
	u.usesMu.Unlock()
}

// usesOf returns the uses of a file of the view, parsing it when they aren't known.
func (v *view) usesOf(rel string) nameUses {
	if _, overlaid := v.overlay[rel]; !overlaid {
		v.u.usesMu.Lock()
		known, ok := v.u.uses[rel]
		v.u.usesMu.Unlock()
		if ok {
			return known.uses
		}
	}
	f := v.parse(rel)
	if _, overlaid := v.overlay[rel]; !overlaid {
		v.u.noteUses(f)
	}
	return findUses(f.ast, v.u.localName)
}

// localName is the name that an import without one introduces.
func (u *Universe) localName(imp string) string {
	if p := u.base.graph.Packages[imp]; p != nil && p.Name != "" {
		return p.Name
	}
	return path.Base(imp)
}

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
