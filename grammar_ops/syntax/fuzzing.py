"""Fuzz tests: the types that go test can make up, and seeds of exactly these types.

Invariant: a seed has the type of its parameter (testing.F.Add panics for another).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grammar_ops.scope import Scope
from grammar_ops.syntax.callee import Param
from grammar_ops.syntax.fragment import check_expr
from grammar_ops.syntax.testcall import TestCall

_BASES = frozenset(
    {
        "string", "bool", "float32", "float64", "int", "int8", "int16", "int32", "int64", "uint",
        "uint8", "uint16", "uint32", "uint64",
    }
)  # fmt: skip
_ALIASES = {"byte": "uint8", "rune": "int32"}
_BYTES = "[]byte"
_INT = re.compile(r"-?\d+")


class Input(NamedTuple):
    """A parameter of the fuzz function: its name, what it is made up as, what the call gets."""

    name: str
    type: str
    base: str
    """"" for what go test can't make up."""
    value: str


def fuzzed_inputs(call: TestCall) -> list[Input]:
    """The inputs of a call as parameters of a fuzz function."""
    taken, found = {"t", "f", "err", call.recv_name, call.callee.qualifier.removesuffix(".")}, []
    for index, param in enumerate(call.inputs()):
        usable = param.name not in ("", "_") and param.name not in taken
        name = param.name if usable else f"v{index}"
        taken.add(name)
        base = _base_of(param)
        value = name if base == param.type else f"{param.type}({name})"
        found.append(Input(name, param.type, base, value))
    return found


def _base_of(param: Param) -> str:
    if param.type in (_BYTES, "[]uint8") or param.type in _ALIASES:
        return param.type
    return param.underlying if param.underlying in _BASES else ""


def seed_lines(
    scope: Scope, inputs: Sequence[Input], seeds: Sequence[Sequence[str]]
) -> Iterator[str]:
    """The calls that add the seeds; without any, one of zero values."""
    zeros = [_ZEROS.get(param.base, "0") for param in inputs]
    for seed in seeds or [zeros]:
        values = [check_expr(scope, text, "seeds").text for text in seed]
        typed = (_typed(text, param.base) for text, param in zip(values, inputs, strict=True))
        yield f"f.Add({', '.join(typed)})"


_ZEROS = {"string": '""', "bool": "false", _BYTES: '""', "[]uint8": '""'}


def _typed(text: str, base: str) -> str:
    """A value as one of a type, converted where it is not surely of it."""
    plain = base in ("string", "bool") or (base == "int" and _INT.fullmatch(text))
    return text if plain or text.startswith((f"{base}(", f"{base}{{")) else f"{base}({text})"
