"""Arguments under names that other tools give them.

Invariant: only tells what a name may stand for; whether it is taken so is the caller's to say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

_CLOSE = 0.6
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "pkg": ("package", "importpath", "packagepath", "dir", "folder", "directory", "packagename"),
    "sym": (
        "symbol", "symbolname", "namepath", "function", "func", "functionname", "method", "address",
        "decl", "declaration", "identifier", "ident", "target", "typename", "name", "file", "path",
        "filepath", "filename", "relativepath", "position", "location", "oldname", "from", "type",
    ),
    "to": ("newname", "new", "renameto", "replacement", "newsymbol", "dest", "destination"),
    "body": ("code", "newbody", "content", "source", "text", "implementation", "snippet"),
    "text": (
        "code", "content", "source", "declaration", "decl", "body", "definition", "newtext", "doc",
        "comment",
    ),
    "q": ("query", "pattern", "text", "search", "term", "name", "fragment", "substringpattern",
          "regex", "symbol", "sym"),
    "kind": ("type", "querytype", "query", "action", "question"),
    "ops": ("operations", "edits", "changes", "patch", "steps", "actions", "commands", "patches"),
    "at": ("handle", "node", "stmt", "statement", "anchor", "target", "nodeid", "id"),
    "where": ("position", "placement", "place", "location"),
    "expr": ("expression", "call", "value", "code", "newexpr", "cond", "condition"),
    "exprs": ("expressions", "values", "results", "expr", "value", "cases", "case"),
    "cond": ("condition", "expr", "expression", "test"),
    "lhs": ("target", "name", "var", "variable", "left"),
    "rhs": ("value", "expr", "expression", "right"),
    "name": ("param", "paramname", "parameter", "arg", "argument", "field", "fieldname", "op",
             "topic", "tool", "command", "case", "casename"),
    "type": ("paramtype", "fieldtype", "typ", "kind"),
    "default": ("defaultvalue", "value", "callsite"),
    "signature": ("newsignature", "sig", "params"),
    "to_pkg": ("target", "dest", "destination", "newpackage", "to", "targetpkg", "topackage"),
    "interface": ("iface", "type", "implements"),
    "run": ("test", "filter", "pattern", "name", "testname"),
    "edit": ("id", "number", "n", "editid"),
    "target": ("sym", "symbol", "function", "func", "name"),
    "case": ("name", "casename"),
    "module": ("path", "dependency", "package"),
    "path": ("file", "filename", "filepath"),
    "dry_run": ("dryrun", "preview", "checkonly"),
}  # fmt: skip


def near_arguments(name: str, known: Collection[str]) -> tuple[str, ...]:
    """The known arguments that a name may stand for, the likeliest first."""
    plain = _plain(name)
    same = [arg for arg in known if _plain(arg) == plain]
    meant = [arg for arg in known if plain in _SYNONYMS.get(arg, ())]
    if same or meant:
        return tuple(dict.fromkeys([*same, *meant]))[:3]
    return tuple(get_close_matches(name, list(known), n=3, cutoff=0.5))


def match_arguments(names: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """What each of several names stands for: "" where it stands for none of the arguments."""
    chosen: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = _plain(name)
        free = [arg for arg in known if arg not in taken]
        same = [arg for arg in free if _plain(arg) == plain]
        # The list of an argument names its best synonyms first.
        meant = sorted(
            (arg for arg in free if plain in _SYNONYMS.get(arg, ())),
            key=lambda arg: _SYNONYMS[arg].index(plain),
        )
        close = get_close_matches(name, free, n=1, cutoff=_CLOSE)
        chosen[name] = next(iter([*same, *meant, *close]), "")
        taken.add(chosen[name])
    return chosen


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
