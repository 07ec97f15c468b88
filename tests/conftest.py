"""Options and fixtures that every test shares."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

# A run that reads the user's own configuration or Go flags would not be the same run elsewhere.
for name in ("GOFLAGS", "GOWORK", "XDG_CONFIG_HOME"):
    os.environ.pop(name, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden cases can be rewritten, but a refusal becomes an acceptance only on demand."""
    group = parser.getgroup("golden cases")
    group.addoption("--update", action="store_true", help="rewrite the want files of changed cases")
    group.addoption(
        "--allow-flip",
        action="store_true",
        help="with --update: let a rejection become an acceptance",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to rewrite expectations where nobody reads the diff."""
    if config.getoption("--update") and os.environ.get("CI"):
        raise pytest.UsageError("--update is refused under CI")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long sweeps to `make test-all`, unless they are asked for by mark or by name."""
    if config.getoption("-m") or os.environ.get("AGO_TEST_ALL"):
        return
    if any("::" in argument for argument in config.args):
        return
    swept = [item for item in items if item.get_closest_marker("long")]
    if swept:
        config.hook.pytest_deselected(items=swept)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def ago_dirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """(cache, state) folders of this test run.

    agocheck and dependency export data are kept between runs unless AGO_TEST_CACHE names another
    place, since they are content-addressed; the state folder is always fresh.
    """
    kept = os.environ.get("AGO_TEST_CACHE") or str(ROOT / "build" / "test-cache")
    cache = Path(kept)
    cache.mkdir(parents=True, exist_ok=True)
    state = tmp_path_factory.mktemp("state")
    yield cache, state
