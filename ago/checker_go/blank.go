package main

// This file takes function bodies out of source text before it is parsed: parsing them is a third of the work of
// checking dependencies, and nobody looks at them.

// blankBodies overwrites the bodies of the functions of a file with spaces, in place. Positions stay. It only treats
// declarations whose `func` starts a line and whose signature ends on the line of its last parenthesis, as gofmt
// writes them; a body that it does not recognise stays.
func blankBodies(src []byte) {
	depth := 0
	for i := 0; i < len(src); {
		if depth == 0 && (i == 0 || src[i-1] == '\n') && startsFunc(src[i:]) {
			if open := bodyOf(src, i); open >= 0 {
				end := closing(src, open)
				blank(src[open+1 : end])
				i = end + 1
				continue
			}
		}
		switch src[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		i = afterToken(src, i)
	}
}

func startsFunc(src []byte) bool {
	return len(src) > 5 && string(src[:4]) == "func" && (src[4] == ' ' || src[4] == '\t')
}

// bodyOf finds the brace that opens the body of the function declared at i; -1 when its signature ends without one.
func bodyOf(src []byte, i int) int {
	depth := 0
	word := "" // the identifier or keyword before i, when nothing but spaces is between
	for i < len(src) {
		c := src[i]
		switch {
		case c == '\n' && depth == 0:
			return -1
		case c == '{' && depth == 0 && word != "interface" && word != "struct":
			return i
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		next := afterToken(src, i)
		switch {
		case isLetter(c):
			word = string(src[i:next])
		case c != ' ' && c != '\t':
			word = ""
		}
		i = next
	}
	return -1
}

// closing finds the brace that closes the one at open, or the end of the text.
func closing(src []byte, open int) int {
	depth := 0
	for i := open; i < len(src); i = afterToken(src, i) {
		switch src[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(src)
}

// afterToken is where the text after the word, literal, comment or single byte at i goes on.
func afterToken(src []byte, i int) int {
	switch c := src[i]; {
	case c == '"' || c == '\'':
		for i++; i < len(src) && src[i] != c && src[i] != '\n'; i++ {
			if src[i] == '\\' {
				i++
			}
		}
	case c == '`':
		for i++; i < len(src) && src[i] != '`'; i++ {
		}
	case c == '/' && i+1 < len(src) && src[i+1] == '/':
		for i < len(src) && src[i] != '\n' {
			i++
		}
		return i
	case c == '/' && i+1 < len(src) && src[i+1] == '*':
		for i += 3; i < len(src) && (src[i-1] != '*' || src[i] != '/'); i++ {
		}
	case isLetter(c):
		for i++; i < len(src) && (isLetter(src[i]) || '0' <= src[i] && src[i] <= '9'); i++ {
		}
		return i
	}
	return min(i+1, len(src))
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

func blank(src []byte) {
	for i, c := range src {
		if c != '\n' {
			src[i] = ' '
		}
	}
}
