"""Responses as text for a person at a terminal: one small writer per tool, one fallback for all.

Invariant: only shows what the response holds; the JSON form is the complete one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from ago.fronts.cli.answers import (
    WRITERS,
    Body,
    Row,
    Writer,
    as_word,
    cell,
    diagnostics,
    pairs,
    rows,
    write_list,
)
from ago.fronts.cli.paint import Paint, printable
from ago.fronts.cli.rows import show_row
from ago.fronts.cli.typed import type_call
from grammar_ops.reject import Json


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
        lines = _read(tool, body, paint)
    return "\n".join([*lines, *_remarks(body, paint)])


def _read(tool: str, body: Body, paint: Paint) -> Iterator[str]:
    return _WRITERS.get(tool, write_list if "count" in body else _plain)(body, paint)


def _rejected(body: Body, paint: Paint) -> Iterator[str]:
    op = f" (op {body['op']})" if body.get("op") else ""
    yield paint("red bold", "rejected") + f" {cell(body, 'reason')}{op}"
    if detail := cell(body, "detail"):
        yield f"  {detail}"
    yield from diagnostics(body, "diagnostics", paint)
    if near := body.get("did_you_mean"):
        yield "did you mean " + ", ".join(str(n) for n in cast(list[Json], near)) + "?"
    for repair in rows(body, "possible_repairs"):
        call = cast(Mapping[str, Json], repair["call"])
        unchecked = "" if repair.get("checked") else paint("dim", " (not tried)")
        yield paint("green", "repair") + f" {cell(repair, 'why')}{unchecked}"
        yield f"  {printable(type_call(call))}"
    if advice := cell(body, "escalation"):
        yield paint("yellow", advice)
    if look := cast(Row, body.get("look")):
        yield from _look(look, paint)


def _look(look: Row, paint: Paint) -> Iterator[str]:
    """A call that tells more of what was refused, and what it answers."""
    call, answer = cast(Row, look["call"]), cast(Body, look["answer"])
    yield f"{paint('green', 'look')} {printable(type_call(call))}"
    tool = str(cast(Row, call.get("args") or {}).get("kind") or call["tool"])
    for text in (*_read(tool, answer, paint), *_remarks(answer, paint)):
        yield from (f"  {line}" for line in text.splitlines())


def command_line(call: Mapping[str, Json]) -> str:
    """A call as its tool's name and arguments, for reading."""
    args = cast(Mapping[str, Json], call.get("args") or {})
    words = [f"{key}={as_word(value)}" for key, value in args.items()]
    return " ".join([str(call.get("tool")), *words])


def _failed(body: Body, paint: Paint) -> Iterator[str]:
    yield paint("red bold", "failed") + f" {cell(body, 'key')}: {cell(body, 'message')}"
    if mend := cell(body, "mend"):
        yield f"  {mend}"


def _edit(body: Body, paint: Paint) -> Iterator[str]:
    dry = bool(body.get("dry_run"))
    head = "would be accepted" if dry else "accepted"
    number = f" as edit {body['edit']}" if body.get("edit") else ""
    yield paint("green bold", head) + number + f"  {cell(body, 'symbol')}".rstrip()
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
            yield from diagnostics(body, key, paint)
    if diff := cell(body, "diff"):
        yield paint.diff(diff)
    if view := cast(Row, body.get("view")):
        yield paint.view(cell(view, "text").rstrip("\n"))
    elif why := cell(body, "views_omitted"):
        yield paint("dim", f"  no view: {why}")


_STAT = (("added", "+"), ("insertions", "+"), ("removed", "-"), ("deletions", "-"))
_FIGURES = ("references", "callers_updated", "action", "undo_of", "generation", "pre_existing")
_NAMED = ("changed", "deleted", "moved", "found", "fitted", "formatted")
"""Lists that say what an edit did beside what was asked."""


def _proof(proof: Row, paint: Paint) -> Iterator[str]:
    contexts = ", ".join(map(str, cast(list[Json], proof.get("contexts") or [])))
    count = proof.get("packages", 0)
    packages = f"{count} package{'s' * (count != 1)}"
    line = f"  proved by the {cell(proof, 'checker')} checker in {packages}"
    line += f" ({contexts})" if contexts else ""
    if references := proof.get("references"):
        line += f", {references} references"
    yield paint("dim", f"{line}; {cell(proof, 'confirmation')}")
    for unproven in cast(list[Json], proof.get("unproven") or []):
        yield paint("yellow", f"  unproven: {unproven}")


def _remarks(body: Body, paint: Paint) -> Iterator[str]:
    if resolved := cell(body, "resolved"):
        yield paint("dim", f"resolved to {resolved}")
    for note in cast(list[Json], body.get("normalised") or []):
        yield paint("dim", f"normalised: {note}")
    for notice in rows(body, "notices"):
        yield paint("yellow bold", f"notice: {cell(notice, 'msg')}")
        if call := cast(Row, notice.get("call")):
            yield f"  {printable(type_call(call))}"
    for warning in rows(body, "warnings"):
        yield paint("yellow", f"warning: {cell(warning, 'pos')} {cell(warning, 'msg')}")
    if (following := body.get("next_offset")) is not None:
        yield paint("dim", f"more with --offset {following}")
    if body.get("truncated"):
        yield paint("dim", "shortened to the budget of tokens; --max-tokens gives more")


def _test(body: Body, paint: Paint) -> Iterator[str]:
    passed = bool(body.get("pass"))
    counts = ", ".join(f"{body.get(key, 0)} {key}" for key in ("passed", "failed", "skipped"))
    yield paint("green bold" if passed else "red bold", "pass" if passed else "fail") + f" {counts}"
    if "affected" in body:
        changes, since = body.get("changes"), cell(body, "since")
        yield paint("dim", f"  {body['affected']} tests reach {changes} changes since {since}")
    for error in rows(body, "build_errors"):
        yield paint("red", "does not build") + f" {cell(error, 'package')}"
        yield from diagnostics(error, "diagnostics", paint)
        yield from (f"  {line}" for line in cell(error, "output").splitlines())
    for test in rows(body, "tests"):
        if test.get("pass"):
            continue
        word = paint("yellow", "skip") if test.get("skip") else paint("red", "FAIL")
        yield f"{word} {cell(test, 'package')} {cell(test, 'name')}".rstrip()
        if failure := cast(Row, test.get("failure")):
            place = cell(failure, "pos") or cell(test, "pos")
            yield f"  {paint('bold', place)} {cell(failure, 'msg')}"
        yield from (paint("dim", f"  {line}") for line in cell(test, "output").splitlines())
        for call in rows(test, "next"):
            yield f"  {paint('green', 'look')} {printable(type_call(call))}"


def _log(body: Body, paint: Paint) -> Iterator[str]:
    if "requests" in body:
        yield from (show_row(row, paint) for row in rows(body, "requests"))
        return
    for row in rows(body, "edits"):
        undone = f" undone by {row['undone_by']}" if row.get("undone_by") else ""
        files = len(cast(list[Json], row.get("files") or []))
        about = f"{cell(row, 'at')}  {files} file{'s' * (files != 1)}  {cell(row, 'confirmation')}"
        yield f"{paint('cyan', str(row.get('edit')).rjust(4))}  {cell(row, 'title')}"
        yield paint("dim", f"      {about}{undone}")
    if not body.get("edits"):
        yield "no edits are kept"


def _show(body: Body, paint: Paint) -> Iterator[str]:
    yield from pairs(body, paint, skip=("diff",))
    yield paint.diff(cell(body, "diff"))


def _help(body: Body, paint: Paint) -> Iterator[str]:
    if name := cell(body, "name"):
        yield paint("bold", name)
        yield cell(body, "description")
        yield from _args(body, paint)
        for key in ("limits", "reasons"):
            for name, sentence in cast(Row, body.get(key) or {}).items():
                yield f"{key[:-1]} {paint('cyan', name)}: {sentence}"
        if answer := cell(body, "answer"):
            yield f"answers {answer}"
        if example := body.get("example"):
            is_call = isinstance(example, dict) and "tool" in example
            yield f"example: {type_call(cast(Row, example)) if is_call else as_word(example)}"
        return
    for title, key in (("tools", "tools"), ("ops of a patch", "ops"), ("queries", "queries")):
        yield paint("bold", title)
        for row in rows(body, key):
            name = cell(row, "name") or cell(row, "op") or cell(row, "kind")
            yield f"  {paint('cyan', name.ljust(18))} {cell(row, 'description')}"
    yield cell(body, "addresses")
    yield "ago help NAME shows one entry whole"


def _args(body: Body, paint: Paint) -> Iterator[str]:
    for arg in rows(body, "args"):
        star = "*" if arg.get("required") else " "
        name = paint("cyan", cell(arg, "name").ljust(16))
        yield f"  {star} {name} {cell(arg, 'type').ljust(10)} {cell(arg, 'description')}".rstrip()


def _stats(body: Body, paint: Paint) -> Iterator[str]:
    yield from pairs(body, paint, skip=("tools", "rejections", "outcomes", "repairs"))
    for key in ("outcomes", "repairs"):
        words = [f"{n} {name}" for name, n in cast(Row, body.get(key) or {}).items()]
        yield f"{paint('dim', key.ljust(14))} {', '.join(words)}"
    yield paint("bold", f"{'tool':<14}{'calls':>7}{'refused':>9}{'p50 ms':>9}{'p90 ms':>9}"
                f"{'p99 ms':>9}{'p50 bytes':>11}{'max':>9}")  # fmt: skip
    for row in rows(body, "tools"):
        times, sizes = cast(Row, row["ms"]), cast(Row, row["bytes"])
        yield (
            f"{cell(row, 'tool'):<14}{row['count']:>7}{row['rejected']:>9}{times['p50']:>9}"
            f"{times['p90']:>9}{times['p99']:>9}{sizes['p50']:>11}{sizes['max']:>9}"
        )
    if reasons := rows(body, "rejections"):
        yield paint("bold", f"{'refused for':<34}{'count':>7}{'resent':>8}{'then accepted':>15}")
    for row in reasons:
        yield (
            f"{cell(row, 'reason'):<34}{row['count']:>7}{row['resent']:>8}"
            f"{row['followed_by_an_edit']:>15}"
        )


def _init(body: Body, paint: Paint) -> Iterator[str]:
    if diff := cell(body, "diff"):
        yield paint.diff(diff)
    yield paint("bold", cell(body, "root"))
    yield from pairs(body, paint, skip=("root", "diff", "dry_run", "notes"))
    yield from map(printable, cast(list[str], body.get("notes") or []))
    if body.get("dry_run"):
        yield paint("yellow", "dry run: nothing was written")
    elif not diff:
        yield "nothing to change"


def _doctor(body: Body, paint: Paint) -> Iterator[str]:
    for row in rows(body, "findings"):
        mark = paint("green", "ok  ") if row.get("ok") else paint("red", "FAIL")
        yield f"{mark} {cell(row, 'what').ljust(16)} {cell(row, 'found')}"
        if mend := cell(row, "mend"):
            yield f"     {mend}"


def _plain(body: Body, paint: Paint) -> Iterator[str]:
    yield from pairs(body, paint)


_WRITERS: dict[str, Writer] = {
    **WRITERS, "test": _test, "log": _log, "show": _show, "help": _help, "doctor": _doctor,
    "init": _init, "stats": _stats,
}  # fmt: skip
