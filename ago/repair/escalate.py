"""What the answer to a refused call says when the call comes again: more, then another way.

Invariant: only reads and dry runs; what a look-up answers is shown as it answers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ago.protocol.errors import AgoError
from ago.repair.calls import Refused, mark_checked, search_call, unchecked, view_call
from ago.repair.catalog import TryOut, normal_args
from ago.repair.other_names import arguments_of
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Json, Reject, Repair

_BY_NAME = frozenset(
    {
        "symbol_not_found", "member_not_found", "receiver_type_not_found", "package_not_found",
        "ambiguous_address",
    }
)  # fmt: skip
_OF_ARGUMENTS = frozenset(
    {
        "unknown_op", "unknown_tool", "unknown_argument", "arg_not_in_schema", "arg_required",
        "malformed_op", "malformed_patch", "patch_has_no_ops",
    }
)  # fmt: skip


def look_closer(
    reject: Reject, tool: str, args: dict[str, Json], try_out: TryOut
) -> dict[str, Json]:
    """A read that tells more of what the call speaks of, with its answer; {} when none does."""
    refused = Refused(reject, tool, normal_args(tool, args))
    for call in _looks(refused):
        try:
            answer = try_out(call.tool, dict(call.args))
        except (Reject, AgoError):
            continue
        shown: dict[str, Json] = {k: v for k, v in answer.items() if k != "status"}
        return {"call": {"tool": call.tool, "args": call.args}, "answer": shown}
    return {}


def find_other_way(
    reject: Reject, tool: str, args: dict[str, Json], try_out: TryOut
) -> tuple[Repair, ...]:
    """Calls that go another way: the declaration as one text to change, a search, the help."""
    refused = Refused(reject, tool, normal_args(tool, args))
    found = [*_as_text(refused)]
    for call in _looks(refused):
        found.append(unchecked("looks at it from another side", call))
    out = []
    for repair in found:
        edit = {"dry_run": True} if repair.call.tool in CATALOG else {}
        try:
            try_out(repair.call.tool, {**repair.call.args, **edit})
        except (Reject, AgoError):
            continue
        out.append(mark_checked(repair))
    return tuple(out[:2])


def _looks(refused: Refused) -> Iterator[Call]:
    reason, facts = refused.reject.reason, refused.reject.facts
    pkg, sym = refused.address()
    pkg = str(facts.get("pkg") or pkg)
    op = str((refused.op or {}).get("op") or "")
    if reason in _OF_ARGUMENTS:
        name = op if op in CATALOG else refused.tool
        yield Call("help", {"name": name} if arguments_of(name) else {})
    elif reason in _BY_NAME:
        yield Call("query", {"kind": "outline", "pkg": pkg, "docs": False})
        yield search_call(sym.rpartition(".")[2] or pkg.rpartition("/")[2])
    elif sym:
        yield view_call(pkg, sym)
        yield Call("query", {"kind": "outline", "sym": sym, "docs": False})
    yield Call("help", {"name": op if op in CATALOG else refused.tool})


def _as_text(refused: Refused) -> Iterator[Repair]:
    """The declaration that an edit speaks of, whole, to be sent back changed."""
    pkg, sym = refused.address()
    if refused.op is None or not sym or refused.reject.reason in _BY_NAME | _OF_ARGUMENTS:
        return
    why = "shows the declaration as text: send it back changed, with set_body or upsert_decl"
    yield unchecked(why, Call("query", {"kind": "source", "pkg": pkg, "sym": sym}))
