"""The archive around a dossier: nothing in it, before it or behind it but the dossier's files."""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Iterator
from pathlib import Path

from reportgen.errors import ReportgenError
from reportgen.verifying.check import Check, bad, good, unchecked

ARCHIVE = "archive"


def check_container(path: Path, folder: Path, *, sound: bool) -> Iterator[Check]:
    """Yield whether an archive is the one that is made of the dossier in it, byte for byte.

    That settles every byte that belongs to no file: headers, dates, permissions, comments, entries
    that no reader shows, bytes before and behind.

    Parameters
    ----------
    path : Path
        The archive.
    folder : Path
        The dossier's folder, taken out of it.
    sound : bool
        Whether its files are as recorded; of others no archive is made.
    """
    from reportgen.archiving import pack

    if not sound:
        yield unchecked(ARCHIVE, "files in it are not as recorded", path.name)
        return
    inputs = folder / "inputs"
    try:
        with tempfile.TemporaryDirectory(prefix="reportgen-") as place:
            made = pack(folder, Path(place) / "a.zip", inputs=inputs if inputs.is_dir() else None)
            same = filecmp.cmp(made.path, path, shallow=False)
    except ReportgenError as error:
        yield unchecked(ARCHIVE, error.faults[0].what, path.name)
        return
    if same:
        yield good(ARCHIVE, "is as archived anew from the dossier in it, byte for byte", path.name)
    else:
        yield bad(ARCHIVE, path.name, "is not what reportgen archives of the dossier in it")
