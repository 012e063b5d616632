"""Is a dossier still what was built, approved and sealed? Every file is asked, each in turn.

What each check can and cannot show is written where it is made: ``record`` (digests), ``results``
(schema, environment, manifest), ``pages`` (rendered anew), ``approvals`` (ledger, signed pages,
seal, signatures), ``inputs`` (the files it was made from), ``container`` (the archive around it).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reportgen.archiving.unpacking import INPUTS_BESIDE, opened
from reportgen.errors import Fault, ReportgenError, RequestError
from reportgen.release.fingerprint import sha256_of
from reportgen.release.record import INPUTS, MANIFEST, RESULTS, STATEMENT, SUMS
from reportgen.stored import Stored, folder_of, read_pictures
from reportgen.verifying.about import check_about, statement_anew
from reportgen.verifying.approvals import check_approvals
from reportgen.verifying.check import Check, Verification, bad_names, unchecked
from reportgen.verifying.container import check_container, unopened
from reportgen.verifying.contents import Contents, contents_of
from reportgen.verifying.copies import check_copies
from reportgen.verifying.images import check_images
from reportgen.verifying.inputs import check_inputs, places_of
from reportgen.verifying.pages import PAGES, Rendered, check_pages, render_anew
from reportgen.verifying.rebuilding import check_figures
from reportgen.verifying.record import Record, check_record, record_of
from reportgen.verifying.results import check_beside, check_results, images_of

__all__ = ["Check", "Verification", "verify"]

MEND = "name the folder of a dossier, such as dossiers/model/1.0/r1, or its archive"


@dataclass(frozen=True)
class _Asked:
    """What a verification may use beside the dossier; see :func:`verify`."""

    places: Sequence[Path]
    trusted: Sequence[Any]
    fonts: Sequence[Path]
    rebuild: Path | None
    allowed: Mapping[str, bool]


def verify(
    path: Path | str,
    *,
    inputs: Sequence[Path] = (),
    trust: Sequence[Path] = (),
    fonts: Path | None = None,
    rebuild: Path | None = None,
    **allowed: bool,
) -> Verification:
    """Check everything that can be checked about a dossier; nothing is written.

    Parameters
    ----------
    path : path
        The dossier's folder, the results.json in it, or its archive.
    inputs : sequence of Path
        Folders to look for the inputs in, by the paths that the manifest gave them; without any,
        every folder above the dossier's, nearest first.
    trust : sequence of Path
        Certificates (PEM or DER) that a seal or signature may rest on; without any, whether they
        are trusted is not checked.
    fonts : Path, optional
        A folder with the fonts of the manifest's ``font_dirs``; without it, they are looked for
        where the inputs are.
    rebuild : Path, optional
        The manifest, beside its inputs: the figures are computed again, too, and compared.
    **allowed : bool
        ``allow_outside``, ``allow_pickle``, ``allow_code`` for that, as in building.

    Returns
    -------
    Verification
        Its checks; each bad one names a file.

    Raises
    ------
    RequestError
        If there is no dossier at all, or what is needed to compute again is wrong.
    """
    path = folder_of(Path(path))
    places = places_of(path, inputs)
    found_in = places if fonts is None else [fonts]
    asked = _Asked(places, _trusted(trust), found_in, rebuild, allowed)
    checks = _archive(path, asked) if path.is_file() else _folder(path, asked)
    return Verification(path, tuple(checks))


def _trusted(files: Sequence[Path]) -> list[Any]:
    """Return the certificates of the files that are to be trusted."""
    if not files:
        return []
    from reportgen.signing.identity import certificates

    try:
        contents = [(str(file), file.read_bytes()) for file in files]
    except OSError as error:
        what = f"cannot be read ({error.strerror})"
        mend = "name a certificate in PEM or DER with --trust"
        raise RequestError([Fault(str(error.filename), what, mend)]) from None
    return certificates(contents)


def _archive(path: Path, asked: _Asked) -> list[Check]:
    """Return the checks of an archive: of the dossier in it, and of the container around it."""
    with ExitStack() as held:
        try:
            folder = held.enter_context(opened(path))
        except ReportgenError as error:
            return [unopened(path, error)]
        beside = folder.parent / INPUTS_BESIDE
        places = [*([beside / INPUTS] if beside.is_dir() else ()), *asked.places]
        checks = _folder(folder, replace(asked, places=places), copies=beside)
        return [*checks, *check_container(path, folder, beside / INPUTS)]


def _folder(folder: Path, asked: _Asked, copies: Path | None = None) -> list[Check]:
    """Return the checks of a dossier's folder, in the order in which they build on each other.

    `copies` is the folder that an archive's copies of inputs were put into, if not this one.
    """
    contents = contents_of(folder)
    _require_dossier(contents)
    record = record_of(contents)
    data, of_results = check_results(contents)
    checks = [*check_record(contents, record, _remade(contents, record, data)), *of_results]
    named = bad_names(checks)
    if data is None or RESULTS in named:
        return [*checks, *_nothing_follows()]
    checks += check_beside(contents, data) if MANIFEST not in named else ()
    stored, trouble = _stored(contents, data, named)
    checks += check_about(contents, record.files, stored, named)
    made = (
        Rendered({}, why_not=trouble) if trouble else render_anew(stored, record.files, asked.fonts)
    )
    checks += check_pages(record.files, stored, made)
    checks += check_approvals(contents, stored, made, bad_names(checks), asked.trusted)
    checks += check_copies(contents_of(copies) if copies else contents, data)
    checks += check_inputs(data, asked.places)
    checks += check_images(data, images_of(contents, data), asked.places)
    if asked.rebuild is not None:
        checks += check_figures(data, asked.rebuild, allowed=asked.allowed)
    return checks


def _require_dossier(contents: Contents) -> None:
    if RESULTS not in contents.digests and SUMS not in contents.digests:
        what = f"is no dossier: neither {RESULTS} nor {SUMS} can be read there"
        raise RequestError([Fault(str(contents.folder), what, MEND)])


def _remade(contents: Contents, record: Record, data: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the digest of the statement made anew, where its own is in dispute."""
    listed = None if record.listing is None else record.listing.digests.get(STATEMENT)
    if data is None or STATEMENT not in record.files or record.files[STATEMENT] == listed:
        return {}
    anew = statement_anew(contents, record.files, data)
    digest = sha256_of(anew or b"")
    # Another version may write another statement, which vouches for neither.
    return {STATEMENT: digest} if digest in (record.files[STATEMENT], listed) else {}


def _nothing_follows() -> Iterator[Check]:
    for name in ("environment", "manifest", PAGES, "approvals", "inputs"):
        yield unchecked(name, f"{RESULTS} is not sound")


def _stored(
    contents: Contents, data: Mapping[str, Any], named: frozenset[str]
) -> tuple[Stored, str]:
    """Return the dossier as pages are rendered from it, and what keeps them from being."""
    manifest = None if MANIFEST in named else contents.read(MANIFEST)
    results = contents.read(RESULTS) or b""
    try:
        pictures, trouble = read_pictures(contents.folder, data), ""
    except ReportgenError as error:
        first = error.faults[0]
        pictures, trouble = {}, f"{Path(first.where).name} {first.what}"
    return Stored(contents.folder, data, results, manifest, pictures), trouble
