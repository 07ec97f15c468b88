"""The daemon of a workspace and its thin client."""
