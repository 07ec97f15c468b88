"""What a text wants of files, as the edits of a plan: paths found, contents made, names counted.

Invariant: refusals say what stands there now, and carry the text that would fit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from grammar_ops.edit import Edit, Span
from grammar_ops.linediff import text_edits
from grammar_ops.op import Carried, Moved, Seen
from grammar_ops.reject import Finding, Json, Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax.decls import SHARED_NAMES, find_package_name, list_decls
from grammar_ops.syntax.files import clean_path
from grammar_ops.syntax.parse import parse
from grammar_ops.text.formats import EditText
from grammar_ops.text.hunks import FileEdit, malformed
from grammar_ops.text.splice import Miss, Splicer

register(
    "grammar",
    {
        "path_outside_workspace": "the path leads out of the workspace, or into .git",
        "text_not_found": "the searched lines are nowhere in the file; the nearest place is shown",
        "text_found_several": "the searched lines stand at several places of the file",
        "hunk_does_not_fit": "the lines around the change are not those of the file",
    },
)

_SHOWN = 20
"""How many lines of the nearest place a refusal shows."""
_OFFERED = 3
_LIKE = 0.6
"""A nearest place that is less like the text is shown, and not taken for what was meant."""


Decls = dict[tuple[str, str], list[tuple[bytes, bytes]]]
"""(pkg, sym) -> the texts of its declarations: the head, and the whole."""


@dataclass
class Landing:
    """What the edits of a text come to."""

    scope: Scope
    edits: list[Edit] = field(default_factory=list)
    carried: list[Carried] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    moves: list[Moved] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    resolved: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    _above: set[str] = field(default_factory=set)
    """Folders above the workspace with which paths of the text begin."""
    _before: Decls = field(default_factory=dict)
    _after: Decls = field(default_factory=dict)

    def land(self, text: EditText) -> None:
        """Take in every edit of a text; Reject with what does not fit."""
        for path, edit in self._by_file(text.edits):
            base = self.find(path)
            if edit.deletes:
                self._delete(path, base, edit, text)
            elif base is None:
                self._create(path, edit)
            else:
                self._change(path, base, edit, text)

    def find(self, path: str) -> bytes | None:
        """Bytes of a file, None when there is none."""
        return find_source(self.scope, path)

    def touched(self) -> tuple[tuple[str, str], ...]:
        """The declarations that are new or read otherwise now."""
        return tuple(key for key, texts in self._after.items() if self._before.get(key) != texts)

    def heads(self) -> tuple[tuple[str, str], ...]:
        """Those of them that differ before their bodies."""
        return tuple(key for key in self.touched() if _heads(self._before, key) !=
                     _heads(self._after, key))  # fmt: skip

    def unjudged(self) -> tuple[str, ...]:
        """A word on each file whose contents no Go tool looks at."""
        paths = dict.fromkeys(edit.path for edit in self.edits)
        return tuple(f"{path}: what it says is not judged" for path in paths if not _is_go(path))

    def gone(self) -> tuple[tuple[str, str], ...]:
        """The declarations that are no more."""
        return tuple(key for key in self._before if key not in self._after)

    def _by_file(self, edits: Iterable[FileEdit]) -> list[tuple[str, FileEdit]]:
        """The edits by the file that they mean, in the order of their first."""
        found: dict[str, FileEdit] = {}
        places = {edit: self._find_path(edit) for edit in edits if edit.text is None}
        for edit in edits:
            path = places.get(edit) or self._new_path(edit)
            found[path] = _joined(found[path], edit) if path in found else edit
        for edit in found.values():
            if edit.to and inner_path(self.scope, edit.to) in found:
                raise malformed(edit.at, f"the text also changes {edit.to}")
        return [*found.items()]

    def _find_path(self, edit: FileEdit) -> str:
        """The path in the workspace that an edit means; a file that is to be there is looked for
        below ever shorter prefixes of what was written."""
        names = [name for name in (edit.path, edit.other) if name]
        paths = [inner_path(self.scope, name) for name in names]
        here = next((path for path in paths if self.find(path) is not None), "")
        if here:
            return here
        for name, path in zip(names, paths, strict=True):
            parts = path.split("/")
            for start in range(1, len(parts)):
                shorter = "/".join(parts[start:])
                if self.find(shorter) is not None:
                    self.resolved.append(f"{name} is {shorter}")
                    self._above.add("/".join(parts[:start]))
                    return shorter
        raise Reject("file_not_found", paths[0], did_you_mean=self.scope.near_files(paths[0]))

    def _new_path(self, edit: FileEdit) -> str:
        """The path of a file that is given whole: below the folder above the workspace that the
        text's other paths begin with, where they do."""
        path = inner_path(self.scope, edit.path)
        for above in self._above if self.find(path) is None else ():
            if path.startswith(f"{above}/"):
                shorter = path.removeprefix(f"{above}/")
                self.resolved.append(f"{edit.path} is {shorter}")
                return shorter
        return path

    def _delete(self, path: str, base: bytes | None, edit: FileEdit, text: EditText) -> None:
        assert base is not None, "only files that are there are found for edits without a text"
        if edit.hunks and (miss := Splicer(path, base).splice_hunks(edit)):
            raise _refusal(path, base, edit, text, miss)
        self._count(self._before, path, base)
        self.edits.append(Edit(path, Span(0, 0), None))

    def _create(self, path: str, edit: FileEdit) -> None:
        assert edit.text is not None, "only a whole text makes a file"
        if edit.mode:
            self.said.append(f"{path}: it gets the mode of other files")
        self._count(self._after, path, edit.text)
        self.edits.append(Edit(path, Span(0, 0), edit.text))

    def _change(self, path: str, base: bytes, edit: FileEdit, text: EditText) -> None:
        if edit.creates and base.strip() and edit.text != base:
            raise Reject("target_file_exists", path)
        file = Splicer(path, base)
        if edit.text is not None:
            file.splice_whole(edit.text)
        elif miss := file.splice_hunks(edit):
            raise _refusal(path, base, edit, text, miss)
        to = inner_path(self.scope, edit.to) if edit.to else path
        self.said += [f"{path}: {word}" for word in file.said]
        if edit.mode:
            self.said.append(f"{path}: its mode stays as it is")
        self._count(self._before, path, base)
        self._count(self._after, to, file.text)
        self.seen += [Seen(to, span) for span in file.seen()]
        pieces = file.ledger.pieces()
        if to == path:
            changes = text_edits(base, file.text, pieces)
            self.edits += [Edit(path, Span(start, end), new) for start, end, new in changes]
            return
        if self.find(to) is not None:
            raise Reject("target_file_exists", to)
        self.edits += [Edit(path, Span(0, 0), None), Edit(to, Span(0, 0), file.text)]
        self.moved.append(f"{path} to {to}")
        last = len(self.edits) - 1
        self.carried += [Carried(last, at, path, Span(old, old + size)) for old, at, size in pieces]
        self._move(path, base, to, file.text)

    def _move(self, path: str, base: bytes, to: str, text: bytes) -> None:
        """Note which declarations go to another package with their file."""
        pkg, to_pkg = self._package(path, base), self._package(to, text)
        if pkg and to_pkg and pkg != to_pkg:
            still = {decl.sym for decl in list_decls(parse(text), text)}
            names = [d.sym for d in list_decls(parse(base), base) if d.kind != "method"]
            kept = [sym for sym in names if sym in still and sym not in SHARED_NAMES]
            self.moves += [Moved(pkg, sym, to_pkg) for sym in kept]

    def _count(self, into: Decls, path: str, text: bytes) -> None:
        """Note the declarations of a file with their texts."""
        pkg = self._package(path, text)
        if not pkg:
            return
        for decl in list_decls(parse(text), text, path):
            if decl.sym not in SHARED_NAMES:
                span = decl.full_span
                head = decl.body_span.start if decl.body_span else span.end
                texts = text[decl.span.start : head], text[span.start : span.end]
                into.setdefault((pkg, decl.sym), []).append(texts)

    def _package(self, path: str, text: bytes) -> str | None:
        """Import path of the package that a file with this text belongs to."""
        if not path.endswith(".go"):
            return None
        pkg = self.scope.package_of(path)
        outer = path.endswith("_test.go") and find_package_name(parse(text), text).endswith("_test")
        return f"{pkg.removesuffix('_test')}_test" if pkg and outer else pkg


def _is_go(path: str) -> bool:
    """Whether the go command reads a file as source or as a module file."""
    name = path.rpartition("/")[2]
    known = (".go", ".s", ".S", ".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".syso")
    return name.endswith(known) or name in ("go.mod", "go.sum", "go.work", "go.work.sum")


def find_source(scope: Scope, path: str) -> bytes | None:
    """Bytes of a file in the draft, None when there is none."""
    try:
        return scope.source(path)
    except Reject as miss:
        if miss.reason == "file_not_found":
            return None
        raise


def inner_path(scope: Scope, written: str) -> str:
    """A path below the workspace, as a text may give it; Reject path_outside_workspace."""
    path = scope.inner_path(written)
    parts = clean_path(path or "").split("/")
    if path is None or ".." in parts or ".git" in parts or parts == [""]:
        raise Reject("path_outside_workspace", written)
    return "/".join(parts)


def _heads(decls: Decls, key: tuple[str, str]) -> list[bytes]:
    return [head for head, _ in decls.get(key, ())]


def _joined(one: FileEdit, other: FileEdit) -> FileEdit:
    """Two edits of one file as one; Reject edit_text_malformed where they contradict."""
    if one.hunks and other.hunks and not (one.to or other.to or one.deletes or other.deletes):
        hunks = one.hunks + tuple(hunk._replace(loose=True) for hunk in other.hunks)
        return replace(one, hunks=hunks)
    if one.deletes and other.text is not None:
        return replace(other, creates=False)
    raise malformed(other.at, f"the text says something else of {other.path} before")


def _refusal(path: str, base: bytes, edit: FileEdit, text: EditText, miss: Miss) -> Reject:
    """Why a hunk has no place, with the places that come near and the texts that would fit."""
    name = f"{miss.hunk.name} (line {miss.hunk.at + 1} of the text)"
    if miss.starts:
        return _several(path, name, text, miss)
    reason = "text_not_found" if text.format == "blocks" else "hunk_does_not_fit"
    detail = f"{name} is not in {path}"
    if edit.blob and not _blob_name(base).startswith(edit.blob):
        detail += "; the file is not the one that the diff was made from"
    if any(line.strip() in (b"...", b"// ...") for line in miss.hunk.old):
        detail += "; lines that were left out (...) can't be searched"
    nearest = miss.nearest()
    if nearest is None:
        finding = Finding(path, 1, 1, "nothing in the file is like it", reason)
        return Reject(reason, detail, (finding,))
    shown = nearest.lines[:_SHOWN]
    now = b"\n".join(shown).decode("utf-8", "replace")
    finding = Finding(path, nearest.start + 1, 1, f"the nearest place reads:\n{now}", reason)
    offers: list[Json] = []
    if nearest.ratio >= _LIKE and len(nearest.lines) == len(miss.hunk.old):
        why = f"takes what stands at {path}:{nearest.start + 1} now for what was searched"
        offers.append([why, text.brought_up(miss.hunk, nearest.lines)])
    return Reject(reason, detail, (finding,), facts={"texts": offers})


def _several(path: str, name: str, text: EditText, miss: Miss) -> Reject:
    lines = [start + 1 for start in miss.starts]
    findings = tuple(Finding(path, line, 1, "the lines stand here", "text_found_several")
                     for line in lines)  # fmt: skip
    offers: list[Json] = [
        [f"takes the place at {path}:{start + 1}",
         text.pinned(miss.hunk, miss.said_line(start))]
        for start in miss.starts[:_OFFERED]
    ]  # fmt: skip
    detail = f"{name} stands at lines {', '.join(map(str, lines))} of {path}"
    return Reject("text_found_several", detail, findings, facts={"texts": offers})


def _blob_name(text: bytes) -> str:
    """What git calls these contents."""
    return hashlib.sha1(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()
