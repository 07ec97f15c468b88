// Package lib is used by another module of the workspace.
package lib

import "strconv"

// Level is a named number.
type Level int

// Levels.
const (
	Low  Level = 1
	High Level = 9
)

// String names a level.
func (l Level) String() string { return "level " + strconv.Itoa(int(l)) }

// Event has a level and a text.
type Event struct {
	Level Level
	Text  string
}

// Sink takes events.
type Sink interface {
	Take(e Event) error
	Close() error
}

// Filter passes on what is at least min.
func Filter(events []Event, min Level) []Event {
	var out []Event
	for _, e := range events {
		if e.Level >= min {
			out = append(out, e)
		}
	}
	return out
}

// Map applies f to each element.
func Map[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}
