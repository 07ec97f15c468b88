package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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
// that cgo or the C compiler could not process is absent.
func (g *Graph) CgoTypes(paths []string) map[string]string {
	found := map[string]string{}
	if !g.Context.Cgo || !g.Context.CompilerPresent {
		return found
	}
	var slow []string
	for _, path := range paths {
		p := g.Packages[path]
		kept := filepath.Join(g.cacheDir, "cgo", g.cgoKey(p), "types.go")
		if _, err := os.Stat(kept); err == nil || g.runCgo(p, kept) == nil {
			found[path] = kept
		} else {
			slow = append(slow, path)
		}
	}
	maps.Copy(found, g.listCgo(slow))
	return found
}

// cgoKey covers what the go command itself keys a run of cgo by: the context and the files of the package.
func (g *Graph) cgoKey(p *Package) string {
	h := sha256.New()
	c := g.Context
	fmt.Fprintln(h, depsFormat, p.Path, c.GoVersion, c.GOOS, c.GOARCH, c.Tags, os.Getenv("CC"), os.Getenv("CGO_CFLAGS"))
	entries, _ := os.ReadDir(p.Dir)
	for _, entry := range entries {
		if isSource(entry.Name()) && !strings.HasSuffix(entry.Name(), "_test.go") {
			src, _ := os.ReadFile(filepath.Join(p.Dir, entry.Name()))
			fmt.Fprintf(h, "%s %x\n", entry.Name(), sha256.Sum256(src))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// runCgo runs the cgo tool alone, which asks the C compiler about names but compiles none of the package's C files (that
// takes minutes for an embedded database). It fails where the package needs flags that only the go command may judge.
func (g *Graph) runCgo(p *Package, kept string) error {
	flags, ok := g.cgoFlags(p)
	if !ok {
		return fmt.Errorf("%s needs the go command", p.Path)
	}
	temp, err := os.MkdirTemp("", "agocheck-cgo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	env := g.env
	env.dir = p.Dir
	args := slices.Concat([]string{"tool", "cgo", "-objdir", temp, "-importpath", p.Path, "--", "-I", temp}, flags, p.CgoFiles)
	if _, err := env.run(args...); err != nil {
		return err
	}
	src, err := os.ReadFile(filepath.Join(temp, "_cgo_gotypes.go"))
	if err != nil {
		return err
	}
	return writeAtomically(kept, src)
}

// cgoFlags gathers the C compiler flags that bear on names: definitions and include folders. ok is false when there are
// any whose effect or safety is not plain.
func (g *Graph) cgoFlags(p *Package) (flags []string, ok bool) {
	bp, err := g.build.ImportDir(p.Dir, 0)
	if err != nil || len(bp.CgoPkgConfig) > 0 {
		return nil, false
	}
	flags = []string{"-I", p.Dir}
	for _, flag := range slices.Concat(strings.Fields(os.Getenv("CGO_CPPFLAGS")), strings.Fields(os.Getenv("CGO_CFLAGS")),
		bp.CgoCPPFLAGS, bp.CgoCFLAGS) {
		switch {
		case plainFlag.MatchString(flag):
			flags = append(flags, flag)
		case !idleFlag.MatchString(flag):
			return nil, false
		}
	}
	return flags, true
}

var (
	plainFlag = regexp.MustCompile(`^-([DU][A-Za-z_][A-Za-z0-9_]*(=[^@-][^@]*)?|I[^@-].*|std=[a-z0-9+]+)$`)
	idleFlag  = regexp.MustCompile(`^-(O[0-3sg]?|g|W[a-z][a-z0-9=-]*|pthread|f(no-)?(PIC|pic|stack-protector.*))$`)
)

// listCgo has the go command run cgo, with its list of allowed flags. The files lie in the go command's build cache.
func (g *Graph) listCgo(paths []string) map[string]string {
	found := map[string]string{}
	if len(paths) == 0 {
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
