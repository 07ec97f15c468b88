"""Entry and composition root: the layers put together as a session, a command, a daemon.

Invariant: the only module that knows every layer; what a lower one calls above it comes from here.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from ago.commit.history import History
from ago.commit.recover import Recovered, recover
from ago.config import Config, cache_home, load_config, state_home
from ago.daemon import place
from ago.daemon.caller import Answer, Caller
from ago.daemon.channel import Channel
from ago.daemon.client import scan
from ago.daemon.dispatch import Dispatcher
from ago.daemon.feed import Feed, Tell
from ago.daemon.handlers import build_handlers, help_handler
from ago.daemon.memory import resident_mb
from ago.daemon.neighbours import Neighbours
from ago.daemon.progress import Progress
from ago.daemon.requestlog import WHOLE, RequestLog
from ago.daemon.spawn import stop_daemon
from ago.daemon.terminal import Terminal, local_terminal
from ago.fronts.cli.app import run_cli
from ago.fronts.cli.shell import Backend
from ago.fronts.mcp.calls import Calls
from ago.fronts.resident import no_workspace, run_daemon
from ago.patch.engine import Engine
from ago.patch.note import renamed_to
from ago.patch.propose import Proposed, propose
from ago.protocol.errors import AgoError
from ago.protocol.responses import failed
from ago.repair.catalog import build_repairs
from ago.workspace.roots import make_folder, root_hash
from ago.workspace.snapshot import Past
from ago.workspace.workspace import Workspace
from grammar_ops.reject import Json, Reject, Repair

log = logging.getLogger(__name__)


def main(argv: list[str]) -> int:
    """Run a command line in this process and return its exit code."""
    if argv[:1] == ["dev"]:
        # Tooling of the project itself, with dependencies of its own.
        from ago.dev.command import dev

        dev(argv[1:], prog_name="ago dev")
    # What goes wrong is in the response; a daemon keeps a log as well.
    logging.basicConfig(handlers=[logging.NullHandler()])
    terminal = local_terminal()
    root = find_root(Path(terminal.cwd, scan(argv)[0]))
    host = Host(root, os.environ)
    try:
        return host.run(argv, terminal)
    finally:
        host.close()


def open_session(
    root: Path,
    *,
    cache_dir: Path | None = None,
    state_dir: Path | None = None,
    config: Config | None = None,
    env: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    feed: Feed | None = None,
) -> Session:
    """A session on the workspace with that root folder; raises AgoError (no Go, bad config)."""
    env = os.environ if env is None else env
    return Session(
        root.resolve(),
        cache_dir or cache_home(env),
        state_dir or state_home(env) / root_hash(root),
        config or load_config(root, env),
        env,
        progress or Progress(),
        feed or Feed(),
    )


class Session:
    """One workspace, ready to be asked. Any thread may call."""

    def __init__(
        self,
        root: Path,
        cache_dir: Path,
        state_dir: Path,
        config: Config,
        env: Mapping[str, str],
        progress: Progress,
        feed: Feed,
    ) -> None:
        """Open the history, take back what a crash left half done; nothing is loaded yet."""
        self.config = config
        make_folder(state_dir, "XDG_STATE_HOME")
        history = History(state_dir, config.history_mb)
        self._recovered = recover(root, history)
        self.workspace = Workspace(
            root, config, cache_dir, state_dir, env=env, progress=progress,
            past=Past(partial(renamed_to, history), history.texts_after), tell=feed,
        )  # fmt: skip
        self.engine = Engine(self.workspace, history, config)
        self._requests = RequestLog(state_dir)
        handlers = build_handlers(self.workspace, self.engine, history, config)
        self._dispatcher = Dispatcher(
            handlers, self._repairs, config.budget_tokens, self._take_notices, history.find_key
        )

    def call(self, tool: str, args: dict[str, Json]) -> dict[str, Json]:
        """The response to a tool call; never raises."""
        return self.answer(tool, args, Caller()).body

    def answer(self, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
        """The response to a caller's tool call with its exit code; never raises."""
        begun = time.perf_counter()
        answer = self._dispatcher.answer(tool, args, caller)
        took = (time.perf_counter() - begun) * 1000
        whole = caller.env.get(WHOLE) or os.environ.get(WHOLE, "")
        self._requests.note(tool, args, answer.body, took, whole)
        return answer

    def flush(self) -> None:
        """Write what is still to be logged."""
        self._requests.flush()

    def propose(self, texts: Mapping[str, bytes | None], *, whole: bool = False) -> Proposed:
        """What texts of files would bring, were they written; AgoError where nobody can say."""
        return propose(self.engine, texts, whole=whole)

    def refresh(self) -> None:
        """Take in what was edited outside."""
        self.workspace.reading(lambda snapshot: None)

    def close(self) -> None:
        """End what runs behind the answers, the checker included."""
        self.engine.close()
        self.workspace.close()
        self._requests.close()

    def _repairs(self, reject: Reject, tool: str, args: dict[str, Json]) -> tuple[Repair, ...]:
        budget_s = self.config.repair_ms / 1000
        return build_repairs(reject, tool, args, self._dispatcher.try_out, budget_s)

    def _take_notices(self) -> list[Json]:
        """What happened behind the answers and was not told yet."""
        recovered, self._recovered = self._recovered, []
        news = self.engine.confirmer.take_news()
        return [*map(_recovery_notice, recovered), *map(_contradiction_notice, news)]


def _contradiction_notice(news: tuple[int, str]) -> Json:
    edit, detail = news
    return {
        "msg": f"the go command contradicts edit {edit}: {detail}",
        "call": {"tool": "undo", "args": {"edit": edit}},
    }


def _recovery_notice(recovered: Recovered) -> Json:
    if recovered.edit:
        return {"msg": f"an edit that a crash interrupted was finished as edit {recovered.edit}"}
    foreign = ", ".join(recovered.foreign)
    return {"msg": f"an edit that a crash interrupted was taken back; not touched: {foreign}"}


class Host:
    """Runs command lines and calls on one root, opening its session when one needs it."""

    def __init__(self, root: Path | None, env: Mapping[str, str]) -> None:
        """`root` is None outside of any workspace: what needs none still works."""
        self._root, self._env = root, env
        self._progress, self._feed = Progress(), Feed()
        self._session: Session | None = None
        self._opening = threading.Lock()
        self._neighbours = Neighbours(root, self.answer, self._open_beside)
        self._beside: list[Host] = []
        self._static = Dispatcher(
            {"help": help_handler()},
            lambda reject, tool, args: build_repairs(reject, tool, args, self._static.try_out),
            Config().budget_tokens,
        )

    def run(self, argv: list[str], terminal: Terminal) -> int:
        """Run a command line and return its exit code."""
        backend = Backend(
            root=self._root,
            answer=self.answer,
            serve=lambda folder: run_daemon(find_root(folder), self._env, Host),
            stop=lambda folder: stop_daemon(str(find_root(folder) or folder), self._env),
            doctor=self._doctor,
            state=self._state,
            propose=lambda texts, whole: self._open().propose(texts, whole=whole),
            refresh=lambda: self._open().refresh(),
            init=self._init,
            install_skill=self._install_skill,
            print_skill=_print_skill,
            talk=self.talk,
            serve_editor=lambda: serve_editor(self._env),
        )
        return run_cli(argv, terminal, backend)

    def _state(self) -> Path | None:
        """The folder of the workspace's history and logs, with everything written."""
        if self._session:
            self._session.flush()
        return state_home(self._env) / root_hash(self._root) if self._root else None

    def _doctor(self, caller: Caller, download: bool) -> dict[str, Json]:
        from ago.scaffold import doctor  # what sets ago up has no part in its work

        return doctor.examine(self._root, caller.env, download)

    def _install_skill(
        self, folder: Path, names: Sequence[str], *, project: bool
    ) -> dict[str, Json]:
        from ago.scaffold import skill

        return skill.install(folder, names, project=project, env=self._env)

    def _init(self, folder: Path, **wish: Any) -> dict[str, Json]:
        from ago.scaffold.ahead import build_ahead
        from ago.scaffold.init import Wish, init

        asked = Wish(**wish)
        if not asked.dry_run and not asked.remove:
            build_ahead(self._env)
        return init(folder, find_root(folder), asked, self._env)

    def call(self, tool: str, args: dict[str, Json]) -> dict[str, Json]:
        """The response to a tool call."""
        return self.answer(tool, args, Caller()).body

    async def talk(self, channel: Channel, pool: Executor) -> None:
        """Hold a conversation in the Model Context Protocol, the only one of this process."""
        # The SDK takes half a second to load: only who speaks the protocol waits for it.
        from ago.fronts.mcp.server import converse

        await converse(channel, pool, self._neighbours, Calls())

    def answer(self, tool: str, args: dict[str, Json], caller: Caller) -> Answer:
        """The response to a tool call with its exit code; also where no session can be had."""
        if tool == "help":
            return self._static.answer(tool, args, caller)
        with self._progress.listening(caller.hear):
            try:
                session = self._open()
            except AgoError as error:
                return Answer(failed(error).wire(), error.exit_code)
            return session.answer(tool, args, caller)

    def answer_for(
        self, root: Path | None, tool: str, args: dict[str, Json], caller: Caller
    ) -> Answer:
        """The answer of the workspace at `root`, None being this one."""
        return self._neighbours.answer(root, tool, args, caller)

    def follow(self, tell: Tell) -> None:
        """Tell `tell` what happens to the workspace from now on."""
        with self._opening:
            self._feed.add(tell)
        try:
            session = self._open()
        except AgoError as error:
            log.warning("only accepted edits are followed: %s", error)
            return
        with self._opening:
            session.workspace.attention.start()

    def unfollow(self, tell: Tell) -> None:
        """Tell `tell` nothing any more."""
        with self._opening:
            if not self._feed.remove(tell) and self._session:
                self._session.workspace.attention.stop()

    def warm(self, ended: Callable[[], bool]) -> None:
        """Get ready for edits while nobody waits, until it is done or `ended`."""
        if self._session:
            try:
                self._session.workspace.warm(ended)
            except AgoError as error:
                log.warning("not ready for edits: %s", error)
        if not ended():
            # An MCP client starts with its editor, and waits for the list of tools.
            import ago.fronts.mcp.server  # noqa: F401

    def tend(self) -> bool:
        """Hold the memory cap; False when this process itself is over it."""
        session = self._session
        if session is None:
            return True
        cap = session.config.memory_mb
        own = resident_mb()
        session.workspace.resident.trim(max(1, cap - own))
        return own < cap

    def close(self) -> None:
        """Close the sessions that were opened."""
        if self._session:
            self._session.close()
        for host in self._beside:
            host.close()

    def _open_beside(self, root: Path) -> Callable[[str, dict[str, Json], Caller], Answer]:
        """Serve another root in this process."""
        host = Host(root, self._env)
        self._beside.append(host)
        return host.answer

    def _open(self) -> Session:
        if self._root is None:
            raise no_workspace()
        with self._opening:
            if self._session is None:
                self._session = open_session(
                    self._root, env=self._env, progress=self._progress, feed=self._feed
                )
            return self._session


def _print_skill() -> dict[str, Json]:
    from ago.scaffold import skill

    return skill.show()


def serve_editor(env: Mapping[str, str]) -> int:
    """Serve the editor that started this process until it goes."""
    from ago.fronts.lsp.features import serve_stdio  # pygls: nothing else needs it

    return serve_stdio(lambda root: Host(Path(root), env))


def find_root(folder: Path) -> Path | None:
    """The workspace root for `folder`, None outside of any."""
    found = place.find_root(str(folder), os.environ.get("GOWORK", ""))
    return Path(found) if found else None
