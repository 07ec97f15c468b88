package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// This file runs tasks that wait for one another on several goroutines.

// task is a step of parallel work.
type task struct {
	name   string
	run    func()
	after  []*task // tasks that must have run
	urgent bool    // goes before tasks that are not

	waits   int
	release []*task
}

// runTasks runs tasks on n goroutines; after of each may only name tasks of the list. It panics with the first
// panic of a task.
func runTasks(n int, tasks []*task) {
	q := &taskQueue{left: len(tasks)}
	q.cond = sync.NewCond(&q.mu)
	for _, t := range tasks {
		t.waits = len(t.after)
		for _, before := range t.after {
			before.release = append(before.release, t)
		}
		if t.waits == 0 {
			q.push(t)
		}
	}
	var wg sync.WaitGroup
	for range min(n, len(tasks)) {
		wg.Go(q.work)
	}
	wg.Wait()
	if q.failed != nil {
		panic(q.failed)
	}
}

// taskQueue holds the tasks that can run.
type taskQueue struct {
	mu             sync.Mutex
	cond           *sync.Cond
	urgent, normal []*task
	left           int
	failed         any
}

func (q *taskQueue) push(t *task) {
	if t.urgent {
		q.urgent = append(q.urgent, t)
	} else {
		q.normal = append(q.normal, t)
	}
}

func (q *taskQueue) work() {
	for t := q.next(); t != nil; t = q.next() {
		q.finish(t, runGuarded(t))
	}
}

// runGuarded runs a task and returns what it panicked with.
func runGuarded(t *task) (failed any) {
	defer func() {
		if p := recover(); p != nil {
			failed = fmt.Sprintf("%s: %v\n%s", t.name, p, shortStack())
		}
	}()
	t.run()
	return nil
}

func (q *taskQueue) next() *task {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case q.left == 0 || q.failed != nil:
			return nil
		case len(q.urgent) > 0:
			t := q.urgent[0]
			q.urgent = q.urgent[1:]
			return t
		case len(q.normal) > 0:
			t := q.normal[0]
			q.normal = q.normal[1:]
			return t
		}
		q.cond.Wait()
	}
}

func (q *taskQueue) finish(t *task, failed any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left--
	if failed != nil {
		q.failed = failed
	}
	for _, next := range t.release {
		if next.waits--; next.waits == 0 {
			q.push(next)
		}
	}
	q.cond.Broadcast()
}

// shortStack is the stack of a panic without its tail.
func shortStack() string {
	stack := strings.Split(string(debug.Stack()), "\n")
	return strings.Join(stack[:min(len(stack), 24)], "\n")
}
