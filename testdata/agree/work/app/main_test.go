package main

import (
	"testing"

	"example.test/lib"
)

func TestSend(t *testing.T) {
	p := &printer{}
	if err := send(p, lib.Event{Text: "low"}, lib.Event{Level: lib.High}); err != nil || p.count != 1 {
		t.Fatal(err, p.count)
	}
}
