package main

import (
	"go/ast"
	"slices"
	"strings"
)

// This file tells what an edit of function bodies leaves as it was: most files and test units of the edited packages.
//
// Invariant: what another file or unit sees of a package is its text outside the bodies of functions, and what that
// mentions of other packages. While both stay, a file that is not edited and mentions nothing changed has the same
// errors and the same meaning.

// bodiesOnly says that the candidate changes nothing of a package but bodies of functions, and that nothing changed is
// mentioned outside of them. It is to be asked when the walk is over.
func (c *candidate) bodiesOnly(p *Package) bool {
	before := c.view.below.graph.Packages[p.Path]
	if before == nil || !sameFiles(before, p) || len(p.CgoFiles)+len(p.Problems)+len(before.Problems) > 0 {
		return false
	}
	if t := c.touched[p.Path]; t != nil && t.embeds {
		return false
	}
	// Errors outside of bodies have positions that move with the text.
	if e := c.view.entry(p.Path); e == nil || strings.HasSuffix(e.api.extra, errorMark) {
		return false
	}
	return !slices.ContainsFunc(c.view.graph.Files(p, Primary), func(rel string) bool {
		return !c.sameOutside(rel) || c.mentionsOutside(p, rel)
	})
}

// sameOutside says that a file has the text of the base outside the bodies of its functions.
func (c *candidate) sameOutside(rel string) bool {
	if _, edited := c.view.overlay[rel]; !edited {
		return true
	}
	was, known := c.view.u.noted(rel)
	if !known && !c.blind {
		was = c.view.below.note(rel)
	}
	return was.outside != "" && was.outside == c.view.note(rel).outside
}

// mentionsOutside says that a file mentions something changed outside the bodies of its functions.
func (c *candidate) mentionsOutside(p *Package, rel string) bool {
	if !c.mentions(p, c.view.note(rel).uses) {
		return false
	}
	heads := withoutBodies([]*ast.File{c.view.parse(rel).ast})
	return c.mentions(p, findUses(heads[0], c.view.localName))
}

// addsTests says that the test unit of a package checks no bodies but those of its own files.
func (c *candidate) addsTests(p *Package) bool {
	tests := make([]testFile, len(p.TestGoFiles))
	for i, rel := range c.view.graph.testFiles(p) {
		tests[i] = c.view.note(rel).test
	}
	return addsOnly(tests)
}

// stands says that a file of a unit is as it was: the same text with the same meaning.
func (c *candidate) stands(key UnitKey, rel string) bool {
	p := c.view.graph.Packages[key.Pkg]
	_, edited := c.view.overlay[rel]
	return !edited && key.Variant == Primary && c.inBodies[key.Pkg] && !c.mentions(p, c.view.note(rel).uses)
}

// vectors yields the resolution hashes of a unit of the candidate; those of files that stand are the base's.
func (c *candidate) vectors(key UnitKey, inverse renameMap) []string {
	was := map[string]string{}
	if state := c.view.u.units[key]; state != nil {
		for _, f := range state.files {
			if c.stands(key, f.Path) {
				was[f.Path] = f.Vector
			}
		}
	}
	return vectorHashes(c.units[key], inverse, was)
}
