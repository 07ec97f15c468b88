"""The tool table of a workspace: each tool bound to what serves it.

Invariant: a handler only unpacks its request and calls one function of a lower layer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from ago.catalog.help import help_answer
from ago.commit.history import History
from ago.config import Config
from ago.daemon.caller import Caller
from ago.daemon.dispatch import Handler
from ago.daemon.edits import log_answer, show_answer
from ago.daemon.testing import answer_test
from ago.patch.engine import Engine
from ago.patch.undo import undo
from ago.protocol import requests
from ago.protocol.requests import Request
from ago.queries.catalog import QUERIES, answer_kind
from ago.workspace.snapshot import Snapshot
from ago.workspace.workspace import Workspace
from grammar_ops.reject import Json

R = TypeVar("R", bound=Request)
Body = dict[str, Json]

_BY_TEXT = frozenset({"view", "outline", "source", "text", "history", "status"})
"""Queries that speak of files as they are, in whatever build."""


def build_handlers(
    workspace: Workspace, engine: Engine, history: History, config: Config
) -> dict[str, Handler]:
    """Handlers of every tool that is no sugar."""

    def run_query(tool: str) -> Callable[[Request, Caller], Body]:
        query = QUERIES[tool]
        return lambda request, _: workspace.reading(
            lambda s: _said_pending(s, tool, query.answer(s, request))
        )

    def patch(request: requests.Patch, _: Caller) -> Body:
        return engine.run(request).wire()

    def take_back(request: requests.Undo, _: Caller) -> Body:
        return undo(engine, request).wire()

    def log(request: requests.Log, _: Caller) -> Body:
        return log_answer(history, request, config.budget_tokens)

    def show(request: requests.Show, _: Caller) -> Body:
        return show_answer(history, request.edit)

    def test(request: requests.Test, caller: Caller) -> Body:
        return answer_test(workspace, request, caller, config.budget_tokens)

    def ask(request: requests.Query, _: Caller) -> Body:
        return workspace.reading(lambda s: _said_pending(s, request.kind, answer_kind(s, request)))

    return {tool: run_query(tool) for tool in QUERIES if tool in requests.READS} | {
        "help": help_handler(),
        "query": _for(requests.Query, ask),
        "patch": _for(requests.Patch, patch),
        "undo": _for(requests.Undo, take_back),
        "log": _for(requests.Log, log),
        "show": _for(requests.Show, show),
        "test": _for(requests.Test, test),
    }


def _said_pending(snapshot: Snapshot, kind: str, body: Body) -> Body:
    """The answer with the build contexts that may have had more to say, had they been checked."""
    pending = snapshot.reach.pending
    if not pending or kind in _BY_TEXT:
        return body
    return {**body, "contexts_pending": [*sorted(pending)]}


def help_handler() -> Handler:
    """help needs no workspace."""
    return _for(requests.Help, lambda request, _: help_answer(request.name, QUERIES))


def _for(model: type[R], handler: Callable[[R, Caller], Body]) -> Handler:
    """A handler of one request type; dispatch decodes by the same table."""
    return lambda request, caller: handler(cast(R, request), caller)
