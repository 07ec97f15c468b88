"""What history keeps of an edit beside its bytes: a title, the request, the names it changed.

Invariant: the note is data for `log`, `show` and undo; nothing is planned from it but renames back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ago.commit.commit import Note
from ago.commit.history import History, HistoryEdit
from ago.protocol.requests import Mutation, Patch
from ago.stages import Candidate, Draft, name_after

_TITLE = 100


def note_of(request: Mutation, candidate: Candidate, undo_of: int = 0) -> Note:
    """The note of an edit that is about to be committed."""
    apart = {"overlay", "idempotency_key"}
    kept = request.model_dump(mode="json", exclude_defaults=True, exclude=apart)
    draft = candidate.draft
    data: dict[str, object] = {
        "request": kept,
        "renames": [list(r) for r in draft.renames],
        "touched": [list(address) for address in (*draft.touches, *draft.gone)],
        "moves": [list(m) for m in draft.moves],
    }
    if request.idempotency_key:
        data["key"] = request.idempotency_key
    return Note(title_of(request, candidate, undo_of), json.dumps(data), undo_of)


def title_of(request: Mutation, candidate: Candidate, undo_of: int = 0) -> str:
    """One line for `log`: the ops and what they touched."""
    if undo_of:
        return f"undo of edit {undo_of}"
    ops = request.ops if isinstance(request, Patch) else []
    names = [name for op in ops if (name := _file_of(op))]
    if len(names) < len(ops) or not ops:
        names += _changed(candidate.draft)
    names = names or sorted(candidate.files)
    kinds = dict.fromkeys(str(op.get("op")) for op in ops)
    title = f"{', '.join(kinds)} {', '.join(names)}".strip()
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"


def _file_of(op: Mapping[str, object]) -> str:
    """The file that an op moves or deletes, "" when it does neither."""
    if op.get("op") == "move_file":
        return f"{op.get('from')} to {op.get('to')}"
    return str(op.get("path")) if op.get("op") == "delete_file" else ""


def _changed(draft: Draft) -> list[str]:
    """The declarations that a draft touches, with what they are called and where they go."""
    renamed = {(pkg, sym): to for pkg, sym, to in draft.renames}
    homes = {(pkg, sym): to for pkg, sym, to in draft.moves}
    news = {
        (pkg, sym): (
            homes.get((pkg, sym), pkg),
            _renamed(sym, renamed.get((pkg, sym), sym.rpartition(".")[2])),
        )
        for pkg, sym in (*renamed, *homes)
    }
    out = []
    for address in (*draft.touches, *draft.gone):
        if address in news:
            pkg, sym = news[address]
            shown = f"{pkg}.{sym}" if address in homes else sym.rpartition(".")[2]
            out.append(f"{address[0]}.{address[1]} to {shown}")
        elif address not in news.values():
            out.append(f"{address[0]}.{address[1]}")
    return out


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
    data = json.loads(edit.request)
    news = {(to, sym) for _, sym, to in data.get("moves", ())}
    old = [(pkg, name_after(renames, pkg, sym)) for pkg, sym in data.get("touched", ())]
    names = dict.fromkeys(f"{pkg}.{sym}" for pkg, sym in old if (pkg, sym) not in news)
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
