package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// This file is the JSON-lines loop: read requests, answer ping and cancel at once, hand everything else to the
// worker of its build, and turn errors and panics into replies.

// Codes of an error reply.
const (
	badRequest     = "bad_request"
	notLoaded      = "not_loaded"
	loadFailed     = "load_failed"
	staleCandidate = "stale_candidate"
	canceled       = "canceled"
	internal       = "internal"
)

// wireError is an error with a code for the caller; any other error is answered as internal.
type wireError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (e *wireError) Error() string { return e.Code + ": " + e.Message }

// failf makes an error reply of the given code.
func failf(code, format string, args ...any) error {
	return &wireError{code, fmt.Sprintf(format, args...)}
}

// request is one call in progress.
type request struct {
	ID     int64           `json:"id"`
	Method string          `json:"method"`
	Build  string          `json:"build"` // which build it asks, "" for the workspace's own
	Params json.RawMessage `json:"params"`

	ctx    context.Context // done when the caller canceled
	cancel context.CancelFunc
	out    *lineWriter
}

// decode fills v from the parameters of the request.
func (r *request) decode(v any) error {
	if len(r.Params) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.Params, v); err != nil {
		return failf(badRequest, "%s: %v", r.Method, err)
	}
	return nil
}

// event emits one event of the request; it may be called from several goroutines.
func (r *request) event(v any) {
	r.out.write(map[string]any{"id": r.ID, "event": v})
}

// alive is nil until the caller canceled the request; long methods ask it between units.
func (r *request) alive() error {
	if r.ctx.Err() != nil {
		return failf(canceled, "%s was canceled", r.Method)
	}
	return nil
}

// lineWriter writes one JSON value a line.
type lineWriter struct {
	mu  sync.Mutex
	out *bufio.Writer
}

func (w *lineWriter) write(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		log.Printf("unencodable answer: %v", err)
		line = []byte(`{"error":{"code":"internal","message":"unencodable answer"}}`)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Write(line)
	w.out.WriteByte('\n')
	w.out.Flush()
}

// inFlight holds the requests that were read and not yet answered, for cancel.
type inFlight struct {
	mu   sync.Mutex
	byID map[int64]*request
}

func (f *inFlight) add(r *request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.byID[r.ID] = r
}

func (f *inFlight) remove(r *request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.byID, r.ID)
	r.cancel()
}

func (f *inFlight) cancel(id int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r := f.byID[id]; r != nil {
		r.cancel()
	}
}

// workers answer the requests of each build in a goroutine of its own: what is done for another build must not keep an
// edit waiting.
type workers struct {
	root    string
	pending *inFlight
	queues  map[string]chan *request // by build; only the reading goroutine looks in
}

// hand gives a request to the worker of its build, which starts with the first one.
func (w *workers) hand(r *request) {
	queue := w.queues[r.Build]
	if queue == nil {
		queue = make(chan *request, 1024)
		w.queues[r.Build] = queue
		s := newServer(w.root)
		if r.Build == "" {
			go w.work(s, queue)
		} else {
			go w.workAside(s, queue)
		}
	}
	queue <- r
}

func (w *workers) work(s *server, queue <-chan *request) {
	for r := range queue {
		r.answer(s)
		w.pending.remove(r)
	}
}

// workAside is work for a further build. Nobody thinks of other systems for long: what was made for an edit goes when
// no other one follows and memory is short, and is made again from the graph.
func (w *workers) workAside(s *server, queue <-chan *request) {
	idle := time.NewTimer(asideFor)
	for {
		select {
		case r := <-queue:
			r.answer(s)
			w.pending.remove(r)
			idle.Reset(asideFor)
		case <-idle.C:
			if s.universe != nil && liveHeap() > roomAside {
				s.forget()
			}
		}
	}
}

// serve answers requests until in ends, then ends the process: nobody is left to read an answer.
func serve(root string, in io.Reader, out io.Writer) {
	w := &lineWriter{out: bufio.NewWriterSize(out, 1<<16)}
	w.write(map[string]any{"hello": map[string]any{
		"protocol": protocol, "version": version, "go": runtime.Version()}})
	pending := &inFlight{byID: map[int64]*request{}}
	queues := &workers{root, pending, map[string]chan *request{}}
	lines := bufio.NewReaderSize(in, 1<<16)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			leave(0)
		}
		receive(line, w, queues)
	}
}

// receive handles one line: at once when it is a ping or a cancel, else by the worker.
func receive(line []byte, w *lineWriter, queues *workers) {
	r := &request{out: w}
	if err := json.Unmarshal(line, r); err != nil {
		r.reply(nil, failf(badRequest, "not a request: %v", err))
		return
	}
	switch r.Method {
	case "ping":
		r.reply(struct{}{}, nil)
	case "cancel":
		var params struct {
			Target int64 `json:"target"`
		}
		err := r.decode(&params)
		queues.pending.cancel(params.Target)
		r.reply(struct{}{}, err)
	default:
		r.ctx, r.cancel = context.WithCancel(context.Background())
		queues.pending.add(r)
		queues.hand(r)
	}
}

// answer runs the method and replies. A panic drops the universe, which may be half changed.
func (r *request) answer(s *server) {
	defer func() {
		if p := recover(); p != nil {
			log.Printf("panic in %s: %v\n%s", r.Method, p, debug.Stack())
			s.universe, s.fork = nil, nil
			r.reply(nil, failf(internal, "%s: %v", r.Method, p))
		}
	}()
	method := methods[r.Method]
	if method == nil {
		r.reply(nil, failf(badRequest, "no method %q", r.Method))
		return
	}
	if err := r.alive(); err != nil {
		r.reply(nil, err)
		return
	}
	result, err := method(s, r)
	r.reply(result, err)
}

func (r *request) reply(result any, err error) {
	if err == nil {
		r.out.write(map[string]any{"id": r.ID, "result": result})
		return
	}
	var coded *wireError
	if !errors.As(err, &coded) {
		coded = &wireError{internal, err.Error()}
	}
	r.out.write(map[string]any{"id": r.ID, "error": coded})
}
