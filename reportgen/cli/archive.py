"""The command that makes one file of a dossier."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli.options import A_PATH, loudness
from reportgen.cli.telling import say


@click.command()
@click.argument("dossier", type=A_PATH)
@click.option(
    "-o", "--out", type=A_PATH, metavar="FILE.zip", help="Write here; else beside DOSSIER."
)
@click.option(
    "--inputs",
    type=A_PATH,
    metavar="DIR",
    help="Put the inputs in too, found in DIR, the manifest's folder; they may be patient data.",
)
@loudness
def archive(
    dossier: Path, out: Path | None, inputs: Path | None, quiet: bool, verbose: bool
) -> None:
    """Write DOSSIER into one file to attach or keep.

    The zip holds the record and what approvals added, below one folder. Equal dossiers give equal
    bytes. A damaged dossier is refused, and no file of other content is overwritten. The last line
    of standard output is the file.
    """
    from reportgen.archiving import pack

    done = pack(dossier, out, inputs=inputs)
    for note in done.notes:
        say(note)
    if done.inputs:
        say(f"it holds {done.inputs} input files: patient data, unless you know better")
    if not quiet:
        say("unchanged: this archive was there already" if done.unchanged else "archived")
    if verbose:
        say("files are stored, not compressed, so that the bytes do not depend on a compressor")
    click.echo(done.path)
