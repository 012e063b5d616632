"""The starter manifest of ``reportgen init``: commented, with proposed roles where data is given.

A proposal says why it was made; a person confirms it.
"""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import Fault, RequestError
from reportgen.starter.proposal import propose
from reportgen.starter.text import starter_text

__all__ = ["write_starter"]

FILE = "manifest.yaml"


def write_starter(folder: Path, *, data: Path | None = None) -> Path:
    """Write a commented ``manifest.yaml`` into `folder` and return its path.

    Parameters
    ----------
    folder : pathlib.Path
        Created if it is not there.
    data : pathlib.Path, optional
        A data file from which roles are proposed, each to be confirmed by a person. It is not
        copied: the manifest expects it inside `folder`.

    Raises
    ------
    RequestError
        If there is a manifest already, or `data` cannot be read.
    """
    path = folder / FILE
    text = starter_text(None if data is None else propose(data, folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        met = path if folder.is_dir() else folder
        mend = "name another folder, or move this file away"
        raise RequestError([Fault(str(met), "is there already", mend)]) from None
    except OSError as error:
        what = f"cannot be written ({error.strerror})"
        raise RequestError([Fault(str(path), what, "check the folder's permissions")]) from None
    return path
