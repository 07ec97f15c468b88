"""The language server of one editor: a desk for each workspace, mutations, and their refusals.

Invariant: a thin front: every question and edit goes through the tools that the CLI calls.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import ago
from ago.daemon import place
from ago.daemon.link import Link, Service
from ago.fronts.lsp.convert import path_of, uri_of
from ago.fronts.lsp.desk import Body, Desk
from ago.fronts.lsp.follow import Follower
from ago.fronts.lsp.refusals import Board, is_refusal, said

_TRIES = 3


class AgoServer(LanguageServer):
    """One editor; everything runs on its event loop but the calls of tools."""

    def __init__(self, open_here: Callable[[str], Service]) -> None:
        """`open_here` serves a root in this process, where no daemon can be had."""
        super().__init__("ago", ago.__version__)
        self._open_here = open_here
        self._desks: dict[str, Desk] = {}
        self._boards: dict[str, Board] = {}
        self.followers: dict[str, Follower] = {}
        self.asks = self.reloads = False
        """Whether the client asks an offer's questions, and reloads unchanged files by itself."""

    def find(self, uri: str) -> tuple[Desk, str] | None:
        """The desk of a file and its path there; None outside of any workspace."""
        path = path_of(uri)
        desk = self.open_desk(str(Path(path).parent)) if path else None
        return (desk, desk.relative(path)) if desk else None

    def open_desk(self, folder: str) -> Desk | None:
        """The desk of the workspace around a folder, followed from now on; None without one."""
        root = place.find_root(folder, os.environ.get("GOWORK", ""))
        if root and root not in self._desks:
            link = Link(root, lambda: self._open_here(root))
            desk = self._desks[root] = Desk(root, link, self._encoding())
            self._boards[root] = Board()
            self.followers[root] = Follower(self, desk)
            self.followers[root].start()
        return self._desks.get(root)

    def desks(self) -> list[Desk]:
        """Every workspace that is open."""
        return list(self._desks.values())

    def board(self, desk: Desk) -> Board:
        """What is shown of the workspace's last refusal."""
        return self._boards[desk.root]

    async def change(
        self, desk: Desk, tool: str, args: Body, path: str, at: types.Range
    ) -> tuple[Body, types.WorkspaceEdit | None]:
        """The response to a mutation, and the edit that is the editor's to make."""
        body = await self.ask(desk, tool, desk.with_overlay(tool, args))
        board = self.board(desk)
        if is_refusal(body):
            self.publish(desk, board.put(desk, body, path, at))
            return body, None
        self.publish(desk, board.clear())
        return body, desk.workspace_edit(body) if "edits" in body else None

    async def run(self, desk: Desk, tool: str, args: Body, path: str, at: types.Range) -> Body:
        """A mutation by command: the editor is sent its edit, or told why there is none."""
        body: Body = {}
        for _ in range(_TRIES):
            body, edit = await self.change(desk, tool, args, path, at)
            if edit is None:
                break
            params = types.ApplyWorkspaceEditParams(edit, label=f"ago {tool}")
            if (await self.workspace_apply_edit_async(params)).applied:
                return body
            # The text was typed in meanwhile: the edit is planned again, on what it is now.
            message = "the editor did not make the edit"
            body = {"status": "failed", "key": "not_applied", "message": message}
        if is_refusal(body):
            shown = types.ShowMessageParams(types.MessageType.Warning, said(body))
            self.window_show_message(shown)
        return body

    async def ask(self, desk: Desk, tool: str, args: Body) -> Body:
        """The response to any tool call; what it has to tell beside its own is shown."""
        body = await asyncio.to_thread(desk.link.call, tool, args)
        notices = body.get("notices", [])
        for notice in notices if isinstance(notices, list) else ():
            text = str(notice.get("msg") if isinstance(notice, dict) else notice)
            params = types.ShowMessageParams(types.MessageType.Info, f"ago: {text}")
            self.window_show_message(params)
        return body

    def publish(self, desk: Desk, paths: set[str]) -> None:
        """Send the diagnostics of some files as they are now."""
        shown = self.board(desk).shown
        for path in sorted(paths):
            params = types.PublishDiagnosticsParams(uri_of(desk.root, path), shown.get(path, []))
            self.text_document_publish_diagnostics(params)

    def close(self) -> None:
        """Follow nothing any more."""
        for desk in self._desks.values():
            desk.link.close()

    def _encoding(self) -> str:
        found = self.workspace.position_encoding
        return str(getattr(found, "value", found) or types.PositionEncodingKind.Utf16.value)
