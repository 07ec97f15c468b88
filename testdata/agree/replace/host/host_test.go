package host

import "testing"

func TestRun(t *testing.T) {
	got, err := Run(Default(), "echo", "a", "b")
	if err != nil || got != "a b" {
		t.Fatal(got, err)
	}
}
