package clib

import "fmt"

// Show prints a sum.
func Show(a, b int) string { return fmt.Sprint(Add(a, b)) }
