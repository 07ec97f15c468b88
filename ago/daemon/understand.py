"""What a call means: the tool by any of its names, the arguments in the types that it takes.

Invariant: nothing is looked up in the workspace; what was taken otherwise than it was written is
said; a right call comes back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ago.catalog.schema import tools
from ago.catalog.sugar import sugar_fields, sugar_patch
from ago.protocol.lenient import normalise_patch
from ago.protocol.loosen import loosen
from ago.protocol.opshape import find_name, mend_op, unwrap
from ago.protocol.requests import Mutation
from ago.queries.catalog import QUERIES
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Json

Args = dict[str, Json]


class Understood(NamedTuple):
    """A call as it is taken, and a word on each thing that was taken otherwise than written."""

    tool: str
    args: Args
    said: tuple[str, ...] = ()

    @property
    def served(self) -> tuple[str, Args]:
        """The tool that serves it with its arguments: an op stands for the patch of it alone."""
        if self.tool in CATALOG:
            return "patch", sugar_patch(self.tool, self.args)
        return self.tool, self.args


def understand(tool: str, args: Mapping[str, Json]) -> Understood:
    """The call that is meant; a tool that there is not stays what it is. Reject malformed_patch."""
    name, said = _tool(tool)
    given, words = unwrap(dict(args), {"dry_run"})
    inner = given.get(name)
    if isinstance(inner, dict) and {*given} <= {name, "dry_run"} and name == "patch":
        given, words = (
            {**inner, **{k: v for k, v in given.items() if k != name}},
            ("patch unwrapped",),
        )
    said += words
    if name in QUERIES and name not in tools():
        given = {"kind": name, **given}
        name = "query"
    if name == "patch":
        shaped, words = normalise_patch(given)
        given, more = loosen(tools()["patch"].fields, shaped)
        return Understood(name, given, (*said, *words, *more))
    if name in CATALOG:
        return _op(name, given, said)
    if name in tools():
        given, words = loosen(tools()[name].fields, given)
        if name == "query" and isinstance(kind := given.get("kind"), str) and kind not in QUERIES:
            known = find_name(kind, QUERIES)
            words += (f"kind {kind} taken as {known}",) if known else ()
            given |= {"kind": known or kind}
        return Understood(name, given, said + words)
    return Understood(name, given, said)


def _tool(tool: str) -> tuple[str, tuple[str, ...]]:
    if tool in tools():
        return tool, ()
    for known in (tools(), QUERIES, CATALOG):
        if found := find_name(tool, known):
            kind = " of kind" if known is QUERIES else ""
            as_tool = {id(QUERIES): "query", id(CATALOG): "patch of"}.get(id(known), "")
            return found, (f"{tool} taken as {as_tool}{kind} {found}".replace("  ", " "),)
    return tool, ()


def _op(name: str, given: Args, said: tuple[str, ...]) -> Understood:
    """An op as a tool: its own arguments are the op's, the others the envelope's."""
    own = {key: info.alias or key for key, info in CATALOG[name].model_fields.items()}
    mine = {*own, *own.values()} - {"op"}
    op, words, imports = mend_op({"op": name, **{k: v for k, v in given.items() if k in mine}})
    rest = {key: info for key, info in sugar_fields(name).items() if key not in own}
    others, more = loosen(rest, {k: v for k, v in given.items() if k not in mine})
    args = {key: value for key, value in op.items() if key != "op"} | others
    prefer = args.get("prefer_imports")
    if imports and "prefer_imports" in Mutation.model_fields:
        args["prefer_imports"] = [*(prefer if isinstance(prefer, list) else []), *imports]
    return Understood(name, args, (*said, *words, *more))
