package main

import (
	"go/ast"
	"go/token"
	"slices"
	"sort"
)

// fileIndex finds the file of a position.
type fileIndex struct {
	starts []token.Pos
	ends   []token.Pos
	order  []int
}

func newFileIndex(files []*ast.File) fileIndex {
	x := fileIndex{order: make([]int, len(files))}
	for i := range files {
		x.order[i] = i
	}
	slices.SortFunc(x.order, func(a, b int) int { return int(files[a].FileStart - files[b].FileStart) })
	for _, i := range x.order {
		x.starts = append(x.starts, files[i].FileStart)
		x.ends = append(x.ends, files[i].FileEnd)
	}
	return x
}

// find is the index of the file that holds pos and the offset in it; -1 for a position of no file.
func (x fileIndex) find(pos token.Pos) (file, off int) {
	k := sort.Search(len(x.starts), func(k int) bool { return x.starts[k] > pos }) - 1
	if k < 0 || pos > x.ends[k] {
		return -1, 0
	}
	return x.order[k], int(pos - x.starts[k])
}
