package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// This file knows whether the disk is still what a graph was made from: every folder and file that matters is stamped.

// stamp is what lstat knows of a file or folder; zero when there is none.
type stamp struct{ Mtime, Ctime, Size int64 }

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stampInfo(info)
}

func stampInfo(info fs.FileInfo) stamp {
	s := stamp{Mtime: info.ModTime().UnixNano(), Size: info.Size()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Ctime = ctime(sys)
	}
	return s
}

// stamper collects the stamps of a load.
type stamper struct {
	dirs   []string // folders below the root
	gomods []string // those with a go.mod
	stamps map[string]stamp
	before map[string]stamp // taken before anything was read
}

// newStamper walks the root and stamps what it meets, before anything is read.
func newStamper(root string) *stamper {
	s := &stamper{stamps: map[string]stamp{}, before: map[string]stamp{}}
	s.walk(root)
	return s
}

// walk visits the folders that may hold Go files: not those of version control and tools, nor npm's.
func (s *stamper) walk(root string) {
	filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir():
			s.dirs = append(s.dirs, path)
			s.stamps[path] = stampOf(path)
		case name == "go.mod":
			s.gomods = append(s.gomods, filepath.Dir(path))
		case isSource(name):
			s.before[path] = stampOf(path)
		}
		return nil
	})
}

// addGraph stamps what the graph was made from: the files of its source folders, module files, and the roots of
// the folders that it reads dependencies from.
func (s *stamper) addGraph(g *Graph) {
	for _, p := range g.byDir {
		s.add(p.Dir)
		for _, f := range p.Scanned {
			s.add(filepath.Join(p.Dir, f.Name))
		}
	}
	for _, p := range g.Packages {
		if !p.Source && g.vendored(p.Dir) {
			s.add(p.Dir)
			for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
				s.add(filepath.Join(p.Dir, name))
			}
		}
	}
	for _, m := range g.Modules {
		s.add(m.Dir)
	}
	s.add(filepath.Join(g.Context.GOROOT, "VERSION"))
	for _, path := range moduleFiles(g) {
		s.add(path)
	}
}

func (s *stamper) add(path string) {
	if _, ok := s.stamps[path]; ok || path == "" {
		return
	}
	if early, ok := s.before[path]; ok {
		s.stamps[path] = early
		return
	}
	s.stamps[path] = stampOf(path)
}

// moduleFiles lists the files that decide about the build list, also those that are not there but would.
func moduleFiles(g *Graph) []string {
	var files []string
	for _, m := range g.Modules {
		if m.Main || !below(m.Dir, g.Context.GOMODCACHE) {
			files = append(files, m.GoMod, filepath.Join(m.Dir, "go.sum"))
		}
	}
	for _, dir := range g.vendorDirs {
		files = append(files, filepath.Join(dir, "modules.txt"))
	}
	if g.gowork != "" {
		files = append(files, g.gowork, g.gowork+".sum")
	}
	for dir := g.Root; ; dir = filepath.Dir(dir) {
		files = append(files, filepath.Join(dir, "go.work"), filepath.Join(dir, "go.mod"))
		if dir == filepath.Dir(dir) {
			return files
		}
	}
}

// isModuleFile says that a change of this file can change the build list, or what a vendored dependency is.
func isModuleFile(path string) bool {
	switch filepath.Base(path) {
	case "go.mod", "go.sum", "go.work", "go.work.sum":
		return true
	}
	return strings.Contains("/"+filepath.ToSlash(path), "/vendor/")
}

// changedFiles compares the stamps with the disk. It lists the source files that changed, appeared or vanished, relative
// to the root where they lie below it; false when something changed that decides about more than its own package.
func changedFiles(root string, stamps map[string]stamp) (changed []string, ok bool) {
	paths := keysOf(stamps)
	fresh := make([]stamp, len(paths))
	parallel((len(paths)+255)/256, 2, func(block int) {
		for i := block * 256; i < min(len(paths), (block+1)*256); i++ {
			fresh[i] = stampOf(paths[i])
		}
	})
	for i, path := range paths {
		if fresh[i] == stamps[path] {
			continue
		}
		switch {
		case isModuleFile(path):
			return nil, false
		case !isSource(path) && below(path, root):
			added, ok := newFiles(path, stamps)
			if !ok {
				return nil, false
			}
			changed = append(changed, added...)
		case isSource(path):
			changed = append(changed, path)
		default:
			return nil, false
		}
	}
	for i, path := range changed {
		changed[i] = relTo(root, path)
	}
	slices.Sort(changed)
	return slices.Compact(changed), true
}

// newFiles lists the source files of a changed folder (or of folders new in it) that have no stamp yet; false when a
// module appeared.
func newFiles(dir string, stamps map[string]stamp) (added []string, ok bool) {
	s := &stamper{stamps: map[string]stamp{}, before: map[string]stamp{}}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, true // vanished: its files are in the stamps
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		_, known := stamps[path]
		switch name := entry.Name(); {
		case known:
		case entry.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules":
			s.walk(path)
		case name == "go.mod":
			return nil, false
		case isSource(name) && !entry.IsDir():
			added = append(added, path)
		}
	}
	return append(added, keysOf(s.before)...), len(s.gomods) == 0
}
