"""Replay a repository's history through ago and compare every tree with the commit's."""
