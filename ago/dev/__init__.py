"""Tooling of the project itself, as subcommands of `ago dev`."""
