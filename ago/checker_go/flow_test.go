package main

import "testing"

func TestControlFlowStaysWhereOnlyNamesAndLiteralsDiffer(t *testing.T) {
	const text = "package p\nfunc f(n int) {\n\tswitch {\n\tcase n > 1:\n\t\tfallthrough\n\tdefault:\n\t\tg(\"a\")\n\t}\n}\n"
	for _, c := range []struct {
		name, edited string
		keeps        bool
	}{
		{"itself", text, true},
		{"other names, literals, comments", "package p\n\n// f\nfunc f(m int) {\n\tswitch {\n\tcase m > 2:\n\t\tfallthrough\n\tdefault:\n\t\th(`b`)\n\t}\n}\n", true},
		{"a clause behind the fallthrough", "package p\nfunc f(n int) {\n\tswitch {\n\tcase n > 1:\n\t\tfallthrough\n\tcase n > 0:\n\tdefault:\n\t\tg(\"a\")\n\t}\n}\n", false},
		{"shorter", "package p\n", false},
	} {
		if keepsFlow([]byte(text), []byte(c.edited)) != c.keeps || keepsFlow([]byte(c.edited), []byte(text)) != c.keeps {
			t.Errorf("%s: want %v", c.name, c.keeps)
		}
	}
}
