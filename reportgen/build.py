"""The whole run, top to bottom.

A manifest is loaded, its inputs are read, its sections are computed, their results become plain
data; that is written as JSON, read back and rendered; what was rendered is staged and published.
All computing ends before the first file is written.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from reportgen.computing import Progress, compute, silent
from reportgen.errors import Fault, MissingSoftwareError, RequestError, choose_from
from reportgen.inputs import Inputs, read_inputs
from reportgen.manifest import Manifest
from reportgen.manifest_file import load_manifest
from reportgen.release.environment import environment, install_line, missing_for_pdf
from reportgen.release.fingerprint import dossier_date, strict_json
from reportgen.release.folder import Draft, Published, publish, require_writable
from reportgen.reporting import reaching, results_data
from reportgen.settings import SectionSettings

Format = Literal["html", "pdf", "both"]
Made = TypeVar("Made")
PAGES = "pages"
"""What progress calls the step after the last section."""


@dataclass(frozen=True)
class Results:
    """What a run found.

    Attributes
    ----------
    data : mapping
        Plain data as in results.json; ``dossier.revision`` is None until it is published.
    manifest : bytes
        The manifest as read.
    """

    data: Mapping[str, Any]
    manifest: bytes


@dataclass(frozen=True)
class Built:
    """A dossier that was built.

    Attributes
    ----------
    folder : Path
        Where it is.
    unchanged : bool
        Whether that revision was there already, the same in every byte.
    data : mapping
        Its results.
    notes : tuple of str
        What the user should know of how it was made.
    gate : sequence of mapping
        The findings that reach the manifest's ``gate.fail_on``.
    """

    folder: Path
    unchanged: bool
    data: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    gate: Sequence[Mapping[str, Any]] = ()


def build(
    manifest_path: Path | str,
    out: Path | str = "dossiers",
    *,
    only: Sequence[str] = (),
    format: Format = "both",  # noqa: A002 - the option is called so
    jobs: int = 1,
    overrides: Iterable[tuple[str, str]] = (),
    allow_outside: bool = False,
    progress: Progress = silent,
) -> Built:
    """Build the dossier of a manifest: load, read, compute, render, publish.

    Parameters
    ----------
    manifest_path : path
        The run manifest.
    out : path
        Folder that the dossier's own folder goes below.
    only : sequence of str
        Ids of the sections to run; all if empty.
    format : {"html", "pdf", "both"}
        Which pages to make.
    jobs : int
        Processes to compute sections in, >= 1; no figure depends on it.
    overrides : iterable of (key, value)
        Values put over the manifest's.
    allow_outside : bool
        Whether inputs may lie outside the manifest's folder.
    progress : callable
        Told of each section as it goes on.

    Raises
    ------
    RequestError
        If the request or an input is wrong; nothing has been written then.
    MissingSoftwareError
        If a PDF alone is asked for and this machine cannot make one.
    """
    require_writable(Path(out))
    if format == "pdf":
        require_pdf_software()
    manifest = load_manifest(manifest_path, overrides=overrides, allow_outside=allow_outside)
    results = run(manifest, only=only, jobs=jobs, progress=progress)
    progress(PAGES, 0.0)
    built = publish_results(results, out, format=format)
    progress(PAGES, 1.0)
    return replace(built, gate=reaching(built.data, manifest.settings.gate.fail_on))


def run(
    manifest: Manifest,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    progress: Progress = silent,
) -> Results:
    """Read the inputs of a manifest and compute its sections; nothing is written.

    Parameters and errors are those of :func:`build`.
    """
    date = dossier_date(manifest.settings.dossier.date)
    chosen, left_out = _choose(manifest.settings.sections, only)
    inputs = read(manifest)
    computed = compute(chosen, inputs, manifest.settings.defaults, jobs=jobs, progress=progress)
    data = results_data(
        manifest,
        computed,
        records=inputs.records,
        left_out=left_out,
        date=date,
        environment=environment(),
    )
    return Results(data, manifest.text.encode())


def read(manifest: Manifest) -> Inputs:
    """Read every input of a manifest.

    Raises
    ------
    InputError
        With every fault of every input.
    """
    return read_inputs(
        manifest.settings.tables,
        folder=manifest.folder,
        where=manifest.where,
        plan=manifest.settings.plan,
        allow_outside=manifest.allow_outside,
    )


def render(results: Results, folder: Path | str = "dossiers") -> Path:
    """Publish results as a dossier below `folder` and return the dossier's own folder.

    Raises
    ------
    RequestError
        If the folder cannot be written.
    """
    return publish_results(results, folder).folder


def _choose(
    sections: Sequence[SectionSettings], only: Sequence[str]
) -> tuple[list[SectionSettings], list[str]]:
    """Return the sections to run and the ids of those left out."""
    names = [section.name for section in sections]
    faults = [
        Fault(f"--only {name}", "the manifest has no section of this id", choose_from(names, name))
        for name in dict.fromkeys(only)
        if name not in names
    ]
    if faults:
        raise RequestError(faults)
    chosen = [section for section in sections if not only or section.name in only]
    return chosen, [name for name in names if only and name not in only]


def publish_results(
    results: Results,
    out: Path | str,
    *,
    format: Format = "both",  # noqa: A002
) -> Built:
    """Render results and put them into the next revision's folder, unless they stand there."""
    model = results.data["dossier"]["model"]

    def put(pdf: bool) -> Published:
        draft = draft_of(results, html=format != "pdf", pdf=pdf)
        return publish(Path(out), model["name"], model["version"], draft)

    done, notes = with_pdf_if_possible(format, put)
    return Built(done.folder, done.unchanged, results.data, notes)


def require_pdf_software() -> None:
    """Refuse a machine that lacks what a PDF needs.

    Raises
    ------
    MissingSoftwareError
        With the line that installs it.
    """
    missing = missing_for_pdf()
    if missing:
        what = f"this machine lacks {', '.join(missing)}"
        raise MissingSoftwareError([Fault("dossier.pdf", what, f"install it: {install_line()}")])


def with_pdf_if_possible(
    format: Format,  # noqa: A002
    make: Callable[[bool], Made],
) -> tuple[Made, tuple[str, ...]]:
    """Call `make` with whether to make a PDF; return what it made and what to tell the user.

    A machine that cannot make a PDF gets everything else, unless a PDF alone was asked for.
    """
    if format == "html":
        return make(False), ()
    try:
        require_pdf_software()
        return make(True), ()
    except MissingSoftwareError as error:
        if format == "pdf":
            raise
        fault = error.faults[0]
        return make(False), (f"no PDF was made: {fault.what}; {fault.mend}",)


def draft_of(results: Results, *, html: bool, pdf: bool) -> Draft:
    """Return what the dossier of `results` is to hold, as a function of its revision."""
    from reportgen.render.html import render_pages

    @lru_cache(maxsize=1)
    def pages(revision: int) -> Any:
        return render_pages(json.loads(_numbered(results.data, revision)))

    def files(revision: int) -> dict[str, bytes]:
        return {
            "results.json": _numbered(results.data, revision),
            "manifest.yaml": results.manifest,
            "environment.json": strict_json(results.data["environment"]),
            **page_files(pages(revision), html=html),
        }

    def make_pdf(revision: int) -> dict[str, bytes]:
        return {"dossier.pdf": pdf_bytes(pages(revision), results.data["dossier"])}

    return Draft(files, make_pdf if pdf else None)


def _numbered(data: Mapping[str, Any], revision: int) -> bytes:
    return strict_json({**data, "dossier": {**data["dossier"], "revision": revision}})


def page_files(pages: Any, *, html: bool = True) -> dict[str, bytes]:
    """Return what was rendered as files of the dossier, the PDF aside."""
    files = {f"tables/{name}": text.encode() for name, text in pages.tables.items()}
    files |= {f"figures/{name}": text.encode() for name, text in pages.figures.items()}
    return {"dossier.html": pages.html.encode(), **files} if html else files


def pdf_bytes(pages: Any, dossier: Mapping[str, Any]) -> bytes:
    """Return the PDF of the pages; made outside the dossier, so that a failure leaves nothing."""
    from reportgen.render.pdf import write_pdf

    with tempfile.TemporaryDirectory(prefix="reportgen-") as folder:
        path = Path(folder) / "dossier.pdf"
        write_pdf(pages.print_html, path, identifier=dossier["digest"], date=dossier["date"])
        return path.read_bytes()
