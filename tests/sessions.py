"""Sessions for tests: in this process, and behind the real `ago` command; and their facts."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dirs import Dirs

from ago.checker.gocmd import find_go
from ago.config import cache_home, load_config
from ago.facts.load import UNIT_SHIFT
from ago.main import Session, open_session
from ago.workspace.roots import build_hash

Json = dict[str, Any]
AGO = Path(sys.executable).with_name("ago")


class Calls:
    """A session as a function from tool and arguments to an answer."""

    def __init__(self, session: Session) -> None:
        """Wrap an open session."""
        self.session = session

    def __call__(self, tool: str, args: Json) -> Json:
        """The answer of one tool call."""
        answer: Json = self.session.call(tool, args)
        return answer


@contextlib.contextmanager
def opened(root: Path, dirs: Dirs) -> Iterator[Calls]:
    """A session on `root`: the cache is that of all tests, the state folder its own."""
    name = hashlib.sha256(str(root).encode()).hexdigest()[:16]
    session = open_session(
        root,
        cache_dir=cache_home(dirs.env()),
        state_dir=dirs.state / name,
        config=load_config(root, dirs.env()),
    )
    try:
        yield Calls(session)
    finally:
        session.close()


def run_ago(
    root: Path, argv: list[str], dirs: Dirs, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the real command in `root`."""
    return subprocess.run(
        [str(AGO), "-C", str(root), *argv],
        input=stdin, capture_output=True, text=True, check=False, env=dirs.env(), timeout=120,
    )  # fmt: skip


def ask_mcp(root: Path, tool: str, args: Json, dirs: Dirs) -> Json:
    """The answer of a tool through `ago mcp`, by the lines that a client would write."""
    client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t"}}
    client["clientInfo"]["version"] = "1"
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": tool, "arguments": args},
        },
    ]
    done = run_ago(root, ["mcp"], dirs, "".join(f"{json.dumps(line)}\n" for line in lines))
    answer: Json = json.loads(done.stdout.splitlines()[-1])["result"]["structuredContent"]
    return answer


# Columns of fact tables that hold the number of a symbol or of a path.
_SYMBOLS = ("symbol", "encl", "parent", "type", "interface", "via", "method")
_UNITS = "SELECT id, pkg, variant, name, api_hash, errors FROM unit"


def read_facts(root: Path, dirs: Dirs) -> dict[str, list[tuple[object, ...]]]:
    """Every fact of a workspace by table, with names in the place of numbers, sorted."""
    key = build_hash(root, find_go(None))
    db = sqlite3.connect(cache_home(dirs.env()) / "facts" / key / "facts.db")
    symbols = {number: f"{pkg}#{sym}" for number, pkg, sym in db.execute("SELECT * FROM symbol")}
    paths = dict(db.execute("SELECT id, path FROM path"))
    units = {row[0]: row[1:3] for row in db.execute(_UNITS)}
    found: dict[str, list[tuple[object, ...]]] = {
        "unit": sorted(row[1:] for row in db.execute(_UNITS))
    }
    found["unit_file"] = sorted(
        (*units[unit], paths[path], digest, vector)
        for unit, path, digest, vector in db.execute("SELECT * FROM unit_file")
    )
    for table in ("diagnostic", "object", "use", "import", "method", "assertion"):
        cursor = db.execute(f'SELECT * FROM "{table}"')
        columns = [column[0] for column in cursor.description]
        rows = []
        for row in cursor:
            named = dict(zip(columns, row, strict=True))
            unit = units[named.pop("id") >> UNIT_SHIFT]
            for column in named:
                if column in _SYMBOLS and isinstance(named[column], int):
                    named[column] = symbols.get(named[column], "")
                elif column == "path":
                    named[column] = paths[named[column]]
            rows.append((*unit, *named.values()))
        found[table] = sorted(rows, key=str)
    db.close()
    return found
