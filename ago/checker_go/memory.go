package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// This file keeps the balance between collecting garbage and holding memory, and serves memory and reset.

func init() {
	methods["memory"] = (*server).handleMemory
	methods["reset"] = (*server).handleReset
	tuneCollector()
}

// memoryFloor is what the heap may grow to before garbage is collected: collecting during a request costs more than the
// room.
const memoryFloor = 256 << 20

// leastGrowth is by how many percent a heap that is above the floor may grow.
const leastGrowth = 100

// smallestHeap is what the collector takes a smaller heap for: its percentage is of at least that.
const smallestHeap = 4 << 20

// tuneCollector lets the heap grow to the floor, and does so again after each collection.
func tuneCollector() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	live := max(int64(sample[0].Value.Uint64()), smallestHeap)
	debug.SetGCPercent(int(max(leastGrowth, 100*(memoryFloor-live)/live)))
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { tuneCollector() })
}

// restAfter is how long nothing may happen before memory goes back to the system.
const restAfter = 2 * time.Second

var resting = time.AfterFunc(time.Hour, debug.FreeOSMemory)

// work says that a request is being served. What it returns is to be called at the end; memory goes back to the system
// when no other request follows soon.
func work() (done func()) {
	resting.Stop()
	return func() { resting.Reset(restAfter) }
}

func (s *server) handleMemory(*request) (any, error) {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return map[string]any{"heap": m.HeapAlloc, "sys": m.Sys - m.HeapReleased}, nil
}

func (s *server) handleReset(r *request) (any, error) {
	var params struct {
		Graph bool `json:"graph"` // drop the graph too: the next use needs a load
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	s.universe = nil
	if params.Graph {
		s.graph = nil
	}
	sharedOwners.forget()
	debug.FreeOSMemory()
	return struct{}{}, nil
}
