"""History replayed through ago, and edits there and back: a slice on small repositories made here.

The long runs are `python -m bench.oracle` and `python -m bench.roundtrip`.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from dirs import Dirs
from golden import TESTDATA

from ago.config import cache_home
from bench.oracle.history import Checkout
from bench.oracle.report import Report
from bench.oracle.run import Run
from bench.roundtrip.run import Rounds, Tally
from bench.roundtrip.trips import TRIPS

pytestmark = pytest.mark.go

LIB = """package lib

import "fmt"

// Greet says hello.
func Greet(name string) string {
\tif name == "" {
\t\treturn "nobody"
\t}
\treturn fmt.Sprint("hello ", name)
}

// All greets everybody.
func All() []string {
\treturn []string{Greet("a"), Greet("b")}
}
"""
RENAMED = LIB.replace("Greet", "Salute")
PARAM = RENAMED.replace("name string)", "name string, loud bool)").replace('")}', '", false)}')
PARAM = PARAM.replace('("a")', '("a", false)')
STATEMENTS = PARAM.replace('name == ""', "len(name) == 0")
STATEMENTS = STATEMENTS.replace("\treturn fmt", '\tif loud {\n\t\tname += "!"\n\t}\n\treturn fmt')
STATEMENTS = STATEMENTS.replace('name += "!"', 'name = name + "!"')
HEADED = "// Copyright Nobody.\n\n" + STATEMENTS
ALL = HEADED[HEADED.index("// All") :]
COMMITS: tuple[tuple[str, dict[str, str | None]], ...] = (
    ("first", {"go.mod": "module demo\n\ngo 1.26\n", "lib/lib.go": LIB}),
    ("rename", {"lib/lib.go": RENAMED}),
    ("parameter", {"lib/lib.go": PARAM}),
    ("statements", {"lib/lib.go": STATEMENTS}),
    ("header", {"lib/lib.go": HEADED, "README": "a license\n"}),
    ("new file", {"lib/vars.go": "package lib\n\nvar first = 1\nvar second = first\n"}),
    ("move", {
        "lib/lib.go": HEADED.replace(ALL, "").rstrip() + "\n",
        "lib/vars.go": f"package lib\n\nvar first = 1\nvar second = first\n\n{ALL}",
    }),
    ("order", {"lib/vars.go": f"package lib\n\nvar second = first\nvar first = 1\n\n{ALL}"}),
    ("gone", {"lib/lib.go": None, "lib/vars.go": "package lib\n\nvar first = 1\n"}),
)  # fmt: skip


def test_commits_are_replayed(tmp_path: Path, ago_dirs: Dirs) -> None:
    repo = make_repo(tmp_path / "repo")
    for message, files in COMMITS:
        commit(repo, message, files)
    checkout = Checkout(repo, tmp_path / "clone")
    report = Report("repo", len(COMMITS))
    run = Run(checkout, cache_home(ago_dirs.env()), tmp_path / "state")
    try:
        for one in checkout.list_commits(100):
            report.add(one, run.replay(one), 0.0)
    finally:
        run.close()
    told = {row["title"]: (row["verdict"], row["why"]) for row in report.rows}
    assert told == {"order": ("inexpressible", "order of declarations")}
    assert {"rename", "add_param", "set_head", "add_if", "move_decl"} <= set(report.ops)
    assert report.verdicts["with other files"] == {"equal": 1}


@pytest.mark.parametrize("kind", sorted(TRIPS))
def test_edits_come_back(kind: str, tmp_path: Path, ago_dirs: Dirs) -> None:
    repo = make_repo(tmp_path / "repo")
    demo = TESTDATA / "demo"
    files = {p.relative_to(demo).as_posix(): p.read_text() for p in demo.rglob("*") if p.is_file()}
    commit(repo, "demo", files)
    checkout = Checkout(repo, tmp_path / "clone")
    rounds = Rounds(checkout, cache_home(ago_dirs.env()), tmp_path / "state")
    tally = Tally()
    try:
        for seed in range(8):
            rounds.go(kind, f"{seed}", tally)
    finally:
        rounds.close()
    assert not tally.failures
    assert tally.back_again


def make_repo(root: Path) -> Path:
    """An empty repository."""
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    return root


def commit(root: Path, message: str, files: dict[str, str] | dict[str, str | None]) -> None:
    """Write files (None: delete them) and commit all."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)


def git(root: Path, *args: str) -> None:
    """One git command, without the user's configuration."""
    who = ("-c", "user.name=a", "-c", "user.email=a@example.test", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *args], cwd=root, check=True, capture_output=True)
