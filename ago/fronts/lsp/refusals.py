"""Refusals in an editor: diagnostics at the places that a rejection names, repairs as quick fixes.

Invariant: only what a rejected edit met is shown; the standing errors are gopls's to tell.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lsprotocol import types

from ago.fronts.lsp.convert import parse_pos
from ago.fronts.lsp.desk import Body, Desk
from grammar_ops.reject import Json

SOURCE = "ago"


@dataclass
class Board:
    """The refusal that an editor shows of one workspace: the last one, until an edit passes."""

    shown: dict[str, list[types.Diagnostic]] = field(default_factory=dict)
    """By path."""
    repairs: list[Body] = field(default_factory=list)

    def put(self, desk: Desk, body: Body, path: str, at: types.Range) -> set[str]:
        """Show a rejection, at `at` when it names no place; the paths whose diagnostics moved."""
        gone = self.clear()
        for where, diagnostic in _diagnostics(desk, body):
            self.shown.setdefault(where, []).append(diagnostic)
        if not self.shown:
            self.shown[path] = [_diagnostic(at, said(body), str(body.get("reason", "")))]
        repairs = body.get("possible_repairs", [])
        self.repairs = [row for row in _rows(repairs) if isinstance(row.get("call"), dict)]
        return gone | self.shown.keys()

    def add(self, path: str, diagnostics: list[types.Diagnostic]) -> None:
        """Show something of one file beside the rest."""
        self.shown.setdefault(path, []).extend(diagnostics)

    def clear(self) -> set[str]:
        """Show nothing any more; the paths that had something."""
        gone = set(self.shown)
        self.shown, self.repairs = {}, []
        return gone

    def covers(self, path: str, wanted: types.Range) -> bool:
        """Whether a shown diagnostic touches a range."""
        return any(
            _lines(d.range)[0] <= wanted.end.line and wanted.start.line <= _lines(d.range)[1]
            for d in self.shown.get(path, ())
        )


def is_refusal(body: Body) -> bool:
    """Whether a response says that nothing was done."""
    return body.get("status") in ("rejected", "failed")


def said(body: Body) -> str:
    """A rejection or failure in one sentence."""
    reason = str(body.get("reason") or body.get("key") or "")
    detail = str(body.get("detail") or body.get("message") or "")
    rows = _rows(body.get("diagnostics", []))
    first = f": {rows[0].get('msg')} ({rows[0].get('pos')})" if rows else ""
    mend = f"; {body['mend']}" if body.get("mend") else ""
    return f"ago: {' '.join(reason.split('_'))}: {detail}{first}{mend}".replace(": : ", ": ")


def conflict(at: types.Range) -> types.Diagnostic:
    """What is said where the disk and the buffer have other lines in the place of the same ones."""
    text = "these lines were changed on the disk as well; the buffer was left as it is"
    return _diagnostic(at, text, "buffer_conflict")


def _diagnostics(desk: Desk, body: Body) -> list[tuple[str, types.Diagnostic]]:
    reason = str(body.get("reason", ""))
    out = []
    for row in _rows(body.get("diagnostics", [])):
        path, line, col = parse_pos(str(row.get("pos", "")))
        if not line or desk.read(path) is None:
            continue
        text = desk.text(path)
        start = text.offset_of(line, col)
        # The word there: a range of nothing is hard to see.
        end = start
        while end < len(text.data) and (text.data[end : end + 1].isalnum()):
            end += 1
        code = str(row.get("code") or reason)
        message = f"{row.get('msg', '')} (refused: {' '.join(reason.split('_'))})"
        out.append((path, _diagnostic(text.span(start, end), message, code)))
    return out


def _diagnostic(at: types.Range, message: str, code: str) -> types.Diagnostic:
    return types.Diagnostic(
        at, message, severity=types.DiagnosticSeverity.Warning, code=code, source=SOURCE
    )


def _lines(found: types.Range) -> tuple[int, int]:
    return found.start.line, found.end.line


def _rows(value: Json) -> list[Body]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
