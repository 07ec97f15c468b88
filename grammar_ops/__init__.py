"""Go syntax, the edit ledger and the op catalog: bytes and trees in, edits out.

Invariant: nothing here does I/O, runs a process, or knows of ago, types or facts.
"""
