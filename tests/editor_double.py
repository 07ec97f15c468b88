"""An editor for tests: buffers over a real `ago lsp`, as an editor has them, without a screen."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Union

from dirs import Dirs
from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

from ago.fronts.lsp.convert import Text, path_of

AGO = Path(sys.executable).with_name("ago")
WAIT_S = 60.0


def converter() -> Any:
    """The types of the protocol; lsprotocol takes a code action that has a command for one."""
    found = default_converter()

    def read(value: Any, _: Any) -> Any:
        kind = types.Command if isinstance(value.get("command"), str) else types.CodeAction
        return found.structure(value, kind)

    found.register_structure_hook(types.Command | types.CodeAction, read)
    found.register_structure_hook(Union[types.Command, types.CodeAction], read)  # noqa: UP007
    return found


class Buffer:
    """The text of one open file, and whether it was typed in since it was read or written."""

    def __init__(self, text: str) -> None:
        self.text, self.version, self.modified = text, 1, False


@contextmanager
def editor_on(root: Path, dirs: Dirs, folder: Path) -> Iterator[Editor]:
    """An editor on a module whose daemon has its socket and its state below `folder`."""
    (folder / "run").mkdir(mode=0o700)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AGO_")}
    env = {**kept, **dirs.env(), "XDG_RUNTIME_DIR": str(folder / "run")}
    env["XDG_STATE_HOME"] = str(folder / "state")
    editor = Editor(root, env)
    yield editor
    editor.stop()
    subprocess.run([AGO, "daemon", "stop"], cwd=root, env=env, capture_output=True, check=True)


class Editor:
    """Opens, types, saves; makes the edits that it is sent; reloads unchanged files when told."""

    def __init__(self, root: Path, env: Mapping[str, str], *, reloads: bool = True) -> None:
        self.root, self.env, self._reloads = root, dict(env), reloads
        self.buffers: dict[str, Buffer] = {}
        self.diagnostics: dict[str, list[types.Diagnostic]] = {}
        self.refreshes: list[tuple[int, list[str]]] = []
        self.messages: list[str] = []
        self._news = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.client = LanguageClient("test-editor", "1", converter_factory=converter)
        self._listen()
        self.capabilities = self.wait(self._start()).capabilities

    def wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        """The result of some work on the editor's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    def until(self, holds: Callable[[], object], seconds: float = 20.0) -> None:
        """Wait for something that a message of the server brings about."""
        with self._news:
            assert self._news.wait_for(holds, seconds), "it did not come"

    def open(self, path: str) -> Buffer:
        """Open a file, or find it open."""
        if path not in self.buffers:
            buffer = self.buffers[path] = Buffer((self.root / path).read_bytes().decode())
            item = types.TextDocumentItem(self.uri(path), "go", buffer.version, buffer.text)
            params = types.DidOpenTextDocumentParams(item)
            self._post(lambda: self.client.text_document_did_open(params))
        return self.buffers[path]

    def type(self, path: str, text: str) -> None:
        """Have the buffer of a file hold another text, unsaved."""
        self.open(path).modified = True
        self._post(lambda: self._set(path, text))

    def save(self, path: str) -> None:
        """Write a buffer."""
        (self.root / path).write_bytes(self.buffers[path].text.encode())
        self.buffers[path].modified = False
        params = types.DidSaveTextDocumentParams(self.doc(path))
        self._post(lambda: self.client.text_document_did_save(params))

    def close_all(self) -> None:
        """Close every file without saving."""
        for path in list(self.buffers):
            del self.buffers[path]
            params = types.DidCloseTextDocumentParams(self.doc(path))
            self._post(lambda params=params: self.client.text_document_did_close(params))

    def uri(self, path: str) -> str:
        """The URI of a file."""
        return (self.root / path).as_uri()

    def doc(self, path: str) -> types.TextDocumentIdentifier:
        """A file as requests name it."""
        return types.TextDocumentIdentifier(self.uri(path))

    def at(self, path: str, needle: str, inside: int = 0) -> types.Position:
        """The position of a text in a buffer."""
        text = Text(self.open(path).text.encode())
        return text.position(text.data.index(needle.encode()) + inside)

    def rename(self, path: str, needle: str, to: str) -> types.WorkspaceEdit:
        """Rename what stands at a text, as the rename command of an editor does."""
        position = self.at(path, needle)
        params = types.RenameParams(self.doc(path), position, to)
        edit: types.WorkspaceEdit = self.wait(self.client.text_document_rename_async(params))
        assert self._apply(edit)
        return edit

    def actions(self, path: str, needle: str, inside: int = 0) -> dict[str, types.CodeAction]:
        """The code actions at a text, by title."""
        here = self.at(path, needle, inside)
        context = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Invoked)
        params = types.CodeActionParams(self.doc(path), types.Range(here, here), context)
        found = self.wait(self.client.text_document_code_action_async(params))
        return {action.title: action for action in found}

    def choose(self, action: types.CodeAction, **answers: str) -> Any:
        """Choose a code action, answering its questions; the response of the tool."""
        assert action.command and action.command.arguments
        payload = {**action.command.arguments[0], "answers": answers}
        return self.command("ago.run", payload)

    def command(self, name: str, payload: Mapping[str, Any]) -> Any:
        """The result of a command of the server."""
        params = types.ExecuteCommandParams(name, [dict(payload)])
        return self.wait(self.client.workspace_execute_command_async(params))

    def stop(self) -> None:
        """Leave as an editor does."""
        self.wait(self.client.shutdown_async(None))
        self._post(lambda: self.client.exit(None))
        self.wait(self.client.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def cli(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """An agent's command in the same workspace."""
        return subprocess.run(
            [AGO, *argv], cwd=self.root, env=self.env, text=True, capture_output=True,
            timeout=120, check=False,
        )  # fmt: skip

    async def _start(self) -> types.InitializeResult:
        await self.client.start_io(str(AGO), "lsp", env=self.env, cwd=str(self.root))
        folder = types.WorkspaceFolder(self.root.as_uri(), "m")
        options = {"asks": True, "reloads": self._reloads}
        params = types.InitializeParams(
            types.ClientCapabilities(), workspace_folders=[folder], initialization_options=options
        )
        result = await self.client.initialize_async(params)
        self.client.initialized(types.InitializedParams())
        return result

    def _post(self, work: Callable[[], object]) -> None:
        async def run() -> None:
            work()

        self.wait(run())

    def _listen(self) -> None:
        client = self.client

        @client.feature("ago/refresh")
        def refresh(params: Any) -> None:
            self._refresh(int(params.edit), [path_of(uri) for uri in params.files])

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            with self._news:
                path = Path(path_of(params.uri)).relative_to(self.root).as_posix()
                self.diagnostics[path] = list(params.diagnostics)
                self._news.notify_all()

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def show(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            return types.ApplyWorkspaceEditResult(self._apply(params.edit))

    def _refresh(self, edit: int, paths: list[str]) -> None:
        for path in paths:
            name = Path(path).relative_to(self.root).as_posix()
            buffer = self.buffers.get(name)
            if self._reloads and buffer and not buffer.modified and Path(path).exists():
                self._set(name, Path(path).read_bytes().decode())
        with self._news:
            names = [Path(path).relative_to(self.root).as_posix() for path in paths]
            self.refreshes.append((edit, names))
            self._news.notify_all()

    def _apply(self, edit: types.WorkspaceEdit) -> bool:
        """Make an edit whole, or not at all when a buffer has moved on."""
        changes = edit.document_changes or ()
        edited = [one for one in changes if isinstance(one, types.TextDocumentEdit)]
        for one in edited:
            buffer = self.buffers.get(self._name(one.text_document.uri))
            if buffer and one.text_document.version not in (None, buffer.version):
                return False
        for change in changes:
            if isinstance(change, types.CreateFile):
                Path(path_of(change.uri)).write_text("")
            elif isinstance(change, types.TextDocumentEdit):
                self._edit(self._name(change.text_document.uri), change.edits)
            elif isinstance(change, types.DeleteFile):
                Path(path_of(change.uri)).unlink()
        return True

    def _edit(self, name: str, edits: Sequence[Any]) -> None:
        buffer = self.buffers.get(name)
        data = Text(buffer.text.encode() if buffer else (self.root / name).read_bytes())
        out = data.data
        for row in sorted(edits, key=lambda e: data.offset(e.range.start), reverse=True):
            start, end = data.offset(row.range.start), data.offset(row.range.end)
            out = out[:start] + row.new_text.encode() + out[end:]
        if buffer is None:
            (self.root / name).write_bytes(out)
            return
        buffer.modified = True
        if threading.current_thread() is self._thread:
            self._set(name, out.decode())
        else:
            self._post(lambda: self._set(name, out.decode()))

    def _name(self, uri: str) -> str:
        return Path(path_of(uri)).relative_to(self.root).as_posix()

    def _set(self, path: str, text: str) -> None:
        buffer = self.buffers[path]
        if buffer.text == text:
            return
        with self._news:
            buffer.text, buffer.version = text, buffer.version + 1
            self._news.notify_all()
        changed = types.TextDocumentContentChangeWholeDocument(text)
        document = types.VersionedTextDocumentIdentifier(buffer.version, self.uri(path))
        params = types.DidChangeTextDocumentParams(document, [changed])
        self.client.text_document_did_change(params)
