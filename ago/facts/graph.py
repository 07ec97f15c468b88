"""Write the graph that agocheck answers with (modules, packages, files, imports) into the database.

Invariant: everything here happens inside a transaction of the caller.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ago.checker.results import Context, FurtherContext, LoadResult, Module, Package
from ago.facts.store import write_meta


def put_graph(db: sqlite3.Connection, load: LoadResult) -> int:
    """Replace the graph (modules, packages, files, imports) and return its context's number."""
    context = put_context(db, load["context"])
    drop_packages(db, context)
    # A module that left the build keeps its row, since facts of another build may name it.
    db.execute("UPDATE module SET main = 0, workspace = 0")
    for module in load["modules"] or ():
        put_module(db, module)
    put_packages(db, context, load["packages"] or ())
    go = load["context"]
    write_meta(db, "go_version", go["go_version"])
    write_meta(db, "gomodcache", go["gomodcache"])
    return context


def put_context(db: sqlite3.Connection, context: Context | FurtherContext) -> int:
    """The number of a build context."""
    key = (context["goos"], context["goarch"], ",".join(context["tags"] or ()), context["cgo"])
    db.execute("INSERT OR IGNORE INTO context (goos, goarch, tags, cgo) VALUES (?, ?, ?, ?)", key)
    row = db.execute(
        "SELECT id FROM context WHERE goos = ? AND goarch = ? AND tags = ? AND cgo = ?", key
    ).fetchone()
    return int(row[0])


def put_packages(db: sqlite3.Connection, context: int, packages: Iterable[Package]) -> None:
    """Replace the graph rows of some packages."""
    modules = dict(db.execute("SELECT path, id FROM module"))
    for package in packages:
        drop_package(db, context, package["pkg"])
        cursor = db.execute(
            "INSERT INTO package (pkg, context, module, name, dir, main, cgo, error)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                package["pkg"], context, modules.get(package["module"]), package["name"],
                package["dir"], package["main"], package.get("cgo", False),
                package.get("error") or "",
            ),
        )  # fmt: skip
        number = cursor.lastrowid
        db.executemany(
            "INSERT OR REPLACE INTO package_file VALUES (?, ?, ?)",
            [(number, f["path"], f["role"]) for f in package["files"] or ()],
        )
        lists = enumerate((package["imports"], package["test_imports"], package["xtest_imports"]))
        db.executemany(
            "INSERT OR IGNORE INTO package_import VALUES (?, ?, ?)",
            [(number, path, kind) for kind, paths in lists for path in paths or ()],
        )


def drop_packages(db: sqlite3.Connection, context: int) -> None:
    """Forget the graph rows of all packages of a context."""
    db.execute("DELETE FROM package WHERE context = ?", (context,))


def drop_package(db: sqlite3.Connection, context: int, pkg: str) -> None:
    """Forget the graph rows of a package; files and imports go with it."""
    db.execute("DELETE FROM package WHERE pkg = ? AND context = ?", (pkg, context))


def put_module(db: sqlite3.Connection, module: Module) -> None:
    """Write the row of one module."""
    db.execute(
        "INSERT INTO module (path, dir, main, workspace, go_version, gomod)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET dir = excluded.dir,"
        " main = excluded.main, workspace = excluded.workspace,"
        " go_version = excluded.go_version, gomod = excluded.gomod",
        (
            module["path"], module["dir"], module["main"], module.get("workspace", False),
            module["go_version"], module["gomod"],
        ),
    )  # fmt: skip
