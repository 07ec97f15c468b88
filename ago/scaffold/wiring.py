"""Wiring: the texts of configuration files with and without what tells a client of ago.

Invariant: pure; a text and the wish in, the new text out. Comments, order and line ends stay.
"""

from __future__ import annotations

import re

from ago.protocol.errors import AgoError
from ago.scaffold import jsonc
from ago.scaffold.blocks import drop_block, has_block, put_block
from ago.scaffold.clients import Client
from ago.scaffold.teaching import POINTER, agents_block
from grammar_ops.reject import Json

NAME = "ago"
"""What the server is called in every configuration."""

_OPENCODE = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n'


def wire_server(client: Client, name: str, text: str, command: str) -> str:
    """A client's configuration with the server in it; raises AgoError config_unreadable."""
    if name.endswith(".toml"):
        return _set_table(text, name, client, command)
    if client.name == "opencode":
        text = text or _OPENCODE
    try:
        path, entry = _server_path(client, text), client.entry(command)
        if len(path) > len(client.path) + 1:  # OpenCode's second version has no `enabled`
            entry = {key: value for key, value in _object(entry).items() if key != "enabled"}
        if isinstance(old := jsonc.find(text, path), dict):
            entry = {**old, **_object(entry)}  # what the user added to it stays
        return jsonc.set_member(text, path, entry)
    except ValueError as error:
        raise unreadable(name, error) from None


def unwire_server(client: Client, name: str, text: str) -> str:
    """A client's configuration without the server; raises AgoError config_unreadable."""
    if name.endswith(".toml"):
        return _drop_table(text, name, client)
    try:
        left = jsonc.drop_member(text, _server_path(client, text))
        return "" if left == _OPENCODE else _or_nothing(left, text)
    except ValueError as error:
        raise unreadable(name, error) from None


def wire_hooks(client: Client, name: str, text: str, command: str) -> str:
    """A client's hooks with `ago hook` before and after its edits."""
    try:
        for event, word in _EVENTS:
            runs = f"{_quoted(command)} hook {word}"
            found = jsonc.find(text, ("hooks", event))
            known = (
                [c for item in found for c in _commands(item)] if isinstance(found, list) else []
            )
            if any(c == runs or c.startswith(f"{runs} ") for c in known):
                continue  # with the options and the time limit that the user gave it
            hook: Json = {"type": "command", "command": runs, "timeout": 30}
            item: Json = {"matcher": client.hooks[1], "hooks": [hook]}
            text = jsonc.put_item(text, ("hooks", event), item, _is_ours)
        return text
    except ValueError as error:
        raise unreadable(name, error) from None


def unwire_hooks(name: str, text: str) -> str:
    """A client's hooks without those of `ago hook`."""
    try:
        left = text
        for event, _ in _EVENTS:
            left = jsonc.drop_items(left, ("hooks", event), _is_ours)
        return _or_nothing(left, text)
    except ValueError as error:
        raise unreadable(name, error) from None


def _or_nothing(left: str, before: str) -> str:
    """A file that held nothing but ours goes whole."""
    return "" if left != before and left.split() == ["{}"] else left


_EVENTS = (("PreToolUse", "pre-edit"), ("PostToolUse", "post-edit"))


def _is_ours(item: Json) -> bool:
    """Whether an item of a list of hooks is one that init wrote, whatever its options."""
    return any(re.search(r"\bago\b.* hook (pre|post)-edit\b", text) for text in _commands(item))


def _commands(item: Json) -> list[str]:
    """What an item of a list of hooks runs."""
    hooks = item.get("hooks") if isinstance(item, dict) else None
    if not isinstance(hooks, list):
        return []
    return [str(hook.get("command")) for hook in hooks if isinstance(hook, dict)]


def _quoted(command: str) -> str:
    return f'"{command}"' if " " in command else command


def teach(text: str) -> str:
    """AGENTS.md with the block."""
    return put_block(text, agents_block())


def point(text: str, path: str) -> str:
    """A client's own file of instructions, pointing to AGENTS.md if it doesn't already."""
    if not has_block(text) and "AGENTS.md" in text:
        return text
    return put_block(text, POINTER.format(path=path))


def unteach(text: str) -> str:
    """A Markdown file without the block."""
    return drop_block(text)


def _server_path(client: Client, text: str) -> tuple[str, ...]:
    """Where the server stands; OpenCode's second version has one level more."""
    if client.name == "opencode" and isinstance(jsonc.find(text, ("mcp", "servers")), dict):
        return ("mcp", "servers", NAME)
    return (*client.path, NAME)


def _object(value: Json) -> dict[str, Json]:
    assert isinstance(value, dict)
    return value


def _set_table(text: str, name: str, client: Client, command: str) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text.removeprefix(jsonc.BOM))
        servers = document.setdefault(client.path[0], tomlkit.table(is_super_table=True))
        table = servers.setdefault(NAME, tomlkit.table())
        for key, value in _object(client.entry(command)).items():
            if table.get(key) != value:
                table[key] = value
        return _same_line_ends(text, tomlkit.dumps(document))
    except (TOMLKitError, AttributeError, TypeError) as error:
        raise unreadable(name, error) from None


def _drop_table(text: str, name: str, client: Client) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text.removeprefix(jsonc.BOM))
        servers = document.get(client.path[0])
        if not isinstance(servers, dict) or NAME not in servers:
            return text
        del servers[NAME]
        if not servers:
            del document[client.path[0]]
        left = _same_line_ends(text, tomlkit.dumps(document))
        return f"{left.rstrip()}\n" if left.strip() else ""
    except TOMLKitError as error:
        raise unreadable(name, error) from None


def _same_line_ends(before: str, after: str) -> str:
    """The new text with the line ends of the old one, and its byte order mark."""
    if before.startswith(jsonc.BOM):
        after = jsonc.BOM + after
    if "\r\n" not in before:
        return after
    return after.replace("\r\n", "\n").replace("\n", "\r\n")


def unreadable(name: str, error: Exception) -> AgoError:
    """The failure of a file that can't be merged into."""
    mend = "correct the file, or leave the client out with --client"
    return AgoError("config_unreadable", f"{name}: {error}", mend)
