package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"
)

// TestWire: ping is answered while a method runs, a queued call can be canceled, a panic is a typed answer.
func TestWire(t *testing.T) {
	release := make(chan struct{})
	methods["block"] = func(_ *server, r *request) (any, error) { <-release; return nil, r.alive() }
	methods["panic"] = func(*server, *request) (any, error) { panic("boom") }
	defer func() { delete(methods, "block"); delete(methods, "panic") }()
	in, send := io.Pipe()
	receive, out := io.Pipe()
	go serve("", in, out)
	answers := json.NewDecoder(receive)
	next := func() string {
		var m map[string]json.RawMessage
		if err := answers.Decode(&m); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s %s %s", m["id"], m["result"], m["error"])
	}
	next() // hello
	go func() {
		for i, call := range []string{`"block"`, `"panic"`, `"ping"`, `"cancel","params":{"target":1}`, `"nothing"`} {
			fmt.Fprintf(send, "{\"id\":%d,\"method\":%s}\n", i+1, call)
		}
	}()
	got := []string{next(), next()}
	close(release)
	got = append(got, next(), next(), next())
	want := []string{"3 {} ", "4 {} ", "1  " + `{"code":"canceled","message":"block was canceled"}`,
		"2  " + `{"code":"internal","message":"panic: boom"}`, "5  " + `{"code":"bad_request","message":"no method \"nothing\""}`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
