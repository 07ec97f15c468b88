// Package store keeps shapes.
package store

import (
	_ "embed"
	"strings"
	"sync"

	"example.test/plain/shape"
)

//go:embed banner.txt
var banner string

// Store is a set of shapes by name.
type Store struct {
	mu    sync.Mutex
	items map[string]shape.Shape
	order []shape.Pair[string, shape.Kind]
}

// New makes an empty store.
func New() *Store { return &Store{items: map[string]shape.Shape{}} }

// Put adds a shape and returns how many there are.
func (s *Store) Put(name string, item shape.Shape) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[name] = item
	s.order = append(s.order, shape.Pair[string, shape.Kind]{Key: name, Val: item.Kind()})
	return len(s.items)
}

// Len counts.
func (s *Store) Len() int { return len(s.items) }

// Total sums the sizes of one kind.
func (s *Store) Total(kind shape.Kind) int {
	var sizes []int
	for _, item := range s.items {
		if item.Kind() == kind {
			sizes = append(sizes, item.Size())
		}
	}
	return shape.Sum(sizes...)
}

// Banner is the embedded text.
func Banner() string { return strings.TrimSpace(banner) }

// Square reads one square back.
func (s *Store) Square(name string) (*shape.Square, bool) {
	sq, ok := s.items[name].(*shape.Square)
	return sq, ok
}
