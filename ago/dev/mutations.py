"""Small random mutations of real Go declarations, each of a kind that a checker may misjudge.

Invariant: a mutation is bytes in, bytes out; whether it compiles is for the checkers to say.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple

from grammar_ops.syntax.decls import Decl, list_decls
from grammar_ops.syntax.parse import parse


class Source(NamedTuple):
    """One Go file to mutate."""

    path: str
    text: bytes
    decls: list[Decl]

    @property
    def is_test(self) -> bool:
        """Whether only test variants compile the file."""
        return self.path.endswith("_test.go")


Mutate = Callable[[Source, random.Random], bytes | None]


def read_source(path: str, text: bytes) -> Source:
    """A file with its declarations."""
    return Source(path, text, list_decls(parse(text), text, path))


def mutate(source: Source, kind: str, rng: random.Random) -> bytes | None:
    """The file after one mutation of `kind`, None when the file has nothing for it."""
    changed = KINDS[kind](source, rng)
    return None if changed == source.text else changed


def _replace(text: bytes, start: int, end: int, new: bytes) -> bytes:
    return text[:start] + new + text[end:]


def _append(source: Source, new: str) -> bytes:
    return source.text.rstrip(b"\n") + b"\n\n" + new.encode() + b"\n"


def _pick(source: Source, rng: random.Random, *kinds: str) -> Decl | None:
    found = [d for d in source.decls if not kinds or d.kind in kinds]
    return rng.choice(found) if found else None


def _sub_one(
    text: bytes, pattern: bytes, rng: random.Random, new: Callable[[re.Match[bytes]], bytes]
) -> bytes | None:
    """One random match of `pattern`, replaced."""
    found = list(re.finditer(pattern, text))
    if not found:
        return None
    match = rng.choice(found)
    return _replace(text, match.start(), match.end(), new(match))


def _rename(source: Source, rng: random.Random) -> bytes | None:
    """Rename a declaration alone, or every word of that name in the file (which may be right)."""
    decl = _pick(source, rng)
    if decl is None or decl.name in ("_", "init", "main"):
        return None
    new = decl.name.encode() + b"Q"
    if rng.random() < 0.6:
        return re.sub(rb"\b" + decl.name.encode() + rb"\b", new, source.text)
    return _replace(source.text, *decl.name_span, new)


def _retype(source: Source, rng: random.Random) -> bytes | None:
    """Another type at one of the places where a basic type is written."""
    swap = {b"int": b"int64", b"string": b"[]byte", b"bool": b"int", b"error": b"any"}
    if rng.random() < 0.4:
        return _sub_one(source.text, rb"\binterface\{\}|\bany\b", rng, lambda _m: b"(any)")
    return _sub_one(source.text, rb"\b(int|string|bool|error)\b", rng, lambda m: swap[m.group(1)])


def _delete(source: Source, rng: random.Random) -> bytes | None:
    """Take one declaration out."""
    decl = _pick(source, rng)
    return None if decl is None else _replace(source.text, *decl.full_span, b"")


def _reorder(source: Source, rng: random.Random) -> bytes | None:
    """Swap two neighbouring declarations (or members of one group)."""
    pairs = [
        (a, b)
        for a, b in zip(source.decls, source.decls[1:], strict=False)
        if (a.group is None) == (b.group is None) and a.full_span.end <= b.full_span.start
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    text = source.text
    return (
        text[: a.full_span.start]
        + text[slice(*b.full_span)]
        + text[a.full_span.end : b.full_span.start]
        + text[slice(*a.full_span)]
        + text[b.full_span.end :]
    )


def _shadow(source: Source, rng: random.Random) -> bytes | None:
    """Declare, first thing in a body, a name that already means something."""
    bodies = [d for d in source.decls if d.body_span]
    if not bodies:
        return None
    body = rng.choice(bodies).body_span
    assert body is not None
    imports = re.findall(rb'"(?:[^"]*/)?([a-z]+)"', source.text)
    names = [b"len", b"string", b"nil", b"true", b"error", b"append", *imports]
    names += [d.name.encode() for d in source.decls if "." not in d.sym]
    name = rng.choice([n for n in names if n not in (b"_", b"init")])
    return _replace(
        source.text, body.start + 1, body.start + 1, b"\n%s := 1\n_ = %s\n" % (name, name)
    )


def _drop_import(source: Source, rng: random.Random) -> bytes | None:
    """Take an import away, make it blank, or add one that is not used."""
    spec = rb'(?m)^(import |\t)("[a-z][^"\n]*")$'
    roll = rng.random()
    if roll < 0.4:
        return _sub_one(source.text, spec, rng, lambda m: b"")
    if roll < 0.6:
        return _sub_one(source.text, spec, rng, lambda m: m.group(1) + b"_ " + m.group(2))
    blank = b"_ " if roll < 0.85 else b""
    clause = re.search(rb"(?m)^package \w+.*$", source.text)
    if clause is None:
        return None
    return _replace(
        source.text, clause.end(), clause.end(), b'\n\nimport %s"net/textproto"' % blank
    )


def _constant(source: Source, rng: random.Random) -> bytes | None:
    """Another value for a literal: overflow, division by zero, duplicate case, other length."""
    values = [b"0", b"-1", b"300", b"1 << 40", b"1.5", b"'a'"]
    return _sub_one(source.text, rb"(?<![\w.\"])\d+(?![\w.\"])", rng, lambda _m: rng.choice(values))


def _constraint(source: Source, rng: random.Random) -> bytes | None:
    """Another constraint of a type parameter, or a generic function with its instantiations."""
    if rng.random() < 0.5:
        changed = _sub_one(
            source.text, rb"(\[[A-Z]\w*) (any|comparable)\b", rng,
            lambda m: m.group(1) + (b" comparable" if m.group(2) == b"any" else b" any"),
        )  # fmt: skip
        if changed is not None:
            return changed
    bound = rng.choice(["~int | ~string", "comparable", "any", "interface{ ~[]byte }"])
    use = rng.choice(["int", "string", "func()", "[]byte"])
    name = f"gen{rng.randrange(10**6)}"
    return _append(source, f"func {name}[T {bound}](v T) T {{ return v }}\n\nvar _ = {name}[{use}]")


def _field(source: Source, rng: random.Random) -> bytes | None:
    """Add, drop or reorder a struct field, or give it a tag."""
    fields = list(re.finditer(rb"(?m)^\t(\w+)\s+([\w.*\[\]]+)$", source.text))
    inside = [
        m for m in fields
        if any(d.kind == "type" and d.span.start < m.start() < d.span.end for d in source.decls)
    ]  # fmt: skip
    if not inside:
        return None
    field = rng.choice(inside)
    new = rng.choice([
        b"", field.group() + b' `json:"q"`', b"\tQQ int\n" + field.group(),
        b"\t" + field.group(1) + b"QQ " + field.group(2), field.group() + b"\n" + field.group(),
    ])  # fmt: skip
    return _replace(source.text, field.start(), field.end(), new)


def _directive(source: Source, rng: random.Random) -> bytes | None:
    """A compiler directive: right, at a wrong place, without what it needs."""
    name = f"dir{rng.randrange(10**6)}"
    return _append(source, rng.choice([
        f"//go:noinline\nfunc {name}() {{}}",
        f"//go:noinline\nvar {name} int",
        f"//go:embed nothing.here\nvar {name} string",
        f"//go:linkname {name} runtime.nanotime\nfunc {name}() int64",
        f"func {name}() int",
        f"//go:nosplit\nfunc {name}() {{}}",
        f"//go:notaword\nfunc {name}() {{}}",
        f"//go:build linux\nfunc {name}() {{}}",
        f"//go:norace\nfunc {name}() {{}}",
    ]))  # fmt: skip


def _test_only(source: Source, rng: random.Random) -> bytes | None:
    """What only a test variant sees."""
    if not source.is_test:
        return None
    name = f"TestQ{rng.randrange(10**6)}"
    known = [d.name for d in source.decls if d.name.startswith("Test") and d.kind == "func"]
    return _append(source, rng.choice([
        f"func {name}(t *testing.T) {{}}",
        f"func {name}(t *testing.T) {{ t.Fatal(undefinedQ) }}",
        f"func {name}(t *testing.B) {{}}",
        f"func {name}(t *testing.T, n int) {{}}",
        f"func {name}[T any](t *testing.T) {{}}",
        f"func {name}(t *testing.T) int {{ return 1 }}",
        f"func {rng.choice(known or [name])}(t *testing.T) {{}}",
        f"func helper{name}() {{}}\n\nvar _ = helper{name}",
        f"var q{name} = 1 + \"a\"",
    ]))  # fmt: skip


KINDS: dict[str, Mutate] = {
    "rename": _rename,
    "retype": _retype,
    "delete": _delete,
    "reorder": _reorder,
    "shadow": _shadow,
    "drop_import": _drop_import,
    "constant": _constant,
    "constraint": _constraint,
    "field": _field,
    "directive": _directive,
    "test_only": _test_only,
}
