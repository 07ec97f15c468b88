"""The differences of one file as steps: what changed in each declaration, what came and what went.

Whole-declaration upserts are the last way of a step, where finer ops can't say it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bench.oracle.bodies import change_body
from bench.oracle.items import GoFile, Item
from bench.oracle.match import SHARED, is_shared, match_items, names
from bench.oracle.members import change_members
from bench.oracle.step import GONE_FILE, Inexpressible, Op, Step
from grammar_ops.syntax import docs

HEAD, MEMBERS, ADDED, CHANGED, GONE = 1, 3, 4, 5, 6


class FileSteps:
    """Steps from one text of a file to another."""

    def __init__(
        self, pkg: str, path: str, old: GoFile, new: GoFile, is_unique: Callable[[str], bool]
    ) -> None:
        """`is_unique` says whether one file alone of the package declares a name."""
        self.pkg, self.path, self.old, self.new = pkg, path, old, new
        self.is_unique = is_unique
        self.matched = match_items(old.items, new.items)
        self.old_of = {j: i for i, j in self.matched.pairs}

    def list_steps(self) -> list[Step]:
        """Every difference; Inexpressible for the first that no op says."""
        self._refuse_trivia()
        return [
            *self._head(),
            *(step for i, j in self.matched.pairs for step in self._changed(i, j)),
            *(self._added(j) for j in self.matched.new),
            *(self._gone(i) for i in self.matched.gone),
        ]

    def _refuse_trivia(self) -> None:
        """What is between declarations has no op: comments of nobody, blank lines, the order."""
        if any(b < a for (a, _), (b, _) in pairwise(self.matched.pairs)):
            raise Inexpressible("order of declarations")
        for i, j in self.matched.pairs:
            before, after = self.old.items[i].gap.strip(), self.new.items[j].gap.strip()
            if before != after and not self._gap_moved(j):
                raise Inexpressible("comment between declarations")
            if j > 0 and before == after == "" and j - 1 not in self.old_of:
                refuse_layout(self.new.items, j)
        if self.old.tail.strip() != self.new.tail.strip():
            raise Inexpressible("comment between declarations")

    def _gap_moved(self, j: int) -> bool:
        """Whether a comment that stood before item `j` stands before a new one above it."""
        new = self.new.items
        return not new[j].gap.strip() and j - 1 in self.matched.new and bool(new[j - 1].gap.strip())

    def _head(self) -> Iterator[Step]:
        whole = {"op": "set_head", "pkg": self.pkg, "file": self.path}
        full = [{**whole, "text": self.new.clause + self.new.imports}]
        if self.old.clause != self.new.clause:
            yield Step(self.path, "", [[{**whole, "text": self.new.clause}], full], HEAD)
        elif self.old.imports != self.new.imports:
            yield Step(self.path, "", [[], full], HEAD)
        else:
            yield Step(self.path, "", [[], full], HEAD)

    def _changed(self, i: int, j: int) -> Iterator[Step]:
        old, new = self.old.items[i], self.new.items[j]
        if old.text == new.text:
            return
        address: Op = {"pkg": self.pkg, "sym": self._address(old)}
        whole = self._upsert(new, old)
        finer: list[list[Op]] = []
        lowered: list[tuple[str, str]] = []
        doc = self._doc(address, old, new)
        if old.code == new.code:
            finer.append(doc)
        elif new.kind == "func" and old.decls[0].body_span and new.decls[0].body_span:
            bodies, why = change_body(address, old, self.old.src, new, self.new.src)
            lowered = [("statements", why)] if why else []
            finer += [[*ops, *doc] for ops in bodies]
        elif new.kind != "func":
            finer += [[*ops, *doc] for ops in change_members(address, old, new)]
        yield Step(self.path, new.key, [*finer, whole], CHANGED, lowered=lowered)

    def _doc(self, address: Op, old: Item, new: Item) -> list[Op]:
        if old.doc == new.doc:
            return []
        lines = [line for line in new.doc.splitlines() if not docs.is_directive(line)]
        return [{"op": "set_doc", **address, "text": "\n".join(lines)}]

    def _upsert(self, new: Item, old: Item | None = None) -> list[Op]:
        op: Op = {"op": "upsert_decl", "pkg": self.pkg, "text": new.text}
        if old is not None and (is_shared(old) or not self._all_unique(old)):
            op["sym"] = self._position(old)
        joined = old is not None and is_group(new) and not is_group(old)
        if old is not None and old.doc and not (new.doc or joined):
            return [op, {"op": "set_doc", "pkg": self.pkg, "sym": self._address(old), "text": ""}]
        return [op]

    def _added(self, j: int) -> Step:
        new = self.new.items[j]
        comment = new.gap.strip()
        if self._gap_stays(j):
            comment = ""
        refuse_layout(self.new.items, j)
        [op] = self._upsert(new)
        if comment:
            op["text"] = f"{comment}\n\n{new.text}"
        return Step(self.path, new.key, [[{**op, **self._place(j)}]], ADDED)

    def _gap_stays(self, j: int) -> bool:
        """Whether the comment before a new item stood before the next old one already."""
        after = next((k for k in range(j + 1, len(self.new.items)) if k in self.old_of), None)
        if after is None:
            return False
        gap, now = self.old.items[self.old_of[after]].gap.strip(), self.new.items[after].gap.strip()
        return bool(gap) and gap == self.new.items[j].gap.strip() and gap != now

    def _place(self, j: int) -> Op:
        """Behind the declaration above, else before the one below, else in the file."""
        if j > 0 and not self._gap_stays(j) and (mate := self._mate(j, j - 1)):
            return {"after": mate}
        following = next((k for k in range(j + 1, len(self.new.items)) if k in self.old_of), None)
        if following is not None and (mate := self._mate(j, following)):
            return {"before": mate}
        if j > 0 and following is not None:
            raise Inexpressible("place beside a group of its own keyword")
        return {"file": self.path}

    def _mate(self, j: int, k: int) -> str:
        """The address of item `k` as a neighbour of new item `j`, "" when it has none."""
        new, mate = self.new.items[j], self.new.items[k]
        joins = len(new.syms) == 1 and new.kind == mate.kind and is_group(mate)
        if joins and new.kind != "func":
            return ""
        if k in self.old_of:
            return self._address(self.old.items[self.old_of[k]])
        return "" if is_shared(mate) or not self._all_unique(mate) else mate.syms[0]

    def _gone(self, i: int) -> Step:
        old = self.old.items[i]
        named = not is_shared(old) and self._all_unique(old)
        syms = list(old.syms) if named else [self._position(old, k) for k in range(len(old.syms))]
        ops: list[Op] = [{"op": "delete_decl", "pkg": self.pkg, "syms": syms}]
        return Step(self.path, old.key, [ops], GONE)

    def _address(self, old: Item) -> str:
        if is_shared(old) or not self._all_unique(old):
            return self._position(old)
        return next(sym for sym in old.syms if sym in names(old))

    def _all_unique(self, item: Item) -> bool:
        return all(map(self.is_unique, names(item)))

    def _position(self, old: Item, member: int = 0) -> str:
        line = self.old.src.count(b"\n", 0, old.decls[member].name_span.start) + 1
        return f"{self.path}:{line}"


def is_group(item: Item) -> bool:
    """Whether an item is parenthesised."""
    return bool(item.decls) and item.decls[0].group is not None


def refuse_layout(items: Sequence[Item], j: int) -> None:
    """Blank lines are as they usually are: none between one-line declarations without docs."""
    if j == 0 or items[j].gap.strip():
        return
    above, below = items[j - 1], items[j]
    stacks = above.kind == below.kind != "type" and "\n" not in above.text + below.text
    if items[j].gap != ("\n" if stacks else "\n\n"):
        raise Inexpressible("blank lines between declarations")


def create_file(pkg: str, path: str, new: GoFile) -> list[Step]:
    """The steps that make a file: its head, then its declarations in order."""
    if new.tail.strip():
        raise Inexpressible("comment between declarations")
    head: Op = {"op": "set_head", "pkg": pkg, "file": path}
    whole = {**head, "text": new.clause + new.imports}
    clause = {**head, "text": new.clause}
    steps = [Step(path, "", [[clause], [whole]], HEAD)]
    for index, item in enumerate(new.items):
        refuse_layout(new.items, index)
        text = f"{item.gap.strip()}\n\n{item.text}" if item.gap.strip() else item.text
        op: Op = {"op": "upsert_decl", "pkg": pkg, "file": path, "text": text}
        steps.append(Step(path, item.key, [[op]], ADDED))
    return steps


def delete_file(pkg: str, path: str, old: GoFile) -> Step:
    """The step that deletes a file, where need be after all that it declares."""
    whole: Op = {"op": "delete_file", "paths": [path]}
    decls = [decl for item in old.items for decl in item.decls]
    lines = {d.span: old.src.count(b"\n", 0, d.name_span.start) + 1 for d in decls}
    syms = [f"{path}:{lines[d.span]}" if d.sym in SHARED else d.sym for d in decls]
    ways = [[whole], [{"op": "delete_decl", "pkg": pkg, "syms": syms}, whole]]
    return Step(path, "", ways if syms else ways[:1], GONE_FILE)
