"""Hooks: what agents' own edit tools ask before and after they write."""
