"""Write checked units into the facts database, each replaced whole.

Invariant: a unit's rows are those of one check. Rows of an earlier one are kept where agocheck says
that they are the same, and only when they are of the very version that it speaks of.
Invariant: everything here happens inside a transaction of the caller.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from ago.checker.results import Facts, FileResult, UnitResult
from ago.facts.store import ROLES

UNIT_SHIFT = 24
"""A fact's id is unit id << 24 | ordinal: 16 million rows of one kind in one unit."""

MOST_NAMES = 200_000
"""So many names are remembered at most: some 50 MB."""

LAST_ORDINAL = (1 << UNIT_SHIFT) - 1
_FACT_TABLES = ("diagnostic", "object", '"use"', "import", "method", "assertion", "effect")
_WITHOUT_USES = tuple(table for table in _FACT_TABLES if table != '"use"')
_FACT_INDICES = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    " AND tbl_name IN ('object', 'use', 'import', 'method', 'assertion', 'effect')"
)
_ROLE_NUMBERS = {name: number for number, name in enumerate(ROLES)}
_COMMENT_ROLES = tuple(_ROLE_NUMBERS[r] for r in ("doc_link", "doc_name", "directive", "asm"))
"""Roles of uses that are sent anew for kept files too."""


class Interner:
    """Numbers for addresses and paths, remembered from one transaction to the next.

    They never change, so that only a transaction that was rolled back makes them wrong.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._symbols: dict[tuple[str, str], int] = {}
        self._paths: dict[str, int] = {}
        self._new: list[tuple[int, str, str]] = []
        self._next = 0
        self.named: set[int] = set()
        """Symbols that are known to be searchable."""

    def begin(self, db: sqlite3.Connection, whole: bool) -> None:
        """Use a transaction. `whole` reads all known names: cheaper when many units are written."""
        self._db, self._whole = db, whole
        if whole or len(self._symbols) > MOST_NAMES:
            self.forget()
        if whole:
            rows = db.execute("SELECT pkg, sym, id FROM symbol")
            self._symbols = {(pkg, sym): number for pkg, sym, number in rows}
            self._paths = dict(db.execute("SELECT path, id FROM path"))
            self._next = 1 + max(self._symbols.values(), default=0)
            self.named = {number for (number,) in db.execute("SELECT symbol FROM named")}

    def forget(self) -> None:
        """Know nothing: the transaction was rolled back."""
        self._symbols, self._paths, self._new, self.named = {}, {}, [], set()

    def symbol(self, pkg: str, sym: str) -> int:
        """The number of an address."""
        key = (pkg, sym)
        found = self._symbols.get(key)
        if found is None:
            found = self._new_symbol(key) if self._whole else self._find_symbol(key)
            self._symbols[key] = found
        return found

    def flush(self) -> None:
        """Write the names that a whole load has given numbers to."""
        self._db.executemany("INSERT INTO symbol VALUES (?, ?, ?)", self._new)
        self._new.clear()

    def _new_symbol(self, key: tuple[str, str]) -> int:
        number = self._next
        self._next += 1
        self._new.append((number, *key))
        return number

    def _find_symbol(self, key: tuple[str, str]) -> int:
        found = self._find("symbol WHERE pkg = ? AND sym = ?", key)
        return found or self._add("symbol (pkg, sym) VALUES (?, ?)", key)

    def path(self, path: str) -> int:
        """The number of a path."""
        found = self._paths.get(path)
        if found is None:
            found = None if self._whole else self._find("path WHERE path = ?", (path,))
            found = found or self._add("path (path) VALUES (?)", (path,))
            self._paths[path] = found
        return found

    def _find(self, where: str, key: Sequence[str]) -> int | None:
        row = self._db.execute(f"SELECT id FROM {where}", key).fetchone()
        return int(row[0]) if row else None

    def _add(self, into: str, key: Sequence[str]) -> int:
        return int(self._db.execute(f"INSERT INTO {into}", key).lastrowid or 0)


class UnitWriter:
    """Writes units of one build context within one transaction."""

    def __init__(
        self, db: sqlite3.Connection, context: int, names: Interner, whole: bool = False
    ) -> None:
        """`whole`: a load of all units; indices are then made once, by `finish`."""
        self._db, self._context, self._whole = db, context, whole
        self._names = names
        names.begin(db, whole)
        self._indices: list[str] = []
        self.torn: set[str] = set()
        """Packages of units whose kept rows are not here: they are to be asked for whole."""
        if whole:
            rows = db.execute(_FACT_INDICES).fetchall()
            self._indices = [sql for _, sql in rows]
            for name, _ in rows:
                db.execute(f"DROP INDEX {name}")
            self.drop_all()

    def finish(self) -> None:
        """Make the indices that a whole load left out."""
        for sql in self._indices:
            self._db.execute(sql)

    def put(self, unit: UnitResult) -> None:
        """Replace one unit by what was just checked."""
        files = unit["files"] or []
        paths = [self._names.path(f["path"]) for f in files]
        facts = unit.get("facts")
        kept = [(paths[i], files[i]) for i in (facts and facts.get("kept")) or ()]
        number = self._find(unit["pkg"], unit["variant"])
        if kept and number is not None and self._holds(number, kept):
            first = self._keep(number, [path for path, _ in kept])
        else:
            if kept:
                self.torn.add(unit["pkg"])
            first = 0
            self.drop(unit["pkg"], unit["variant"])
            number = None
        number = self._put_unit(number, unit)
        self._db.executemany(
            "INSERT OR REPLACE INTO unit_file VALUES (?, ?, ?, ?)",
            [(number, p, f["hash"], f["vector"]) for p, f in zip(paths, files, strict=True)],
        )
        self._put_diagnostics(number << UNIT_SHIFT, unit)
        if facts:
            self._put_facts(number << UNIT_SHIFT, facts, paths, first)
        self._names.flush()

    def _find(self, pkg: str, variant: str) -> int | None:
        row = self._db.execute(
            "SELECT id FROM unit WHERE pkg = ? AND variant = ? AND context = ?",
            (pkg, variant, self._context),
        ).fetchone()
        return int(row[0]) if row else None

    def _put_unit(self, number: int | None, unit: UnitResult) -> int:
        """The number of the unit's row, written anew under the number that it had."""
        cursor = self._db.execute(
            "INSERT OR REPLACE INTO unit"
            " (id, pkg, variant, context, module, name, api_hash, errors)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number, unit["pkg"], unit["variant"], self._context, unit.get("module") or "",
                unit["name"], unit["api_hash"], unit["errors"],
            ),
        )  # fmt: skip
        return int(cursor.lastrowid or 0)

    def _holds(self, number: int, kept: Sequence[tuple[int, FileResult]]) -> bool:
        """Whether the stored rows of these files are of the version that agocheck knows."""
        rows = self._db.execute(
            "SELECT path, hash, vector FROM unit_file WHERE unit = ?", (number,)
        )
        stored = {path: (digest, vector) for path, digest, vector in rows}
        return all(stored.get(path) == (f["hash"], f["vector"]) for path, f in kept)

    def _keep(self, number: int, paths: Sequence[int]) -> int:
        """Forget a unit's rows but for the uses in some files; the ordinal of the next use."""
        first, last = number << UNIT_SHIFT, (number + 1) << UNIT_SHIFT
        for table in _WITHOUT_USES:
            self._db.execute(f"DELETE FROM {table} WHERE id >= ? AND id < ?", (first, last))
        self._db.execute("DELETE FROM unit_file WHERE unit = ?", (number,))
        self._db.execute(
            'DELETE FROM "use" WHERE id >= ? AND id < ?'
            f" AND (path NOT IN ({_marks(paths)}) OR role IN ({_marks(_COMMENT_ROLES)}))",
            (first, last, *paths, *_COMMENT_ROLES),
        )
        (top,) = self._db.execute(
            'SELECT max(id) FROM "use" WHERE id >= ? AND id < ?', (first, last)
        ).fetchone()
        following = 0 if top is None else top - first + 1
        return following if following < LAST_ORDINAL // 2 else self._renumber(first, last)

    def _renumber(self, first: int, last: int) -> int:
        """Number the uses of a unit from 0 again; the ordinal of the next one."""
        rows = self._db.execute(
            'SELECT * FROM "use" WHERE id >= ? AND id < ? ORDER BY id', (first, last)
        ).fetchall()
        self._db.execute('DELETE FROM "use" WHERE id >= ? AND id < ?', (first, last))
        self._db.executemany(
            _insert('"use"', 10), [(first + i, *row[1:]) for i, row in enumerate(rows)]
        )
        return len(rows)

    def _name(self, declared: Mapping[int, str]) -> None:
        """Make newly declared symbols searchable."""
        known = self._names.named
        new = [(number, sym) for number, sym in declared.items() if number not in known]
        if not self._whole:
            found = self._find_named(number for number, _ in new)
            new = [(number, sym) for number, sym in new if number not in found]
        self._db.executemany("INSERT INTO symbol_name (rowid, sym) VALUES (?, ?)", new)
        self._db.executemany("INSERT INTO named VALUES (?)", [(number,) for number, _ in new])
        known.update(declared)

    def _find_named(self, symbols: Iterable[int]) -> set[int]:
        find = "SELECT symbol FROM named WHERE symbol = ?"
        return {s for s in symbols if self._db.execute(find, (s,)).fetchone()}

    def drop(self, pkg: str, variant: str) -> None:
        """Forget one unit and all its rows."""
        number = self._find(pkg, variant)
        if number is None:
            return
        first, last = number << UNIT_SHIFT, (number + 1) << UNIT_SHIFT
        for table in _FACT_TABLES:
            self._db.execute(f"DELETE FROM {table} WHERE id >= ? AND id < ?", (first, last))
        self._db.execute("DELETE FROM unit_file WHERE unit = ?", (number,))
        self._db.execute("DELETE FROM unit WHERE id = ?", (number,))

    def drop_all(self) -> None:
        """Forget every unit of this context; SQLite empties a table at once when no row stays."""
        units = "SELECT id FROM unit WHERE context = ?"
        others = self._db.execute("SELECT 1 FROM unit WHERE context != ?", (self._context,))
        if others.fetchone():
            where = f" WHERE {{}} IN ({units})"
            args: tuple[int, ...] = (self._context,)
        else:
            where, args = "", ()
        for table in _FACT_TABLES:
            self._db.execute(f"DELETE FROM {table}{where.format(f'id >> {UNIT_SHIFT}')}", args)
        self._db.execute(f"DELETE FROM unit_file{where.format('unit')}", args)
        self._db.execute(f"DELETE FROM unit{where.format('id')}", args)

    def _put_diagnostics(self, base: int, unit: UnitResult) -> None:
        rows = [
            (
                base + i, d["file"], d["line"], d["col"], d["offset"], d["end"], d["code"],
                d["msg"], d["source"], d.get("soft", False),
            )
            for i, d in enumerate(unit["diagnostics"] or ())
        ]  # fmt: skip
        self._db.executemany(_insert("diagnostic", 10), rows)

    def _put_facts(self, base: int, facts: Facts, paths: list[int], first: int) -> None:
        # A trailing 0 makes the wire's -1 ("none") an index that yields 0.
        objs = facts["objs"] or []
        syms = [self._names.symbol(pkg, sym) for pkg, sym in objs] + [0]
        many = self._db.executemany
        self._name({syms[row[0]]: objs[row[0]][1] for row in facts["objects"] or ()})
        many(
            _insert("object", 14),
            [
                (base + i, syms[o], kind, typ, doc, exp, paths[f], no, nl, nc, do, de, syms[up], fl)
                for i, (o, kind, typ, doc, exp, f, no, nl, nc, do, de, up, fl) in enumerate(
                    facts["objects"] or ()
                )
            ],
        )
        many(
            _insert('"use"', 10),
            [
                (i, syms[o], paths[f], off, line, col, n, _ROLE_NUMBERS[role], syms[e], init)
                for i, (o, f, off, line, col, n, role, e, init) in enumerate(
                    facts["uses"] or (), base + first
                )
            ],
        )
        many(
            _insert("import", 6),
            [
                (base + i, paths[f], path, name, off, pkgname)
                for i, (f, path, name, off, pkgname) in enumerate(facts["imports"] or ())
            ],
        )
        many(
            _insert("method", 8),
            [
                (base + i, syms[t], ptr, ident, ident.rpartition(".")[2], sig, syms[via], syms[m])
                for i, (t, ptr, ident, sig, via, m) in enumerate(facts["methods"] or ())
            ],
        )
        self._put_places(base, facts, syms, paths)

    def _put_places(self, base: int, facts: Facts, syms: list[int], paths: list[int]) -> None:
        """Places where something is done that is no reference: conversions, panics, goroutines."""
        self._db.executemany(
            _insert("assertion", 6),
            [
                (base + i, syms[t], syms[iface], paths[f], off, form)
                for i, (t, iface, f, off, form) in enumerate(facts["asserts"] or ())
            ],
        )
        self._db.executemany(
            _insert("effect", 8),
            [
                (base + i, syms[encl], init, paths[f], off, line, col, form)
                for i, (encl, init, f, off, line, col, form) in enumerate(facts["effects"] or ())
            ],
        )


def _insert(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
