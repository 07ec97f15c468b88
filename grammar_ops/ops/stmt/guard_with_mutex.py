"""guard_with_mutex: let a mutex of its receiver guard a method, or statements of it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grammar_ops.args import GoName, Handle
from grammar_ops.edit import Edit
from grammar_ops.op import ImportWish, Plan, StatementOp
from grammar_ops.reject import Reject
from grammar_ops.scope import Scope
from grammar_ops.syntax import mutex
from grammar_ops.syntax.decls import Decl
from grammar_ops.syntax.fragment import is_identifier
from grammar_ops.syntax.typefacts import qualify
from grammar_ops.syntax.wrap import find_siblings


class GuardWithMutex(StatementOp):
    """Hold a mutex of the receiver while a method, or a range of its statements, runs.

    A type as `sym` means all of its methods, or those listed; a missing field is added.
    """

    op: Literal["guard_with_mutex"] = "guard_with_mutex"
    methods: list[GoName] = Field([], description="the methods of a type, all by default")
    first: Handle = Field("", alias="from", description="first statement of a method to guard")
    last: Handle = Field("", alias="to", description="last one, in the same list")
    field: GoName = Field("mu", description="the field that holds the mutex")
    read: bool = Field(False, description="lock for reading: the mutex is an RWMutex")

    reasons = {
        "not_a_method": "a mutex guards methods of a struct: name one of them, or the struct",
        "mutex_needs_pointer": "methods with a value receiver copy the mutex",
        "mutex_self_deadlock": "a guarded method calls another one that takes the mutex",
        "already_guarded": "the method takes the mutex itself",
        "leaves_guarded_range": "a statement leaves the range before the mutex is unlocked",
        "not_a_mutex": "the field is there and is no mutex",
    }
    example = [{"op": "guard_with_mutex", "sym": "Store", "methods": ["Put", "Sum"]}]

    def plan(self, scope: Scope) -> Plan:
        """Plan the lock statements of each method, and the field."""
        decl = scope.resolve_decl(self.pkg, self.sym)
        owner = scope.resolve_decl(self.pkg, decl.sym.partition(".")[0])
        if decl.kind not in ("method", "type") or not is_identifier(self.field):
            raise Reject("not_a_method", f"{decl.sym} is a {decl.kind}")
        known = mutex.list_methods(scope, self.pkg, owner.sym)
        guarded = self._guarded(decl, owner, known)
        mutex.refuse_value_receivers(guarded)
        held = [m.decl.sym for m in guarded if mutex.locks(m, self.field)]
        if held:
            raise Reject("already_guarded", ", ".join(held))
        edits = mutex.field_edits(scope, self.pkg, owner, self.field, self.read)
        at = owner.span.start
        imports = qualify(scope, owner.path, at, "sync")[1] if edits else list[ImportWish]()
        edits += self._lock(scope, guarded, known)
        touches = tuple((self.pkg, m.decl.sym) for m in guarded)
        return Plan(tuple(edits), touches=((self.pkg, owner.sym), *touches), imports=tuple(imports))

    def _guarded(self, decl: Decl, owner: Decl, known: list[mutex.Method]) -> list[mutex.Method]:
        """The methods that are meant."""
        if not known:
            raise Reject("not_a_method", f"{owner.sym} has no methods")
        names = {f"{owner.sym}.{name}" for name in self.methods}
        missing = sorted(names - {m.decl.sym for m in known})
        if missing or (decl.kind == "method" and self.methods):
            raise Reject("not_a_method", ", ".join(missing) or "one method is named already")
        wanted = {decl.sym} if decl.kind == "method" else names
        return [m for m in known if not wanted or m.decl.sym in wanted]

    def _lock(
        self, scope: Scope, guarded: list[mutex.Method], known: list[mutex.Method]
    ) -> list[Edit]:
        if not self.first:
            bodies = [m.body or m.decl.node for m in guarded]
            mutex.refuse_deadlocks(known, guarded, bodies, self.field)
            return mutex.lock_bodies(scope, guarded, self.field, self.read)
        handles = (self.first, self.last or self.first)
        first, last = (scope.resolve_target(self.pkg, self.sym, at) for at in handles)
        for node in find_siblings(first, last):
            mutex.refuse_deadlocks(known, guarded, [node], self.field)
        return mutex.lock_range(scope, guarded[0], (first, last), self.field, self.read)
