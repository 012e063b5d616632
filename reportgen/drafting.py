"""Results become the files of a dossier, in memory: JSON, pages, tables, figures, the PDF."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from reportgen.errors import Fault, MissingSoftwareError, RequestError
from reportgen.release.environment import install_line, missing_for_pdf
from reportgen.release.fingerprint import results_digest, strict_json
from reportgen.release.folder import Described, Draft, described
from reportgen.release.naming import submission_name
from reportgen.release.record import CRATE, ENVIRONMENT, HTML, MANIFEST, PDF, RESULTS, STATEMENT
from reportgen.release.statement import statement

Format = Literal["html", "pdf", "both"]
ProfileName = Literal["archive", "submission"]
PICTURES = "pictures"
"""Folder of the images that the results name."""
Made = TypeVar("Made")


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
        raise MissingSoftwareError([Fault(PDF, what, f"install it: {install_line()}")])


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


def name_fonts(data: dict[str, Any], fonts: Sequence[Path]) -> None:
    """Put the version of the package of other scripts' fonts into results that are written in them.

    Results that need none of its characters do not name it, so that they do not depend on whether
    it is installed.
    """
    from reportgen.render.other_scripts import SAMPLES, offering, package_used

    # All of its letters, in whatever form: laid out as on disk it would take ten times as long.
    text = json.dumps(data, ensure_ascii=False) + SAMPLES.get(data["dossier"]["language"], "")
    with offering(fonts):
        used = package_used(text)
    if used:
        packages = {**data["environment"]["packages"], **used}
        data["environment"]["packages"] = dict(sorted(packages.items()))
        data["dossier"]["digest"] = results_digest(data)


def draft_of(
    data: Mapping[str, Any],
    manifest: bytes,
    *,
    html: bool,
    pdf: bool,
    pictures: Mapping[str, bytes] | None = None,
    profile: ProfileName = "archive",
    fonts: Sequence[Path] = (),
) -> Draft:
    """Return what the dossier of results is to hold, as a function of its revision.

    Parameters
    ----------
    data : mapping
        Results as in results.json, their revision still open.
    manifest : bytes
        The manifest as read.
    html, pdf : bool
        Which pages to make.
    pictures : mapping of text to bytes, optional
        The PNG images that the results name, by their SHA-256.
    profile : {"archive", "submission"}
        The kind of PDF.
    fonts : sequence of Path
        Font files for characters that the dossier's own font lacks, in order.
    """
    from reportgen.render.html import render_pages
    from reportgen.render.pdf_profile import PROFILES

    named = pictures or {}

    @lru_cache(maxsize=1)
    def pages(revision: int) -> Any:
        results = json.loads(_numbered(data, revision))
        return render_pages(results, named, profile=PROFILES[profile], fonts=fonts)

    def files(revision: int) -> dict[str, bytes]:
        return {
            RESULTS: _numbered(data, revision),
            MANIFEST: manifest,
            ENVIRONMENT: strict_json(data["environment"]),
            **picture_files(named),
            **page_files(pages(revision), html=html),
        }

    def make_pdf(revision: int) -> dict[str, bytes]:
        dossier = {**data["dossier"], "revision": revision}
        pdf = pdf_bytes(pages(revision), dossier, files(revision), profile=profile)
        return dict.fromkeys(names(revision), pdf)

    def names(revision: int) -> list[str]:
        return pdf_names({**data["dossier"], "revision": revision}, profile)

    def about(revision: int, others: Mapping[str, Described]) -> dict[str, bytes]:
        results = json.loads(_numbered(data, revision))
        return about_files(results, manifest, others, profile=profile)

    return Draft(files, make_pdf if pdf else None, names, about)


def about_files(
    results: Mapping[str, Any],
    manifest: bytes,
    others: Mapping[str, Described],
    *,
    profile: ProfileName = "archive",
) -> dict[str, bytes]:
    """Return the files of a dossier that name its others by their digests, SHA256SUMS aside.

    Parameters
    ----------
    results : mapping
        results.json as read back.
    manifest : bytes
        The manifest as read.
    others : mapping of text to Described
        Every other file of the record, by its name.
    profile : {"archive", "submission"}
        The kind of PDF.
    """
    from reportgen.release.crate import crate  # imports an HTTP library

    made = {CRATE: crate(results, others, profile=profile)}
    return {**made, STATEMENT: statement(results, manifest, {**others, **described(made)})}


def _numbered(data: Mapping[str, Any], revision: int) -> bytes:
    return strict_json({**data, "dossier": {**data["dossier"], "revision": revision}})


def picture_files(pictures: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return pictures as files of the dossier: ``pictures/<sha256>.png``."""
    return {f"{PICTURES}/{digest}.png": png for digest, png in sorted(pictures.items())}


def page_files(pages: Any, *, html: bool = True) -> dict[str, bytes]:
    """Return what was rendered as files of the dossier, the PDF aside."""
    files = {f"tables/{name}": text.encode() for name, text in pages.tables.items()}
    files |= {f"figures/{name}": text.encode() for name, text in pages.figures.items()}
    return {HTML: pages.html.encode(), **files} if html else files


def pdf_names(dossier: Mapping[str, Any], profile: ProfileName) -> list[str]:
    """Return the names under which a dossier holds its PDF.

    For a submission it lies there a second time, under the name that an authority's folder allows.
    """
    model = dossier["model"]
    if profile == "archive":
        return [PDF]
    return [PDF, submission_name(model["name"], model["version"], dossier["revision"])]


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a folder that is gone afterwards.

    Raises
    ------
    RequestError
        If no folder for temporary files can be written.
    """
    try:
        made = tempfile.TemporaryDirectory(prefix="reportgen-")
    except OSError as error:
        what = f"no folder for temporary files can be written ({error.strerror or error})"
        mend = "free some space, name a folder in TMPDIR, or build with --format html"
        raise RequestError([Fault(PDF, what, mend)]) from error
    with made as folder:
        yield Path(folder)


def pdf_bytes(
    pages: Any,
    dossier: Mapping[str, Any],
    files: Mapping[str, bytes],
    *,
    profile: ProfileName = "archive",
    seal_field: str | None = None,
) -> bytes:
    """Return the PDF of the pages; made outside the dossier, so that a failure leaves nothing.

    Parameters
    ----------
    pages : Pages
        What was rendered.
    dossier : mapping
        ``dossier`` of results.json, its revision known.
    files : mapping of text to bytes
        The dossier's other files, some of which an archive carries in its PDF.
    profile : {"archive", "submission"}
        The kind of PDF.
    seal_field : str, optional
        What the field for a seal is, in words; without it there is none.
    """
    from reportgen.render.html import printable
    from reportgen.render.pdf import write_pdf
    from reportgen.render.pdf_attachment import attachments_of
    from reportgen.render.pdf_profile import PROFILES

    run = {
        "model": dossier["model"]["name"],
        "modelVersion": dossier["model"]["version"],
        "revision": str(dossier["revision"]),
        "resultsSha256": dossier["digest"],
    }
    with temporary_folder() as folder:
        path = folder / PDF
        write_pdf(
            pages.print_html,
            path,
            identifier=dossier["digest"],
            date=dossier["date"],
            profile=PROFILES[profile],
            run=printable(run),
            attachments=attachments_of(files),
            seal_field=seal_field,
        )
        return path.read_bytes()
