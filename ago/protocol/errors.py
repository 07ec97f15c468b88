"""The operator's problems: errors that own their exit code, and Bug, a broken invariant.

Invariant: nothing else is raised across a layer but these and Reject.
"""

from __future__ import annotations

EXIT_OK, EXIT_TESTS_FAILED, EXIT_REJECTED = 0, 1, 2
EXIT_USAGE, EXIT_ENVIRONMENT, EXIT_INTERNAL, EXIT_BUSY = 64, 69, 70, 75


class AgoError(Exception):
    """A problem of the environment; `key` is stable, `mend` says what to do next."""

    exit_code = EXIT_ENVIRONMENT

    def __init__(self, key: str, message: str, mend: str = "") -> None:
        super().__init__(message)
        self.key, self.message, self.mend = key, message, mend


class Busy(AgoError):
    """Something holds what is needed, or a time limit ran out."""

    exit_code = EXIT_BUSY


class CheckerUnavailable(AgoError):
    """No working agocheck: edits go through the toolchain, typed queries can't be answered."""


class Bug(Exception):
    """A broken invariant of ours: logged, answered as `failed`, the daemon lives."""

    exit_code = EXIT_INTERNAL
