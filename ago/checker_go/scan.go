package main

import (
	"bytes"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file reads folders as the go command does: which files take part in the build, and what they import. The
// graph's idea of a workspace package comes from here alone, so that an edited package is described exactly as a
// freshly loaded one.

// SourceFile is what the graph knows of one file of a source folder.
type SourceFile struct {
	Name    string   // base name
	Package string   // of the package clause; "" for a file that isn't Go, or whose clause can't be read
	Imports []string // as written, without "C"
	Embeds  []string // go:embed patterns
	Cgo     bool     // imports "C"
	Match   bool     // the build constraints hold
	Foreign bool     // it takes part in this build and not in the workspace's own
	Clause  Diag     // position of the package clause
}

// MatchFile says whether a file with these bytes takes part in the graph's build, by its name and constraints.
func (g *Graph) MatchFile(path string, src []byte) bool {
	return matchFile(g.build.Context, g.Abs(path), src)
}

// buildRules say which files take part in a build. A further build also knows the workspace's own.
type buildRules struct {
	build.Context
	own *build.Context // nil: this is the workspace's own build
}

// foreign says that of a file which takes part in this build the workspace's own has nothing.
func (b buildRules) foreign(file SourceFile, abs string, src []byte) bool {
	return b.own != nil && file.Match && !(file.Cgo && !b.CgoEnabled) &&
		!(matchFile(*b.own, abs, src) && !(file.Cgo && !b.own.CgoEnabled))
}

func matchFile(ctx build.Context, abs string, src []byte) bool {
	ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	ctx.JoinPath = func(...string) string { return abs }
	match, err := ctx.MatchFile(filepath.Dir(abs), filepath.Base(abs))
	return match && err == nil
}

// otherSources are the extensions that the go command compiles or links beside Go.
var otherSources = []string{
	".s", ".S", ".sx", ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx",
	".f", ".F", ".for", ".f90", ".swig", ".swigcxx", ".syso",
}

// isSource says that the go command looks at files of this name at all.
func isSource(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".go" || slices.Contains(otherSources, ext)
}

// scanFile reads the head of a file: package clause, imports, constraints.
func scanFile(rules buildRules, root, abs string, src []byte) SourceFile {
	file := SourceFile{Name: filepath.Base(abs), Match: matchFile(rules.Context, abs, src)}
	if filepath.Ext(abs) != ".go" {
		return file
	}
	scanHead(&file, root, abs, src)
	file.Foreign = rules.foreign(file, abs, src)
	return file
}

// scanHead reads the package clause and the imports of a Go file.
func scanHead(file *SourceFile, root, abs string, src []byte) {
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, abs, src, parser.ImportsOnly|parser.SkipObjectResolution)
	if tree == nil || tree.Name == nil || tree.Name.Name == "_" {
		return
	}
	file.Package = tree.Name.Name
	start := fset.PositionFor(tree.Name.Pos(), false)
	file.Clause = Diag{File: relTo(root, abs), Line: start.Line, Col: start.Column,
		Offset: start.Offset, End: start.Offset + len(tree.Name.Name)}
	for _, spec := range tree.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil || path == "":
		case path == "C":
			file.Cgo = true
		case path == "embed":
			file.Embeds = scanEmbeds(abs, src)
			fallthrough
		default:
			file.Imports = append(file.Imports, path)
		}
	}
}

// scanEmbeds lists the patterns of the go:embed directives of a file.
func scanEmbeds(abs string, src []byte) []string {
	tree, _ := parser.ParseFile(token.NewFileSet(), abs, src, parser.ParseComments|parser.SkipObjectResolution)
	if tree == nil {
		return nil
	}
	var patterns []string
	for _, group := range tree.Comments {
		for _, comment := range group.List {
			if args, ok := strings.CutPrefix(comment.Text, "//go:embed"); ok && args != strings.TrimLeft(args, " \t") {
				patterns = append(patterns, splitPatterns(args)...)
			}
		}
	}
	return patterns
}

// splitPatterns splits the arguments of a go:embed directive: words and Go strings.
func splitPatterns(args string) []string {
	var patterns []string
	for args = strings.TrimSpace(args); args != ""; args = strings.TrimSpace(args) {
		quoted, err := strconv.QuotedPrefix(args)
		if err == nil && (args[0] == '"' || args[0] == '`') {
			pattern, _ := strconv.Unquote(quoted)
			patterns, args = append(patterns, pattern), args[len(quoted):]
			continue
		}
		word, _, _ := strings.Cut(strings.ReplaceAll(args, "\t", " "), " ")
		patterns, args = append(patterns, word), args[len(word):]
	}
	return patterns
}

// scanDir scans every source file of a folder.
func scanDir(rules buildRules, root, dir string) []SourceFile {
	entries, _ := os.ReadDir(dir)
	var files []SourceFile
	for _, entry := range entries {
		if !isSource(entry.Name()) || entry.IsDir() {
			continue
		}
		abs := filepath.Join(dir, entry.Name())
		if src, err := os.ReadFile(abs); err == nil {
			files = append(files, scanFile(rules, root, abs, src))
		}
	}
	return files
}

// assemble fills in the file lists, imports and name of p from its scanned files (sorted by name).
func assemble(p *Package, cgo bool) {
	p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles, p.IgnoredGoFiles, p.OtherFiles = nil, nil, nil, nil, nil, nil
	p.Problems = nil
	name, odd := majorityName(p.Scanned)
	imports := [3]map[string]bool{{}, {}, {}}
	embeds := [3]map[string]bool{{}, {}, {}}
	for i, f := range p.Scanned {
		var kind int
		switch isGo, isTest := strings.HasSuffix(f.Name, ".go"), strings.HasSuffix(f.Name, "_test.go"); {
		case !isGo && f.Match:
			p.OtherFiles = append(p.OtherFiles, f.Name)
			continue
		case !isGo:
			continue
		case !f.Match, f.Cgo && !cgo, f.Package == "documentation":
			p.IgnoredGoFiles = append(p.IgnoredGoFiles, f.Name)
			continue
		case odd[i]:
			p.Problems = append(p.Problems, oddClause(f, name))
			continue
		case isTest && f.Package != name && strings.HasSuffix(f.Package, "_test"):
			kind, p.XTestGoFiles = 2, append(p.XTestGoFiles, f.Name)
		case isTest:
			kind, p.TestGoFiles = 1, append(p.TestGoFiles, f.Name)
		case f.Cgo:
			p.CgoFiles = append(p.CgoFiles, f.Name)
		default:
			p.GoFiles = append(p.GoFiles, f.Name)
		}
		addAll(imports[kind], f.Imports)
		addAll(embeds[kind], f.Embeds)
	}
	p.Name, p.Main = name, name == "main"
	p.Imports, p.TestImports, p.XTestImports = sorted(imports[0]), sorted(imports[1]), sorted(imports[2])
	p.EmbedPatterns, p.TestEmbedPatterns, p.XTestEmbedPatterns = sorted(embeds[0]), sorted(embeds[1]), sorted(embeds[2])
}

// majorityName finds the package name that most files of a folder carry, of equals the one that more tests are of, else
// the first; and which files carry another one. External tests count for the package they test.
func majorityName(files []SourceFile) (name string, odd []bool) {
	under := func(f SourceFile) string {
		if strings.HasSuffix(f.Name, "_test.go") {
			return strings.TrimSuffix(f.Package, "_test")
		}
		return f.Package
	}
	votes, best := map[string]int{}, 0
	for _, f := range files {
		switch {
		case !f.Match || f.Package == "" || f.Package == "documentation":
		case strings.HasSuffix(f.Name, "_test.go"):
			votes[under(f)]++
		default:
			votes[under(f)] += len(files)
		}
	}
	for _, f := range files {
		if n := votes[under(f)]; n > best {
			name, best = under(f), n
		}
	}
	odd = make([]bool, len(files))
	for i, f := range files {
		odd[i] = f.Package != "" && f.Package != name && under(f) != name
	}
	return name, odd
}

func oddClause(f SourceFile, name string) Diag {
	d := f.Clause
	d.Code, d.Source = "several_packages", "list"
	d.Msg = fmt.Sprintf("package %s; expected package %s", f.Package, name)
	return d
}

func addAll(set map[string]bool, items []string) {
	for _, item := range items {
		set[item] = true
	}
}

func sorted(set map[string]bool) []string { return keysOf(set) }

// keysOf lists the keys of a map in order.
func keysOf[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
