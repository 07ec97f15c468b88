"""Stubs: methods that a type lacks of an interface, written as its other methods are.

Invariant: the checker says which are missing and how their types are written in the type's file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.decls import Decl, list_decls

register(
    "grammar",
    {
        "interface_not_found": "the text names no interface that a type can implement",
        "already_implemented": "the type has all methods of the interface",
        "method_name_taken": "the type has another field or method of that name",
        "sealed_interface": "only the interface's own package can declare its methods",
    },
)

_FIRST = re.compile(r"[A-Za-z]")


class Receiver(NamedTuple):
    """How the methods of a type name and write their receiver."""

    name: str
    type: str


class Missing(NamedTuple):
    """A method that a type lacks, its signature as the file writes it."""

    name: str
    signature: str


def list_missing(scope: Scope, decl: Decl, iface: str) -> tuple[list[Missing], list[Json]]:
    """The methods that a type lacks, and the imports that their signatures need."""
    question: dict[str, Json] = {"kind": "missing_methods", "file": decl.path, "name": iface}
    answer = scope.ask({**question, "type": {"pkg": "", "sym": decl.sym}})
    if "error" in answer:
        raise Reject("interface_not_found", f"{iface}: {answer['error']}")
    rows = [row for row in _rows(answer, "missing") if isinstance(row, dict)]
    for reason, key in (("method_name_taken", "wrong_type"), ("sealed_interface", "foreign")):
        bad = [str(row["name"]) for row in rows if row.get(key)]
        if bad:
            raise Reject(reason, f"{decl.sym}: {', '.join(bad)}")
    if not rows:
        raise Reject("already_implemented", f"{decl.sym} has the methods of {iface}")
    missing = [Missing(str(row["name"]), str(row["signature"])) for row in rows]
    return missing, _rows(answer, "imports")


def find_receiver(scope: Scope, pkg: str, decl: Decl) -> Receiver:
    """The receiver that the type's other methods have: the most frequent name, a pointer where one
    is; a pointer and the type's first letter when there are none."""
    names: Counter[str] = Counter()
    pointers = []
    package = scope.find_package(pkg)
    for path, _ in package.files if package else ():
        src = scope.source(path)
        if f"{decl.sym}".encode() not in src:
            continue
        for method in list_decls(scope.tree(path), src, path):
            if method.kind == "method" and method.sym.partition(".")[0] == decl.sym:
                name, pointer = _receiver_of(src, method)
                names[name] += name not in ("", "_")
                pointers.append(pointer)
    first = _FIRST.search(decl.sym)
    name = next((n for n, count in names.most_common() if count), "")
    star = "*" if not pointers or any(pointers) else ""
    return Receiver(name or (first[0].lower() if first else "v"), star + _self_type(scope, decl))


def _receiver_of(src: bytes, method: Decl) -> tuple[str, bool]:
    receiver = nodes.find_field(method.node, "receiver")
    params = nodes.elements(receiver) if receiver else []
    names = nodes.name_nodes(params[0]) if params else []
    text = nodes.text_of(src, receiver) if receiver else ""
    return (nodes.text_of(src, names[0]) if names else ""), "*" in text.partition("[")[0]


def _self_type(scope: Scope, decl: Decl) -> str:
    """The type as a receiver writes it, its type parameters by name."""
    params = nodes.find_field(decl.node, "type_parameters")
    src = scope.source(decl.path)
    found = [n for p in (nodes.elements(params) if params else []) for n in nodes.name_nodes(p)]
    names = ", ".join(nodes.text_of(src, name) for name in found)
    return f"{decl.sym}[{names}]" if names else decl.sym


def write_stubs(receiver: Receiver, missing: Sequence[Missing], iface: str, body: str) -> list[str]:
    """The methods as declarations; a parameter of the receiver's name leaves it without one."""
    out = []
    for method in missing:
        words = set(re.findall(r"\w+", method.signature))
        self_ = receiver.type if receiver.name in words else f"{receiver.name} {receiver.type}"
        doc = f"// {method.name} implements {iface.rpartition('/')[2]}.\n"
        lines = "\n".join(f"\t{line}" for line in body.splitlines())
        out.append(f"{doc}func ({self_}) {method.name}{method.signature} {{\n{lines}\n}}")
    return out


def _rows(answer: dict[str, Json], key: str) -> list[Json]:
    rows = answer.get(key)
    return rows if isinstance(rows, list) else []
