package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// This file runs other programs: the go command and agocheck's own short-lived child.
//
// Invariant: every go command runs through goEnv.run, which never lets it download, switch toolchains, write go.mod,
// ask version control or run a program that the workspace names.

// goTimeLimit is how long one go command may take before its process group is killed.
const goTimeLimit = 3 * time.Minute

// goEnv is where and with what environment go commands of a workspace run.
type goEnv struct {
	dir   string
	flags string // the user's GOFLAGS, as they were before hardening
	env   []string
}

// newGoEnv hardens the environment. flags is the user's GOFLAGS as `go env` knows it; extra (NAME=value) wins over all.
func newGoEnv(dir, flags string, extra ...string) goEnv {
	kept := append([]string{"-buildvcs=false"}, harmlessFlags(flags)...)
	env := append(os.Environ(),
		"GOPROXY=off", "GOTOOLCHAIN=local", "GIT_OPTIONAL_LOCKS=0", "PWD="+dir,
		// Never empty: the go command would fall back to the value of its env file.
		"GOFLAGS="+strings.Join(kept, " "))
	return goEnv{dir, flags, append(env, extra...)}
}

// withFlag adds a flag of our own to every go command.
func (e goEnv) withFlag(flag string) goEnv {
	kept := append([]string{"-buildvcs=false"}, harmlessFlags(e.flags)...)
	e.env = append(slices.Clone(e.env), "GOFLAGS="+strings.Join(append(kept, flag), " "))
	return e
}

// harmlessFlags drops what would let a mere listing write, download or run things; a vendor folder and tags stay.
func harmlessFlags(flags string) []string {
	var kept []string
	for _, flag := range strings.Fields(flags) {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		switch {
		case name == "tags", name == "mod" && value == "vendor":
			kept = append(kept, flag)
		}
	}
	return kept
}

// flagTags reads the build tags out of GOFLAGS.
func flagTags(flags string) []string {
	var tags []string
	for _, flag := range strings.Fields(flags) {
		if name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "="); name == "tags" {
			tags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
		}
	}
	return tags
}

// run executes `go args...` and returns its standard output. The error text is what the command said.
func (e goEnv) run(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = e.dir, e.env
	return runGroup(cmd, goTimeLimit)
}

// groups are the process groups that run now, so that leave can end them.
var groups = struct {
	mu   sync.Mutex
	pids map[int]bool
}{pids: map[int]bool{}}

// runGroup runs a program in its own process group, which is killed at the limit.
func runGroup(cmd *exec.Cmd, limit time.Duration) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stderr = &stderr
	if cmd.Stdout == nil {
		cmd.Stdout = &stdout
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	track(pid, true)
	defer track(pid, false)
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	unhook := context.AfterFunc(ctx, func() { syscall.Kill(-pid, syscall.SIGKILL) })
	err := cmd.Wait()
	if !unhook() {
		return nil, fmt.Errorf("%s took more than %v", strings.Join(cmd.Args[:2], " "), limit)
	}
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			err = errors.New(text)
		}
	}
	return stdout.Bytes(), err
}

func track(pid int, running bool) {
	groups.mu.Lock()
	defer groups.mu.Unlock()
	if running {
		groups.pids[pid] = true
	} else {
		delete(groups.pids, pid)
	}
}

// leave ends the process and everything it started.
func leave(code int) {
	groups.mu.Lock()
	for pid := range groups.pids {
		syscall.Kill(-pid, syscall.SIGKILL)
	}
	os.Exit(code)
}
