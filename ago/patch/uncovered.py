"""References in files that no checked build context covers, where syntax alone makes them certain.

Invariant: what is not certain is reported as unproven, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ago.patch.workbench import Workbench
from grammar_ops.edit import Span
from grammar_ops.scope import PackageInfo, Ref
from grammar_ops.syntax.imports import list_imports, parse_head
from grammar_ops.syntax.mentions import find_mentions, find_selected, list_tokens
from grammar_ops.syntax.nodes import is_qualifier, span_of


class Uncovered(NamedTuple):
    """What the files outside of the build say of a name: certain references, and open questions."""

    refs: tuple[Ref, ...]
    unproven: tuple[str, ...]


def find_uncovered(
    package: PackageInfo, sym: str, bench: Workbench, files: Iterable[str]
) -> Uncovered:
    """Mentions of an object of `package` in `files`, none of which the build compiles."""
    refs, unproven = [], []
    name = sym.rpartition(".")[2]
    word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
    inside = {path for path, _ in package.files}
    for path in files:
        text = bench.find(path)
        if not name and text and f'"{package.pkg}"'.encode() in text:
            qualifiers = _qualifiers(path, package, bench)
            refs += [Ref(path, span, "read", "") for span in qualifiers or ()]
            unproven.append(left(path, package.name) if qualifiers is None else rewritten(path))
            continue
        if not name or text is None or not word.search(text):
            continue
        if f'"{package.pkg}"'.encode() in text:
            spans = _imported(path, package, name, bench)
        elif path in inside:
            spans = _own(path, name, bench)
        else:
            continue
        # Whose member a selector names, only types can tell.
        if spans and "." not in sym:
            refs += [Ref(path, span, _role(text, span), "") for span in spans]
            unproven.append(rewritten(path))
        elif spans is None or "." in sym:
            unproven.append(left(path, name))
    return Uncovered(tuple(refs), tuple(unproven))


def note_torn(
    package: PackageInfo, sym: str, bench: Workbench, files: Iterable[str]
) -> Iterator[str]:
    """What is said of those of `files`, none of which parses, that mention an object."""
    name = sym.rpartition(".")[2]
    word = re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")
    inside = {path for path, _ in package.files}
    for path in files:
        text = bench.find(path) or b""
        if word.search(text) and (path in inside or f'"{package.pkg}"'.encode() in text):
            yield f"{path}: does not parse; mentions of {name} may stand where it can't be read"


def rewritten(path: str) -> str:
    """What is said of a file in which references were followed."""
    return f"{path}: outside the checked build; rewritten by name"


def left(path: str, name: str) -> str:
    """What is said of a file in which they could not be."""
    return f"{path}: outside the checked build; mentions {name}, left as it is"


def merge_refs(*groups: Iterable[Ref]) -> list[Ref]:
    """References of several sources by file and offset, each identifier once.

    Implicit references (promotion and the like) have no text and stay beside the written one.
    """
    found: dict[tuple[str, Span, str], Ref] = {}
    for group in groups:
        for ref in group:
            written = ref.span.start < ref.span.end
            found.setdefault((ref.path, ref.span, "" if written else ref.role), ref)
    return sorted(found.values(), key=lambda ref: (ref.path, ref.span))


def _role(text: bytes, span: Span) -> str:
    return "call" if text[span.end :].lstrip()[:1] == b"(" else "read"


def _own(path: str, name: str, bench: Workbench) -> tuple[Span, ...] | None:
    """Mentions in a file of the package itself; None when something there has the name, too."""
    mentions = find_mentions(bench.tree(path), bench.source(path), name)
    return mentions.spans if mentions.certain else None


def _imported(
    path: str, package: PackageInfo, name: str, bench: Workbench
) -> tuple[Span, ...] | None:
    """`alias.Name` in a file of another package; None when the alias may mean something else."""
    source = bench.source(path)
    named = [i.name for i in list_imports(parse_head(source), source) if i.path == package.pkg]
    if len(named) != 1 or named[0] == ".":
        return None
    alias = named[0] or package.name
    if named[0] == "_" or not find_mentions(bench.tree(path), source, alias).certain:
        return None
    return find_selected(bench.tree(path), source, alias, name)


def _qualifiers(path: str, package: PackageInfo, bench: Workbench) -> tuple[Span, ...] | None:
    """What stands for a package where a file calls it by its own name; None when the name may mean
    something else there."""
    source, name = bench.source(path), package.name
    named = [i.name for i in list_imports(parse_head(source), source) if i.path == package.pkg]
    if "." in named or not find_mentions(bench.tree(path), source, name).certain:
        return None
    found = list_tokens(bench.tree(path).root_node, source, name) if "" in named else []
    return tuple(span_of(token) for token in found if is_qualifier(token))
