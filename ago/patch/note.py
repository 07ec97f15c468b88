"""What history keeps of an edit beside its bytes: a title, the request, the names it changed.

Invariant: the note is data for `log`, `show` and undo; nothing is planned from it but renames back.
"""

from __future__ import annotations

import json

from ago.commit.commit import Note
from ago.commit.history import History, HistoryEdit
from ago.protocol.requests import Mutation, Patch
from ago.stages import Candidate, name_after

_TITLE = 100


def note_of(request: Mutation, candidate: Candidate, undo_of: int = 0) -> Note:
    """The note of an edit that is about to be committed."""
    kept = request.model_dump(mode="json", exclude_defaults=True, exclude={"overlay"})
    draft = candidate.draft
    data = {
        "request": kept,
        "renames": [list(r) for r in draft.renames],
        "touched": [list(address) for address in (*draft.touches, *draft.gone)],
        "moves": [list(m) for m in draft.moves],
    }
    return Note(title_of(request, candidate, undo_of), json.dumps(data), undo_of)


def title_of(request: Mutation, candidate: Candidate, undo_of: int = 0) -> str:
    """One line for `log`: the ops and what they touched."""
    if undo_of:
        return f"undo of edit {undo_of}"
    draft = candidate.draft
    renamed = {(pkg, sym): to for pkg, sym, to in draft.renames}
    made = {(pkg, _renamed(sym, to)) for (pkg, sym), to in renamed.items()}
    kept = [address for address in (*draft.touches, *draft.gone) if address not in made]
    names = [
        f"{pkg}.{sym}" + (f" to {renamed[pkg, sym]}" if (pkg, sym) in renamed else "")
        for pkg, sym in kept
    ]
    ops = [str(op.get("op")) for op in request.ops] if isinstance(request, Patch) else []
    title = f"{', '.join(dict.fromkeys(ops))} {', '.join(names)}".strip()
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"


def _renamed(sym: str, to: str) -> str:
    """The address of a renamed declaration."""
    owner, dot, _ = sym.rpartition(".")
    return f"{owner}{dot}{to}"


def renamed_to(history: History, pkg: str, sym: str) -> str:
    """What a declaration is called since accepted edits renamed it, "" when none did."""
    now = sym
    for request in history.requests():
        now = name_after(json.loads(request).get("renames", ()), pkg, now)
    return now if now != sym else ""


def restored(edit: HistoryEdit) -> str:
    """What an edit's undo brings back: the declarations it touched, by the names before it."""
    renames = renames_back(edit)
    touched = json.loads(edit.request).get("touched", [])
    names = dict.fromkeys(f"{pkg}.{name_after(renames, pkg, sym)}" for pkg, sym in touched)
    return ", ".join(names) or f"edit {edit.n}"


Names = tuple[tuple[str, str, str], ...]


def renames_back(edit: HistoryEdit) -> Names:
    """The renames that lead back from an edit's names to the ones before it."""
    data = json.loads(edit.request)
    homes = {(pkg, sym): to for pkg, sym, to in data.get("moves", ())}
    out = []
    for pkg, sym, to in data.get("renames", ()):
        home = homes.get((pkg, sym.partition(".")[0]), pkg)
        out.append((str(home), _renamed(str(sym), str(to)), str(sym).rpartition(".")[2]))
    return tuple(out)


def moves_back(edit: HistoryEdit) -> Names:
    """The moves that lead back from the packages of an edit's declarations to the ones before."""
    data = json.loads(edit.request)
    renames = data.get("renames", ())
    return tuple(
        (str(to), name_after(renames, pkg, sym), str(pkg)) for pkg, sym, to in data.get("moves", ())
    )
