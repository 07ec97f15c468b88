"""The shape of the code: import ranks, purity, sizes, names, and who may approve an edit."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# An import goes only to a lower rank, or stays inside one folder.
RANKS = {
    "ago": 0,  # the package itself holds the version and nothing else
    "ago.wire": 0,
    "ago.protocol.errors": 0,  # what an operator has to mend; every layer may raise it
    "grammar_ops": 1,
    "ago.protocol": 2,
    "ago.config": 2,
    "ago.checker": 2,
    "ago.facts": 3,
    "ago.workspace": 4,
    "ago.stages": 5,
    "ago.queries": 6,
    "ago.gate": 6,
    "ago.commit": 6,
    "ago.runs": 6,
    "ago.patch": 7,
    "ago.repair": 8,
    "ago.catalog": 8,
    "ago.daemon": 9,
    "ago.fronts": 10,
    "ago.scaffold": 10,
    "ago.dev": 10,
    "ago.main": 11,
    "ago.__main__": 12,
}

# All that grammar_ops may import: nothing here opens, runs, connects or remembers anything.
PURE = {
    "__future__", "abc", "bisect", "collections", "contextlib", "dataclasses", "difflib", "enum",
    "functools", "grammar_ops", "hashlib", "heapq", "itertools", "json", "keyword", "operator",
    "pydantic", "pydantic_core", "re", "string", "textwrap", "tree_sitter", "tree_sitter_go",
    "types", "typing", "typing_extensions", "unicodedata",
}  # fmt: skip
# The catalog is a walk of the package's own folder.
PURE_FOR = {"grammar_ops.catalog": {"importlib", "pkgutil", "inspect"}}
IMPURE_CALLS = {"open", "print", "input", "eval", "exec", "compile", "__import__", "breakpoint"}

# What a call of `ago` may not pay for before it has reached the daemon.
HEAVY = {
    "pydantic", "click", "tree_sitter", "orjson", "asyncio", "sqlite3", "watchdog", "logging",
    "argparse", "typing", "dataclasses", "grammar_ops", "ago.protocol", "ago.main",
}  # fmt: skip

BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}
MODULE_CAP = 400
FUNCTION_CAP = 50

# The frozen fixture: a change of it changes what every golden case starts from.
DEMO_HASH = "08cea57dbdbed4c4"


@cache
def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    found = {}
    for package in ("ago", "grammar_ops"):
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed module."""
    return ast.parse(path.read_text(), str(path))


def imports_of(module: str) -> Iterator[str]:
    """Every module that `module` imports, at any depth of it, type-checking blocks included."""
    for node in ast.walk(tree_of(modules()[module])):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}: relative imports hide ranks"
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules() else node.module


def rank_key(module: str) -> str:
    """The longest entry of RANKS that covers `module`."""
    if module.split(".")[0] == "grammar_ops":
        return "grammar_ops"
    parts = module.split(".")
    keys = [".".join(parts[:length]) for length in range(len(parts), 1, -1)] or ["ago"]
    found = next((key for key in keys if key in RANKS), None)
    assert found is not None, f"{module}: give {keys[-1]} a rank"
    return found


@pytest.mark.parametrize("module", sorted(modules()))
def test_imports_go_to_lower_ranks(module: str) -> None:
    own = rank_key(module)
    for target in imports_of(module):
        if target.split(".")[0] not in ("ago", "grammar_ops"):
            continue
        other = rank_key(target)
        assert other == own or RANKS[other] < RANKS[own], f"{module} imports {target}"


@pytest.mark.parametrize("module", sorted(m for m in modules() if m.startswith("grammar_ops")))
def test_grammar_ops_is_pure(module: str) -> None:
    allowed = PURE | PURE_FOR.get(module, set())
    impure = {name for name in imports_of(module) if name.split(".")[0] not in allowed}
    assert not impure, f"{module} imports {sorted(impure)}"
    for node in ast.walk(tree_of(modules()[module])):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in IMPURE_CALLS, f"{module}:{node.lineno} {node.func.id}()"
        assert not isinstance(node, ast.Global), f"{module}:{node.lineno} global"


def test_grammar_ops_runs_alone() -> None:
    """Importing all of grammar_ops brings in no module of ago."""
    names = [m for m in modules() if m.startswith("grammar_ops")]
    code = (
        "import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "bad = [m for m in sys.modules if m == 'ago' or m.startswith('ago.')]\n"
        "print(*bad)"
    )
    assert run_python(code) == ""


def test_client_stays_light() -> None:
    """A call of `ago` reaches the daemon with the standard library's socket machinery alone."""
    code = (
        "import sys\nbefore = set(sys.modules)\nimport ago.daemon.client\n"
        f"print(*sorted({HEAVY!r} & (set(sys.modules) - before)))"
    )
    assert run_python(code) == ""


def test_an_mcp_client_waits_for_no_catalog() -> None:
    """A daemon that was started for one answers the handshake and the list without it."""
    late = {"tree_sitter", "sqlite3", "grammar_ops.catalog", "ago.patch", "ago.catalog"}
    code = (
        "import sys, ago.__main__, ago.fronts.resident, ago.fronts.mcp.server\n"
        f"print(*sorted({late!r} & set(sys.modules)))"
    )
    assert run_python(code) == ""


def run_python(code: str) -> str:
    """Standard output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_only_the_gate_approves() -> None:
    """`Approved` is constructed in one place, so nothing else can bring an edit to disk."""
    places = [
        module
        for module in modules()
        for node in ast.walk(tree_of(modules()[module]))
        if isinstance(node, ast.Call)
        and (getattr(node.func, "id", None) or getattr(node.func, "attr", None)) == "Approved"
    ]
    assert set(places) <= {"ago.gate.gate"}, places


@pytest.mark.parametrize("module", sorted(modules()))
def test_module_shape(module: str) -> None:
    path = modules()[module]
    text = path.read_text()
    assert len(text.splitlines()) <= MODULE_CAP, f"{module} has more than {MODULE_CAP} lines"
    if path.name != "__init__.py" or text.strip():
        duty = (ast.get_docstring(tree_of(path)) or "").partition("\n")[0]
        assert duty.endswith((".", ":")), f"{module}: the first line of the docstring is its duty"
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= FUNCTION_CAP, f"{module}.{node.name} has {length} lines"


def test_module_names_say_something() -> None:
    named = {m for m in modules() if set(m.split(".")) & BANNED_NAMES}
    assert not named


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository that match, without what is built or fetched."""
    skip = {
        ".venv", "vendor", "build", "dist", ".git", "__pycache__", ".hypothesis", "node_modules",
    }  # fmt: skip
    return [
        path
        for pattern in patterns
        for path in sorted(ROOT.rglob(pattern))
        if not skip & set(path.relative_to(ROOT).parts) and path.is_file()
    ]


def test_no_long_files() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in tracked("*.py", "*.go")
        if "testdata" not in path.parts
        and (count := len(path.read_text().splitlines())) > MODULE_CAP
    }
    assert not long


def test_no_scripts() -> None:
    """Tooling is a subcommand (`ago dev`), so that it is typed, linted and tested like the rest."""
    allowed = {".ci/run"}
    scripts = {
        path.relative_to(ROOT).as_posix()
        for path in tracked("*")
        if path.suffix in (".sh", ".bash", ".pl")
        or (path.suffix != ".py" and path.read_bytes()[:2] == b"#!")
    }
    assert scripts - allowed == set()


def test_vocabulary_has_one_word_per_thing() -> None:
    """Nothing is got: `find_` and `resolve_` say what a miss does."""
    bad = {
        f"{module}.{node.name}"
        for module in modules()
        for node in ast.walk(tree_of(modules()[module]))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("get_")
    }
    assert not bad


def test_nothing_is_left_for_later() -> None:
    """A TODO names its issue; code that is commented out or stubbed is not code."""
    for path in tracked("*.py", "*.go"):
        if path == Path(__file__) or "testdata" in path.parts:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            place = f"{path.relative_to(ROOT)}:{number}"
            # context.TODO is a function of Go's standard library.
            assert not re.search(r"(?<!context\.)TODO\b(?!\(#)|FIXME|XXX", line), place


def test_demo_is_frozen() -> None:
    digest = hashlib.sha256()
    demo = ROOT / "testdata" / "demo"
    for path in sorted(p for p in demo.rglob("*") if p.is_file()):
        digest.update(path.relative_to(demo).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    assert digest.hexdigest()[:16] == DEMO_HASH, "testdata/demo changed: check every golden case"
