"""Facts after an edit: references of what did not change are kept, and equal a fresh load's."""

from __future__ import annotations

from pathlib import Path

import pytest
from dirs import Dirs
from sessions import read_facts
from workspaces import opened, write

from ago.checker.results import UnitResult
from ago.facts import load
from ago.facts.store import FactsStore
from ago.workspace.workspace import Workspace

MODULE = {
    "go.mod": "module demo\n\ngo 1.24\n",
    "lib/a.go": (
        "package lib\n\n// A calls [B] and [C].\nfunc A() int { return B() }\n\n"
        "// T has a method.\ntype T struct{ N int }\n\n"
        "// M is it.\nfunc (t T) M() int { return t.N }\n"
    ),
    "lib/b.go": (
        "package lib\n\nfunc B() int { return 1 }\n\n"
        "// C is like [A].\nfunc C() int { return 2 }\n"
    ),
    "lib/a_test.go": (
        'package lib\n\nimport "testing"\n\nvar _ interface{ M() int } = (*T)(nil)\n\n'
        "func TestA(t *testing.T) { _ = A() + T{1}.M() }\n"
    ),
    "lib/x_test.go": (
        'package lib_test\n\nimport (\n\t"testing"\n\n\t"demo/lib"\n)\n\n'
        "func TestX(t *testing.T) { _ = lib.B() }\n"
    ),
    "use/u.go": (
        'package use\n\nimport "demo/lib"\n\n// U is [lib.B].\nfunc U() int { return lib.B() }\n'
    ),
    "use/v.go": 'package use\n\nimport "demo/lib"\n\nfunc V(t lib.T) int { return t.M() }\n',
}  # fmt: skip

EDITS: list[tuple[str, str, str]] = [
    ("lib/b.go", "return 1", "return A()*0 + 1"),
    ("use/u.go", "return lib.B()", "x := lib.T{}\n\treturn lib.B() + x.M()"),
    ("lib/b.go", "// C is like [A].\nfunc C() int { return 2 }\n", ""),
    ("lib/a.go", "N int", "N, O int"),
    ("lib/a.go", "{ return t.N }", "{ return t.N + t.O }"),
    ("lib/a_test.go", "A() + ", "B() + "),
    ("lib/b.go", "func B() int { return", "var B = func() int { return"),
    ("use/v.go", "return t.M()", "return t.M() + undefined"),
    ("use/u.go", "return lib.B()", "return lib.B() + U()"),
]


@pytest.mark.go
def test_facts_after_edits_are_those_of_a_fresh_load(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(tmp_path / "m", MODULE)
    with opened(root, ago_dirs) as workspace:
        follow(workspace, root, tmp_path, ago_dirs)


def follow(workspace: Workspace, root: Path, scratch: Path, dirs: Dirs) -> None:
    workspace.snapshot().close()
    for number, (path, old, new) in enumerate(EDITS):
        text = (root / path).read_text()
        assert old in text
        write(root, {path: text.replace(old, new)})
        workspace.snapshot().close()
        fresh = fresh_dirs(scratch / str(number), dirs)
        with opened(root, fresh) as other:
            other.snapshot().close()
        assert read_facts(root, dirs) == read_facts(root, fresh), (path, new)


def fresh_dirs(folder: Path, dirs: Dirs) -> Dirs:
    """Dirs without facts that share the program and the dependencies."""
    fresh = dirs._replace(cache=folder / "cache", state=folder / "state")
    (fresh.cache / "ago").mkdir(parents=True)
    for shared in ("agocheck", "deps"):
        (fresh.cache / "ago" / shared).symlink_to(dirs.cache / "ago" / shared)
    return fresh


def unit(kept: list[int], uses: list[str]) -> UnitResult:
    """A unit of two files with one object; `uses` has a role for each reference in the second."""
    return {
        "pkg": "p", "variant": "", "module": "p", "name": "p", "api_hash": "h", "errors": False,
        "diagnostics": [],
        "files": [
            {"path": "a.go", "hash": "1", "vector": "1"},
            {"path": "b.go", "hash": "2", "vector": "2"},
        ],
        "facts": {
            "objs": [("p", "F")], "objects": [], "imports": [], "methods": [], "asserts": [],
            "effects": [],
            "uses": [(0, 1, i, 1, i + 1, 1, role, -1, 0) for i, role in enumerate(uses)],
            "kept": kept,
        },
    }  # fmt: skip


def test_kept_rows_stay_and_rows_of_comments_are_replaced(tmp_path: Path) -> None:
    store = FactsStore(tmp_path / "facts.db", "one")
    with store.transaction() as db:
        context = db.execute(
            "INSERT INTO context (goos, goarch, tags, cgo) VALUES ('', '', '', 0)"
        ).lastrowid
        writer = load.UnitWriter(db, context or 0, load.Interner())
        writer.put(unit([], ["def", "call", "doc_link"]))
        writer.put(unit([1], ["doc_link", "doc_link"]))
        assert not writer.torn
        uses = 'SELECT r.name FROM "use" u JOIN role r ON r.id = u.role ORDER BY u.id'
        roles = [role for (role,) in db.execute(uses)]
        assert roles == ["def", "call", "doc_link", "doc_link"]
        db.execute('UPDATE "use" SET id = id + ?', (load.LAST_ORDINAL // 2,))
        writer.put(unit([1], []))
        first, count = db.execute('SELECT min(id), count(*) FROM "use"').fetchone()
        assert (first & load.LAST_ORDINAL, count) == (0, 2)
    store.close()


def test_rows_of_another_version_are_asked_for(tmp_path: Path) -> None:
    store = FactsStore(tmp_path / "facts.db", "one")
    with store.transaction() as db:
        writer = load.UnitWriter(db, 1, load.Interner())
        writer.put(unit([0, 1], []))
        assert writer.torn == {"p"}
    store.close()
