"""Names of tools as clients write them: prefixes, aliases, and tools that models imagine.

Invariant: what comes out is a tool of the catalog, or an answer whose calls a client can make; no
name is a protocol error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from ago.catalog.listing import BY_KIND, DRY_RUN, kinds, listed
from ago.catalog.schema import tools
from ago.queries.catalog import QUERIES
from ago.repair.other_names import call_ours, find_ours
from grammar_ops.catalog import CATALOG
from grammar_ops.reject import Call, Json, Reject, Repair, register

register("mcp", {"no_shell_here": "there is no shell and no file access here; queries and edits"})

Args = dict[str, Json]

_PREFIXES = ("mcp__ago__", "ago__", "ago_", "ago.")
_ALIASES: dict[str, tuple[str, Args]] = {
    "get_view": ("view", {}),
    "view_symbol": ("view", {}),
    "get_refs": ("query", {"kind": "refs"}),
    "find_references": ("query", {"kind": "refs"}),
    "search_symbols": ("query", {"kind": "search"}),
    "edit": ("patch", {}),
    "run_tests": ("test", {}),
    "preview": (DRY_RUN, {}),
}
_SHELL = frozenset(
    {
        "bash", "shell", "execute_command", "run_command", "str_replace", "str_replace_editor",
        "read_file", "write_file", "edit_file", "create_file", "grep", "glob", "ls",
    }
)  # fmt: skip
# Arguments of imagined tools that say what is looked for, and which file is meant.
_SOUGHT = ("pattern", "query", "regex", "q")
_FILES = ("path", "file_path", "file", "filename")
_WHOLE = ("content", "text", "file_text")
_OLD, _NEW = ("old_str", "old_string", "search"), ("new_str", "new_string", "replace")
_PATCH = ("patch", "input", "diff")
"""What other servers' apply_patch calls its text."""


@dataclass(frozen=True)
class Meant:
    """A call of the catalog, and the name it was reached by when that is another one."""

    tool: str
    args: Args
    aliased_from: str = ""


def resolve_call(name: str, given: Args) -> Meant:
    """The call that a client's call means; Reject no_shell_here, unknown_tool."""
    tool, extra = _resolve_name(name.strip(), given)
    args = {**extra, **given}
    said = name if tool != name or extra else ""
    if tool == "apply" and "text" not in args and (key := _first(_PATCH, args)):
        args["text"] = args.pop(key)
    if tool == DRY_RUN:
        return Meant("patch", {**args, "dry_run": True}, said)
    if tool == "help" and args.get("name") == DRY_RUN:
        return Meant("help", {**args, "name": "patch"}, said)
    if tool == "query" and (kind := args.get("kind")) in BY_KIND:
        return Meant(str(kind), {key: args[key] for key in args if key != "kind"}, said)
    if tool in CATALOG and tool not in tools():
        return Meant("patch", {"op": tool, **args}, name)
    if tool in tools():
        return Meant(tool, args, said)
    raise _unknown(name, tool, args)


def _resolve_name(name: str, given: Args) -> tuple[str, Args]:
    """The tool that a name stands for, and the arguments that the name implies."""
    plain = name
    for prefix in _PREFIXES:
        plain = plain.removeprefix(prefix)
    plain = plain.replace("-", "_").lower()
    if plain == "apply_patch":
        return ("patch" if "ops" in given else "apply"), {}
    if plain in _ALIASES:
        return _ALIASES[plain]
    if plain in QUERIES and plain not in listed():
        return "query", {"kind": plain}
    return plain, {}


def _unknown(name: str, plain: str, args: Args) -> Reject:
    """The answer to a tool that does not exist: what comes nearest to what it was to do."""
    if plain in _SHELL:
        detail = f"{name}; tools are {', '.join(listed())}"
        return Reject("no_shell_here", detail, repairs=(_nearest(args), _HELP))
    names = dict.fromkeys((*listed(), *kinds(), *CATALOG))
    near = tuple(get_close_matches(plain, names, n=3, cutoff=0.5))
    detail = f"{name}; tools are {', '.join(listed())}"
    ours = find_ours(plain)
    meant = (ours,) if ours else near[:1]
    repairs = (Repair(f"{name} is {n} here", _call(n, args), checked=False) for n in meant)
    return Reject("unknown_tool", detail, did_you_mean=near, repairs=(*repairs, _HELP))


def _call(name: str, args: Args) -> Call:
    """A call by one of our names, with the arguments that it has here."""
    return Call("dry_run", args) if name == DRY_RUN else call_ours(name, args)


_HELP = Repair("lists ops, queries and tools", Call("help", {}), checked=False)


def _nearest(args: Mapping[str, Json]) -> Repair:
    """The call that comes nearest to what an imagined tool was asked for."""
    file = str(args.get(_first(_FILES, args)) or "")
    if call := _text_edit(file, args):
        return Repair("makes the same edit, judged before it is written", call, checked=False)
    if file.endswith(".go"):
        return Repair("shows what the file declares", Call("view", {"sym": file}), checked=False)
    if sought := args.get(_first(_SOUGHT, args)):
        call = Call("query", {"kind": "text", "q": str(sought)})
        return Repair("lines of the workspace that hold a text", call, checked=False)
    call = Call("query", {"kind": "search", "q": "Name"})
    return Repair("finds declarations by a part of their name", call, checked=False)


def _text_edit(file: str, args: Mapping[str, Json]) -> Call | None:
    """An imagined edit of a file as the text edit that it would be."""
    old, new, whole = _first(_OLD, args), _first(_NEW, args), _first(_WHOLE, args)
    if not file or not ((old and new) or whole):
        return None
    text = f"{args[whole]}" if whole else _block(f"{args[old]}", f"{args[new]}")
    return Call("apply", {"path": file, "text": text})


def _block(old: str, new: str) -> str:
    lines = ("<<<<<<< SEARCH", old.removesuffix("\n"), "=======", new.removesuffix("\n"))
    return "\n".join((*lines, ">>>>>>> REPLACE", ""))


def _first(names: tuple[str, ...], args: Mapping[str, Json]) -> str:
    """The first of the names that is an argument, "" when none is."""
    return next((name for name in names if name in args), "")


def listed_calls(body: Args) -> Args:
    """A response whose calls are of listed tools only: those that the client can make."""
    return {
        key: _listed(value) if key == "call" and isinstance(value, dict) else _within(value)
        for key, value in body.items()
    }


def _within(value: Json) -> Json:
    """A part of a response, with such calls."""
    if isinstance(value, list):
        return [_within(item) for item in value]
    return listed_calls(value) if isinstance(value, dict) else value


def _listed(call: Args) -> Json:
    tool, args = call.get("tool"), call.get("args") or {}
    if not isinstance(tool, str) or not isinstance(args, dict):
        return call
    if tool == "patch" and args.get("dry_run") is True:
        return {"tool": DRY_RUN, "args": {key: args[key] for key in args if key != "dry_run"}}
    if tool in listed() or (tool not in QUERIES and tool not in BY_KIND):
        return {"tool": tool, "args": args}
    return {"tool": "query", "args": {"kind": tool, **args}}
