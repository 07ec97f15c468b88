"""Reasons to refuse a request before anything is known of what it asks for."""

from __future__ import annotations

from grammar_ops.reject import register

register(
    "protocol",
    {
        "malformed_request": "the request is not JSON, and not nearly JSON",
        "malformed_patch": "`ops` is neither an op nor a list of ops",
        "unknown_argument": "the tool has no argument of that name, or not of that type",
    },
)
