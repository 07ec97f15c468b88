"""Fronts: adapters between the dispatcher and people, hosts or editors."""
