"""The command that approves and seals."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli.options import A_PATH, loudness, options
from reportgen.cli.telling import say

if TYPE_CHECKING:
    from reportgen.signing.approving import Signed

PASSPHRASE = "REPORTGEN_PASSPHRASE"  # noqa: S105 - the name of the variable

_approval = options(
    click.option("--name", help="Printed name of who approves."),
    click.option("--role", help="In which role; those of the manifest's sign_off are waited for."),
    click.option(
        "--meaning", help="What the approval means: review, approval, responsibility, authorship …"
    ),
)
_sealing = options(
    click.option(
        "--seal", is_flag=True, help="Seal dossier-signed.pdf (PAdES); no one signs then."
    ),
    click.option(
        "--incomplete", is_flag=True, help="Seal although roles of the manifest are still open."
    ),
    click.option("--detached", is_flag=True, help="Sign SHA256SUMS with the key, too (CMS)."),
    click.option("--pkcs12", metavar="FILE", type=A_PATH, help="Key and certificate (.p12, .pfx)."),
    click.option(
        "--passphrase-file",
        metavar="FILE",
        type=A_PATH,
        help=f"File with the passphrase; else {PASSPHRASE} of the environment, else you are asked.",
    ),
    click.option("--tsa", metavar="URL", help="Time stamping authority (RFC 3161)."),
    click.option(
        "--trust",
        metavar="FILE",
        type=A_PATH,
        multiple=True,
        help="Root certificate; with --tsa, revocation data goes into the seal. Repeatable.",
    ),
)


@click.command()
@click.argument("dossier", type=A_PATH)
@options(_approval, _sealing)
@click.option(
    "--fonts", type=A_PATH, help="Folder of the fonts of the manifest's font_dirs, where needed."
)
@loudness
def sign(
    dossier: Path,
    pkcs12: Path | None,
    passphrase_file: Path | None,
    quiet: bool,
    verbose: bool,
    **request: Any,
) -> None:
    """Approve DOSSIER: put name, role and meaning into its ledger and onto its pages.

    The record itself is never touched. approvals.json grows by an entry that is chained to the one
    before it and bound to the digests of the dossier; dossier-signed.html and dossier-signed.pdf
    show it. --seal closes the PDF and the ledger with a signature over the whole file; with
    --seal alone, what has been approved is sealed. The meanings that 21 CFR 11.50 names are review,
    approval, responsibility and authorship; any text will do.
    """
    from reportgen.indexing import refresh_index_above
    from reportgen.signing.approving import sign as approve
    from reportgen.signing.request import Request

    secret = _passphrase(passphrase_file, pkcs12)
    done = approve(dossier, Request(pkcs12=pkcs12, passphrase=secret, **request))
    of_index = refresh_index_above(done.folder)
    if of_index:
        say(of_index)
    _report(done, quiet=quiet, verbose=verbose)


def _passphrase(file: Path | None, pkcs12: Path | None) -> bytes | None:
    """Return what opens the key: from a file, the environment, or who sits at the terminal."""
    if file is not None:
        from reportgen.errors import Fault, RequestError

        try:
            return file.read_bytes().removesuffix(b"\n").removesuffix(b"\r")
        except OSError as error:
            what = f"cannot be read ({error.strerror})"
            raise RequestError([Fault(str(file), what, "name the passphrase's file")]) from None
    if PASSPHRASE in os.environ:
        return os.fsencode(os.environ[PASSPHRASE])
    if pkcs12 is None or not pkcs12.is_file() or not _at_a_terminal():
        return None
    from reportgen.signing.identity import needs_passphrase

    if not needs_passphrase(pkcs12.read_bytes()):
        return None
    asked: str = click.prompt(f"Passphrase of {pkcs12.name}", hide_input=True, err=True)
    return asked.encode()


def _at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _report(done: Signed, *, quiet: bool, verbose: bool) -> None:
    """Say what came of it; the folder goes to standard output."""
    for note in done.notes:
        say(note)
    if not quiet:
        say(_last(done))
        say(done.sign_off.status, bold=True)
        if done.sign_off.open_roles:
            say(f"not signed so far: {', '.join(done.sign_off.open_roles)}")
        if done.level:
            say(f"sealed: {done.level}; no further approval is taken")
    if verbose:
        for one in done.ledger.approvals:
            say(f"{one.number}: {one.name}, {one.role}: {one.meaning}, {one.time}, {one.sha256}")
    click.echo(done.folder)


def _last(done: Signed) -> str:
    one = done.ledger.approvals[-1]
    return f"approval {one.number}: {one.name}, {one.role}: {one.meaning}, at {one.time}"
