// Package api is implemented by the replaced module, which imports it back.
package api

// Version of the interface.
const Version = 3

// Request asks a plugin.
type Request struct {
	Name string
	Args []string
}

// Plugin answers requests.
type Plugin interface {
	Name() string
	Do(r Request) (string, error)
}

// Registry holds plugins by name.
type Registry map[string]Plugin

// Add registers one.
func (r Registry) Add(p Plugin) { r[p.Name()] = p }
