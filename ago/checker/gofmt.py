"""Format and parse by the gofmt command: what remains of the TypeOracle without agocheck.

Invariant: answers no typed question; a file that was not canonical is left as it was written.
"""

from __future__ import annotations

import difflib
import re
import subprocess
from collections.abc import Sequence
from itertools import accumulate

from ago.checker.checker import Diagnostic, FormatItem, Formatted, Overlay, Pieces
from ago.checker.gocmd import Go
from ago.protocol.errors import CheckerUnavailable
from grammar_ops.reject import Json

_FRAME = {
    "file": "{}",
    "decl": "package p\n{}",
    "stmts": "package p\nfunc _() {{\n{}\n}}",
    "expr": "package p\nvar _ = ({})",
    "type": "package p\nvar _ {}",
    "signature": "package p\nfunc _{}",
}
_COMPLAINT = re.compile(r"^[^:]*:(\d+):(\d+): (.*)$", re.MULTILINE)
_TIME_LIMIT = 30


class Gofmt:
    """A TypeOracle that knows syntax alone."""

    def __init__(self, go: Go) -> None:
        """Uses the gofmt beside the go command."""
        self._go = go

    def ask(self, overlay: Overlay, questions: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
        """Raises CheckerUnavailable: types are not known here."""
        raise CheckerUnavailable(
            "checker_unavailable", "typed questions need agocheck", "run `ago doctor`"
        )

    def format(self, items: Sequence[FormatItem]) -> list[Formatted]:
        """Canonical text of files that were canonical before or are new."""
        return [self._format(item) for item in items]

    def syntax(self, kind: str, text: str) -> str | None:
        """The Go parser's complaint on a fragment, None when it is Go."""
        _, error = self._run(_FRAME[kind].format(text).encode())
        return error[2] if error else None

    def _format(self, item: FormatItem) -> Formatted:
        base = item.text if item.base is None else item.base
        breaks = base.count(b"\n")
        ending = b"\r\n" if breaks and base.count(b"\r\n") == breaks else b"\n"
        text = item.text.replace(ending, b"\n")
        formatted, error = self._run(text)
        found = None
        if error:
            line, col, msg = error
            found = Diagnostic(item.path, line, col, -1, -1, "syntax", msg, "syntax")
            formatted = text
        elif item.base is not None:
            plain = item.base.replace(ending, b"\n")
            if self._run(plain)[0] != plain:
                formatted = text
        out = formatted.replace(b"\n", ending)
        return Formatted(item.path, out, _token_pieces(item.text, out), found)

    def _run(self, text: bytes) -> tuple[bytes, tuple[int, int, str] | None]:
        """Format until gofmt would leave the text: a head that is broken breaks its body next."""
        out, error = self._format_once(text)
        return (out, error) if error or out == text else self._format_once(out)

    def _format_once(self, text: bytes) -> tuple[bytes, tuple[int, int, str] | None]:
        done = subprocess.run(
            [str(self._go.goroot / "bin" / "gofmt")],
            input=text,
            capture_output=True,
            timeout=_TIME_LIMIT,
            check=False,
            env=dict(self._go.env),
        )
        if done.returncode == 0:
            return done.stdout, None
        said = done.stderr.decode("utf-8", "replace")
        match = _COMPLAINT.search(said)
        return b"", (int(match[1]), int(match[2]), match[3]) if match else (0, 0, said.strip())


def _token_pieces(old: bytes, new: bytes) -> Pieces:
    """Runs of bytes without white space that stand in both texts, as pieces."""
    before, after = re.findall(rb"\s+|\S+", old), re.findall(rb"\s+|\S+", new)
    old_at = [0, *accumulate(map(len, before))]
    new_at = [0, *accumulate(map(len, after))]
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return tuple(
        (old_at[a], new_at[b], old_at[a + size] - old_at[a]) for a, b, size in blocks if size
    )
