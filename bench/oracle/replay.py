"""Replay one commit: its steps as one patch, coarser ways where a finer one falls short.

Dry runs find out which way of each step leads to the commit's bytes; the patch that is sent for
real claims to be the commit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.oracle.items import read_file
from bench.oracle.match import match_items
from bench.oracle.step import GONE_FILE, Op, Step

Call = Callable[[str, dict[str, Any]], dict[str, Any]]
ROUNDS = 40
LATE = {"delete_decl": 1, "remove_field": 2, "delete_file": 3}
"""What goes once nothing refers to it any more."""
JOINED = {"delete_decl": "syms", "delete_file": "paths"}
"""What refers to one another goes at once."""


@dataclass
class Outcome:
    """What became of a commit: equal, differs, rejected, inexpressible or failed."""

    verdict: str
    why: str = ""
    ops: Counter[str] = field(default_factory=Counter)
    lowered: list[tuple[str, str]] = field(default_factory=list)
    rounds: int = 0
    answer: dict[str, Any] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)
    patch: dict[str, Any] = field(default_factory=dict)


class Settler:
    """Finds the ways of the steps of one commit."""

    def __init__(
        self,
        call: Call,
        first: list[Op],
        steps: list[Step],
        targets: Mapping[str, bytes | None],
        prefer: list[str],
    ) -> None:
        """`first` are ops that are sent before those of the steps."""
        self.call, self.targets, self.prefer, self.first = call, targets, prefer, first
        self.steps = sorted(steps, key=lambda step: step.rank)

    def settle(self) -> Outcome:
        """Lower steps until the dry run has the commit's bytes, or no step can be lowered."""
        outcome = Outcome("differs")
        while outcome.rounds < ROUNDS:
            outcome.rounds += 1
            ops, owners = self._ops()
            patch = make_patch(ops, self.prefer)
            answer = self.call("patch", {**patch, "dry_run": True, "show_files": True})
            outcome.ops = Counter(op["op"] for op in ops)
            outcome.patch, outcome.answer = patch, answer
            if answer["status"] == "ok":
                outcome.differing = self._differing(answer)
                if not outcome.differing:
                    outcome.verdict, outcome.why = "equal", ""
                    break
                lowered = self._lower_differing(outcome.differing, answer)
            else:
                outcome.verdict, outcome.why = answer["status"], str(answer.get("reason"))
                lowered = self._lower_rejected(answer, owners)
            if not lowered:
                outcome.verdict = "differs" if answer["status"] == "ok" else answer["status"]
                break
        outcome.lowered = [low for step in self.steps for low in step.lowered]
        return outcome

    def _ops(self) -> tuple[list[Op], list[Step | None]]:
        """The ops in order with the step of each; what goes from one package goes at once."""
        ops: list[Op] = []
        owners: list[Step | None] = []
        joint: dict[tuple[str, str], Op] = {}
        for step in self.steps:
            for op in step.ops:
                listed = JOINED.get(op["op"], "")
                key = (op["op"], op.get("pkg", ""))
                if listed and key in joint:
                    joint[key][listed] += op[listed]
                    continue
                if listed:
                    op = joint[key] = {**op, listed: list(op[listed])}
                ops.append(op)
                owners.append(step)
        order = sorted(range(len(ops)), key=lambda k: LATE.get(ops[k]["op"], 0))
        ops, owners = [ops[k] for k in order], [owners[k] for k in order]
        return _numbered([*self.first, *ops]), [None] * len(self.first) + owners

    def _differing(self, answer: dict[str, Any]) -> list[str]:
        texts = answer.get("texts", {})
        return [
            path
            for path, target in self.targets.items()
            if texts.get(path, "" if target is None else None) != (target or b"").decode()
        ]

    def _lower_rejected(self, answer: dict[str, Any], owners: list[Step | None]) -> bool:
        reason = str(answer.get("reason"))
        if (op := answer.get("op")) and (owner := owners[op - 1]) and owner.lower(reason):
            return True
        found = answer.get("diagnostics", [])
        paths = {str(d.get("pos", "")).partition(":")[0] for d in found}
        named = [step for step in self.steps if step.path in paths]
        if op:
            # What refers to a thing that goes may stand in a file that goes as well.
            return _lower_all([step for step in named if step.rank == GONE_FILE], reason)
        return _lower_all(named, reason) or _lower_all(self.steps, reason)

    def _lower_differing(self, paths: list[str], answer: dict[str, Any]) -> bool:
        lowered = False
        for path in paths:
            text, target = answer.get("texts", {}).get(path), self.targets[path]
            keys = _differing_keys(text, target)
            mine = [step for step in self.steps if step.path == path]
            wrong = [step for step in mine if step.key in keys] or mine
            lowered = _lower_all(wrong, "differs") or lowered
        return lowered


def _lower_all(steps: list[Step], why: str) -> bool:
    """Lower each of some steps; whether any could be."""
    return sum(step.lower(why) for step in steps) > 0


def make_patch(ops: list[Op], prefer: list[str]) -> dict[str, Any]:
    """The call that replays ops: whatever the commit did was meant."""
    flags = {"allow_rebind": True, "allow_generated": True}
    return {"ops": ops, **flags, "prefer_imports": prefer}


def _numbered(ops: list[Op]) -> list[Op]:
    """The ops with `$N` for what an earlier one made."""
    numbers = {op["_id"]: f"${number}" for number, op in enumerate(ops, 1) if "_id" in op}
    return [
        {
            key: numbers.get(value, value) if isinstance(value, str) else value
            for key, value in op.items()
            if key != "_id"
        }
        for op in ops
    ]


def _differing_keys(text: str | None, target: bytes | None) -> set[str]:
    """The declarations in which two texts of a file differ; "" is the head."""
    old = read_file(text.encode()) if text is not None else None
    new = read_file(target) if target is not None else None
    if old is None or new is None:
        return set()
    matched = match_items(old.items, new.items)
    keys = {new.items[j].key for i, j in matched.pairs if old.items[i].text != new.items[j].text}
    keys |= {new.items[j].key for j in matched.new} | {old.items[i].key for i in matched.gone}
    if old.clause + old.imports != new.clause + new.imports:
        keys.add("")
    return keys
