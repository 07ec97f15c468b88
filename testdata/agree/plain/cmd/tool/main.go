// Command tool prints a store.
package main

import (
	"fmt"
	"os"

	"example.test/plain/shape"
	"example.test/plain/store"
)

type config struct {
	name string
	side int
}

var defaults = config{"tool", 3}

func main() {
	if err := run(defaults); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(c config) error {
	s := store.New()
	sq, err := shape.New(c.name, c.side)
	if err != nil {
		return err
	}
	s.Put(c.name, sq)
	back, ok := s.Square(c.name)
	if !ok {
		return fmt.Errorf("%s: gone", c.name)
	}
	swapped := shape.Swap(shape.Pair[string, int]{Key: back.Name, Val: back.Side})
	fmt.Println(store.Banner(), back.Label("> "), swapped.Key, s.Total(shape.Area))
	return nil
}
