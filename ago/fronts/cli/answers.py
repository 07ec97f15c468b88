"""Answers to questions as text for a person at a terminal: a writer for each shape of them.

Invariant: every field of an answer is shown once: in the head, in its row, or behind it by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import cast

from ago.fronts.cli.paint import Paint, printable
from grammar_ops.reject import Json

Body = Mapping[str, Json]
Row = Mapping[str, Json]
Writer = Callable[[Body, Paint], Iterator[str]]

_SAID = ("status", "resolved", "normalised", "warnings", "next_offset", "truncated", "next")
"""What the remarks below every response say."""
_TAGS = ("change", "kind", "role", "effect", "dir", "only")
"""Fields of which the first that a row has goes before its name."""
_NAMES = ("what", "path", "commit", "symbol", "msg", "name")
"""Fields that name a row without pkg and sym."""


def _status(body: Body, paint: Paint) -> Iterator[str]:
    yield from pairs(body, paint, skip=("errors",))
    errors = rows(body, "errors")
    if errors:
        yield paint("red", f"{len(errors)} standing errors")
        yield from diagnostics(body, "errors", paint)


def write_list(body: Body, paint: Paint) -> Iterator[str]:
    """Entries, a line each: tag, name, place, and what else there is by its name."""
    lists = [k for k, v in body.items() if isinstance(v, list)]
    key = next((k for k in lists if _is_table(body[k])), lists[-1] if lists else "")
    shown = [k for k in lists if k != key]
    about = " ".join(cell(body, k) for k in ("symbol", "query", "since", "pkg") if body.get(k))
    count = body.get("package_count", body.get("count", 0))
    noun = key.replace("_", " ") or "found"
    yield paint("bold", f"{count} {noun.removesuffix('s') if count == 1 else noun}") + f"  {about}"
    yield from pairs(body, paint, (*_HEAD, key, *shown))
    entries = rows(body, key)
    width = max((len(_tag(row)) for row in entries), default=0)
    for row in entries:
        yield _line(row, width, paint).rstrip()
    for name in shown:
        yield from pairs({name: body[name]}, paint)


_HEAD = ("count", "symbol", "query", "since", "pkg")


def _is_table(value: Json) -> bool:
    items = value if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, Mapping) for item in items)


def _tag(row: Row) -> str:
    value = next((row[key] for key in _TAGS if row.get(key)), "")
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _line(row: Row, width: int, paint: Paint) -> str:
    tag = next((key for key in _TAGS if row.get(key)), "")
    named = [key for key in ("pkg", "sym") if row.get(key)]
    named = named or [key for key in _NAMES if row.get(key)][:1]
    name = ".".join(cell(row, key) for key in named)
    rest = (key for key in row if key not in (*named, tag, "pos", "text"))
    more = "  ".join(f"{key.replace('_', ' ')} {_value(row[key])}" for key in rest)
    pos = paint("dim", cell(row, "pos"))
    if line := cell(row, "text"):
        return f"  {pos}  {line}"
    parts = [paint("cyan", _tag(row).ljust(width)), name, pos, more]
    return "  " + "  ".join(part for part in parts if part)


def _value(value: Json) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_value(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return " > ".join(map(_value, value))
    return printable(str(value))


def _source(body: Body, paint: Paint) -> Iterator[str]:
    """A text, behind what is said of it."""
    key = "text" if "text" in body else "doc"
    yield from pairs(body, paint, (key, "receiver"))
    if receiver := body.get("receiver"):
        yield paint("dim", printable(str(receiver)))
    yield cell(body, key).rstrip("\n") or paint("dim", "no doc comment")


def _refs(body: Body, paint: Paint) -> Iterator[str]:
    if "refs" not in body:
        yield from write_list(body, paint)
        return
    roles = cast(Row, body.get("roles") or {})
    counts = ", ".join(f"{role} {count}" for role, count in roles.items())
    yield paint("bold", f"{body.get('count', 0)} references") + f" to {cell(body, 'symbol')}"
    yield paint("dim", f"  {counts}")
    by_file = groupby(rows(body, "refs"), key=lambda row: cell(row, "pos").rsplit(":", 2)[0])
    for file, group in by_file:
        yield paint("magenta", file)
        for row in group:
            place = ":".join(cell(row, "pos").rsplit(":", 2)[1:])
            role = "def" if row.get("def") else cell(row, "role")
            source = cell(row, "line").strip()
            yield f"  {place.ljust(9)} {paint('cyan', role.ljust(10))} {source}".rstrip()


def _view(body: Body, paint: Paint) -> Iterator[str]:
    if "text" not in body:
        yield from _outline(body, paint)
        return
    head = [f"{key} {body[key]}" for key in ("symbol", "pos", "generation") if body.get(key)]
    if head:
        yield paint("dim", "  ".join(head))
    yield paint.view(cell(body, "text").rstrip("\n"))
    for slot, text in cast(Mapping[str, Json], body.get("slots") or {}).items():
        yield f"  {paint('cyan', slot)} {text}"


def _outline(body: Body, paint: Paint) -> Iterator[str]:
    """What a file or a package declares."""
    yield paint("bold", f"{cell(body, 'pkg')} {cell(body, 'file')}".rstrip())
    if doc := cell(body, "doc"):
        yield from (f"  {line}" for line in doc.rstrip().splitlines())
    for row in rows(body, "decls"):
        yield f"  {paint('dim', cell(row, 'pos'))}  {cell(row, 'decl')}"


def _inspect(body: Body, paint: Paint) -> Iterator[str]:
    name = cell(body, "symbol") or cell(body, "name")
    kind = paint("cyan", cell(body, "kind"))
    yield f"{kind} {paint('bold', name)} {cell(body, 'type')}".rstrip()
    if doc := cell(body, "doc"):
        yield from (f"  {line}" for line in doc.rstrip().splitlines())
    for key in ("fields", "methods"):
        for row in rows(body, key):
            about = cell(row, "type") or cell(row, "signature")
            yield f"  {paint('dim', key[:-1])} {cell(row, 'name')} {about}".rstrip()
    skip = ("name", "symbol", "kind", "type", "doc", "fields", "methods")
    yield from pairs(body, paint, skip)


def diagnostics(body: Body, key: str, paint: Paint) -> Iterator[str]:
    """The findings under a key, a line each."""
    for row in rows(body, key):
        op = f" (op {row['op']})" if row.get("op") else ""
        op += f" [{row['context']}]" if row.get("context") else ""
        yield "  " + paint("bold", cell(row, "pos")) + f" {cell(row, 'msg')}{op}".rstrip()
        if line := cell(row, "line"):
            yield f"    {line.strip()}"


def pairs(body: Body, paint: Paint, skip: tuple[str, ...] = ()) -> Iterator[str]:
    """What has no writer of its own: key and value, a line each."""
    for key, value in body.items():
        if key in skip or key in _SAID:
            continue
        words = value if isinstance(value, list) else [value]
        shown = ", ".join(w if isinstance(w, str) else as_word(w) for w in words)
        yield f"{paint('dim', key.replace('_', ' ').ljust(14))} {printable(shown)}"


def as_word(value: Json) -> str:
    """A value as JSON, a plain name as it is."""
    import orjson

    return (
        value if isinstance(value, str) and value.isidentifier() else orjson.dumps(value).decode()
    )


def rows(body: Body, key: str) -> list[Row]:
    """The entries under a key."""
    return cast(list[Row], body.get(key) or [])


def cell(row: Row, key: str) -> str:
    """A value as it may be written to a terminal, "" for none."""
    value = row.get(key)
    return printable(str(value)) if value is not None else ""


WRITERS: dict[str, Writer] = {
    "status": _status, "refs": _refs, "view": _view, "inspect": _inspect, "source": _source,
    "doc": _source, "outline": _outline,
}  # fmt: skip
"""Kind of question -> its writer."""
