package main

import (
	"maps"
	"slices"
)

// This file says where beyond the own build an overlay may mean something: further builds are asked only there.
//
// Invariant: a package that a further build compiles from the same files, that imports nothing which differs there, and
// that mentions nothing that changed, is judged there exactly as in the own build.

// reaches lists the packages that the overlay edits, what these import and did not import before, and the packages of
// all units that had to be checked.
func (c *candidate) reaches() []string {
	reached := map[string]bool{}
	for path := range c.touched {
		reached[path] = true
		before := c.view.below.graph.Packages[path].allDirects()
		for _, imp := range c.view.graph.Packages[path].allDirects() {
			if !slices.Contains(before, imp) {
				reached[imp] = true
			}
		}
	}
	for _, key := range c.keys {
		reached[key.Pkg] = true
	}
	return slices.Sorted(maps.Keys(reached))
}

// elsewhere lists the files, of other builds, that mention something changed.
func (c *candidate) elsewhere(files []string) []string {
	mentioning := []string{}
	if len(c.replaced) == 0 {
		return mentioning
	}
	for _, rel := range files {
		p, _ := c.view.graph.PackageOfFile(rel)
		if p == nil {
			p = &Package{}
		}
		if c.mentions(p, c.view.note(rel).uses) {
			mentioning = append(mentioning, rel)
		}
	}
	return mentioning
}
