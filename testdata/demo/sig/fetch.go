// Package sig holds functions and types whose shapes the demo changes.
package sig

import (
	"errors"
	"fmt"
)

// Fetch describes a request for a and b; every value of rest counts.
func Fetch(a int, b string, rest ...int) string {
	return fmt.Sprintf("%d/%s/%d", a, b, len(rest))
}

// FetchPlain calls [Fetch] with values.
func FetchPlain() string {
	return Fetch(1, "plain", 2, 3)
}

// FetchSpread calls [Fetch] with a slice.
func FetchSpread(rest []int) string {
	return Fetch(1, "spread", rest...)
}

// FetchErr always fails.
func FetchErr() (int, error) {
	return 0, errors.New("nothing to fetch")
}

// Run fetches and looks away.
func Run() (int, error) {
	n, _ := FetchErr()
	return n, nil
}
