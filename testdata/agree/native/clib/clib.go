// Package clib calls C.
package clib

/*
#define LIMIT 7
typedef struct { int a; int b; } pair;
static int add(int a, int b) { return a + b; }
*/
import "C"

// Limit is a constant of C.
const Limit = C.LIMIT

// Add adds in C.
func Add(a, b int) int { return int(C.add(C.int(a), C.int(b))) }

// Pair has a field of a C type behind it.
type Pair struct{ inner C.pair }

// Sum adds both halves.
func (p *Pair) Sum() int { return Add(int(p.inner.a), int(p.inner.b)) }
