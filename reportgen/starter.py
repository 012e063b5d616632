"""The starter manifest of ``reportgen init``."""

from __future__ import annotations

from pathlib import Path


def write_starter(folder: Path, *, data: Path | None = None) -> Path:
    """Write a commented ``manifest.yaml`` into `folder` and return its path.

    Parameters
    ----------
    folder : pathlib.Path
        Created if it is not there.
    data : pathlib.Path, optional
        A data file from which roles are proposed, each to be confirmed by a person.

    Raises
    ------
    RequestError
        If there is a manifest already, or `data` cannot be read.
    """
    raise NotImplementedError
