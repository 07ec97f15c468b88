"""init and skill: every client's file, merged, idempotent, taken out again byte for byte."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ago.catalog.listing import DRY_RUN, LISTED
from ago.catalog.schema import tools
from ago.fronts.cli.app import build_root
from ago.protocol.errors import AgoError
from ago.scaffold import jsonc, skill
from ago.scaffold.clients import CLIENTS, NAMES, choose_clients
from ago.scaffold.init import Wish, init
from ago.scaffold.teaching import agents_block, skill_text

Answer = dict[str, Any]


class Place:
    """A module, a home and a state folder of its own."""

    def __init__(self, folder: Path) -> None:
        """An empty module."""
        self.root = folder / "shop"
        self.root.mkdir()
        (self.root / "go.mod").write_text("module example.com/shop\n\ngo 1.26\n")
        self.home = folder / "home"
        self.env = {"HOME": str(self.home), "XDG_STATE_HOME": str(folder / "state"), "PATH": ""}

    def init(self, *clients: str, **wish: Any) -> Answer:
        """Run init on the module."""
        wished = Wish(clients=clients, command=wish.pop("command", "/opt/ago"), **wish)
        return init(self.root, self.root, wished, self.env)

    def put(self, name: str, text: str) -> None:
        """Write one file of the module."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def files(self) -> dict[str, bytes]:
        """Every file of the module and the home."""
        return {
            str(path.relative_to(base.parent)): path.read_bytes()
            for base in (self.root, self.home)
            for path in sorted(base.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


_STDIO = {"type": "stdio", "command": "/opt/ago", "args": ["mcp"]}
_PLAIN = {"command": "/opt/ago", "args": ["mcp"]}
SHAPES = {
    "claude": ("shop/.mcp.json", {"mcpServers": {"ago": _STDIO}}),
    "codex": ("shop/.codex/config.toml", {"mcp_servers": {"ago": _PLAIN}}),
    "vscode": ("shop/.vscode/mcp.json", {"servers": {"ago": _STDIO}}),
    "copilot": ("shop/.mcp.json", {"mcpServers": {"ago": _STDIO}}),
    "cursor": ("shop/.cursor/mcp.json", {"mcpServers": {"ago": _STDIO}}),
    "opencode": (
        "shop/opencode.json",
        {
            "$schema": "https://opencode.ai/config.json",
            "mcp": {"ago": {"type": "local", "command": ["/opt/ago", "mcp"], "enabled": True}},
        },
    ),
    "gemini": ("shop/.gemini/settings.json", {"mcpServers": {"ago": _PLAIN}}),
    "antigravity": ("shop/.agents/mcp_config.json", {"mcpServers": {"ago": _PLAIN}}),
    "windsurf": ("home/.codeium/windsurf/mcp_config.json", {"mcpServers": {"ago": _PLAIN}}),
    "zed": ("shop/.zed/settings.json", {"context_servers": {"ago": _PLAIN}}),
    "junie": ("shop/.junie/mcp/mcp.json", {"mcpServers": {"ago": _PLAIN}}),
}


@pytest.mark.parametrize("name", NAMES)
def test_each_client_gets_its_shape(place: Place, name: str) -> None:
    before = place.files()
    place.init(name, hooks=True)
    file, shape = SHAPES[name]
    text = place.files()[file].decode()
    assert (tomllib.loads(text) if file.endswith(".toml") else json.loads(text)) == shape
    assert "unchanged" in place.init(name, hooks=True)
    assert "diff" not in place.init(name, hooks=True)
    place.init(name, remove=True)
    place.init(remove=True)
    assert place.files() == before


def test_what_a_client_asks_for_before_it_reads_its_file_is_said(place: Place) -> None:
    assert place.init("windsurf,zed", dry_run=True)["notes"] == [
        "Windsurf: there is no file for one project: this one serves every workspace",
        "Zed: read once the project is trusted",
    ]
    assert "notes" not in place.init("cursor", dry_run=True)
    assert "notes" not in place.init("zed", remove=True)


FOUND = {
    ".mcp.json": '{\n\t// ours\n\t"mcpServers": {\n\t\t"db": {"command": "db"}, // keep\n\t},\n}\n',
    ".vscode/mcp.json": '{"inputs": [], "servers": {"a": {"command": "a"}}}',
    ".codex/config.toml": '\ufeff# mine\nmodel = "m"  # this one\n\n[mcp_servers.db]\n'
    'command = "db"\n',
    ".gemini/settings.json": '{\r\n  "context": {\r\n    "fileName": "X.md"\r\n  }\r\n}\r\n',
    ".zed/settings.json": "// Zed settings\n{\n  // nothing yet\n}\n",
    "opencode.jsonc": '{\n  "mcp": {"servers": {"x": {"type": "local", "command": ["x"]}}}\n}\n',
    ".claude/settings.json": '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "Bash", '
    '"hooks": [{"type": "command", "command": "x"}]}\n    ]\n  }\n}\n',
    ".cursor/mcp.json": '\ufeff{\n  "mcpServers": {"db": {"command": "db"}}\n}\n',
    "AGENTS.md": "# House rules\n\nBe brief.",
    "CLAUDE.md": "# Claude\n",
}


def test_what_stands_in_files_stays(place: Place) -> None:
    for name, text in FOUND.items():
        place.put(name, text)
    before = place.files()
    answer = place.init("all", hooks=True)
    assert set(FOUND) <= set(answer["changed"])
    for name, text in FOUND.items():
        now = (place.root / name).read_bytes().decode()
        lines = [line.rstrip(",") for line in now.splitlines()]
        for line in text.splitlines():
            assert line.rstrip("},") in now or line in lines, f"{name}: {line}"
        assert ("\r\n" in text) == ("\r\n" in now)
        assert "\n" not in now.replace("\r\n", "") or "\r\n" not in text
    assert jsonc.find((place.root / "opencode.jsonc").read_text(), ("mcp", "servers", "ago")) == {
        "type": "local", "command": ["/opt/ago", "mcp"],
    }  # fmt: skip
    hooks = json.loads((place.root / ".claude/settings.json").read_text())["hooks"]
    assert [item["matcher"] for item in hooks["PreToolUse"]] == ["Bash", "Edit|Write|MultiEdit"]
    assert hooks["PostToolUse"][0]["hooks"][0]["command"] == "/opt/ago hook post-edit"
    assert "@./AGENTS.md" in (place.root / "CLAUDE.md").read_text()
    place.init("windsurf", remove=True)
    place.init(remove=True)
    assert place.files() == before


def test_all_clients_by_name_leave_nothing_to_read(place: Place) -> None:
    before = place.files()
    place.init("all")
    assert "AGENTS.md" in place.init("all", remove=True)["removed"]
    assert place.files() == before


def test_what_was_written_since_stays_when_ago_goes(place: Place) -> None:
    """Without the bytes of before, the entries go and everything else stays."""
    for name, text in FOUND.items():
        place.put(name, text)
    before = place.files()
    place.init("all", hooks=True)
    for record in (place.root.parent / "state").rglob("init.json"):
        record.unlink()
    place.init("windsurf", remove=True)
    place.init(remove=True)
    assert place.files() == before


def test_a_hook_keeps_the_options_that_the_user_gave_it(place: Place) -> None:
    place.init("claude", hooks=True)
    file = place.root / ".claude" / "settings.json"
    strict = file.read_text().replace("hook pre-edit", "hook pre-edit --strict")
    file.write_text(strict)
    place.init("claude", hooks=True)
    assert file.read_text() == strict
    place.init("claude", hooks=True, command="/new/ago")
    assert file.read_text() == strict.replace("/opt/ago", "/new/ago").replace(" --strict", "")
    place.init(remove=True)
    assert not file.exists()


def test_an_entry_keeps_what_the_user_added(place: Place) -> None:
    entry = {"command": "/old/ago", "args": ["mcp"], "env": {"GOFLAGS": "-tags=x"}}
    place.put(".mcp.json", json.dumps({"mcpServers": {"ago": entry}}))
    place.init("claude")
    found = json.loads((place.root / ".mcp.json").read_text())["mcpServers"]["ago"]
    assert found == {**entry, "type": "stdio", "command": "/opt/ago"}


def test_a_dry_run_writes_nothing(place: Place) -> None:
    before = place.files()
    answer = place.init("all", dry_run=True)
    assert answer["dry_run"] and "+++ b/.codex/config.toml" in answer["diff"]
    assert place.files() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".mcp.json", '{"mcpServers": '),
        (".mcp.json", "[]"),
        (".mcp.json", '{"mcpServers": 3}'),
        (".codex/config.toml", "a = = 1"),
        (".codex/config.toml", "mcp_servers = 1"),
        (".claude/settings.json", '{"hooks": [1]}'),
    ],
)
def test_one_unreadable_file_stops_all(place: Place, name: str, text: str) -> None:
    place.put(name, text)
    before = place.files()
    with pytest.raises(AgoError) as caught:
        place.init("all", hooks=True)
    assert caught.value.key == "config_unreadable"
    assert name in caught.value.message
    assert place.files() == before


def test_links_that_leave_the_workspace_are_not_followed(place: Place, tmp_path: Path) -> None:
    secret = tmp_path / "profile"
    secret.write_text("{}")
    (place.root / ".mcp.json").symlink_to(secret)
    with pytest.raises(AgoError) as caught:
        place.init("claude")
    assert caught.value.key == "outside_root"
    assert secret.read_text() == "{}"


def test_clients_are_found_by_their_traces(place: Place) -> None:
    def found() -> list[str]:
        return [c.name for c in choose_clients((), place.root, place.home, place.env)]

    assert found() == ["claude"]  # the file that most of them read
    (place.root / ".cursor").mkdir()
    (place.home / ".codex").mkdir(parents=True)
    assert found() == ["codex", "cursor"]
    place.env["PATH"] = str(place.root)
    (place.root / "opencode").write_text("")
    (place.root / "opencode").chmod(0o755)
    assert found() == ["codex", "cursor", "opencode"]
    with pytest.raises(AgoError) as caught:
        place.init("emacs")
    assert caught.value.key == "client_unknown"
    assert {client.name for client in CLIENTS} == set(SHAPES)


@pytest.mark.go
def test_a_new_module(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    folder = tmp_path / "new" / "shop"
    with pytest.raises(AgoError) as caught:
        init(folder, None, Wish("a b", ("claude",)), env)
    assert caught.value.key == "module_invalid"
    assert not folder.exists()
    answer: Any = init(folder, None, Wish("", ("claude",)), env)
    assert answer["created"] == ["go.mod", "main.go", ".mcp.json", "AGENTS.md"]
    assert (folder / "go.mod").read_text().startswith("module shop\n")
    assert "Hello from shop!" in (folder / "main.go").read_text()
    with pytest.raises(AgoError) as caught:
        init(folder, folder, Wish("other"), env)
    assert caught.value.key == "module_exists"
    (folder / "more.go").write_text("package main\n")
    init(folder, folder, Wish(remove=True), env)
    assert sorted(p.name for p in folder.iterdir()) == ["go.mod", "main.go", "more.go"]


def test_the_skill_goes_where_each_agent_looks(place: Place) -> None:
    answer: Any = skill.install(place.root, (), project=False, env=place.env)
    assert answer["installed"] == [str(place.home / ".claude/skills/ago/SKILL.md")]
    answer = skill.install(place.root, ("all",), project=True, env=place.env)
    shown = sorted(Path(p).relative_to(place.root).as_posix() for p in answer["installed"])
    assert shown == [
        f"{folder}/skills/ago/SKILL.md" for folder in (".agents", ".claude", ".gemini", ".github")
    ]


def test_the_documentation_lists_every_client() -> None:
    page = (Path(__file__).parent.parent / "docs" / "setup.md").read_text()
    for client in CLIENTS:
        assert re.search(rf"^\| `{client.name}` \| `{re.escape(client.file)}`", page, re.MULTILINE)


def test_what_is_taught_exists() -> None:
    text = agents_block() + skill_text()
    commands = set(build_root().commands)
    for word in re.findall(r"(?:^|`)ago ([a-z][a-z-]*)", text, re.MULTILINE):
        assert word in commands, word
    for word in re.findall(r"`ago_([a-z_]+)`", text):
        assert word in {*tools(), DRY_RUN}, word
    taught = re.findall(r"^\| `ago_(\w+)`", text, re.MULTILINE)
    assert taught == list(LISTED), "as a client lists them"
    head = skill_text().split("---")[1]
    assert re.search(r"^name: ago$", head, re.MULTILINE) and "description: " in head
    assert len(skill_text().splitlines()) < 500


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a": 1}',
        '{ "s": "a // no /* comment , }" }',
        '{\n  "a": 1 // last\n}',
        '{\n  "m": {\n    "b": 1, /* x */\n    // c\n    "c": [1, 2,],\n    // end\n  },\n}\n',
        '{\r\n\t"m": {"b": 1}\r\n}\r\n',
        '{\n  // nothing\n}',
    ],
)  # fmt: skip
def test_members_are_spliced_in_and_out(text: str) -> None:
    """What goes in comes out, and nothing else moves."""
    value: Any = {"command": "x", "args": ["mcp"], "env": {}}
    with_it = jsonc.set_member(text, ("m", "ago"), value)
    assert jsonc.find(with_it, ("m", "ago")) == value
    assert jsonc.set_member(with_it, ("m", "ago"), value) == with_it
    changed = jsonc.set_member(with_it, ("m", "ago"), 1)
    assert jsonc.find(changed, ("m", "ago")) == 1
    assert jsonc.drop_member(with_it, ("m", "ago")) == text
    assert jsonc.drop_member(text, ("m", "ago")) == text
