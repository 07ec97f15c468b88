"""Proofs: what an edit did not write must mean what it meant; each returns what it refuses."""
