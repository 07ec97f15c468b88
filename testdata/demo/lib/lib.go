// Package lib holds the small parts that the other packages of demo are built from.
package lib

// Limit is the largest number of values that a [Store] takes.
const Limit = 8

// Store sums the first [Limit] values that are put into it.
type Store struct {
	n   int
	sum int
}

// Put adds v unless the store is full.
func (s *Store) Put(v int) {
	if s.n == Limit {
		return
	}
	s.n++
	s.sum += v
}

// Sum returns the total of the values in the store.
func (s *Store) Sum() int {
	return s.sum
}

// Double returns two times v.
func Double(v int) int {
	return v * 2
}

// Tail returns vs without its first value.
func Tail(vs []int) []int {
	if len(vs) == 0 {
		return nil
	}
	return vs[1:]
}
