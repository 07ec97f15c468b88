"""other_tools: a tool or op of another program, as ours with its arguments under our names."""

from __future__ import annotations

from collections.abc import Iterator

from ago.queries.catalog import QUERIES
from ago.repair.calls import LIMIT, Refused, unchecked
from ago.repair.other_names import TOOLS, call_ours, find_ours
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Repair

REASONS = ("unknown_tool", "unknown_op", "unknown_query_kind")


def build(refused: Refused) -> Iterator[Repair]:
    """The call that another program's name stands for, then those with names near to it."""
    reason = refused.reject.reason
    if reason == "unknown_tool":
        yield from _tools(refused)
    elif reason == "unknown_query_kind":
        yield from _kinds(refused)
    else:
        yield from _ops(refused)


def _tools(refused: Refused) -> Iterator[Repair]:
    ours = find_ours(refused.tool)
    for name in (ours,) if ours else refused.reject.did_you_mean:
        call = call_ours(name, refused.args)
        yield unchecked(f"{refused.tool} is {name} here", call)
        if call.args.get("regex"):
            literal = {key: value for key, value in call.args.items() if key != "regex"}
            yield unchecked("looks for the text letter by letter", Call(call.tool, literal))
    yield unchecked("lists the tools", Call("help", {}))


def _kinds(refused: Refused) -> Iterator[Repair]:
    kind = str(refused.args.get("kind") or "")
    near = refused.reject.did_you_mean if len(refused.reject.did_you_mean) <= LIMIT else ()
    ours = find_ours(kind)
    for name in dict.fromkeys([ours, *near] if ours in QUERIES else near):
        yield unchecked(f"kind: {name}", refused.with_args(kind=name))
    yield unchecked("shows the kinds of questions", Call("help", {"name": "query"}))


def _ops(refused: Refused) -> Iterator[Repair]:
    op = refused.op or {}
    given = {key: value for key, value in op.items() if key != "op"}
    ours = find_ours(str(op.get("op")))
    asked = str(op.get("op"))
    alone = {k: v for k, v in refused.args.items() if k in ("pkg", "sym")} | given
    if ours in CATALOG:
        call = call_ours(ours, given)
        yield unchecked(f"{asked} is {ours} here", refused.as_ops({"op": ours, **call.args}))
    elif name := next((n for n in (asked, ours) if n in TOOLS or n in QUERIES), ""):
        yield unchecked(f"{asked} is no edit: it is a call of its own", call_ours(name, alone))
    elif asked in ("begin", "commit", "check", "end", "save", "apply") and refused.others:
        yield unchecked("a patch is one edit as it is", refused.without_op())
    if len(refused.reject.did_you_mean) > LIMIT:
        yield unchecked("shows what a patch takes", Call("help", {"name": "patch"}))
