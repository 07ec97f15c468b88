"""Edits of one file brought into its text: bytes kept, indentation and line ends as the file has.

Invariant: a line that an edit keeps is the file's own; what the text was not about is untouched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from grammar_ops.edit import Span
from grammar_ops.ledger import Ledger, Mark
from grammar_ops.linediff import common_lines
from grammar_ops.syntax.parse import parse
from grammar_ops.text.fit import FORMS, INDENTED, Fit, Nearest, Several, find_fit, find_nearest
from grammar_ops.text.hunks import GONE, KEPT, NEW, FileEdit, Hunk, list_lines

BOM = b"\xef\xbb\xbf"


@dataclass
class Splicer:
    """One file while a text's edits of it are brought in."""

    path: str
    base: bytes
    ledger: Ledger = field(init=False)
    said: list[str] = field(default_factory=list)
    """How the text was read where it did not fit letter by letter."""
    first: bool = False
    """Of several places the first is meant, as some tools have it."""
    _seen: list[Mark] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start from the base."""
        self.ledger = Ledger(self.base)

    @property
    def text(self) -> bytes:
        """What the file holds by now."""
        return self.ledger.text

    def seen(self) -> list[Span]:
        """The ranges of the text whose every line the edit gave."""
        return [span for mark in self._seen if (span := self.ledger.where(mark)) is not None]

    def splice_hunks(self, edit: FileEdit) -> Miss | None:
        """Bring in the hunks of an edit, in order; the first that has no place, or several."""
        drift, start, grown = 0, 0, 0
        for hunk in edit.hunks:
            lines = list_lines(self.text.removeprefix(BOM))
            found = find_fit(lines, hunk, start, drift, first=self.first)
            if not isinstance(found, Fit) and start:
                found = find_fit(lines, hunk, 0, drift, first=self.first) or found
            if not isinstance(found, Fit):
                span = self._find_inside(hunk) if found is None else None
                if span is None:
                    return Miss(hunk, found, lines, drift)
                self._splice_inside(hunk, span)
                continue
            self._splice_rows(hunk, found, lines)
            self._say(hunk, found, found.start + 1 - grown)
            if hunk.line:
                drift = found.start + 1 - hunk.line + len(hunk.new) - len(hunk.old)
            grown += len(hunk.new) - len(hunk.old)
            start = 0 if hunk.loose else found.start + len(hunk.new)
        return None

    def splice_whole(self, given: bytes) -> None:
        """Make the file what was given, in its own line ends; parts that are the same stay."""
        text = given.replace(b"\r\n", b"\n").replace(b"\n", self._line_end(given))
        if self.base.startswith(BOM) and not text.startswith(BOM):
            text = BOM + text
        for span, new in reversed(_differing(self.path, self.base, text)):
            self._seen.append(self.ledger.mark(span))
            self.ledger.splice(*_trimmed(self.base, span, new), 1)
        if text != given:
            self.said.append("line ends and byte order mark are the file's")

    def _splice_rows(self, hunk: Hunk, fit: Fit, lines: Sequence[bytes]) -> None:
        lead = len(BOM) if self.text.startswith(BOM) else 0
        starts = [lead, *(lead + at for at in _ends(self.text[lead:]))]
        shifts = _shifts(fit, lines) if fit.form >= INDENTED else {}
        runs: list[tuple[int, int, list[bytes]]] = []
        at, joins = fit.start, False
        for row in fit.rows:
            if row.tag == KEPT:
                at, joins = at + 1, False
                continue
            if not joins:
                runs.append((at, at, []))
            begin, end, new = runs[-1]
            if row.tag == GONE:
                at, end = at + 1, end + 1
            else:
                new.append(_indented(row.line, shifts))
            runs[-1], joins = (begin, end, new), True
        mark = self.ledger.mark(Span(starts[fit.start], starts[at]))
        for begin, end, new in reversed(runs):
            self._replace(Span(starts[begin], starts[end]), new, hunk)
        self._seen.append(mark)

    def _say(self, hunk: Hunk, fit: Fit, line: int) -> None:
        """Note where a hunk was not what it said, by the line of the file before the edit."""
        if fit.form:
            self.said.append(f"{hunk.name} fits line {line} {FORMS[fit.form][0]}")
        elif hunk.line and hunk.line != line and hunk.old:
            self.said.append(f"{hunk.name} fits line {line}, not {hunk.line}")

    def _replace(self, span: Span, new: Sequence[bytes], hunk: Hunk) -> None:
        """Put whole lines in the place of others; the end of the file keeps its form."""
        eol = self._line_end(b"")
        text = b"".join(line + eol for line in new)
        at_end = span.end == len(self.text)
        open_end = at_end and bool(self.text) and not self.text.endswith(b"\n")
        if open_end and span.start == span.end and text:
            text = eol + text
        if text and at_end and (hunk.bare or (open_end and hunk.bare is None)):
            text = text.removesuffix(eol)
        self.ledger.splice(span, text, 1)

    def _find_inside(self, hunk: Hunk) -> Span | None:
        """The one place at which the searched text stands inside of lines."""
        ends = hunk.old[0].strip() and hunk.old[-1].strip()
        sought = b"\n".join(hunk.old)
        if hunk.line or not hunk.loose or not ends or self.text.count(sought) != 1:
            return None
        start = self.text.index(sought)
        return Span(start, start + len(sought))

    def _splice_inside(self, hunk: Hunk, span: Span) -> None:
        new = self._line_end(b"").join(hunk.new)
        self.ledger.splice(span, new, 1)
        self._seen.append(self.ledger.mark(Span(span.start, span.start + len(new))))
        line = self.text.count(b"\n", 0, span.start) + 1
        self.said.append(f"{hunk.name} fits inside of line {line}")

    def _line_end(self, given: bytes) -> bytes:
        text = self.base if b"\n" in self.base else given
        return b"\r\n" if text[: text.find(b"\n") + 1].endswith(b"\r\n") else b"\n"


@dataclass(frozen=True)
class Miss:
    """A hunk without a place, or with several, in the text that the file had by then."""

    hunk: Hunk
    found: Several | Fit | None
    lines: Sequence[bytes]
    drift: int

    @property
    def starts(self) -> tuple[int, ...]:
        """The places, where there are several."""
        return self.found.starts if isinstance(self.found, Several) else ()

    def said_line(self, start: int) -> int:
        """The line that the hunk has to name to be bound to a place."""
        return start + 1 - self.drift

    def nearest(self) -> Nearest | None:
        """What stands in the file that is most like the lines looked for."""
        return find_nearest(self.lines, self.hunk.old) if self.hunk.old else None


def _ends(text: bytes) -> list[int]:
    """Where each line ends, its line break included."""
    parts = text.split(b"\n")
    sizes = [len(part) + 1 for part in parts[:-1]]
    if parts[-1]:
        sizes.append(len(parts[-1]))
    return list(accumulate(sizes))


def _shifts(fit: Fit, lines: Sequence[bytes]) -> dict[bytes, bytes]:
    """What the given indentations are in the file."""
    shifts: dict[bytes, bytes] = {}
    at = fit.start
    for row in fit.rows:
        if row.tag != NEW:
            if row.line.strip():
                shifts.setdefault(_indent(row.line), _indent(lines[at]))
            at += 1
    return shifts


def _indent(line: bytes) -> bytes:
    return line[: len(line) - len(line.lstrip())]


def _indented(line: bytes, shifts: dict[bytes, bytes]) -> bytes:
    """A new line with the file's indentation in the place of the nearest known one of the text."""
    own = _indent(line)
    for known in sorted(shifts, key=len, reverse=True):
        if own.startswith(known):
            return shifts[known] + line[len(known) :]
    return line


def _differing(path: str, old: bytes, new: bytes) -> list[tuple[Span, bytes]]:
    """The replacements from one text to the other; declarations that are the same stay."""
    before, after = _chunks(path, old), _chunks(path, new)
    starts = [0, *accumulate(map(len, before))]
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    out = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            out.append((Span(starts[a], starts[b]), b"".join(after[c:d])))
    return out


def _trimmed(old: bytes, span: Span, new: bytes) -> tuple[Span, bytes]:
    """A replacement without the whole lines that it leaves as they are at both of its ends."""
    head, tail = common_lines(old[span.start : span.end], new)
    return Span(span.start + head, span.end - tail), new[head : len(new) - tail]


def _chunks(path: str, text: bytes) -> list[bytes]:
    """A text in parts: a Go file by its declarations, what stands between them with the next."""
    if not path.endswith(".go"):
        return [text] if text else []
    ends = [node.end_byte for node in parse(text).root_node.children]
    cuts = [0, *ends, len(text)]
    return [text[a:b] for a, b in pairwise(cuts) if a < b]
