"""The demo: the main calls of the real command on a scratch copy of testdata/demo, with timings.

Invariant: every step states what must come out; one surprise fails the whole run.
"""

from __future__ import annotations

import difflib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from ago.protocol.errors import EXIT_OK, EXIT_REJECTED
from grammar_ops.reject import Json

Answer = dict[str, Json]

_COLOURS = {"bold": "1", "red": "31", "green": "32", "cyan": "36", "dim": "2"}


class Surprise(Exception):
    """A step came out otherwise than it should."""


@dataclass
class Tour:
    """One run of the demo: where it works, and what it has shown so far."""

    root: Path
    env: Mapping[str, str]
    colour: bool
    started: float = field(default_factory=time.perf_counter)

    def title(self, text: str) -> None:
        """Head a step."""
        print(self.paint("bold", f"\n── {text}"))

    def paint(self, colour: str, text: str) -> str:
        """`text` in colour, where colour is wanted."""
        return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if self.colour else text

    def ago(self, *argv: str, stdin: str = "", want: int = EXIT_OK) -> Answer:
        """Run the command, show its time, return its answer; Surprise on another exit code."""
        shown = " ".join(["ago", *(repr(word) if " " in word else word for word in argv)])
        print(self.paint("cyan", f"$ {shown}") + (f" <<< {stdin}" if stdin else ""))
        begun = time.perf_counter()
        done = subprocess.run(
            [str(command()), "-C", str(self.root), *argv, "--json"],
            input=stdin, capture_output=True, text=True, env=self.env, check=False,
        )  # fmt: skip
        took = (time.perf_counter() - begun) * 1000
        print(self.paint("dim", f"  {took:.0f} ms, exit {done.returncode}"))
        expect(done.returncode == want, f"exit {done.returncode}: {done.stderr}{done.stdout}")
        answer = orjson.loads(done.stdout)
        expect(isinstance(answer, dict), "an answer is an object")
        return dict(answer)

    def files(self) -> dict[str, str]:
        """Every file of the scratch copy."""
        paths = sorted(p for p in self.root.rglob("*") if p.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_text() for path in paths}

    def show_diff(self, before: Mapping[str, str]) -> None:
        """What changed on the disk since `before`."""
        after = self.files()
        for name in sorted({*before, *after}):
            old = before.get(name, "").splitlines(keepends=True)
            new = after.get(name, "").splitlines(keepends=True)
            for line in difflib.unified_diff(old, new, f"a/{name}", f"b/{name}", n=1):
                tint = {"+": "green", "-": "red", "@": "dim"}.get(line[0])
                print("  " + (self.paint(tint, line.rstrip("\n")) if tint else line.rstrip("\n")))


def run(checkout: Path, *, keep: bool = False) -> int:
    """Run the demo; 0 when everything came out as it should, else 1."""
    scratch = Path(tempfile.mkdtemp(prefix="ago-demo-"))
    root = scratch / "demo"
    shutil.copytree(checkout / "testdata" / "demo", root)
    env = {**os.environ, "XDG_STATE_HOME": str(scratch / "state")}
    tour = Tour(root, env, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    try:
        for step in STEPS:
            step(tour)
    except Surprise as surprise:
        print(tour.paint("red", f"not as expected: {surprise}"))
        return 1
    finally:
        subprocess.run(
            [str(command()), "-C", str(root), "daemon", "stop"],
            env=env, capture_output=True, check=False,
        )  # fmt: skip
        if not keep:
            shutil.rmtree(scratch, ignore_errors=True)
    seconds = time.perf_counter() - tour.started
    print(tour.paint("green", f"\nAll {len(STEPS)} steps as expected, in {seconds:.1f} s."))
    return 0


def command() -> Path:
    """The `ago` of this environment."""
    return Path(sys.executable).with_name("ago")


def expect(holds: bool, what: str) -> None:
    """Raise Surprise unless it holds."""
    if not holds:
        raise Surprise(what)


def status(tour: Tour) -> None:
    """The first call starts the daemon, builds agocheck where it has to, and loads."""
    tour.title("Load the workspace")
    answer = tour.ago("status")
    print(f"  {answer.get('packages')} packages, {answer.get('files')} files")
    expect(answer["status"] == "ok" and not answer.get("errors"), str(answer))
    tour.ago("status")


def search(tour: Tour) -> None:
    """A question about names."""
    tour.title("Find a declaration by a piece of its name")
    answer = tour.ago("search", "doub")
    for hit in objects(answer.get("symbols")):
        print(f"  {hit['pkg']}.{hit['sym']}  {hit.get('pos', '')}")
    expect(any(hit["sym"] == "Double" for hit in objects(answer.get("symbols"))), str(answer))


def view(tour: Tour) -> None:
    """A function with a handle for each statement."""
    tour.title("Read a function with its statement handles")
    answer = tour.ago("view", "lib.UseHelper")
    print(indent(text_of(answer)))
    expect("n3: \treturn helper(2)" in text_of(answer), str(answer))


def rename(tour: Tour) -> None:
    """One call, every package, tests and doc links too."""
    tour.title("Rename across packages")
    before = tour.files()
    answer = tour.ago("rename", "lib.Double", "Twice")
    tour.show_diff(before)
    expect(answer["status"] == "accepted", str(answer))
    expect(len(strings(answer["files"])) == 4, "four files name the function")
    expect("lib.Double" not in "".join(tour.files().values()), "no reference is left")


def reject_and_repair(tour: Tour) -> None:
    """An edit that does not compile leaves the disk alone, and its repair is a call that works."""
    tour.title("A body that does not compile is refused, with the call that would")
    before = tour.files()
    answer = tour.ago(
        "set-body", "lib.Twice", "-f", "-", stdin="return helpr(v) * 2", want=EXIT_REJECTED
    )
    for diagnostic in objects(answer.get("diagnostics")):
        print(f"  {diagnostic.get('pos')}: {diagnostic.get('msg')}")
    expect(tour.files() == before, "a refusal leaves the disk as it is")
    calls = [as_patch(repair["call"]) for repair in objects(answer.get("possible_repairs"))]
    patch = next((call for call in calls if call), None)
    expect(patch is not None, f"no repair that edits: {answer}")
    tour.title("Send the repair")
    answer = tour.ago("patch", "-f", "-", stdin=orjson.dumps(patch).decode())
    tour.show_diff(before)
    expect(answer["status"] == "accepted", str(answer))


def as_patch(call: Json) -> Answer | None:
    """A repair's call as a patch, None for one that only reads."""
    expect(isinstance(call, dict), "a repair holds a call")
    assert isinstance(call, dict)
    args = call["args"]
    if call["tool"] == "patch" and isinstance(args, dict):
        return dict(args)
    if call["tool"] in ("set_body", "rename", "add_param", "upsert_decl") and isinstance(
        args, dict
    ):
        return {"ops": [{"op": call["tool"], **args}]}
    return None


def patch_and_undo(tour: Tour) -> None:
    """Several ops as one edit: a later one names what an earlier one made."""
    tour.title("A patch of three ops; $1 is the if that the first one makes")
    before = tour.files()
    ops = [
        {"op": "add_if", "at": "n1", "where": "before", "cond": "v < 0"},
        {"op": "add_return", "at": "$1", "where": "first", "exprs": ["0"]},
        {"op": "set_doc", "text": "Twice works on values from zero on."},
    ]
    body = orjson.dumps({"pkg": "demo/lib", "sym": "Twice", "ops": ops}).decode()
    answer = tour.ago("patch", "-f", "-", stdin=body)
    tour.show_diff(before)
    expect(answer["status"] == "accepted", str(answer))
    expect("\tif v < 0 {\n\t\treturn 0\n\t}\n" in tour.files()["lib/lib.go"], "the patch is there")
    tour.title("Take it back")
    answer = tour.ago("undo")
    expect(answer["status"] == "accepted", str(answer))
    expect(tour.files() == before, "undo brings back the bytes")
    answer = tour.ago("log")
    print(f"  {answer.get('count')} accepted edits")


def objects(value: Json) -> Iterator[dict[str, Json]]:
    """The objects of a list."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def strings(value: Json) -> list[str]:
    """The strings of a list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def text_of(answer: Answer) -> str:
    """A view's text."""
    return str(answer.get("text", ""))


def indent(text: str) -> str:
    """`text` moved to the right."""
    return "".join(f"  {line}\n" for line in text.splitlines()).rstrip("\n")


STEPS: tuple[Callable[[Tour], None], ...] = (
    status, search, view, rename, reject_and_repair, patch_and_undo,
)  # fmt: skip
