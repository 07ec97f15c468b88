"""Marked blocks of Markdown files: put, renewed and dropped without touching what stands around.

Invariant: a block that is put and dropped again leaves the bytes that were there before.
"""

from __future__ import annotations

import re

BEGIN, END = "<!-- ago:begin -->", "<!-- ago:end -->"

_BLOCK = re.compile(rf"(\A|(?:\r?\n)?){BEGIN}.*?{END}(?:\r?\n)?", re.DOTALL)


def put_block(text: str, body: str) -> str:
    """`text` with the block in it, in the place of an older one or at the end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = f"{BEGIN}\n{body.rstrip()}\n{END}\n".replace("\n", newline)
    if found := _BLOCK.search(text):
        return text[: found.end(1)] + block + text[found.end() :]
    # Without a last line break the blank line before the block is that break.
    return f"{text}{newline}{block}" if text else block


def drop_block(text: str) -> str:
    """`text` without the block."""
    return _BLOCK.sub("", text, count=1)


def has_block(text: str) -> bool:
    """Whether there is a block."""
    return _BLOCK.search(text) is not None
