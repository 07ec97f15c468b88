package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file finds references in doc comments: links like [Name], [pkg.Name] and [Type.Method] (go.dev/doc/comment), and
// the object's own name as the leading word.
//
// Invariant: prose, code blocks and directives are no references, whatever words they hold.

// docFacts adds the references in the doc comments of the file in work.
func (x *extraction) docFacts() {
	x.docGroup(x.syntax.Doc, -1, nil, "")
	for _, d := range x.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			x.docGroup(d.Doc, x.definition(d.Name), []*ast.Ident{d.Name}, receiverName(d))
		case *ast.GenDecl:
			x.genDocs(d)
		}
	}
}

func (x *extraction) genDocs(d *ast.GenDecl) {
	if d.Lparen.IsValid() {
		x.docGroup(d.Doc, -1, nil, "")
	}
	for _, s := range d.Specs {
		var names []*ast.Ident
		var doc, trailing *ast.CommentGroup
		switch s := s.(type) {
		case *ast.TypeSpec:
			names, doc, trailing = []*ast.Ident{s.Name}, s.Doc, s.Comment
		case *ast.ValueSpec:
			names, doc, trailing = s.Names, s.Doc, s.Comment
		default:
			continue
		}
		if !d.Lparen.IsValid() {
			doc = d.Doc
		}
		encl := x.definition(names[0])
		x.declDocs(doc, trailing, encl, names)
		if t, ok := s.(*ast.TypeSpec); ok {
			x.memberDocs(t.Type, encl)
		}
	}
}

// memberDocs adds the references in the comments of fields and interface methods.
func (x *extraction) memberDocs(typ ast.Expr, encl int) {
	ast.Inspect(typ, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			x.declDocs(f.Doc, f.Comment, encl, f.Names)
		}
		return true
	})
}

// declDocs adds the references in the comments of a spec or field: what ends its line is its doc when nothing is above.
func (x *extraction) declDocs(doc, trailing *ast.CommentGroup, encl int, names []*ast.Ident) {
	x.docGroup(doc, encl, names, "")
	if doc != nil {
		names = nil
	}
	x.docGroup(trailing, encl, names, "")
}

// receiverName is the type name in the receiver of a method.
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	if id := embeddedIdent(d.Recv.List[0].Type); id != nil {
		return id.Name
	}
	return ""
}

// docGroup adds the references in one comment group that documents names.
func (x *extraction) docGroup(g *ast.CommentGroup, encl int, names []*ast.Ident, recv string) {
	if g == nil {
		return
	}
	first := true
	scan := docScan{}
	defined := linkDefinitions(g)
	for _, c := range g.List {
		x.eachLine(c, func(line string, pos token.Pos) {
			prose := scan.isProse(line)
			if first && strings.TrimSpace(line) != "" {
				first = false
				x.docName(line, pos, encl, names, recv)
			}
			if prose && strings.IndexByte(line, '[') >= 0 {
				x.docLinks(line, pos, encl, defined)
			}
		})
	}
}

// linkDefinitions are the texts that lines like `[Text]: https://…` of a comment make links to somewhere else.
func linkDefinitions(g *ast.CommentGroup) []string {
	var texts []string
	for _, c := range g.List {
		for line := range strings.Lines(c.Text) {
			line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
			if text, url, ok := strings.Cut(line, "]: "); ok && strings.HasPrefix(text, "[") && strings.Contains(url, "://") {
				texts = append(texts, text[1:])
			}
		}
	}
	return texts
}

// eachLine calls f with the text of each line of a comment, without the comment markers, and where it starts.
func (x *extraction) eachLine(c *ast.Comment, f func(line string, pos token.Pos)) {
	if c.Text[1] == '/' {
		if !isDirective(c.Text) {
			f(c.Text[2:], c.Slash+2)
		}
		return
	}
	// The text of the comment lacks carriage returns, so offsets are taken from the source.
	off := int(c.Slash - x.start)
	src := x.source()
	text := string(src[off : off+lexemeLen(src[off:], token.COMMENT, c.Text)])
	text = strings.TrimSuffix(text, "*/")
	for at := 2; at <= len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		f(strings.TrimSuffix(text[at:at+end], "\r"), c.Slash+token.Pos(at))
		at += end + 1
	}
}

// source is the text of the file in work.
func (x *extraction) source() []byte {
	for i, f := range x.u.Files {
		if f == x.syntax {
			return x.u.Src[i]
		}
	}
	return nil
}

// isDirective says that a line comment is an instruction to a tool, as go/ast's CommentGroup.Text decides.
func isDirective(text string) bool {
	text = text[2:]
	for _, prefix := range []string{"line ", "extern ", "export "} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	colon := strings.IndexByte(text, ':')
	if colon <= 0 || colon+1 >= len(text) {
		return false
	}
	for i := 0; i <= colon+1; i++ {
		if c := text[i]; i != colon && !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9') {
			return false
		}
	}
	return true
}

// docScan follows the blocks of a comment: an indented run of lines is code unless it starts a list.
type docScan struct{ indented, list bool }

func (s *docScan) isProse(line string) bool {
	text := strings.TrimPrefix(line, " ")
	if strings.TrimSpace(text) == "" {
		return false
	}
	if text[0] != ' ' && text[0] != '\t' {
		s.indented = false
		return true
	}
	if isListItem(strings.TrimLeft(text, " \t")) {
		s.list = true
	} else if !s.indented {
		s.list = false
	}
	s.indented = true
	return s.list
}

func isListItem(text string) bool {
	for _, marker := range []string{"- ", "* ", "+ ", "• "} {
		if strings.HasPrefix(text, marker) {
			return true
		}
	}
	digits := strings.TrimLeft(text, "0123456789")
	return digits != text && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// docName adds the leading word of a comment when it is the name of what is documented, also behind an article and, for
// a method, behind its type.
func (x *extraction) docName(line string, pos token.Pos, encl int, names []*ast.Ident, recv string) {
	at := len(line) - len(strings.TrimLeft(line, " \t*"))
	for _, article := range []string{"A ", "An ", "The "} {
		if strings.HasPrefix(line[at:], article) {
			at += len(article)
			break
		}
	}
	word := leadingIdent(line[at:])
	if recv != "" && word == recv && strings.HasPrefix(line[at+len(word):], ".") {
		x.docRow(x.u.Types.Scope().Lookup(recv), pos+token.Pos(at), word, "doc_name", encl)
		at += len(word) + 1
		word = leadingIdent(line[at:])
	}
	for _, name := range names {
		if name.Name == word && word != "_" {
			x.docRow(x.u.Info.Defs[name], pos+token.Pos(at), word, "doc_name", encl)
		}
	}
}

func (x *extraction) docRow(obj types.Object, pos token.Pos, word, role string, encl int) {
	if obj == nil {
		return
	}
	if at := x.obj(obj); at >= 0 {
		x.use(at, pos, len(word), role, encl, 0)
	}
}

// leadingIdent is the identifier that text starts with.
func leadingIdent(text string) string {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return text[:i]
		}
	}
	return text
}

// docLinks adds the links of one line.
func (x *extraction) docLinks(line string, pos token.Pos, encl int, defined []string) {
	for at := 0; at < len(line); {
		open := strings.IndexByte(line[at:], '[')
		if open < 0 {
			return
		}
		open += at
		end := strings.IndexAny(line[open+1:], "[]")
		if end < 0 {
			return
		}
		end += open + 1
		at = open + 1
		if line[end] == ']' && isLinkEdge(lastRune(line[:open])) && isLinkEdge(firstRune(line[end+1:])) &&
			!strings.HasPrefix(line[end+1:], ":") && !strings.HasPrefix(line[end+1:], "(") &&
			!slices.Contains(defined, line[open+1:end]) {
			x.docLink(line[open+1:end], pos+token.Pos(open+1), encl)
		}
	}
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// isLinkEdge says that a doc link may be next to r; an end of the line decodes as RuneError.
func isLinkEdge(r rune) bool {
	return r == utf8.RuneError || unicode.IsSpace(r) || unicode.IsPunct(r) && r != '_'
}

// docLink adds a reference for each resolved name of a link: for [pkg.Type.Method] the type and the method.
func (x *extraction) docLink(text string, pos token.Pos, encl int) {
	if stripped := strings.TrimPrefix(text, "*"); stripped != text {
		text, pos = stripped, pos+1
	}
	for _, cut := range packageCuts(text) {
		scope, path := x.linkScope(text[:cut])
		names := strings.Split(strings.TrimPrefix(text[cut:], "."), ".")
		at := pos + token.Pos(len(text)-len(strings.Join(names, ".")))
		if scope == nil && path == "" || len(names) > 2 || leadingIdent(names[0]) != names[0] || names[0] == "" {
			continue
		}
		if scope == nil {
			x.use(x.intern(address{path, strings.Join(names, ".")}), at+token.Pos(len(strings.Join(names, "."))-len(names[len(names)-1])),
				len(names[len(names)-1]), "doc_link", encl, 0)
			return
		}
		objs := lookupNames(scope, names)
		if objs == nil {
			continue
		}
		for i, obj := range objs {
			x.docRow(obj, at, names[i], "doc_link", encl)
			at += token.Pos(len(names[i]) + 1)
		}
		return
	}
}

// packageCuts lists where the package of a link may end: nowhere first, then at each dot behind the last slash.
func packageCuts(text string) []int {
	cuts := []int{0}
	slash := strings.LastIndexByte(text, '/')
	if slash >= 0 {
		cuts = nil
	}
	for i := slash + 1; i < len(text); i++ {
		if text[i] == '.' {
			cuts = append(cuts, i)
		}
	}
	return cuts
}

// linkScope finds the package that a link names: "" is the unit's own, else a name of an import of the file or the
// unit, or an import path. A workspace package that the unit does not import is found as a path alone.
func (x *extraction) linkScope(name string) (*types.Package, string) {
	if name == "" || name == x.u.Types.Name() || name == x.u.Types.Path() {
		return x.u.Types, ""
	}
	for _, spec := range x.syntax.Imports {
		if p := importedPkg(spec, x.u.Info); p != nil && (importName(spec, x.u.Info) == name || p.Path() == name) {
			return p, ""
		}
	}
	for _, p := range x.u.Types.Imports() {
		if p.Name() == name || p.Path() == name {
			return p, ""
		}
	}
	if x.g != nil && strings.Contains(name, "/") {
		if p := x.g.Packages[name]; p != nil && p.Workspace {
			return nil, name
		}
	}
	return nil, ""
}

// lookupNames finds Name or Type.Member in a package; nil when there is no such thing.
func lookupNames(pkg *types.Package, names []string) []types.Object {
	obj := pkg.Scope().Lookup(names[0])
	if obj == nil {
		return nil
	}
	if len(names) == 1 {
		return []types.Object{obj}
	}
	tn, ok := obj.(*types.TypeName)
	if !ok {
		return nil
	}
	member, _, _ := types.LookupFieldOrMethod(tn.Type(), true, pkg, names[1])
	if member == nil {
		return nil
	}
	return []types.Object{obj, member}
}
