package main

// Universe is the set of checked packages.
type Universe struct{}
