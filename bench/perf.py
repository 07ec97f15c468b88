"""Time ago on a real repository, beside gopls and other builds of ago, alternating in one run.

Usage: python -m bench.perf --repo DIR [--gopls PATH] [--peer NAME=BINARY] [--rename PKG.SYM]
[--json OUT]

A copy of the repository is edited, never the repository itself. The first build of agocheck is not
part of any figure.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.gopls import Gopls
from bench.peer import Peer
from bench.plot import plot_rows
from bench.procs import wait_idle
from bench.subject import Subject
from bench.targets import Place, append_comment, find_bodies, find_places, find_rename

SECONDS, MS, MB = "s", "ms", "MB"
REPEATS = 10
BODY_EDITS = 4
"""In each of REPEATS packages."""
LOADS = 3


class Table:
    """Samples by row and tool; each row has a unit and a limit that the product set itself."""

    def __init__(self) -> None:
        self.units: dict[str, str] = {}
        self.samples: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def add(self, row: str, unit: str, tool: str, value: float) -> None:
        """One sample."""
        self.units[row] = unit
        self.samples[row][tool].append(value)

    def medians(self) -> dict[str, dict[str, float]]:
        """Median by row and tool."""
        return {
            row: {tool: statistics.median(values) for tool, values in tools.items()}
            for row, tools in self.samples.items()
        }

    def lines(self) -> Iterator[str]:
        """The table as text, with ratios to ago."""
        for row, tools in self.medians().items():
            base = tools.get("ago", 0.0)
            cells = [f"{tool} {value:.1f} {self.units[row]}" for tool, value in tools.items()]
            cells += [f"{t}/ago {v / base:.1f}" for t, v in tools.items() if t != "ago" and base]
            yield f"{row:44} " + "   ".join(cells)


class Run:
    """One measurement of one repository."""

    def __init__(
        self, root: Path, home: Path, gopls: Path | None, peers: list[Peer], rename: str
    ) -> None:
        self.table, self.root = Table(), root
        self.ago = Subject(root, home)
        self.gopls = Gopls(gopls, root) if gopls else None
        self.peers, self.rename = peers, rename

    def measure(self) -> Table:
        """Everything, loads first."""
        steps: list[Callable[[], None]] = [
            self._loads, self._queries, self._bodies, self._renames, self._outside, self._command,
            self._memory,
        ]  # fmt: skip
        for step in steps:
            print(f"… {step.__name__.strip('_')}", file=sys.stderr)
            wait_idle()
            step()
        self.ago.stop()
        if self.gopls:
            self.gopls.stop()
        for peer in self.peers:
            peer.stop()
        return self.table

    def _loads(self) -> None:
        self.ago.first_answer()  # builds agocheck, fills the caches
        for _ in range(LOADS):
            self.ago.forget(dependencies=False)
            self._add("cold load, dependency cache full", SECONDS, self.ago.first_answer())
            self.ago.stop()
            self._add("restart, tree unchanged, to first answer", SECONDS, self.ago.first_answer())
            for peer in self.peers:
                self._add(
                    "cold load, dependency cache full", SECONDS, peer.first_answer(), peer.name
                )
            if self.gopls:
                seconds = self.gopls.first_answer("new")
                self._add("cold load, dependency cache full", SECONDS, seconds, "gopls")
                self._add("restart, tree unchanged, to first answer", SECONDS, seconds, "gopls")
        self.ago.forget(dependencies=True)
        self._add("cold load, dependency cache empty", SECONDS, self.ago.first_answer())

    def _queries(self) -> None:
        places = find_places(self.ago, 30)
        for place in places:
            address = {"pkg": place.pkg, "sym": place.sym}
            for tool in ("inspect", "refs", "view"):
                self._add(f"query {tool}", MS, self.ago.call(tool, **address)[0])
            name = place.sym.rpartition(".")[2]
            self._add("query search", MS, self.ago.call("search", q=name)[0])
            self._ask_peers(place, name)

    def _ask_peers(self, place: Place, name: str) -> None:
        for peer in self.peers:
            for tool in ("inspect", "refs", "view"):
                ms = peer.timed(tool, "-p", place.pkg, "-s", place.sym)
                self._add(f"query {tool}", MS, ms, peer.name)
        if self.gopls:
            at = (place.path, place.line, place.col)
            self._add("query search", MS, self.gopls.search(name), "gopls")
            self._add("query refs", MS, self.gopls.references(*at), "gopls")
            self._add("query inspect", MS, self.gopls.hover(*at), "gopls")

    def _bodies(self) -> None:
        """A few edits in each of several packages; the first one of a package checks all of it."""
        for place, body in find_bodies(self.ago, REPEATS):
            if self.gopls:
                self.gopls.open(place.path)
            for i in range(BODY_EDITS):
                self._edit_body(place, body, i)

    def _edit_body(self, place: Place, body: str, i: int) -> None:
        address = {"pkg": place.pkg, "sym": place.sym}
        good, bad = f"_ = {i}\n{body}", f"{body}\n_ = undefinedName{i}"
        accepted = "body edit accepted" if i else "first body edit in a package"
        ms, answer = self.ago.call("set_body", **address, body=good)
        assert answer["status"] == "accepted", answer
        self._add(accepted, MS, ms)
        rejected = "body edit rejected"
        self.ago.call("status")  # the facts of the edit before are written then
        for row, repair_ms in (
            (f"{rejected}, repairs unchecked", 0),
            (f"{rejected}, repairs checked", 100),
        ):
            (self.root / "ago.toml").write_text(f"repair_ms = {repair_ms}\n")
            ms, answer = self.ago.call("set_body", **address, body=bad, dry_run=True)
            assert answer["status"] == "rejected", answer
            self._add(row, MS, ms)
        if self.gopls:
            text = (self.root / place.path).read_text()
            broken = f"{text}\nvar _ = undefinedName{i}\n"
            ms = self.gopls.edit(place.path, broken, broken=True)
            self._add(f"{rejected}, repairs unchecked", MS, ms, "gopls")
            ms = self.gopls.edit(place.path, text, broken=False)
            self._add(accepted, MS, ms, "gopls")

    def _renames(self) -> None:
        place = find_rename(self.ago, self.rename)
        row = f"rename {place.sym} ({place.references} references, {place.packages} packages)"
        old, new = place.sym, place.sym + "Q"
        at_once = "a second rename at once, with the facts of the first"
        for _ in range(REPEATS // 2):
            # Facts are written after an answer, and the next request waits for them.
            for sym, to, its_row in ((old, new, row), (new, old, at_once)):
                if its_row == row:
                    wait_idle()
                ms, answer = self.ago.call("rename", pkg=place.pkg, sym=sym, to=to)
                assert answer["status"] == "accepted", answer
                self._add(its_row, MS, ms)
            if self.gopls:
                ms = self.gopls.rename(place.path, place.line, place.col, new)
                self._add(row, MS, ms, "gopls")

    def _outside(self) -> None:
        place = find_places(self.ago, 1)[0]
        for i in range(REPEATS):
            append_comment(self.root, place.path, f"outside edit {i}")
            ms, _ = self.ago.call("refs", pkg=place.pkg, sym=place.sym)
            self._add("answer after an outside edit", MS, ms)
            for peer in self.peers:
                ms = peer.timed("refs", "-p", place.pkg, "-s", place.sym)
                self._add("answer after an outside edit", MS, ms, peer.name)

    def _command(self) -> None:
        for _ in range(2 * REPEATS):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", "pass"], check=True)
            plain = time.perf_counter() - started
            started = time.perf_counter()
            self.ago.run("search", "new")
            whole = time.perf_counter() - started
            self._add("the ago command over python -c pass", MS, 1000 * (whole - plain))

    def _memory(self) -> None:
        by_process = self.ago.memory()
        self._add("resident memory", MB, sum(by_process.values()))
        for process, mb in by_process.items():
            name = "agocheck" if "agocheck" in process else "daemon"
            self._add(f"resident memory: {name}", MB, mb)
        if self.gopls:
            self._add("resident memory", MB, sum(self.gopls.memory().values()), "gopls")
        for peer in self.peers:
            self._add("resident memory", MB, peer.memory(), peer.name)

    def _add(self, row: str, unit: str, value: float, tool: str = "ago") -> None:
        self.table.add(row, unit, tool, value)


@contextmanager
def copied(repo: Path) -> Iterator[tuple[Path, Path]]:
    """A copy of the repository without its history, and a folder for caches."""
    with tempfile.TemporaryDirectory(prefix="ago-perf-") as scratch:
        root = Path(scratch) / repo.name
        shutil.copytree(repo, root, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        yield root, Path(scratch) / "home"


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="bench.perf", description=__doc__)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--gopls", type=Path)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=BINARY")
    parser.add_argument("--rename", default="", help="address of the function to rename")
    parser.add_argument("--json", type=Path, help="write all samples, and a plot beside them")
    args = parser.parse_args()
    with copied(args.repo.resolve()) as (root, home):
        named = [text.partition("=") for text in args.peer]
        peers = [Peer(name, binary, root) for name, _, binary in named]
        table = Run(root, home, args.gopls, peers, args.rename).measure()
    print("\n".join(table.lines()))
    if args.json:
        record = {
            "repo": args.repo.name,
            "command": " ".join(word.rsplit("/", 1)[-1] for word in sys.argv[1:]),
            "machine": platform.platform(),
            "python": platform.python_version(),
            "units": table.units,
            "median": table.medians(),
            "samples": table.samples,
        }
        args.json.write_text(json.dumps(record, indent=1))
        plot_rows(table.medians(), table.units, args.json.with_suffix(".png"))


if __name__ == "__main__":
    main()
