// Package use imports the package with C.
package use

import (
	"strconv"

	"example.test/native/clib"
)

// Text is a sum as text.
func Text(n int) string {
	var p clib.Pair
	return strconv.Itoa(clib.Add(n, clib.Limit)+p.Sum()) + clib.Show(1, 2)
}
