"""The daemon's life: one for a root, found or started, replaced, stopped, nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from dirs import Dirs
from shells import Shell, processes, shell_in_demo, wait_for

import ago
from ago import wire
from ago.daemon import neighbours, place
from ago.daemon.caller import Answer, Caller
from ago.daemon.clients import open_caller, read_frame
from ago.daemon.identity import code_stamp, parse_version
from ago.daemon.neighbours import Neighbours
from ago.protocol.errors import Busy

pytestmark = pytest.mark.daemon


@pytest.fixture
def shell(ago_dirs: Dirs) -> Iterator[Shell]:
    with shell_in_demo(ago_dirs.cache) as shell:
        yield shell


def test_one_daemon_serves_the_whole_root_and_leaves_nothing(shell: Shell) -> None:
    assert shell.ago("status").returncode == 0
    first = shell.daemons()
    assert len(first) == 1
    assert shell.ago("-C", "lib", "status").returncode == 0
    assert shell.daemons() == first
    assert shell.ago("daemon", "stop").returncode == 0
    wait_for(lambda: not shell.daemons() and not shell.checkers())
    assert list(shell.target.parent.iterdir()) == []


def test_a_race_of_clients_ends_with_one_daemon(shell: Shell) -> None:
    clients = [shell.start("search", "double") for _ in range(6)]
    answers = [client.communicate(timeout=120)[0] for client in clients]
    assert {client.returncode for client in clients} == {0}
    assert len(set(answers)) == 1
    wait_for(lambda: len(shell.daemons()) == 1)


def test_a_killed_daemon_takes_its_checker_along_and_the_next_call_goes_on(shell: Shell) -> None:
    assert shell.ago("set-body", "lib.Double", "--body", "return v + v").returncode == 0
    (daemon,) = shell.daemons()
    assert shell.checkers()
    os.kill(daemon, signal.SIGKILL)
    wait_for(lambda: not shell.checkers())
    log = json.loads(shell.ago("log").stdout)
    assert [edit["edit"] for edit in log["edits"]] == [1]


def test_a_killed_client_leaves_the_daemon_serving(shell: Shell) -> None:
    shell.ago("status")
    client = shell.start("test")
    time.sleep(0.3)
    client.kill()
    client.communicate()
    assert shell.ago("status").returncode == 0
    assert len(shell.daemons()) == 1


def test_reads_are_answered_while_tests_run(shell: Shell) -> None:
    (shell.root / "lib" / "slow_test.go").write_text(
        'package lib\n\nimport (\n\t"testing"\n\t"time"\n)\n\n'
        "func TestSlow(t *testing.T) { time.Sleep(time.Minute) }\n"
    )
    shell.ago("status")
    client = shell.start("test", "./lib", "--run", "TestSlow")
    time.sleep(1.0)
    started = time.monotonic()
    assert shell.ago("search", "double").returncode == 0
    assert time.monotonic() - started < 5
    assert client.poll() is None
    client.kill()
    client.communicate()


def test_changed_configuration_is_in_force_at_the_next_call(shell: Shell) -> None:
    shell.ago("status")
    first = shell.daemons()
    (shell.root / "ago.toml").write_text('gate = "nonsense"\n')
    failed = shell.ago("status")
    assert failed.returncode == 69
    assert json.loads(failed.stdout)["key"] == "config_invalid"
    (shell.root / "ago.toml").write_text("idle_minutes = 0.01\n")
    assert shell.ago("status").returncode == 0
    assert shell.daemons() != first
    wait_for(lambda: not shell.daemons())


def test_a_newer_client_replaces_the_daemon_and_an_older_one_is_served(shell: Shell) -> None:
    shell.ago("status")
    (first,) = shell.daemons()
    home = str(Path(ago.__file__).parent)
    assert ask_as(shell, version="0.0.1", home=home) == wire.BEGUN
    assert ask_as(shell, version=ago.__version__, home="/elsewhere") == wire.REPLACED
    wait_for(lambda: first not in shell.daemons())
    shell.ago("status")
    assert ask_as(shell, version="99.0", home=home) == wire.REPLACED


def ask_as(shell: Shell, version: str, home: str) -> bytes:
    """The first frame that the daemon answers to such a client."""
    request = wire.Run(version=version, home=home, cwd="/", argv=["status"], env={})
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(shell.target))
        connection.sendall(wire.pack_frame(wire.RUN, request.pack()))
        frame = wire.read_frame(connection.recv)
        while wire.read_frame(connection.recv):
            pass  # to its end, so that the daemon is not left writing
    assert frame is not None
    return frame[0]


def test_calls_and_command_lines_get_the_same_answer(shell: Shell) -> None:
    line = json.loads(shell.ago("search", "double").stdout)
    request = {"tool": "search", "args": {"q": "double"}}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(shell.target))
        for _ in range(2):
            connection.sendall(wire.pack_frame(wire.CALL, wire.dump_json(request)))
            frame = wire.read_frame(connection.recv)
            assert frame is not None
            assert (frame[0], wire.load_json(frame[1])) == (wire.ANSWER, line)


def no_answer(*_: Any) -> Answer:
    """The daemon of the root is asked, not this process."""
    raise AssertionError


SLOW_TEST = """\
package lib

import (
	"testing"
	"time"
)

func TestWhileSomebodyWaits(t *testing.T) { time.Sleep(time.Minute) }
"""


def test_a_run_that_nobody_waits_for_ends_at_the_neighbour(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in shell.env.items():
        monkeypatch.setenv(name, value)
    (shell.root / "lib" / "slow_test.go").write_text(SLOW_TEST)

    def ask(tool: str, args: dict[str, Any], caller: Caller) -> Answer:
        return Neighbours(None, no_answer, lambda _: no_answer).answer(
            shell.root, tool, args, caller
        )

    def runs() -> list[int]:
        return [pid for pid, words in processes() if "-run=TestWhileSomebodyWaits" in words]

    shell.ago("help")  # starts the daemon
    assert ask("status", {}, Caller()).body["status"] == "ok"
    caller = Caller()
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask, "test", {"run": "TestWhileSomebodyWaits"}, caller)
        wait_for(runs, 60)
        caller.gone.set()
        with pytest.raises(Busy):
            asked.result(10)
    wait_for(lambda: not runs())


def test_a_neighbour_tells_of_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[tuple[str, int, int]] = []

    async def answer(there: socket.socket) -> None:
        reader, writer = await asyncio.open_unix_connection(sock=there)
        kind, asked = await read_frame(reader)
        assert kind == wire.CALL
        coming = asyncio.ensure_future(read_frame(reader))
        caller = open_caller(wire.load_json(asked), coming, writer)
        await asyncio.to_thread(caller.hear, "deps", 1, 2)
        writer.write(wire.pack_frame(wire.ANSWER, b'{"status":"ok"}'))
        assert await asyncio.to_thread(caller.gone.wait, 10)  # it hangs up
        writer.close()

    here, there = socket.socketpair()
    monkeypatch.setattr(neighbours, "connect", lambda _: here)
    with ThreadPoolExecutor(1) as pool:
        served = pool.submit(asyncio.run, answer(there))
        caller = Caller(hear=lambda *step: steps.append(step))
        desk = Neighbours(None, no_answer, lambda _: no_answer)
        assert desk.answer(Path("/p"), "status", {}, caller).body == {"status": "ok"}
        served.result(10)
    assert steps == [("deps", 1, 2)]


def test_a_silent_connection_does_not_keep_the_daemon(shell: Shell) -> None:
    shell.ago("status")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(str(shell.target))
        request = {"tool": "search", "args": {"q": "double"}}
        connection.sendall(wire.pack_frame(wire.CALL, wire.dump_json(request)))
        assert wire.read_frame(connection.recv)
        assert shell.ago("daemon", "stop").returncode == 0
        wait_for(lambda: not shell.daemons())


def test_without_a_socket_the_command_answers_by_itself(shell: Shell) -> None:
    shell.target.parent.chmod(0o755)  # open to others: no place for a socket
    answer = shell.ago("search", "double")
    assert answer.returncode == 0
    assert json.loads(answer.stdout)["count"] > 0
    assert shell.daemons() == []
    shell.target.parent.chmod(0o700)


def test_a_stale_socket_is_taken_over(shell: Shell) -> None:
    left = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    left.bind(str(shell.target))
    left.close()
    assert shell.ago("status").returncode == 0
    assert len(shell.daemons()) == 1


def test_stop_without_a_daemon_starts_none(shell: Shell) -> None:
    stopped = shell.ago("daemon", "stop")
    assert stopped.returncode == 69
    assert json.loads(stopped.stdout)["key"] == "no_daemon"
    assert shell.daemons() == []


def test_a_vanished_root_ends_its_daemon(shell: Shell) -> None:
    (shell.root / "ago.toml").write_text("idle_minutes = 0.05\n")
    shell.ago("status")
    shutil.rmtree(shell.root)
    wait_for(lambda: not shell.daemons())
    shell.root.mkdir()


def test_versions_compare_by_number() -> None:
    assert parse_version("0.10.0") > parse_version("0.9.3")
    assert parse_version("1.0.0+local") == parse_version("1.0.0")


def test_the_code_stamp_moves_with_the_code(tmp_path: Path) -> None:
    home = tmp_path / "ago"
    home.mkdir()
    (home / "a.py").write_text("")
    before = code_stamp(str(home))
    os.utime(home / "a.py", (1, 1))
    assert code_stamp(str(home)) != before


def test_roots(tmp_path: Path) -> None:
    deep = tmp_path / "w" / "m" / "pkg"
    deep.mkdir(parents=True)
    (tmp_path / "w" / "m" / "go.mod").write_text("module m\n")
    module = os.path.realpath(tmp_path / "w" / "m")
    assert place.find_root(str(deep)) == module
    (tmp_path / "w" / "go.work").write_text("go 1.26\n")
    work = os.path.realpath(tmp_path / "w")
    assert place.find_root(str(deep)) == work
    assert place.find_root(str(deep), "off") == module
    assert place.find_root(str(deep), f"{work}/go.work") == work
    link = tmp_path / "link"
    link.symlink_to(deep)
    assert place.find_root(str(link)) == work
    assert place.find_root(str(tmp_path)) == ""


def test_shells_with_another_build_have_another_daemon() -> None:
    env = {"PATH": "/bin", "HOME": "/h"}
    assert place.daemon_key("/w", env) == place.daemon_key("/w", {**env, "TERM": "x"})
    for name in ("GOFLAGS", "GOWORK", "GOOS"):
        assert place.daemon_key("/w", env) != place.daemon_key("/w", {**env, name: "x"})
    assert place.daemon_key("/w", env) != place.daemon_key("/v", env)


def test_followers_hear_of_edits_and_of_what_others_write(shell: Shell):
    assert shell.ago("status").returncode == 0
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(shell.target))
        connection.sendall(wire.pack_frame(wire.FOLLOW))
        assert wire.read_frame(connection.recv) == (wire.BEGUN, b"")

        def told() -> Any:
            frame = wire.read_frame(connection.recv)
            assert frame and frame[0] == wire.EVENT
            return json.loads(frame[1])

        assert shell.ago("rename", "lib.Double", "Twice", "--dry-run").returncode == 0
        renamed = json.loads(shell.ago("rename", "lib.Double", "Twice").stdout)
        assert told() == {
            "edit": renamed["edit"], "files": renamed["files"],
            "renames": [["demo/lib", "Double", "Twice"]],
        }  # fmt: skip
        (shell.root / "new.txt").write_text("package lib\n")
        (shell.root / "new.txt").rename(shell.root / "lib" / "new.go")
        assert told() == {"files": ["lib/new.go"]}
        assert json.loads(shell.ago("undo").stdout)["status"] == "accepted"
        assert told()["edit"] == 2
        assert shell.ago("daemon", "stop").returncode == 0
        assert wire.read_frame(connection.recv) is None, "a follower keeps no daemon"
