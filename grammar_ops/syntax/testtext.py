"""The text of a new test: a table of rows with a subtest for each, as the package's tests do it.

Invariant: every value that a call takes is a field of the row, so that cases are rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from grammar_ops.reject import Reject
from grammar_ops.syntax.callee import Callee, Param
from grammar_ops.syntax.teststyle import Style

_CONTEXT = "context.Context"
_LOCALS = frozenset({"t", "got", "err", "diff"})


@dataclass(frozen=True)
class Maker:
    """How the receiver is made: a constructor with its parameters, or a field of the row."""

    call: str
    callee: Callee
    fails: bool


@dataclass
class TestText:
    """A test being written: its fields, and the import paths that its text needs."""

    name: str
    func: str
    callee: Callee
    style: Style
    maker: Maker | None
    recv_name: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=lambda: ["testing"])
    shown: tuple[str, str] = ("", "")
    """The call as a message shows it: its verbs, and their values, each with a comma behind."""

    def render(self) -> str:
        """The whole function."""
        arrange, call = self._arrange()
        self._check_results()
        for name, result in zip(self._wants(), self._values(), strict=True):
            self.fields.append((name, result.type))
        if self._fails():
            self.fields.append(("wantErr", "bool"))
        body = [*arrange, *self._act(call)]
        rows, row = self.style.table, self.style.row
        return "\n".join(
            [
                f"func {self.name}(t *testing.T) {{",
                f"\t{rows} := []struct {{",
                f"\t\t{self.style.label} string",
                *(f"\t\t{name} {type_}" for name, type_ in self.fields),
                "\t}{}",
                f"\tfor _, {row} := range {rows} {{",
                f"\t\tt.Run({row}.{self.style.label}, func(t *testing.T) {{",
                *(f"\t\t\t{line}" for line in body),
                "\t\t})",
                "\t}",
                "}",
            ]
        )

    # -- the call --------------------------------------------------------------------------------

    def _arrange(self) -> tuple[list[str], str]:
        """What makes the receiver, and the call."""
        callee, name = self.callee, self.func
        lines: list[str] = []
        if callee.recv is None:
            called = f"{callee.qualifier}{name}{callee.instance}"
        elif self.maker is None:
            self.fields.append((self.recv_name, callee.recv.type))
            called = f"{self.style.row}.{self.recv_name}.{name}"
        else:
            made = f"{self.maker.call}({', '.join(self._arguments(self.maker.callee))})"
            lines = self._make(made, self.maker.fails)
            called = f"{self.recv_name}.{name}"
        arguments = self._arguments(callee)
        # Printing a function says nothing, and vet objects to it.
        rows = [
            text.startswith(f"{self.style.row}.") and param.underlying != "func"
            for text, param in zip(arguments, callee.params, strict=True)
        ]
        verbs = ", ".join("%v" if is_row else "_" for is_row in rows)
        shown = [text.removesuffix("...") for text, row in zip(arguments, rows, strict=True) if row]
        self.shown = (f"{name}({verbs})", "".join(f"{text}, " for text in shown))
        return lines, f"{called}({', '.join(arguments)})"

    def _make(self, made: str, fails: bool) -> list[str]:
        if not fails:
            return [f"{self.recv_name} := {made}"]
        check = ["if err != nil {", "\tt.Fatal(err)", "}"]
        if self.style.is_testify:
            check = [f"{self._tool()}.NoError(t, err)"]
        return [f"{self.recv_name}, err := {made}", *check]

    def _arguments(self, callee: Callee) -> list[str]:
        """The arguments of a call, each a field of the row where it is no context and no test."""
        found = []
        for index, param in enumerate(callee.params):
            if param.named == _CONTEXT and param.underlying == "interface":
                self.paths.append("context")
                found.append("context.Background()")
            elif param.named in ("testing.T", "testing.TB"):
                found.append("t")
            else:
                name = self._field_name(param, index)
                self.fields.append((name, param.type))
                spread = "..." if callee.variadic and index == len(callee.params) - 1 else ""
                found.append(f"{self.style.row}.{name}{spread}")
        return found

    def _field_name(self, param: Param, index: int) -> str:
        taken = {self.style.label, "wantErr", *self._wants(), *(name for name, _ in self.fields)}
        name = param.name if param.name not in ("", "_") else f"v{index}"
        return f"arg{name[:1].upper()}{name[1:]}" if name in taken else name

    # -- the comparison --------------------------------------------------------------------------

    def _values(self) -> tuple[Param, ...]:
        """The results to compare: all but an error at the end."""
        return self.callee.results[:-1] if self._fails() else self.callee.results

    def _fails(self) -> bool:
        results = self.callee.results
        return bool(results) and results[-1].type == "error"

    def _wants(self) -> list[str]:
        return [f"want{n or ''}" for n in range(len(self._values()))]

    def _check_results(self) -> None:
        for result in self._values():
            if result.underlying == "func":
                raise Reject("result_not_comparable", f"{self.func} gives a {result.type}")

    def _act(self, call: str) -> list[str]:
        """The call and what is asked of its results."""
        values = self._values()
        gots = [f"got{n or ''}" for n in range(len(values))]
        if not self.callee.results:
            return [call]
        if not self._fails() and len(values) == 1 and not self.style.is_testify:
            return self._compare("got", "want", values[0], f"got := {call}", "")
        left = ", ".join([*gots, *(["err"] if self._fails() else [])])
        lines = [f"{left} := {call}"]
        if self._fails() and not values and not self.style.is_testify:
            return self._check_error(f"{lines[0]}; ")
        if self._fails():
            lines += self._check_error()
        for got, want, value in zip(gots, self._wants(), values, strict=True):
            label = f" {got}" if len(values) > 1 else ""
            lines += self._compare(got, want, value, "", label)
        return lines

    def _check_error(self, init: str = "") -> list[str]:
        """The error against wantErr; `init` is the header of one that is all that there is."""
        wanted = f"{self.style.row}.wantErr"
        if self.style.is_testify:
            tool = self._tool()
            failed = [f"if {wanted} {{", f"\t{tool}.Error(t, err)", "\treturn", "}"]
            return [*failed, f"{tool}.NoError(t, err)"]
        text, values = self.shown
        end = "Errorf" if init else "Fatalf"
        lines = [
            f"if {init}(err != nil) != {wanted} {{",
            f'\tt.{end}("{text} error = %v, wantErr %v", {values}err, {wanted})',
            "}",
        ]
        return lines if init else [*lines, f"if {wanted} {{", "\treturn", "}"]

    def _compare(self, got: str, want: str, value: Param, init: str, label: str) -> list[str]:
        """One result compared with its field; `init` goes into the header of the if."""
        wanted, (text, values) = f"{self.style.row}.{want}", self.shown
        head = f"{init}; " if init else ""
        if self.style.is_testify:
            return [f"{self._tool()}.Equal(t, {wanted}, {got})"]
        if value.deep and self.style.tool == "cmp" and not value.opaque:
            diff = f"{self._tool()}.Diff({wanted}, {init.removeprefix('got := ') or got})"
            shown = f'"{text}{label} mismatch (-want +got):\\n%s", {values}diff'
            return [f'if diff := {diff}; diff != "" {{', f"\tt.Errorf({shown})", "}"]
        differs = f"{got} != {wanted}"
        if value.deep:
            differs = f"!{self._deep(value)}({got}, {wanted})"
        shown = f'"{text}{label} = %v, want %v", {values}{got}, {wanted}'
        return [f"if {head}{differs} {{", f"\tt.Errorf({shown})", "}"]

    def _deep(self, value: Param) -> str:
        if self.style.tool == "slices" and value.underlying == "slice" and value.flat:
            self.paths.append("slices")
            return "slices.Equal"
        self.paths.append("reflect")
        return "reflect.DeepEqual"

    def _tool(self) -> str:
        self.paths.append(self.style.tool_path)
        return self.style.tool_name


def local_name(name: str, style: Style, qualifier: str) -> str:
    """The receiver's name, where no other local and no package of a test has it."""
    taken = {"", "_", *_LOCALS, style.row, style.table, qualifier.removesuffix(".")}
    return "recv" if name in taken else name
