package main

import (
	"encoding/hex"
	"go/ast"
	"go/token"
	"go/types"
	"hash"
	"hash/fnv"
	"slices"
	"strconv"
)

// This file makes resolution hashes: one value a file for what every identifier in it means.
//
// Invariant: equal hashes mean equal meanings of the places in sites.go; a hash knows no offsets and no names of
// locals, so moving text or renaming (with the inverse map) leaves it alone.

// vectorHashes yields the resolution hash of each file of u. inverse maps the names of a candidate back to those of its
// base, so that a pure rename has the hashes of the base; nil otherwise.
func vectorHashes(u *Unit, inverse renameMap) []string {
	ordinals := ordinalsOf(u)
	m := newMeanings(u, inverse, func(pos token.Pos, _ string) string {
		if n, ok := ordinals[pos]; ok {
			return strconv.Itoa(n)
		}
		return "?"
	})
	hashes := make([]string, len(u.Files))
	for i, f := range u.Files {
		hashes[i] = vectorHash(f, u, m)
	}
	return hashes
}

func vectorHash(f *ast.File, u *Unit, m *meanings) string {
	h := fnv.New64a()
	for path, name := range sortedMap(importSet(f, u.Info)) {
		write(h, path, name)
	}
	sites := sitesOf(f, u.Info, false)
	for i := range sites {
		s := &sites[i]
		write(h, changeKinds[s.kind], m.of(s))
		if tn, ok := s.obj.(*types.TypeName); ok && s.kind == siteDef {
			write(h, m.promoted(tn)...)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func write(h hash.Hash64, parts ...string) {
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
}

// ordinalsOf numbers the identifiers and case clauses of each file; the map holds those that declare something.
func ordinalsOf(u *Unit) map[token.Pos]int {
	ordinals := make(map[token.Pos]int, len(u.Info.Defs))
	for _, f := range u.Files {
		n := 0
		ast.Inspect(f, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.Ident:
				n++
				if _, declares := u.Info.Defs[node]; declares {
					ordinals[node.Pos()] = n
				}
			case *ast.CaseClause:
				n++
				ordinals[node.Pos()] = n
			}
			return true
		})
	}
	return ordinals
}

// sortedMap ranges over a map by key.
func sortedMap(m map[string]string) func(yield func(string, string) bool) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return func(yield func(string, string) bool) {
		for _, k := range keys {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}
