package main

import "io"

func buildDeps(in io.Reader, out io.Writer) int { return 1 }
