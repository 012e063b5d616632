"""The example that ``reportgen demo`` writes: real patients and digits, models, a manifest."""

from __future__ import annotations

from pathlib import Path

from reportgen.assets import asset
from reportgen.errors import Fault, RequestError

_LEFT_AT_HOME = {".py", ".pyc"}
_MADE_HERE = "dossiers"
"""The folder that a build inside a checkout's example leaves there."""


def write_example(folder: Path) -> Path:
    """Write the example with its sub-folders into `folder` and return the path of its manifest.

    Files that are there already with the same content are left alone.

    Raises
    ------
    RequestError
        If a file of the same name with other content is there (it is never overwritten), or the
        folder cannot be written.
    """
    home = asset("examples") / "diabetes"
    files = {
        source.relative_to(home).as_posix(): source.read_bytes()
        for source in sorted(home.rglob("*"))
        if source.is_file()
        and source.suffix not in _LEFT_AT_HOME
        and source.relative_to(home).parts[0] != _MADE_HERE
    }
    try:
        _refuse_to_overwrite(folder, files)
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    except OSError as error:
        mend = "name a folder that can be written with -o"
        raise RequestError([Fault(str(folder), str(error.strerror), mend)]) from error
    return folder / "manifest.yaml"


def _refuse_to_overwrite(folder: Path, files: dict[str, bytes]) -> None:
    faults = [
        Fault(str(folder / name), "exists with other content", "name another folder with -o")
        for name, content in files.items()
        if (folder / name).exists() and (folder / name).read_bytes() != content
    ]
    if faults:
        raise RequestError(faults)
