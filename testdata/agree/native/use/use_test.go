package use

import "testing"

func TestText(t *testing.T) {
	if got := Text(1); got != "83" {
		t.Fatal(got)
	}
}
