package main

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"sync"
)

// This file parses files and keeps the syntax of those that were used last.

// parsedCap bounds the source bytes whose syntax is kept for the next check.
const parsedCap = 3 << 20

// parse returns the syntax of a file under the overlay.
func (v *view) parse(rel string) *parsedFile {
	src, err := v.read(rel)
	if err != nil {
		return &parsedFile{rel: rel, ast: &ast.File{Name: ast.NewIdent("_")}, diags: []Diag{{
			File: rel, Line: 1, Col: 1, Code: "unreadable_file", Msg: err.Error(), Source: "list"}}}
	}
	return v.u.parsed.parse(rel, src)
}

// parsedFile is the syntax of one version of a file.
type parsedFile struct {
	rel   string
	src   []byte
	sum   string // 16 hex digits
	ast   *ast.File
	diags []Diag
	once  sync.Once
}

// parseCache keeps the syntax of the files that were used last.
type parseCache struct {
	fset  *token.FileSet
	mu    sync.Mutex
	files map[string]*parsedFile // by path and content
	order []string               // keys, the oldest first
	size  int
	// parsed counts the source bytes that were ever parsed, each of which takes room in the FileSet.
	parsed int
}

func (c *parseCache) parse(rel string, src []byte) *parsedFile {
	sum := contentHash(src)
	key := rel + "\x00" + sum
	c.mu.Lock()
	f := c.files[key]
	if f == nil {
		f = &parsedFile{rel: rel, src: src, sum: sum}
		c.files[key] = f
		c.order = append(c.order, key)
		c.size += len(src)
		c.parsed += len(src)
		c.shrink()
	}
	c.mu.Unlock()
	f.once.Do(func() { f.fill(c.fset) })
	return f
}

// shrink forgets the oldest files beyond the cap.
func (c *parseCache) shrink() {
	for c.size > parsedCap && len(c.order) > 1 {
		c.size -= len(c.files[c.order[0]].src)
		delete(c.files, c.order[0])
		c.order = c.order[1:]
	}
}

func (f *parsedFile) fill(fset *token.FileSet) {
	const mode = parser.ParseComments | parser.AllErrors | parser.SkipObjectResolution
	var err error
	f.ast, err = parser.ParseFile(fset, f.rel, f.src, mode)
	list, _ := err.(scanner.ErrorList)
	for _, e := range list {
		line, col := lineCol(f.src, e.Pos.Offset)
		f.diags = append(f.diags, Diag{
			File: f.rel, Line: line, Col: col, Offset: e.Pos.Offset, End: e.Pos.Offset,
			Code: "syntax", Msg: e.Msg, Source: "syntax"})
	}
}

// contentHash is the hash of a file's bytes on the wire.
func contentHash(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:8])
}

// lineCol is the 1-based line and byte column of an offset.
func lineCol(src []byte, offset int) (line, col int) {
	before := string(src[:min(offset, len(src))])
	return strings.Count(before, "\n") + 1, len(before) - strings.LastIndexByte(before, '\n')
}
