"""The files that a gate writes on request: checked before a run, written all at once after it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from reportgen.errors import Fault, RequestError
from reportgen.release.record import SUMS


def require_writable_files(named: Mapping[str, Path | None]) -> None:
    """Refuse files that plainly cannot be written, before anything is computed.

    Parameters
    ----------
    named : mapping of str to Path or None
        Option to file: ``--junit``; None where it was not given.

    Raises
    ------
    RequestError
        With every option whose file is a folder, lies in a folder that may not be written or in a
        dossier, or is another option's file.
    """
    given = {option: path for option, path in named.items() if path is not None}
    faults = [
        Fault(f"{option} {path}", what, "name another file")
        for option, path in given.items()
        if (what := _obstacle(path))
    ]
    places: dict[Path, str] = {}
    for option, path in given.items():
        first = places.setdefault(path.absolute(), option)
        if first != option:
            what = f"{first} names the same file"
            faults.append(Fault(f"{option} {path}", what, "name two files"))
    if faults:
        raise RequestError(faults)


def _obstacle(path: Path) -> str:
    """Return why a file cannot be written, "" if nothing is known to be in its way."""
    if path.is_dir():
        return "this is a folder"
    folders = path.absolute().parents
    if any((folder / SUMS).is_file() for folder in folders):
        return "it lies in a dossier's folder, which holds the record alone"
    nearest = next(folder for folder in folders if folder.exists())
    if not nearest.is_dir():
        return f"{nearest} is a file"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return f"{nearest} may not be written"
    return ""


def write_file(path: Path, content: bytes) -> None:
    """Write a file all at once; one that stands there is replaced, its folder is made if missing.

    A device or a pipe (``/dev/stdout``) is written into, and never replaced.

    Raises
    ------
    RequestError
        If it cannot be written.
    """
    obstacle = _obstacle(path)
    if obstacle:
        raise RequestError([Fault(str(path), obstacle, "name another file")])
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".reportgen-", dir=path.parent)
    except OSError as error:
        raise _refused(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # A temporary file is its owner's alone; a report is for the pipeline to read.
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(path)
    except OSError as error:
        with suppress(OSError):
            Path(name).unlink()
        raise _refused(path, error) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refused(path: Path, error: OSError) -> RequestError:
    what = f"cannot be written ({error.strerror or error})"
    return RequestError([Fault(str(path), what, "name another file")])
