"""ago: typed questions about a Go workspace, and edits that the Go compiler judges beforehand."""

__version__ = "0.1.0"
