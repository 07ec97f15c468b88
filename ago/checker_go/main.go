// Command agocheck loads a Go workspace, type-checks it and overlays on it, and extracts facts. It speaks
// JSON lines on stdin and stdout with the ago daemon, knows nothing of ago's operations and decides nothing.
//
// Invariant: a method runs alone in its build (one worker each); ping and cancel are answered while it runs.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
)

// protocol is the version of the wire contract; a client with another one must not go on.
const protocol = 1

// version identifies the build; the builder sets it with -ldflags "-X main.version=…".
var version = "dev"

// methods maps a wire method to its handler. Each file registers its own in an init function.
var methods = map[string]func(*server, *request) (any, error){}

// server is all that outlives a request of one build: the workspace's own, or a further one (another context).
type server struct {
	root     string // absolute, symlinks resolved
	cacheDir string // set by load
	jobs     int    // how many goroutines a method may keep busy
	graph    *Graph // nil until load; replaced, never changed
	universe *Universe
	params   loadParams // of the last load
	fork     *fork      // the last one that an overlay needed
	// ownAPI are the api hashes that packages have in the workspace's own build, of a further build.
	ownAPI map[string]string
}

func newServer(root string) *server { return &server{root: root, jobs: runtime.GOMAXPROCS(0)} }

func main() {
	if len(os.Args) > 1 && os.Args[1] == "deps" {
		os.Exit(buildDeps(os.Stdin, os.Stdout))
	}
	root := flag.String("root", "", "absolute path of the workspace")
	flag.Parse()
	if *root == "" {
		fmt.Fprintln(os.Stderr, "agocheck: -root is required")
		os.Exit(2)
	}
	serve(*root, os.Stdin, os.Stdout)
}
