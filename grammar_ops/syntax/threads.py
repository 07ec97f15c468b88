"""Threading: a parameter that goes up the call chain, until a caller has a value of its type.

Invariant: a function of the chain hands on the parameter that it got; a caller that can't get one,
or is not to, passes the default.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from grammar_ops.op import ImportWish, Notes, Plan
from grammar_ops.reject import Json, Reject, register
from grammar_ops.scope import ObjectInfo, Ref, Scope
from grammar_ops.syntax import families, params, uses
from grammar_ops.syntax.callsites import (
    CallSite,
    Passing,
    find_calls,
    refuse_unreadable,
    rewrite_calls,
    value_refs,
)
from grammar_ops.syntax.decls import Decl, find_enclosing
from grammar_ops.syntax.elsewhere import rewrite_type
from grammar_ops.syntax.findings import LIMIT, point_at
from grammar_ops.syntax.names import run_kind
from grammar_ops.syntax.reshape import keep_together, refuse_values
from grammar_ops.syntax.rewrite import Rewrite, gather
from grammar_ops.syntax.shapes import Slot, insert_slot, read_slots
from grammar_ops.syntax.typefacts import rows

register(
    "grammar",
    {
        "root_not_reached": "a named root calls nothing of the chain",
        "several_values_in_scope": "a caller has several values of the type, none of that name",
    },
)

Key = tuple[str, str]
"""(package, symbol) of a function."""


class Thread(NamedTuple):
    """What is threaded: the parameter as its function's file writes it, and where it ends."""

    slot: Slot
    default: str
    first: bool
    roots: tuple[str, ...]
    implementors: bool
    home: tuple[str, str]
    """(package, file) of the function that wants it."""


class _Link(NamedTuple):
    """A function of the chain, and its parameters before and after."""

    decl: Decl
    passing: Passing
    wishes: tuple[ImportWish, ...]


class _Local(NamedTuple):
    """A variable of a function: whether it can be handed on, and whether the parameters' scope
    (func) has it or a block."""

    fits: bool
    level: str


class _Chain:
    """The functions that get the parameter, and what their callers pass."""

    def __init__(self, scope: Scope, thread: Thread) -> None:
        self.scope, self.thread = scope, thread
        self.links: dict[Key, tuple[_Link, ...]] = {}
        self.calls: dict[tuple[str, int], tuple[CallSite, Passing]] = {}
        self.ends: list[Ref] = []
        self.reached: set[str] = set()
        self._refs: dict[Key, list[Ref]] = {}

    def follow(self, key: Key, decl: Decl) -> None:
        """Give the parameter to a function, and to the functions above it."""
        todo = [(key, decl)]
        while todo:
            link = self._link(*todo.pop())
            todo += self._callers(link) if link is not None else []

    def _link(self, key: Key, decl: Decl) -> tuple[Key, _Link] | None:
        if key in self.links:
            return None
        decls = (decl, *families.list_twins(self.scope, key[0], decl))
        self.links[key] = tuple(self._reshape(key[0], each) for each in decls)
        return key, self.links[key][0]

    def _reshape(self, pkg: str, decl: Decl) -> _Link:
        there = (pkg, decl.path)
        text, wishes = rewrite_type(self.scope, self.thread.slot.type, self.thread.home, there)
        slot = self.thread.slot._replace(type=text)
        old = read_slots(decl.node, self.scope.source(decl.path))
        new, sources = insert_slot(old, slot, first=self.thread.first)
        return _Link(decl, Passing(old, new, sources, {}), tuple(wishes))

    def _callers(self, link: tuple[Key, _Link]) -> list[tuple[Key, Decl]]:
        """The functions that have to join, to call this one."""
        key, (decl, passing, _) = link
        tied = self._tied(key, decl)
        found = [((m.pkg, m.sym), families.resolve_member(self.scope, m)) for m in tied]
        sites = find_calls(self.scope, self.refs_of(key), decl)
        refuse_unreadable(self.scope, sites, passing, decl.sym)
        for site in sites:
            given, joining = self._argument(site)
            home = self.thread.home if site.ref in self.ends else None
            own = passing._replace(defaults={self.thread.slot.name: given}, home=home)
            self.calls[site.ref.path, site.call.node.start_byte] = (site, own)
            found += [joining] if joining is not None else []
        return found

    def _argument(self, site: CallSite) -> tuple[str, tuple[Key, Decl] | None]:
        """What a call passes, and the function that has to join for that."""
        path, at = site.ref.path, site.call.node.start_byte
        outer = find_enclosing(self.scope.tree(path), self.scope.source(path), at, path)
        key = (self.scope.package_of(path) or "", outer.sym) if outer is not None else ("", "")
        name, locals_ = self.thread.slot.name, self._locals(site, key[0])
        known = locals_.get(name, _Local(fits=True, level=""))
        seen = "" if key in self.links else self._visible(site, locals_)
        if seen:
            return seen, None
        ends = key not in self.links and not self._joins(site, key, outer)
        # Beside another parameter or variable of that name there is no place for it.
        if ends or (not known.fits and known.level == "func" and self.thread.default):
            self.ends.append(site.ref)
            return self.thread.default, None
        if not known.fits:
            raise uses.reject_at(self.scope, "param_name_collides", name, [site.ref])
        return name, (key, outer) if outer is not None else None

    def _locals(self, site: CallSite, pkg: str) -> dict[str, _Local]:
        """The variables of the function around a call."""
        path, at = site.ref.path, site.call.node.start_byte
        text, _ = rewrite_type(self.scope, self.thread.slot.type, self.thread.home, (pkg, path))
        question: dict[str, Json] = {"kind": "names_at", "file": path, "offset": at}
        names = rows(self.scope.ask({**question, "assignable_to": [text]}), "names")
        return {
            str(name["name"]): _Local(self._fits(name, text), str(name["level"]))
            for name in names
            if name.get("level") in ("func", "block")
        }

    def _fits(self, name: Mapping[str, Json], text: str) -> bool:
        """Whether a variable can be handed on: one of the type, or of that name and assignable."""
        called_so = name["name"] == self.thread.slot.name and name.get("assignable") == [True]
        return called_so or _same(str(name.get("type")), text)

    def _visible(self, site: CallSite, locals_: Mapping[str, _Local]) -> str:
        """A variable at a call that can be handed on."""
        found, name = [name for name, it in locals_.items() if it.fits], self.thread.slot.name
        if name in found or not found:
            return name if found else ""
        if len(found) > 1:
            detail = ", ".join(sorted(found))
            raise uses.reject_at(self.scope, "several_values_in_scope", detail, [site.ref])
        return found[0]

    def _joins(self, site: CallSite, key: Key, outer: Decl | None) -> bool:
        """Whether the caller can get the parameter itself, and is to."""
        roots = {root for root in self.thread.roots if self._is_named(root, key)}
        self.reached |= roots
        if roots or outer is None or site.ref.generated:
            return False
        if outer.kind not in ("func", "method") or outer.path.endswith("_test.go"):
            return False
        if outer.kind == "func" and (run_kind(outer.name, False, True) or outer.name == "init"):
            return False
        return not value_refs(self.refs_of(key)) and not self._is_fixed(key, outer)

    def _is_named(self, root: str, key: Key) -> bool:
        """Whether a root, written with as much of its address as is needed, is a function."""
        package = self.scope.find_package(key[0])
        named = f"{package.name}.{key[1]}" if package is not None else key[1]
        whole = f"{key[0]}.{key[1]}"
        return root in (whole, named) or whole.endswith((f".{root}", f"/{root}"))

    def _is_fixed(self, key: Key, outer: Decl) -> bool:
        """Whether assembly or interfaces keep a function's signature."""
        if uses.is_in_assembly(self.scope, *key):
            return True
        try:
            tied = families.list_tied(self.scope, key[0], outer)
        except Reject:
            return True
        return bool(tied) and not self.thread.implementors

    def _tied(self, key: Key, decl: Decl) -> list[ObjectInfo]:
        return families.list_tied(self.scope, key[0], decl) if self.thread.implementors else []

    def refs_of(self, key: Key) -> list[Ref]:
        """The references to a function."""
        if key not in self._refs:
            self._refs[key] = uses.list_refs(self.scope, *key)
        return self._refs[key]


def plan_thread(scope: Scope, key: Key, decl: Decl, thread: Thread) -> Plan:
    """The plan that gives a function the parameter, and hands it down to it from above."""
    chain = _Chain(scope, thread)
    tied = [] if thread.implementors else families.list_tied(scope, key[0], decl)
    refuse_values(scope, key[0], decl, chain.refs_of(key))
    chain.follow(key, decl)
    _refuse_lacking(scope, chain, thread)
    rewrites = dict[str, Rewrite]()

    def rewrite_of(path: str) -> Rewrite:
        return rewrites.setdefault(path, Rewrite(path, scope.source(path)))

    links = [link for twins in chain.links.values() for link in twins]
    for decl, passing, wishes in links:
        own = rewrite_of(decl.path)
        own.wishes += wishes
        heading = params.admit_names(own, decl, passing, strict=True)
        params.rewrite_head(own, decl, heading, None)
    for site, passing in chain.calls.values():
        rewrite_calls(scope, rewrite_of, [site], passing, allow_effects=True)
    edits, imports = gather(rewrites.values())
    return Plan(
        edits,
        touches=tuple(chain.links),
        together=keep_together(scope, key[0], decl, tied),
        imports=imports,
        notes=_notes(scope, chain, key),
    )


def _refuse_lacking(scope: Scope, chain: _Chain, thread: Thread) -> None:
    """Refuse roots that are none, and calls above which there is nothing to pass."""
    strange = [root for root in thread.roots if root not in chain.reached]
    if strange:
        near = tuple(f"{pkg}.{sym}" for pkg, sym in chain.links)[1:4]
        raise Reject("root_not_reached", ", ".join(strange), did_you_mean=near)
    if chain.ends and not thread.default:
        detail = f"{len(chain.ends)} calls have no {thread.slot.type} to pass"
        raise uses.reject_at(scope, "default_required", detail, chain.ends)


def _notes(scope: Scope, chain: _Chain, key: Key) -> Notes:
    notes = Notes(callers_updated=len(chain.calls))
    notes["threaded"] = [f"{pkg}.{sym}" for pkg, sym in chain.links if (pkg, sym) != key]
    ends = [point_at(scope.source(r.path), r.path, r.span.start) for r in chain.ends[:LIMIT]]
    notes["default_passed"] = [f"{p.file}:{p.line}:{p.col}" for p in ends]
    generated = uses.list_generated([site.ref for site, _ in chain.calls.values()])
    return notes | ({"generated": generated} if generated else {})


def _same(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())
