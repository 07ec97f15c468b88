"""Mends of names that the compiler does not know: what they are called now, or nearly.

Invariant: what an accepted edit renamed comes before what is spelt alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ago.checker.checker import Diagnostic
from ago.patch.mends.sight import Change, Mend, Sight, rows
from ago.workspace.near import near_packages
from grammar_ops.near import LIMIT, near_names
from grammar_ops.reject import Json
from grammar_ops.syntax import nodes


def name_known(found: Diagnostic, qualifier: str, name: str, sight: Sight) -> Iterator[Mend]:
    """What could stand in the place of a name of the package, or of the one that qualifies it."""
    at = found.offset
    if qualifier:
        # The compiler points at the name, the go command at its qualifier.
        text = sight.text(found.file)
        at = text.find(name.encode(), at) if not text.startswith(name.encode(), at) else at
        path, known = _exported(found.file, qualifier, sight)
    else:
        path = sight.package_of(found.file)
        question: dict[str, Json] = {"kind": "names_at", "file": found.file, "offset": at}
        known = _names(sight.ask(question), "names")
    yield from _replacements(found.file, at, name, path, name, known, sight)


def member_known(found: Diagnostic, name: str, does_have: str, sight: Sight) -> Iterator[Mend]:
    """What could stand in the place of a field or method that a value does not have."""
    ident = sight.node(found.file, found.offset, found.offset + len(name.encode()))
    selector = ident.parent if ident is not None else None
    while selector is not None and selector.type != nodes.SELECTOR:
        selector = selector.parent
    operand = nodes.find_field(selector, "operand") if selector is not None else None
    field = nodes.find_field(selector, "field") if selector is not None else None
    if operand is None or field is None:
        return
    answer = sight.ask(
        {
            "kind": "members",
            "file": found.file,
            "start": operand.start_byte,
            "end": operand.end_byte,
        }
    )
    named = answer.get("named")
    pkg, owner = (
        (str(named.get("pkg")), str(named.get("sym"))) if isinstance(named, dict) else ("", "")
    )
    known = [*([does_have] if does_have else []), *_names(answer, "members")]
    yield from _replacements(
        found.file, field.start_byte, name, pkg, f"{owner}.{name}", known, sight
    )


def key_known(found: Diagnostic, name: str, sight: Sight) -> Iterator[Mend]:
    """What could stand in the place of a key that a struct has no field for."""
    literal = sight.node(found.file, found.offset, found.offset + len(name.encode()))
    while literal is not None and literal.type != nodes.COMPOSITE:
        literal = literal.parent
    type_ = nodes.find_field(literal, "type") if literal is not None else None
    if type_ is None:
        return
    question: dict[str, Json] = {"kind": "members", "file": found.file}
    answer = sight.ask(question | {"start": type_.start_byte, "end": type_.end_byte})
    named = answer.get("named")
    pkg, owner = (
        (str(named.get("pkg")), str(named.get("sym"))) if isinstance(named, dict) else ("", "")
    )
    known = [str(m["name"]) for m in rows(answer, "members") if m.get("kind") == "field"]
    yield from _replacements(found.file, found.offset, name, pkg, f"{owner}.{name}", known, sight)


def path_known(found: Diagnostic, path: str, sight: Sight) -> Iterator[Mend]:
    """A package of the workspace in the place of an import path that leads nowhere."""
    text = sight.text(found.file)
    at = text.find(path.encode(), found.offset)
    if at >= 0:
        for near in near_packages(path, sight.snapshot.packages()):
            yield _mend(found.file, at, path, near)


def _replacements(
    file: str, at: int, name: str, pkg: str, sym: str, known: list[str], sight: Sight
) -> Iterator[Mend]:
    now = sight.snapshot.past.renamed_to(pkg, sym).rpartition(".")[2] if pkg else ""
    near = near_names(name, dict.fromkeys(n for n in known if n != name))
    for other in dict.fromkeys([*([now] if now else []), *near][:LIMIT]):
        why = f"{name} was renamed to {other}" if other == now else f"{other} for {name}"
        yield _mend(file, at, name, other, why)


def _mend(file: str, at: int, old: str, new: str, why: str = "") -> Mend:
    end = at + len(old.encode())
    return Mend(why or f"{new} for {old}", (Change(file, at, end, new),))


def _exported(file: str, qualifier: str, sight: Sight) -> tuple[str, list[str]]:
    """The path of the package that a qualifier means in a file, and what it exports."""
    for row in rows(sight.ask({"kind": "imports", "file": file}), "imports"):
        if row.get("name") == qualifier:
            path = str(row.get("path"))
            return path, _names(sight.ask({"kind": "package", "path": path}), "exported")
    return "", []


def _names(answer: Mapping[str, Json], key: str) -> list[str]:
    return [str(row["name"]) for row in rows(answer, key) if "name" in row]
