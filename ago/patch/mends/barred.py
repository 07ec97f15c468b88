"""Packages of the workspace that an unknown qualifier may mean and that can't be imported there.

Invariant: says the rule of the go command that keeps them out, never a way around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ago.checker.checker import Diagnostic
from ago.patch.mends.sight import Sight, rows
from grammar_ops.near import LIMIT

UNDEFINED = "undefined: "


def list_barred(found: Sequence[Diagnostic], sight: Sight) -> dict[str, list[str]]:
    """By name, a sentence for each package of that name that the file of a diagnostic can't use."""
    names = {
        (diagnostic.msg.removeprefix(UNDEFINED), sight.package_of(diagnostic.file))
        for diagnostic in found
        if is_qualifier(diagnostic, sight.text(diagnostic.file))
    }
    out = {name: [*_sentences(name, pkg, sight)][:LIMIT] for name, pkg in sorted(names)}
    return {name: sentences for name, sentences in out.items() if sentences}


def is_qualifier(found: Diagnostic, text: bytes) -> bool:
    """Whether a diagnostic of a text says of the `fmt` of `fmt.Print` that it is undefined."""
    return found.msg.startswith(UNDEFINED) and text[found.end : found.end + 1] == b"."


def _sentences(name: str, pkg: str, sight: Sight) -> Iterator[str]:
    answer = sight.ask({"kind": "import_candidates", "name": name, "members": [], "from": pkg})
    for row in rows(answer, "barred"):
        path, via = str(row["path"]), row.get("via")
        match row["why"]:
            case "command":
                why = "it is a command"
            case "internal":
                why = f"it is internal to {path.rpartition('internal')[0].rstrip('/')}"
            case _:
                chain = via if isinstance(via, list) else []
                why = f"it imports {', which imports '.join(map(str, chain))}"
        yield f"{path} can't be imported in {pkg}: {why}"
