package sig

import (
	str "strings"

	"demo/lib"
)

// Config names a run; nothing reads Legacy.
type Config struct {
	Name   string
	Legacy bool
}

// Title is how the run is shown.
func (c Config) Title() string {
	return Shout(c.Name)
}

// Scale returns v, f times.
func Scale(v, f int) int {
	return v * f
}

// Unused has no caller.
func Unused() int {
	return 0
}

// Shout returns s in capitals.
func Shout(s string) string {
	return str.ToUpper(s)
}

// MovedHome works on values of [lib.Store] alone, with [lib.Double].
func MovedHome(s *lib.Store) int {
	s.Put(lib.Double(lib.Limit))
	return s.Sum()
}
