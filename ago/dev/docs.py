"""The generated parts of the documentation, made from docstrings, the catalog and the Makefile.

A document holds `<!-- begin NAME -->` … `<!-- end NAME -->`; what is between is replaced.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import ago
from ago.catalog.markdown import render_ops, render_queries, render_reasons, render_tools
from ago.dev.cases import read
from ago.dev.figures import list_agreement, list_growth, list_perf, list_replays

Render = Callable[[Path], str]

_REGION = re.compile(r"(<!-- begin ([\w-]+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)
_DOCUMENTS = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/adr/README.md",
    "docs/comparisons.md",
)


def refresh(checkout: Path, *, write: bool) -> list[Path]:
    """Documents whose generated parts were not current; rewritten with `write`."""
    load_everything()
    wanted = {checkout / "docs" / name: text for name, text in _whole_files().items()}
    for name in _DOCUMENTS:
        wanted[checkout / name] = fill_regions(checkout, (checkout / name).read_text())
    stale = [path for path, text in wanted.items() if read(path) != text.encode()]
    if write:
        for path in stale:
            path.write_text(wanted[path])
    return stale


def load_everything() -> None:
    """Import every module, so that every reason is registered."""
    for module in pkgutil.walk_packages(ago.__path__, "ago."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _whole_files() -> Mapping[str, str]:
    return {
        "ops.md": render_ops(),
        "queries.md": render_queries(),
        "tools.md": render_tools(),
        "reasons.md": render_reasons(),
    }


def fill_regions(checkout: Path, text: str) -> str:
    """`text` with each of its regions made anew; raises KeyError for an unknown one."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}{_REGIONS[match[2]](checkout)}{match[3]}"

    return _REGION.sub(fill, text)


def list_modules(checkout: Path) -> str:
    """Every module of both packages with its duty, folder by folder."""
    lines = []
    for folder, modules in _folders(checkout):
        lines += [f"**{folder}/**", ""]
        lines += [f"- `{name}`: {duty}" for name, duty in modules]
        lines.append("")
    return "\n".join(lines)


def _folders(checkout: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for package in ("grammar_ops", "ago"):
        folders = sorted({path.parent for path in (checkout / package).rglob("*.py")})
        for folder in folders:
            modules = [(path.name, duty_of(path)) for path in sorted(folder.glob("*.py"))]
            modules = [(name, duty) for name, duty in modules if duty and name != "__init__.py"]
            if modules:
                yield folder.relative_to(checkout).as_posix(), modules


def duty_of(path: Path) -> str:
    """The first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text())) or "").partition("\n")[0]


def list_targets(checkout: Path) -> str:
    """The Makefile's documented targets as a table."""
    found = re.findall(r"^([a-z-]+):.*?## (.*)$", (checkout / "Makefile").read_text(), re.MULTILINE)
    rows = "".join(f"| `make {name}` | {text} |\n" for name, text in found)
    return f"| target | |\n|---|---|\n{rows}"


def list_decisions(checkout: Path) -> str:
    """The decision records by number, with their titles."""
    lines = []
    for path in sorted((checkout / "docs" / "adr").glob("[0-9]*.md")):
        title = path.read_text().partition("\n")[0].removeprefix("# ")
        lines.append(f"- [{title}]({path.name})\n")
    return "".join(lines)


_REGIONS: Mapping[str, Render] = {
    "modules": list_modules,
    "targets": list_targets,
    "decisions": list_decisions,
    "perf": list_perf,
    "growth": list_growth,
    "agree": list_agreement,
    "oracle": list_replays,
}
