"""A dossier that stands in a folder, read back: its results, its manifest, its pictures.

The one way in which a stored dossier is read. What is returned is sound: strict JSON of this
version's schema under the digest written in it, and the files that it names beside it, each under
its own digest. Nothing is repaired and nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reportgen.drafting import PICTURES, ProfileName, pdf_names
from reportgen.errors import Fault, RequestError
from reportgen.inputs.fonts import FONT_DIRS, SUFFIXES
from reportgen.release.fingerprint import results_digest, sha256_of
from reportgen.release.folder import read_checksums
from reportgen.release.record import MANIFEST, RESULTS, SUMS
from reportgen.schema import check_results

MEND = "restore the file from the dossier's archive, or build the dossier again"
MEND_FONT = "put the font that the dossier was made with there"
NEEDED = "is missing, and the PDF of an archive carries it"


@dataclass(frozen=True)
class Stored:
    """What a dossier's folder holds.

    Attributes
    ----------
    folder : Path
        The folder.
    data : mapping
        results.json as plain data.
    results_bytes : bytes
        The same as it stands there.
    manifest : bytes or None
        manifest.yaml as it stands there; None if there is none.
    pictures : mapping of text to bytes
        The PNG images that the results name, by their SHA-256.
    """

    folder: Path
    data: Mapping[str, Any]
    results_bytes: bytes = field(repr=False)
    manifest: bytes | None = field(default=None, repr=False)
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def source(self) -> dict[str, bytes]:
        """The files that pages are made from, by name: the results and, if any, the manifest."""
        manifest = {} if self.manifest is None else {MANIFEST: self.manifest}
        return {RESULTS: self.results_bytes, **manifest}

    @property
    def profile(self) -> ProfileName:
        """The kind of PDF that the dossier holds; an archive where it holds none."""
        names = pdf_names(self.data["dossier"], "submission")
        there = all((self.folder / name).is_file() for name in names)
        return "submission" if there else "archive"

    def require_manifest(self) -> None:
        """Refuse a dossier without the manifest that an archive's PDF carries.

        Raises
        ------
        RequestError
            If there is none.
        """
        if self.manifest is None:
            mend = f"{MEND}; or render with --profile submission or --format html"
            raise RequestError([Fault(str(self.folder / MANIFEST), NEEDED, mend)])


def read_stored(dossier: Path) -> Stored:
    """Read a dossier back.

    Parameters
    ----------
    dossier : Path
        The dossier's folder, or the results.json in it.

    Returns
    -------
    Stored
        What it holds, sound.

    Raises
    ------
    RequestError
        If there are no sound results, or a picture or the manifest is not the file that belongs to
        them.
    """
    folder = folder_of(dossier)
    content = read_file(folder / RESULTS)
    data = sound_results(content, str(folder / RESULTS))
    pictures = read_pictures(folder, data)
    return Stored(folder, data, content, _manifest(folder), pictures)


def folder_of(dossier: Path) -> Path:
    """Return a dossier's folder, given that or the results.json in it."""
    return dossier.parent if dossier.name == RESULTS else dossier


def read_file(path: Path) -> bytes:
    """Return what a file of a dossier holds.

    Raises
    ------
    RequestError
        If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        mend = "name the folder of a dossier, such as dossiers/model/1.0/r1"
        raise RequestError([Fault(str(path), f"cannot be read ({error.strerror})", mend)]) from None


def sound_results(content: bytes, where: str) -> dict[str, Any]:
    """Return stored results as plain data, having checked their schema and their digest.

    Parameters
    ----------
    content : bytes
        results.json.
    where : str
        The file, for the fault.

    Raises
    ------
    RequestError
        If it is no strict JSON, not of this version's schema, or its digest is another.
    """
    try:
        data = json.loads(content, parse_constant=_no_number)
        check_results(data, where)
        digest = results_digest(data)
    except (ValueError, RecursionError) as error:
        raise RequestError([Fault(where, f"this is no strict JSON ({error})", MEND)]) from None
    if digest != data["dossier"]["digest"]:
        what = f"its content has the digest {digest[:12]}…, not the one written in it"
        raise RequestError([Fault(where, what, MEND)])
    return dict(data)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def read_pictures(folder: Path, data: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the pictures that stored results name, having checked that they are the same.

    Raises
    ------
    RequestError
        With every picture that is missing or another.
    """
    found: dict[str, bytes] = {}
    faults: list[Fault] = []
    for digest in dict.fromkeys(named_pictures(data["sections"])):
        path = folder / PICTURES / f"{digest}.png"
        png = path.read_bytes() if path.is_file() else None
        if png is not None and sha256_of(png) == digest:
            found[digest] = png
            continue
        what = "is not the picture that the results name" if png else "is missing"
        faults.append(Fault(str(path), what, MEND))
    if faults:
        raise RequestError(faults)
    return found


def named_pictures(value: Any) -> Iterator[str]:
    """Yield what stands under a key ``picture`` at any depth of plain data."""
    if isinstance(value, Mapping):
        if isinstance(value.get("picture"), str):
            yield value["picture"]
        for item in value.values():
            yield from named_pictures(item)
    elif isinstance(value, list):
        for item in value:
            yield from named_pictures(item)


def _manifest(folder: Path) -> bytes | None:
    """Return the manifest beside the results, having checked that it is the one they lay with."""
    path = folder / MANIFEST
    if not path.is_file():
        return None
    content = read_file(path)
    written = (read_checksums(folder) or {}).get(MANIFEST)
    if written not in (None, sha256_of(content)):
        raise RequestError([Fault(str(path), f"is not the file that {SUMS} lists", MEND)])
    return content


def stored_fonts(folder: Path | None, data: Mapping[str, Any]) -> list[Path]:
    """Return the files of `folder` that are the fonts which stored results name, in their order.

    Raises
    ------
    RequestError
        With every font of the results that is not there, by its digest.
    """
    if folder is None:
        return []
    here = {
        sha256_of(path.read_bytes()): path
        for path in sorted(folder.rglob("*"))
        if path.suffix.lower() in SUFFIXES and path.is_file()
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
