"""Handles of one patch: `nK` as the caller's view numbered them, `$N` as earlier ops made them.

Invariant: a function is numbered before the patch changes it, or when an op makes it; from then on
its handles follow their nodes through every edit, whatever the function is called and wherever it
goes. A handle whose node is gone is refused, never retargeted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tree_sitter import Tree

from ago.patch.workbench import Place, Workbench
from ago.workspace.positions import POSITION
from grammar_ops.edit import Span
from grammar_ops.linediff import diff_pieces
from grammar_ops.near import near_names
from grammar_ops.reject import Reject, register
from grammar_ops.scope import Target
from grammar_ops.syntax.decls import Decl, find_decl, find_enclosing, resolve_body
from grammar_ops.syntax.parse import parse
from grammar_ops.syntax.stmts import BODY, Handle, find_target, list_handles, stands_at, target_at

register(
    "patch",
    {"handles_only_in_functions": "only functions have statements: what is addressed is none"},
)

_HANDLE = re.compile(r"(n\d+|\$\d+)((?:\.[a-z]+(?:\[\d+\])?)*)")
_ARGUMENTS = ("at", "from", "to")
_HEADER = b"package p\n"

Numbers = dict[str, tuple[Place, str]]
"""The handles of one function: where each stands, and of what kind it is."""


class HandleBook:
    """Where every handle of the functions that a patch speaks of stands now."""

    def __init__(self, bench: Workbench) -> None:
        """Empty: nothing is numbered and nothing bound yet."""
        self._bench = bench
        self._numbered: list[Numbers] = []
        self._bound: dict[int, Place] = {}
        self._last: tuple[Tree, Decl, dict[str, Handle]] | None = None
        self.described: dict[str, str] = {}
        """What was sent in the place of a handle -> the handle that it means."""

    def bind(self, op: int, path: str, span: Span) -> None:
        """Let `$op` name what stands at `span` now."""
        self._bound[op] = self._bench.mark(path, span)

    def resolve(self, decl: Decl, at: str) -> Target:
        """The node that a handle names now; Reject unknown_handle or unknown_ref."""
        match = _HANDLE.fullmatch(at)
        if match and match[1].startswith("$"):
            return self._resolve_bound(match[1], match[2])
        _refuse_without_statements(decl)
        places = self._number(decl)
        if match is None and (found := self._find_described(decl, at)):
            self.described[at] = found
            match = _HANDLE.fullmatch(found)
        if match is None or match[1] not in places:
            near = near_names(at, places) or tuple(places)[:3]
            raise Reject("unknown_handle", f"{at} in {decl.sym}", did_you_mean=near)
        place, kind = places[match[1]]
        target = self._at(decl, self._bench.where(place), kind)
        if target is None:
            detail = f"{at} in {decl.sym}: an earlier op of the patch rewrote it"
            raise Reject("unknown_handle", detail)
        return self._slot(target, match[2])

    def _find_described(self, decl: Decl, at: str) -> str:
        """The handle of the statement on a line of the file, or of the only one with that text."""
        source, found = self._bench.source(decl.path), []
        place = POSITION.match(at)
        for handle in list_handles(decl).values():
            start = handle.node.start_byte
            if handle.name == BODY or handle.kind == "else":
                continue
            if place and place["line"] and decl.path.endswith(place["path"].removeprefix("./")):
                if source.count(b"\n", 0, start) + 1 == int(place["line"]):
                    found.append(handle.name)
            elif _said(source[start : handle.node.end_byte], at):
                found.append(handle.name)
        return found[0] if len(found) == 1 or (found and place) else ""

    def _resolve_bound(self, name: str, slots: str) -> Target:
        place = self._bound.get(int(name[1:]))
        here = self._bench.stands(place) if place else None
        if here is None:
            raise Reject("unknown_ref", name)
        path, span = here
        decl = find_enclosing(self._bench.tree(path), self._bench.source(path), span.start, path)
        target = target_at(decl, span) if decl else None
        if target is None:
            raise Reject("unknown_ref", f"{name} is no statement any more")
        return self._slot(target, slots)

    def _slot(self, target: Target, slots: str) -> Target:
        if not slots:
            return target
        for handle in list_handles(target.function).values():
            if handle.node == target.node:
                return find_target(target.function, handle.name + slots)
        raise Reject("unknown_handle", f"{slots} of an expression")

    def number_early(self, decl: Decl) -> None:
        """Number a function before an op changes it; one without statements gets its first ones
        from the patch."""
        if len(self._list(decl)) > 1:
            self._number(decl)

    def _number(self, decl: Decl) -> Numbers:
        """The places of a function's handles; numbered afresh once a new body stands there."""
        known = self._find_numbered(decl)
        if known is None:
            known = {
                handle.name: (self._bench.mark(decl.path, _span(handle)), handle.kind)
                for handle in self._list(decl).values()
            }
            self._numbered.append(known)
        return known

    def _find_numbered(self, decl: Decl) -> Numbers | None:
        """The numbers of the function that stands there now, while one of its nodes is left."""
        for known in self._numbered:
            places = [place for name, (place, _) in known.items() if name != BODY]
            body = self._bench.stands(known[BODY][0])
            if body is not None and not _is_in(decl, body):
                continue
            standing = filter(None, map(self._bench.stands, places))
            if any(_is_in(decl, here) for here in standing) or (body and not places):
                return known
        return None

    def _list(self, decl: Decl) -> dict[str, Handle]:
        """The handles of a function as it stands; the last ones asked for are kept."""
        tree = self._bench.tree(decl.path)
        last = self._last
        if last is None or last[0] is not tree or last[1].node != decl.node:
            last = self._last = (tree, decl, list_handles(decl))
        return last[2]

    def _at(self, decl: Decl, span: Span | None, kind: str) -> Target | None:
        for handle in self._list(decl).values():
            if span is not None and handle.kind == kind and stands_at(handle, span):
                return Target(decl.path, handle.node, kind, decl)
        return None


def _is_in(decl: Decl, here: tuple[str, Span]) -> bool:
    path, span = here
    return path == decl.path and decl.span.contains(span)


def moved_handles(decl: Decl, old_text: bytes, source: bytes) -> dict[str, str]:
    """Old handle -> new one, of the statements of `old_text` (a declaration as it was viewed) that
    stand unchanged in the declaration of today."""
    before = _as_viewed(old_text, decl.sym)
    if before is None:
        return {}
    start = decl.full_span.start
    pieces = diff_pieces(_HEADER + old_text, source[start : decl.full_span.end])
    today = {(_span(h), h.kind): h.name for h in list_handles(decl).values()}
    moved = {BODY: BODY}
    for handle in list_handles(before).values():
        span = _span(handle)
        for old, new, length in pieces:
            if old <= span.start and span.end <= old + length:
                shift = start + new - old
                place = Span(span.start + shift, span.end + shift)
                if name := today.get((place, handle.kind)):
                    moved[handle.name] = name
    return moved


def changed_handles(
    decl: Decl, old_text: bytes, source: bytes, moved: Mapping[str, str]
) -> dict[str, str]:
    """Old handle -> new one, of statements that changed where they stood: they begin as they did,
    or between those that are known there are as many as there were, of the same kinds."""
    before = _as_viewed(old_text, decl.sym)
    new = list(list_handles(decl).values())
    old = list(list_handles(before).values()) if before and new else []
    found = dict(moved) | _beginning_alike(decl, old, new, old_text, source)
    place = {handle.name: number for number, handle in enumerate(new)}
    run: list[Handle] = []
    start = 0
    for handle in (*old, None):
        if handle is not None and handle.name not in found:
            run.append(handle)
            continue
        end = place[found[handle.name]] if handle else len(new)
        beside = new[start:end]
        if [h.node.type for h in run] == [h.node.type for h in beside]:
            found |= {a.name: b.name for a, b in zip(run, beside, strict=True)}
        run, start = [], end + 1
    return {name: today for name, today in found.items() if name not in moved}


def _beginning_alike(
    decl: Decl, old: list[Handle], new: list[Handle], old_text: bytes, source: bytes
) -> dict[str, str]:
    """Old handle -> new one, of statements of one kind whose first letters are the same ones."""
    first = decl.full_span.start
    pieces = diff_pieces(_HEADER + old_text, source[first : decl.full_span.end])
    today = {(h.node.start_byte, h.kind, h.node.type): h.name for h in new}
    found: dict[str, str] = {}
    for handle in old:
        at = handle.node.start_byte
        for start, now, length in pieces:
            place = first + now + at - start
            name = today.get((place, handle.kind, handle.node.type))
            if start <= at < start + length and name:
                found[handle.name] = name
    return found


def _as_viewed(text: bytes, sym: str) -> Decl | None:
    """A declaration that stands alone, as a file has it."""
    return find_decl(parse(_HEADER + text), _HEADER + text, sym)


def named_handles(op: Mapping[str, object]) -> dict[str, str]:
    """Argument -> handle (`nK` without its slot) of the arguments of an op that name one."""
    out = {}
    for argument in _ARGUMENTS:
        value = op.get(argument)
        match = _HANDLE.fullmatch(value) if isinstance(value, str) else None
        if match and not match[1].startswith("$"):
            out[argument] = match[1]
    return out


def _refuse_without_statements(decl: Decl) -> None:
    """Reject handles_only_in_functions, or not_a_function where one has no body."""
    if decl.kind not in ("func", "method"):
        raise Reject("handles_only_in_functions", f"{decl.sym} is a {decl.kind}")
    resolve_body(decl)


def _said(statement: bytes, text: str) -> bool:
    """Whether a text is that of a statement, or its first line, spaces aside."""
    whole, wanted = statement.decode(errors="replace"), " ".join(text.split())
    first = whole.partition("\n")[0].rstrip().removesuffix("{").strip()
    return wanted in (" ".join(whole.split()), first, f"{first} {{")


def _span(handle: Handle) -> Span:
    return Span(handle.node.start_byte, handle.node.end_byte)
