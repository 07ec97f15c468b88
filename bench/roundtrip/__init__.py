"""Edits there and back on real code: what comes back must be what was there."""
