// Command app sends events.
package main

import (
	"fmt"

	"example.test/lib"
)

type printer struct{ count int }

// Take prints.
func (p *printer) Take(e lib.Event) error {
	p.count++
	_, err := fmt.Println(e.Level, e.Text)
	return err
}

// Close does nothing.
func (p *printer) Close() error { return nil }

func send(s lib.Sink, events ...lib.Event) error {
	defer s.Close()
	for _, e := range lib.Filter(events, lib.Low) {
		if err := s.Take(e); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	texts := lib.Map([]int{1, 2}, func(n int) string { return fmt.Sprint(n) })
	if err := send(&printer{}, lib.Event{Level: lib.High, Text: texts[0]}); err != nil {
		panic(err)
	}
}
