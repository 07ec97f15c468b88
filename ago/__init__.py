"""ago: typed questions of a Go workspace, and edits that the Go compiler judges before a byte is
written."""

__version__ = "0.1.0"
