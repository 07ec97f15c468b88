package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// This file makes the keys of the export-data cache.
//
// Invariant: a key covers everything that the export data of a package depends on, its dependencies included.

// depsFormat is part of every key; raise it when the content of cache entries changes.
const depsFormat = "ago deps 2"

// keyMaker computes keys of packages whose dependencies have theirs.
type keyMaker struct {
	g       *Graph
	context string
	sums    map[*Module]string
}

func newKeyMaker(g *Graph) *keyMaker {
	c := g.Context
	context := fmt.Sprintln(depsFormat, c.GoVersion, c.GOROOT, c.GOOS, c.GOARCH, c.Cgo, c.CompilerPresent)
	return &keyMaker{g: g, context: context, sums: map[*Module]string{}}
}

// key hashes the context, the package's own sources and the keys of what it imports.
func (k *keyMaker) key(p *Package) string {
	h := sha256.New()
	// Tags only choose files.
	fmt.Fprintln(h, k.context, p.Path, p.languageVersion(), p.GoFiles, p.CgoFiles)
	if !p.Std {
		fmt.Fprintln(h, k.sources(p))
	}
	for _, imp := range p.Imports {
		path := p.Resolve(imp)
		fmt.Fprintln(h, imp, path)
		if dep := k.g.Packages[path]; dep != nil {
			fmt.Fprintln(h, dep.Key)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// sources identifies the files of a package: by the sum of its module in the module cache, else by content.
func (k *keyMaker) sources(p *Package) string {
	if p.Module != nil && below(p.Dir, k.g.Context.GOMODCACHE) {
		if sum := k.moduleSum(p.Module); sum != "" {
			return sum
		}
	}
	var parts []string
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		src, _ := os.ReadFile(filepath.Join(p.Dir, name))
		parts = append(parts, fmt.Sprintf("%s %x", name, sha256.Sum256(src)))
	}
	return strings.Join(parts, "\n")
}

// moduleSum is the h1: sum that the go command recorded when it unpacked the module whose folder this is; "" when
// there is none.
func (k *keyMaker) moduleSum(m *Module) string {
	sum, ok := k.sums[m]
	if !ok {
		sum = readModuleSum(k.g.Context.GOMODCACHE, m.Dir)
		k.sums[m] = sum
	}
	return sum
}

func readModuleSum(modcache, dir string) string {
	escaped, version, ok := strings.Cut(strings.TrimPrefix(dir, modcache+string(filepath.Separator)), "@")
	if !ok {
		return ""
	}
	sum, err := os.ReadFile(filepath.Join(modcache, "cache", "download", escaped, "@v", version+".ziphash"))
	if err != nil {
		return ""
	}
	return dir + " " + strings.TrimFunc(string(sum), unicode.IsSpace)
}

// languageVersion is what types.Config.GoVersion must be for a package: go1.16 for a module that names none, empty
// (the newest) for the standard library.
func (p *Package) languageVersion() string {
	switch {
	case p.Std:
		return ""
	case p.Module == nil || p.Module.GoVersion == "":
		return "go1.16"
	}
	return "go" + p.Module.GoVersion
}
