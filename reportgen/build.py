"""The whole run, top to bottom.

A manifest is loaded, its inputs are read, its sections are computed, their results become plain
data; that is written as JSON, read back and rendered; what was rendered is staged and published.
All computing ends before the first file is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any

from reportgen.against import compared_to_base, named_base
from reportgen.computing import Progress, compute, silent
from reportgen.drafting import (
    Format,
    ProfileName,
    draft_of,
    name_fonts,
    require_pdf_software,
    with_pdf_if_possible,
)
from reportgen.errors import Fault, RequestError, choose_from
from reportgen.indexing import refresh_index
from reportgen.inputs import Inputs
from reportgen.inputs.images.kinds import DICOM_ENDINGS
from reportgen.inputs.models.settings import PLAIN
from reportgen.language import use
from reportgen.manifest import Manifest
from reportgen.reading import prepare, read
from reportgen.received import received
from reportgen.release.environment import environment
from reportgen.release.fingerprint import dossier_date
from reportgen.release.folder import Published, publish, require_writable
from reportgen.reporting import reaching, results_data
from reportgen.settings import SectionSettings

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
    pictures : mapping of text to bytes
        The PNG images that the results name, by their SHA-256.
    fonts : tuple of Path
        Font files of the manifest's ``font_dirs``, in order.
    """

    data: Mapping[str, Any]
    manifest: bytes
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    fonts: tuple[Path, ...] = ()


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
    profile: ProfileName = "archive",
    jobs: int = 1,
    overrides: Iterable[tuple[str, str]] = (),
    allow_outside: bool = False,
    allow_pickle: bool = False,
    allow_code: bool = False,
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
    profile : {"archive", "submission"}
        The kind of PDF: PDF/A-3a with results, manifest and tables in it, or PDF/A-2a without
        attachments, linearised and named for an authority's folder; both are PDF/UA-1.
    jobs : int
        Processes to compute sections in, >= 1; no figure depends on it.
    overrides : iterable of (key, value)
        Values put over the manifest's.
    allow_outside : bool
        Whether inputs may lie outside the manifest's folder.
    allow_pickle, allow_code : bool
        Whether pinned models that run code may be opened, and functions imported.
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
    manifest, inputs = prepare(
        manifest_path,
        overrides=overrides,
        allow_outside=allow_outside,
        allow_pickle=allow_pickle,
        allow_code=allow_code,
    )
    results = _run(manifest, inputs, only=only, jobs=jobs, progress=progress, out=Path(out))
    progress(PAGES, 0.0)
    built = publish_results(results, out, format=format, profile=profile)
    progress(PAGES, 1.0)
    return replace(built, gate=reaching(built.data, manifest.settings.gate.fail_on))


def run(
    manifest: Manifest,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    allow_pickle: bool = False,
    allow_code: bool = False,
    progress: Progress = silent,
) -> Results:
    """Read the inputs of a manifest and compute its sections; nothing is written.

    Parameters and errors are those of :func:`build`.
    """
    inputs = read(manifest, allow_pickle=allow_pickle, allow_code=allow_code)
    return _run(manifest, inputs, only=only, jobs=jobs, progress=progress)


def _run(
    manifest: Manifest,
    inputs: Inputs,
    *,
    only: Sequence[str],
    jobs: int,
    progress: Progress,
    out: Path | None = None,
) -> Results:
    base = named_base(manifest)
    date = dossier_date(manifest.settings.dossier.date)
    chosen, left_out = _choose(manifest.settings.sections, only)
    if any(model.kind not in PLAIN for model in inputs.models.values()):
        jobs = 1  # a model that was opened cannot be handed to another process
    with use(manifest.settings.dossier.language):
        computed = compute(chosen, inputs, manifest.settings.defaults, jobs=jobs, progress=progress)
        data = results_data(
            manifest,
            computed,
            records=received(inputs),
            left_out=left_out,
            date=date,
            environment=environment(extras_used(inputs)),
        )
    name_fonts(data, inputs.fonts)
    data = compared_to_base(manifest, data, base, out)
    name_fonts(data, inputs.fonts)  # the earlier dossier may bring other scripts in
    pictures = {name: png for one in computed for name, png in one.outcome.pictures.items()}
    return Results(data, manifest.text.encode(), pictures, inputs.fonts)


def extras_used(inputs: Inputs) -> list[str]:
    """Return the extras of reportgen that read these inputs: their versions can move figures.

    They are told by kinds of models and endings of images, not by what is loaded: a cache of
    thumbnails, or another process, may have done the reading.
    """
    used = {model.kind for model in inputs.models.values()} & {"onnx", "skops"}
    files = (PurePath(str(file)) for one in inputs.images.values() for file in one.files)
    if any(file.suffix.lower() in ("", *DICOM_ENDINGS) for file in files):
        used.add("dicom")  # a DICOM file need not have an ending
    return sorted(used)


def render(
    results: Results, folder: Path | str = "dossiers", *, profile: ProfileName = "archive"
) -> Path:
    """Publish results as a dossier below `folder` and return the dossier's own folder.

    Parameters
    ----------
    results : Results
        As :func:`run` returned them.
    folder : path
        Folder that the dossier's own folder goes below.
    profile : {"archive", "submission"}
        The kind of PDF, as in :func:`build`.

    Raises
    ------
    RequestError
        If the folder cannot be written.
    """
    return publish_results(results, folder, profile=profile).folder


class _CallablePackage(ModuleType):
    """The package ``reportgen.render``, answering to ``reportgen.render(results, folder)`` too.

    The function of the Python interface and the package share a name, and importing the package
    would hide the function.
    """

    def __call__(
        self,
        results: Results,
        folder: Path | str = "dossiers",
        *,
        profile: ProfileName = "archive",
    ) -> Path:
        return render(results, folder, profile=profile)


import_module("reportgen.render").__class__ = _CallablePackage


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
    profile: ProfileName = "archive",
) -> Built:
    """Render results and put them into the next revision's folder, unless they stand there."""
    model = results.data["dossier"]["model"]

    def put(pdf: bool) -> Published:
        draft = draft_of(
            results.data,
            results.manifest,
            html=format != "pdf",
            pdf=pdf,
            pictures=results.pictures,
            profile=profile,
            fonts=results.fonts,
        )
        return publish(Path(out), model["name"], model["version"], draft)

    done, notes = with_pdf_if_possible(format, put)
    of_index = refresh_index(Path(out))
    return Built(done.folder, done.unchanged, results.data, (*notes, *filter(None, [of_index])))
