package main

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"sync"
	"unicode/utf8"
)

// This file answers `format`: gofmt for a file that was canonical before, and for single declarations of one that was
// not.
//
// Invariant: line endings and a byte order mark stay as they were; a text that does not parse stays byte for byte.

func init() { methods["format"] = (*server).handleFormat }

// formatItem is one file to format. Base is its text before the edit, absent for a new file; Decls are ranges of Text
// that the edit touched.
type formatItem struct {
	Path    string   `json:"path"`
	Text    *string  `json:"text"`
	B64     []byte   `json:"b64"`
	Base    *string  `json:"base"`
	BaseB64 []byte   `json:"base_b64"`
	Decls   [][2]int `json:"decls"`
}

// formatted is the answer for one file; Map holds [old start, new start, length] of what is the same in both texts.
type formatted struct {
	Path  string   `json:"path"`
	Text  *string  `json:"text,omitempty"`
	B64   []byte   `json:"b64,omitempty"`
	Error *Diag    `json:"error,omitempty"`
	Whole bool     `json:"whole"`
	Map   [][3]int `json:"map"`
}

func (s *server) handleFormat(r *request) (any, error) {
	var params struct {
		Items []formatItem `json:"items"`
	}
	if err := r.decode(&params); err != nil {
		return nil, err
	}
	items := make([]formatted, len(params.Items))
	var done sync.WaitGroup
	for i, item := range params.Items {
		done.Go(func() { items[i] = formatOne(item) })
	}
	done.Wait()
	return map[string]any{"items": items}, nil
}

func formatOne(item formatItem) formatted {
	given := textOf(item.Text, item.B64)
	answer := formatted{Path: item.Path}
	hasBase := item.Base != nil || item.BaseB64 != nil
	base := given
	if hasBase {
		base = textOf(item.Base, item.BaseB64)
	}
	src := newFileText(given, base)
	gofmted, err := gofmt(src.lf)
	if err != nil {
		answer.Error = firstSyntaxDiag(item.Path, given, err)
		gofmted = src.lf
	}
	result := gofmted
	answer.Whole = true
	// Whether the base was canonical only matters where the text is not.
	if err == nil && hasBase && !bytes.Equal(gofmted, src.lf) && !isCanonical(base) {
		answer.Whole = false
		result = spliceDecls(src, gofmted, item.Decls)
	}
	if err != nil {
		answer.Whole, result = false, src.lf
	}
	out := src.restore(result)
	answer.Map = alignTexts(given, out)
	if utf8.Valid(out) {
		text := string(out)
		answer.Text = &text
	} else {
		answer.B64 = out
	}
	return answer
}

func textOf(text *string, b64 []byte) []byte {
	if text != nil {
		return []byte(*text)
	}
	return b64
}

// isCanonical says that a file is as gofmt leaves it, line endings and byte order mark aside.
func isCanonical(text []byte) bool {
	src := newFileText(text, text)
	out, err := gofmt(src.lf)
	return err == nil && bytes.Equal(out, src.lf)
}

// maxPasses bounds the passes of gofmt over one file.
const maxPasses = 3

// gofmt formats a whole file until gofmt would leave it: a body stays on the line of its head in the pass that breaks
// the head into lines, and is broken in the next one.
func gofmt(src []byte) ([]byte, error) {
	for range maxPasses {
		out, err := formatFile(src)
		if err != nil || bytes.Equal(out, src) {
			return out, err
		}
		src = out
	}
	return src, nil
}

// formatFile is one pass of gofmt. format.Source would take a list of statements for a file, too.
func formatFile(src []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if err != nil {
		return nil, err
	}
	ast.SortImports(fset, f)
	var out bytes.Buffer
	if err := format.Node(&out, fset, f); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// fileText is a text in gofmt's form: LF line endings and no byte order mark.
type fileText struct {
	lf    []byte
	crlf  bool
	bom   bool
	given []byte
	cut   []int // where in lf the line breaks are that were CRLF
}

// newFileText takes off what gofmt would change. A text is in CRLF when each line of base ends so, and in LF when none
// does, whatever the edit wrote or moved there; in one that mixes line endings the carriage returns are white space, and
// stay where nothing is formatted.
func newFileText(given, base []byte) fileText {
	t := fileText{given: given}
	rest, bom := bytes.CutPrefix(given, byteOrderMark)
	t.bom = bom
	t.lf = rest
	breaks, crlf := bytes.Count(base, []byte("\n")), bytes.Count(base, []byte("\r\n"))
	t.crlf = breaks > 0 && crlf == breaks
	if crlf != 0 && crlf != breaks {
		return t
	}
	t.lf = make([]byte, 0, len(rest))
	for line := range bytes.Lines(rest) {
		if text, ok := bytes.CutSuffix(line, []byte("\r\n")); ok {
			t.lf = append(t.lf, text...)
			t.cut = append(t.cut, len(t.lf))
			t.lf = append(t.lf, '\n')
		} else {
			t.lf = append(t.lf, line...)
		}
	}
	return t
}

// restore puts line endings and byte order mark back.
func (t fileText) restore(lf []byte) []byte {
	if t.crlf {
		lf = bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))
	}
	if t.bom {
		lf = append(bytes.Clone(byteOrderMark), lf...)
	}
	return lf
}

// spliceDecls takes the touched declarations from the formatted text, and everything else from the given one.
func spliceDecls(src fileText, gofmted []byte, touched [][2]int) []byte {
	before, after := declRanges(src.lf), declRanges(gofmted)
	if len(before) != len(after) {
		return src.lf
	}
	out := make([]byte, 0, len(src.lf))
	at := 0
	for i, d := range before {
		from, to := src.offset(d[0]), src.offset(d[1])
		for _, t := range touched {
			// What was written or cut beside a declaration leaves it alone.
			if t[0] < to && t[1] > from {
				out = append(out, src.lf[at:d[0]]...)
				out = append(out, gofmted[after[i][0]:after[i][1]]...)
				at = d[1]
				break
			}
		}
	}
	out = append(out, src.lf[at:]...)
	// A comment that gofmt carries into another declaration is in both parts or in none: nothing is taken then.
	if again, err := gofmt(out); err != nil || !bytes.Equal(again, gofmted) {
		return src.lf
	}
	return out
}

// offset maps an offset of the LF text to one of the given text.
func (t fileText) offset(lf int) int {
	before, _ := slices.BinarySearch(t.cut, lf)
	off := lf + before
	if t.bom {
		off += len(byteOrderMark)
	}
	return off
}

// declRanges lists the declarations of a text with their doc and trailing comments.
func declRanges(src []byte) [][2]int {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	ranges := make([][2]int, 0, len(f.Decls))
	for _, d := range f.Decls {
		var doc *ast.CommentGroup
		switch d := d.(type) {
		case *ast.FuncDecl:
			doc = d.Doc
		case *ast.GenDecl:
			doc = d.Doc
		}
		start, end := rangeOf(d, doc, nil)
		if doc == nil {
			start = leadStart(fset, f, src, start)
		}
		ranges = append(ranges, [2]int{int(start - f.FileStart), trailingEnd(src, int(end-f.FileStart))})
	}
	return ranges
}

// leadStart moves the start of a declaration before the comment that its first line begins with: gofmt gives that a
// line of its own, which makes it the declaration's doc.
func leadStart(fset *token.FileSet, f *ast.File, src []byte, start token.Pos) token.Pos {
	for _, g := range f.Comments {
		if g.End() > start || fset.PositionFor(g.End(), false).Line != fset.PositionFor(start, false).Line {
			continue
		}
		before := src[:g.Pos()-f.FileStart]
		if len(bytes.TrimLeft(before[bytes.LastIndexByte(before, '\n')+1:], " \t")) == 0 {
			return g.Pos()
		}
	}
	return start
}

// trailingEnd moves the end of a declaration behind a line comment on the same line.
func trailingEnd(src []byte, end int) int {
	line := src[end:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("//")) {
		return end + len(line)
	}
	return end
}

// firstSyntaxDiag is the first error of a parse, with positions in the given text.
func firstSyntaxDiag(path string, given []byte, err error) *Diag {
	diags := syntaxDiags(path, given, err)
	if len(diags) == 0 {
		return &Diag{File: path, Line: 1, Col: 1, Code: "syntax", Msg: err.Error(), Source: "syntax"}
	}
	// The error is of the LF text; the given text has the same lines and columns, another offset.
	fset := token.NewFileSet()
	if _, again := parser.ParseFile(fset, path, given, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors); again != nil {
		if exact := syntaxDiags(path, given, again); len(exact) > 0 {
			return &exact[0]
		}
	}
	return &diags[0]
}

// syntaxDiags turns parser errors into diagnostics.
func syntaxDiags(path string, src []byte, err error) []Diag {
	list, ok := err.(scanner.ErrorList)
	if !ok {
		return nil
	}
	diags := make([]Diag, 0, len(list))
	for _, e := range list {
		off := min(e.Pos.Offset, len(src))
		diags = append(diags, Diag{File: path, Line: e.Pos.Line, Col: e.Pos.Column, Offset: off, End: off,
			Code: "syntax", Msg: e.Msg, Source: "syntax"})
	}
	return diags
}
