"""One page of HTML that shows how ago was used: figures, edits with diffs, refusals and their ends.

Invariant: self-contained: no script, no other file, no address; all text of the workspace is
escaped, and the page forbids itself to load or run anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from typing import cast

from ago.commit.history import HistoryEdit
from ago.daemon.requestlog import Row
from ago.fronts.stats import Chain, find_chains, summarise
from grammar_ops.linediff import unified_diff
from grammar_ops.reject import Json

DIFF_LINES = 400
REQUESTS = 500

_STYLE = """
:root { color-scheme: light dark; --soft: #57606a; --line: #d0d7de; --box: #f6f8fa;
  --add: #dafbe1; --del: #ffebe9; --good: #1a7f37; --bad: #cf222e; --mark: #0969da; }
@media (prefers-color-scheme: dark) { :root { --soft: #8b949e; --line: #30363d; --box: #161b22;
  --add: #12331d; --del: #3c1618; --good: #3fb950; --bad: #f85149; --mark: #58a6ff; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2.5rem; }
code, pre, .mono { font: 13px/1.45 ui-monospace, monospace; }
.soft { color: var(--soft); } .good { color: var(--good); } .bad { color: var(--bad); }
.tiles { display: flex; flex-wrap: wrap; gap: .8rem; }
.tile { border: 1px solid var(--line); border-radius: 6px; padding: .5rem 1rem; min-width: 7rem; }
.tile b { display: block; font-size: 1.3rem; }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; }
summary { padding: .5rem .8rem; cursor: pointer; } summary:hover { background: var(--box); }
pre { margin: 0; padding: .6rem .8rem; overflow-x: auto; border-top: 1px solid var(--line); }
pre { scroll-margin-top: 4rem; } pre span { display: block; }
.add { background: var(--add); } .del { background: var(--del); }
.hunk { color: var(--mark); } .file { font-weight: 600; } .old { margin-top: .6rem; }
ol.chain { list-style: none; margin: .6rem 0; padding: .2rem 0 .2rem 1rem;
  border-left: 3px solid var(--bad); } ol.mended { border-left-color: var(--good); }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid var(--line); }
td.num, th.num { text-align: right; font-variant-numeric: tabular-nums; }
.bar { display: inline-block; height: .6rem; background: var(--mark); border-radius: 2px; }
"""


def render_page(root: str, rows: Sequence[Row], edits: Iterable[HistoryEdit]) -> str:
    """The whole page."""
    figures = summarise(rows)
    kept = list(edits)
    parts = [
        f"<h1>ago in <code>{escape(root)}</code></h1>",
        _span(figures),
        _tiles(figures, len(kept)),
        "<h2>Refusals and what followed</h2>",
        *(_chain(chain) for chain in reversed(find_chains(rows))),
        *([] if find_chains(rows) else ["<p class=soft>No edit has been refused.</p>"]),
        _reasons(figures),
        "<h2>Accepted edits</h2>",
        *(_edit(edit) for edit in kept),
        *([] if kept else ["<p class=soft>No edits are kept.</p>"]),
        "<h2>Latency and size by tool</h2>",
        _tools(figures),
        "<h2>Requests</h2>",
        _requests(rows),
    ]
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        "<meta http-equiv=Content-Security-Policy "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        "<meta name=viewport content='width=device-width'>"
        f"<title>ago: {escape(root)}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _span(figures: Row) -> str:
    if not figures.get("since"):
        return "<p class=soft>No requests are logged.</p>"
    return f"<p class=soft>{_clock(figures['since'])} to {_clock(figures['until'])} UTC</p>"


def _tiles(figures: Row, edits: int) -> str:
    outcomes = cast(dict[str, int], figures["outcomes"])
    repairs = cast(dict[str, int], figures["repairs"])
    shown = (
        ("requests", figures["requests"]),
        ("edits kept", edits),
        ("refused", outcomes.get("rejected", 0)),
        ("sent again unchanged", figures["resends"]),
        ("repairs taken", repairs["taken"]),
        ("failed", outcomes.get("failed", 0)),
    )
    tiles = "".join(f"<div class=tile><b>{value}</b>{name}</div>" for name, value in shown)
    return f"<div class=tiles>{tiles}</div>"


def _chain(chain: Chain) -> str:
    steps = [
        f"<li><span class=bad>refused</span> {_request(row)} "
        f"<b>{escape(str(row.get('reason')))}</b> <span class=soft>{_offers(row)}</span></li>"
        for row in chain.refused
    ]
    if chain.accepted:
        how = "by a repair as it was offered" if chain.took_repair else "by another request"
        number = chain.accepted.get("edit")
        steps.append(
            f"<li><span class=good>accepted</span> {_request(chain.accepted)} "
            f"<a href='#edit-{number}'>edit {number}</a> <span class=soft>{how}</span></li>"
        )
    kind = "chain mended" if chain.accepted else "chain"
    return f"<ol class='{kind}'>{''.join(steps)}</ol>"


def _offers(row: Row) -> str:
    count = row.get("repairs", 0)
    words = [f"{count} repair{'s' * (count != 1)} offered" if count else "no repair offered"]
    if row.get("resent"):
        words.append("sent again unchanged")
    return ", ".join([*words, f"{row.get('ms')} ms"])


def _request(row: Row) -> str:
    name = ".".join(str(row[key]) for key in ("pkg", "sym") if row.get(key))
    kind = f" {row['kind']}" if row.get("kind") else ""
    about = escape(f"{row.get('op')}{kind} {name}".rstrip())
    return f"<span class=soft>{_clock(row.get('ts'))}</span> <code>{about}</code>"


def _reasons(figures: Row) -> str:
    rows = cast(list[Row], figures["rejections"])
    if not rows:
        return ""
    lines = [
        f"<tr><td><code>{escape(str(row['reason']))}</code><td class=num>{row['count']}"
        f"<td class=num>{row['resent']}<td class=num>{row['followed_by_an_edit']}</tr>"
        for row in rows
    ]
    head = "<tr><th>reason<th class=num>refused<th class=num>resent<th class=num>then accepted</tr>"
    return f"<table>{head}{''.join(lines)}</table>"


def _edit(edit: HistoryEdit) -> str:
    at = datetime.fromtimestamp(edit.at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    notes = [at, f"{len(edit.paths)} file{'s' * (len(edit.paths) != 1)}", edit.confirmation]
    notes += [f"undoes edit {edit.undo_of}"] if edit.undo_of else []
    notes += [f"undone by edit {edit.undone_by}"] if edit.undone_by else []
    diff = "".join(unified_diff(f.path, f.before, f.after) for f in edit.files)
    head = (
        f"<b>{edit.n}</b> {escape(edit.title)} <span class=soft>{escape(', '.join(notes))}</span>"
    )
    # A link to what is inside of a closed part opens it; a link to the part itself does not.
    body = f"<pre id=edit-{edit.n}>{_diff(diff)}</pre>"
    return f"<details><summary>{head}</summary>{body}</details>"


def _diff(diff: str) -> str:
    lines = diff.splitlines()
    shown = [_diff_line(line) for line in lines[:DIFF_LINES]]
    if len(lines) > DIFF_LINES:
        shown.append(f"<span class=soft>… {len(lines) - DIFF_LINES} more lines</span>")
    return "".join(shown)


def _diff_line(line: str) -> str:
    kinds = (("--- ", "file old"), ("+++ ", "file"), ("@@", "hunk"), ("+", "add"), ("-", "del"))
    kind = next((name for start, name in kinds if line.startswith(start)), "")
    return f"<span class='{kind or 'same'}'>{escape(line) or ' '}</span>"


def _tools(figures: Row) -> str:
    rows = cast(list[Row], figures["tools"])
    slowest = max((cast(dict[str, float], row["ms"])["p90"] for row in rows), default=1) or 1
    lines = []
    for row in rows:
        times, sizes = cast(dict[str, float], row["ms"]), cast(dict[str, int], row["bytes"])
        width = max(1, round(160 * times["p90"] / slowest))
        numbers = (row["count"], row["rejected"], times["p50"], times["p90"], times["p99"],
                   sizes["p50"], sizes["max"])  # fmt: skip
        cells = "".join(f"<td class=num>{number}" for number in numbers)
        bar = f"<td><span class=bar style='width:{width}px'></span>"
        lines.append(f"<tr><td><code>{escape(str(row['tool']))}</code>{cells}{bar}</tr>")
    names = ("requests", "refused", "p50 ms", "p90 ms", "p99 ms", "p50 bytes", "max bytes")
    head = "<tr><th>tool" + "".join(f"<th class=num>{name}" for name in names) + "<th>p90</tr>"
    return f"<table>{head}{''.join(lines)}</table>"


def _requests(rows: Sequence[Row]) -> str:
    """The newest requests, a line each."""
    lines = []
    for row in rows[: -REQUESTS - 1 : -1]:
        outcome = str(row.get("outcome"))
        tint = {"rejected": "bad", "failed": "bad", "accepted": "good"}.get(outcome, "soft")
        why = escape(str(row.get("reason") or row.get("key") or ""))
        lines.append(
            f"<tr><td>{_request(row)}<td class={tint}>{escape(outcome)}<td>{why}"
            f"<td class=num>{row.get('ms')}<td class=num>{row.get('bytes', '')}</tr>"
        )
    head = "<tr><th>request<th>outcome<th>why<th class=num>ms<th class=num>bytes</tr>"
    table = f"<table>{head}{''.join(lines)}</table>"
    return f"<details><summary>{len(lines)} newest</summary>{table}</details>"


def _clock(stamp: Json) -> str:
    return escape(str(stamp)[:19].replace("T", " "))
