"""ago: typed questions and compiler-checked edits for Go workspaces."""

__version__ = "0.1.0"
