"""Clients: the agents and editors that can start `ago mcp`, and the files that tell them to.

Invariant: a table; shapes are those of each client's own documentation, read in November 2026.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ago.protocol.errors import AgoError
from grammar_ops.reject import Json


@dataclass(frozen=True)
class Client:
    """One client: its configuration file, where in it servers stand, and how one is written."""

    name: str
    title: str
    file: str
    """Relative to the workspace, or with ~/ to the user's home."""
    path: tuple[str, ...]
    """The member names that lead to the servers."""
    extra: Mapping[str, Json]
    """What an entry says beside command and arguments."""
    commands: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    """Files and folders that show it is in use; with ~/ those in the user's home."""
    pointer: str = ""
    """Its own file of instructions, where it does not read AGENTS.md beside that."""
    skills: tuple[str, str] = (".agents/skills", "~/.agents/skills")
    """Where it looks for skills: in a workspace, in the user's home."""
    hooks: tuple[str, str] = ("", "")
    """Its file of hooks, and the tools by which it edits files; empty without hooks."""

    def entry(self, command: str) -> Json:
        """What its configuration says of ago."""
        if self.name == "opencode":
            return {"type": "local", "command": [command, "mcp"], "enabled": True}
        return {**self.extra, "command": command, "args": ["mcp"]}


_STDIO: Mapping[str, Json] = {"type": "stdio"}

CLIENTS = (
    Client(
        "claude", "Claude Code", ".mcp.json", ("mcpServers",), _STDIO, ("claude",),
        (".mcp.json", ".claude", "CLAUDE.md", "~/.claude"), "CLAUDE.md",
        (".claude/skills", "~/.claude/skills"),
        (".claude/settings.json", "Edit|Write|MultiEdit"),
    ),
    Client(
        "codex", "Codex", ".codex/config.toml", ("mcp_servers",), {}, ("codex",),
        (".codex", "~/.codex"), hooks=(".codex/hooks.json", "apply_patch|Edit|Write"),
    ),
    Client(
        "vscode", "VS Code", ".vscode/mcp.json", ("servers",), _STDIO, ("code",), (".vscode",),
        skills=(".github/skills", "~/.copilot/skills"),
    ),
    Client(
        "copilot", "Copilot CLI", ".mcp.json", ("mcpServers",), _STDIO, ("copilot",),
        ("~/.copilot",), skills=(".github/skills", "~/.copilot/skills"),
    ),
    Client(
        "cursor", "Cursor", ".cursor/mcp.json", ("mcpServers",), _STDIO, ("cursor",),
        (".cursor", "~/.cursor"),
    ),
    # OpenCode 2 reads this shape of OpenCode 1 too, but not the other way round.
    Client(
        "opencode", "OpenCode", "opencode.json", ("mcp",), {}, ("opencode",),
        ("opencode.json", "opencode.jsonc", ".opencode", "~/.config/opencode"),
    ),
    Client(
        "gemini", "Gemini CLI", ".gemini/settings.json", ("mcpServers",), {}, ("gemini",),
        (".gemini", "GEMINI.md"), "GEMINI.md", (".gemini/skills", "~/.gemini/skills"),
    ),
    Client(
        "antigravity", "Antigravity", ".agents/mcp_config.json", ("mcpServers",), {},
        ("agy", "antigravity"), ("~/.gemini/antigravity-cli", "~/.gemini/antigravity"),
    ),
    Client(
        "windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", ("mcpServers",), {},
    ),
    Client(
        "zed", "Zed", ".zed/settings.json", ("context_servers",), {}, ("zed", "zeditor"),
        (".zed",),
    ),
    Client(
        "junie", "Junie", ".junie/mcp/mcp.json", ("mcpServers",), {}, (), (".junie", "~/.junie"),
    ),
)  # fmt: skip

NAMES = tuple(client.name for client in CLIENTS)

# Where nothing shows which client is used: the file that most of them read.
_OTHERWISE = CLIENTS[0]


def choose_clients(
    names: Sequence[str], root: Path, home: Path, env: Mapping[str, str]
) -> tuple[Client, ...]:
    """The clients of these names (`all` is every one), else those that are in use here.

    Raises AgoError client_unknown.
    """
    wanted = {word for name in names for word in name.split(",") if word}
    if unknown := sorted(wanted - {*NAMES, "all"}):
        mend = f"clients are {', '.join(NAMES)}, or all"
        raise AgoError("client_unknown", f"no client is called {', '.join(unknown)}", mend)
    if wanted:
        return tuple(c for c in CLIENTS if c.name in wanted or "all" in wanted)
    return tuple(c for c in CLIENTS if is_used(c, root, home, env)) or (_OTHERWISE,)


def is_used(client: Client, root: Path, home: Path, env: Mapping[str, str]) -> bool:
    """Whether the workspace, the user's home or PATH shows that the client is in use."""
    if any(place(mark, root, home).exists() for mark in client.marks):
        return True
    return any(shutil.which(word, path=env.get("PATH")) for word in client.commands)


def config_file(client: Client, root: Path, home: Path) -> Path:
    """The file to write: the one that is there, where a client knows several names."""
    if client.name == "opencode":
        for name in ("opencode.jsonc", ".opencode/opencode.jsonc", ".opencode/opencode.json"):
            if (root / name).exists():
                return root / name
    return place(client.file, root, home)


def place(name: str, root: Path, home: Path) -> Path:
    """A file of the table as a path."""
    return home / name[2:] if name.startswith("~/") else root / name
