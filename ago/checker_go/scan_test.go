package main

import "testing"

func TestMajorityName(t *testing.T) {
	file := func(name, pkg string) SourceFile { return SourceFile{Name: name, Package: pkg, Match: true} }
	for _, c := range []struct {
		why, want string
		files     []SourceFile
	}{
		{"most files", "a", []SourceFile{file("n.go", "b"), file("x.go", "a"), file("y.go", "a")}},
		{"of equals the one with tests", "a", []SourceFile{file("n.go", "b"), file("x.go", "a"), file("x_test.go", "a_test")}},
		{"of equals the first", "b", []SourceFile{file("n.go", "b"), file("x.go", "a")}},
		{"never more tests than files", "a", []SourceFile{file("x.go", "a"), file("y_test.go", "b"), file("z_test.go", "b")}},
		{"tests alone", "a", []SourceFile{file("x_test.go", "a_test"), file("y_test.go", "a")}},
	} {
		name, _ := majorityName(c.files)
		same(t, c.why, name, c.want)
	}
}
