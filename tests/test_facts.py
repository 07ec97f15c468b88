"""Facts and workspace: what a load stores, and that it follows the disk."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from dirs import Dirs
from workspaces import copy_demo, opened, write

from ago.checker.checker import CheckRequest
from ago.checker.gocmd import clean_goflags, find_go
from ago.facts import read
from ago.facts.store import FactsStore, read_meta
from ago.protocol.errors import CheckerUnavailable
from ago.protocol.requests import Query
from ago.queries.catalog import answer_kind
from ago.workspace.roots import drop_vanished, facts_folder
from ago.workspace.snapshot import DiskMoved, Snapshot
from ago.workspace.workspace import Workspace
from grammar_ops.reject import Json
from grammar_ops.scope import Ref


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("", "-buildvcs=false"),
        ("-tags=a,b -mod=mod -toolexec=/x", "-buildvcs=false -tags=a,b"),
        ("-mod=vendor -overlay=o.json -modfile=x.mod", "-buildvcs=false -mod=vendor"),
        ("--tags=e2e -race", "-buildvcs=false -tags=e2e"),
    ],
)
def test_goflags_keep_only_tags_and_vendor(given: str, kept: str) -> None:
    assert clean_goflags(given) == kept


def test_facts_of_another_checker_are_dropped(tmp_path: Path) -> None:
    first = FactsStore(tmp_path / "facts.db", "one")
    with first.transaction() as db:
        db.execute("INSERT INTO meta VALUES ('seen', 'yes')")
    first.close()
    same = FactsStore(tmp_path / "facts.db", "one")
    reader = same.borrow()
    assert read_meta(reader, "seen") == "yes"
    same.give_back(reader)
    same.close()
    other = FactsStore(tmp_path / "facts.db", "two")
    reader = other.borrow()
    assert read_meta(reader, "seen") == ""
    other.give_back(reader)
    other.close()


def test_a_damaged_database_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_bytes(b"this is no database, whatever its name says" * 100)
    store = FactsStore(tmp_path / "facts.db", "one")
    with store.transaction() as db:
        assert read_meta(db, "fingerprint") == "one"
    store.close()


def test_a_reader_keeps_its_state_while_another_writes(tmp_path: Path) -> None:
    store = FactsStore(tmp_path / "facts.db", "one")
    reader = store.borrow()
    with store.transaction() as db:
        db.execute("INSERT INTO meta VALUES ('later', 'x')")
        assert read_meta(reader, "later") == ""
    assert read_meta(reader, "later") == ""
    with pytest.raises(sqlite3.OperationalError):
        reader.execute("DELETE FROM meta")
    store.give_back(reader)
    reader = store.borrow()
    assert read_meta(reader, "later") == "x"
    store.give_back(reader)
    store.close()


def refs_of(snapshot: Snapshot, pkg: str, sym: str) -> list[tuple[str, str]]:
    """(path, role) of the references that have text."""
    found: list[Ref] = read.refs(snapshot.facts, pkg, sym)
    return [(ref.path, ref.role) for ref in found if ref.span.start < ref.span.end]


@pytest.mark.go
def test_a_load_stores_objects_refs_and_the_graph(tmp_path: Path, ago_dirs: Dirs) -> None:
    with opened(copy_demo(tmp_path), ago_dirs) as workspace, workspace.snapshot() as snapshot:
        assert list(snapshot.packages()) == ["demo", "demo/lib", "demo/sig"]
        info = read.object_info(snapshot.facts, "demo/lib", "Double")
        assert info is not None
        assert (info.kind, info.type, info.path) == ("func", "func(v int) int", "lib/lib.go")
        source = (tmp_path / "demo" / "lib/lib.go").read_bytes()
        assert source[slice(*info.name_span)] == b"Double"
        assert refs_of(snapshot, "demo/lib", "Double") == [
            ("lib/lib.go", "doc_name"),
            ("lib/lib.go", "def"),
            ("lib/store_test.go", "call"),
            ("lib/store_test.go", "call"),
            ("main.go", "call"),
            ("sig/scale.go", "doc_link"),
            ("sig/scale.go", "call"),
        ]
        members = read.related(snapshot.facts, "demo/lib", "Store", "members")
        assert [m.sym for m in members if m.kind == "field"] == ["Store.n", "Store.sum"]
        up = read.related(snapshot.facts, "demo/sig", "adder.Run", "interface_methods")
        down = read.related(snapshot.facts, "demo/sig", "Job.Run", "implementors")
        assert [m.sym for m in up] == ["Job.Run"]
        assert [m.sym for m in down] == ["adder.Run"]
        assert snapshot.graph.reverse_closure(["demo/lib"]) == {"demo", "demo/lib", "demo/sig"}


@pytest.mark.go
def test_a_warm_start_needs_no_checker(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        before = refs_of(snapshot, "demo/lib", "Store")
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        assert refs_of(snapshot, "demo/lib", "Store") == before
        assert workspace.resident.pid == 0


def follow(workspace: Workspace, root: Path) -> None:
    """Edit the tree in every way an editor may, and compare the facts after each."""
    write(root, {"lib/helper.go": "package lib\n\nfunc helper(v int) int { return Double(v) }\n"})
    with workspace.snapshot() as snapshot:
        assert read.object_info(snapshot.facts, "demo/lib", "UseHelper") is None
        assert ("lib/helper.go", "call") in refs_of(snapshot, "demo/lib", "Double")
        errors = snapshot.facts.execute("SELECT file, msg FROM diagnostic").fetchall()
        assert {file for file, _ in errors} == {"lib/helper_test.go"}
    write(
        root, {"lib/helper_test.go": None, "lib/more.go": "package lib\n\nvar More = Double(1)\n"}
    )
    with workspace.snapshot() as snapshot:
        assert snapshot.facts.execute("SELECT * FROM diagnostic").fetchall() == []
        assert read.object_info(snapshot.facts, "demo/lib", "TestUseHelper") is None
        assert read.object_info(snapshot.facts, "demo/lib", "More") is not None
    write(root, {"extra/extra.go": 'package extra\n\nimport "demo/lib"\n\nvar X = lib.More\n'})
    with workspace.snapshot() as snapshot:
        assert "demo/extra" in snapshot.packages()
        assert ("extra/extra.go", "read") in refs_of(snapshot, "demo/lib", "More")
    # The API of lib moves: what imports it is checked again too.
    write(root, {"lib/more.go": "package lib\n\nvar Less = Double(1)\n"})
    with workspace.snapshot() as snapshot:
        errors = snapshot.facts.execute("SELECT file, msg FROM diagnostic").fetchall()
        assert errors == [("extra/extra.go", "undefined: lib.More")]
    write(root, {"extra/extra.go": None})
    (root / "extra").rmdir()
    with workspace.snapshot() as snapshot:
        assert "demo/extra" not in snapshot.packages()
        assert snapshot.facts.execute("SELECT * FROM diagnostic").fetchall() == []


@pytest.mark.go
def test_outside_edits_are_followed_by_a_running_checker(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as workspace:
        workspace.snapshot().close()
        assert workspace.resident.running
        follow(workspace, root)


@pytest.mark.go
def test_edits_between_sessions_are_followed_from_the_facts(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as workspace:
        workspace.snapshot().close()
    write(root, {"lib/more.go": "package lib\n\nvar More = 1\n"})
    write(root, {"main.go": (root / "main.go").read_text() + "\nvar _ = lib.More\n"})
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        assert ("main.go", "read") in refs_of(snapshot, "demo/lib", "More")
    write(root, {"lib/more.go": "package lib\n\nvar Less = 1\n"})
    with opened(root, ago_dirs) as workspace:
        with workspace.snapshot() as snapshot:
            errors = snapshot.facts.execute("SELECT file, msg FROM diagnostic").fetchall()
            assert errors == [("main.go", "undefined: lib.More")]
        # The checker that this needed dies; the next edit still arrives.
        workspace.resident.close()
        follow_crash(workspace, root)


def follow_crash(workspace: Workspace, root: Path) -> None:
    """After the process is gone facts catch up with what happened meanwhile."""
    write(root, {"lib/more.go": "package lib\n\nvar More, Less = 1, 2\n"})
    with workspace.snapshot() as snapshot:
        assert snapshot.facts.execute("SELECT * FROM diagnostic").fetchall() == []


class Written(NamedTuple):
    """What a receipt tells the workspace."""

    token: str
    edit: int = 1
    renames: tuple[tuple[str, str, str], ...] = ()
    moves: tuple[tuple[str, str, str], ...] = ()


@pytest.mark.go
def test_our_own_commit_needs_no_second_check(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as workspace:
        workspace.snapshot().close()
        text = (root / "lib/lib.go").read_bytes() + b"\nvar Added = Double(2)\n"
        result = workspace.resident.check(CheckRequest({"lib/lib.go": text}))
        assert not any(unit.diagnostics for unit in result.units)
        (root / "lib/lib.go").write_bytes(text)
        with workspace.snapshot() as before:
            stale = before.version
        # Seen from outside first: the token is stale, and the facts come all the same.
        workspace.advance(Written(result.candidate), {"lib/lib.go": text})
        with workspace.snapshot() as snapshot:
            assert snapshot.version > stale
            assert read.object_info(snapshot.facts, "demo/lib", "Added") is not None
        more = text + b"\nvar More = Added\n"
        result = workspace.resident.check(CheckRequest({"lib/lib.go": more}))
        (root / "lib/lib.go").write_bytes(more)
        workspace.advance(Written(result.candidate), {"lib/lib.go": more})
        with workspace.snapshot() as snapshot:
            assert ("lib/lib.go", "read") in refs_of(snapshot, "demo/lib", "Added")
            assert read.object_info(snapshot.facts, "demo/lib", "More") is not None
            assert snapshot.read("lib/lib.go") == more


@pytest.mark.go
def test_a_new_go_mod_line_reloads(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as workspace:
        workspace.snapshot().close()
        write(root, {"go.mod": "module demo\n\ngo 1.21\n"})
        with workspace.snapshot() as snapshot:
            errors = snapshot.facts.execute("SELECT file FROM diagnostic").fetchall()
        # A range over an integer needs Go 1.22.
        assert ("main.go",) in errors


@pytest.mark.go
def test_missing_modules_leave_a_smaller_graph(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(
        tmp_path / "m",
        {
            "go.mod": "module m\n\ngo 1.26\n\nrequire example.com/nowhere v1.0.0\n",
            "m.go": 'package m\n\nimport _ "example.com/nowhere"\n',
        },
    )
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        (missing,) = snapshot.graph.missing_modules()
    assert missing.mend == "send the op mod_tidy, or run `go mod tidy`"


@pytest.mark.go
def test_a_file_that_moves_under_a_reader_is_told(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as workspace:
        with workspace.snapshot() as snapshot:
            write(root, {"lib/lib.go": "package lib\n"})
            with pytest.raises(DiskMoved):
                snapshot.read("lib/lib.go")
        assert workspace.reading(lambda s: s.read("lib/lib.go")) == b"package lib\n"


@pytest.mark.go
def test_a_crash_is_answered_and_the_next_call_works(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = copy_demo(tmp_path)
    with opened(root, ago_dirs) as workspace:
        workspace.snapshot().close()
        process = workspace.resident._process
        assert process is not None
        process._process.kill()
        process._process.wait()
        time.sleep(0.05)
        assert workspace.resident.syntax("expr", "a +") is not None
        assert workspace.resident.pid not in (0, process.pid)


@pytest.mark.go
def test_without_a_checker_there_are_packages_and_no_types(
    tmp_path: Path, ago_dirs: Dirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Path:
        raise CheckerUnavailable("checker_unavailable", "no compiler")

    monkeypatch.setattr("ago.workspace.workspace.find_agocheck", fail)
    with opened(copy_demo(tmp_path), ago_dirs) as workspace, workspace.snapshot() as snapshot:
        assert list(snapshot.packages()) == ["demo", "demo/lib", "demo/sig"]
        with pytest.raises(CheckerUnavailable):
            _ = snapshot.facts


@pytest.mark.go
def test_behind_a_watcher_answers_still_show_the_disk(
    tmp_path: Path, ago_dirs: Dirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ago.workspace.lookout.WATCH_ABOVE", 0)
    root = copy_demo(tmp_path)

    def count(snapshot: Snapshot) -> Json:
        return answer_kind(snapshot, Query(kind="refs", pkg="demo/lib", sym="Double"))["count"]

    with opened(root, ago_dirs) as workspace:
        assert workspace.reading(count) == 7
        assert workspace.reading(lambda snapshot: snapshot.watched)
        # The watcher may not have spoken yet: the file that the answer names is looked at.
        source = (root / "main.go").read_text()
        write(root, {"main.go": source.replace("lib.Double(v)", "lib.Double(lib.Double(v))")})
        assert workspace.reading(count) == 8
        write(root, {"lib/new.go": "package lib\n\nvar New = Double(1)\n"})
        deadline = time.monotonic() + 5
        while workspace.reading(count) != 9:
            assert time.monotonic() < deadline, "the watcher never told of a new file"
            time.sleep(0.02)


@pytest.mark.go
def test_a_module_beside_the_root_is_followed(tmp_path: Path, ago_dirs: Dirs) -> None:
    write(
        tmp_path,
        {
            "app/go.mod": "module app\n\ngo 1.26\n\nrequire dep v0.0.0\n\nreplace dep => ../dep\n",
            "app/main.go": 'package main\n\nimport "dep"\n\nfunc main() { dep.F() }\n',
            "dep/go.mod": "module dep\n\ngo 1.26\n",
            "dep/dep.go": "package dep\n\nfunc F() {}\n",
        },
    )
    with opened(tmp_path / "app", ago_dirs) as workspace:
        with workspace.snapshot() as snapshot:
            assert list(snapshot.packages()) == ["app"]
            assert snapshot.uncovered() == ()
        write(tmp_path, {"dep/dep.go": "package dep\n\nfunc G() {}\n"})
        with workspace.snapshot() as snapshot:
            errors = snapshot.facts.execute("SELECT file, msg FROM diagnostic").fetchall()
    assert errors == [("main.go", "undefined: dep.F")]


@pytest.mark.go
def test_a_go_work_is_one_workspace(tmp_path: Path, ago_dirs: Dirs) -> None:
    root = write(
        tmp_path / "w",
        {
            "go.work": "go 1.26\n\nuse (\n\t./a\n\t./b\n)\n",
            "a/go.mod": "module example.com/a\n\ngo 1.26\n",
            "a/a.go": "package a\n\nfunc A() {}\n",
            "b/go.mod": "module example.com/b\n\ngo 1.26\n",
            "b/b.go": 'package b\n\nimport "example.com/a"\n\nvar _ = a.A\n',
            "c/go.mod": "module example.com/c\n\ngo 1.26\n",
            "c/c.go": "package c\n",
        },
    )
    with opened(root, ago_dirs) as workspace, workspace.snapshot() as snapshot:
        assert list(snapshot.packages()) == ["example.com/a", "example.com/b"]
        assert refs_of(snapshot, "example.com/a", "A") == [("a/a.go", "def"), ("b/b.go", "value")]
        module = snapshot.graph.module_of("example.com/b/new")
        assert module is not None
        assert module.dir == "b"
        assert [folder for folder, _ in snapshot.graph.not_loaded] == ["c"]


@pytest.mark.go
def test_facts_of_a_root_that_is_gone_are_dropped(tmp_path: Path) -> None:
    go = find_go()
    kept, gone = tmp_path / "kept", tmp_path / "gone"
    kept.mkdir()
    gone.mkdir()
    stays, goes = (facts_folder(tmp_path / "cache", root, go) for root in (kept, gone))
    gone.rmdir()
    assert drop_vanished(tmp_path / "cache", stays) == [goes]
    assert stays.exists()
    assert not goes.exists()
