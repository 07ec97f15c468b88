package main

import (
	"cmp"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// This file serves the method contexts: it finds the fewest build contexts that compile the files which the workspace's own
// build leaves out.
//
// Invariant: what a constraint means is go/build's business alone.

func init() { methods["contexts"] = (*server).handleContexts }

// further is one more build context.
type further struct {
	GOOS   string   `json:"goos"`
	GOARCH string   `json:"goarch"`
	Tags   []string `json:"tags"` // those of the own build included
	Cgo    bool     `json:"cgo"`
	Files  []string `json:"files"` // which of the files it compiles
}

// platforms are tried in this order; the own one is tried before them.
var platforms = []string{
	"linux/amd64", "windows/amd64", "darwin/arm64", "linux/arm64", "freebsd/amd64", "openbsd/amd64", "netbsd/amd64",
	"solaris/amd64", "plan9/amd64", "js/wasm", "wasip1/wasm", "android/arm64", "ios/arm64", "dragonfly/amd64",
	"illumos/amd64", "aix/ppc64", "darwin/amd64", "linux/386", "linux/arm", "linux/riscv64", "linux/ppc64le", "linux/s390x",
	"linux/loong64", "linux/mips64le", "linux/mips64", "linux/mipsle", "linux/mips", "linux/ppc64", "windows/386",
	"windows/arm64", "freebsd/386", "freebsd/arm64", "openbsd/386", "openbsd/arm64", "netbsd/386", "netbsd/arm64",
	"plan9/386", "plan9/arm",
}

// neverSet are tags that by convention nobody sets: files with them are run by name, or hold versions of tools.
var neverSet = []string{"ignore", "tools"}

// mostTags is how many custom tags of one file are tried one by one.
const mostTags = 6

func (s *server) handleContexts(r *request) (any, error) {
	var params struct {
		Files []string  `json:"files"` // that the own build leaves out
		More  []further `json:"more"`  // contexts that are wanted in any case
		Limit int       `json:"limit"` // how many may be derived
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	if s.graph == nil {
		return nil, failf(notLoaded, "nothing is loaded")
	}
	d := &deriver{g: s.graph, files: s.graph.constrained(params.Files)}
	for _, f := range params.More {
		f.Cgo = f.GOOS == d.g.Context.GOOS && f.GOARCH == d.g.Context.GOARCH && d.g.Context.Cgo
		f.Tags = d.withOwn(f.Tags)
		d.choose(f)
	}
	wanted := len(d.chosen)
	d.derive()
	d.merge(wanted)
	d.listFiles()
	d.cut(wanted, params.Limit)
	return map[string]any{"contexts": orEmpty(d.chosen)}, nil
}

// constrainedFile is a Go file with the custom tags of its constraints.
type constrainedFile struct {
	SourceFile
	abs  string
	src  []byte
	tags []string
}

// constrained reads the files that go patterns would find.
func (g *Graph) constrained(files []string) []constrainedFile {
	var list []constrainedFile
	for _, rel := range files {
		abs := g.Abs(rel)
		src, err := os.ReadFile(abs)
		if err != nil || g.vendored(filepath.Dir(abs)) || hiddenFolder(g.Rel(filepath.Dir(abs))) {
			continue
		}
		list = append(list, constrainedFile{scanFile(g.build, g.Root, abs, src), abs, src, customTags(src)})
	}
	return list
}

// customTags lists the words of a file's constraints that name neither a platform nor a property of the toolchain.
func customTags(src []byte) []string {
	tree, _ := parser.ParseFile(token.NewFileSet(), "", src, parser.PackageClauseOnly|parser.ParseComments)
	if tree == nil {
		return nil
	}
	set := map[string]bool{}
	for _, group := range tree.Comments {
		for _, comment := range group.List {
			if comment.Pos() > tree.Package {
				continue
			}
			if expr, err := constraint.Parse(comment.Text); err == nil {
				eachTag(expr, func(tag string) { set[tag] = set[tag] || isCustom(tag) })
			}
		}
	}
	return slices.DeleteFunc(sorted(set), func(tag string) bool { return !set[tag] })
}

func eachTag(expr constraint.Expr, do func(tag string)) {
	switch e := expr.(type) {
	case *constraint.TagExpr:
		do(e.Tag)
	case *constraint.NotExpr:
		eachTag(e.X, do)
	case *constraint.AndExpr:
		eachTag(e.X, do)
		eachTag(e.Y, do)
	case *constraint.OrExpr:
		eachTag(e.X, do)
		eachTag(e.Y, do)
	}
}

func isCustom(tag string) bool {
	switch {
	case slices.Contains(neverSet, tag), slices.Contains([]string{"cgo", "gc", "gccgo", "unix", "zos", "nacl", "hurd"}, tag),
		strings.HasPrefix(tag, "go1."), strings.HasPrefix(tag, "goexperiment."):
		return false
	}
	return !slices.ContainsFunc(platforms, func(p string) bool {
		goos, goarch, _ := strings.Cut(p, "/")
		return tag == goos || tag == goarch
	})
}

// deriver chooses contexts until every file that can be compiled is.
type deriver struct {
	g      *Graph
	files  []constrainedFile
	chosen []further
}

// choose takes a context, unless it is the own one or was taken before.
func (d *deriver) choose(f further) {
	own := d.g.Context
	same := func(other further) bool {
		return f.GOOS == other.GOOS && f.GOARCH == other.GOARCH && slices.Equal(f.Tags, other.Tags)
	}
	if !same(further{GOOS: own.GOOS, GOARCH: own.GOARCH, Tags: d.withOwn(nil)}) && !slices.ContainsFunc(d.chosen, same) {
		d.chosen = append(d.chosen, f)
	}
}

// derive chooses, of what compiles each file first, the contexts that compile most.
func (d *deriver) derive() {
	var found deriver
	found.g = d.g
	for _, file := range d.files {
		if f, ok := d.first(file); ok {
			found.choose(f)
		}
	}
	for {
		best, covers := further{}, 0
		for _, f := range found.chosen {
			if n := len(d.uncoveredIn(f)); n > covers {
				best, covers = f, n
			}
		}
		if covers == 0 {
			return
		}
		d.choose(best)
	}
}

// first finds the context with the fewest tags, on the most common platform, that compiles a file.
func (d *deriver) first(file constrainedFile) (further, bool) {
	own := d.g.Context
	tagSets := [][]string{nil}
	for _, tag := range file.tags[:min(len(file.tags), mostTags)] {
		tagSets = append(tagSets, []string{tag})
	}
	if len(file.tags) > 1 {
		tagSets = append(tagSets, file.tags)
	}
	for _, tags := range tagSets {
		f := further{GOOS: own.GOOS, GOARCH: own.GOARCH, Tags: d.withOwn(tags), Cgo: own.Cgo}
		if d.compiles(f, file) {
			return f, true
		}
		for _, platform := range platforms {
			f.GOOS, f.GOARCH, _ = strings.Cut(platform, "/")
			f.Cgo = false
			if (f.GOOS != own.GOOS || f.GOARCH != own.GOARCH) && d.compiles(f, file) {
				return f, true
			}
		}
	}
	return further{}, false
}

// withOwn adds the tags of the own build.
func (d *deriver) withOwn(tags []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(d.g.Context.Tags, tags))))
}

func (d *deriver) compiles(f further, file constrainedFile) bool {
	rules := buildContext(Context{GOOS: f.GOOS, GOARCH: f.GOARCH, Tags: f.Tags, Cgo: f.Cgo, GOROOT: d.g.Context.GOROOT})
	return file.Package != "documentation" && !(file.Cgo && !f.Cgo) && matchFile(rules, file.abs, file.src)
}

// uncoveredIn lists the folders of the files that a context compiles and none of the chosen ones does.
func (d *deriver) uncoveredIn(f further) []string {
	var dirs []string
	for _, file := range d.files {
		covered := func(chosen further) bool { return d.compiles(chosen, file) }
		if d.compiles(f, file) && !slices.ContainsFunc(d.chosen, covered) {
			dirs = append(dirs, filepath.Dir(file.abs))
		}
	}
	return dirs
}

// merge joins derived contexts of one platform whose tags concern different folders: there they can't clash.
func (d *deriver) merge(wanted int) {
	for i := wanted; i < len(d.chosen); i++ {
		for j := len(d.chosen) - 1; j > i; j-- {
			if joined, ok := d.joined(d.chosen[i], d.chosen[j]); ok {
				d.chosen[i] = joined
				d.chosen = slices.Delete(d.chosen, j, j+1)
			}
		}
	}
}

func (d *deriver) joined(a, b further) (further, bool) {
	if a.GOOS != b.GOOS || a.GOARCH != b.GOARCH {
		return a, false
	}
	both := a
	both.Tags = d.withOwn(slices.Concat(a.Tags, b.Tags))
	dirs := map[string]bool{}
	for _, file := range d.files {
		inA, inB, dir := d.compiles(a, file), d.compiles(b, file), filepath.Dir(file.abs)
		if inA != inB && dirs[dir] != inB && has(dirs, dir) || (inA || inB) && !d.compiles(both, file) {
			return a, false
		}
		if inA != inB {
			dirs[dir] = inB
		}
	}
	return both, true
}

// listFiles says of each chosen context what it compiles.
func (d *deriver) listFiles() {
	for i := range d.chosen {
		d.chosen[i].Files = []string{}
		for _, file := range d.files {
			if d.compiles(d.chosen[i], file) {
				d.chosen[i].Files = append(d.chosen[i].Files, d.g.Rel(file.abs))
			}
		}
	}
}

// cut keeps as many derived contexts as the limit allows: those that compile most, of equals the platform's own.
func (d *deriver) cut(wanted, limit int) {
	derived := d.chosen[wanted:]
	foreign := func(f further) int {
		if f.GOOS == d.g.Context.GOOS && f.GOARCH == d.g.Context.GOARCH {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(derived, func(a, b further) int {
		return cmp.Or(cmp.Compare(len(b.Files), len(a.Files)), cmp.Compare(foreign(a), foreign(b)))
	})
	d.chosen = d.chosen[:wanted+min(len(derived), limit)]
}

func has(set map[string]bool, key string) bool {
	_, ok := set[key]
	return ok
}
