"""Callees: what a function takes and gives, written as the file that is to call it would.

Invariant: types are the checker's text for that file; nothing here guesses at one.
"""

from __future__ import annotations

from typing import NamedTuple

from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.typefacts import rows

register(
    "grammar",
    {"callee_unknown": "the checker can't say what the function takes and gives"},
)


class Caller(NamedTuple):
    """The file that calls, which need not exist, and its package as it is addressed."""

    path: str
    pkg: str


class Param(NamedTuple):
    """A parameter, result or receiver."""

    name: str
    type: str
    zero: str
    underlying: str
    comparable: bool
    deep: bool
    """`==` is missing, or compares addresses somewhere."""
    flat: bool
    """A slice of what `==` compares by value."""
    opaque: bool
    """It has fields that are not exported."""
    is_error: bool
    named: str
    """`path.Name` of its defined type, behind a pointer too."""


class Maker(NamedTuple):
    """A function that gives a value of the receiver's type."""

    sym: str
    generic: bool
    fails: bool


class Callee(NamedTuple):
    """A function as its caller sees it."""

    qualifier: str
    """What stands before its name, with the dot; "" in its own package."""
    type_args: tuple[str, ...]
    recv: Param | None
    params: tuple[Param, ...]
    results: tuple[Param, ...]
    variadic: bool
    hidden: bool
    """Whether the caller can't name it, or all of its types."""
    makers: tuple[Maker, ...]
    imports: tuple[tuple[str, str], ...]
    """(path, alias) of the imports that the caller lacks."""

    @property
    def fixed(self) -> tuple[Param, ...]:
        """The parameters but for a variadic one."""
        return self.params[:-1] if self.variadic else self.params

    @property
    def instance(self) -> str:
        """The type arguments in brackets, "" for a function without."""
        return f"[{', '.join(self.type_args)}]" if self.type_args else ""


def ask_callee(scope: Scope, decl: Decl, caller: Caller, type_args: tuple[str, ...] = ()) -> Callee:
    """What the checker knows of a function; Reject(callee_unknown, no_type_argument)."""
    question: dict[str, Json] = {
        "kind": "signature",
        "file": decl.path,
        "offset": decl.name_span.start,
        "path": caller.path,
        "from": caller.pkg,
        "type_args": [*type_args],
    }
    answer = scope.ask(question)
    if "error" in answer:
        key = "no_type_argument" if _is_generic(decl) else "callee_unknown"
        raise Reject(key, f"{decl.sym}: {answer['error']}")
    recv, args = answer.get("recv"), answer.get("type_args")
    qualifier = str(answer.get("qualifier") or "")
    return Callee(
        f"{qualifier}." if qualifier else "",
        tuple(map(str, args if isinstance(args, list) else ())),
        _param(recv) if isinstance(recv, dict) else None,
        tuple(map(_param, rows(answer, "params"))),
        tuple(map(_param, rows(answer, "results"))),
        bool(answer.get("variadic")),
        bool(answer.get("hidden")),
        tuple(
            Maker(str(row["sym"]), bool(row.get("generic")), bool(row.get("fails")))
            for row in rows(answer, "makers")
        ),
        tuple((str(row["path"]), str(row.get("name") or "")) for row in rows(answer, "imports")),
    )


def _is_generic(decl: Decl) -> bool:
    receiver = nodes.find_field(decl.node, "receiver")
    generic = receiver is not None and any(
        n.type == "generic_type" for n in nodes.descendants(receiver)
    )
    return generic or nodes.find_field(decl.node, "type_parameters") is not None


def _param(row: dict[str, Json]) -> Param:
    named = row.get("named")
    of = f"{named.get('pkg')}.{named.get('sym')}" if isinstance(named, dict) else ""
    return Param(
        str(row.get("name") or ""),
        str(row.get("type") or ""),
        str(row.get("zero") or ""),
        str(row.get("underlying") or ""),
        bool(row.get("comparable")),
        bool(row.get("deep")),
        bool(row.get("flat")),
        bool(row.get("opaque")),
        row.get("assignable") == [True],
        of,
    )
