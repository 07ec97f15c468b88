package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
)

// This file serves overlays that hold module files: another go.mod is another build list, and so another graph with
// other dependencies.
//
// Invariant: the fork's base is the disk's sources under the overlay's module files. It judges meanings; whether the
// edit builds is left to the go command.

// fork is a server of its own for one set of proposed module files.
type fork struct {
	digest string
	server *server
}

// under is the server that an overlay stands on: s itself, unless the overlay changes module files.
func (s *server) under(overlay Overlay) (*server, error) {
	files := Overlay{}
	for rel, content := range overlay {
		if IsModuleFile(rel) {
			files[rel] = content
		}
	}
	if len(files) == 0 || s.graph == nil {
		return s, nil
	}
	digest := digestOf(files)
	if s.fork == nil || s.fork.digest != digest {
		params := s.params
		var err error
		if params.overlay, err = writeOverlay(s.graph, files, savedPath(s.root, params)+".overlay"); err != nil {
			return nil, err
		}
		l, err := loadFresh(s.root, params, newStamper(s.root))
		if err != nil {
			return nil, err
		}
		forked := &server{root: s.root, cacheDir: s.cacheDir, jobs: s.jobs, graph: l.Graph, params: params}
		if l.Graph == nil {
			forked = s // the go command says what is wrong
		}
		s.fork = &fork{digest, forked}
	}
	return s.fork.server, nil
}

// writeOverlay puts files into a folder, which is made anew, with the list that the flag -overlay names.
func writeOverlay(g *Graph, files Overlay, dir string) (string, error) {
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for i, rel := range keysOf(files) {
		target := ""
		if text := files[rel].Bytes(); text != nil {
			target = filepath.Join(dir, strconv.Itoa(i))
			if err := os.WriteFile(target, text, 0o644); err != nil {
				return "", err
			}
		}
		replace[g.Abs(rel)] = target
	}
	listing, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, listing, 0o644)
}
