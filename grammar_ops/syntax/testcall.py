"""A call in a test that has no table: its receiver, its arguments as given, else zero values.

Invariant: what a caller gives goes to the constructor's parameters first, then to the function's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from grammar_ops.reject import Reject, register
from grammar_ops.scope import Scope
from grammar_ops.syntax.callee import Callee, Param
from grammar_ops.syntax.fragment import check_expr
from grammar_ops.syntax.testtext import Maker

register(
    "grammar",
    {"argument_count_mismatch": "the values given are not as many as the call takes"},
)

CONTEXT = "context.Context"
_TESTS = frozenset({"testing.T", "testing.B", "testing.F", "testing.TB"})
_GO_LINE = re.compile(rb"^go (\d+)\.(\d+)", re.MULTILINE)
_LOOP_SINCE = (1, 24)


@dataclass
class TestCall:
    """A call and what stands before it."""

    func: str
    callee: Callee
    maker: Maker | None
    recv: str
    """The receiver as the caller gives it, "" for a made one."""
    recv_name: str
    test: str
    """What the test calls its testing value, "" without one."""
    paths: list[str] = field(default_factory=list)

    def inputs(self) -> list[Param]:
        """The parameters that take values, the constructor's first, variadic ones aside."""
        made = self.maker.callee.fixed if self.maker is not None and not self.recv else ()
        return [p for p in (*made, *self.callee.fixed) if not self._given(p)]

    def render(self, values: Sequence[str], failed: Sequence[str]) -> tuple[list[str], str]:
        """The lines that make the receiver, and the call; `failed` is done where that fails.

        Values beyond the inputs are those of a variadic parameter.
        """
        given = iter(values)
        lines, name = self._receiver(given, failed)
        return lines, f"{name}({', '.join([*self._arguments(self.callee, given), *given])})"

    def _receiver(self, given: Iterator[str], failed: Sequence[str]) -> tuple[list[str], str]:
        callee, of = self.callee, f"{self.recv_name}.{self.func}"
        if callee.recv is None:
            return [], f"{callee.qualifier}{self.func}{callee.instance}"
        if self.recv:
            return [f"{self.recv_name} := {self.recv}"], of
        if self.maker is None:
            return [f"var {self.recv_name} {callee.recv.type.removeprefix('*')}"], of
        made = f"{self.maker.call}({', '.join(self._arguments(self.maker.callee, given))})"
        if not self.maker.fails:
            return [f"{self.recv_name} := {made}"], of
        check = ["if err != nil {", *(f"\t{line}" for line in failed), "}"]
        return [f"{self.recv_name}, err := {made}", *check], of

    def _arguments(self, callee: Callee, given: Iterator[str]) -> list[str]:
        return [self._given(param) or next(given) for param in callee.fixed]

    def _given(self, param: Param) -> str:
        """What a test passes without being told, "" where a value is wanted."""
        if param.named == CONTEXT and param.underlying == "interface":
            self.paths.append("context")
            return "context.Background()"
        return self.test if param.named in _TESTS else ""


def read_values(scope: Scope, call: TestCall, args: Sequence[str]) -> list[str]:
    """The values of a call's inputs: as given, else zeros; Reject(argument_count_mismatch)."""
    inputs = call.inputs()
    if not args:
        return [param.zero for param in inputs]
    if len(args) < len(inputs) or (len(args) > len(inputs) and not call.callee.variadic):
        wanted = ", ".join(f"{param.name} {param.type}".strip() for param in inputs)
        raise Reject("argument_count_mismatch", f"{len(args)} given, wanted are ({wanted})")
    return [check_expr(scope, text, "args").text for text in args]


def free_local(name: str, qualifier: str) -> str:
    """A name for a receiver that nothing else in a test has."""
    taken = {"", "_", "t", "b", "f", "err", "got", qualifier.removesuffix(".")}
    return "recv" if name in taken else name


def bench_loop(scope: Scope, pkg: str) -> str:
    """The header of a benchmark's loop, by the Go version that the module asks for."""
    module = scope.module_of(pkg)
    try:
        text = scope.source(f"{module[1]}/go.mod".removeprefix("./").lstrip("/") if module else "")
    except Reject:
        return "for b.Loop() {"
    found = _GO_LINE.search(text)
    old = found is not None and (int(found[1]), int(found[2])) < _LOOP_SINCE
    return "for i := 0; i < b.N; i++ {" if old else "for b.Loop() {"
