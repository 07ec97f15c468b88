// Package plugin implements the interface of the module that requires it.
package plugin

import (
	"errors"
	"strings"

	"example.test/core/api"
)

// Echo repeats its arguments.
type Echo struct{ Sep string }

var _ api.Plugin = Echo{}

// Name is fixed.
func (e Echo) Name() string { return "echo" }

// Do joins.
func (e Echo) Do(r api.Request) (string, error) {
	if len(r.Args) == 0 {
		return "", errors.New("no arguments")
	}
	return strings.Join(r.Args, e.Sep), nil
}

// Supported is the version built for.
const Supported = api.Version
