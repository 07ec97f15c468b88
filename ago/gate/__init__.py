"""The gate: the only part that approves an edit."""
