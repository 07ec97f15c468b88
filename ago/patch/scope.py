"""DraftScope: what planners may ask, answered from the draft's ledgers, the facts and the checker.

Invariant: every answer speaks of the current text; facts come in disk offsets and go through the
workbench before they are handed out. The scope never edits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from tree_sitter import Tree

from ago.checker.checker import TypeOracle
from ago.facts import read
from ago.facts.families import Family as FoundFamily
from ago.facts.families import find_family
from ago.patch import uncovered
from ago.patch.drafted import drop_rebound, list_drafted, read_importers, read_uses, with_roles
from ago.patch.handles import HandleBook
from ago.patch.naming import Naming
from ago.patch.places import decl_now, place_now, resolve_before
from ago.patch.standing import list_standing
from ago.patch.twins import Twins
from ago.patch.uncovered import Uncovered, find_uncovered, merge_refs
from ago.patch.workbench import Workbench
from ago.workspace.address import Address, resolve_package
from ago.workspace.files import read_below
from ago.workspace.modules import module_files, resolve_module
from ago.workspace.positions import (
    folder_of,
    inner_path,
    near_files,
)
from ago.workspace.recipes import read_recipes
from ago.workspace.snapshot import Snapshot
from grammar_ops.reject import Json, Reject
from grammar_ops.scope import Family, ModuleInfo, ObjectInfo, PackageInfo, Place, Ref, Target
from grammar_ops.syntax.decls import (
    SHARED_NAMES,
    Decl,
    find_decl,
    find_named_at,
    find_package_name,
)


class DraftScope:
    """The planner's window on one patch."""

    def __init__(self, snapshot: Snapshot, bench: Workbench, oracle: TypeOracle) -> None:
        """A scope over a snapshot; `oracle` answers what only types can tell."""
        self._snapshot, self._bench, self._oracle = snapshot, bench, oracle
        self.handles = HandleBook(bench)
        self.twins = Twins(snapshot)
        self.unproven: dict[str, None] = {}
        """What the planners' questions had to leave open, a sentence each."""
        self.naming = Naming(lambda pkg, sym: self._find_standing(pkg, sym) is not None)
        self._families: dict[tuple[str, str], FoundFamily] = {}

    # -- text ------------------------------------------------------------------------------------

    def source(self, path: str) -> bytes:
        """Current bytes of a file; Reject file_not_found."""
        return self._bench.source(path)

    def tree(self, path: str) -> Tree:
        """Current syntax tree of a file."""
        return self._bench.tree(path)

    def written(self, path: str) -> list[tuple[int, int, int]]:
        """(start, end, op) of the text that earlier ops wrote into a file."""
        arrived = set(self._bench.arrived(path))  # what moved there was written before
        return [row for row in self._bench.written(path) if row[:2] not in arrived]

    def resolve_decl(self, pkg: str, sym: str) -> Decl:
        """The declaration addressed, at its current place; Reject with near names."""
        self.twins.refuse(pkg, sym)
        path = self.twins.chosen(pkg, sym)
        found = self._decl_in(path, sym) if path else None
        found = found or self._find_standing(pkg, sym) or self.find_in_draft(pkg, sym)
        if found is not None:
            return found
        address = resolve_before(self._snapshot, self._bench, pkg, sym, bare_methods=False)
        decl = self._decl_of(address)
        if decl is None:
            now = self.naming.now(address.pkg, address.sym)
            near = (".".join(now),) if self.find_in_draft(*now) else ()
            detail = f"{pkg}.{sym}: an earlier op of the patch removed it"
            raise Reject("symbol_not_found", detail, did_you_mean=near)
        return decl

    def find_place(self, pkg: str, sym: str) -> Place | None:
        """Where a position in `sym` (of the text before the patch) stands now."""
        return place_now(self._snapshot, self._bench, pkg, sym)

    def resolve_target(self, pkg: str, sym: str, at: str) -> Target:
        """The node that a handle names now; Reject unknown_handle, unknown_ref."""
        return self.handles.resolve(self.resolve_decl(pkg, sym), at)

    def number(self, pkg: str, sym: str) -> None:
        """Number the statements of a function as they are before the patch changes them."""
        decl = self.resolve_decl(pkg, sym)
        if decl.kind in ("func", "method"):
            self.handles.number_early(decl)

    # -- facts -----------------------------------------------------------------------------------

    def find_object(self, pkg: str, sym: str) -> ObjectInfo | None:
        """What the facts know of an object of the base, under the name it has now."""
        record = self.twins.find(*self.naming.was(pkg, sym))
        if record is None:
            return None
        found = self._standing([read.describe(record)])
        return found[0]._replace(sym=sym) if found else None

    def refs(self, pkg: str, sym: str) -> list[Ref]:
        """Every reference to an object; files outside the build as far as syntax is certain."""
        self._snapshot.await_contexts([pkg])
        standing = self._located(read.refs(self._snapshot.facts, pkg, sym))
        drafted = [] if self._bench.is_clean else self._drafted_refs(pkg, sym)
        if not self._bench.is_clean and not self.naming.renames:
            standing = drop_rebound(standing, drafted, pkg, sym, self._ask_all)
        standing = with_roles(standing, drafted)
        return merge_refs(standing, drafted, self._uncovered(pkg, sym).refs)

    def note_uncovered(self, pkg: str, sym: str, followed: Collection[str]) -> None:
        """Note as unproven the files outside the build that mention an object, and how."""
        name = sym.rpartition(".")[2]
        for path in {ref.path for ref in self._uncovered(pkg, sym).refs} - set(followed):
            self.unproven.pop(uncovered.rewritten(path), None)
            self.unproven[uncovered.left(path, name)] = None

    def _uncovered(self, pkg: str, sym: str) -> Uncovered:
        package = self.find_package(pkg)
        if package is None:
            return Uncovered((), ())
        found = find_uncovered(package, sym, self._bench, self._snapshot.uncovered())
        torn = read.torn_files(self._snapshot.facts) if self._snapshot.typed else []
        torn_notes = uncovered.note_torn(package, sym, self._bench, torn)
        self.unproven.update(dict.fromkeys([*found.unproven, *torn_notes]))
        return found

    def related(self, pkg: str, sym: str, relation: str) -> list[ObjectInfo]:
        """Objects bound to this one: embedded_fields, members, implementors, interface_methods."""
        self._snapshot.await_contexts([pkg])
        return self._standing(
            read.related(self._snapshot.facts, *self.naming.was(pkg, sym), relation)
        )

    def family(self, pkg: str, sym: str) -> Family:
        """The methods that interfaces tie to this one, by the base."""
        key = self.naming.was(pkg, sym)
        if key not in self._families:
            found = find_family(self._snapshot.facts, *key)
            same = {(m.pkg, m.sym): found for m in found.members if m.pkg}  # the family of each
            self._families |= {**same, key: found}
        found = self._families[key]
        return Family(tuple(self._standing(found.members)), found.outside, found.tied)

    def _standing(self, infos: Sequence[ObjectInfo]) -> list[ObjectInfo]:
        """Those of the objects of the base that are left, as they are called and stand now."""

        def find(path: str, pkg: str, sym: str) -> Decl | None:
            return self._decl_in(path, sym) or self.find_in_draft(pkg, sym)

        return list_standing(infos, self._bench, find, self.naming)

    def find_package(self, pkg: str) -> PackageInfo | None:
        """A workspace package by import path, files of the draft included."""
        info = self._snapshot.package(pkg)
        folder = info.dir if info else self._new_folder(pkg)
        if folder is None:
            return None
        if info is not None:
            there = ((p, r) for p, r in info.files if not self._bench.is_deleted(p))
            info = info._replace(files=tuple(there))
        known = {path for path, _ in info.files} if info else set()
        added = [path for path in list_drafted(self._bench, folder) if path not in known]
        if not added and (info is None or not info.files):
            return None
        rows = [(path, "test" if path.endswith("_test.go") else "go") for path in added]
        if info is not None:
            return info._replace(files=tuple(sorted((*info.files, *rows))))
        name = self._clause(added[0])
        module = self.module_of(pkg)
        return PackageInfo(pkg, name, folder, module[0] if module else "", tuple(sorted(rows)))

    def imports_of(self, pkg: str) -> frozenset[str]:
        """The workspace packages that a package imports, tests aside, before the patch."""
        return self._snapshot.graph.imports.get(pkg, frozenset())

    def module_of(self, pkg: str) -> tuple[str, str] | None:
        """(module path, folder) that an import path would belong to, None outside the workspace."""
        found = self._snapshot.graph.module_of(pkg)
        return (found.path, found.dir) if found else None

    def resolve_module(self, pkg: str) -> ModuleInfo:
        """The module that a package, folder or module path is of; Reject several_modules."""
        return resolve_module(self._snapshot, pkg)

    def module_files(self, module: str) -> list[str]:
        """Every Go file of a module, in the base or the draft."""
        files = module_files(self._snapshot, module, self._bench.edited())
        return [path for path in files if self._bench.find(path) is not None]

    def files_below(self, folder: str) -> list[str]:
        """Every file below a folder; each has a source from then on."""
        return self._bench.take_in(folder, read_below(self._snapshot.root, folder))

    def recipes(self) -> list[tuple[str, bytes]]:
        """(path, text) of the files outside of Go that say how the workspace is built."""
        return list(read_recipes(self._snapshot.root))

    # -- the checker -----------------------------------------------------------------------------

    def check_fragment(self, kind: str, text: str) -> str | None:
        """The Go parser's complaint on a fragment, None when it is Go."""
        return self._oracle.syntax(kind, text)

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        """One question to the checker over the current draft."""
        return self._ask_all([question])[0]

    def _ask_all(self, questions: Sequence[dict[str, Json]]) -> Sequence[dict[str, Json]]:
        return self._oracle.ask(self._bench.overlay(), questions)

    # -- what the draft adds ---------------------------------------------------------------------

    def resolve_base(self, pkg: str, sym: str) -> Address:
        """An address in the base; Reject with near names."""
        return resolve_before(self._snapshot, self._bench, pkg, sym)

    def resolve_package(self, pkg: str, *, must_exist: bool) -> str:
        """The import path meant by `pkg`; as it was written where it need not exist."""
        try:
            found = resolve_package(self._snapshot, pkg)
        except Reject as reject:
            drafted = must_exist and bool(pkg) and self.find_package(pkg) is not None
            if pkg and reject.reason == "package_not_found" and (drafted or not must_exist):
                return pkg
            raise
        if self.find_package(found) is None and not pkg.startswith("."):
            found = self.naming.now(found, "")[0]  # an op renamed its folder
        if must_exist and self.find_package(found) is None:
            raise Reject("package_not_found", f"{pkg}: an earlier op of the patch emptied it")
        return found

    def name_now(self, pkg: str, sym: str) -> str:
        """What `sym` of a package is called, where only an earlier op knows it by that name."""
        return sym if self.declares(pkg, sym) else self.naming.now(pkg, sym)[1]

    def is_generated(self, path: str) -> bool:
        """Whether a file says that it is generated."""
        return self._snapshot.is_generated(path)

    def resolve_address(self, pkg: str, sym: str) -> tuple[str, str, str | None]:
        """(pkg, sym) in canonical form and what to tell of it; the draft's own names count."""
        found = self.find_in_draft(pkg, sym) if pkg else None
        if found is not None:
            return pkg, found.sym, None
        try:
            address = resolve_before(self._snapshot, self._bench, pkg, sym)
        except Reject:
            if drafted := self._find_drafted(pkg, sym):
                return *drafted, ".".join(drafted)
            raise
        self._snapshot.await_contexts([address.pkg])
        if address.place is not None and address.sym in SHARED_NAMES:
            return address.pkg, address.position, address.counted  # only it tells it from others
        if address.place is not None:
            self.twins.choose(address.pkg, address.sym, address.path)
        now = self.naming.now(address.pkg, address.sym)
        if now != (address.pkg, address.sym) and self._decl_in(address.path, address.sym) is None:
            return *now, ".".join(now)
        return address.pkg, address.sym, address.resolved

    def _find_drafted(self, pkg: str, sym: str) -> tuple[str, str] | None:
        """(pkg, sym) of what the draft declares: a suffix may name the package, its tests count."""
        try:
            home = resolve_package(self._snapshot, pkg)
        except Reject:
            return None
        for of in (home, f"{home}_test"):
            if found := self.find_in_draft(of, sym):
                return of, found.sym
        return None

    def find_in_draft(self, pkg: str, sym: str) -> Decl | None:
        """A declaration in the files of `pkg` that the disk does not hold as they are now."""
        for path in self._bench.unsaved():
            if self._bench.find(path) is not None and self.package_of(path) == pkg:
                decl = self._decl_in(path, sym)
                if decl is not None:
                    return decl
        return None

    def _clause(self, path: str) -> str:
        """The name in a file's package clause, "" when it has none."""
        return find_package_name(self._bench.tree(path), self._bench.source(path))

    def _decl_of(self, address: Address) -> Decl | None:
        """The declaration of an address of the base, where it stands now."""
        if address.place is None:
            return self._decl_in(address.path, address.sym)
        return decl_now(self._bench, address.path, address.place)

    def _decl_in(self, path: str, sym: str) -> Decl | None:
        if self._bench.find(path) is None:
            return None
        return find_decl(self._bench.tree(path), self._bench.source(path), sym, path)

    def _find_standing(self, pkg: str, sym: str) -> Decl | None:
        """The declaration that had this name before the patch, where that name is untouched."""
        record = self.twins.find(pkg, sym)
        info = read.describe(record) if record else None
        span = self._bench.locate(info.path, info.name_span) if info else None
        if info is None or span is None:
            return None
        source, tree = self._bench.source(info.path), self._bench.tree(info.path)
        named = find_named_at(tree, source, span, info.path)
        return named or find_decl(tree, source, sym, info.path)

    def _located(self, refs: list[Ref]) -> list[Ref]:
        out = []
        for ref in refs:
            span = self._bench.locate(ref.path, ref.span)
            if span is not None:
                out.append(ref._replace(span=span))
        return out

    def _drafted_refs(self, pkg: str, sym: str) -> list[Ref]:
        """References as the checker sees them in the draft: those that earlier ops wrote too."""
        if not sym:
            return list(read_importers(self._bench, pkg))
        answer = self.ask({"kind": "uses_of", "pkg": pkg, "sym": sym})
        others, generated = self.naming.others(pkg, sym), self._snapshot.is_generated
        return list(read_uses(answer, self._bench, others, generated))

    def declares(self, pkg: str, sym: str) -> bool:
        """Whether a package declares a name or member, in the base or in the draft."""
        if self.find_in_draft(pkg, sym) is not None:
            return True
        records = read.find_objects(self._snapshot.facts, pkg, sym)
        return any(self._decl_in(record.path, sym) is not None for record in records)

    def inner_path(self, path: str) -> str | None:
        """A path below the root, None for one that is elsewhere."""
        return inner_path(self._snapshot.root, path)

    def near_files(self, path: str) -> tuple[str, ...]:
        """Files that a path which is none may mean."""
        return near_files(path, self._snapshot.files())

    def package_of(self, path: str) -> str | None:
        """Import path of a file's package as objects are addressed: `p_test` for external tests."""
        known = self._snapshot.graph.owners.get(path)
        owner = known[0] if known else self._snapshot.graph.import_path_of(folder_of(path))
        if owner is None:
            return None
        name = self._clause(path) if self._bench.find(path) is not None else ""
        outer = path.endswith("_test.go") and name.endswith("_test")
        return f"{owner}_test" if outer else owner

    def _new_folder(self, pkg: str) -> str | None:
        path, folder = self.module_of(pkg) or ("", None)
        return folder and PurePosixPath(folder, pkg[len(path) :].strip("/")).as_posix()
