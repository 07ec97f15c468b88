"""The wire between a client and its daemon: frames, the command-line request, JSON.

Invariant: importing this costs a client nothing: no other module of ago, nothing of the standard
library beyond what the interpreter has loaded anyway. JSON is loaded by the functions that need it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself would cost every call of `ago` milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

PROTOCOL = 1
"""Moves when a frame changes its meaning; a daemon serves clients of its own protocol only."""

MAX_FRAME = 256 << 20
HEAD = 5
"""Bytes of a frame's head: four of length, one of kind."""

# From the client. TALK opens a conversation of whole messages; a message that another daemon has
# got and not answered is sent AGAIN. Who FOLLOWs is told what happens to the workspace.
RUN, STDIN, CALL, STOP, TALK, AGAIN, FOLLOW = b"R", b"I", b"C", b"S", b"T", b"G", b"F"
# From the daemon. BEGUN is sent before any work: a connection that ends without it can be retried.
BEGUN, STDOUT, STDERR, WANT_STDIN, EXIT, ANSWER = b"B", b"O", b"E", b"N", b"X", b"A"
# To who follows, after BEGUN and until it goes; before an ANSWER to who asked for progress.
EVENT = b"W"
# Instead of BEGUN: the daemon goes away for a newer client, or it can't serve so old a one. At the
# end of a conversation REPLACED says that what was not answered is for the next daemon.
REPLACED, RUN_HERE = b"V", b"H"
# Both ways, within a conversation.
MESSAGE = b"M"


class WireError(Exception):
    """The other side sent what is no frame, or ended within one."""


def pack_frame(kind: bytes, payload: bytes = b"") -> bytes:
    """One frame, ready to send."""
    return len(payload).to_bytes(4, "big") + kind + payload


def parse_head(head: bytes) -> tuple[bytes, int]:
    """(kind, length of the payload) of a frame's head; raises WireError on an absurd length."""
    size = int.from_bytes(head[:4], "big")
    if size > MAX_FRAME:
        raise WireError(f"a frame of {size} bytes")
    return head[4:HEAD], size


def read_frame(recv: Callable[[int], bytes]) -> tuple[bytes, bytes] | None:
    """The next (kind, payload) by `recv`, which answers b"" at the end; None at a clean end."""
    head = _read_up_to(recv, HEAD)
    if not head:
        return None
    kind, size = parse_head(head)
    payload = _read_up_to(recv, size)
    if len(head) < HEAD or len(payload) < size:
        raise WireError("the connection ended within a frame")
    return kind, payload


def _read_up_to(recv: Callable[[int], bytes], size: int) -> bytes:
    parts, missing = [], size
    while missing and (part := recv(min(missing, 1 << 20))):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


class Run:
    """A command line to run for a client: where, on which terminals, in which environment."""

    __slots__ = ("argv", "columns", "cwd", "env", "home", "protocol", "tty", "version")

    def __init__(
        self,
        *,
        version: str,
        home: str,
        cwd: str,
        argv: list[str],
        env: Mapping[str, str],
        columns: int = 80,
        tty: str = "",
        protocol: int = PROTOCOL,
    ) -> None:
        """`home` is the folder of the client's code; `tty` names its terminals, of `ioe`."""
        self.version, self.home, self.cwd, self.argv, self.env = version, home, cwd, argv, env
        self.columns, self.tty, self.protocol = columns, tty, protocol

    def pack(self) -> bytes:
        """The payload: NUL-separated, since no argument, path or variable can hold a NUL."""
        head = [str(self.protocol), self.version, self.home, self.cwd, self.tty, str(self.columns)]
        fields = [*head, str(len(self.argv)), *self.argv]
        fields += [f"{name}={value}" for name, value in self.env.items()]
        return "\0".join(fields).encode("utf-8", "surrogateescape")

    @classmethod
    def parse(cls, payload: bytes) -> Run:
        """The request of a payload; of another protocol only the first two fields are read."""
        fields = payload.decode("utf-8", "surrogateescape").split("\0")
        try:
            if int(fields[0]) != PROTOCOL:
                head = {"version": fields[1], "home": "", "cwd": "", "protocol": int(fields[0])}
                return cls(**head, argv=[], env={})  # type: ignore[arg-type]
            _, version, home, cwd, tty, columns, count = fields[:7]
            rest = 7 + int(count)
            env = dict(field.partition("=")[::2] for field in fields[rest:])
            return cls(
                version=version, home=home, cwd=cwd, tty=tty, columns=int(columns),
                argv=fields[7:rest], env=env,
            )  # fmt: skip
        except (ValueError, IndexError) as error:
            raise WireError("not a command-line request") from error


def dump_json(value: Any, *, pretty: bool = False) -> bytes:
    """Compact JSON bytes of plain data (or an indented form for people)."""
    import orjson

    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if pretty else None)


def load_json(data: bytes | str) -> Any:
    """Plain data of strict JSON; raises ValueError."""
    import orjson

    return orjson.loads(data)
