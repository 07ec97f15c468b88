"""The catalog: everything that is derived from the op, query and tool classes."""
