package main

// This file hands checked units to the questions of ask.

// unitsIn returns every checked unit that compiles a file under an overlay, the owner first.
func (s *server) unitsIn(overlay Overlay, file string) ([]*Unit, error) {
	u, err := s.ready()
	if err != nil {
		return nil, err
	}
	g := u.base.graph
	if len(overlay) > 0 {
		c, err := u.candidateOf(overlay)
		if err != nil {
			return nil, err
		}
		g = c.view.graph
	}
	p, role := g.PackageOfFile(file)
	var keys []UnitKey
	for _, key := range unitKeys(p) {
		inTest := key.Variant == InTest
		if role == "xtest" && key.Variant == XTest || role == "test" && inTest ||
			(role == "go" || role == "cgo") && (key.Variant == Primary || inTest) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, failf(badRequest, "%s belongs to no unit of the workspace", file)
	}
	return s.checkedUnits(overlay, keys)
}

// checkedUnits returns checked units under an overlay.
func (s *server) checkedUnits(overlay Overlay, keys []UnitKey) ([]*Unit, error) {
	u, err := s.ready()
	if err != nil {
		return nil, err
	}
	if len(overlay) == 0 {
		return u.checkBase(keys)
	}
	c, err := u.candidateOf(overlay)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(keys))
	for i, key := range keys {
		paths[i] = key.Pkg
	}
	if err := c.prepareImports(paths, true); err != nil {
		return nil, err
	}
	c.checkUnits(keys)
	units := make([]*Unit, len(keys))
	for i, key := range keys {
		units[i] = c.units[key]
	}
	return units, nil
}
