"""The commands beside a run: init, schema, export-model, doctor."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli.options import A_PATH, loudness
from reportgen.cli.telling import NO, say


@click.command()
@click.argument("folder", metavar="DIR", type=A_PATH)
@click.option("--from", "data", type=A_PATH, help="Data to propose roles from; copied into DIR.")
@loudness
def init(folder: Path, data: Path | None, quiet: bool, verbose: bool) -> None:
    """Write a commented starter manifest into DIR."""
    from reportgen.starter import write_starter

    started = write_starter(folder, data=data)
    if not quiet:
        if started.copied is not None:
            say(f"copied {data} to {started.copied}: a manifest's inputs lie in its folder")
        say(f"now edit it, then: reportgen check {started.manifest}")
    if verbose:
        say("every section of this version is named in it; delete what you do not need")
    click.echo(started.manifest)


@click.command()
@click.argument("of", type=click.Choice(["manifest", "results"]), default="manifest")
def schema(of: str) -> None:
    """Print the JSON Schema of a manifest or of results.json."""
    import json

    from reportgen import schema as schemas

    made = schemas.manifest_schema() if of == "manifest" else schemas.results_schema()
    click.echo(json.dumps(made, indent=2, ensure_ascii=False))


@click.command("export-model")
@click.argument("file", type=A_PATH)
@click.option("-o", "--out", type=A_PATH, required=True, help="The JSON file to write.")
@click.option("--positive", help="Class whose probability is exported, unless 0 and 1.")
@loudness
def export_model(file: Path, out: Path, positive: str | None, quiet: bool, verbose: bool) -> None:
    """Write the fitted scikit-learn model in FILE as plain data.

    FILE is a joblib or pickle file: opening it RUNS THE CODE IT CARRIES, so give one that you made
    yourself, in the environment in which you made it. Linear models, tree ensembles and small
    networks can be written, alone or behind scalers in a Pipeline, or behind a ColumnTransformer of
    scalers and OneHotEncoder: the audited table then has a column such as sex_F for each level.
    What is written is scored against the model's own predict_proba first.
    """
    from reportgen.export_model import export_model as export

    done = export(file, out, positive=positive)
    if not quiet:
        say(
            f"{done.kind} model of {len(done.features)} features, probability of class "
            f"{done.positive}: differs from predict_proba by at most {done.difference:.2g} at "
            f"{done.n_probes} points"
        )
    if verbose:
        say(f"features: {', '.join(done.features)}")
    click.echo(done.path)


@click.command()
@loudness
def doctor(quiet: bool, verbose: bool) -> None:
    """Say what this machine has and lacks for dossiers."""
    from reportgen.doctor import examine

    checks = examine()
    for line in [] if quiet else [one.line() for one in checks if verbose or not one.detail]:
        click.echo(line)
    missing = [one for one in checks if one.needed and not one.found]
    for one in missing:
        say(f"{one.name} is missing; {one.mend}")
    if missing:
        raise click.exceptions.Exit(NO)
