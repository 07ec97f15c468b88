package sig

// Counter counts in steps.
type Counter struct {
	step, n int
}

// NewCounter returns a counter that moves by step.
func NewCounter(step int) *Counter {
	return &Counter{step: step}
}

// Next moves on and returns the new count.
func (c *Counter) Next() int {
	c.n += c.step
	return c.n
}

// Reset goes back to the start.
func (c *Counter) Reset() {
	c.n = 0
}

// Tainted is bound to this package: its method needs a function that is local to it.
type Tainted struct {
	v int
}

// Value returns the clamped value.
func (t Tainted) Value() int {
	return clamp(t.v)
}

func clamp(v int) int {
	return min(max(v, LevelLow), LevelHigh)
}
