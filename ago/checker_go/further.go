package main

import (
	"slices"
	"strings"
)

// This file says what a further build (another context) adds to the workspace's own: of which packages it speaks at all.
//
// Invariant: a package that a further build leaves out has the same files there, and looks at nothing that is different.

// ownAPI is the part of a request that tells a further build how packages look in the workspace's own.
type ownAPI struct {
	Hashes map[string]string `json:"own_api"` // package -> api hash
}

func (o ownAPI) learn(s *server) {
	if o.Hashes != nil {
		s.ownAPI = o.Hashes
	}
}

// foreign says that the package has a file that the workspace's own build leaves out.
func (p *Package) foreign() bool {
	return p != nil && slices.ContainsFunc(p.Scanned, func(f SourceFile) bool { return f.Foreign })
}

// contrast compares the packages of a view of a further build with those of the workspace's own.
type contrast struct {
	view    *view
	differs map[string]bool // packages whose exported API is not that of the own build
}

func newContrast(v *view) *contrast { return &contrast{v, map[string]bool{}} }

// wants says whether a package is this build's business. In the workspace's own build all are.
func (c *contrast) wants(p *Package) bool {
	if c.view.graph.Own == nil {
		return true
	}
	return p.foreign() || slices.ContainsFunc(p.allDirects(), c.differ)
}

// differ says whether importers of a package may find something else than in the own build.
func (c *contrast) differ(path string) bool {
	if known, ok := c.differs[path]; ok {
		return known
	}
	p := c.view.graph.Packages[path]
	if p == nil || !p.Source {
		return false
	}
	c.differs[path] = false // also ends cycles
	if p.foreign() || slices.ContainsFunc(p.directs(), c.differ) {
		c.differs[path] = c.otherAPI(path)
	}
	return c.differs[path]
}

func (c *contrast) otherAPI(path string) bool {
	for v := c.view.below; c.view.entry(path) == nil; v = c.view {
		if v == nil || v.graph.Packages[path] == nil {
			v = c.view
		}
		if _, err := v.ensure([]string{path}, true, nil); err != nil || v == c.view {
			break
		}
	}
	api, own := c.view.api(path), c.view.u.server.ownAPI[path]
	// Of what a package does not compile for, its importers can tell nothing.
	return api == nil || api.hash != own && !strings.HasSuffix(api.extra, errorMark)
}

// wanted lists the packages of a build that it speaks of, in import order.
func (u *Universe) wanted() []string {
	c := newContrast(u.base)
	return slices.DeleteFunc(u.base.graph.Order(), func(path string) bool {
		return !c.wants(u.base.graph.Packages[path])
	})
}

// findNeeded lists what a further build looks at: packages with foreign files, those that it has checked, and all that
// these import. In the workspace's own build everything counts.
func (c *candidate) findNeeded() {
	if c.view.graph.Own == nil {
		return
	}
	c.needed = map[string]bool{}
	for _, g := range []*Graph{c.view.graph, c.view.below.graph} {
		var visit func(path string)
		visit = func(path string) {
			p := g.Packages[path]
			if p == nil || !p.Source || c.needed[path] {
				return
			}
			c.needed[path] = true
			for _, imp := range p.allDirects() {
				visit(imp)
			}
		}
		for path, p := range g.Packages {
			if p.foreign() {
				visit(path)
			}
		}
		for key := range c.view.u.units {
			visit(key.Pkg)
		}
	}
}

// skips says that the walk need not make a package anew: nothing that this build looks at imports it.
func (c *candidate) skips(path string) bool { return c.needed != nil && !c.needed[path] }

// drop forgets a skipped package, which may have changed; it is made again when somebody wants it after all.
func (c *candidate) drop(path string) {
	c.view.put(path, nil)
	c.replaced[path], c.all[path] = true, true
}
