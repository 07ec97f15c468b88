package sig

import "testing"

func TestScale(t *testing.T) {
	tests := []struct {
		name string
		v    int
		f    int
		want int
	}{
		{name: "one", v: 2, f: 1, want: 2},
		{name: "zero", v: 2, f: 0, want: 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Scale(tt.v, tt.f); got != tt.want {
				t.Errorf("Scale(%v, %v) = %v, want %v", tt.v, tt.f, got, tt.want)
			}
		})
	}
}

func TestCounterSteps(t *testing.T) {
	c := NewCounter(3)
	c.Next()
	if got := c.Next(); got != 6 {
		t.Errorf("Next() = %d, want 6", got)
	}
	c.Reset()
	if got := c.Next(); got != 3 {
		t.Errorf("Next() after Reset() = %d, want 3", got)
	}
}

func TestSelfContained(t *testing.T) {
	sum := 0
	for v := range 4 {
		sum += v
	}
	if sum != 6 {
		t.Errorf("sum = %d, want 6", sum)
	}
}
