"""Types as another file writes them: qualifiers added, dropped, and turned into that file's names.

Invariant: a name that the first file does not explain stays as it is; imports and gate see to it.
"""

from __future__ import annotations

from tree_sitter import Node

from grammar_ops.op import ImportWish
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.imports import list_imports
from grammar_ops.syntax.parse import parse

_HEAD = b"package p\n\nfunc _() "


def rewrite_type(
    scope: Scope, text: str, home: tuple[str, str], there: tuple[str, str]
) -> tuple[str, list[ImportWish]]:
    """A type (or results) of one file, given as (package, path), as the file `there` writes it."""
    if home[1] == there[1]:
        return text, []
    src = _HEAD + text.encode() + b"\n"
    names = [n for n in nodes.descendants(parse(src).root_node) if nodes.is_type_name(n)]
    wishes = list[ImportWish]()
    out = src
    for node in reversed([n for n in names if n.start_byte >= len(_HEAD)]):
        new, wish = _rename(scope, nodes.text_of(src, node), home, there)
        out = out[: node.start_byte] + new.encode() + out[node.end_byte :]
        wishes += wish
    return out[len(_HEAD) :].decode().strip(), wishes


def list_type_names(text: str) -> set[str]:
    """The bare names among the types of a text."""
    src = _HEAD + text.encode() + b"\n"
    found: list[Node] = list(nodes.descendants(parse(src).root_node))
    return {nodes.text_of(src, n) for n in found if nodes.is_type_name(n)}


def _rename(
    scope: Scope, name: str, home: tuple[str, str], there: tuple[str, str]
) -> tuple[str, list[ImportWish]]:
    qualifier, dot, last = name.rpartition(".")
    if not dot:
        if home[0] == there[0] or scope.find_object(home[0], name) is None:
            return name, []
        path, wanted = home[0], ""
    else:
        found = _imported(scope, home[1], qualifier)
        if found is None:
            return f"{_local_name(scope, there[1], qualifier)}.{last}", []
        path, wanted = found
    if path == there[0]:
        return last, []
    for known in list_imports(scope.tree(there[1]), scope.source(there[1])):
        if known.path == path and known.name not in ("_", "."):
            return f"{known.name or name_of(scope, path)}.{last}", []
    return f"{wanted or name_of(scope, path)}.{last}", [ImportWish(there[1], path, wanted)]


def _local_name(scope: Scope, path: str, qualifier: str) -> str:
    """The name by which a file imports the package that calls itself so; else that name."""
    imports = list_imports(scope.tree(path), scope.source(path))
    if any(known.name == qualifier for known in imports):
        return qualifier
    for known in imports:
        if known.name not in ("", "_", ".") and name_of(scope, known.path) == qualifier:
            return known.name
    return qualifier


def _imported(scope: Scope, file: str, qualifier: str) -> tuple[str, str] | None:
    """The (path, alias) that a file imports under a name."""
    for known in list_imports(scope.tree(file), scope.source(file)):
        if (known.name or name_of(scope, known.path)) == qualifier:
            return known.path, known.name
    return None


def name_of(scope: Scope, path: str) -> str:
    """The name that a package gives itself."""
    package = scope.find_package(path)
    if package is not None:
        return package.name
    name = scope.ask({"kind": "package", "path": path}).get("name")
    return str(name or path.rpartition("/")[2])
