package shape

import "testing"

func TestClamp(t *testing.T) {
	for _, c := range []struct{ in, limit, want int }{{-1, 3, 0}, {2, 3, 2}, {9, 3, 3}} {
		if got := clamp(c.in, c.limit); got != c.want {
			t.Fatal(got)
		}
	}
}

func helperName(s *Square) string { return s.Label("t-") }

func TestLabel(t *testing.T) {
	s, err := New("a", 2)
	if err != nil || helperName(s) != "t-a" {
		t.Fatal(err)
	}
}
