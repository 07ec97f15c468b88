package main

import (
	"encoding/json"
	"slices"
	"testing"
)

const severalBuilds = `
-- go.mod --
module ex.com/m

go 1.25
-- os/os.go --
package os

type File struct{ Name string }
-- os/os_linux.go --
package os

const Depth = 4

func Lock(f File) error { return nil }
-- os/os_windows.go --
package os

const Depth = 2

func Lock(f File) error { return nil }
-- os/os_darwin.go --
package os

const Depth = 4

func Lock(f File) error { return nil }
-- user/user.go --
package user

import "ex.com/m/os"

var Ring [os.Depth]int
-- far/far.go --
package far

import "ex.com/m/user"

var Far = len(user.Ring)
-- farther/farther.go --
package farther

import "ex.com/m/far"

var Farther = far.Far
-- e2e/e2e_test.go --
//go:build e2e

package e2e
-- tools.go --
//go:build ignore

package main
`

var outside = []string{"os/os_windows.go", "os/os_darwin.go", "e2e/e2e_test.go", "tools.go"}

func TestContextsCoverWhatCanBeCompiled(t *testing.T) {
	s := loadServer(t, tree(t, severalBuilds))
	own := s.graph.Context
	result, _ := call(t, s, "contexts", map[string]any{"files": outside, "limit": 6})
	var found []string
	for _, f := range result.(map[string]any)["contexts"].([]further) {
		found = append(found, f.GOOS+"/"+f.GOARCH+" "+listText(f.Tags)+" "+listText(f.Files))
	}
	same(t, "contexts", found, []string{own.GOOS + "/" + own.GOARCH + " [e2e] [e2e/e2e_test.go]",
		"windows/amd64 [] [os/os_windows.go]", "darwin/arm64 [] [os/os_darwin.go]"})
}

func listText(list []string) string {
	text, _ := json.Marshal(orEmpty(list))
	return string(slices.DeleteFunc(text, func(c byte) bool { return c == '"' }))
}

// checked lists the units that check_all reports.
func checked(t *testing.T, s *server, params any) []string {
	t.Helper()
	_, events := call(t, s, "check_all", params)
	var units []string
	for _, raw := range events {
		var event struct{ Unit *UnitResult }
		if json.Unmarshal(raw, &event) == nil && event.Unit != nil {
			units = append(units, event.Unit.UnitKey.String())
		}
	}
	slices.Sort(units)
	return units
}

func TestAFurtherBuildSpeaksOfWhatLooksDifferentThere(t *testing.T) {
	root := tree(t, severalBuilds)
	s := loadServer(t, root)
	checked(t, s, map[string]any{})
	for goos, want := range map[string][]string{
		"windows": {"ex.com/m/far", "ex.com/m/os", "ex.com/m/user"}, // far sees another array and shows an int as before
		"darwin":  {"ex.com/m/os"},
	} {
		f := newServer(root)
		call(t, f, "load", map[string]any{"root": root, "cache_dir": depsCache(), "goos": goos, "goarch": "arm64",
			"cgo": false, "own": s.graph.Context})
		same(t, goos, checked(t, f, map[string]any{"own_api": apiHashes(s.universe)}), want)
	}
}
