"""Calls to agocheck: the methods of its wire, for any build that it has loaded.

Invariant: nothing here knows of processes; how a call is made is the subclass's business.
"""

from __future__ import annotations

import base64
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, cast

from ago.checker.checker import (
    Change,
    CheckRequest,
    CheckResult,
    Diagnostic,
    FormatItem,
    Formatted,
    Overlay,
    UnitKey,
    UnitVerdict,
)
from ago.checker.results import (
    CheckAllResult,
    Diag,
    Event,
    MovedResult,
    RawChange,
    RawCheck,
    RawFormatted,
    RawSyntax,
    RawUnitVerdict,
)
from grammar_ops.reject import Json

OnEvent = Callable[[Event], None]


class Calls(ABC):
    """What can be asked of one build."""

    name: Literal["resident"] = "resident"

    @abstractmethod
    def _call(
        self, method: str, params: dict[str, Json], on_event: OnEvent | None = None
    ) -> object:
        """Make one call; the build is loaded first where it is not."""

    # -- Checker ---------------------------------------------------------------------------------

    def check(self, request: CheckRequest) -> CheckResult:
        """Judge base + overlay; the base does not change."""
        return decode_check(self._call("check", encode_check(request)))

    # -- TypeOracle ------------------------------------------------------------------------------

    def ask(self, overlay: Overlay, questions: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
        """Answer typed questions over base + overlay."""
        params: dict[str, Json] = {
            "overlay": _encode_overlay(overlay),
            "questions": list(questions),
        }
        return cast(dict[str, list[dict[str, Json]]], self._call("ask", params))["answers"]

    def format(self, items: Sequence[FormatItem]) -> list[Formatted]:
        """Format files by the rules of the wire contract."""
        raw = self._call("format", {"items": [_encode_format(item) for item in items]})
        answers = cast(dict[str, list[RawFormatted]], raw)["items"]
        return [_decode_format(i, a) for i, a in zip(items, answers, strict=True)]

    def syntax(self, kind: str, text: str) -> str | None:
        """The Go parser's complaint on a fragment of some kind, None when it is Go."""
        raw = self._call("syntax", {"items": [{"kind": kind, "text": text}]})
        (item,) = cast(dict[str, list[RawSyntax]], raw)["items"]
        if item["ok"]:
            return None
        return next((d["msg"] for d in item["diags"] or ()), "syntax error")

    def check_all(self, on_event: OnEvent, facts: bool = True) -> CheckAllResult:
        """Check every unit in import order, events as they are done."""
        return cast(CheckAllResult, self._call("check_all", {"facts": facts}, on_event))

    def advance(self, candidate: str, on_event: OnEvent) -> MovedResult:
        """Make a candidate, whose bytes are on the disk now, the base."""
        return cast(MovedResult, self._call("advance", {"candidate": candidate}, on_event))

    def refresh(
        self, paths: Sequence[str], api_hashes: Mapping[str, str], on_event: OnEvent
    ) -> MovedResult:
        """Re-read files that changed on the disk and re-check what they affect.

        `api_hashes` (package -> hash, as stored) tell what changed in packages that this process
        has not checked before.
        """
        params: dict[str, Json] = {"paths": list(paths), "api_hashes": dict(api_hashes)}
        return cast(MovedResult, self._call("refresh", params, on_event))

    def facts(self, pkgs: Sequence[str], on_event: OnEvent) -> None:
        """Facts of some packages, re-checked when needed."""
        self._call("facts", {"pkgs": list(pkgs)}, on_event)


def _encode_bytes(text: bytes) -> dict[str, Json]:
    """Text as text; bytes that are not UTF-8 as base64."""
    with contextlib.suppress(UnicodeDecodeError):
        return {"text": text.decode()}
    return {"b64": base64.b64encode(text).decode()}


def encode_check(request: CheckRequest) -> dict[str, Json]:
    """The parameters of `check`."""
    return {
        "overlay": _encode_overlay(request.overlay),
        "spans": {path: [list(piece) for piece in p] for path, p in request.spans.items()},
        "renames": [{"pkg": p, "sym": s, "to": t} for p, s, t in request.renames],
        "moves": [{"pkg": p, "sym": s, "to_pkg": t} for p, s, t in request.moves],
        "moved": [
            {"from": source, "to": path, "pieces": [list(piece) for piece in pieces]}
            for source, path, pieces in request.moved
        ],
        "proofs": request.proofs,
    }


def _encode_overlay(overlay: Overlay) -> dict[str, Json]:
    return {
        path: {"deleted": True} if text is None else _encode_bytes(text)
        for path, text in overlay.items()
    }


def _encode_format(item: FormatItem) -> Json:
    encoded = {"path": item.path, **_encode_bytes(item.text)}
    if item.base is not None:
        base = _encode_bytes(item.base)
        encoded |= {"base" if key == "text" else "base_b64": value for key, value in base.items()}
        encoded["decls"] = [list(span) for span in item.decls]
    return encoded


def _decode_format(item: FormatItem, raw: RawFormatted) -> Formatted:
    error = raw.get("error")
    if error:
        return Formatted(item.path, item.text, ((0, 0, len(item.text)),), decode_diag(error))
    b64 = raw.get("b64")
    text = base64.b64decode(b64) if b64 else raw.get("text", "").encode()
    pieces = tuple((a, b, n) for a, b, n in raw.get("map") or ())
    return Formatted(item.path, text, pieces)


def decode_diag(raw: Diag) -> Diagnostic:
    """A diagnostic of the wire as a value."""
    return Diagnostic(
        raw["file"], raw["line"], raw["col"], raw["offset"], raw["end"], raw["code"], raw["msg"],
        raw["source"], raw.get("soft", False), raw.get("revealed", False),
    )  # fmt: skip


def _decode_unit(raw: RawUnitVerdict) -> UnitVerdict:
    return UnitVerdict(
        UnitKey(raw["pkg"], raw["variant"]),
        tuple(map(decode_diag, raw["diagnostics"] or ())),
        tuple(map(decode_diag, raw["base_diagnostics"] or ())),
        raw["recheck"] == "rebind",
    )


def _decode_change(raw: RawChange) -> Change:
    return Change(**raw)


def decode_check(answer: object) -> CheckResult:
    """The answer to `check` as a value."""
    raw = cast(RawCheck, answer)
    return CheckResult(
        candidate=raw["candidate"],
        judged=raw["judged"],
        units=tuple(map(_decode_unit, raw["units"] or ())),
        changes=tuple(map(_decode_change, raw["changes"] or ())),
        apis=raw["apis"],
        reaches=tuple(raw["reaches"] or ()) if raw["judged"] else None,
        elsewhere=tuple(raw["elsewhere"] or ()),
        left=tuple(raw["left"] or ()),
        tainted=tuple(f"{t['pkg']}: {t['reason']}" for t in raw["tainted"] or ()),
        unproven=tuple(f"{u['what']}: {u['reason']}" for u in raw["unproven"] or ()),
        ms=raw["ms"],
    )
