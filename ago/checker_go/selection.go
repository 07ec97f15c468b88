package main

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
)

// This file says what an overlay touches, and which units have to be checked with bodies for it.
//
// Invariant: a unit that is left out mentions nothing that changed, in no file of it.

// touch says which files of a package an overlay changes.
type touch struct{ primary, test, xtest, embeds bool }

// touch notes what a file of the overlay is to the packages of a graph.
func (c *candidate) touch(g *Graph, rel string) {
	p, role := g.PackageOfFile(rel)
	if IsModuleFile(rel) {
		c.tainted = append(c.tainted, taint{"module files", "judged by the go command"})
		return
	}
	if p == nil || role == "other" || filepath.Ext(rel) != ".go" {
		if p != nil && isSource(rel) && filepath.Ext(rel) != ".go" {
			c.tainted = append(c.tainted, taint{p.Path, filepath.Ext(rel) + " files are judged by the toolchain"})
		}
		c.touchEmbedders(g, rel)
		return
	}
	t := c.touchOf(p.Path)
	switch role {
	case "go":
		t.primary = true
	case "cgo":
		t.primary = true
	case "test":
		t.test = true
	case "xtest":
		t.xtest = true
	case "":
		// A file with another package clause, or one that is gone: its package is what its name says.
		if !isTestFile(rel) {
			t.primary = true
		} else {
			t.test, t.xtest = true, true
		}
	}
}

func (c *candidate) touchOf(path string) *touch {
	if c.touched[path] == nil {
		c.touched[path] = &touch{}
	}
	return c.touched[path]
}

// touchEmbedders finds the packages above a file that is no Go source and may be embedded.
func (c *candidate) touchEmbedders(g *Graph, rel string) {
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		p, _ := g.PackageOfFile(path.Join(dir, "x.go"))
		if p != nil && len(p.EmbedPatterns)+len(p.TestEmbedPatterns)+len(p.XTestEmbedPatterns) > 0 {
			c.touchOf(p.Path).embeds = true
		}
		if dir == "." || dir == "/" {
			return
		}
	}
}

// hits says whether the files that a variant adds mention something changed.
func (c *candidate) hits(p *Package, v Variant) bool {
	if len(c.replaced) == 0 {
		return false
	}
	files := c.view.graph.Files(p, v)
	if v == InTest {
		files = c.view.graph.testFiles(p)
	}
	return slices.ContainsFunc(files, func(rel string) bool { return c.mentions(p, c.view.note(rel).uses) })
}

// mentions says whether something changed is among what a file of a package uses.
func (c *candidate) mentions(p *Package, uses nameUses) bool {
	for imp, names := range uses {
		path := p.Resolve(imp)
		if !c.replaced[path] {
			continue
		}
		if c.all[path] || names[wholePackage] && len(c.changed[path]) > 0 || overlap(names, c.changed[path]) {
			return true
		}
	}
	return false
}

// selectUnits lists the units to check with bodies and those that are gone.
func (c *candidate) selectUnits() error {
	g, old := c.view.graph, c.view.below.graph
	concerned := map[string]bool{}
	for path := range c.touched {
		concerned[path] = true
	}
	for path := range c.replaced {
		concerned[path] = true
		for _, importer := range slices.Concat(g.Importers(path), g.TestImporters(path)) {
			concerned[importer] = true
		}
	}
	for _, path := range slices.Sorted(maps.Keys(concerned)) {
		p, before := g.Packages[path], old.Packages[path]
		here := unitKeys(p)
		for _, key := range unitKeys(before) {
			if !slices.Contains(here, key) {
				c.gone = append(c.gone, key)
			}
		}
		if len(here) == 0 {
			continue
		}
		if !before.foreign() && !c.contrast.wants(p) {
			if c.touched[path] != nil {
				c.gone = append(c.gone, here...)
			}
			continue
		}
		keys, err := c.unitsOf(p)
		if err != nil {
			return err
		}
		if len(keys) == 0 && c.replaced[path] {
			c.rebound = append(c.rebound, path)
		}
		c.keys = append(c.keys, keys...)
	}
	return nil
}

// unitsOf lists the units of a package that have to be checked.
func (c *candidate) unitsOf(p *Package) ([]UnitKey, error) {
	t := c.touched[p.Path]
	if t == nil {
		t = &touch{}
	}
	primary := t.primary || t.embeds || c.hits(p, Primary)
	tests := t.test || t.embeds || c.hits(p, InTest)
	inBodies := primary && c.bodiesOnly(p)
	c.inBodies[p.Path] = inBodies
	inTest := tests || primary && !(inBodies && c.addsTests(p))
	external := t.xtest || t.embeds || c.hits(p, XTest)
	if !primary && !inTest && !external {
		return nil, nil
	}
	if err := c.prepareImports([]string{p.Path}, true); err != nil {
		return nil, err
	}
	external = external || len(p.XTestGoFiles) > 0 && (tests || !inBodies) && c.testMoved(p)
	var keys []UnitKey
	for _, key := range unitKeys(p) {
		if key.Variant == Primary && primary || key.Variant == InTest && inTest || key.Variant == XTest && external {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// testMoved says whether p [p.test] shows its external test anything new.
func (c *candidate) testMoved(p *Package) bool {
	before := c.view.below.graph.Packages[p.Path]
	if before == nil || len(before.TestGoFiles) == 0 || len(p.TestGoFiles) == 0 {
		return before == nil || len(before.TestGoFiles) != len(p.TestGoFiles)
	}
	state := c.view.u.units[UnitKey{p.Path, InTest}]
	if state == nil || state.apiHash == "" {
		return true
	}
	return c.view.testHash(p) != state.apiHash
}

// unitKeys lists the units that a package has which is checked with bodies.
func unitKeys(p *Package) []UnitKey {
	if !p.checked() {
		return nil
	}
	var keys []UnitKey
	if len(p.GoFiles)+len(p.CgoFiles) > 0 {
		keys = append(keys, UnitKey{p.Path, Primary})
	}
	if len(p.TestGoFiles) > 0 && p.testable() {
		keys = append(keys, UnitKey{p.Path, InTest})
	}
	if len(p.XTestGoFiles) > 0 && p.testable() {
		keys = append(keys, UnitKey{p.Path, XTest})
	}
	return keys
}
