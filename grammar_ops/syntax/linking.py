"""The linker: `-X path.name=value` in a build recipe sets a string variable by its name.

Invariant: the linker passes over a name that is not there, so that the build goes on without the
value; recipes are told of, never changed.
"""

from __future__ import annotations

import re
from dataclasses import replace

from grammar_ops.reject import Finding
from grammar_ops.scope import Scope
from grammar_ops.syntax.decls import Decl, find_package_name
from grammar_ops.syntax.findings import LIMIT, point_at

_FLAG = b"-X"


def warn_of_linker(scope: Scope, pkg: str, decl: Decl, now: str) -> tuple[Finding, ...]:
    """The recipes that set a package-level variable which is `now` afterwards."""
    if decl.kind != "var":
        return ()
    clause = find_package_name(scope.tree(decl.path), scope.source(decl.path))
    # The linker knows a command by its name, any other package by its path.
    last = "main" if clause == "main" else pkg.rpartition("/")[2]
    found = []
    # A path may be put together of variables, as in $(MODULE)/build.Version.
    name = rf"-X[ =]+[\"']?\S*?(?:(?<![\w.-]){re.escape(last)}|[)}}]|\$\w+)\.({decl.name})="
    for path, text in scope.recipes():
        for match in re.finditer(name.encode(), text) if _FLAG in text else ():
            said = f"sets {last}.{decl.name}, which is {now}: the linker passes over unknown names"
            found.append(replace(point_at(text, path, match.start(1), said), code="linker_name"))
    return tuple(found[:LIMIT])
