"""From an approved edit to the disk: journal, atomic exchange, recovery, history."""
