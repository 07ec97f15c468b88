package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/build"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// This file asks the go command about packages and turns its answers into graph nodes.

// listed is one package as `go list -json` prints it.
type listed struct {
	ImportPath, Name, Dir string
	Standard, DepOnly     bool
	Module                *listedModule
	GoFiles, CgoFiles     []string
	Imports               []string
	ImportMap             map[string]string
	Error                 *struct{ Pos, Err string }
}

const listFields = "-json=ImportPath,Name,Dir,Standard,DepOnly,Module,GoFiles,CgoFiles,Imports,ImportMap,Error"

type listedModule struct {
	Path, Version, Dir, GoMod, GoVersion string
	Main                                 bool
	Replace                              *listedModule
	Error                                *struct{ Err string }
}

const moduleFields = "-json=Path,Version,Dir,GoMod,GoVersion,Main,Replace,Error"

// listPackages runs go list for the patterns and everything they import, dependencies first. What can't be resolved
// is listed with an error, not left out.
func listPackages(env goEnv, patterns []string) ([]listed, error) {
	return decodeList[listed](env.run(append([]string{"list", "-e", "-deps", listFields, "--"}, patterns...)...))
}

// listMainModules lists the modules whose packages the build owns: one, or those of go.work.
func listMainModules(env goEnv) ([]listedModule, error) {
	return decodeList[listedModule](env.run("list", "-m", moduleFields))
}

func decodeList[T any](out []byte, err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	var items []T
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var item T
		if err := dec.Decode(&item); errors.Is(err, io.EOF) {
			return items, nil
		} else if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
}

// importable keeps the import paths that can be given to go list as patterns and mean just themselves.
func importable(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		switch path {
		case "", "C", "all", "std", "cmd", "work", "tool", "main":
			return true
		}
		return strings.Contains(path, "...") || strings.ContainsAny(path, "@ \t\n\\*?[]") ||
			strings.ContainsAny(path[:1], ".-/")
	})
}

// absorber adds listed packages to a graph that is being made.
type absorber struct {
	g       *Graph
	modules map[string]*Module // by path
	scanned map[string][]SourceFile
	keys    *keyMaker
}

func newAbsorber(g *Graph, scanned map[string][]SourceFile) *absorber {
	a := &absorber{g: g, modules: map[string]*Module{}, scanned: scanned, keys: newKeyMaker(g)}
	for _, m := range g.Modules {
		a.modules[m.Path] = m
	}
	return a
}

// absorb adds packages that are listed dependencies first.
func (a *absorber) absorb(list []listed) {
	for i := range list {
		a.add(&list[i])
	}
}

func (a *absorber) add(l *listed) {
	if l.Error != nil && (l.Dir == "" || len(l.GoFiles)+len(l.CgoFiles) == 0) {
		a.g.Missing[l.ImportPath] = firstLines(l.Error.Err)
	}
	if l.Dir == "" || a.g.Packages[l.ImportPath] != nil {
		return
	}
	p := &Package{
		Path: l.ImportPath, Name: l.Name, Dir: l.Dir, Module: a.module(l.Module), Std: l.Standard,
		Main: l.Name == "main", GoFiles: l.GoFiles, CgoFiles: l.CgoFiles,
		Imports: without(l.Imports, "C"), ImportMap: l.ImportMap,
	}
	main := p.Module != nil && p.Module.Main
	editable := main || !p.Std && !a.g.vendored(p.Dir) && !below(p.Dir, a.g.Context.GOMODCACHE)
	p.Source = editable || slices.ContainsFunc(p.Imports, func(imp string) bool {
		dep := a.g.Packages[p.Resolve(imp)]
		return dep != nil && dep.Source
	})
	// What a view takes from the workspace is checked with bodies where it is at home.
	p.Workspace = editable && p.Module != nil && p.Module.Workspace && (main || a.g.view == "")
	if editable {
		files, ok := a.scanned[p.Dir]
		if !ok {
			files = scanDir(a.g.build, a.g.Root, p.Dir)
		}
		p.Scanned = files
		assemble(p, a.g.Context.Cgo)
		if why := a.g.unimportable(p); why != "" {
			a.g.Missing[p.Path] = why
		}
	}
	if !p.Source {
		p.Key = a.keys.key(p)
	}
	a.g.Packages[p.Path] = p
}

func (a *absorber) module(l *listedModule) *Module {
	if l == nil {
		return nil
	}
	if m := a.modules[l.Path]; m != nil {
		return m
	}
	m := moduleOf(l, a.g.Root)
	a.modules[l.Path] = m
	a.g.Modules = append(a.g.Modules, m)
	return m
}

// moduleOf converts a module; a replaced one keeps its own path and version, with the folder of its replacement.
func moduleOf(l *listedModule, root string) *Module {
	m := &Module{Path: l.Path, Version: l.Version, Dir: l.Dir, Main: l.Main, GoVersion: l.GoVersion, GoMod: l.GoMod,
		Workspace: l.Dir != "" && below(l.Dir, root)}
	if l.Replace != nil && m.Dir == "" {
		m.Dir = l.Replace.Dir
	}
	return m
}

// below says that path is folder or lies in it.
func below(path, folder string) bool {
	return folder != "" && (path == folder || strings.HasPrefix(path, folder+string(filepath.Separator)))
}

// vendored says that a folder lies in the vendor folder of a main module or of the go.work file.
func (g *Graph) vendored(dir string) bool {
	return slices.ContainsFunc(g.vendorDirs, func(vendor string) bool { return below(dir, vendor) })
}

func without(items []string, drop string) []string {
	return slices.DeleteFunc(items, func(item string) bool { return item == drop })
}

// firstLines cuts the advice that the go command appends to an error ("; to add it: …").
func firstLines(text string) string {
	text, _, _ = strings.Cut(text, "; to add")
	return strings.TrimSpace(text)
}

// listProblem turns an error of the go command into a diagnostic; a position is "file:line:col" relative to dir.
func listProblem(g *Graph, dir string, l *listed) Diag {
	d := Diag{Code: "list", Source: "list", Msg: l.Error.Err}
	parts := strings.Split(l.Error.Pos, ":")
	if len(parts) < 2 {
		return d
	}
	d.File = parts[0]
	if !filepath.IsAbs(d.File) {
		d.File = filepath.Join(dir, d.File)
	}
	d.File = g.Rel(d.File)
	d.Line, _ = strconv.Atoi(parts[1])
	if len(parts) > 2 {
		d.Col, _ = strconv.Atoi(parts[2])
	}
	return d
}

// buildContext makes the go/build form of a context.
func buildContext(c Context) build.Context {
	b := build.Default
	b.GOOS, b.GOARCH, b.GOROOT = c.GOOS, c.GOARCH, c.GOROOT
	b.CgoEnabled, b.BuildTags = c.Cgo, c.Tags
	return b
}
