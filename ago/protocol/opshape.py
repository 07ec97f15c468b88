"""One op of a patch as agents send it: its name and arguments where they belong, its texts as Go.

Invariant: names of arguments are never guessed; an op that is right comes back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from ago.protocol.gotext import Kind, clean
from ago.protocol.loosen import loosen, split_list
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Json

RawOp = dict[str, Json]
Said = tuple[str, ...]

_NAMED_BY = ("op", "type", "name", "kind", "action", "operation", "tool", "command", "method")
"""Keys under which the op of an op's object is named, the right one first."""
NESTED = ("args", "arguments", "params", "parameters", "input")
_TEXTS: dict[str, Kind] = {
    "body": "stmts", "expr": "expr", "exprs": "expr", "cond": "expr", "lhs": "expr", "rhs": "expr",
    "tag": "expr", "value": "expr", "default": "expr", "args": "expr", "want": "expr",
}  # fmt: skip
_AROUND = {
    "add_return": "return", "add_defer": "defer", "add_go": "go", "add_if": "if", "add_else": "if",
    "add_for": "for", "add_switch": "switch", "add_case": "case", "set_cond": "if|for|case",
    "add_assign": "=",
}  # fmt: skip
"""Op -> what it writes before its expressions itself."""
_PARAM = re.compile(r"(\w+)\s+(\S.*)")


def find_name(text: str, known: Collection[str]) -> str:
    """The name of `known` that a text is, whatever its case, hyphens and prefix; "" for none."""
    plain = re.sub(r"^(?:mcp__)?(?:ago(?:__|_|-|\.|/))", "", text.strip())
    if plain in known:
        return plain
    letters = re.sub(r"[^a-z0-9]", "", plain.lower())
    return next((name for name in known if name.replace("_", "") == letters), "")


def shape_op(raw: RawOp) -> tuple[RawOp, Said]:
    """The op with its name under `op` and its arguments beside it."""
    said: list[str] = []
    if len(raw) == 1:
        ((key, inner),) = raw.items()
        if isinstance(inner, dict) and (name := find_name(key, CATALOG)):
            raw = {"op": name, **inner}
            said.append(f"{key}: {{…}} taken as op {name}")
    if "op" not in raw:
        for key in _NAMED_BY[1:]:
            name = find_name(value, CATALOG) if isinstance(value := raw.get(key), str) else ""
            if name and (key not in CATALOG[name].model_fields or "_" in name):
                raw = {"op": name, **{k: v for k, v in raw.items() if k != key}}
                said.append(f"{key} taken as op")
                break
    raw, words = unwrap(raw, {"op"})
    said += words
    given = raw.get("op")
    if isinstance(given, str) and given not in CATALOG and (name := find_name(given, CATALOG)):
        raw = {**raw, "op": name}
        said.append(f"op {given} taken as {name}")
    return raw, tuple(said)


def unwrap(args: RawOp, beside: Collection[str]) -> tuple[RawOp, Said]:
    """Arguments out of the one object that holds them all."""
    for key in NESTED:
        inner = args.get(key)
        if isinstance(inner, dict) and {*args} <= {key, *beside}:
            return {**{k: v for k, v in args.items() if k != key}, **inner}, (f"{key} unwrapped",)
    return args, ()


def mend_op(raw: RawOp) -> tuple[RawOp, Said, tuple[str, ...]]:
    """The op with its values as they are wanted; also what was said, and imports for the call."""
    name = raw.get("op")
    if not isinstance(name, str) or name not in CATALOG:
        return raw, (), ()
    fields = {key: info for key, info in CATALOG[name].model_fields.items() if key != "op"}
    own, said = loosen(fields, {k: v for k, v in raw.items() if k != "op"})
    op: RawOp = {"op": name, **own}
    words = [*said]
    imports: list[tuple[str, str]] = []
    for key, kind in _texts_of(name).items():
        if key in op:
            op[key], more, found = _cleaned(op[key], kind, _AROUND.get(name, ""))
            words += [f"{key}: {word}" for word in more]
            imports += found
    if name == "add_param":
        words += _split_param(op)
    return op, tuple(dict.fromkeys(words)), _place_imports(op, imports)


def _texts_of(name: str) -> Mapping[str, Kind]:
    if name == "upsert_decl":
        return {"text": "decl"}
    if name == "set_head":
        return {"text": "file"}
    if name == "add_case":
        return {**_TEXTS, "comm": "file"}
    return _TEXTS


def _cleaned(
    value: Json, kind: Kind, around: str
) -> tuple[Json, Said, tuple[tuple[str, str], ...]]:
    if isinstance(value, str):
        found = clean(value, kind, around)
        return found.text, found.said, found.imports
    if not isinstance(value, list):
        return value, (), ()
    items: list[Json] = []
    words: list[str] = []
    for item in value:
        one = clean(item, kind, around) if isinstance(item, str) else None
        if one is None:
            items.append(item)
            continue
        items += split_list(one.text) if one.said else [one.text]
        words += one.said
    return items, tuple(words), ()


def _split_param(op: RawOp) -> Said:
    """`n int` as a name and a type."""
    found = _PARAM.fullmatch(str(op.get("name", "")).strip())
    if found is None or op.get("type"):
        return ()
    op["name"], op["type"] = found[1], found[2]
    return (f"name split into name {found[1]} and type {found[2]}",)


def _place_imports(op: RawOp, imports: list[tuple[str, str]]) -> tuple[str, ...]:
    """Imports that a text came with: an op that takes some has them, else the call prefers them."""
    given = op.get("imports", [])
    if imports and "imports" in CATALOG[str(op["op"])].model_fields and isinstance(given, list):
        aliased: list[Json] = [{"path": path, "name": name} for path, name in imports if name]
        if aliased:
            op["imports"] = [*given, *aliased]
    return tuple(path for path, name in imports if not name)
