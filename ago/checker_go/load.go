package main

func init() { methods["load"] = (*server).handleLoad }

func (s *server) handleLoad(r *request) (any, error) { return nil, nil }
