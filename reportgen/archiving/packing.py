"""The archive of a dossier: a zip whose bytes follow from the dossier alone.

Its files are stored, not compressed: what a compressor writes differs between its versions, and the
digest of an archive is to be the same on every machine and in ten years. The PDF and the pictures
are compressed in themselves.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from reportgen.archiving.inputs import copies_of
from reportgen.archiving.member import Member
from reportgen.archiving.standing import members_of
from reportgen.errors import Fault, RequestError
from reportgen.release.naming import archive_name
from reportgen.release.record import RESULTS
from reportgen.release.staging import place_once

ENDING = ".zip"
CHUNK = 1 << 20
ON_UNIX = 3
"""Of a zip's ``create_system``: which kind of permissions it holds."""
PERMISSIONS = (stat.S_IFREG | 0o644) << 16
YEARS = (1980, 2107)
"""The years that a zip can write."""


@dataclass(frozen=True)
class Archived:
    """A dossier that was archived.

    Attributes
    ----------
    path : Path
        The archive.
    unchanged : bool
        Whether it was there already, byte for byte.
    inputs : int
        How many files of inputs it holds.
    notes : tuple of str
        What the user should know of it.
    """

    path: Path
    unchanged: bool
    inputs: int = 0
    notes: tuple[str, ...] = ()


def archive(dossier: Path | str, out: Path | str | None = None, inputs: Path | None = None) -> Path:
    """Write a dossier into one file and return where that is; see :func:`pack`."""
    return pack(Path(dossier), None if out is None else Path(out), inputs=inputs).path


def pack(dossier: Path, out: Path | None = None, *, inputs: Path | None = None) -> Archived:
    """Write a dossier into one file, a zip of one folder ``<model>-<version>-r<n>``.

    It holds the record and what approvals added, every file under its recorded digest. Equal
    dossiers give equal bytes: the files are sorted and stored, dated with the dossier's own date,
    and have fixed permissions.

    Parameters
    ----------
    dossier : Path
        The dossier's folder, or the results.json in it.
    out : Path, optional
        The file to write; without it ``<model>-<version>-r<n>.zip`` beside the dossier's folder.
    inputs : Path, optional
        A folder in which the inputs stand by the paths that the manifest gave them. They go into
        the archive too, below ``inputs/``, listed in ``SHA256SUMS.inputs``: **patient data**,
        wherever the inputs are. The pictures of a set of images are not copied, since a dossier
        holds one digest for all of them.

    Returns
    -------
    Archived
        Where it is. One that is there with the same bytes is left; no other file is overwritten.

    Raises
    ------
    RequestError
        If the dossier is damaged, an input is missing or another, a file of other content stands
        in the way, or the archive cannot be written.
    """
    folder = (dossier.parent if dossier.name == RESULTS else dossier).absolute()
    members = members_of(folder)
    data = _results(folder)
    copies, notes = ([], ()) if inputs is None else copies_of(data["inputs"], inputs)
    top, day = _top(data), date.fromisoformat(data["dossier"]["date"])
    place = out or folder.parent / f"{top}{ENDING}"

    def write(path: Path) -> None:
        write_zip(path, top, [*members, *copies], day)

    with _faults_of(place):
        written = place_once(place, write)
    return Archived(
        place, not written, sum(one.name.startswith("inputs/") for one in copies), notes
    )


def _top(data: Mapping[str, Any]) -> str:
    dossier = data["dossier"]
    model = dossier["model"]
    return archive_name(model["name"], model["version"], dossier["revision"])


def _results(folder: Path) -> Mapping[str, Any]:
    """Return what the dossier says of itself."""
    try:
        data: Mapping[str, Any] = json.loads((folder / RESULTS).read_bytes())
        date.fromisoformat(data["dossier"]["date"])
        _top(data)
        if all(isinstance(one, dict) for one in data["inputs"]):
            return data
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    what = "is no results.json that this version can read"
    raise RequestError([Fault(str(folder / RESULTS), what, "see: reportgen verify")])


def write_zip(path: Path, top: str, members: Sequence[Member], day: date) -> None:
    """Write files below the folder `top` into a new zip, sorted, stored, dated `day`.

    Raises
    ------
    RequestError
        If a file is not under its digest any more.
    """
    with path.open("xb") as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as made:
            for member in sorted(members, key=lambda one: one.name):
                _add(made, f"{top}/{member.name}", member, day)
        file.flush()
        os.fsync(file.fileno())


def _add(made: zipfile.ZipFile, name: str, member: Member, day: date) -> None:
    year = min(max(day.year, YEARS[0]), YEARS[1])
    info = zipfile.ZipInfo(name, (year, day.month, day.day, 0, 0, 0))
    info.create_system = ON_UNIX
    info.external_attr = PERMISSIONS
    with member.read() as source:
        info.file_size = member.size
        with made.open(info, "w") as target:
            shutil.copyfileobj(source, target, CHUNK)


@contextmanager
def _faults_of(place: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError:
        what = "is there with other content, and no archive is overwritten"
        raise RequestError([Fault(str(place), what, "name another file with -o")]) from None
    except OSError as error:
        what = f"the archive cannot be written here: {error.strerror or error}"
        raise RequestError([Fault(str(place), what, "choose another file with -o")]) from error
