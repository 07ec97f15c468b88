package lib

import "testing"

func TestFilter(t *testing.T) {
	got := Filter([]Event{{Low, "a"}, {High, "b"}}, High)
	if len(got) != 1 || got[0].Text != "b" {
		t.Fatal(got)
	}
}
