"""`ago dev`: the subcommands that keep the project's generated parts and cases in order.

Invariant: everything here works on a checkout of the project, and runs in the caller's process.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ago.dev import cases, demo, docs, scaffold

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


def _report(stale: list[Path], check: bool, mend: str) -> None:
    for path in stale:
        click.echo(f"{'not current' if check else 'wrote'}: {path.relative_to(CHECKOUT)}")
    if check and stale:
        click.echo(f"run: {mend}", err=True)
        sys.exit(1)
