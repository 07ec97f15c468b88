package lib_test

import (
	"testing"

	"demo/lib"
)

func TestStoreStopsAtLimit(t *testing.T) {
	store := &lib.Store{}
	for range lib.Limit + 2 {
		store.Put(lib.Double(1))
	}
	if got, want := store.Sum(), lib.Double(lib.Limit); got != want {
		t.Errorf("Sum() = %d, want %d", got, want)
	}
}
