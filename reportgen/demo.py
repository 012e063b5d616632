"""The example that ``reportgen demo`` writes: 442 real patients, two models, a manifest."""

from __future__ import annotations

from pathlib import Path

from reportgen.assets import asset
from reportgen.errors import Fault, RequestError

_LEFT_AT_HOME = {".py", ".pyc"}


def write_example(folder: Path) -> Path:
    """Write the example into `folder` and return the path of its manifest.

    Files that are there already with the same content are left alone.

    Raises
    ------
    RequestError
        If a file of the same name with other content is there (it is never overwritten), or the
        folder cannot be written.
    """
    files = {
        source.name: source.read_bytes()
        for source in sorted((asset("examples") / "diabetes").iterdir())
        if source.is_file() and source.suffix not in _LEFT_AT_HOME
    }
    try:
        _refuse_to_overwrite(folder, files)
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
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
