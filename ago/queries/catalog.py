"""The query catalog: every module of this folder that declares REQUEST and `answer`, by its name.

Invariant: adding a query is adding a file; nothing lists them a second time.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ago import queries
from ago.protocol import requests
from ago.protocol.requests import Request
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject, register

register("queries", {"unknown_query_kind": "there is no query of that kind"})


@dataclass(frozen=True)
class Query:
    """One kind of question."""

    kind: str
    summary: str
    request: type[Request]
    example: Mapping[str, Json]
    """Arguments of a question of this kind about testdata/demo."""
    # Each query takes its own request class; the table cannot say so.
    answer: Callable[[Snapshot, Any], dict[str, Json]]

    @property
    def answered(self) -> str:
        """What an answer holds, in a sentence or two."""
        return " ".join((self.answer.__doc__ or "").split())


def answer_kind(snapshot: Snapshot, request: requests.Query) -> dict[str, Json]:
    """Answer a question by its kind; Reject(unknown_query_kind) with the kinds there are."""
    query = QUERIES.get(request.kind.replace("-", "_"))
    if query is None:
        near = get_close_matches(request.kind, QUERIES, n=3, cutoff=0.5) or list(QUERIES)
        detail = f"{request.kind or 'no kind'}; kinds are {', '.join(QUERIES)}"
        raise Reject("unknown_query_kind", detail, did_you_mean=tuple(near))
    given = request.model_dump(exclude={"kind"})
    given["q"] = given["q"] or given["sym"]
    fields = query.request.model_fields
    return query.answer(
        snapshot, query.request(**{key: given[key] for key in fields if key in given})
    )


def _walk() -> Mapping[str, Query]:
    found = {}
    for info in sorted(pkgutil.iter_modules(queries.__path__), key=lambda m: m.name):
        if info.name == "catalog":
            continue
        module = importlib.import_module(f"{queries.__name__}.{info.name}")
        if hasattr(module, "REQUEST"):
            summary = (module.__doc__ or "").partition("\n")[0]
            found[info.name] = Query(
                info.name, summary, module.REQUEST, module.EXAMPLE, module.answer
            )
    return found


QUERIES: Mapping[str, Query] = _walk()
