"""The language server: ago in editors, beside gopls."""
