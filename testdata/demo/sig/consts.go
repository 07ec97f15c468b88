package sig

// Sizes of a page.
const (
	Small = 10
	Large = 100
)

// Levels, in rising order.
const (
	LevelLow = iota
	LevelMid
	LevelHigh
)

// The second of these inherits its value.
const (
	First = "same"
	Second
)
