"""The command that says whether a dossier is still what it was."""

from __future__ import annotations

import json
from pathlib import Path

import click

from reportgen.cli.options import A_PATH, doors
from reportgen.cli.telling import NO, shown


@click.command()
@click.argument("dossier", metavar="DOSSIER|ARCHIVE", type=A_PATH)
@click.option(
    "--inputs",
    type=A_PATH,
    multiple=True,
    help="Folder to look for the inputs in; repeatable. Else the folders above DOSSIER.",
)
@click.option(
    "--trust",
    type=A_PATH,
    multiple=True,
    help="Certificate that a seal or signature may rest on; repeatable.",
)
@click.option(
    "--fonts", type=A_PATH, help="Folder of the fonts of the manifest's font_dirs, where needed."
)
@click.option(
    "--rebuild",
    metavar="MANIFEST",
    type=A_PATH,
    help="Compute the figures again from this manifest and its inputs, and compare them.",
)
@doors
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print the checks.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print what is bad and the answer alone.")
def verify(
    dossier: Path,
    inputs: tuple[Path, ...],
    trust: tuple[Path, ...],
    fonts: Path | None,
    rebuild: Path | None,
    form: str,
    quiet: bool,
    **allowed: bool,
) -> None:
    """Check that DOSSIER is still what was built, approved and sealed.

    One line a check on standard output, "good", "BAD" or "not checked" with the reason; the last
    line is the answer. Exit status 1 where anything is bad; each bad file is named.
    """
    from reportgen.verifying import verify as check

    found = check(dossier, inputs=inputs, trust=trust, fonts=fonts, rebuild=rebuild, **allowed)
    if form == "json":
        click.echo(json.dumps(found.plain(), indent=2, ensure_ascii=False))
    else:
        for one in found.checks:
            if not quiet or one.state == "bad":
                click.echo(shown(str(one)))
        click.echo(shown(found.answer))
    if not found.good:
        raise click.exceptions.Exit(NO)
