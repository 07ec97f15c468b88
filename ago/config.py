"""ago.toml of the workspace and the user's file: what may be set, and what each of them may set.

Invariant: a workspace's file names no commands and raises no limit over the user's.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, get_args, get_type_hints

from ago.protocol.errors import AgoError

# Where a workspace may only go lower than what holds for the user.
LIMITS = ("memory_mb", "idle_minutes", "budget_tokens", "history_mb", "module_seconds", "repair_ms")


@dataclass(frozen=True)
class Config:
    """What holds for one workspace."""

    proof: Literal["default", "strict"] = "default"
    """strict: an edit that makes an identifier mean something else is refused."""
    contexts: tuple[str, ...] = ()
    """Build contexts beyond those derived, as `goos/goarch[,tag...]`."""
    gate: Literal["resident", "toolchain"] = "resident"
    strict_vet: bool = False
    confirm: Literal["background", "off"] = "background"
    memory_mb: int = 2000
    idle_minutes: float = 5.0
    budget_tokens: int = 4000
    history_mb: int = 200
    module_seconds: float = 60.0
    """How long one go command of a module op may take, downloads included."""
    repair_ms: int = 100
    """How long trying the repairs of a refusal may take."""


def load_config(root: Path | None, env: Mapping[str, str]) -> Config:
    """The configuration of `root`; raises AgoError config_invalid naming file and key."""
    config = Config()
    user = user_file(env)
    if user.is_file():
        config = _merge(config, _read(user), user.name, limited=False)
    if root and (root / "ago.toml").is_file():
        config = _merge(config, _read(root / "ago.toml"), "ago.toml", limited=True)
    return config


def user_file(env: Mapping[str, str]) -> Path:
    """The user's own configuration file, present or not."""
    home = env.get("XDG_CONFIG_HOME", "")
    folder = Path(home) if home.startswith("/") else Path(env.get("HOME", "/")) / ".config"
    return folder / "ago" / "config.toml"


def _read(file: Path) -> dict[str, object]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise AgoError("config_invalid", f"{file}: {error}", "correct or remove the file") from None


def _merge(config: Config, given: dict[str, object], file: str, *, limited: bool) -> Config:
    """`config` with what a file sets; `limited` holds the limits down."""
    known = asdict(config)
    changes: dict[str, object] = {}
    for key, value in given.items():
        if key not in known:
            near = get_close_matches(key, known, n=1)
            hint = f", did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"
            raise _invalid(file, f"unknown key {key}{hint}")
        checked = _check(file, key, value)
        if limited and key in LIMITS and isinstance(checked, int | float):
            checked = min(checked, known[key])
        changes[key] = checked
    return replace(config, **changes)  # type: ignore[arg-type]


def _check(file: str, key: str, value: object) -> object:
    """The value in the field's type; raises AgoError."""
    hint = get_type_hints(Config)[key]
    if hint is bool and isinstance(value, bool):
        return value
    if hint in (int, float) and isinstance(value, int | float) and not isinstance(value, bool):
        if value <= 0:
            raise _invalid(file, f"{key} must be more than 0")
        return hint(value)
    if key == "contexts" and isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(value)
    if value in get_args(hint) and key != "contexts":
        return value
    wanted = " or ".join(map(str, get_args(hint))) if key != "contexts" else "a list of strings"
    raise _invalid(file, f"{key} must be {wanted or hint.__name__}, not {value!r}")


def _invalid(file: str, message: str) -> AgoError:
    return AgoError("config_invalid", f"{file}: {message}", "correct the file")


def config_stamp(root: Path | None, env: Mapping[str, str]) -> tuple[int, ...]:
    """Something that differs when a configuration file does."""
    stamp = []
    for file in (user_file(env), *((root / "ago.toml",) if root else ())):
        try:
            stamp.append(file.stat().st_mtime_ns)
        except OSError:
            stamp.append(0)
    return tuple(stamp)


def cache_home(env: Mapping[str, str]) -> Path:
    """The folder for what can be made again (facts, export data, agocheck builds)."""
    return _home(env, "XDG_CACHE_HOME", ".cache") / "ago"


def state_home(env: Mapping[str, str]) -> Path:
    """The folder for what must be kept (journals, history)."""
    return _home(env, "XDG_STATE_HOME", ".local/state") / "ago"


def _home(env: Mapping[str, str], variable: str, otherwise: str) -> Path:
    given = env.get(variable, "")
    return Path(given) if given.startswith("/") else Path(env.get("HOME", "/")) / otherwise
