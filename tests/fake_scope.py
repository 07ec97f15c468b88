"""A Scope over a dict of files: references by name, syntax by tree-sitter, no types, no Go."""

from __future__ import annotations

import pytest
from tree_sitter import Tree

from grammar_ops.catalog import parse_op
from grammar_ops.edit import Edit, Span
from grammar_ops.ledger import Ledger
from grammar_ops.op import Plan
from grammar_ops.reject import Json, Reject, register, registered_reasons
from grammar_ops.scope import Family, ObjectInfo, PackageInfo, Place, Ref, Target
from grammar_ops.syntax import nodes, slots
from grammar_ops.syntax.decls import Decl, find_decl, find_enclosing, find_package_name
from grammar_ops.syntax.parse import find_errors, parse
from grammar_ops.syntax.stmts import find_target, handle_of, target_at

MODULE = "example.test/m"
_MISSES = {
    key: key.replace("_", " ")
    for key in ("package_not_found", "symbol_not_found", "member_not_found", "file_not_found")
    if key not in registered_reasons()
}
register("test", _MISSES)

_WRAPS = {
    "expr": "package p\n\nvar _ = {}\n",
    "type": "package p\n\nvar _ {}\n",
    "stmts": "package p\n\nfunc _() {{\n{}\n}}\n",
    "decl": "package p\n\n{}\n",
}


class FakeScope:
    """A draft of one module: `files` by path; a folder is a package; ops are applied in memory."""

    def __init__(self, files: dict[str, str], answers: dict[str, Json] | None = None) -> None:
        self.ledgers = {path: Ledger(text.encode()) for path, text in files.items()}
        self.answers = answers or {}
        self.embedded: list[ObjectInfo] = []
        self.marks: dict[int, tuple[str, object]] = {}

    def run(self, *ops: dict[str, Json], pkg: str = MODULE, sym: str = "") -> Plan:
        """Plan and apply ops in order; the last plan. What an op deletes is still used, so
        the last op's refusal for that is raised."""
        plan = Plan()
        for number, raw in enumerate(ops, 1):
            op = parse_op({**raw, "pkg": raw.get("pkg", pkg), "sym": raw.get("sym", sym)}, number)
            plan = op.plan(self)
            if number == len(ops):
                for used in plan.still_used:
                    raise used.reject
            self._apply(plan, number)
        return plan

    def _apply(self, plan: Plan, number: int) -> None:
        for path in sorted({edit.path for edit in plan.edits}):
            mine = [(i, e) for i, e in enumerate(plan.edits) if e.path == path]
            ledger = self.ledgers.setdefault(path, Ledger(b""))
            spans = ledger.apply([e for _, e in mine], number)
            for (index, _), span in zip(mine, spans, strict=True):
                if plan.bind is not None and plan.bind.edit == index:
                    low, high = plan.bind.span
                    mark = ledger.mark(Span(span.start + low, span.start + high))
                    self.marks[number] = (path, mark)

    def text(self, path: str) -> str:
        """The current text of a file."""
        return self.ledgers[path].text.decode()

    def source(self, path: str) -> bytes:
        if path not in self.ledgers:
            raise Reject("file_not_found", path)
        return self.ledgers[path].text

    def written(self, path: str) -> list[tuple[int, int, int]]:
        return self.ledgers[path].written()

    def tree(self, path: str) -> Tree:
        return parse(self.source(path))

    def resolve_decl(self, pkg: str, sym: str) -> Decl:
        sym = sym.replace("(*", "").replace(")", "")
        for path, _ in self._files(pkg):
            found = find_decl(self.tree(path), self.source(path), sym, path)
            if found is not None:
                return found
        raise Reject("symbol_not_found", sym)

    def declares(self, pkg: str, sym: str) -> bool:
        files = self._files(pkg)
        return any(find_decl(self.tree(p), self.source(p), sym, p) is not None for p, _ in files)

    def resolve_target(self, pkg: str, sym: str, at: str) -> Target:
        if not at.startswith("$"):
            return find_target(self.resolve_decl(pkg, sym), at)
        name, dot, rest = at.partition(".")
        if int(name[1:]) not in self.marks:
            raise Reject("unknown_ref", at)
        path, mark = self.marks[int(name[1:])]
        span = self.ledgers[path].where(mark)
        decl = span and find_enclosing(self.tree(path), self.source(path), span.start, path)
        found = target_at(decl, span) if decl and span else None
        if found is None:
            raise Reject("unknown_ref", at)
        if dot:
            return find_target(found.function, f"{handle_of(found.function, found.node)}.{rest}")
        return found

    def find_object(self, pkg: str, sym: str) -> ObjectInfo | None:
        try:
            decl = self.resolve_decl(pkg, sym)
        except Reject:
            return None
        return ObjectInfo(pkg, sym, decl.kind, "", decl.path, decl.name_span, frozenset())

    def refs(self, pkg: str, sym: str) -> list[Ref]:
        if not self._files(pkg):
            return []
        name = sym.rpartition(".")[2].encode()
        own = self.resolve_decl(pkg, sym)
        found = []
        for path in sorted(self.ledgers):
            src = self.source(path)
            for node in nodes.descendants(self.tree(path).root_node):
                if not node.children and src[node.start_byte : node.end_byte] == name:
                    span = nodes.span_of(node)
                    is_own = (path, span) == (own.path, own.name_span)
                    found.append(Ref(path, span, "def" if is_own else _role(node), pkg))
        return found

    def related(self, pkg: str, sym: str, relation: str) -> list[ObjectInfo]:
        return self.embedded if relation == "embedded_fields" else []

    def family(self, pkg: str, sym: str) -> Family:
        return Family((), (), False)

    def find_place(self, pkg: str, sym: str) -> Place | None:
        return None

    def inner_path(self, path: str) -> str | None:
        return path

    def near_files(self, path: str) -> tuple[str, ...]:
        return ()

    def package_of(self, path: str) -> str | None:
        return MODULE

    def find_package(self, pkg: str) -> PackageInfo | None:
        files = self._files(pkg)
        if not files:
            return None
        path = files[0][0]
        name = find_package_name(self.tree(path), self.source(path))
        return PackageInfo(pkg, name, _folder(pkg), MODULE, tuple(files))

    def module_of(self, pkg: str) -> tuple[str, str] | None:
        return (MODULE, "") if pkg == MODULE or pkg.startswith(f"{MODULE}/") else None

    def check_fragment(self, kind: str, text: str) -> str | None:
        root = parse(_WRAPS[kind].format(text).encode()).root_node
        wrong = any(True for _ in find_errors(root)) or len(nodes.elements(root)) != 2
        return "syntax error" if wrong else None

    def ask(self, question: dict[str, Json]) -> dict[str, Json]:
        answer = self.answers.get(str(question["kind"]), {})
        assert isinstance(answer, dict)
        return answer

    def _files(self, pkg: str) -> list[tuple[str, str]]:
        folder = _folder(pkg)
        return [
            (path, "test" if path.endswith("_test.go") else "go")
            for path in sorted(self.ledgers)
            if path.rpartition("/")[0] == folder
        ]


def _folder(pkg: str) -> str:
    return pkg.removeprefix(MODULE).strip("/")


def _role(node: object) -> str:
    inner = node
    while inner.parent is not None and slots.is_callee_part(inner, inner.parent):
        inner = inner.parent
    call = inner.parent
    return "call" if call and slots.is_call(call) and slots.callee_of(call) == inner else "value"


def run_on(text: str, *ops: dict[str, Json], sym: str = "F") -> str:
    """The file after ops on the function `sym` of a one-file package."""
    scope = FakeScope({"a.go": text})
    scope.run(*ops, sym=sym)
    return scope.text("a.go")


def edit_of(path: str, start: int, end: int, text: str) -> Edit:
    """An edit, for short."""
    return Edit(path, Span(start, end), text.encode())


def body(*lines: str) -> str:
    """A file with one function of these lines."""
    return "package p\n\nfunc F() {\n" + "".join(f"\t{line}\n" for line in lines) + "}\n"


def reason_of(scope: FakeScope, op: dict[str, object], sym: str = "") -> str:
    """Why an op is refused; the file is as it was."""
    before = {path: scope.source(path) for path in scope.ledgers}
    with pytest.raises(Reject) as miss:
        scope.run(op, sym=sym)
    assert {path: scope.source(path) for path in scope.ledgers} == before
    return miss.value.reason
