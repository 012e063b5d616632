"""Results become the files of a dossier, in memory: JSON, pages, tables, figures, the PDF."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeVar

from reportgen.errors import Fault, MissingSoftwareError
from reportgen.release.environment import install_line, missing_for_pdf
from reportgen.release.fingerprint import strict_json
from reportgen.release.folder import Draft

Format = Literal["html", "pdf", "both"]
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


def draft_of(
    data: Mapping[str, Any],
    manifest: bytes,
    *,
    html: bool,
    pdf: bool,
    pictures: Mapping[str, bytes] | None = None,
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
    """
    from reportgen.render.html import render_pages

    named = pictures or {}

    @lru_cache(maxsize=1)
    def pages(revision: int) -> Any:
        return render_pages(json.loads(_numbered(data, revision)), named)

    def files(revision: int) -> dict[str, bytes]:
        return {
            "results.json": _numbered(data, revision),
            "manifest.yaml": manifest,
            "environment.json": strict_json(data["environment"]),
            **picture_files(named),
            **page_files(pages(revision), html=html),
        }

    def make_pdf(revision: int) -> dict[str, bytes]:
        return {"dossier.pdf": pdf_bytes(pages(revision), data["dossier"])}

    return Draft(files, make_pdf if pdf else None)


def _numbered(data: Mapping[str, Any], revision: int) -> bytes:
    return strict_json({**data, "dossier": {**data["dossier"], "revision": revision}})


def picture_files(pictures: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return pictures as files of the dossier: ``pictures/<sha256>.png``."""
    return {f"{PICTURES}/{digest}.png": png for digest, png in sorted(pictures.items())}


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
