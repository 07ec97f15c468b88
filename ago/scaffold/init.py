"""init: a new module, or an existing one, told to the agents and editors that work on it.

Invariant: a plan first, then all of it or, with a dry run, none; --remove takes out what was added
and nothing else.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ago.checker.gocmd import find_go, run_go
from ago.config import state_home
from ago.protocol.errors import AgoError
from ago.scaffold import wiring
from ago.scaffold.clients import CLIENTS, Client, choose_clients, config_file
from ago.scaffold.files import Plan, Record, write_changes
from ago.workspace.roots import root_hash
from grammar_ops.linediff import unified_diff
from grammar_ops.reject import Json

AGENTS = "AGENTS.md"

_MAIN = """\
package main

import "fmt"

func main() {{
	fmt.Println("Hello from {module}!")
}}
"""


@dataclass(frozen=True)
class Wish:
    """What init is asked for."""

    module: str = ""
    clients: tuple[str, ...] = ()
    command: str = ""
    """What clients start; empty = this `ago`, by its absolute path."""
    hooks: bool = False
    dry_run: bool = False
    remove: bool = False


def init(folder: Path, root: Path | None, wish: Wish, env: Mapping[str, str]) -> dict[str, Json]:
    """Wire the workspace `root`, or make a module in `folder`; raises AgoError, nothing written."""
    home = Path(env.get("HOME") or "/")
    new = root is None or (wish.module and module_of(root) != wish.module)
    place = folder.resolve() if new or root is None else root
    if wish.remove and root is None:
        raise AgoError("no_workspace", f"{folder} is in no Go module", "name its folder with -C")
    plan = Plan(place, home)
    record = Record(state_home(env) / root_hash(place) / "init.json")
    if wish.remove:
        clients: Sequence[Client] = _unwire(plan, record, wish, home)
    else:
        clients = choose_clients(wish.clients, place, home, env)
        if new:
            _make_module(plan, wish.module or place.name, env)
        _wire(plan, clients, wish, home, wish.command or own_command(env))
    return _finish(plan, record, clients, wish)


def module_of(root: Path) -> str:
    """The module path of a folder's go.mod, empty without one."""
    try:
        text = (root / "go.mod").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""
    words = next((line.split() for line in text.splitlines() if line.startswith("module")), [])
    return words[1].strip('"') if len(words) > 1 else ""


def own_command(env: Mapping[str, str]) -> str:
    """The absolute path by which this `ago` can be started: as PATH finds it, if it is this one."""
    own = Path(sys.executable).parent / "ago"
    first = shutil.which("ago", path=env.get("PATH"))
    if first and own.exists() and Path(first).samefile(own):
        return str(Path(first).absolute())
    return str(own) if own.exists() else first or "ago"


def _make_module(plan: Plan, module: str, env: Mapping[str, str]) -> None:
    """go.mod as the go command writes it, and a program, where there is no Go file yet."""
    if (plan.root / "go.mod").exists():
        mend = "leave the name out to wire the module that is there"
        raise AgoError("module_exists", f"go.mod here is of {module_of(plan.root)}", mend)
    with tempfile.TemporaryDirectory(prefix="ago-init-") as scratch:
        result = run_go(find_go(env), ["mod", "init", module], cwd=Path(scratch), timeout=60)
        if result.code != 0:
            raise AgoError("module_invalid", result.complaint, "name it: ago init example.com/name")
        plan.edit(plan.root / "go.mod", (Path(scratch) / "go.mod").read_text())
    if not any(plan.root.glob("*.go")):
        plan.edit(plan.root / "main.go", _MAIN.format(module=module))


def _wire(plan: Plan, clients: Sequence[Client], wish: Wish, home: Path, command: str) -> None:
    for client in clients:
        file = config_file(client, plan.root, home)
        name = plan.shown(file)
        plan.edit(file, wiring.wire_server(client, name, plan.read(file), command))
        if wish.hooks and client.hooks[0]:
            file = plan.root / client.hooks[0]
            text = wiring.wire_hooks(client, client.hooks[0], plan.read(file), command)
            plan.edit(file, text)
        if client.pointer:
            _point(plan, client)
    agents = plan.root / AGENTS
    plan.edit(agents, wiring.teach(plan.read(agents)))


def _point(plan: Plan, client: Client) -> None:
    """Claude Code reads AGENTS.md itself while there is no CLAUDE.md; Gemini CLI never does."""
    file = plan.root / client.pointer
    text = plan.read(file)
    reads = "AGENTS.md" in plan.read(plan.root / client.file)  # context.fileName
    if (text or client.pointer != "CLAUDE.md") and not reads:
        plan.edit(file, wiring.point(text, f"./{AGENTS}"))


def _unwire(plan: Plan, record: Record, wish: Wish, home: Path) -> Sequence[Client]:
    """Take out what init put in: what a file was, where nobody has changed it since."""
    everywhere = not wish.clients
    named = choose_clients(wish.clients or ("all",), plan.root, home, {})
    # A file in the home serves other workspaces as well: only for who names the client.
    clients = [c for c in named if not everywhere or not c.file.startswith("~/")]
    for client in clients:
        file = config_file(client, plan.root, home)
        _take_out(plan, record, file, partial(wiring.unwire_server, client, plan.shown(file)))
        if name := client.hooks[0]:
            _take_out(plan, record, plan.root / name, partial(wiring.unwire_hooks, name))
        if client.pointer:
            _take_out(plan, record, plan.root / client.pointer, wiring.unteach)
    if len(named) == len(CLIENTS):
        # Nobody is left to read it.
        _take_out(plan, record, plan.root / AGENTS, wiring.unteach)
    if everywhere:
        _take_module(plan, record)
    return clients


def _take_out(plan: Plan, record: Record, file: Path, without: Callable[[str], str]) -> None:
    text = plan.read(file)
    if not text:
        return
    untouched, original = record.original(file, plan.before[file])
    if untouched:
        plan.put_back(file, original)
    else:
        plan.edit(file, without(text))


def _take_module(plan: Plan, record: Record) -> None:
    """The module that init made goes too, as long as nothing has been built on it."""
    made = [plan.root / "go.mod", plan.root / "main.go"]
    if made[0] not in record or (plan.root / "go.sum").exists():
        return
    texts = {file: plan.read(file).encode() or None for file in made}
    untouched = all(record.original(file, text) == (True, None) for file, text in texts.items())
    if untouched and list(plan.root.rglob("*.go")) == made[1:]:
        for file in made:
            plan.put_back(file, None)


def _finish(plan: Plan, record: Record, clients: Sequence[Client], wish: Wish) -> dict[str, Json]:
    """Write the plan, unless it is a dry run, and say what it changes."""
    changes = plan.changes()
    if not wish.dry_run:
        write_changes(plan)
        for path, (before, after) in changes.items():
            record.note(path, before, after)
        if wish.remove:
            record.forget(plan.before)
        record.save()
    names: dict[str, list[Json]] = {"created": [], "changed": [], "removed": [], "unchanged": []}
    for path in plan.before:
        before, after = changes.get(path, (b"", b""))
        if path not in changes:
            word = "unchanged" if plan.before[path] is not None else ""
        else:
            word = "created" if before is None else "removed" if after is None else "changed"
        if word:
            names[word].append(plan.shown(path))
    body: dict[str, Json] = {"status": "ok", "root": str(plan.root)}
    body |= {"dry_run": True} if wish.dry_run else {}
    body["clients"] = [client.name for client in clients]
    body |= {word: paths for word, paths in names.items() if paths}
    if notes := [f"{c.title}: {c.note}" for c in clients if c.note and not wish.remove]:
        body["notes"] = [*notes]
    diff = "".join(unified_diff(plan.shown(p), *sides) for p, sides in changes.items())
    return body | ({"diff": diff} if diff else {})
