"""The ledger against a model that keeps every byte with its own history."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from grammar_ops.edit import Edit, Span
from grammar_ops.ledger import Ledger, compose

SPLICES = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 1), st.binary(max_size=5)), max_size=12
)  # fmt: skip
BASES = st.binary(max_size=30)


class Model:
    """One entry a byte: where it was in the base (None = written), and by which op."""

    def __init__(self, base: bytes) -> None:
        self.bytes: list[tuple[int, int | None, int]] = [(b, i, -1) for i, b in enumerate(base)]

    def splice(self, span: Span, text: bytes, op: int) -> None:
        self.bytes[span.start : span.end] = [(b, None, op) for b in text]

    def text(self) -> bytes:
        return bytes(b for b, _, _ in self.bytes)

    def locate(self, span: Span) -> Span | None:
        places = [i for i, (_, base, _) in enumerate(self.bytes) if base in range(*span)]
        if len(places) != span.end - span.start or places[-1] - places[0] >= len(places):
            return None
        return Span(places[0], places[-1] + 1)


def pick(length: int, one: float, other: float) -> Span:
    """A span inside a text, from two fractions."""
    low, high = sorted((int(one * length), int(other * length)))
    return Span(low, high)


@given(BASES, SPLICES)
def test_ledger_equals_the_model(base: bytes, splices: list[tuple[float, float, bytes]]) -> None:
    ledger, model = Ledger(base), Model(base)
    for op, (one, other, text) in enumerate(splices):
        span = pick(len(ledger.text), one, other)
        ledger.splice(span, text, op)
        model.splice(span, text, op)
    assert ledger.text == model.text()
    for start in range(len(base)):
        for end in range(start + 1, len(base) + 1):
            assert ledger.locate(Span(start, end)) == model.locate(Span(start, end))
    kept = {start + i: now + i for start, now, size in ledger.pieces() for i in range(size)}
    assert kept == {base: i for i, (_, base, _) in enumerate(model.bytes) if base is not None}
    wrote = {i: op for start, end, op in ledger.written() for i in range(start, end)}
    assert wrote == {i: op for i, (_, base, op) in enumerate(model.bytes) if base is None}


@given(BASES, SPLICES, SPLICES)
@settings(max_examples=50)
def test_compose_is_one_ledger(
    base: bytes,
    first: list[tuple[float, float, bytes]],
    second: list[tuple[float, float, bytes]],
) -> None:
    one = Ledger(base)
    for a, b, text in first:
        one.splice(pick(len(one.text), a, b), text, 0)
    two, whole = Ledger(one.text), Ledger(base)
    for a, b, text in first:
        whole.splice(pick(len(whole.text), a, b), text, 0)
    for a, b, text in second:
        span = pick(len(two.text), a, b)
        two.splice(span, text, 0)
        whole.splice(span, text, 0)
    assert compose(one.pieces(), two.pieces()) == whole.pieces()


def test_a_mark_outlives_edits_around_and_inside_it() -> None:
    ledger = Ledger(b"before if x { } after")
    mark = ledger.mark(Span(7, 15))
    ledger.splice(Span(7, 7), b"new ", 1)
    ledger.splice(Span(18, 18), b"a()", 2)
    ledger.splice(Span(len(ledger.text), len(ledger.text)), b"!", 3)
    where = ledger.where(mark)
    assert where is not None
    assert ledger.text[where.start : where.end] == b"if x { a()}"
    ledger.splice(where, b"while", 4)
    assert ledger.where(mark) == Span(where.start, where.start + 5)
    ledger.splice(Span(0, len(ledger.text)), b"", 5)
    assert ledger.where(mark) is None


def test_edits_of_a_plan_apply_at_once_in_their_order() -> None:
    ledger = Ledger(b"abc")
    edits = [
        Edit("f", Span(3, 3), b"1"),
        Edit("f", Span(1, 1), b"2"),
        Edit("f", Span(3, 3), b"3"),
        Edit("f", Span(1, 2), b"B"),
    ]
    spans = ledger.apply(edits, 1)
    assert ledger.text == b"a2Bc13"
    assert [ledger.text[s.start : s.end] for s in spans] == [b"1", b"2", b"3", b"B"]
