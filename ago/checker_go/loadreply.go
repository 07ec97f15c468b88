package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file puts a loaded graph on the wire.

type packageReply struct {
	Pkg          string      `json:"pkg"`
	Name         string      `json:"name"`
	Dir          string      `json:"dir"`
	Module       string      `json:"module"`
	Files        []fileReply `json:"files"`
	Imports      []string    `json:"imports"`
	TestImports  []string    `json:"test_imports"`
	XTestImports []string    `json:"xtest_imports"`
	Main         bool        `json:"main"`
	Cgo          bool        `json:"cgo"`
	Error        string      `json:"error,omitempty"`
}

type fileReply struct {
	Path string `json:"path"`
	Role string `json:"role"`
}

type loadReply struct {
	State    string          `json:"state"`
	Message  string          `json:"message,omitempty"`
	Mend     []string        `json:"mend,omitempty"`
	Context  *Context        `json:"context,omitempty"`
	Modules  []*Module       `json:"modules"`
	Packages []packageReply  `json:"packages"`
	Views    []moduleView    `json:"views_not_loaded"`
	Problems []Diag          `json:"problems"`
	Outside  []string        `json:"outside"` // packages outside the root that are checked all the same
	Missing  []absentPackage `json:"missing"`
}

func (l loaded) reply() loadReply {
	r := loadReply{State: l.State, Message: l.Message, Mend: l.Mend,
		Modules: []*Module{}, Packages: []packageReply{}, Views: orEmpty(l.Views), Problems: orEmpty(l.Problems), Outside: []string{}, Missing: []absentPackage{}}
	if l.Graph == nil {
		return r
	}
	r.Context = &l.Graph.Context
	r.Modules, r.Outside, r.Missing = l.Graph.Modules, l.Graph.outside(), l.Graph.absents()
	if l.Graph.Own == nil {
		r.Packages = l.Graph.replies(l.Graph.Order())
	}
	return r
}

// replies describes those of the packages that lie in the workspace.
func (g *Graph) replies(paths []string) []packageReply {
	list := []packageReply{}
	for _, path := range paths {
		if p := g.Packages[path]; g.lists(p) {
			list = append(list, g.PackageReply(p))
		}
	}
	return list
}

// lists says that the receiver of the graph hears of a package: it lies in the workspace.
func (g *Graph) lists(p *Package) bool {
	return below(p.Dir, g.Root) && p.Module != nil && (p.Workspace || g.view == "")
}

// PackageReply describes a package of the source set on the wire.
func (g *Graph) PackageReply(p *Package) packageReply {
	r := packageReply{Pkg: p.Path, Name: p.Name, Dir: g.Rel(p.Dir), Files: []fileReply{}, Imports: orEmpty(p.Imports),
		TestImports: orEmpty(p.TestImports), XTestImports: orEmpty(p.XTestImports), Main: p.Main, Cgo: len(p.CgoFiles) > 0}
	if p.Module != nil {
		r.Module = p.Module.Path
	}
	// A folder of tests alone is a package like any other until somebody imports it.
	if !p.compiles() {
		r.Error = g.Missing[p.Path]
	}
	compiled := map[string]bool{}
	for _, f := range p.roles() {
		for _, name := range f.names {
			path := filepath.Join(p.Dir, name)
			compiled[path] = true
			r.Files = append(r.Files, fileReply{g.Rel(path), wireRole(f.role, name)})
		}
	}
	for _, name := range embedded(p.Dir, slices.Concat(p.EmbedPatterns, p.TestEmbedPatterns, p.XTestEmbedPatterns)) {
		if !compiled[name] { // what is compiled may be embedded as well: it has its role
			r.Files = append(r.Files, fileReply{g.Rel(name), "embed"})
		}
	}
	return r
}

// wireRole tells assembly and C apart among the files that aren't Go.
func wireRole(role, name string) string {
	if role != "other" {
		return role
	}
	switch filepath.Ext(name) {
	case ".s", ".S", ".sx":
		return "asm"
	case ".c", ".cc", ".cpp", ".cxx", ".m", ".h", ".hh", ".hpp", ".hxx":
		return "c"
	}
	return role
}

// embedded lists the regular files that go:embed patterns of a folder match; whether they may is the checker's business.
func embedded(dir string, patterns []string) []string {
	set := map[string]bool{}
	for _, pattern := range patterns {
		pattern, all := strings.CutPrefix(pattern, "all:")
		matches, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		for _, match := range matches {
			filepath.WalkDir(match, func(path string, entry os.DirEntry, err error) error {
				hidden := path != match && !all && strings.ContainsAny(filepath.Base(path)[:1], "._")
				switch {
				case err != nil:
				case hidden && entry.IsDir():
					return filepath.SkipDir
				case !hidden && entry.Type().IsRegular():
					set[path] = true
				}
				return nil
			})
		}
	}
	return sorted(set)
}

func orEmpty[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
