"""Mends of a refusal: each diagnostic in up to three ways, put together as changes of the request.

Invariant: only adds facts and hints to a refusal; whether a mend holds, its dry run says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ago.checker.checker import Diagnostic
from ago.gate.gate import op_at, order
from ago.patch.mends import names, values, variables
from ago.patch.mends.arguments import rewrite
from ago.patch.mends.barred import UNDEFINED, list_barred
from ago.patch.mends.sight import Change, Mend, RawOp, Sight
from ago.stages import Verdict
from grammar_ops.near import LIMIT
from grammar_ops.reject import Json, Reject

Maker = Callable[[Diagnostic, re.Match[str], Sight], Iterator[Mend]]
_UNUSED = re.compile(r"declared and not used: (\w+)")
_OF_VALUES = re.compile(r"cannot use|assignment mismatch|not enough|too many|invalid operation")
_READ = 20
"""Diagnostics that are looked at; behind so many the text is another one than the model thought."""

_MAKERS: tuple[tuple[re.Pattern[str], Maker], ...] = tuple(
    (re.compile(pattern, re.DOTALL), maker)
    for pattern, maker in (
        (r"declared and not used: (\w+)", lambda d, m, s: variables.drop_unused(d, m[1], s)),
        (r"undefined: (\w+)\Z", lambda d, m, s: variables.declare_or_assign(d, m[1], s)),
        (
            r"undefined: (?:(\w+)\.)?(\w+)\Z",
            lambda d, m, s: names.name_known(d, m[1] or "", m[2], s),
        ),
        (
            r".*\.(\w+) undefined \(.*?(?:but does have (?:field|method) (\w+))?\)\Z",
            lambda d, m, s: names.member_known(d, m[1], m[2] or "", s),
        ),
        (r"(?:could not import|no required module provides package|package) (\S+?)[ ;]",
         lambda d, m, s: names.path_known(d, m[1], s)),
        (
            r"unknown field (\w+) in struct literal",
            lambda d, m, s: names.key_known(d, m[1], s),
        ),
        (r"multiple-value .* in single-value context", lambda d, _, s: values.alone(d, s)),
        (r"no new variables on left side of :=", lambda d, _, s: variables.assign_only(d, s)),
        (r"(?:not enough|too many) (?:arguments in call|return values)",
         lambda d, _, s: values.fit_values(d, s)),
        (
            r"assignment mismatch: (\d+) variables? but .* returns? (\d+) value",
            lambda d, m, s: values.fit_names(d, int(m[1]), int(m[2]), s),
        ),
        (r"cannot use (.+) as (\S+) value in",
         lambda d, m, s: values.convert(d, m[1], m[2], s)),
        (r".* does not implement .*", lambda d, _, s: values.implement(d, s)),
        (
            r"invalid operation: .* \(mismatched types (?:untyped )?(\S+) and (?:untyped )?(\S+)\)",
            lambda d, m, s: values.convert_operand(d, m[1], m[2], s),
        ),
    )
)  # fmt: skip


def add_mends(
    reject: Reject, verdict: Verdict, ops: Sequence[Mapping[str, Json]], sight: Sight
) -> Reject:
    """The refusal with `facts["mends"]`, whole texts to send instead, near names as hints, and what
    keeps a package out that a name means."""
    read = order(verdict.new)[:_READ]
    barred = list_barred(read, sight)
    known = [d for d in read if d.msg.removeprefix(UNDEFINED) not in barred]
    ways = [(found, _ways(found, sight)) for found in known]
    mends: list[Json] = []
    for rank in range(LIMIT):
        if rank and not any(rank < len(found) for _, found in ways):
            break
        chosen = [(d, found[min(rank, len(found) - 1)]) for d, found in ways if found]
        # What the request did not write is mended by ops of its own.
        beside = [
            (d, _beside(found, mend)) for (d, mend), found in zip(chosen, _some(ways), strict=True)
        ]
        mend = _as_facts(chosen, ops, sight) or _as_facts(beside, ops, sight)
        if mend is not None and mend not in mends:
            mends.append(mend)
    facts: dict[str, Json] = {**reject.facts, "mends": mends, "looks": [*_looks(verdict, sight)]}
    hints = dict.fromkeys(c.text for _, found in ways for m in found for c in m.changes)
    near = tuple(text for text in hints if text.isidentifier() and text != "_")[:LIMIT]
    detail = "; ".join([reject.detail, *(each for found in barred.values() for each in found)])
    return replace(reject, detail=detail, did_you_mean=near or reject.did_you_mean, facts=facts)


def _looks(verdict: Verdict, sight: Sight) -> Iterator[dict[str, Json]]:
    """What is declared elsewhere of the first things that diagnostics of values speak of."""
    seen: set[tuple[str, str]] = set()
    for found in order(verdict.new)[:_READ]:
        if found.offset < 0 or not _OF_VALUES.match(found.msg) or len(seen) == LIMIT:
            continue
        if (address := values.spoken_of(found, sight)) and address not in seen:
            seen.add(address)
            yield {"pkg": address[0], "sym": address[1]}


def _some(ways: Iterable[tuple[Diagnostic, list[Mend]]]) -> list[list[Mend]]:
    return [found for _, found in ways if found]


def _beside(found: list[Mend], mend: Mend) -> Mend:
    """The way to mend it by ops of its own, where there is one."""
    return next((other for other in found if other.more), mend)


def _ways(found: Diagnostic, sight: Sight) -> list[Mend]:
    if found.offset < 0:
        return []
    out: list[Mend] = []
    for pattern, maker in _MAKERS:
        if match := pattern.match(found.msg):
            out += [mend for mend in maker(found, match, sight) if mend not in out]
    return out[: LIMIT + 1]


def _as_facts(
    chosen: Iterable[tuple[Diagnostic, Mend]], ops: Sequence[Mapping[str, Json]], sight: Sight
) -> Json:
    """The mends of all diagnostics as one: texts by op and argument, ops beside, and why."""
    changes: dict[Change, None] = {}
    more: list[RawOp] = []
    why: dict[str, None] = {}
    written_by = 0
    settled: set[str] = set()
    chosen = [*chosen]
    for found, mend in chosen:
        unused = _UNUSED.match(found.msg)
        if found.msg in settled or (unused and _is_used(unused[1], chosen, mend)):
            continue
        if mend.settles:
            settled.add(found.msg)
        fresh = [c for c in mend.changes if not any(_overlap(c, other) for other in changes)]
        changes.update(dict.fromkeys(fresh))
        more += [op for op in mend.more if op not in more]
        why[mend.why] = None
        written_by = written_by or op_at(sight.candidate, found.file, found.offset) or 0
    texts = rewrite([*changes], ops, sight, written_by) if changes else {}
    if texts is None or not (texts or more):
        return None
    edits: list[Json] = [
        {"op": p.op, "argument": p.argument, "index": p.item, "value": value}
        for p, value in sorted(texts.items(), key=lambda item: item[0])
    ]
    return {"why": "; ".join([*why][:3]), "edits": edits, "more": [*more]}


def _is_used(name: str, chosen: Iterable[tuple[Diagnostic, Mend]], but: Mend) -> bool:
    """Whether another mend puts a name to use."""
    texts = [change.text for _, mend in chosen if mend is not but for change in mend.changes]
    return any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts)


def _overlap(one: Change, other: Change) -> bool:
    if one.file != other.file:
        return False
    return one == other or (one.start < other.end and other.start < one.end) or one[:2] == other[:2]
