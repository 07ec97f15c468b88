package main

import (
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// This file writes types and signatures canonically: two texts are equal exactly when the types are identical.
// types.TypeString is no such writer: it keeps aliases, byte beside uint8, any beside interface{}, and parameter names.

// canon writes types with the names that its namer gives to objects.
type canon struct {
	names *namer
	seen  map[types.Type]string
	open  map[*types.Interface]bool // interfaces being written
}

func newCanon(names *namer) *canon {
	return &canon{names, map[types.Type]string{}, map[*types.Interface]bool{}}
}

// text is the canonical text of t: unaliased at every level, without parameter names, type parameters by index, interfaces as
// sorted sets.
func (c *canon) text(t types.Type) string {
	if s, ok := c.seen[t]; ok {
		return s
	}
	var b strings.Builder
	c.write(&b, t)
	c.seen[t] = b.String()
	return b.String()
}

func (c *canon) write(b *strings.Builder, t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		b.WriteString(basicName(t))
	case *types.Named:
		b.WriteString(c.names.key(t.Obj()))
		c.typeArgs(b, t.TypeArgs())
	case *types.TypeParam:
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(t.Index()))
	case *types.Pointer:
		b.WriteByte('*')
		c.write(b, t.Elem())
	case *types.Slice:
		b.WriteString("[]")
		c.write(b, t.Elem())
	case *types.Array:
		b.WriteByte('[')
		b.WriteString(strconv.FormatInt(t.Len(), 10))
		b.WriteByte(']')
		c.write(b, t.Elem())
	case *types.Map:
		b.WriteString("map[")
		c.write(b, t.Key())
		b.WriteByte(']')
		c.write(b, t.Elem())
	case *types.Chan:
		b.WriteString([...]string{"chan(", "chan<-(", "<-chan("}[t.Dir()])
		c.write(b, t.Elem())
		b.WriteByte(')')
	case *types.Signature:
		b.WriteString("func")
		c.signature(b, t)
	case *types.Struct:
		c.structure(b, t)
	case *types.Interface:
		c.iface(b, t)
	case *types.Tuple:
		c.tuple(b, t, false)
	case *types.Union:
		b.WriteString(c.union(t))
	default:
		b.WriteString("invalid")
	}
}

// basicName calls byte and uint8 by one name, and rune and int32.
func basicName(t *types.Basic) string {
	if k := t.Kind(); k > types.Invalid && int(k) < len(types.Typ) {
		return types.Typ[k].Name()
	}
	return t.Name()
}

func (c *canon) typeArgs(b *strings.Builder, args *types.TypeList) {
	if args.Len() == 0 {
		return
	}
	b.WriteByte('[')
	for i := range args.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		c.write(b, args.At(i))
	}
	b.WriteByte(']')
}

func (c *canon) signature(b *strings.Builder, sig *types.Signature) {
	if tparams := sig.TypeParams(); tparams.Len() > 0 {
		b.WriteByte('[')
		for i := range tparams.Len() {
			if i > 0 {
				b.WriteByte(',')
			}
			c.write(b, tparams.At(i).Constraint())
		}
		b.WriteByte(']')
	}
	c.tuple(b, sig.Params(), sig.Variadic())
	c.tuple(b, sig.Results(), false)
}

func (c *canon) tuple(b *strings.Builder, t *types.Tuple, variadic bool) {
	b.WriteByte('(')
	for i := range t.Len() {
		if i > 0 {
			b.WriteByte(',')
		}
		if variadic && i == t.Len()-1 {
			b.WriteString("...")
		}
		c.write(b, t.At(i).Type())
	}
	b.WriteByte(')')
}

func (c *canon) structure(b *strings.Builder, t *types.Struct) {
	b.WriteString("struct{")
	for i := range t.NumFields() {
		f := t.Field(i)
		if f.Embedded() {
			b.WriteByte('!')
		}
		b.WriteString(c.id(f))
		b.WriteByte(' ')
		c.write(b, f.Type())
		if tag := t.Tag(i); tag != "" {
			b.WriteString(strconv.Quote(tag))
		}
		b.WriteByte(';')
	}
	b.WriteByte('}')
}

// id is what a member is matched by: its name, with the package in front when it is not exported.
func (c *canon) id(member types.Object) string {
	name := c.names.lastName(member)
	if member.Exported() || member.Pkg() == nil {
		return name
	}
	return c.names.homeOf(member) + "." + name
}

func (c *canon) iface(b *strings.Builder, t *types.Interface) {
	if c.open[t] { // go/types lets an anonymous interface refer to itself; only the compiler refuses it
		b.WriteString("interface{itself}")
		return
	}
	c.open[t] = true
	defer delete(c.open, t)
	parts := make([]string, 0, t.NumMethods())
	for i := range t.NumMethods() {
		m := t.Method(i)
		var part strings.Builder
		part.WriteString(c.id(m))
		c.signature(&part, m.Signature())
		parts = append(parts, part.String())
	}
	if t.IsComparable() && !t.IsMethodSet() || isComparableItself(t) {
		parts = append(parts, "comparable")
	}
	parts = append(parts, c.constraints(t)...)
	slices.Sort(parts)
	b.WriteString("interface{")
	b.WriteString(strings.Join(slices.Compact(parts), ";"))
	b.WriteByte('}')
}

// isComparableItself says that t is the underlying interface of the predeclared comparable.
func isComparableItself(t *types.Interface) bool {
	return t == types.Universe.Lookup("comparable").Type().Underlying()
}

// constraints lists the type sets that an interface is cut down to, through embedded interfaces.
func (c *canon) constraints(t *types.Interface) []string {
	var parts []string
	for i := range t.NumEmbeddeds() {
		switch e := t.EmbeddedType(i); u := e.Underlying().(type) {
		case *types.Interface:
			if !u.IsMethodSet() {
				parts = append(parts, c.constraints(u)...)
			}
		case *types.Union:
			parts = append(parts, c.union(u))
		default:
			parts = append(parts, c.text(e))
		}
	}
	return parts
}

func (c *canon) union(t *types.Union) string {
	terms := make([]string, t.Len())
	for i := range terms {
		term := t.Term(i)
		terms[i] = c.text(term.Type())
		if term.Tilde() {
			terms[i] = "~" + terms[i]
		}
	}
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), "|")
}
