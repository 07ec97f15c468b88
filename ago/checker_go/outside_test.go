package main

import "testing"

const besides = `
-- ws/go.work --
go 1.26

use (
	.
	../beside
)
-- ws/go.mod --
module ex.com/m

go 1.26
-- ws/a/a.go --
package a

type T struct{ N int }

func F() *T { return nil }
-- beside/go.mod --
module ex.com/beside

go 1.26
-- beside/direct/d.go --
package direct

import "ex.com/m/a"

var T = a.F()
-- beside/deep/d.go --
package deep

import "ex.com/beside/direct"

func N() int { return direct.T.N }
-- beside/alone/a.go --
package alone
-- beside/alone/a_test.go --
package alone

import "ex.com/m/a"

var _ = a.F
-- beside/unconcerned/u.go --
package unconcerned
`

// TestOutside: packages outside the root that lead into it are checked, with their tests, and the receiver of the graph
// does not hear of them as packages.
func TestOutside(t *testing.T) {
	root := tree(t, besides) + "/ws"
	s := &server{root: root, jobs: 2}
	result, _ := call(t, s, "load", map[string]any{"root": root, "cache_dir": depsCache()})
	reply := result.(loadReply)
	same(t, "packages", len(reply.Packages), 1)
	same(t, "outside", reply.Outside, "[ex.com/beside/alone ex.com/beside/deep ex.com/beside/direct]")
	got := verdicts(check(t, s, map[string]any{"overlay": Overlay{"a/a.go": text("package a\n\ntype T struct{ M int }\n\nfunc F() *T { return nil }\n")}}))
	same(t, "verdicts", got, "[alone test full: deep  full: MissingFieldOrMethod direct  full: a  full:]")
	put(t, root, "../beside/unconcerned/u.go", "package unconcerned\n\nimport \"ex.com/m/a\"\n\nvar N = a.F().N\n")
	result, _ = call(t, s, "refresh", map[string]any{"paths": []string{"../beside/unconcerned/u.go"}})
	moved := result.(*movedReply)
	same(t, "told", len(moved.Packages), 0)
	same(t, "outside now", len(moved.Outside), 4)
}
