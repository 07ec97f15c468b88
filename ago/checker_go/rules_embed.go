package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// This file holds the rules about //go:embed: where it may stand, and what its patterns must match.

// embeds checks the embed directives of every file.
func (r *rules) embeds() {
	for i, f := range r.unit.Files {
		if r.skips(i) {
			continue
		}
		done := map[ast.Node]bool{}
		for _, d := range directivesOf(f) {
			if d.verb != "go:embed" || !startsLine(f, r.unit.Src[i], d.Pos()) {
				continue
			}
			patterns, err := embedPatterns(strings.TrimPrefix(d.text, "go:embed"))
			spec, isVar := receiverOf(f, d.Pos()).(*ast.ValueSpec)
			switch {
			case err != nil:
				r.add(d.Pos(), d.End(), "embed_form", "%v", err)
			case len(patterns) == 0:
				r.add(d.Pos(), d.End(), "embed_form", "usage: //go:embed pattern...")
			case !isVar || !isVarSpec(f, spec):
				r.add(d.Pos(), d.End(), "embed_misplaced", "misplaced go:embed directive")
			default:
				if !done[spec] {
					r.embedded(f, spec, d)
				}
				done[spec] = true
				r.embedPatterns(d, patterns)
			}
		}
	}
}

func isVarSpec(f *ast.File, spec *ast.ValueSpec) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if gen, ok := n.(*ast.GenDecl); ok && gen.Tok == token.VAR && gen.Pos() <= spec.Pos() && spec.End() <= gen.End() {
			found = true
		}
		return !found
	})
	return found
}

// embedded checks the variable under a directive.
func (r *rules) embedded(f *ast.File, spec *ast.ValueSpec, d directive) {
	say := func(code, msg string) { r.add(d.Pos(), d.End(), code, "%s", msg) }
	switch {
	case !importsPath(f, "embed"):
		say("embed_without_import", `go:embed requires import "embed" (or import _ "embed", if package is not used)`)
	case len(spec.Names) > 1:
		say("embed_var", "go:embed cannot apply to multiple vars")
	case spec.Values != nil:
		say("embed_var", "go:embed cannot apply to var with initializer")
	case insideFunc(f, spec.Pos()):
		say("embed_var", "go:embed cannot apply to var inside func")
	default:
		if obj := r.unit.Info.Defs[spec.Names[0]]; obj != nil && !isEmbeddable(obj.Type()) && !hasInvalid(obj.Type()) {
			say("embed_type", "go:embed cannot apply to var of type "+obj.Type().String())
		}
	}
}

func insideFunc(f *ast.File, pos token.Pos) bool {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Pos() <= pos && pos < fn.End() {
			return true
		}
	}
	return false
}

// isEmbeddable says that the type is a string, a byte slice or embed.FS.
func isEmbeddable(t types.Type) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok {
		tn := named.Obj()
		if tn.Pkg() != nil && tn.Pkg().Path() == "embed" && tn.Name() == "FS" {
			return true
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String
	case *types.Slice:
		elem, ok := u.Elem().Underlying().(*types.Basic)
		return ok && elem.Kind() == types.Uint8
	}
	return false
}

// embedPatterns splits the text behind the directive into patterns, quoted ones too.
func embedPatterns(args string) ([]string, error) {
	var list []string
	for args = strings.TrimSpace(args); args != ""; args = strings.TrimSpace(args) {
		if args[0] != '"' && args[0] != '`' {
			pattern := args
			if i := strings.IndexAny(args, " \t"); i >= 0 {
				pattern = args[:i]
			}
			list, args = append(list, pattern), args[len(pattern):]
			continue
		}
		quoted, err := strconv.QuotedPrefix(args)
		if err == nil && len(args) > len(quoted) && !strings.ContainsAny(args[len(quoted):len(quoted)+1], " \t") {
			err = strconv.ErrSyntax
		}
		if err != nil {
			return nil, fmt.Errorf("invalid quoted string in //go:embed: %s", args)
		}
		pattern, _ := strconv.Unquote(quoted)
		list, args = append(list, pattern), args[len(quoted):]
	}
	return list, nil
}

// embedPatterns checks that each pattern matches something that may be embedded.
func (r *rules) embedPatterns(d directive, patterns []string) {
	for _, pattern := range patterns {
		if err := r.embedMatch(pattern); err != nil {
			r.add(d.Pos(), d.End(), "embed_no_match", "pattern %s: %v", pattern, err)
		}
	}
}

// embedMatch finds what is wrong with a pattern, by the rules of the go command.
func (r *rules) embedMatch(pattern string) error {
	glob, all := strings.CutPrefix(pattern, "all:")
	if _, err := path.Match(glob, ""); err != nil || glob == "." || !fs.ValidPath(glob) {
		return fmt.Errorf("invalid pattern syntax")
	}
	dir := r.unit.Pkg.Dir
	matches, err := filepath.Glob(filepath.Join(quoteGlob(dir), filepath.FromSlash(glob)))
	if err != nil {
		return err
	}
	matches = r.overlaidMatches(dir, glob, matches)
	for _, match := range matches {
		if err := r.embedFile(dir, match, all); err != nil {
			return err
		}
	}
	if len(matches) == 0 {
		return fmt.Errorf("no matching files found")
	}
	return nil
}

// quoteGlob makes a folder's name match itself alone.
func quoteGlob(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// overlaidMatches applies the overlay to what a pattern matches on disk: deleted files go, new ones are added.
func (r *rules) overlaidMatches(dir, glob string, matches []string) []string {
	var list []string
	for _, match := range matches {
		if !r.view.overlay[r.view.graph.Rel(match)].Deleted {
			list = append(list, match)
		}
	}
	for rel, content := range r.view.overlay {
		abs := r.view.graph.Abs(rel)
		inside, err := filepath.Rel(dir, abs)
		if err != nil || content.Deleted || strings.HasPrefix(inside, "..") {
			continue
		}
		if _, err := os.Lstat(abs); err == nil {
			continue
		}
		if ok, _ := path.Match(glob, filepath.ToSlash(inside)); ok {
			list = append(list, abs)
		}
	}
	return list
}

// embedFile checks one match of a pattern.
func (r *rules) embedFile(dir, match string, all bool) error {
	rel := strings.TrimPrefix(filepath.ToSlash(match), filepath.ToSlash(dir)+"/")
	info, err := os.Lstat(match)
	if err != nil {
		return nil // a new file of the overlay
	}
	what := "file"
	if info.IsDir() {
		what = "directory"
	}
	for at := match; len(at) > len(dir)+1; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return fmt.Errorf("cannot embed %s %s: in different module", what, rel)
		}
		if base := filepath.Base(at); isBadEmbedName(base) {
			return fmt.Errorf("cannot embed %s %s: invalid name %s", what, rel, base)
		}
		if parent, err := os.Lstat(at); at != match && err == nil && !parent.IsDir() {
			return fmt.Errorf("cannot embed %s %s: in non-directory %s", what, rel, at[len(dir)+1:])
		}
	}
	switch {
	case info.Mode().IsRegular():
		return nil
	case !info.IsDir():
		return fmt.Errorf("cannot embed irregular file %s", rel)
	case r.embeddable(match, all) == 0:
		return fmt.Errorf("cannot embed directory %s: contains no embeddable files", rel)
	}
	return nil
}

// embeddable counts the files of a folder that embedding it takes.
func (r *rules) embeddable(dir string, all bool) int {
	count := 0
	filepath.WalkDir(dir, func(at string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		hidden := at != dir && (isBadEmbedName(name) || !all && (name[0] == '.' || name[0] == '_'))
		switch {
		case err != nil:
		case hidden && entry.IsDir():
			return filepath.SkipDir
		case hidden:
		case entry.IsDir():
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				return filepath.SkipDir
			}
		case entry.Type().IsRegular() && !r.view.overlay[r.view.graph.Rel(at)].Deleted:
			count++
		}
		return nil
	})
	return count
}

// isBadEmbedName says that a name can't be part of a module, so that embedding it would break for others.
func isBadEmbedName(name string) bool {
	switch name {
	case "", ".bzr", ".hg", ".git", ".svn":
		return true
	}
	return strings.ContainsAny(name, "\"'*<>?`|/\\:") || strings.HasSuffix(name, ".")
}
