"""Responses as text for a person at a terminal: one small writer per tool, one fallback for all.

Invariant: only shows what the response holds; the JSON form is the complete one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import cast

from ago.fronts.cli.paint import Paint, printable
from ago.fronts.cli.rows import show_row
from ago.fronts.cli.typed import type_call
from grammar_ops.reject import Json

Body = Mapping[str, Json]
Row = Mapping[str, Json]


def render(tool: str, body: Body, paint: Paint) -> str:
    """The text for a response of `tool`, without a final line break."""
    status = body.get("status")
    if status == "rejected":
        lines = _rejected(body, paint)
    elif status == "failed":
        lines = _failed(body, paint)
    elif status == "accepted" or (body.get("dry_run") and tool != "init"):
        lines = _edit(body, paint)
    else:
        lines = _WRITERS.get(tool, _plain)(body, paint)
    return "\n".join([*lines, *_remarks(body, paint)])


def _rejected(body: Body, paint: Paint) -> Iterator[str]:
    op = f" (op {body['op']})" if body.get("op") else ""
    yield paint("red bold", "rejected") + f" {_text(body, 'reason')}{op}"
    if detail := _text(body, "detail"):
        yield f"  {detail}"
    yield from _diagnostics(body, "diagnostics", paint)
    if near := body.get("did_you_mean"):
        yield "did you mean " + ", ".join(str(n) for n in cast(list[Json], near)) + "?"
    for repair in _rows(body, "possible_repairs"):
        call = cast(Mapping[str, Json], repair["call"])
        unchecked = "" if repair.get("checked") else paint("dim", " (not tried)")
        yield paint("green", "repair") + f" {_text(repair, 'why')}{unchecked}"
        yield f"  {printable(type_call(call))}"
    if advice := _text(body, "escalation"):
        yield paint("yellow", advice)


def command_line(call: Mapping[str, Json]) -> str:
    """A call as its tool's name and arguments, for reading."""
    args = cast(Mapping[str, Json], call.get("args") or {})
    words = [f"{key}={_word(value)}" for key, value in args.items()]
    return " ".join([str(call.get("tool")), *words])


def _word(value: Json) -> str:
    import orjson

    return (
        value if isinstance(value, str) and value.isidentifier() else orjson.dumps(value).decode()
    )


def _failed(body: Body, paint: Paint) -> Iterator[str]:
    yield paint("red bold", "failed") + f" {_text(body, 'key')}: {_text(body, 'message')}"
    if mend := _text(body, "mend"):
        yield f"  {mend}"


def _edit(body: Body, paint: Paint) -> Iterator[str]:
    dry = bool(body.get("dry_run"))
    head = "would be accepted" if dry else "accepted"
    number = f" as edit {body['edit']}" if body.get("edit") else ""
    yield paint("green bold", head) + number + f"  {_text(body, 'symbol')}".rstrip()
    stat = cast(Mapping[str, Json], body.get("diff_stat") or {})
    files = [str(f) for f in cast(list[Json], body.get("files") or [])]
    if files:
        counts = " ".join(f"{sign}{stat[key]}" for key, sign in _STAT if key in stat)
        yield (
            f"  {len(files)} file{'s' * (len(files) != 1)} {counts}".rstrip()
            + ": "
            + ", ".join(files)
        )
    for change, paths in cast(Mapping[str, list[Json]], body.get("imports") or {}).items():
        yield f"  imports {change}: " + ", ".join(map(str, paths))
    yield from (f"  {key.replace('_', ' ')}: {body[key]}" for key in _FIGURES if body.get(key))
    named = {key: cast(list[Json], body.get(key) or []) for key in _NAMED}
    yield from (f"  {k}: {printable(', '.join(map(str, v)))}" for k, v in named.items() if v)
    if proof := cast(Row, body.get("proof")):
        yield from _proof(proof, paint)
    for key in ("rebinds", "revealed"):
        if body.get(key):
            yield paint("yellow", key)
            yield from _diagnostics(body, key, paint)
    if diff := _text(body, "diff"):
        yield paint.diff(diff)
    if view := cast(Row, body.get("view")):
        yield paint.view(_text(view, "text").rstrip("\n"))
    elif why := _text(body, "views_omitted"):
        yield paint("dim", f"  no view: {why}")


_STAT = (("added", "+"), ("insertions", "+"), ("removed", "-"), ("deletions", "-"))
_FIGURES = ("references", "callers_updated", "action", "undo_of", "generation", "pre_existing")
_NAMED = ("changed", "deleted", "moved", "found", "fitted", "formatted")
"""Lists that say what an edit did beside what was asked."""


def _proof(proof: Row, paint: Paint) -> Iterator[str]:
    contexts = ", ".join(map(str, cast(list[Json], proof.get("contexts") or [])))
    count = proof.get("packages", 0)
    packages = f"{count} package{'s' * (count != 1)}"
    line = f"  proved by the {_text(proof, 'checker')} checker in {packages}"
    line += f" ({contexts})" if contexts else ""
    if references := proof.get("references"):
        line += f", {references} references"
    yield paint("dim", f"{line}; {_text(proof, 'confirmation')}")
    for unproven in cast(list[Json], proof.get("unproven") or []):
        yield paint("yellow", f"  unproven: {unproven}")


def _diagnostics(body: Body, key: str, paint: Paint) -> Iterator[str]:
    for row in _rows(body, key):
        op = f" (op {row['op']})" if row.get("op") else ""
        op += f" [{row['context']}]" if row.get("context") else ""
        yield "  " + paint("bold", _text(row, "pos")) + f" {_text(row, 'msg')}{op}".rstrip()
        if line := _text(row, "line"):
            yield f"    {line.strip()}"


def _remarks(body: Body, paint: Paint) -> Iterator[str]:
    if resolved := _text(body, "resolved"):
        yield paint("dim", f"resolved to {resolved}")
    for note in cast(list[Json], body.get("normalised") or []):
        yield paint("dim", f"normalised: {note}")
    for notice in _rows(body, "notices"):
        yield paint("yellow bold", f"notice: {_text(notice, 'msg')}")
        if call := cast(Row, notice.get("call")):
            yield f"  {printable(type_call(call))}"
    for warning in _rows(body, "warnings"):
        yield paint("yellow", f"warning: {_text(warning, 'pos')} {_text(warning, 'msg')}")
    if (following := body.get("next_offset")) is not None:
        yield paint("dim", f"more with --offset {following}")
    if body.get("truncated"):
        yield paint("dim", "shortened to the budget of tokens; --max-tokens gives more")


def _status(body: Body, paint: Paint) -> Iterator[str]:
    yield from _pairs(body, paint, skip=("errors",))
    errors = _rows(body, "errors")
    if errors:
        yield paint("red", f"{len(errors)} standing errors")
        yield from _diagnostics(body, "errors", paint)


def _hits(body: Body, paint: Paint) -> Iterator[str]:
    """Rows with a position: one line each."""
    key = next((k for k, v in body.items() if isinstance(v, list) and k in _LISTS), "")
    count = body.get("count", 0)
    yield paint("bold", f"{count} {key.removesuffix('s') if count == 1 else key or 'found'}")
    for row in _rows(body, key):
        name = ".".join(part for part in (_text(row, "pkg"), _text(row, "sym")) if part)
        kind = paint("cyan", _text(row, "kind").ljust(6))
        yield f"  {kind} {name}  {paint('dim', _text(row, 'pos'))}"


_LISTS = ("symbols", "callers", "callees", "types", "interfaces", "hits")


def _refs(body: Body, paint: Paint) -> Iterator[str]:
    yield paint("bold", f"{body.get('count', 0)} references") + f" to {_text(body, 'symbol')}"
    rows = _rows(body, "refs")
    for file, group in groupby(rows, key=lambda row: _text(row, "pos").rsplit(":", 2)[0]):
        yield paint("magenta", file)
        for row in group:
            place = ":".join(_text(row, "pos").rsplit(":", 2)[1:])
            role = "def" if row.get("def") else _text(row, "role")
            source = _text(row, "line").strip()
            yield f"  {place.ljust(9)} {paint('cyan', role.ljust(10))} {source}".rstrip()


def _view(body: Body, paint: Paint) -> Iterator[str]:
    if "text" not in body:
        yield from _outline(body, paint)
        return
    head = [f"{key} {body[key]}" for key in ("symbol", "pos", "generation") if body.get(key)]
    if head:
        yield paint("dim", "  ".join(head))
    yield paint.view(_text(body, "text").rstrip("\n"))
    for slot, text in cast(Mapping[str, Json], body.get("slots") or {}).items():
        yield f"  {paint('cyan', slot)} {text}"


def _outline(body: Body, paint: Paint) -> Iterator[str]:
    """What a file or a package declares."""
    yield paint("bold", f"{_text(body, 'pkg')} {_text(body, 'file')}".rstrip())
    if doc := _text(body, "doc"):
        yield from (f"  {line}" for line in doc.rstrip().splitlines())
    for row in _rows(body, "decls"):
        yield f"  {paint('dim', _text(row, 'pos'))}  {_text(row, 'decl')}"


def _inspect(body: Body, paint: Paint) -> Iterator[str]:
    name = _text(body, "symbol") or _text(body, "name")
    kind = paint("cyan", _text(body, "kind"))
    yield f"{kind} {paint('bold', name)} {_text(body, 'type')}".rstrip()
    if doc := _text(body, "doc"):
        yield from (f"  {line}" for line in doc.rstrip().splitlines())
    for key in ("fields", "methods"):
        for row in _rows(body, key):
            about = _text(row, "type") or _text(row, "signature")
            yield f"  {paint('dim', key[:-1])} {_text(row, 'name')} {about}".rstrip()
    skip = ("name", "symbol", "kind", "type", "doc", "fields", "methods")
    yield from _pairs(body, paint, skip)


def _test(body: Body, paint: Paint) -> Iterator[str]:
    passed = bool(body.get("pass"))
    counts = ", ".join(f"{body.get(key, 0)} {key}" for key in ("passed", "failed", "skipped"))
    yield paint("green bold" if passed else "red bold", "pass" if passed else "fail") + f" {counts}"
    for error in _rows(body, "build_errors"):
        yield paint("red", "does not build") + f" {_text(error, 'package')}"
        yield from _diagnostics(error, "diagnostics", paint)
        yield from (f"  {line}" for line in _text(error, "output").splitlines())
    for test in _rows(body, "tests"):
        if test.get("pass"):
            continue
        word = paint("yellow", "skip") if test.get("skip") else paint("red", "FAIL")
        yield f"{word} {_text(test, 'package')} {_text(test, 'name')}".rstrip()
        yield from (f"  {line}" for line in _text(test, "output").splitlines())


def _log(body: Body, paint: Paint) -> Iterator[str]:
    if "requests" in body:
        yield from (show_row(row, paint) for row in _rows(body, "requests"))
        return
    for row in _rows(body, "edits"):
        undone = f" undone by {row['undone_by']}" if row.get("undone_by") else ""
        files = len(cast(list[Json], row.get("files") or []))
        about = (
            f"{_text(row, 'at')}  {files} file{'s' * (files != 1)}  {_text(row, 'confirmation')}"
        )
        yield f"{paint('cyan', str(row.get('edit')).rjust(4))}  {_text(row, 'title')}"
        yield paint("dim", f"      {about}{undone}")
    if not body.get("edits"):
        yield "no edits are kept"


def _show(body: Body, paint: Paint) -> Iterator[str]:
    yield from _pairs(body, paint, skip=("diff",))
    yield paint.diff(_text(body, "diff"))


def _help(body: Body, paint: Paint) -> Iterator[str]:
    if name := _text(body, "name"):
        yield paint("bold", name)
        yield _text(body, "description")
        yield from _args(body, paint)
        yield from (f"note: {note}" for note in cast(list[Json], body.get("notes") or []))
        if example := body.get("example"):
            yield f"example: {_word(example)}"
        return
    for title, key in (("tools", "tools"), ("ops of a patch", "ops"), ("queries", "queries")):
        yield paint("bold", title)
        for row in _rows(body, key):
            name = _text(row, "name") or _text(row, "op") or _text(row, "kind")
            yield f"  {paint('cyan', name.ljust(18))} {_text(row, 'description')}"
    yield _text(body, "addresses")
    yield "ago help NAME shows one entry whole"


def _args(body: Body, paint: Paint) -> Iterator[str]:
    for arg in _rows(body, "args"):
        star = "*" if arg.get("required") else " "
        name = paint("cyan", _text(arg, "name").ljust(16))
        yield f"  {star} {name} {_text(arg, 'type').ljust(10)} {_text(arg, 'description')}".rstrip()


def _stats(body: Body, paint: Paint) -> Iterator[str]:
    yield from _pairs(body, paint, skip=("tools", "rejections", "outcomes", "repairs"))
    for key in ("outcomes", "repairs"):
        words = [f"{n} {name}" for name, n in cast(Row, body.get(key) or {}).items()]
        yield f"{paint('dim', key.ljust(14))} {', '.join(words)}"
    yield paint("bold", f"{'tool':<14}{'calls':>7}{'refused':>9}{'p50 ms':>9}{'p90 ms':>9}"
                f"{'p99 ms':>9}{'p50 bytes':>11}{'max':>9}")  # fmt: skip
    for row in _rows(body, "tools"):
        times, sizes = cast(Row, row["ms"]), cast(Row, row["bytes"])
        yield (
            f"{_text(row, 'tool'):<14}{row['count']:>7}{row['rejected']:>9}{times['p50']:>9}"
            f"{times['p90']:>9}{times['p99']:>9}{sizes['p50']:>11}{sizes['max']:>9}"
        )
    if reasons := _rows(body, "rejections"):
        yield paint("bold", f"{'refused for':<34}{'count':>7}{'resent':>8}{'then accepted':>15}")
    for row in reasons:
        yield (
            f"{_text(row, 'reason'):<34}{row['count']:>7}{row['resent']:>8}"
            f"{row['followed_by_an_edit']:>15}"
        )


def _init(body: Body, paint: Paint) -> Iterator[str]:
    if diff := _text(body, "diff"):
        yield paint.diff(diff)
    yield paint("bold", _text(body, "root"))
    yield from _pairs(body, paint, skip=("root", "diff", "dry_run"))
    if body.get("dry_run"):
        yield paint("yellow", "dry run: nothing was written")
    elif not diff:
        yield "nothing to change"


def _doctor(body: Body, paint: Paint) -> Iterator[str]:
    for row in _rows(body, "findings"):
        mark = paint("green", "ok  ") if row.get("ok") else paint("red", "FAIL")
        yield f"{mark} {_text(row, 'what').ljust(16)} {_text(row, 'found')}"
        if mend := _text(row, "mend"):
            yield f"     {mend}"


def _plain(body: Body, paint: Paint) -> Iterator[str]:
    yield from _pairs(body, paint)


def _pairs(body: Body, paint: Paint, skip: tuple[str, ...] = ()) -> Iterator[str]:
    """What has no writer of its own: key and value, a line each."""
    for key, value in body.items():
        if key in skip or key in _SAID:
            continue
        words = value if isinstance(value, list) else [value]
        shown = ", ".join(w if isinstance(w, str) else _word(w) for w in words)
        yield f"{paint('dim', key.replace('_', ' ').ljust(14))} {printable(shown)}"


_SAID = ("status", "resolved", "normalised", "warnings", "next_offset", "truncated")

_WRITERS: dict[str, Callable[[Body, Paint], Iterator[str]]] = {
    "status": _status, "search": _hits, "query": _hits, "refs": _refs, "view": _view,
    "inspect": _inspect, "test": _test, "log": _log, "show": _show, "help": _help,
    "doctor": _doctor, "init": _init, "stats": _stats,
}  # fmt: skip


def _rows(body: Body, key: str) -> list[Row]:
    return cast(list[Row], body.get(key) or [])


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    return printable(str(value)) if value is not None else ""
