"""Fixtures: files that tests read from the folder of their package, where go test runs them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from grammar_ops.edit import Span
from grammar_ops.reject import Finding
from grammar_ops.scope import Scope
from grammar_ops.syntax import nodes
from grammar_ops.syntax.findings import LIMIT, point_at

_FIXTURE = re.compile(r"[\"`](?:\.{1,2}/)*testdata(?:[/\"`].*|)\Z", re.DOTALL)


def list_left(scope: Scope, texts: Iterable[tuple[str, Span, str]]) -> list[Finding]:
    """The paths of fixtures in tests on their way, each (file, range, new file), that lead nowhere
    or elsewhere from another folder."""
    found = [finding for text in texts for finding in _left_by(scope, *text)]
    return found[:LIMIT]


def _left_by(scope: Scope, path: str, span: Span, to: str) -> Iterator[Finding]:
    folder, new = path.rpartition("/")[0], to.rpartition("/")[0]
    if folder == new or not path.endswith("_test.go"):
        return
    src = scope.source(path)
    for node in nodes.descendants(scope.tree(path).root_node):
        if node.type in nodes.STRINGS and span.contains(nodes.span_of(node)):
            text = nodes.text_of(src, node)
            if _FIXTURE.match(text):
                told = f"{text} is read from {folder or '.'}, and stays there"
                at = point_at(src, path, node.start_byte, told)
                yield replace(at, code="reads_folder")
