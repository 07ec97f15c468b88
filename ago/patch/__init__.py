"""The patch engine: from a request to an approved, committed edit, or a refusal."""
