"""Setting up: what a machine or a workspace needs for ago."""
