"""Decode a patch request: its ops, its defaults, and handles brought up to the current generation.

Invariant: nothing is planned here; a request that speaks of an older view is mapped or refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ago.patch.handles import changed_handles, moved_handles, named_handles
from ago.patch.scope import DraftScope
from ago.patch.twins import list_places
from ago.protocol.requests import Patch
from ago.workspace.address import Address
from ago.workspace.packages import find_packages
from ago.workspace.positions import is_place
from ago.workspace.snapshot import Snapshot
from grammar_ops.catalog import parse_op
from grammar_ops.op import DeclOp, Op
from grammar_ops.reject import Json, Reject, register
from grammar_ops.syntax.decls import SHARED_NAMES
from grammar_ops.text.formats import read_edit_text

register(
    "patch",
    {
        "patch_has_no_ops": "`ops` is empty: there is nothing to do",
        "stale_generation": "the declaration changed after the view that the edit was planned on",
    },
)

RawOp = dict[str, Json]

_MODULE_FILES = ("go.mod", "go.sum", "go.work", "go.work.sum")


@dataclass(frozen=True)
class Decoded:
    """A patch as the draft takes it."""

    ops: tuple[Op, ...]
    pkg: str
    sym: str
    resolved: str | None
    handles_moved: Mapping[str, str]
    place: str = ""
    """A file or position that stands in the place of `sym` for ops that take it so."""


def decode_patch(request: Patch, snapshot: Snapshot, scope: DraftScope) -> Decoded:
    """The request's ops with defaults resolved; Reject unknown_op, stale_generation, an address."""
    if not request.ops:
        raise Reject("patch_has_no_ops", "give at least one op")
    # All names are checked before any address is: a misspelt op is the first thing to know.
    asked = [parse_op(raw, number) for number, raw in enumerate(request.ops, 1)]
    if request.sym and all(isinstance(op, DeclOp) and op.takes_place for op in asked):
        if is_place(request.sym):
            return Decoded(tuple(asked), request.pkg, "", None, {}, request.sym)
        if package := _find_package(snapshot, request):
            return Decoded(tuple(asked), package, "", package, {})
    address = scope.resolve_base(request.pkg, request.sym) if request.sym else None
    raws, moved = _bring_up(request, address, snapshot, scope)
    ops = tuple(parse_op(raw, number) for number, raw in enumerate(raws, 1))
    if address is None:
        return Decoded(ops, request.pkg, "", None, moved)
    # Of several declarations of one name only the position tells which is meant.
    shared = address.place is not None and (
        address.sym in SHARED_NAMES or len(list_places(snapshot, address.pkg, address.sym)) > 1
    )
    sym = address.position if shared else address.sym
    return Decoded(ops, address.pkg, sym, address.resolved, moved)


def _find_package(snapshot: Snapshot, request: Patch) -> str:
    """The package that `sym` alone names, by its path or the end of one; "" for anything else."""
    if request.pkg or "." in request.sym.rpartition("/")[2]:
        return ""
    found = find_packages(snapshot.graph, request.sym)
    return found[0] if len(found) == 1 and "/" in request.sym else ""


def is_about_modules(request: Patch) -> bool:
    """Whether nothing but go.mod files is to be changed: no code has to be understood for that."""
    ops = [op for op in request.ops if isinstance(op, dict)]
    return bool(ops) and all(
        op.get("op") in ("add_dependency", "mod_tidy") or _edits_modules(op) for op in ops
    )


def _edits_modules(raw: RawOp) -> bool:
    """Whether an op is a text that edits nothing but module files."""
    text, path = raw.get("text"), raw.get("path", "")
    if raw.get("op") != "apply" or not isinstance(text, str) or not isinstance(path, str):
        return False
    try:
        edits = read_edit_text(text, path, str(raw.get("format") or "")).edits
    except Reject:
        return False  # it is refused when it is planned
    return all(edit.path.rpartition("/")[2] in _MODULE_FILES for edit in edits)


def _bring_up(
    request: Patch, address: Address | None, snapshot: Snapshot, scope: DraftScope
) -> tuple[list[RawOp], dict[str, str]]:
    """The raw ops with handles of older generations mapped; what moved is reported."""
    raws, moved = [], {}
    for number, raw in enumerate(request.ops, 1):
        given, target = _planned_on(request, raw, address, scope)
        if given and target is not None:
            try:
                raw, names = _map_op(raw, given, target, snapshot, scope)
            except Reject as reject:
                reject.op = number
                raise
            moved.update(names)
        raws.append(raw)
    return raws, moved


def _planned_on(
    request: Patch, raw: RawOp, address: Address | None, scope: DraftScope
) -> tuple[int, Address | None]:
    """The generation that an op was planned on (0 = unchecked) and the declaration it speaks of."""
    own = raw.get("generation")
    sym, pkg = raw.get("sym"), raw.get("pkg")
    if isinstance(own, int) and own and isinstance(sym, str) and sym:
        return own, scope.resolve_base(str(pkg or request.pkg), sym)
    if (sym and address is not None and sym != address.sym) or raw.get("op") == "upsert_decl":
        return 0, None
    return (own if isinstance(own, int) and own else request.generation), address


def _map_op(
    raw: RawOp, given: int, target: Address, snapshot: Snapshot, scope: DraftScope
) -> tuple[RawOp, dict[str, str]]:
    current = snapshot.generation(target.pkg, target.sym, target.path)
    if given == current:
        return raw, {}
    named = named_handles(raw)
    old = snapshot.generations.text_of(target.pkg, target.sym, given)
    decl = scope.resolve_decl(target.pkg, target.sym)
    source = scope.source(decl.path)
    names = moved_handles(decl, old, source) if old is not None else {}
    if not named or any(handle not in names for handle in named.values()):
        detail = f"{target.pkg}.{target.sym}: planned on {given}, now {current}"
        facts: dict[str, Json] = {"pkg": target.pkg, "sym": target.sym, "generation": current}
        if old is not None:
            facts["handles"] = {**names, **changed_handles(decl, old, source, names)}
        raise Reject("stale_generation", detail, facts=facts)
    out = dict(raw)
    for argument, handle in named.items():
        value = str(raw[argument])
        out[argument] = names[handle] + value[len(handle) :]
    return out, {h: names[h] for h in named.values() if names[h] != h}
