"""Runs of the workspace's own code: the only place that does so."""
