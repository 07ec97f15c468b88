package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strconv"
)

// This file makes resolution hashes: one value a file for what every identifier in it means.
//
// Invariant: equal hashes mean equal meanings of the places in sites.go; a hash knows no offsets and no names of
// locals, so moving text or renaming (with the inverse map) leaves it alone.

// vectorHashes yields the resolution hash of each file of u. inverse maps the names of a candidate back to those of its
// base, so that a pure rename has the hashes of the base; nil otherwise. known holds hashes by path that need no look.
func vectorHashes(u *Unit, inverse renameMap, known map[string]string) []string {
	m := newMeanings(u, inverse)
	hashes := make([]string, len(u.Files))
	for i, f := range u.Files {
		if hashes[i] = known[u.Names[i]]; hashes[i] == "" {
			hashes[i] = vectorHash(f, u, m)
		}
	}
	return hashes
}

func vectorHash(f *ast.File, u *Unit, m *meanings) string {
	// A local is its number in the order of first appearance.
	numbers := map[types.Object]string{}
	m.names.local = func(obj types.Object) string {
		n, ok := numbers[obj]
		if !ok {
			n = strconv.Itoa(len(numbers))
			numbers[obj] = n
		}
		return n
	}
	h := newTextHash()
	for path, name := range sortedMap(importSet(f, u.Info)) {
		h.add(path)
		h.add(name)
	}
	eachSite(f, u.Info, false, func(s site) {
		if s.kind == siteBoxed && s.index == 0 {
			return // the others tell
		}
		h.add(changeKinds[s.kind])
		if s.kind == siteUse {
			h.add(kindOf(s.obj)) // roles of references follow it
		}
		if s.kind == siteInferred {
			h.add(m.names.key(s.obj)) // declares the variable of a type-switch clause
		}
		h.add(m.of(&s))
		if tn, ok := s.obj.(*types.TypeName); ok && s.kind == siteDef {
			for _, method := range m.promoted(tn) {
				h.add(method)
			}
		}
	})
	return h.String()
}

// textHash is 64-bit FNV-1a over a list of texts.
type textHash uint64

func newTextHash() *textHash {
	h := textHash(14695981039346656037)
	return &h
}

func (h *textHash) add(text string) {
	sum := uint64(*h)
	for i := range len(text) {
		sum = (sum ^ uint64(text[i])) * 1099511628211
	}
	*h = textHash(sum * 1099511628211) // a zero byte ends a text
}

func (h *textHash) String() string { return fmt.Sprintf("%016x", uint64(*h)) }

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
