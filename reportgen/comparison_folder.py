"""The folder of ``reportgen compare``: pages, data, tables and charts, written once and kept.

Named by what it compares; the same content gives the same folder back, other content the next name:
``triage-1.4.0-r1-to-1.5.0-r1``, ``…-2``, ``…-3``. Nothing is overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.drafting import Format, pdf_bytes, with_pdf_if_possible
from reportgen.release.fingerprint import sha256_of, strict_json
from reportgen.release.folder import Files, checksums, write
from reportgen.release.naming import folder_name
from reportgen.release.record import SUMS

DATA, HTML, PDF = "comparison.json", "comparison.html", "comparison.pdf"


class Compared(NamedTuple):
    """A comparison that was written: its folder, whether it was there already, what to tell."""

    folder: Path
    unchanged: bool
    notes: tuple[str, ...]


def write_comparison(
    comparison: Mapping[str, Any],
    out: Path,
    *,
    dossier: Mapping[str, Any],
    format: Format = "both",  # noqa: A002 - the option is called so
    fonts: Sequence[Path] = (),
) -> Compared:
    """Write a comparison into a folder of its own below `out`.

    Parameters
    ----------
    comparison : mapping
        Plain data of ``reportgen/comparison/1``.
    out : Path
        Folder of comparisons.
    dossier : mapping
        ``dossier`` of the newer one's results.json, for language and paper.
    format : {"html", "pdf", "both"}
        Which pages to make.
    fonts : sequence of Path
        Font files for characters that the dossier's font lacks.

    Raises
    ------
    RequestError
        If the folder cannot be written.
    MissingSoftwareError
        If a PDF alone is asked for and this machine cannot make one.
    """
    files, notes = with_pdf_if_possible(
        format, lambda pdf: _files(comparison, dossier, fonts, html=format != "pdf", pdf=pdf)
    )
    whole = {**files, SUMS: checksums(files)}
    for place in _places(out, comparison):
        if write(place, whole):
            return Compared(place, False, notes)
        if _holds(place, whole):
            return Compared(place, True, notes)
    raise AssertionError("there is always a next name")


def _files(
    comparison: Mapping[str, Any],
    dossier: Mapping[str, Any],
    fonts: Sequence[Path],
    *,
    html: bool,
    pdf: bool,
) -> dict[str, bytes]:
    from reportgen.render.comparison_page import between, render_comparison

    data = strict_json(comparison)
    digest = sha256_of(data)
    pages = render_comparison(comparison, dossier, digest=digest, fonts=fonts)
    files = {DATA: data}
    files |= {f"tables/{name}": text.encode() for name, text in pages.tables.items()}
    files |= {f"figures/{name}": text.encode() for name, text in pages.figures.items()}
    if html:
        files[HTML] = pages.html.encode()
    if pdf:
        new = comparison["new"]
        model, version = between(comparison["old"], new)
        named = {
            "model": {"name": model, "version": version},
            "revision": new["revision"],
            "digest": digest,
            "date": new["date"],
        }
        files[PDF] = pdf_bytes(pages, named, files)
    return files


def _places(out: Path, comparison: Mapping[str, Any]) -> Iterator[Path]:
    """Yield the names to try below a folder, without end."""
    name = name_of(comparison)
    for number in count(1):
        yield out / (name if number == 1 else f"{name}-{number}")


def name_of(comparison: Mapping[str, Any]) -> str:
    """Return the name of a comparison's folder: ``triage-1.4.0-r1-to-1.5.0-r1``."""
    old, new = comparison["old"], comparison["new"]
    before, after = old["model"], new["model"]
    same = before["name"] == after["name"]
    newer = after["version"] if same else f"{after['name']}-{after['version']}"
    older = f"{before['name']}-{before['version']}-r{old['revision']}"
    return folder_name(f"{older}-to-{newer}-r{new['revision']}")


def _holds(folder: Path, files: Files) -> bool:
    """Return whether a folder holds these files and no others."""
    there = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*")}
    listed = {name for name, path in there.items() if not path.is_dir()}
    return listed == set(files) and all(
        there[name].read_bytes() == content for name, content in files.items()
    )
