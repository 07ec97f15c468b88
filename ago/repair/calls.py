"""Calls to be mended: a refused call as data, and copies of it with one thing changed.

Invariant: nothing is changed in place, and a copy is as complete as the call that it was made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Json, Reject, Repair

LIMIT = 3
Op = dict[str, Json]


@dataclass(frozen=True)
class Refused:
    """A refusal and the call that met it; a patch's `ops` are a list of objects here."""

    reject: Reject
    tool: str
    args: Mapping[str, Json]

    @property
    def op(self) -> Op | None:
        """The op that was refused: the one named by the refusal, or a patch's only one."""
        if self.tool in CATALOG:
            return {"op": self.tool, **self.args}
        ops = self._ops()
        number = self.reject.op or (1 if len(ops) == 1 else 0)
        return ops[number - 1] if 0 < number <= len(ops) else None

    def with_args(self, **changes: Json) -> Call:
        """The call with arguments of its own set."""
        return Call(self.tool, {**self.args, **changes})

    def without(self, *names: str) -> Call:
        """The call without some of its arguments."""
        return Call(self.tool, {k: v for k, v in self.args.items() if k not in names})

    def all_ops(self) -> list[Op]:
        """The ops of the call: those of a patch, or the one that it is itself."""
        if self.tool in CATALOG:
            own = CATALOG[self.tool].model_fields
            return [{"op": self.tool, **{k: v for k, v in self.args.items() if k in own}}]
        return self._ops()

    def as_patch(self, ops: list[Op]) -> Call:
        """A patch of these ops with what the call said beside its own."""
        taken: list[Json] = [*ops]
        if self.tool in CATALOG:
            own = CATALOG[self.tool].model_fields
            kept = {k: v for k, v in self.args.items() if k not in own}
            return Call("patch", {**kept, "ops": taken})
        return Call(self.tool, {**self.args, "ops": taken})

    def as_ops(self, op: Op, *more: Op) -> Call:
        """A patch with another op in the place of the refused one, and more ops behind all."""
        if self.tool in CATALOG:
            own = CATALOG[self.tool].model_fields
            kept = {k: v for k, v in self.args.items() if k not in own or k == "generation"}
            return Call("patch", {**kept, "ops": [op, *more]})
        number = self.reject.op or 1
        changed: list[Json] = [op if n == number else o for n, o in enumerate(self._ops(), 1)]
        return Call(self.tool, {**self.args, "ops": [*changed, *more]})

    def with_op(self, drop: str = "", **changes: Json) -> Call:
        """The call with arguments of the refused op set, and one perhaps dropped."""
        if self.tool in CATALOG:
            return Call(self.tool, _changed(dict(self.args), drop, changes))
        changes = {_own_name(self.op, key): value for key, value in changes.items()}
        ops = self._ops()
        number = self.reject.op or 1
        changed: list[Json] = [
            _changed(op, drop, changes) if n == number else op for n, op in enumerate(ops, 1)
        ]
        return Call(self.tool, {**self.args, "ops": changed})

    @property
    def others(self) -> bool:
        """Whether a patch has ops beside the refused one."""
        return self.tool not in CATALOG and len(self._ops()) > 1

    def without_op(self) -> Call:
        """The patch without the refused op."""
        number = self.reject.op or 1
        left: list[Json] = [op for n, op in enumerate(self._ops(), 1) if n != number]
        return Call(self.tool, {**self.args, "ops": left})

    @property
    def names_target(self) -> bool:
        """Whether the refused op says itself what it speaks of."""
        op = self.op or {}
        return bool(op.get("pkg") or op.get(_own_name(op, "sym")))

    def address(self) -> tuple[str, str]:
        """(pkg, sym) that the refused op or call speaks of, as they were written."""
        op = self.op or {}
        sym = str(op.get(_own_name(op, "sym")) or self.args.get("sym") or "")
        return str(op.get("pkg") or self.args.get("pkg") or ""), sym

    def _ops(self) -> list[Op]:
        ops = self.args.get("ops")
        return [op for op in ops if isinstance(op, dict)] if isinstance(ops, list) else []


def _own_name(op: Op | None, key: str) -> str:
    """What an op calls an argument that others have too: a test's `target` is its sym."""
    known = CATALOG.get(str((op or {}).get("op")))
    field = known.model_fields.get(key) if known is not None else None
    return (field.alias if field is not None else None) or key


def addressed(pkg: str, sym: str) -> dict[str, Json]:
    """The arguments of an address; one that needs no package has none."""
    return {"pkg": pkg, "sym": sym} if pkg else {"sym": sym}


def view_call(pkg: str, sym: str) -> Call:
    """The call that shows a declaration with its handles."""
    return Call("view", addressed(pkg, sym))


def search_call(fragment: str) -> Call:
    """The call that looks for a name."""
    return Call("search", {"q": fragment})


def unchecked(why: str, call: Call) -> Repair:
    """A repair that nobody has tried yet."""
    return Repair(why, call, checked=False)


def mark_checked(repair: Repair) -> Repair:
    """A repair that a dry run accepted."""
    return replace(repair, checked=True)


def _changed(op: Op, drop: str, changes: Mapping[str, Json]) -> Op:
    kept = {key: value for key, value in op.items() if key != drop}
    return {**kept, **changes}
