"""SELECTs on the facts that two or more callers need; a query's own SQL is in its file.

Invariant: every function takes a reading connection and returns values in a deterministic order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ago.facts.load import UNIT_SHIFT
from grammar_ops.edit import Span
from grammar_ops.scope import ObjectInfo, PackageInfo, Ref

EMBEDDED, GENERIC, GROUPED, IOTA, INHERITS, GENERATED = (1 << i for i in range(6))
INTERFACE, STRUCT, POINTER_RECEIVER, VARIADIC, SHARES_SPEC = (1 << i for i in range(6, 11))
BODYLESS, IN_ASSEMBLY = 1 << 11, 1 << 12
OF_VALUE, OF_POINTER, OF_INTERFACE = range(3)
"""What `method.ptr` says of a method of a type."""
UNNAMED = "}"
"""How the name of a type ends that has no declaration: it is the type as it is written."""
_FLAGS = {
    EMBEDDED: "embedded", GENERIC: "generic", GROUPED: "grouped", IOTA: "iota",
    INHERITS: "inherits", GENERATED: "generated", INTERFACE: "interface", STRUCT: "struct",
    POINTER_RECEIVER: "pointer_receiver", VARIADIC: "variadic", SHARES_SPEC: "shares_spec",
    BODYLESS: "bodyless", IN_ASSEMBLY: "in_assembly",
}  # fmt: skip
OWN_CONTEXT = "(SELECT value FROM meta WHERE key = 'context')"
"""The number of the workspace's own build context; the others are further ones."""
STANDING = (
    "SELECT file, line, col, msg, code, source,"
    f" CASE WHEN max(u.context = {OWN_CONTEXT}) THEN '' ELSE group_concat(DISTINCT"
    " c.goos || '/' || c.goarch || rtrim(',' || c.tags, ',')) END"
    f" FROM diagnostic d JOIN unit u ON u.id = d.id >> {UNIT_SHIFT} JOIN context c"
    " ON c.id = u.context GROUP BY file, line, col, msg, code, source"
    " ORDER BY file, line, col, msg"
)
"""Standing diagnostics; the last column names the contexts that have one the own build has not."""
_PACKAGE_ROLES = ("go", "test", "xtest", "cgo", "ignored")


class ObjectRecord(NamedTuple):
    """One object as a unit declares it."""

    symbol: int
    pkg: str
    sym: str
    kind: str
    type: str
    doc: str
    exported: bool
    path: str
    name_off: int
    name_line: int
    name_col: int
    decl_off: int
    decl_end: int
    flags: int
    variant: str

    @property
    def pos(self) -> str:
        """Where its name is declared, as the wire writes it."""
        return f"{self.path}:{self.name_line}:{self.name_col}"


OBJECT_COLUMNS = (
    "s.id, s.pkg, s.sym, o.kind, o.type, o.doc, o.exported, p.path, o.name_off, o.name_line,"
    " o.name_col, o.decl_off, o.decl_end, o.flags, u.variant"
)
OBJECT_JOIN = (
    "object o JOIN symbol s ON s.id = o.symbol JOIN path p ON p.id = o.path"
    f" JOIN unit u ON u.id = o.id >> {UNIT_SHIFT}"
)


def find_symbol(db: sqlite3.Connection, pkg: str, sym: str) -> int | None:
    """The number of an address that any fact mentions."""
    row = db.execute("SELECT id FROM symbol WHERE pkg = ? AND sym = ?", (pkg, sym)).fetchone()
    return int(row[0]) if row else None


def objects_where(
    db: sqlite3.Connection, where: str, args: Iterable[str | int]
) -> list[ObjectRecord]:
    """Objects by a condition on o, s, p, u; one per address and place, primary variant first."""
    rows = db.execute(
        f"SELECT {OBJECT_COLUMNS} FROM {OBJECT_JOIN} WHERE {where}"
        " ORDER BY u.variant, u.context, p.path, o.name_off",
        tuple(args),
    )
    seen: dict[tuple[int, str, int], ObjectRecord] = {}
    for row in rows:
        record = ObjectRecord(*row)
        seen.setdefault((record.symbol, record.path, record.name_off), record)
    return list(seen.values())


def find_objects(db: sqlite3.Connection, pkg: str, sym: str) -> list[ObjectRecord]:
    """The objects of one address: one, or more where contexts or broken code declare it twice."""
    symbol = find_symbol(db, pkg, sym)
    return [] if symbol is None else objects_where(db, "o.symbol = ?", (symbol,))


def object_info(db: sqlite3.Connection, pkg: str, sym: str) -> ObjectInfo | None:
    """What the facts know of an object, None when the workspace does not declare it."""
    records = find_objects(db, pkg, sym)
    return describe(records[0]) if records else None


def torn_files(db: sqlite3.Connection) -> list[str]:
    """The files with a standing syntax error, which the checker reads up to a point."""
    rows = db.execute("SELECT DISTINCT file FROM diagnostic WHERE source = 'syntax' ORDER BY file")
    return [file for (file,) in rows]


def describe(record: ObjectRecord) -> ObjectInfo:
    """An object as planners see it."""
    name = record.sym.rpartition(".")[2]
    span = Span(record.name_off, record.name_off + len(name.encode()))
    flags = flag_names(record.flags)
    return ObjectInfo(record.pkg, record.sym, record.kind, record.type, record.path, span, flags)


def flag_names(flags: int) -> frozenset[str]:
    """The names of the flags that are set."""
    return frozenset(name for bit, name in _FLAGS.items() if flags & bit)


def refs(db: sqlite3.Connection, pkg: str, sym: str) -> list[Ref]:
    """Every reference to an object, its definition included, by file and offset."""
    symbol = find_symbol(db, pkg, sym)
    if symbol is None:
        return []
    rows = db.execute(
        "SELECT DISTINCT p.path, x.off, x.len, r.name, e.pkg, e.sym, d.generated"
        ' FROM "use" x JOIN path p ON p.id = x.path JOIN role r ON r.id = x.role'
        " LEFT JOIN symbol e ON e.id = x.encl LEFT JOIN disk_file d ON d.path = p.path"
        " WHERE x.symbol = ? ORDER BY p.path, x.off, r.id",
        (symbol,),
    )
    return [
        Ref(path, Span(off, off + n), role, f"{epkg}.{esym}" if esym else "", bool(generated))
        for path, off, n, role, epkg, esym, generated in rows
    ]


def related(db: sqlite3.Connection, pkg: str, sym: str, relation: str) -> list[ObjectInfo]:
    """Objects bound to this one: embedded_fields, members, implementors or interface_methods."""
    symbol = find_symbol(db, pkg, sym)
    if symbol is None:
        return []
    match relation:
        case "members":
            found = objects_where(db, "o.parent = ?", (symbol,))
        case "embedded_fields":
            found = _embedded_fields(db, symbol)
        case "implementors":
            found = _objects_of(db, _satisfying(db, symbol, sym, up=False))
        case "interface_methods":
            found = _objects_of(db, _satisfying(db, symbol, sym, up=True))
        case _:
            raise ValueError(f"no relation {relation}")
    return [describe(record) for record in found]


def members_of(db: sqlite3.Connection, symbol: int) -> list[int]:
    """Fields and methods of a type: an edit of the type is one of them too."""
    rows = db.execute("SELECT DISTINCT symbol FROM object WHERE parent = ?", (symbol,))
    return [member for (member,) in rows]


def method_sets(db: sqlite3.Connection, types: Iterable[int]) -> dict[int, dict[str, str]]:
    """type -> {method identity: canonical signature}, pointer methods included."""
    sets: dict[int, dict[str, str]] = {}
    for number in types:
        rows = db.execute("SELECT ident, sig FROM method WHERE type = ?", (number,))
        sets[number] = dict(rows)
    return sets


def embedded_types(db: sqlite3.Connection, symbol: int) -> list[tuple[str, str]]:
    """Addresses of the types that a struct type embeds, in the order of its fields."""
    rows = db.execute(
        "SELECT DISTINCT t.pkg, t.sym, o.name_off FROM object o"
        ' JOIN "use" x ON x.path = o.path AND x.off = o.name_off AND x.symbol != o.symbol'
        " AND x.id >> 24 = o.id >> 24"
        " JOIN role r ON r.id = x.role AND r.name = 'embed'"
        " JOIN symbol t ON t.id = x.symbol"
        " WHERE o.parent = ? AND o.flags & 1 ORDER BY o.name_off",
        (symbol,),
    )
    return [(pkg, sym) for pkg, sym, _ in rows]


def packages(db: sqlite3.Connection) -> dict[str, PackageInfo]:
    """Every workspace package by import path, sorted."""
    files: dict[int, list[tuple[str, str]]] = {}
    for number, path, role in db.execute(
        "SELECT package, path, role FROM package_file ORDER BY package, path"
    ):
        if role in _PACKAGE_ROLES:
            files.setdefault(number, []).append((path, role))
    rows = db.execute(
        "SELECT k.id, k.pkg, k.name, k.dir, coalesce(m.path, '') FROM package k"
        " LEFT JOIN module m ON m.id = k.module ORDER BY k.pkg, k.context"
    )
    found: dict[str, PackageInfo] = {}
    for number, pkg, name, folder, module in rows:
        # The workspace's own context comes first; a further one adds packages that only it has.
        info = PackageInfo(pkg, name, folder, module, tuple(files.get(number, ())))
        found.setdefault(pkg, info)
    return found


def own_api_hashes(db: sqlite3.Connection) -> dict[str, str]:
    """Package -> API hash in the workspace's own build context."""
    return dict(
        db.execute(f"SELECT pkg, api_hash FROM unit WHERE variant = '' AND context = {OWN_CONTEXT}")
    )


def api_hashes(db: sqlite3.Connection, pkgs: Iterable[str]) -> Mapping[tuple[str, str], str]:
    """(pkg, variant) -> API hash of the units of some packages."""
    found = {}
    for pkg in pkgs:
        for variant, api_hash in db.execute(
            "SELECT variant, api_hash FROM unit WHERE pkg = ?", (pkg,)
        ):
            found[pkg, variant] = api_hash
    return found


def _embedded_fields(db: sqlite3.Connection, symbol: int) -> list[ObjectRecord]:
    """The fields that embed a type: they stand where the type's name does in the role `embed`."""
    return objects_where(
        db,
        'o.flags & 1 AND EXISTS (SELECT 1 FROM "use" x JOIN role r ON r.id = x.role'
        " WHERE x.symbol = ? AND r.name = 'embed' AND x.path = o.path AND x.off = o.name_off)"
        ' AND o.path IN (SELECT path FROM "use" WHERE symbol = ?)',
        (symbol, symbol),
    )


def _satisfying(db: sqlite3.Connection, symbol: int, sym: str, *, up: bool) -> list[int]:
    """Method (or, for a type, type) numbers on the other side of interface satisfaction.

    `up` leads from a concrete method to interface methods, else from an interface down.
    """
    owner, _, member = sym.rpartition(".")
    if not owner:
        return [] if up else [t for t, _ in _fitting(db, symbol, None)]
    rows = db.execute(
        "SELECT DISTINCT type FROM method WHERE method = ? ORDER BY type", (symbol,)
    ).fetchall()
    found: list[int] = []
    for (owner_type,) in rows:
        pairs = _fitting_up(db, owner_type, member) if up else _fitting(db, owner_type, member)
        found += [method for _, method in pairs if method != symbol]
    return sorted(set(found))


def _fitting(db: sqlite3.Connection, iface: int, member: str | None) -> list[tuple[int, int]]:
    """(type, its method `member`) of every concrete type whose methods include the interface's."""
    wanted = method_sets(db, [iface])[iface]
    if not wanted:
        return []
    rarest = min(wanted)
    rows = db.execute(
        f"SELECT DISTINCT type FROM method WHERE ident = ? AND type != ? AND ptr != {OF_INTERFACE}",
        (rarest, iface),
    ).fetchall()
    sets = method_sets(db, (t for (t,) in rows))
    fits = [t for t, has in sets.items() if wanted.items() <= has.items()]
    return [(t, _method_of(db, t, member)) for t in sorted(fits)]


def _fitting_up(db: sqlite3.Connection, concrete: int, member: str) -> list[tuple[int, int]]:
    """(interface, its method `member`) of every interface that a concrete type satisfies by it."""
    has = method_sets(db, [concrete])[concrete]
    rows = db.execute(
        f"SELECT DISTINCT m.type FROM method m JOIN object o ON o.symbol = m.type"
        f" WHERE m.name = ? AND o.flags & {INTERFACE}",
        (member,),
    ).fetchall()
    sets = method_sets(db, (t for (t,) in rows))
    fits = [t for t, wanted in sets.items() if wanted.items() <= has.items()]
    return [(t, _method_of(db, t, member)) for t in sorted(fits)]


class AskedMethod(NamedTuple):
    """A method of an interface that values are asserted to, and where it is declared ("" outside
    of the workspace)."""

    name: str
    path: str
    start: int
    end: int


def asked_methods(db: sqlite3.Connection) -> list[AskedMethod]:
    """The methods of the interfaces that values are asserted to anywhere."""
    # A method of an interface without a name is no object, but has places.
    rows = db.execute(
        "SELECT DISTINCT m.name, ifnull(p.path, ''), coalesce(o.name_off, x.off, 0),"
        " coalesce(o.decl_end, x.off + x.len, 0)"
        " FROM method m LEFT JOIN object o ON o.symbol = m.method"
        ' LEFT JOIN "use" x ON x.symbol = m.method'
        " AND x.role = (SELECT id FROM role WHERE name = 'def')"
        " LEFT JOIN path p ON p.id = coalesce(o.path, x.path)"
        " WHERE m.type IN (SELECT DISTINCT interface FROM assertion WHERE form = 'assert')"
    )
    return [AskedMethod(*row) for row in rows]


def _method_of(db: sqlite3.Connection, owner: int, member: str | None) -> int:
    if member is None:
        return owner
    row = db.execute(
        "SELECT method FROM method WHERE type = ? AND name = ?", (owner, member)
    ).fetchone()
    return int(row[0]) if row else 0


def _objects_of(db: sqlite3.Connection, symbols: Iterable[int]) -> list[ObjectRecord]:
    found: list[ObjectRecord] = []
    for symbol in symbols:
        found += objects_where(db, "o.symbol = ?", (symbol,))
    return found
