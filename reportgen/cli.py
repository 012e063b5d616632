"""The command line: the only place that prints or exits.

Faults go to standard error, one a line; standard output carries what a script would want. Exit
status: 0 done; 1 done, and the answer is "no"; 2 the request or its inputs are wrong; 70 a fault of
ours. Whatever is heavy is imported inside the command that needs it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from reportgen import __version__
from reportgen.errors import ReportgenError

if TYPE_CHECKING:
    from reportgen.build import Built

NO, WRONG, OURS, INTERRUPTED = 1, 2, 70, 130
Command = TypeVar("Command", bound=Callable[..., Any])


def _say(text: str, *, bold: bool = False) -> None:
    """Print a line for people, on standard error; control characters in it stay visible."""
    plain = os.environ.get("NO_COLOR", "") != ""
    click.secho(_shown(text), err=True, bold=bold or None, color=False if plain else None)


def _shown(text: str) -> str:
    """Return text with its control characters escaped; blanks of any width become plain ones."""
    return "".join(
        c
        if c.isprintable()
        else " "
        if unicodedata.category(c) == "Zs"
        else c.encode("unicode_escape").decode()
        for c in text
    )


class Commands(click.Group):
    """The group of commands; here every error becomes lines and an exit status."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and turn what it raises into an exit status."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise
        except ReportgenError as error:
            ctx.exit(_report_faults(error, written=ctx.invoked_subcommand == "demo"))
        except KeyboardInterrupt:
            _say("interrupted; nothing was written")
            ctx.exit(INTERRUPTED)
        except Exception as error:
            _report_ours(error)
            ctx.exit(OURS)


def _report_faults(error: ReportgenError, *, written: bool) -> int:
    for fault in error.faults:
        _say(str(fault))
    count = len(error.faults)
    closing = "" if written else "; nothing was written"
    _say(f"{count} fault{'s' if count != 1 else ''}{closing}", bold=True)
    return WRONG


def _report_ours(error: Exception) -> None:
    handle, path = tempfile.mkstemp(prefix="reportgen-fault-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        traceback.print_exception(error, file=file)
    _say(f"reportgen {__version__}: a fault of ours, {type(error).__name__}; please report {path}")


class Progress:
    """Shows how far each section is: a bar on a terminal, else a line when it is done."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.terminal = sys.stderr.isatty()
        self.open = ExitStack()
        self.bars: dict[str, Any] = {}

    def __call__(self, section: str, done: float) -> None:
        """Take the share of a section that is done, 0 to 1."""
        if self.quiet:
            return
        if self.terminal:
            self._bar(section, done)
        elif done >= 1:
            _say(f"{section}: done")

    def _bar(self, section: str, done: float) -> None:
        if section not in self.bars:
            bar = click.progressbar(length=100, label=section, file=sys.stderr, show_eta=False)
            self.bars[section] = self.open.enter_context(bar)
        bar = self.bars[section]
        bar.update(round(100 * done) - bar.pos)
        if done >= 1:
            self.open.close()


def _options(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def put_on(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return put_on


def _pairs(
    ctx: click.Context, param: click.Parameter, values: Iterable[str]
) -> list[tuple[str, str]]:
    pairs = [value.partition("=") for value in values]
    for key, sign, _ in pairs:
        if not sign or not key.strip():
            raise click.BadParameter("write KEY=VALUE, such as defaults.seed=7", ctx, param)
    return [(key.strip(), value) for key, _, value in pairs]


A_PATH = click.Path(path_type=Path)
manifest_argument = click.argument("manifest", type=A_PATH)
loudness = _options(
    click.option("-q", "--quiet", is_flag=True, help="Print faults and the result alone."),
    click.option("-v", "--verbose", is_flag=True, help="Say what was read and found."),
)
reading = _options(
    click.option(
        "--set",
        "overrides",
        metavar="KEY=VALUE",
        multiple=True,
        callback=_pairs,
        help="Put a value over the manifest's, e.g. --set sections[0].threshold=0.3.",
    ),
    click.option(
        "--allow-outside", is_flag=True, help="Let inputs lie outside the manifest's folder."
    ),
    click.option("--allow-pickle", is_flag=True, help="Open pinned models that run code."),
    click.option("--allow-code", is_flag=True, help="Import functions that the manifest names."),
)
pages = click.option(
    "--format",
    type=click.Choice(["html", "pdf", "both"]),
    default="both",
    show_default=True,
    help="Which pages to make.",
)
jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Processes to compute sections in; no figure depends on it.",
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="reportgen")
def main() -> None:
    """Make an audit dossier of a medical AI model from a run manifest."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter gets its escape, not a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@main.command()
@click.option(
    "-o", "--out", type=A_PATH, default="reportgen-demo", show_default=True, help="Where to write."
)
@_options(pages, jobs_option, loudness)
def demo(out: Path, format: str, jobs: int, quiet: bool, verbose: bool) -> None:  # noqa: A002
    """Write a complete example on real data and build its dossier."""
    from reportgen.build import build as build_dossier
    from reportgen.demo import write_example

    progress = Progress(quiet=quiet)
    manifest_path = write_example(out)
    if not quiet:
        _say(f"the example's manifest is {manifest_path}")
    built = build_dossier(
        manifest_path,
        out / "dossiers",
        format=format,  # type: ignore[arg-type]
        jobs=jobs,
        progress=progress,
    )
    _report(built, quiet=quiet, verbose=verbose)


@main.command()
@click.argument("folder", metavar="DIR", type=A_PATH)
@click.option("--from", "data", type=A_PATH, help="Data to propose roles from; copied into DIR.")
@loudness
def init(folder: Path, data: Path | None, quiet: bool, verbose: bool) -> None:
    """Write a commented starter manifest into DIR."""
    from reportgen.starter import write_starter

    started = write_starter(folder, data=data)
    if not quiet:
        if started.copied is not None:
            _say(f"copied {data} to {started.copied}: a manifest's inputs lie in its folder")
        _say(f"now edit it, then: reportgen check {started.manifest}")
    if verbose:
        _say("every section of this version is named in it; delete what you do not need")
    click.echo(started.manifest)


@main.command()
@manifest_argument
@_options(reading, loudness)
def check(
    manifest: Path,
    overrides: list[tuple[str, str]],
    quiet: bool,
    verbose: bool,
    **allowed: bool,
) -> None:
    """Validate MANIFEST and every input, computing nothing."""
    from reportgen.build import prepare
    from reportgen.result import plain

    sound, inputs = prepare(manifest, overrides=overrides, **allowed)
    if quiet:
        return
    for record in inputs.records:
        click.echo(_shown(_input_line(plain(record))))
        for note in record.notes if verbose else ():
            click.echo(_shown(f"  {note}"))
    for section in sound.settings.sections:
        click.echo(f"sections.{section.name}: {section.kind}, ready")


@main.command()
@manifest_argument
@click.option(
    "-o", "--out", type=A_PATH, default="dossiers", show_default=True, help="Folder of dossiers."
)
@click.option("--only", metavar="ID", multiple=True, help="Run this section alone; repeatable.")
@click.option("--gate", is_flag=True, help="Exit 1 if a finding reaches the manifest's gate.")
@_options(pages, jobs_option, reading, loudness)
def build(
    manifest: Path,
    out: Path,
    only: tuple[str, ...],
    gate: bool,
    quiet: bool,
    verbose: bool,
    **options: Any,
) -> None:
    """Run the sections of MANIFEST and write the dossier.

    The last line of standard output is the dossier's folder.
    """
    from reportgen.build import build as build_dossier

    progress = Progress(quiet=quiet)
    built = build_dossier(manifest, out, only=only, progress=progress, **options)
    _report(built, quiet=quiet, verbose=verbose)
    if gate and built.gate:
        for finding in built.gate:
            _say(f"gate: {finding['severity']}: {finding['id']}: {finding['title']}")
        raise click.exceptions.Exit(NO)


def _report(built: Built, *, quiet: bool, verbose: bool) -> None:
    """Say what came of a build; the folder goes to standard output, last."""
    data = built.data
    for note in built.notes:
        _say(note)
    if verbose:
        defaults = data["defaults"]
        seed, count = defaults["seed"], defaults["resamples"]
        _say(f"seed {seed}, {count} resamples, dated {data['dossier']['date']}")
        for record in data["inputs"]:
            _say(_input_line(record))
        for finding in data["findings"]:
            _say(f"{finding['severity']}: {finding['id']}: {finding['statement']}")
    if not quiet:
        decision = data["decision"]
        why = f" ({', '.join(decision['reasons'])})" if decision["reasons"] else ""
        _say(f"decision: {decision['outcome']}{why}", bold=True)
        if built.unchanged:
            _say("unchanged: this revision was there already")
    click.echo(built.folder)


def _input_line(record: Mapping[str, Any]) -> str:
    """Return one input of results.json as a line."""
    counts = ("rows", "read", "units", "positives", "negatives")
    parts = [str(record["path"])]
    parts += [f"{record[key]} {key}" for key in counts if record.get(key) is not None]
    if record.get("without_unit"):
        parts.append(f"{record['without_unit']} rows without a unit")
    parts += [f"{left['k']} left out: {left['reason']}" for left in record["left_out"]]
    return f"{record['name']}: {', '.join(parts)}"


@main.command()
@click.argument("dossier", type=A_PATH)
@click.option(
    "-o", "--out", type=A_PATH, help="Write here; else beside the dossier, if it differs."
)
@_options(pages, loudness)
def render(
    dossier: Path,
    out: Path | None,
    format: str,  # noqa: A002
    quiet: bool,
    verbose: bool,
) -> None:
    """Make the pages of DOSSIER again from its results.

    Nothing is recomputed. Where the pages come out as they stand there, nothing is written. Where
    they differ (another version of reportgen or its libraries) they go into a folder beside the
    dossier, which itself is never touched.
    """
    from reportgen.rerender import render_again

    done = render_again(dossier, out, format=format)  # type: ignore[arg-type]
    for note in done.notes:
        _say(note)
    if not quiet:
        _say("unchanged: the pages are as they stand there" if done.unchanged else "rendered again")
    if verbose:
        _say(f"from results with digest {done.data['dossier']['digest']}")
    click.echo(done.folder)


@main.command()
@click.argument("of", type=click.Choice(["manifest", "results"]), default="manifest")
def schema(of: str) -> None:
    """Print the JSON Schema of a manifest or of results.json."""
    import json

    from reportgen import schema as schemas

    made = schemas.manifest_schema() if of == "manifest" else schemas.results_schema()
    click.echo(json.dumps(made, indent=2, ensure_ascii=False))


@main.command("export-model")
@click.argument("file", type=A_PATH)
@click.option("-o", "--out", type=A_PATH, required=True, help="The JSON file to write.")
@click.option("--positive", help="Class whose probability is exported; else the model's last.")
@loudness
def export_model(file: Path, out: Path, positive: str | None, quiet: bool, verbose: bool) -> None:
    """Write the fitted scikit-learn model in FILE as plain data.

    FILE is a joblib or pickle file: opening it RUNS THE CODE IT CARRIES, so give one that you made
    yourself, in the environment in which you made it. Linear models, tree ensembles and small
    networks can be written, alone or behind scalers in a Pipeline. What is written is scored
    against the model's own predict_proba first.
    """
    from reportgen.export_model import export_model as export

    done = export(file, out, positive=positive)
    if not quiet:
        _say(
            f"{done.kind} model of {len(done.features)} features, probability of class "
            f"{done.positive}: differs from predict_proba by at most {done.difference:.2g} at "
            f"{done.n_probes} points"
        )
    if verbose:
        _say(f"features: {', '.join(done.features)}")
    click.echo(done.path)


@main.command()
@loudness
def doctor(quiet: bool, verbose: bool) -> None:
    """Say what this machine has and lacks for dossiers."""
    from reportgen.doctor import examine

    checks = examine()
    for line in [] if quiet else [one.line() for one in checks if verbose or not one.detail]:
        click.echo(line)
    missing = [one for one in checks if one.needed and not one.found]
    for one in missing:
        _say(f"{one.name} is missing; {one.mend}")
    if missing:
        raise click.exceptions.Exit(NO)


if __name__ == "__main__":
    main()
