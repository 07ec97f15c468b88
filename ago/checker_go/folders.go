package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// This file decides which folders below the root belong to the build, and what of them go list has to be asked.

// workPatterns are the go list patterns for every package of the main modules.
func workPatterns(g *Graph) []string {
	if major, ok := strings.CutPrefix(g.Context.GoVersion, "go1."); ok && len(major) >= 2 && major[:2] >= "25" {
		return []string{"work"}
	}
	var patterns []string
	for _, m := range g.Modules {
		if m.Path != "" {
			patterns = append(patterns, m.Path+"/...")
		}
	}
	return patterns
}

// findViews lists the modules below the root that the build does not use.
func findViews(g *Graph, gomods []string) []moduleView {
	var views []moduleView
	for _, dir := range gomods {
		used := slices.ContainsFunc(g.Modules, func(m *Module) bool { return m.Dir == dir })
		if used || g.vendored(dir) {
			continue
		}
		views = append(views, describeView(g, dir))
	}
	return views
}

// describeView reads the go.mod of a view: its module, and where its build list leads back into the workspace.
func describeView(g *Graph, dir string) moduleView {
	v := moduleView{Dir: g.Rel(dir), Reason: "a module of its own", Replaces: []string{}}
	text, _ := os.ReadFile(filepath.Join(dir, "go.mod"))
	v.Module = moduleDirective(text, "module")
	for _, r := range replacesInto(g.Root, dir, text) {
		v.Replaces = append(v.Replaces, g.Rel(r.dir))
		v.Reason = "a module of its own, which replaces a module by a folder of this workspace"
	}
	return v
}

// moduleDirective is the value of a directive that a go.mod file has once, "" without it.
func moduleDirective(text []byte, name string) string {
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			return strings.Trim(strings.TrimSpace(value), "\"`")
		}
	}
	return ""
}

// replaced is a module that a go.mod or go.work file takes from a folder.
type replaced struct{ path, dir string }

// replacesInto lists the replace directives of a file in folder dir that lead to folders below root.
func replacesInto(root, dir string, text []byte) []replaced {
	var found []replaced
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		from, target, ok := strings.Cut(line, "=>")
		source := strings.Fields(strings.TrimPrefix(strings.TrimSpace(from), "replace "))
		if fields := strings.Fields(target); ok && len(fields) == 1 && len(source) > 0 {
			path := filepath.FromSlash(strings.Trim(fields[0], "\"`"))
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if below(path, root) {
				found = append(found, replaced{strings.Trim(source[0], "\"`"), path})
			}
		}
	}
	return found
}

// addReplaced adds the modules that a main module requires and takes from a folder of the workspace, where none of
// their packages is used yet: the go command lists no module that gives the build nothing.
func (g *Graph) addReplaced() {
	for _, m := range slices.Clone(g.Modules) {
		text, err := os.ReadFile(m.GoMod)
		if !m.Main || err != nil {
			continue
		}
		for _, r := range replacesInto(g.Root, m.Dir, text) {
			gomod := filepath.Join(r.dir, "go.mod")
			own, err := os.ReadFile(gomod)
			known := slices.ContainsFunc(g.Modules, func(k *Module) bool { return k.Path == r.path || k.Dir == r.dir })
			version := requiredVersion(text, r.path)
			if err != nil || known || version == "" {
				continue
			}
			g.Modules = append(g.Modules, &Module{Path: r.path, Version: version, Dir: r.dir, GoMod: gomod,
				GoVersion: moduleDirective(own, "go"), Workspace: true})
		}
	}
}

// requiredVersion is the version in which a go.mod file requires a module, "" when it does not.
func requiredVersion(text []byte, module string) string {
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "//")
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) == 2 && strings.Trim(fields[0], "\"`") == module {
			return fields[1]
		}
	}
	return ""
}

// scanAll scans the folders of the main modules, in parallel.
func scanAll(g *Graph, stamps *stamper) map[string][]SourceFile {
	dirs, gomods := outsideFolders(g)
	nested := slices.DeleteFunc(slices.Concat(stamps.gomods, gomods), g.mainModuleAt)
	todo := slices.DeleteFunc(slices.Concat(stamps.dirs, dirs), func(dir string) bool {
		owner := g.mainModuleOf(dir)
		return owner == nil || g.vendored(dir) || hiddenFolder(relTo(owner.Dir, dir)) ||
			slices.ContainsFunc(nested, func(module string) bool { return below(dir, module) && len(module) > len(owner.Dir) })
	})
	var mu sync.Mutex
	scanned := map[string][]SourceFile{}
	parallel(len(todo), runtime.GOMAXPROCS(0), func(i int) {
		if files := scanDir(g.build, g.Root, todo[i]); len(files) > 0 {
			mu.Lock()
			scanned[todo[i]] = files
			mu.Unlock()
		}
	})
	return scanned
}

// mainModuleOf is the innermost main module whose folder holds dir, nil for none.
func (g *Graph) mainModuleOf(dir string) *Module {
	var owner *Module
	for _, m := range g.Modules {
		if m.Main && below(dir, m.Dir) && (owner == nil || len(m.Dir) > len(owner.Dir)) {
			owner = m
		}
	}
	return owner
}

// mainModuleAt says that the go.mod of a folder is that of a main module.
func (g *Graph) mainModuleAt(dir string) bool {
	return slices.ContainsFunc(g.Modules, func(m *Module) bool { return m.Main && m.Dir == dir })
}

// hiddenFolder says that patterns of the go command do not enter a folder.
func hiddenFolder(rel string) bool {
	return slices.ContainsFunc(strings.Split(rel, "/"), func(part string) bool {
		return part == "testdata" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") && part != "."
	})
}

// testImports lists what the test files of the scanned folders import.
func testImports(g *Graph, scanned map[string][]SourceFile) []string {
	set := map[string]bool{}
	for _, files := range scanned {
		for _, f := range files {
			if f.Match && strings.HasSuffix(f.Name, "_test.go") {
				addAll(set, f.Imports)
			}
		}
	}
	return importable(sorted(set))
}
