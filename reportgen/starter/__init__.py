"""The starter manifest of ``reportgen init``: commented, with proposed roles where data is given.

A proposal says why it was made; a person confirms it.
"""

from __future__ import annotations

import filecmp
import shutil
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import Fault, RequestError
from reportgen.starter.proposal import propose
from reportgen.starter.text import starter_text

__all__ = ["Started", "write_starter"]

FILE = "manifest.yaml"


@dataclass(frozen=True)
class Started:
    """What was written.

    Attributes
    ----------
    manifest : pathlib.Path
        The starter manifest.
    copied : pathlib.Path or None
        The data file, if it was copied beside the manifest.
    """

    manifest: Path
    copied: Path | None = None


def write_starter(folder: Path, *, data: Path | None = None) -> Started:
    """Write a commented ``manifest.yaml`` into `folder`.

    Parameters
    ----------
    folder : pathlib.Path
        Created if it is not there.
    data : pathlib.Path, optional
        A data file from which roles are proposed, each to be confirmed by a person. If it lies
        outside `folder` it is copied into it, where the manifest expects it.

    Raises
    ------
    RequestError
        If there is a manifest already, or another file of the data's name, or `data` cannot be
        read; nothing is written then.
    """
    path = folder / FILE
    text = starter_text(None if data is None else propose(data, folder))
    if path.exists() or (folder.exists() and not folder.is_dir()):
        raise _there_already(path if folder.is_dir() else folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copied = None if data is None else _copy(data, folder)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        raise RequestError([Fault(str(path), what, "check the folder's permissions")]) from None
    return Started(path, copied)


def _there_already(met: Path) -> RequestError:
    return RequestError(
        [Fault(str(met), "is there already", "name another folder, or move this file away")]
    )


def _copy(data: Path, folder: Path) -> Path | None:
    """Copy `data` into `folder`, unless it lies there, and return the copy."""
    if data.resolve().is_relative_to(folder.resolve()):
        return None
    copy = folder / data.name
    if copy.exists():
        if copy.is_file() and filecmp.cmp(data, copy, shallow=False):
            return None
        mend = "move it away, or give a data file that lies in this folder"
        raise RequestError([Fault(str(copy), f"is there already and differs from {data}", mend)])
    with data.open("rb") as source, copy.open("xb") as target:
        shutil.copyfileobj(source, target)
    return copy
