"""Golden cases: read, laid out as a module on disk, compared, and rewritten on demand.

A case is a txtar archive: why it exists and its flags, the request, files that join or replace the
base module, and under `want/` the files that change and the answer without its volatile fields.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ago.dev import txtar

ROOT = Path(__file__).resolve().parent.parent
TESTDATA = ROOT / "testdata"

# What an answer says of this one run, of the clock or of the layout of a view (which has goldens of
# its own). Everything else is compared.
VOLATILE = (
    "confirmation", "detail", "diff", "diff_stat", "edit", "escalation", "generation", "load_ms",
    "ms", "proof", "resent", "view", "views_omitted",
)  # fmt: skip

Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One golden case."""

    path: Path
    why: str
    flags: dict[str, str]
    request: Json
    files: dict[str, bytes]
    want: dict[str, bytes]
    gone: tuple[str, ...]
    response: Json
    check: Json

    @property
    def id(self) -> str:
        """Folder and hazard, as tests and reports name it."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def accepted(self) -> bool:
        """Whether the case expects the edit to land."""
        return self.response.get("status") == "accepted"


def load_cases(folder: str) -> list[Case]:
    """Every case below testdata/`folder`."""
    return [load_case(path) for path in sorted((TESTDATA / folder).rglob("*.txtar"))]


def load_case(path: Path) -> Case:
    """Read one case."""
    archive = txtar.parse(path.read_bytes())
    files = dict(archive.files)
    request = json.loads(files.pop("request.json", b"{}"))
    check = json.loads(files.pop("check.json", b"{}"))
    response = json.loads(files.pop("want/response.json", b"{}"))
    gone = files.pop("want/gone", b"").decode().split()
    why = archive.comment.decode()
    return Case(
        path=path,
        why=why,
        flags=read_flags(why),
        request=request,
        files={name: text for name, text in files.items() if not name.startswith("want/")},
        want={name[5:]: text for name, text in files.items() if name.startswith("want/")},
        gone=tuple(gone),
        response=response,
        check=check,
    )


def read_flags(why: str) -> dict[str, str]:
    """`Flags: base=none, checker=resident.` as a dict, with the defaults filled in."""
    flags = {"base": "demo", "checker": "both"}
    if found := re.search(r"^Flags: (.*?)\.?$", why, re.MULTILINE):
        flags |= dict(part.strip().split("=") for part in found.group(1).split(","))
    return flags


def lay_out(case: Case, folder: Path) -> Path:
    """Write the case's module into a new folder and return its root."""
    root = folder / "module"
    base = TESTDATA / case.flags["base"]
    if case.flags["base"] == "none":
        root.mkdir(parents=True)
    else:
        shutil.copytree(base, root)
    for name, text in case.files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text)
    return root


def read_tree(root: Path) -> dict[str, bytes]:
    """Every file below `root`, by its relative path."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def expected_tree(case: Case, before: dict[str, bytes]) -> dict[str, bytes]:
    """The tree that the case wants, from the one it started with."""
    after = {name: text for name, text in before.items() if name not in case.gone}
    return after | case.want


def stable(response: Json) -> Json:
    """The answer without its volatile fields, at every depth."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: strip(value[key]) for key in value if key not in VOLATILE}
        return [strip(item) for item in value] if isinstance(value, list) else value

    kept = strip(response)
    for repair in kept.get("possible_repairs", []):
        repair.pop("why", None)
    return dict(sorted(kept.items(), key=lambda item: (item[0] != "status", item[0])))


def is_sampled(case: Case) -> bool:
    """Whether the costly invariants run on this case: each example, and an eighth by name."""
    if os.environ.get("AGO_TEST_ALL") or case.path.stem == "example":
        return True
    return hashlib.sha256(case.id.encode()).digest()[0] % 8 == 0


def rewrite(case: Case, before: dict[str, bytes], after: dict[str, bytes], answer: Json,
            *, allow_flip: bool) -> None:  # fmt: skip
    """Make the archive expect what came out; a verdict is not turned in silence."""
    answer = stable(answer)
    was, now = case.response.get("status"), answer.get("status")
    assert allow_flip or was in (None, now), f"{case.id}: was {was}, is {now} (see --allow-flip)"
    archive = txtar.parse(case.path.read_bytes())
    kept = {n: text for n, text in archive.files.items() if not n.startswith("want/")}
    changed = {f"want/{n}": text for n, text in after.items() if before.get(n) != text}
    if gone := [n for n in before if n not in after]:
        changed["want/gone"] = "".join(f"{n}\n" for n in gone).encode()
    changed["want/response.json"] = txtar.render_json(answer)
    new = txtar.render(txtar.canonical(txtar.Archive(archive.comment, kept | changed)))
    if new != case.path.read_bytes():
        case.path.write_bytes(new)
        print(f"updated {case.path.relative_to(ROOT)}")
