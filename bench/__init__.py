"""Benchmarks: what ago costs, as ratios against peers and the go command in the same run.

Invariant: only the command line and the JSON surface of ago are used, so that any build of it can
be measured.
"""
