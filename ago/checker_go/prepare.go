package main

import "time"

// This file serves the method prepare: it does in small portions, while nobody waits, what the first edit would wait for.

func init() { methods["prepare"] = (*server).handlePrepare }

// portion is how many packages are prepared between two looks at the clock.
const portion = 4

// handlePrepare makes entries of the base and notes of its files until the time is over, and says how many packages are
// left. It leaves the other processors alone.
func (s *server) handlePrepare(r *request) (any, error) {
	defer work()()
	var params struct {
		Millis int `json:"ms"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	u, err := s.ready()
	if err != nil {
		return nil, err
	}
	defer func(jobs int) { s.jobs = jobs }(s.jobs)
	s.jobs = 1
	var todo []string
	for _, path := range s.graph.Order() {
		if u.base.inSource(path) && !u.prepared(path) {
			todo = append(todo, path)
		}
	}
	for until := time.Now().Add(time.Duration(params.Millis) * time.Millisecond); len(todo) > 0 && time.Now().Before(until); {
		n := min(portion, len(todo))
		if _, err := u.base.ensure(todo[:n], true, nil); err != nil {
			return nil, err
		}
		for _, path := range todo[:n] {
			for _, rel := range s.graph.allFiles(path) {
				u.base.note(rel)
			}
		}
		todo = todo[n:]
	}
	return map[string]any{"left": len(todo)}, nil
}

func (u *Universe) prepared(path string) bool {
	if u.base.entry(path) == nil {
		return false
	}
	for _, rel := range u.base.graph.allFiles(path) {
		if _, known := u.noted(rel); !known {
			return false
		}
	}
	return true
}
