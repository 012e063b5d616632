"""The archive around a dossier: nothing in it, before it or behind it but the dossier's files."""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Iterator
from pathlib import Path

from reportgen.archiving import pack
from reportgen.errors import ReportgenError
from reportgen.verifying.check import Check, bad, good

ARCHIVE = "archive"


def check_container(path: Path, folder: Path, inputs: Path) -> Iterator[Check]:
    """Yield whether an archive is the one that is made of the dossier in it, byte for byte.

    That settles every byte that belongs to no file: headers, dates, permissions, comments, entries
    that no reader shows, bytes before and behind.

    Parameters
    ----------
    path : Path
        The archive.
    folder : Path
        The dossier's folder, taken out of it.
    inputs : Path
        The folder with the copies of inputs, taken out of it; it is there if there are any.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="reportgen-") as place:
            made = pack(folder, Path(place) / "a.zip", inputs=inputs if inputs.is_dir() else None)
            same = filecmp.cmp(made.path, path, shallow=False)
    except ReportgenError as error:
        yield bad(
            ARCHIVE, path.name, f"of what it holds reportgen makes no archive: {_told(error)}"
        )
        return
    if same:
        yield good(ARCHIVE, "is as archived anew from the dossier in it, byte for byte", path.name)
    else:
        what = "the zip around the files is not what reportgen writes: changed, or another's"
        yield bad(ARCHIVE, path.name, what)


def unopened(path: Path, error: ReportgenError) -> Check:
    """Return the check of an archive that cannot be opened.

    Raises
    ------
    ReportgenError
        `error` itself, where the file never was an archive of a dossier, by name and content.
    """
    with path.open("rb") as file:
        begins = file.read(2)
    if path.suffix.lower() != ".zip" and begins != b"PK":
        raise error
    return bad(ARCHIVE, path.name, error.faults[0].what)


def _told(error: ReportgenError) -> str:
    return f"{Path(error.faults[0].where).name} {error.faults[0].what}"
