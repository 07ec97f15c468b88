"""Clients: the agents and editors that can start `ago mcp`, and the files that tell them to.

Invariant: a table; shapes are those of each client's own documentation, read in November 2026.

Of three the page on MCP names the user's file alone. That a project's file is read:
- Copilot CLI: `.mcp.json` and `.github/mcp.json`, type `stdio` as good as `local`: docs.github.com,
  "Adding MCP servers for GitHub Copilot CLI", per-repository servers.
- Zed: zed.dev/docs/ai/mcp has the entry, `args` always with it by crates/settings_content of its
  source; that `.zed/settings.json` may hold it, its pull request 44887 and issue 62829.
- Antigravity: firebase.google.com/docs/ai-assistance/gcli-extension, step 3, for the CLI; of the
  editor only its users say so (google-antigravity/antigravity-cli issue 60, laravel/boost 772).
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
    note: str = ""
    """What has to be known before the entry works; told by init."""

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
        note="read once the project is trusted",
    ),
    Client(
        "vscode", "VS Code", ".vscode/mcp.json", ("servers",), _STDIO, ("code",), (".vscode",),
        skills=(".github/skills", "~/.copilot/skills"),
    ),
    Client(
        "copilot", "Copilot CLI", ".mcp.json", ("mcpServers",), _STDIO, ("copilot",),
        (".github/mcp.json", "~/.copilot"), skills=(".github/skills", "~/.copilot/skills"),
        note="read once the folder is trusted; with -p only where "
        "GITHUB_COPILOT_PROMPT_MODE_WORKSPACE_MCP=true",
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
        ("agy", "antigravity"),
        (
            ".agents/mcp_config.json", "~/.gemini/antigravity-cli", "~/.gemini/antigravity",
            "~/.gemini/config/mcp_config.json",
        ),
        note="read by the CLI; an editor that does not has ~/.gemini/config/mcp_config.json",
    ),
    Client(
        "windsurf", "Windsurf", "~/.codeium/windsurf/mcp_config.json", ("mcpServers",), {},
        note="there is no file for one project: this one serves every workspace",
    ),
    Client(
        "zed", "Zed", ".zed/settings.json", ("context_servers",), {}, ("zed", "zeditor"),
        (".zed",), note="read once the project is trusted",
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
