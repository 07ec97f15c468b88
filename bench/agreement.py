"""Compare answers about random symbols with gopls, position by position; class every difference.

Usage: python -m bench.agreement --repo DIR --gopls PATH [--count 300] [--seed 1] [--json OUT]

References, callers, callees and implementations are compared as sets of places inside the
repository. A difference is classed by what the facts say stands at its place; what no class
explains is printed and counted as `unexplained`. The record holds counts alone.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlparse

from bench.lsp import LanguageServer
from bench.queries import Symbol, list_symbols, open_facts
from bench.sampling import copied, sampling_parser
from bench.subject import Subject

Place = tuple[str, int, int]
"""File, 1-based line and 1-based byte column."""

QUIET = ("doc_link", "doc_name", "directive", "asm", "import", "dot_import")
"""Roles that no Go identifier has: gopls answers them elsewhere or not at all."""

CLASSES = {
    "other build": "in a file that the default build leaves out; gopls sees one build: ago right",
    "interface": "a method that interfaces tie to the one asked for: gopls adds it, the spec gives"
    " each method its own uses; ago names it with `implementations` and `through`",
    "no call": "a reference that is no call; gopls lists every reference as an incoming call",
    "initialiser": "a call outside of any function, which gopls leaves out; it runs: ago right",
    "embedded": "an embedded field and its type share the identifier; gopls answers for one",
    "dependency": "a type of a dependency that the workspace does not mention",
    "generic": "a generic type fits by some instantiation; gopls asks for the type as written",
    "predeclared": "a call of the method of error, which gopls leaves out: ago right",
    "constraint": "an interface that has a type set is implemented by no variable of it",
}


class Answers(NamedTuple):
    """What both say of one symbol and kind."""

    ours: set[Place]
    theirs: set[Place]


class Peers:
    """Both tools on one copy of a repository."""

    def __init__(self, subject: Subject, gopls: Path) -> None:
        self.subject = subject
        self.server = LanguageServer([str(gopls), "serve"], subject.root)
        self.db = open_facts(subject)

    def refs(self, symbol: Symbol, at: Place) -> Answers:
        """All references."""
        rows = self._pages("refs", symbol)
        ours = {_place(row["pos"]) for row in rows if row["role"] not in QUIET}
        found = self._ask("textDocument/references", at, context={"includeDeclaration": True})
        return Answers(ours, {p for row in found or () if (p := self._where(row))})

    def callers(self, symbol: Symbol, at: Place) -> Answers | None:
        """Places of calls of a function."""
        rows = self._pages("callers", symbol)
        return self._hierarchy({_place(row["call_pos"]) for row in rows}, at, "incoming", "from")

    def callees(self, symbol: Symbol, at: Place) -> Answers | None:
        """Places of calls in a function."""
        rows = self._pages("callees", symbol)
        return self._hierarchy({_place(row["call_pos"]) for row in rows}, at, "outgoing", "to")

    def implementations(self, symbol: Symbol, at: Place) -> Answers:
        """Declarations of what implements or is implemented."""
        rows = self._pages("implementations", symbol)
        ours = {_place(row["pos"]) for row in rows if "pos" in row}
        found = self._ask("textDocument/implementation", at)
        return Answers(ours, {p for row in found or () if (p := self._where(row))})

    def _hierarchy(self, ours: set[Place], at: Place, way: str, end: str) -> Answers | None:
        items = self._ask("textDocument/prepareCallHierarchy", at)
        if not items:
            return None
        theirs = set[Place]()
        for item in items:
            calls = self.server.request(f"callHierarchy/{way}Calls", {"item": item}) or ()
            for call in calls:
                uri = call["from"]["uri"] if way == "incoming" else item["uri"]
                for span in call["fromRanges"]:
                    if place := self._where({"uri": uri, "range": span}):
                        theirs.add(place)
        return Answers(ours, theirs)

    def _pages(self, kind: str, symbol: Symbol) -> list[dict[str, Any]]:
        args = {"kind": kind, "sym": f"{symbol.pkg}.{symbol.sym}", "max_tokens": 1_000_000}
        _, answer = self.subject.call("query", **args)
        key = next((k for k, v in reversed(answer.items()) if isinstance(v, list)), "")
        rows: list[dict[str, Any]] = answer.get(key, []) if answer["status"] == "ok" else []
        return rows

    def _ask(self, method: str, at: Place, **more: Any) -> Any:
        path, line, col = at
        text = (self.subject.root / path).read_bytes().split(b"\n")[line - 1][: col - 1]
        character = len(text.decode("utf-8", "replace").encode("utf-16-le")) // 2
        document = {"uri": (self.subject.root / path).as_uri()}
        where = {"textDocument": document, "position": {"line": line - 1, "character": character}}
        try:
            return self.server.request(method, {**where, **more})
        except RuntimeError:
            return None

    def _where(self, location: dict[str, Any]) -> Place | None:
        """A place of gopls inside the repository, None for one outside."""
        file = Path(unquote(urlparse(location["uri"]).path))
        if not file.is_relative_to(self.subject.root):
            return None
        start = location["range"]["start"]
        line = file.read_bytes().split(b"\n")[start["line"]].decode("utf-8", "replace")
        units = line.encode("utf-16-le")[: 2 * start["character"]]
        col = len(units.decode("utf-16-le").encode()) + 1
        return file.relative_to(self.subject.root).as_posix(), start["line"] + 1, col

    def at(self, place: Place) -> list[tuple[str, str, str, int, int]]:
        """(pkg, sym, role, in an initialiser, build) of what the facts have at a place."""
        return self.db.execute(
            'SELECT s.pkg, s.sym, r.name, x.encl_init, u.context FROM "use" x'
            " JOIN symbol s ON s.id = x.symbol JOIN role r ON r.id = x.role"
            " JOIN path p ON p.id = x.path JOIN unit u ON u.id = x.id >> 24"
            " WHERE p.path = ? AND x.line = ? AND x.col = ?",
            place,
        ).fetchall()

    def own_context(self) -> int:
        """The number of the default build."""
        return int(self.db.execute("SELECT value FROM meta WHERE key = 'context'").fetchone()[0])


def explain(peers: Peers, kind: str, symbol: Symbol, place: Place, *, ours: bool) -> str:
    """The class of one difference, "" for none."""
    found = peers.at(place)
    name = symbol.sym.rpartition(".")[2]
    if ours:
        if found and all(build != peers.own_context() for *_, build in found):
            return "other build"
        if kind == "callers" and any(init for *_, init, _ in found):
            return "initialiser"
        if kind == "callees" and any(sym == "error.Error" for _, sym, *_ in found):
            return "predeclared"
        if any(role == "embed" for _, _, role, _, _ in found):
            return "embedded"
        return ""
    others = [(pkg, sym) for pkg, sym, *_ in found if (pkg, sym) != (symbol.pkg, symbol.sym)]
    own = [role for pkg, sym, role, *_ in found if (pkg, sym) == (symbol.pkg, symbol.sym)]
    if kind == "callers" and own and not {"call", "go", "defer"} & set(own):
        return "no call"
    if any(role == "embed" for _, _, role, _, _ in found):
        return "embedded"
    methods = [sym for _, sym in others if sym.rpartition(".")[2] == name and "." in sym]
    if methods and symbol.kind in ("method", "interface_method"):
        return "interface"
    return ""


def compare(peers: Peers, symbols: list[Symbol]) -> tuple[dict[str, Any], list[str]]:
    """Counts by kind, and a line for each difference that nothing explains."""
    record: dict[str, Any] = {}
    strange: list[str] = []
    for kind in ("refs", "implementations", "callers", "callees"):
        counts = Counter[str]()
        for symbol in symbols:
            if not _fits(kind, symbol):
                continue
            at = _declared(peers, symbol)
            both = at and getattr(peers, kind)(symbol, at)
            if not both:
                counts["not asked"] += 1
                continue
            counts["asked"] += 1
            counts["equal"] += both.ours == both.theirs
            for place, ours in _differences(both):
                why = explain(peers, kind, symbol, place, ours=ours)
                side = "only ago" if ours else "only gopls"
                counts[f"{side}: {why or 'unexplained'}"] += 1
                if not why:
                    strange.append(f"{kind} {symbol.pkg}.{symbol.sym} {side} {place}")
        record[kind] = dict(counts)
    return record, strange


def _differences(both: Answers) -> Iterator[tuple[Place, bool]]:
    yield from ((place, True) for place in sorted(both.ours - both.theirs))
    yield from ((place, False) for place in sorted(both.theirs - both.ours))


def _fits(kind: str, symbol: Symbol) -> bool:
    if kind in ("callers", "callees"):
        return symbol.kind in ("func", "method")
    return kind == "refs" or symbol.kind in ("type", "method", "interface_method")


def _declared(peers: Peers, symbol: Symbol) -> Place | None:
    row = peers.db.execute(
        "SELECT p.path, o.name_line, o.name_col FROM object o JOIN symbol s ON s.id = o.symbol"
        " JOIN path p ON p.id = o.path JOIN unit u ON u.id = o.id >> 24"
        " WHERE s.pkg = ? AND s.sym = ? AND u.context = ?",
        (symbol.pkg, symbol.sym, peers.own_context()),
    ).fetchone()
    return (row[0], row[1], row[2]) if row else None


def _place(pos: str) -> Place:
    path, line, col = pos.rsplit(":", 2)
    return path, int(line), int(col)


def main() -> int:
    """Parse the command line, compare, print."""
    parser = sampling_parser(__doc__, 300)
    parser.add_argument("--gopls", type=Path, required=True)
    args = parser.parse_args()
    with copied(args.repo, args.home) as subject:
        subject.run("status", "--wait")
        peers = Peers(subject, args.gopls)
        try:
            symbols = list_symbols(subject)
            chosen = random.Random(args.seed).sample(symbols, min(args.count, len(symbols)))
            record, strange = compare(peers, chosen)
        finally:
            peers.server.close()
    print("\n".join(strange))
    print(json.dumps(record, indent=1))
    if args.json:
        whole = {"repository": args.repo.name, "symbols": len(chosen), "seed": args.seed}
        told = {name: text for name, text in CLASSES.items() if name in json.dumps(record)}
        whole |= {"classes": told, "kinds": record}
        args.json.write_text(json.dumps(whole, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
