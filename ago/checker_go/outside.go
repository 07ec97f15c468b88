package main

import (
	"path/filepath"
	"slices"
)

// This file finds the packages outside the root that an edit of the workspace can break: those of modules that go.work
// names, or that a replace takes from the disk, which import the workspace.
//
// Invariant: they are checked with bodies and never edited. Of their facts only references into the workspace are kept.

// markOutside marks those of the packages that lie outside the root and import the workspace, directly or not, and all
// packages outside that import them. Nodes are not changed: a marked one takes the place of the other.
func (g *Graph) markOutside(paths []string) {
	for todo := slices.Clone(paths); len(todo) > 0; todo = todo[1:] {
		p := g.Packages[todo[0]]
		if p == nil || p.Outside || !g.liesOutside(p) || !g.leadsIn(p) {
			continue
		}
		marked := *p
		marked.Outside = true
		g.Packages[p.Path], g.byDir[p.Dir] = &marked, &marked
		todo = slices.Concat(todo, g.Importers(p.Path), g.TestImporters(p.Path))
	}
}

// liesOutside says that a package is somebody's work in progress, but not of this root.
func (g *Graph) liesOutside(p *Package) bool {
	return g.view == "" && p.Source && p.Module != nil && !p.Std && !below(p.Dir, g.Root) &&
		!below(p.Dir, g.Context.GOMODCACHE) && !g.vendored(p.Dir)
}

// outside lists the marked packages.
func (g *Graph) outside() []string {
	paths := []string{}
	for _, p := range g.byDir {
		if p.Outside {
			paths = append(paths, p.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// leadsIn says that a package imports one that an edit can change.
func (g *Graph) leadsIn(p *Package) bool {
	return slices.ContainsFunc(p.allDirects(), func(path string) bool {
		imported := g.Packages[path]
		return imported != nil && (imported.Workspace || imported.Outside)
	})
}

// checked says that the package is checked with bodies; testable that its tests are, too: the go command builds those of
// main modules alone.
func (p *Package) checked() bool { return p != nil && (p.Workspace || p.Outside) }

func (p *Package) testable() bool { return p.Workspace || p.Outside && p.Module.Main }

// outsideFolders lists the folders of the main modules that lie outside the root, and those among them with a go.mod.
func outsideFolders(g *Graph) (dirs, gomods []string) {
	for _, m := range g.Modules {
		if !m.Main || m.Workspace {
			continue
		}
		s := &stamper{stamps: map[string]stamp{}, before: map[string]stamp{}}
		s.walk(m.Dir)
		dirs, gomods = append(dirs, s.dirs...), append(gomods, s.gomods...)
	}
	inside := func(path string) bool { return below(filepath.Clean(path), g.Root) }
	slices.Sort(dirs)
	return slices.Compact(slices.DeleteFunc(dirs, inside)), slices.DeleteFunc(gomods, inside)
}

// intoWorkspace keeps of the facts of a package outside the references to objects of the workspace. A doc comment does
// not break when a name changes: it is not counted.
func (f *Facts) intoWorkspace(g *Graph) *Facts {
	kept := emptyFacts()
	kept.Objs, kept.Kept = f.Objs, f.Kept
	for _, use := range f.Uses {
		if p := g.Packages[f.Objs[use[0].(int)][0]]; p != nil && p.Workspace && use[6] != "doc_link" {
			kept.Uses = append(kept.Uses, use)
		}
	}
	return kept
}
