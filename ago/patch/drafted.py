"""References as the draft has them: those it wrote, without those that mean another object.

Invariant: of the base's references only what the checker positively calls another object goes;
what it can't resolve in a half-made draft still counts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ago.patch.workbench import Workbench
from ago.workspace.positions import folder_of
from grammar_ops.edit import Span
from grammar_ops.reject import Json
from grammar_ops.scope import Ref
from grammar_ops.syntax.imports import list_imports, parse_head

Ask = Callable[[Sequence[dict[str, Json]]], Sequence[dict[str, Json]]]


def read_uses(
    answer: dict[str, Json], bench: Workbench, others: Collection[int],
    is_generated: Callable[[str], bool],
) -> Iterator[Ref]:  # fmt: skip
    """The references of a `uses_of` answer, without what the ops `others` wrote: while names are
    swapped two objects have one name, and text of the other's rename is its."""
    uses = answer.get("uses")
    for use in uses if isinstance(uses, list) else []:
        if not isinstance(use, dict):
            continue
        start, size = use["offset"], use["len"]
        assert isinstance(start, int) and isinstance(size, int)
        path, role = str(use["file"]), str(use["role"])
        written = bench.written(path) if others else ()
        arrived = set(bench.arrived(path)) if others else ()  # what moved was written before
        if not any(
            s <= start < e and op in others and (s, e) not in arrived for s, e, op in written
        ):
            yield Ref(path, Span(start, start + size), role, "", is_generated(path))


def read_importers(bench: Workbench, pkg: str) -> Iterator[Ref]:
    """The imports of a package in the files that the patch has edited."""
    for path in bench.edited():
        if path.endswith(".go") and not bench.is_deleted(path):
            source = bench.source(path)
            for known in list_imports(parse_head(source), source):
                if known.path == pkg:
                    yield Ref(path, known.span, "import", "")


def list_drafted(bench: Workbench, folder: str) -> list[str]:
    """The Go files of a folder that the patch has edited or made."""
    edited = (path for path in bench.edited() if path.endswith(".go"))
    return [path for path in edited if folder_of(path) == folder and not bench.is_deleted(path)]


def with_roles(standing: Iterable[Ref], drafted: Iterable[Ref]) -> list[Ref]:
    """The base's references in the roles that they have in the draft: what was a value may be
    called by now."""
    roles = {(ref.path, ref.span): ref.role for ref in drafted if ref.span.start < ref.span.end}
    return [ref._replace(role=roles.get((ref.path, ref.span), ref.role)) for ref in standing]


def drop_rebound(
    standing: Sequence[Ref], drafted: Iterable[Ref], pkg: str, sym: str, ask: Ask
) -> list[Ref]:
    """The references without those that the draft takes for another object than `pkg.sym`."""
    known = {(ref.path, ref.span.start) for ref in drafted}
    doubtful = [
        ref
        for ref in standing
        if ref.span.start < ref.span.end and (ref.path, ref.span.start) not in known
    ]
    if not doubtful:
        return list(standing)
    answers = ask(
        [{"kind": "object_at", "file": ref.path, "offset": ref.span.start} for ref in doubtful]
    )
    rebound = {
        ref
        for ref, answer in zip(doubtful, answers, strict=True)
        if answer.get("sym") and (answer.get("pkg"), answer.get("sym")) != (pkg, sym)
    }
    return [ref for ref in standing if ref not in rebound]
