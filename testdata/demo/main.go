// Demo prints what its packages compute.
package main

import (
	"fmt"

	"demo/lib"
	"demo/sig"
)

func main() {
	store := &lib.Store{}
	for v := range lib.Limit {
		store.Put(lib.Double(v))
	}
	fmt.Println(store.Sum(), sig.Scale(store.Sum(), 2))
	fmt.Println(sig.Shout("done"), sig.RunAll(sig.NewJob(3), sig.NewJob(4)))
}
