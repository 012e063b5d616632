"""The pages of a dossier again, from its stored results: nothing is recomputed, nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.build import Built
from reportgen.drafting import (
    Format,
    ProfileName,
    page_files,
    pdf_bytes,
    pdf_names,
    picture_files,
    with_pdf_if_possible,
)
from reportgen.errors import Fault, RequestError
from reportgen.release.folder import Files, checksums, write
from reportgen.release.record import SUMS
from reportgen.stored import Stored, folder_of, read_stored, stored_fonts

INTERACTIVE = "dossier.interactive.html"


def render_again(
    dossier: Path,
    out: Path | None = None,
    *,
    format: Format = "both",  # noqa: A002
    profile: ProfileName | None = None,
    fonts: Path | None = None,
) -> Built:
    """Render the stored results of a dossier.

    Where every page comes out as it stands in the dossier, nothing is written. Else the pages go
    into `out` or, without it, into ``r<N>-rendered`` beside the dossier: the record itself is never
    touched.

    Parameters
    ----------
    dossier : Path
        The dossier's folder, or the results.json in it.
    out : Path, optional
        A folder to write into; it must not be there with other content.
    format : {"html", "pdf", "both"}
        Which pages to make.
    profile : {"archive", "submission"}, optional
        The kind of PDF; without it, the kind that the dossier holds.
    fonts : Path, optional
        A folder with the fonts of the manifest's ``font_dirs``; they are told by their digests.

    Returns
    -------
    Built
        With the folder that holds the pages.

    Raises
    ------
    RequestError
        If there are no sound results, a file that belongs to them is missing or not theirs, or
        `out` is there with other content.
    MissingSoftwareError
        If a PDF alone is asked for and this machine cannot make one.
    """
    stored = read_stored(dossier)
    kind = profile or stored.profile
    found = stored_fonts(fonts, stored.data)
    if format != "html" and kind == "archive":
        stored.require_manifest()
    pages, notes = with_pdf_if_possible(
        format, lambda pdf: rendered(stored, kind, html=format != "pdf", pdf=pdf, fonts=found)
    )
    files = {**stored.source, **picture_files(stored.pictures), **pages}
    done = Built(stored.folder, unchanged=True, data=stored.data, notes=notes)
    if out is None and _stands_in(stored.folder, files):
        return done
    return _put(done, files, [out] if out else _places_beside(stored.folder))


def render_interactive(dossier: Path, out: Path | None = None) -> Path:
    """Write the page of a dossier with live charts; it is no part of the record.

    It never goes into the dossier's own folder, whose files are listed in SHA256SUMS and signed.

    Parameters
    ----------
    dossier : Path
        The dossier's folder, or the results.json in it.
    out : Path, optional
        A folder to write into; without it, ``r<N>-interactive`` beside the dossier.

    Returns
    -------
    Path
        The file, ``dossier.interactive.html``; one of another content is replaced.

    Raises
    ------
    RequestError
        If there are no sound results, a picture is missing, or `out` is the dossier's own folder.
    """
    from reportgen.render.interactive import interactive_page

    folder = folder_of(dossier).resolve()
    place = (out or folder.with_name(f"{folder.name}-interactive")).resolve()
    if place == folder or folder in place.parents:
        what = "is the dossier's own folder, which holds the record alone"
        raise RequestError([Fault(str(place), what, "name another folder with -o")])
    stored = read_stored(folder)
    page = interactive_page(stored.data, stored.pictures)
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / INTERACTIVE).write_text(page, encoding="utf-8")
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        raise RequestError([Fault(str(place), what, "name another folder with -o")]) from None
    return place / INTERACTIVE


def rendered(
    stored: Stored,
    profile: ProfileName,
    *,
    html: bool,
    pdf: bool,
    fonts: Sequence[Path] = (),
) -> dict[str, bytes]:
    """Return the pages of a stored dossier as files, by name.

    Parameters
    ----------
    stored : Stored
        The dossier.
    profile : {"archive", "submission"}
        The kind of PDF.
    html, pdf : bool
        Which pages to make; tables and figures come in any case.
    fonts : sequence of Path
        Font files for characters that the dossier's own font lacks, in order.
    """
    from reportgen.render.html import render_pages
    from reportgen.render.pdf_profile import PROFILES

    data = stored.data
    pages = render_pages(data, stored.pictures, profile=PROFILES[profile], fonts=fonts)
    files = page_files(pages, html=html)
    if not pdf:
        return files
    made = pdf_bytes(pages, data["dossier"], {**stored.source, **files}, profile=profile)
    return {**files, **dict.fromkeys(pdf_names(data["dossier"], profile), made)}


def _stands_in(folder: Path, files: Files) -> bool:
    """Return whether every one of `files` stands in `folder` with the same bytes."""
    paths = {name: folder / name for name in files}
    return all(path.is_file() and path.read_bytes() == files[n] for n, path in paths.items())


def _places_beside(folder: Path) -> Iterator[Path]:
    """Yield the names to try beside a dossier's folder, without end."""
    whole = folder.resolve()
    number = 1
    while True:
        yield whole.with_name(f"{whole.name}-rendered" + (f"-{number}" if number > 1 else ""))
        number += 1


def _put(done: Built, files: Files, places: Any) -> Built:
    """Write `files` into the first place that is free, unless they stand in one before it."""
    complete = {**files, SUMS: checksums(files)}
    for place in places:
        if write(place, complete):
            return replace(done, folder=place, unchanged=False)
        if _stands_in(place, complete):
            return replace(done, folder=place)
    what = "exists with other content"
    raise RequestError([Fault(str(place), what, "name another folder with -o")])
