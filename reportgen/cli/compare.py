"""The command that sets two dossiers side by side."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli.gates import gate_files, require_gate_files, write_gate_files
from reportgen.cli.options import A_PATH, loudness, options, pages
from reportgen.cli.telling import NO, say

if TYPE_CHECKING:
    from reportgen.comparison_folder import Compared
    from reportgen.stored import Stored


@click.command()
@click.argument("old", type=A_PATH)
@click.argument("new", type=A_PATH)
@click.option(
    "-o",
    "--out",
    type=A_PATH,
    default="comparisons",
    show_default=True,
    help="Folder of comparisons.",
)
@click.option(
    "--old-inputs",
    type=A_PATH,
    metavar="DIR",
    help="Where the inputs of OLD lie: the folder of its manifest; else looked for above OLD.",
)
@click.option("--new-inputs", type=A_PATH, metavar="DIR", help="The same of NEW.")
@click.option("--gate", is_flag=True, help="Exit 1 if anything is shown to be worse.")
@click.option(
    "--fonts", type=A_PATH, help="Folder of the fonts of the manifest's font_dirs, where needed."
)
@options(gate_files, pages, loudness)
def compare(
    old: Path,
    new: Path,
    out: Path,
    gate: bool,
    junit: Path | None,
    sarif: Path | None,
    fonts: Path | None,
    quiet: bool,
    verbose: bool,
    format: Any,  # noqa: A002 - the option is called so
    **inputs: Path | None,
) -> None:
    """Say what changed from the dossier OLD to the dossier NEW, folders or archives of them.

    Decisions, findings, and figures with the interval of their difference: paired where both rest
    on the same units and their inputs are at hand, else from the stored intervals. The last line of
    standard output is the folder of the comparison.
    """
    from reportgen.comparing import compare as compared
    from reportgen.comparison_folder import write_comparison
    from reportgen.release.folder import require_writable
    from reportgen.stored import read_stored, stored_fonts

    require_writable(out)
    require_gate_files(junit, sarif)
    with ExitStack() as unpacked:
        before, inputs["old_inputs"] = _standing(old, inputs["old_inputs"], unpacked)
        after, inputs["new_inputs"] = _standing(new, inputs["new_inputs"], unpacked)
        stored = read_stored(after)
        data = compared(before, after, **inputs)
        found = stored_fonts(fonts, stored.data)
    dossier = stored.data["dossier"]
    done = write_comparison(data, out, dossier=dossier, format=format, fonts=found)
    _report(done, data, quiet=quiet, verbose=verbose)
    if junit is not None or sarif is not None:
        _write_gate_files(done, data, stored, new, junit, sarif)
    if gate and data["regressions"]:
        for one in data["regressions"]:
            say(f"gate: {one['section'] or one['kind']}: {one['statement']}")
        raise click.exceptions.Exit(NO)


def _standing(path: Path, inputs: Path | None, unpacked: ExitStack) -> tuple[Path, Path | None]:
    """Return the folder of a dossier and that of its inputs, of an archive unpacked meanwhile."""
    if path.suffix != ".zip" or not path.is_file():
        return path, inputs
    from reportgen.archiving import opened

    folder = unpacked.enter_context(opened(path))
    beside = folder.parent / "with-inputs"
    return folder, beside if inputs is None and beside.is_dir() else inputs


def _report(done: Compared, data: Mapping[str, Any], *, quiet: bool, verbose: bool) -> None:
    """Say what came of it; the folder goes to standard output, last."""
    for note in done.notes:
        say(note)
    if verbose:
        for one in data["pairing"]:
            how = f"paired, {one['n_units']} units" if one["paired"] else one["reason"]
            say(f"table {one['table']}: {how}")
    if not quiet:
        n = len(data["regressions"])
        decision = data["decision"]
        said = f"decision: {decision['old']}, now {decision['new']}; "
        say(f"{said}{n} regression{'' if n == 1 else 's'}", bold=True)
        if done.unchanged:
            say("unchanged: this comparison was there already")
    click.echo(done.folder)


def _write_gate_files(
    done: Compared,
    data: Mapping[str, Any],
    stored: Stored,
    new: Path,
    junit: Path | None,
    sarif: Path | None,
) -> None:
    """Write what got worse as a pipeline reads it, at the lines of the newer dossier's manifest.

    A manifest that lies in an archive has no lines: the archive is the place.
    """
    from reportgen.gating import report_of_comparison
    from reportgen.release.record import MANIFEST

    stands = stored.folder.is_dir()
    text = (stored.manifest or b"").decode() if stands else ""
    report = report_of_comparison(data, stored.data["dossier"], text)
    manifest = stored.folder / MANIFEST if stands else new
    write_gate_files(report, junit=junit, sarif=sarif, manifest=manifest, beside=done.folder)
