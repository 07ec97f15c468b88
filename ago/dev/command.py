"""`ago dev`: the subcommands that keep the project's generated parts and cases in order.

Invariant: everything here works on a checkout of the project, and runs in the caller's process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from ago.config import cache_home
from ago.dev import agree, cases, demo, docs, scaffold

CHECKOUT = Path(__file__).resolve().parent.parent.parent


@click.group()
def dev() -> None:
    """Work on ago itself."""
    if not (CHECKOUT / "testdata" / "demo").is_dir():
        raise click.UsageError("`ago dev` needs a checkout of the project, not an installed wheel")


@dev.command("docs")
@click.option("--check", is_flag=True, help="write nothing; fail when a part is not current")
def dev_docs(check: bool) -> None:
    """Regenerate the generated parts of the documentation."""
    _report(docs.refresh(CHECKOUT, write=not check), check, "make docs")


@dev.command("golden")
@click.option("--check", is_flag=True, help="write nothing; fail when a file is not canonical")
def dev_golden(check: bool) -> None:
    """Bring the case archives and the catalog's golden into canonical form."""
    _report(cases.refresh(CHECKOUT, write=not check), check, "make golden")


@dev.command("demo")
@click.option("--keep", is_flag=True, help="keep the scratch folder")
def dev_demo(keep: bool) -> None:
    """Show the main calls on a scratch copy of testdata/demo; fail on a surprise."""
    sys.exit(demo.run(CHECKOUT, keep=keep))


@dev.command("new-op")
@click.argument("family", type=click.Choice(scaffold.FAMILIES))
@click.argument("name")
def dev_new_op(family: str, name: str) -> None:
    """Write the module and the example case of a new op, both to be filled."""
    try:
        for path in scaffold.new_op(CHECKOUT, family, name):
            click.echo(f"wrote {path.relative_to(CHECKOUT)}")
    except ValueError as error:
        raise click.UsageError(str(error)) from None


@dev.command("agree")
@click.option("--repo", "repos", multiple=True, type=click.Path(path_type=Path), help="a checkout")
@click.option("--count", default=1000, show_default=True, help="mutations, over all repositories")
@click.option("--seed", default=1, show_default=True)
@click.option("--minutes", default=0.0, help="end each repository's run after so long")
@click.option("--json", "out", type=click.Path(path_type=Path), help="write what was found")
def dev_agree(
    repos: tuple[Path, ...], count: int, seed: int, minutes: float, out: Path | None
) -> None:
    """Judge random mutations with both checkers; any disagreement fails."""
    corpus = list(repos) or sorted((CHECKOUT / "testdata" / "agree").iterdir())
    each = -(-count // len(corpus))
    limit_s = 60 * minutes or float("inf")
    sys.exit(agree.main(corpus, each, seed, cache_home(os.environ), out, limit_s))


def _report(stale: list[Path], check: bool, mend: str) -> None:
    for path in stale:
        click.echo(f"{'not current' if check else 'wrote'}: {path.relative_to(CHECKOUT)}")
    if check and stale:
        click.echo(f"run: {mend}", err=True)
        sys.exit(1)
