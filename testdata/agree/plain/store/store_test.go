package store

import (
	"testing"

	"example.test/plain/shape"
)

func TestPut(t *testing.T) {
	s := New()
	sq, err := shape.New("a", 2)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Put("a", sq); n != 1 || s.Total(shape.Area) != 4 {
		t.Fatal(n)
	}
}
