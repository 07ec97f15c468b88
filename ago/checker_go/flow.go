package main

import (
	"go/scanner"
	"go/token"
	"sync"
)

// This file says whether an edited file can have another control flow without its syntax trees being compared.

// flowMoves answers, by edited file, whether it may have got another control flow: found once for all units that have it.
func (c *candidate) flowMoves() map[string]func() bool {
	moves := map[string]func() bool{}
	for name := range c.view.overlay {
		moves[name] = sync.OnceValue(func() bool {
			before, err := c.view.below.read(name)
			after, _ := c.view.read(name)
			return err != nil || !keepsFlow(before, after)
		})
	}
	return moves
}

// keepsFlow says that both texts are the same tokens but for what names and literals say. They have one syntax tree then,
// and each statement leaves the construct that it left before; labels are names, which the resolution hashes compare.
func keepsFlow(before, after []byte) bool {
	old, edited := tokenKinds(before), tokenKinds(after)
	for {
		tok := old()
		if tok != edited() {
			return false
		}
		if tok == token.EOF {
			return true
		}
	}
}

// tokenKinds gives one token of a text after the other, without comments, EOF at the end.
func tokenKinds(text []byte) func() token.Token {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, func(token.Position, string) {}, 0)
	return func() token.Token {
		_, tok, _ := s.Scan()
		return tok
	}
}
