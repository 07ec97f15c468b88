"""What the language server answers: one function for each request of the protocol.

Invariant: a handler reads its documents before it waits for anything: the editor goes on typing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from tree_sitter import Node

from ago.daemon.link import Service
from ago.fronts.lsp import actions, reads
from ago.fronts.lsp.actions import Offer
from ago.fronts.lsp.convert import as_strings, path_of, plain_range, position_of, range_of
from ago.fronts.lsp.desk import Body, Desk
from ago.fronts.lsp.documents import Document
from ago.fronts.lsp.refusals import is_refusal, said
from ago.fronts.lsp.server import AgoServer
from grammar_ops.syntax.mentions import find_token_at
from grammar_ops.syntax.parse import parse

RUN, ASK, CALL = "ago.run", "ago.ask", "ago.call"
"""Commands: run an offer; have the client ask its questions and then run it; call any tool."""

TRIED_NAME = "AgoRenamed"
"""Ends the name that a rename is tried with before the user is asked for one."""

_FAILED = types.LSPErrorCodes.RequestFailed.value
_NOTHING = types.WorkspaceEdit(document_changes=[])


def build_server(open_here: Callable[[str], Service]) -> AgoServer:
    """A server with all its features; `open_here` as AgoServer takes it."""
    server = AgoServer(open_here)
    for method, (handler, options) in _FEATURES.items():
        server.feature(method, options)(handler)
    for command, handle in ((RUN, run_offer), (CALL, call_tool)):
        server.command(command)(handle)
    return server


def serve_stdio(open_here: Callable[[str], Service]) -> int:
    """Serve the editor at the other end of stdin and stdout until it goes."""
    server = build_server(open_here)
    try:
        server.start_io()
    finally:
        server.close()
    return 0


def initialize(ls: AgoServer, params: types.InitializeParams) -> None:
    """Learn what the client does by itself."""
    options = params.initialization_options or {}
    given = options if isinstance(options, dict) else {}
    ls.asks, ls.reloads = bool(given.get("asks")), bool(given.get("reloads"))


def initialized(ls: AgoServer, _: types.InitializedParams) -> None:
    """Open the workspaces at once, so that their daemons are ready when they are asked."""
    for folder in ls.workspace.folders.values():
        ls.open_desk(path_of(folder.uri))


def did_open(ls: AgoServer, params: types.DidOpenTextDocumentParams) -> None:
    """A document comes to its desk."""
    item = params.text_document
    if found := ls.find(item.uri):
        desk, path = found
        text = item.text.encode("utf-8", "replace")
        desk.documents[path] = Document.open(path, item.version, text, desk.read(path))


def did_change(ls: AgoServer, params: types.DidChangeTextDocumentParams) -> None:
    """The editor's text is another one; what a refusal said of the old one is void."""
    uri = params.text_document.uri
    found = ls.find(uri)
    if found is None or found[1] not in found[0].documents:
        return
    desk, path = found
    text = ls.workspace.get_text_document(uri).source.encode("utf-8", "replace")
    desk.documents[path].take(text, params.text_document.version)
    ls.publish(desk, ls.board(desk).clear())
    ls.followers[desk.root].typed(desk.documents[path])


def did_save(ls: AgoServer, params: types.DidSaveTextDocumentParams) -> None:
    """The editor has written its text."""
    found = ls.find(params.text_document.uri)
    if found and found[1] in found[0].documents:
        found[0].documents[found[1]].save()


def did_close(ls: AgoServer, params: types.DidCloseTextDocumentParams) -> None:
    """A document leaves its desk; what was not saved of it is gone."""
    if found := ls.find(params.text_document.uri):
        found[0].documents.pop(found[1], None)


async def prepare_rename(
    ls: AgoServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    """The name at the cursor, once a rename of it has been tried without writing anything."""
    found = ls.find(params.text_document.uri)
    if found is None:
        return None
    desk, path = found
    text = desk.text(path)
    token = _token_at(desk, path, params.position)
    if token is None:
        return None
    name = text.data[token.start_byte : token.end_byte].decode()
    sym, at = _address_of(desk, path, token), text.span(token.start_byte, token.end_byte)
    tried: Body = {"sym": sym, "to": name + TRIED_NAME, "dry_run": True}
    body = await ls.ask(desk, "rename", desk.with_overlay("rename", tried))
    if is_refusal(body):
        raise JsonRpcException(said(body), _FAILED)
    return types.PrepareRenamePlaceholder(at, name)


async def rename(ls: AgoServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The name at the cursor becomes another one: on the disk, or as the editor's edit."""
    found = ls.find(params.text_document.uri)
    if found is None:
        return None
    desk, path = found
    token = _token_at(desk, path, params.position)
    if token is None:
        raise JsonRpcException("ago: there is no name here", _FAILED)
    sym = _address_of(desk, path, token)
    at = types.Range(params.position, params.position)
    body, edit = await ls.change(desk, "rename", {"sym": sym, "to": params.new_name}, path, at)
    if is_refusal(body):
        raise JsonRpcException(said(body), _FAILED)
    return edit or _NOTHING


def _token_at(desk: Desk, path: str, position: types.Position) -> Node | None:
    """The name that the cursor is at."""
    text = desk.text(path)
    return find_token_at(parse(text.data), text.offset(position))


def _address_of(desk: Desk, path: str, token: Node) -> str:
    """Where a name of a buffer is for a mutation."""
    if sym := desk.address(path, token.start_byte):
        return sym
    said_so = f"ago: {path} was written anew there, and this buffer does not show it yet"
    raise JsonRpcException(said_so, _FAILED)


async def references(ls: AgoServer, params: types.ReferenceParams) -> list[types.Location] | None:
    """Where the declaration that the name at the cursor means is used."""
    found = ls.find(params.text_document.uri)
    if found is None:
        return None
    desk, path = found
    offset = desk.text(path).offset(params.position)
    wanted = params.context.include_declaration
    return await reads.find_references(desk, path, offset, declaration=wanted)


async def workspace_symbol(
    ls: AgoServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    """Declarations of every open workspace by a fragment of their name."""
    return [hit for desk in ls.desks() for hit in await reads.find_symbols(desk, params.query)]


async def code_action(ls: AgoServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The ops that fit at the cursor; asked for by hand, only those that the gate would accept."""
    found = ls.find(params.text_document.uri)
    if found is None:
        return []
    desk, path = found
    text = desk.text(path)
    uri, at = params.text_document.uri, params.range
    fixes = _fixes(ls, desk, path, uri, at)
    offers = actions.list_offers(path, text.data, text.offset(at.start))
    offers = [offer for offer in offers if offer.is_complete or ls.asks]
    if params.context.trigger_kind == types.CodeActionTriggerKind.Invoked:
        tried = await asyncio.gather(*(_passes(ls, desk, offer) for offer in offers))
        offers = [offer for offer, passes in zip(offers, tried, strict=True) if passes]
    made = [_action(ls, uri, at, offer) for offer in offers]
    wanted = params.context.only
    return [a for a in (*fixes, *made) if wanted is None or _is_wanted(a, wanted)]


async def run_offer(ls: AgoServer, given: Any) -> Body:
    """Run the op of an offer with the answers to its questions."""
    found = ls.find(given["uri"])
    if found is None:
        return {"status": "failed", "message": "the file is in no workspace"}
    desk, path = found
    at = range_of(given["range"])
    tool, args = "patch", given.get("args")
    if args is None:
        args = {"ops": [actions.fill(given, as_strings(given.get("answers") or {}))]}
    else:
        tool = given["tool"]
    return await ls.run(desk, tool, args, path, at)


async def call_tool(ls: AgoServer, given: Any) -> Body:
    """Call a tool on the workspace of a file or folder; `position` makes its `sym`."""
    found = ls.find(given["uri"])
    desk = found[0] if found else ls.open_desk(path_of(given["uri"]))
    if desk is None:
        return {"status": "failed", "message": "there is no Go workspace here"}
    args: Body = dict(given.get("args") or {})
    if found and "position" in given:
        text = desk.text(found[1])
        offset = text.offset(position_of(given["position"]))
        args["sym"] = desk.disk_address(found[1], offset) or found[1]
    body = await ls.ask(desk, given["tool"], args)
    if given["tool"] == "view" and "symbol" in body:
        desk.viewed.add(str(body["symbol"]))
    return body


async def _passes(ls: AgoServer, desk: Desk, offer: Offer) -> bool:
    """Whether an offer that needs no answers would be accepted."""
    if not offer.is_complete:
        return True
    args: Body = {"ops": [actions.fill(offer.wire(), {})], "dry_run": True}
    body = await ls.ask(desk, "patch", desk.with_overlay("patch", args))
    return not is_refusal(body)


def _action(ls: AgoServer, uri: str, at: types.Range, offer: Offer) -> types.CodeAction:
    title = f"{offer.title} (ago)"
    asked = offer.questions and ls.asks
    payload = {"uri": uri, "range": plain_range(at), **offer.wire()}
    command = types.Command(title, ASK if asked else RUN, arguments=[payload])
    return types.CodeAction(title, kind=offer.kind, command=command)


def _fixes(
    ls: AgoServer, desk: Desk, path: str, uri: str, at: types.Range
) -> list[types.CodeAction]:
    """The repairs of the refusal that is shown there."""
    board = ls.board(desk)
    if not board.covers(path, at):
        return []
    out = []
    for repair in board.repairs:
        title = f"{repair.get('why')} (ago)"
        call = repair["call"]
        assert isinstance(call, dict)
        payload = {"uri": uri, "range": plain_range(at), **call}
        command = types.Command(title, RUN, arguments=[payload])
        out.append(types.CodeAction(title, kind="quickfix", command=command))
    return out


def _is_wanted(action: types.CodeAction, kinds: Any) -> bool:
    own = str(getattr(action.kind, "value", action.kind))
    wanted = [str(getattr(kind, "value", kind)) for kind in kinds]
    return any(own == kind or own.startswith(f"{kind}.") or not kind for kind in wanted)


_FEATURES: dict[str, tuple[Callable[..., Any], Any]] = {
    types.INITIALIZE: (initialize, None),
    types.INITIALIZED: (initialized, None),
    types.TEXT_DOCUMENT_DID_OPEN: (did_open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (did_change, None),
    types.TEXT_DOCUMENT_DID_SAVE: (did_save, types.SaveOptions(include_text=False)),
    types.TEXT_DOCUMENT_DID_CLOSE: (did_close, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (prepare_rename, None),
    types.TEXT_DOCUMENT_RENAME: (rename, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_REFERENCES: (references, None),
    types.WORKSPACE_SYMBOL: (workspace_symbol, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        code_action,
        types.CodeActionOptions(code_action_kinds=["quickfix", actions.REWRITE, actions.MOVE]),
    ),
}
