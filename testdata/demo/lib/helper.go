package lib

// helper takes one step up from v.
func helper(v int) int {
	return v + 1
}

// UseHelper calls helper, by a local name and by its own.
func UseHelper() int {
	h := helper
	_ = h
	return helper(2)
}
