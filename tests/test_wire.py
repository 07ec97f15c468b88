"""The wire: frames and the command-line request survive the trip, broken ones are told apart."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ago import wire

# What the system passes as arguments and variables: anything but NUL, also bytes that are no text.
words = st.binary(max_size=20).map(
    lambda b: b.replace(b"\0", b"").decode("utf-8", "surrogateescape")
)


@given(st.lists(st.tuples(st.sampled_from([wire.RUN, wire.STDOUT]), st.binary(max_size=50))))
def test_frames_arrive_as_sent(frames: list[tuple[bytes, bytes]]) -> None:
    stream = io.BytesIO(b"".join(wire.pack_frame(kind, payload) for kind, payload in frames))
    received = []
    while (frame := wire.read_frame(stream.read)) is not None:
        received.append(frame)
    assert received == frames


@given(st.lists(words), st.dictionaries(words.filter(lambda w: w and "=" not in w), words), words)
def test_a_command_line_arrives_as_typed(argv: list[str], env: dict[str, str], cwd: str) -> None:
    sent = wire.Run(version="1.2", home="/h", cwd=cwd, argv=argv, env=env, columns=123, tty="oe")
    got = wire.Run.parse(sent.pack())
    assert (got.argv, got.env, got.cwd) == (argv, env, cwd)
    assert (got.version, got.home, got.columns, got.tty) == ("1.2", "/h", 123, "oe")


def test_a_frame_cut_short_is_an_error() -> None:
    frame = wire.pack_frame(wire.STDOUT, b"hello")
    for cut in range(1, len(frame)):
        with pytest.raises(wire.WireError):
            wire.read_frame(io.BytesIO(frame[:cut]).read)


def test_an_absurd_length_is_refused_before_it_is_read() -> None:
    with pytest.raises(wire.WireError):
        wire.read_frame(io.BytesIO(b"\xff\xff\xff\xffR").read)


def test_another_protocol_is_recognised_by_its_first_fields() -> None:
    got = wire.Run.parse(b"99\x009.9\x00whatever follows then")
    assert (got.protocol, got.version) == (99, "9.9")


@pytest.mark.parametrize("payload", [b"", b"x", b"1\x00a\x00b", b"1\x00\x00\x00\x00\x00w\x002"])
def test_what_is_no_request_is_refused(payload: bytes) -> None:
    with pytest.raises(wire.WireError):
        wire.Run.parse(payload)
