// Package shape has values, interfaces and generics for others to use.
package shape

import (
	"errors"
	"fmt"
	"sort"
)

// Kind tells shapes apart.
type Kind int

// The kinds, in the order of their codes.
const (
	Dot Kind = iota
	Line
	Area
)

// Max is the largest size.
const Max uint8 = 200

// ErrSize is returned for a size over Max.
var ErrSize = errors.New("size")

// Shape is anything with a kind and a size.
type Shape interface {
	Kind() Kind
	Size() int
}

// Base carries a name.
type Base struct {
	Name string
	tags map[string]string
}

// Label is the name with a prefix.
func (b *Base) Label(prefix string) string { return prefix + b.Name }

// Square is a shape with a side.
type Square struct {
	Base
	Side int
}

// Kind is Area.
func (s *Square) Kind() Kind { return Area }

// Size is the surface.
func (s *Square) Size() int { return s.Side * s.Side }

// New makes a square, or says why not.
func New(name string, side int) (*Square, error) {
	if side > int(Max) {
		return nil, fmt.Errorf("%s: %w", name, ErrSize)
	}
	return &Square{Base: Base{Name: name, tags: map[string]string{}}, Side: side}, nil
}

// Number is what can be summed.
type Number interface {
	~int | ~int64 | ~float64
}

// Sum adds values.
func Sum[N Number](values ...N) N {
	var total N
	for _, v := range values {
		total += v
	}
	return total
}

// Pair is two values, the first of them comparable.
type Pair[K comparable, V any] struct {
	Key K
	Val V
}

// Swap turns a pair around.
func Swap[A comparable, B comparable](p Pair[A, B]) Pair[B, A] {
	return Pair[B, A]{Key: p.Val, Val: p.Key}
}

// Sorted returns shapes by size.
func Sorted(shapes []Shape) []Shape {
	out := append([]Shape(nil), shapes...)
	sort.Slice(out, func(i, j int) bool { return out[i].Size() < out[j].Size() })
	return out
}

func clamp(v, limit int) int {
	switch {
	case v < 0:
		return 0
	case v > limit:
		return limit
	}
	return v
}
