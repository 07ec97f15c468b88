"""The documentation: generated parts are current, commands exist, links lead somewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from transcripts import BLOCK, steps_of

from ago.dev import cases, docs
from ago.dev.command import dev
from ago.fronts.cli.app import build_root

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted(
    path
    for path in (
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "changelog.d").glob("*.md"),
    )
)


def test_generated_parts_are_current() -> None:
    assert docs.refresh(ROOT, write=False) == [], "run: make docs"


def test_archives_are_canonical() -> None:
    assert cases.refresh(ROOT, write=False) == [], "run: make golden"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def shell_lines(path: Path) -> Iterator[str]:
    """Commands in the shell blocks of a document, without prompts, remarks and what they print."""
    text = path.read_text()
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        yield from (_without_target(line.partition("  #")[0]) for line in block.splitlines())
    for block in BLOCK.findall(text):
        yield from (_without_target(step.command) for step in steps_of(block))


def _without_target(line: str) -> str:
    """A command without the file that its output goes to."""
    return re.sub(r" > \S+$", "", line.strip())


def commands(word: str) -> list[tuple[str, list[str]]]:
    """(document, arguments) of every shown call of a program."""
    return [
        (path.name, shlex.split(line)[1:])
        for path in DOCUMENTS
        for line in shell_lines(path)
        if line and Path(shlex.split(line)[0]).name == word
    ]


def test_shown_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = commands("make")
    assert shown
    for name, argv in shown:
        assert {word for word in argv if "=" not in word} <= targets, f"{name}: make {argv}"
    for path in DOCUMENTS:
        for target in re.findall(r"`make ([a-z-]+)", path.read_text()):
            assert target in targets, f"{path.name}: make {target}"


def test_shown_ago_calls_parse() -> None:
    shown = commands("ago")
    assert shown
    for name, argv in shown:
        if argv[:1] == ["dev"]:
            dev.make_context("dev", argv[1:], resilient_parsing=True)
            continue
        words = argv[2:] if argv[0] == "-C" else argv
        command = build_root().commands.get(words[0])
        assert command is not None, f"{name}: ago {words[0]}"
        with click.Context(command) as context:
            _values, left, _order = command.make_parser(context).parse_args(words[1:])
        assert not left, f"{name}: ago {argv}"


def test_the_project_stands_alone() -> None:
    """Nothing points at places that a clean clone does not have."""
    for path in (
        *DOCUMENTS,
        *sorted((ROOT / "ago").rglob("*.py")),
        *sorted((ROOT / "tests").glob("*.py")),
    ):
        text = path.read_text()
        if path != Path(__file__):
            assert "../shared" not in text and "/work/" not in text, path
