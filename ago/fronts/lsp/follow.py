"""Following: what agents and others do to a workspace, brought into the documents of an editor.

Invariant: what was typed stays; a document that can't take a change in without touching that is
left as it is, and its places are shown.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ago.fronts.lsp.convert import as_rows, uri_of
from ago.fronts.lsp.desk import Body, Desk
from ago.fronts.lsp.documents import Document, apply_edits
from ago.fronts.lsp.refusals import conflict
from ago.stages import symbol_after

if TYPE_CHECKING:
    from ago.fronts.lsp.server import AgoServer

REFRESH = "ago/refresh"
"""{root, edit, files, symbols}: URIs that hold something else now, the edit's number (0: by others)
and what symbols whose views the editor has asked for are called now."""

ARRIVAL_S = 2.0
"""How long an editor may take to make an edit that it was sent."""
RELOAD_S = 0.3
"""How long an editor may take to reload a file in steps: until then its text is neither."""
_TRIES = 3


class Follower:
    """Keeps the documents of one desk up with the disk."""

    def __init__(self, server: AgoServer, desk: Desk) -> None:
        self._server, self._desk = server, desk
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._typed = asyncio.Event()
        self._late: set[str] = set()
        self._merging = asyncio.Lock()

    def start(self) -> None:
        """Follow from now on, until the desk's link is closed."""

        def tell(event: Body) -> None:
            self._loop.call_soon_threadsafe(lambda: self._begin(self._happened(event)))

        work = self._desk.link.follow
        threading.Thread(target=work, args=(tell, lambda: tell({})), daemon=True).start()

    def typed(self, document: Document) -> None:
        """A document has changed: whoever waits for that may look.

        What was typed while the disk changed is only known now: the editor will not reload it.
        """
        self._typed.set()
        self._typed = asyncio.Event()
        if document.is_behind and document.is_unsaved and document.path not in self._late:
            self._late.add(document.path)
            self._begin(self._catch_up(document))

    async def _catch_up(self, document: Document) -> None:
        await asyncio.sleep(RELOAD_S)
        self._late.discard(document.path)
        async with self._merging:
            if self._desk.documents.get(document.path) is document:
                await self._bring(document)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _happened(self, event: Body) -> None:
        """Tell the editor, and bring up what it has open; {} stands for whatever was missed."""
        desk = self._desk
        files = event.get("files", [*desk.documents])
        paths = {str(path) for path in files} if isinstance(files, list) else set()
        documents = [document for path, document in desk.documents.items() if path in paths]
        for document in documents:
            document.look(desk.read(document.path))
        uris: Body = {"files": [uri_of(desk.root, path) for path in sorted(paths)]}
        note = {"root": uri_of(desk.root, ""), "edit": event.get("edit", 0), **uris}
        note["symbols"] = self._renamed(event)
        self._server.protocol.notify(REFRESH, note)
        async with self._merging:
            for document in documents:
                await self._bring(document)

    def _renamed(self, event: Body) -> Body:
        """The viewed symbols that an edit calls otherwise, by their old names."""
        renames, moves = as_rows(event.get("renames", [])), as_rows(event.get("moves", []))
        viewed = self._desk.viewed
        now = {symbol: symbol_after(renames, moves, symbol) for symbol in viewed}
        viewed.update(now.values())
        return {old: new for old, new in now.items() if old != new}

    async def _bring(self, document: Document) -> None:
        """Have the editor take in what the disk has got, between what was typed."""
        for _ in range(_TRIES):
            reloads = self._server.reloads and not document.is_unsaved
            if not document.is_behind or reloads:
                return
            merge = document.merge()
            if merge.conflicts:
                self._show(document, merge.conflicts)
                return
            expected = apply_edits(document.text, merge.edits)
            edit = self._desk.merge_edit(document, merge.edits)
            params = types.ApplyWorkspaceEditParams(edit, label="ago: edited elsewhere")
            answer = await self._server.workspace_apply_edit_async(params)
            if answer.applied and await self._arrived(document, expected):
                return

    async def _arrived(self, document: Document, expected: bytes) -> bool:
        """Whether the document comes to hold the edit that its editor was sent."""
        until = self._loop.time() + ARRIVAL_S
        while document.text != expected and not document.settle():
            left = until - self._loop.time()
            try:
                await asyncio.wait_for(self._typed.wait(), max(left, 0))
            except TimeoutError:
                return False
        document.settle()
        return True

    def _show(self, document: Document, places: list[int]) -> None:
        text = self._desk.text(document.path)
        board = self._server.board(self._desk)
        board.add(document.path, [conflict(text.span(at, at)) for at in places])
        self._server.publish(self._desk, {document.path})
