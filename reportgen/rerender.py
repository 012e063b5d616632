"""The pages of a dossier again, from its stored results: nothing is recomputed, nothing is lost."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.build import Built
from reportgen.drafting import (
    PICTURES,
    Format,
    ProfileName,
    page_files,
    pdf_bytes,
    pdf_names,
    picture_files,
    with_pdf_if_possible,
)
from reportgen.errors import Fault, RequestError
from reportgen.inputs.fonts import FONT_DIRS, SUFFIXES
from reportgen.release.fingerprint import results_digest, sha256_of
from reportgen.release.folder import SUMS, Files, checksums, read_checksums, write
from reportgen.schema import check_results

RESULTS, MANIFEST = "results.json", "manifest.yaml"
INTERACTIVE = "dossier.interactive.html"
MEND_FONT = "put the font that the dossier was made with there"
MEND = "restore the file from the dossier's archive, or build the dossier again"


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
    folder = dossier.parent if dossier.name == RESULTS else dossier
    stored = _read(folder / RESULTS)
    data = _sound(stored, str(folder / RESULTS))
    pictures = _pictures(folder, data)
    found = _fonts(fonts, data)
    kind = profile or _profile_of(folder, data)
    source = {RESULTS: stored, **_manifest(folder, needed=format != "html" and kind == "archive")}
    pages, notes = with_pdf_if_possible(
        format,
        lambda pdf: _rendered(
            data, pictures, source, kind, html=format != "pdf", pdf=pdf, fonts=found
        ),
    )
    files = {**source, **picture_files(pictures), **pages}
    done = Built(folder, unchanged=True, data=data, notes=notes)
    if out is None and _stands_in(folder, files):
        return done
    return _put(done, files, [out] if out else _places_beside(folder))


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

    folder = (dossier.parent if dossier.name == RESULTS else dossier).resolve()
    place = (out or folder.with_name(f"{folder.name}-interactive")).resolve()
    if place == folder or folder in place.parents:
        what = "is the dossier's own folder, which holds the record alone"
        raise RequestError([Fault(str(place), what, "name another folder with -o")])
    data = _sound(_read(folder / RESULTS), str(folder / RESULTS))
    page = interactive_page(data, _pictures(folder, data))
    try:
        place.mkdir(parents=True, exist_ok=True)
        (place / INTERACTIVE).write_text(page, encoding="utf-8")
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        raise RequestError([Fault(str(place), what, "name another folder with -o")]) from None
    return place / INTERACTIVE


def _rendered(
    data: Mapping[str, Any],
    pictures: Mapping[str, bytes],
    source: Files,
    profile: ProfileName,
    *,
    html: bool,
    pdf: bool,
    fonts: Sequence[Path],
) -> dict[str, bytes]:
    from reportgen.render.html import render_pages
    from reportgen.render.pdf_profile import PROFILES

    pages = render_pages(data, pictures, profile=PROFILES[profile], fonts=fonts)
    files = page_files(pages, html=html)
    if not pdf:
        return files
    made = pdf_bytes(pages, data["dossier"], {**source, **files}, profile=profile)
    return {**files, **dict.fromkeys(pdf_names(data["dossier"], profile), made)}


def _fonts(folder: Path | None, data: Mapping[str, Any]) -> list[Path]:
    """Return the files of `folder` that are the fonts which stored results name, in their order."""
    if folder is None:
        return []
    here = {
        sha256_of(path.read_bytes()): path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in SUFFIXES
    }
    wanted = [record for record in data["inputs"] if record["name"].startswith(FONT_DIRS)]
    faults = [
        Fault(str(folder), f"the font {record['path']} is not in it, by its digest", MEND_FONT)
        for record in wanted
        if record["sha256"] not in here
    ]
    if faults:
        raise RequestError(faults)
    return [here[record["sha256"]] for record in wanted]


def _profile_of(folder: Path, data: Mapping[str, Any]) -> ProfileName:
    """Return the kind of PDF that a dossier holds; an archive where it holds none."""
    names = pdf_names(data["dossier"], "submission")
    return "submission" if all((folder / name).is_file() for name in names) else "archive"


def _manifest(folder: Path, *, needed: bool) -> dict[str, bytes]:
    """Return the manifest beside the results, having checked that it is the one they lay with."""
    path = folder / MANIFEST
    if not path.is_file():
        if needed:
            what = "is missing, and the PDF of an archive carries it"
            mend = f"{MEND}; or render with --profile submission or --format html"
            raise RequestError([Fault(str(path), what, mend)])
        return {}
    content = path.read_bytes()
    written = (read_checksums(folder) or {}).get(MANIFEST)
    if written not in (None, sha256_of(content)):
        raise RequestError([Fault(str(path), f"is not the file that {SUMS} lists", MEND)])
    return {MANIFEST: content}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        mend = "name the folder of a dossier, such as dossiers/model/1.0/r1"
        raise RequestError([Fault(str(path), f"cannot be read ({error.strerror})", mend)]) from None


def _pictures(folder: Path, data: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the pictures that stored results name, having checked that they are the same."""
    found: dict[str, bytes] = {}
    faults: list[Fault] = []
    for digest in dict.fromkeys(_named_pictures(data["sections"])):
        path = folder / PICTURES / f"{digest}.png"
        png = path.read_bytes() if path.is_file() else None
        if png is not None and hashlib.sha256(png).hexdigest() == digest:
            found[digest] = png
            continue
        what = "is not the picture that the results name" if png else "is missing"
        faults.append(Fault(str(path), what, MEND))
    if faults:
        raise RequestError(faults)
    return found


def _named_pictures(value: Any) -> Iterator[str]:
    """Yield what stands under a key ``picture`` at any depth of plain data."""
    if isinstance(value, Mapping):
        if isinstance(value.get("picture"), str):
            yield value["picture"]
        for item in value.values():
            yield from _named_pictures(item)
    elif isinstance(value, list):
        for item in value:
            yield from _named_pictures(item)


def _sound(stored: bytes, where: str) -> dict[str, Any]:
    """Return stored results as plain data, having checked their schema and their digest."""
    try:
        data = json.loads(stored, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise RequestError([Fault(where, f"this is no strict JSON ({error})", MEND)]) from None
    check_results(data, where)
    digest = results_digest(data)
    if digest != data["dossier"]["digest"]:
        what = f"its content has the digest {digest[:12]}…, not the one written in it"
        raise RequestError([Fault(where, what, MEND)])
    return dict(data)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


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
