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
	live := max(liveHeap(), smallestHeap)
	debug.SetGCPercent(int(max(leastGrowth, 100*(memoryFloor-live)/live)))
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { tuneCollector() })
}

// liveHeap is what the last collection found in use, in bytes.
func liveHeap() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// asideFor is how long the universe of a further build is kept for the next edit at least, and roomAside up to how many
// bytes in use it stays for good.
const (
	asideFor  = time.Minute
	roomAside = 160 << 20
)

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

// forget drops the universe; the next request makes it again.
func (s *server) forget() {
	s.universe, s.fork = nil, nil
	sharedOwners.forget()
	debug.FreeOSMemory()
}

func (s *server) handleReset(r *request) (any, error) {
	var params struct {
		Graph bool `json:"graph"` // drop the graph too: the next use needs a load
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	if params.Graph {
		s.graph = nil
	}
	s.forget()
	return struct{}{}, nil
}
