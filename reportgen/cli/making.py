"""The commands that make pages: demo, check, build, render."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli.gates import gate_files, require_gate_files, write_gate_files
from reportgen.cli.options import (
    A_PATH,
    PROFILES,
    interactive_option,
    jobs_option,
    loudness,
    manifest_argument,
    options,
    pages,
    profile_option,
    reading,
)
from reportgen.cli.telling import NO, Progress, say, shown

if TYPE_CHECKING:
    from reportgen.build import Built


@click.command()
@click.option(
    "-o", "--out", type=A_PATH, default="reportgen-demo", show_default=True, help="Where to write."
)
@options(pages, profile_option, jobs_option, loudness)
def demo(out: Path, quiet: bool, verbose: bool, **options: Any) -> None:
    """Write a complete example on real data and build its dossier."""
    from reportgen.build import build as build_dossier
    from reportgen.demo import write_example

    progress = Progress(quiet=quiet)
    manifest_path = write_example(out)
    if not quiet:
        say(f"the example's manifest is {manifest_path}")
    built = build_dossier(
        manifest_path,
        out / "dossiers",
        progress=progress,
        **options,
    )
    _report(built, quiet=quiet, verbose=verbose)


@click.command()
@manifest_argument
@options(reading, loudness)
def check(
    manifest: Path,
    overrides: list[tuple[str, str]],
    quiet: bool,
    verbose: bool,
    **allowed: bool,
) -> None:
    """Validate MANIFEST and every input, computing nothing."""
    from reportgen.against import named_base
    from reportgen.reading import prepare
    from reportgen.release.fingerprint import dossier_date
    from reportgen.result import plain

    sound, inputs = prepare(manifest, overrides=overrides, **allowed)
    named_base(sound)
    dossier_date(sound.settings.dossier.date)  # the environment may name one that is none
    if quiet:
        return
    for record in inputs.records:
        click.echo(shown(input_line(plain(record))))
        for note in record.notes if verbose else ():
            click.echo(shown(f"  {note}"))
    for section in sound.settings.sections:
        click.echo(f"sections.{section.name}: {section.kind}, ready")


@click.command()
@manifest_argument
@click.option(
    "-o", "--out", type=A_PATH, default="dossiers", show_default=True, help="Folder of dossiers."
)
@click.option("--only", metavar="ID", multiple=True, help="Run this section alone; repeatable.")
@click.option("--gate", is_flag=True, help="Exit 1 if a finding reaches the manifest's gate.")
@options(gate_files, pages, profile_option, interactive_option, jobs_option, reading, loudness)
def build(
    manifest: Path,
    out: Path,
    only: tuple[str, ...],
    gate: bool,
    junit: Path | None,
    sarif: Path | None,
    interactive: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Run the sections of MANIFEST and write the dossier.

    The last line of standard output is the dossier's folder.
    """
    from reportgen.build import build as build_dossier

    require_gate_files(junit, sarif)
    progress = Progress(quiet=quiet)
    built = build_dossier(manifest, out, only=only, progress=progress, **options)
    if interactive:
        say(f"live charts, no part of the record: {_interactive(built.folder, None)}")
    _report(built, quiet=quiet, verbose=verbose)
    if junit is not None or sarif is not None:
        _write_gate_files(built, manifest, junit, sarif)
    if gate and built.gate:
        for finding in built.gate:
            say(f"gate: {finding['severity']}: {finding['id']}: {finding['title']}")
        raise click.exceptions.Exit(NO)


def _write_gate_files(built: Built, manifest: Path, junit: Path | None, sarif: Path | None) -> None:
    """Write the findings of a build as a pipeline reads them."""
    from reportgen.gating import report_of_build
    from reportgen.stored import read_stored

    stored = read_stored(built.folder)
    report = report_of_build(stored.data, built.gate, (stored.manifest or b"").decode())
    write_gate_files(report, junit=junit, sarif=sarif, manifest=manifest, beside=built.folder)


def _interactive(dossier: Path, out: Path | None) -> Path:
    """Write the page with live charts; it stays out of the dossier's folder."""
    from reportgen.rerender import render_interactive

    return render_interactive(dossier, out)


def _report(built: Built, *, quiet: bool, verbose: bool) -> None:
    """Say what came of a build; the folder goes to standard output, last."""
    data = built.data
    for note in built.notes:
        say(note)
    if verbose:
        defaults = data["defaults"]
        seed, count = defaults["seed"], defaults["resamples"]
        say(f"seed {seed}, {count} resamples, dated {data['dossier']['date']}")
        for record in data["inputs"]:
            say(input_line(record))
        for finding in data["findings"]:
            say(f"{finding['severity']}: {finding['id']}: {finding['statement']}")
    if not quiet:
        decision = data["decision"]
        why = f" ({', '.join(decision['reasons'])})" if decision["reasons"] else ""
        say(f"decision: {decision['outcome']}{why}", bold=True)
        if built.unchanged:
            say("unchanged: this revision was there already")
    click.echo(built.folder)


def input_line(record: Mapping[str, Any]) -> str:
    """Return one input of results.json as a line."""
    counts = ("rows", "read", "units", "positives", "negatives")
    parts = [str(record["path"])]
    parts += [f"{record[key]} {key}" for key in counts if record.get(key) is not None]
    if record.get("without_unit"):
        k = record["without_unit"]
        parts.append(f"{k} {'row' if k == 1 else 'rows'} without a unit")
    parts += [f"{left['k']} left out: {left['reason']}" for left in record["left_out"]]
    return f"{record['name']}: {', '.join(parts)}"


@click.command()
@click.argument("dossier", type=A_PATH)
@click.option(
    "-o", "--out", type=A_PATH, help="Write here; else beside the dossier, if it differs."
)
@click.option(
    "--profile", type=PROFILES, help="Kind of PDF; without it, the kind that DOSSIER holds."
)
@click.option(
    "--fonts", type=A_PATH, help="Folder of the fonts of the manifest's font_dirs, where needed."
)
@options(pages, interactive_option, loudness)
def render(
    dossier: Path,
    out: Path | None,
    interactive: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Make the pages of DOSSIER again from its results.

    Nothing is recomputed. Where the pages come out as they stand there, nothing is written. Where
    they differ (another version of reportgen or its libraries) they go into a folder beside the
    dossier, which itself is never touched. With --interactive the page with live charts alone is
    written, into a folder of its own.
    """
    from reportgen.rerender import render_again

    if interactive:
        click.echo(_interactive(dossier, out))
        return
    done = render_again(dossier, out, **options)
    for note in done.notes:
        say(note)
    if not quiet:
        say("unchanged: the pages are as they stand there" if done.unchanged else "rendered again")
    if verbose:
        say(f"from results with digest {done.data['dossier']['digest']}")
    click.echo(done.folder)
