"""Options and fixtures that every test shares."""

from __future__ import annotations

import os
from pathlib import Path

import modproxy
import pytest
from dirs import Dirs

ROOT = Path(__file__).resolve().parent.parent

# A run that reads the user's own configuration or Go flags would not be the same run elsewhere.
for name in ("GOFLAGS", "GOWORK", "XDG_CONFIG_HOME"):
    os.environ.pop(name, None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Golden cases can be rewritten, but a verdict is turned only on demand."""
    group = parser.getgroup("golden cases")
    group.addoption("--update", action="store_true", help="rewrite the want files of changed cases")
    group.addoption(
        "--allow-flip",
        action="store_true",
        help="with --update: let an acceptance become a rejection, or the other way",
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


def pytest_unconfigure() -> None:
    """Leave a module cache that `make clean` can delete."""
    modproxy.unlock()


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def ago_dirs(tmp_path_factory: pytest.TempPathFactory) -> Dirs:
    """Folders of this test run.

    agocheck and the export data of dependencies are kept from run to run, since their names are
    hashes of what they are made from; the state is always new.
    """
    cache = Path(os.environ.get("AGO_TEST_CACHE", ROOT / "build" / "test-cache"))
    cache.mkdir(parents=True, exist_ok=True)
    config = tmp_path_factory.mktemp("config")
    (config / "ago").mkdir()
    # Confirmation in the background would go on when a test has removed its module; and what is
    # offered as checked must not depend on how busy the machine is that runs the tests.
    (config / "ago" / "config.toml").write_text('confirm = "off"\nrepair_ms = 5000\n')
    return Dirs(cache, tmp_path_factory.mktemp("state"), config)
