"""What the commands with a gate share: the files that say why, and where they are written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from reportgen.cli.options import A_PATH, options
from reportgen.cli.telling import WRONG, say
from reportgen.errors import RequestError

if TYPE_CHECKING:
    from reportgen.gating import Report

gate_files = options(
    click.option("--junit", metavar="FILE", type=A_PATH, help="Write the findings as JUnit XML."),
    click.option("--sarif", metavar="FILE", type=A_PATH, help="Write the findings as SARIF 2.1.0."),
)


def require_gate_files(junit: Path | None, sarif: Path | None) -> None:
    """Refuse files that cannot be written, before anything is computed."""
    if junit is None and sarif is None:
        return
    from reportgen.gating import require_writable_files

    require_writable_files({"--junit": junit, "--sarif": sarif})


def write_gate_files(
    report: Report, *, junit: Path | None, sarif: Path | None, manifest: Path, beside: Path
) -> None:
    """Write the files that were asked for; what was made before stays, in `beside`."""
    from reportgen import gating

    try:
        if junit is not None:
            gating.write_file(junit, gating.junit(report))
        if sarif is not None:
            gating.write_file(sarif, gating.sarif(report, uri_of(manifest)))
    except RequestError as error:
        for fault in error.faults:
            say(f"{fault}; the rest was written: {beside}")
        raise click.exceptions.Exit(WRONG) from None


def uri_of(path: Path) -> str:
    """Return the URI of a file: relative where it lies below this folder, as pipelines want it."""
    whole = path.absolute()
    here = Path.cwd()
    if whole.is_relative_to(here):
        return quote(whole.relative_to(here).as_posix())
    return whole.as_uri()
