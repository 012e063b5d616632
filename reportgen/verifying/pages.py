"""The pages, rendered anew from results.json and compared with those that stand there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reportgen.drafting import PICTURES, pdf_names, require_pdf_software
from reportgen.errors import Fault, ReportgenError, RequestError
from reportgen.inputs.fonts import FONT_DIRS
from reportgen.release.fingerprint import sha256_of
from reportgen.release.record import CRATE, ENVIRONMENT, HTML, MANIFEST, PDF, RESULTS, STATEMENT
from reportgen.rerender import rendered
from reportgen.stored import Stored, stored_fonts
from reportgen.verifying.check import Check, bad, good, unchecked
from reportgen.verifying.software import other_software

PAGES = "pages"
_NO_PAGES = frozenset({RESULTS, MANIFEST, ENVIRONMENT, STATEMENT, CRATE})


@dataclass(frozen=True)
class Rendered:
    """What rendering anew came to.

    Attributes
    ----------
    files : mapping of text to bytes
        The pages, tables and figures; empty if they could not be rendered.
    why_not : str
        Why they could not be rendered, or an empty text.
    why_no_pdf : str
        Why the PDF is not among them, or an empty text.
    fonts : tuple of Path
        The fonts of the manifest's ``font_dirs``, which they needed.
    """

    files: Mapping[str, bytes]
    why_not: str = ""
    why_no_pdf: str = ""
    fonts: tuple[Path, ...] = ()


def render_anew(stored: Stored, files: Mapping[str, str], fonts: Sequence[Path]) -> Rendered:
    """Render a stored dossier, with fonts from the folders `fonts`.

    The PDF is rendered where `files`, those that stand in the record, hold one, on the software it
    was made with alone: another software makes other bytes of the same pages.
    """
    why_no_pdf = _why_no_pdf(stored, files)
    try:
        found = _fonts(stored, fonts)
        made = rendered(stored, stored.profile, html=True, pdf=not why_no_pdf, fonts=found)
    except ReportgenError as error:
        return Rendered({}, error.faults[0].what, error.faults[0].what)
    except Exception as error:  # results of a sound schema that pages were never written for
        what = f"they cannot be rendered here ({type(error).__name__})"
        return Rendered({}, what, what)
    return Rendered(made, why_no_pdf=why_no_pdf, fonts=tuple(found))


def _why_no_pdf(stored: Stored, files: Mapping[str, str]) -> str:
    if not any(name in files for name in pdf_names(stored.data["dossier"], stored.profile)):
        return "the dossier holds none"
    if stored.profile == "archive" and stored.manifest is None:
        return f"{MANIFEST}, which it carries, is not there as recorded"
    other = other_software(stored.data["environment"], pdf=True)
    if other:
        return f"it was made with {other}"
    try:
        require_pdf_software()
    except ReportgenError as error:
        return error.faults[0].what
    return ""


def _fonts(stored: Stored, folders: Sequence[Path]) -> list[Path]:
    """Return the fonts that a dossier was made with, from the first folder that has them all."""
    if not any(one["name"].startswith(FONT_DIRS) for one in stored.data["inputs"]):
        return []
    trouble: ReportgenError | None = None
    for folder in folders:
        try:
            return stored_fonts(folder, stored.data)
        except ReportgenError as error:
            trouble = error
    what = "they were made with fonts of the manifest's font_dirs, to be named with --fonts"
    raise trouble or RequestError([Fault(PAGES, what, "")])


def check_pages(files: Mapping[str, str], stored: Stored, made: Rendered) -> Iterator[Check]:
    """Yield whether the pages of a record are those that its results render to.

    Pages that differ are bad where the software that makes them is the recorded one, in every
    version; else it cannot be told, and they are not checked.

    Parameters
    ----------
    files : mapping of text to text
        The record's files, SHA256SUMS aside, to their SHA-256.
    stored : Stored
        The dossier.
    made : Rendered
        Its pages, rendered anew.
    """
    if made.why_not:
        yield unchecked(PAGES, made.why_not)
        return
    other = other_software(stored.data["environment"], pdf=False)
    wanted = {name: sha256_of(content) for name, content in made.files.items()}
    wanted |= {f"{PICTURES}/{digest}.png": digest for digest in stored.pictures}
    pdfs = pdf_names(stored.data["dossier"], stored.profile)
    if HTML not in files and PDF in files:
        del wanted[HTML]  # a dossier made with --format pdf has none
    if made.why_no_pdf:
        yield unchecked(PAGES, made.why_no_pdf, PDF)
        files = {name: digest for name, digest in files.items() if name not in pdfs}
    names = sorted({*wanted, *files} - _NO_PAGES)
    compared = [_compared(name, wanted.get(name), files.get(name), other) for name in names]
    yield from (one for one in compared if one is not None)
    same = compared.count(None)
    if same:
        what = "pages, tables and figures" + ("" if made.why_no_pdf else ", the PDF among them,")
        yield good(PAGES, f"{same} of {len(names)} {what} are as rendered anew, byte for byte")


def _compared(name: str, wanted: str | None, found: str | None, other: str) -> Check | None:
    """Return what is wrong with a page, None if it is as rendered."""
    if found == wanted:
        return None
    if other and found is not None:
        return unchecked(PAGES, f"it differs here, and it was made with {other}", name)
    if wanted is None:
        return bad(PAGES, name, "is no file of these results")
    if found is None:
        return bad(PAGES, name, "is missing, and the results render to it")
    return bad(PAGES, name, "is not what the results render to")
