"""Repairs: for a refusal, complete next calls that would work."""
