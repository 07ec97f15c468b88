package lib

import "testing"

func TestUseHelper(t *testing.T) {
	if got := UseHelper(); got != helper(2) {
		t.Errorf("UseHelper() = %d, want %d", got, helper(2))
	}
	if rest := Tail([]int{1, 2}); len(rest) != 1 {
		t.Errorf("Tail kept %d values, want 1", len(rest))
	}
}
