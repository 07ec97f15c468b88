// Package host runs plugins.
package host

import (
	"fmt"

	"example.test/core/api"
	"example.test/plugin"
)

// Default knows the echo plugin.
func Default() api.Registry {
	r := api.Registry{}
	r.Add(plugin.Echo{Sep: " "})
	return r
}

// Run asks one plugin.
func Run(r api.Registry, name string, args ...string) (string, error) {
	p, ok := r[name]
	if !ok {
		return "", fmt.Errorf("no plugin %q of %d", name, len(r))
	}
	return p.Do(api.Request{Name: name, Args: args})
}
