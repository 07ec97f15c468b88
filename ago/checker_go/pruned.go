package main

import (
	"os"
	"regexp"
	"strconv"
)

// This file loads a module of before Go 1.17 that lacks a dependency: there the go command wants the go.mod files of all
// dependencies before it lists anything, while with pruned module graphs it says of each package what it lacks.

var goLine = regexp.MustCompile(`(?m)^go[ \t]+1\.(\d+)\S*`)

// pruned is the text of a go.mod with the language version that pruning begins with; false where it has that anyway.
func pruned(text []byte) ([]byte, bool) {
	line := goLine.FindSubmatch(text)
	if line == nil {
		return append(text, "\ngo 1.17\n"...), true
	}
	if minor, err := strconv.Atoi(string(line[1])); err != nil || minor >= 17 {
		return nil, false
	}
	return goLine.ReplaceAll(text, []byte("go 1.17")), true
}

// prune has the go command read the one go.mod of the build as a newer one; packages are checked by the version that it
// really says. False where that can't help.
func (g *Graph) prune(mains []listedModule, params loadParams) bool {
	if g.gowork != "" || len(mains) != 1 || params.overlay != "" {
		return false
	}
	text, err := os.ReadFile(mains[0].GoMod)
	if err != nil {
		return false
	}
	text, ok := pruned(text)
	if !ok {
		return false
	}
	overlay := Overlay{g.Rel(mains[0].GoMod): {B64: text}}
	path, err := writeOverlay(g, overlay, savedPath(g.Root, params)+".pruned")
	if err != nil {
		return false
	}
	g.env = g.env.withFlag("-overlay=" + path)
	return true
}
