"""Addresses as people, tools and stack traces write them, in the plain form that is looked up.

Invariant: pure; only signs around names change, never a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTES = "`\"' "
_METHOD_DECL = re.compile(r"(?:func\s*)?\(\s*(?:\w+\s+)?[*&]?\s*([\w.]+)\s*\)\s+(\w+)")
_FUNC_DECL = re.compile(r"func\s+(\w+)")
_KEYWORD_DECL = re.compile(r"(?:type|var|const)\s+(\w+)")
_RECEIVER = re.compile(r"\(\s*[*&]?\s*([\w./]+)\s*\)")
_CALLED = re.compile(r"(?<=\w)\(.*\)?\Z", re.DOTALL)
_SEPARATOR = re.compile(r"::|#|->")
_CLOSURE = re.compile(r"(?:\.(?:func\d+|gowrap\d+|deferwrap\d+|\d+)|-fm|-range\d+)+\Z")
_INIT = re.compile(
    r"(?:(?P<path>.*)\.)?init(?:\.(?P<from_0>\d+)|(?:#|::|\s|\[)(?P<from_1>\d+)\]?)\Z"
)
_CLAUSE = re.compile(r"package\s+")


def plain_package(pkg: str) -> str:
    """A package without quotes, keyword or pattern around it."""
    text = _CLAUSE.sub("", pkg.strip(_QUOTES)).strip(_QUOTES)
    return text.removesuffix("...").rstrip("/") if text.endswith("/...") else text


def plain_sym(sym: str) -> str:
    """`(*T[K]).M()`, `func (t *T[K]) M(x int)`, `T::M`, `type T struct` and their kin as names."""
    text = _without_type_args(sym.strip(_QUOTES))
    if match := _METHOD_DECL.match(text):
        return f"{match[1]}.{match[2]}"
    if match := _FUNC_DECL.match(text) or _KEYWORD_DECL.match(text):
        return match[1]
    text = _RECEIVER.sub(r"\1", text)
    text = _SEPARATOR.sub(".", _CALLED.sub("", text))
    return re.sub(r"[*&]", "", text).strip()


def looser_names(name: str) -> Iterator[str]:
    """What a name that means nothing may stand for: the function of a closure or a subtest, a path
    of names, a member named through the field that it is promoted from."""
    if (around := _CLOSURE.sub("", name)) != name:
        yield around
    head, slash, _ = name.partition("/")
    if slash:
        if head.rpartition(".")[2].startswith(("Test", "Benchmark", "Fuzz")):
            yield head
        yield name.replace("/", ".")
    parts = name.split(".")
    if len(parts) > 2:
        yield f"{parts[0]}.{parts[-1]}"


def nth_init(sym: str) -> tuple[str, int] | None:
    """(what stands before it, number from 0) of an `init` that is counted: the runtime's `init.0`,
    or `init#1` for the first."""
    match = _INIT.fullmatch(sym.strip(_QUOTES).removesuffix("()"))
    if match is None:
        return None
    number = int(match["from_0"]) if match["from_0"] else int(match["from_1"]) - 1
    return match["path"] or "", number


def _without_type_args(text: str) -> str:
    """The text without what stands in brackets, however deep."""
    out, depth = [], 0
    for letter in text:
        depth += letter == "["
        if not depth:
            out.append(letter)
        depth -= letter == "]" and depth > 0
    return "".join(out) if not depth else text
