package shape_test

import (
	"testing"

	"example.test/plain/shape"
	"example.test/plain/store"
)

type fake struct{ size int }

func (f fake) Kind() shape.Kind { return shape.Line }
func (f fake) Size() int        { return f.size }

func TestSorted(t *testing.T) {
	got := shape.Sorted([]shape.Shape{fake{3}, fake{1}})
	if got[0].Size() != 1 {
		t.Fatal(got)
	}
	if store.New().Len() != 0 {
		t.Fatal("not empty")
	}
}
