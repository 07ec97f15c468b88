"""Changes inside a function whose declaration stays: its body as a whole, or single statements."""

from __future__ import annotations

from bench.oracle.items import Item
from bench.oracle.statements import change_statements
from bench.oracle.step import Op


def change_body(
    address: Op, old: Item, old_src: bytes, new: Item, new_src: bytes
) -> tuple[list[list[Op]], str]:
    """Ways to say the difference of two functions that differ in their bodies alone, and why single
    statements are none of them."""
    before, after = split_function(old), split_function(new)
    if before[0] != after[0] or before[2] != after[2]:
        return [], "another signature"
    few, why = change_statements(address, old.decls[0], old_src, new.decls[0], new_src)
    whole: Op = {"op": "set_body", **address, "body": after[1].strip("\n")}
    return ([few, [whole]] if few else [[whole]]), why


def split_function(item: Item) -> tuple[str, str, str]:
    """A function up to its brace, between the braces, and from the closing one on."""
    span, code = item.decls[0].body_span, item.code.encode()
    assert span is not None
    start = item.decls[0].span.start
    low, high = span.start - start + 1, span.end - start - 1
    return code[:low].decode(), code[low:high].decode(), code[high:].decode()
