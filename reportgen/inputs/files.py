"""Where the files of a run are: inside the manifest's folder, unless that was allowed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath

from reportgen.errors import nearest


@dataclass(frozen=True)
class Trouble:
    """What is wrong with a file and how to mend it; the caller knows where it was named."""

    what: str
    mend: str


def find_file(given: str, *, folder: Path, allow_outside: bool = False) -> Path | Trouble:
    """Return the file that `given` names, symbolic links resolved, or what is wrong with it.

    Parameters
    ----------
    given : str
        Path as the manifest gives it, relative to `folder`.
    folder : pathlib.Path
        The manifest's folder.
    allow_outside : bool
        Whether the file may lie outside of `folder`.
    """
    if not given or "\0" in given:
        return Trouble("the path is empty", "name a file")
    absolute = PurePosixPath(given).is_absolute() or PureWindowsPath(given).drive != ""
    if absolute and not allow_outside:
        return Trouble(
            f"{given!r} is an absolute path",
            "put the file into the manifest's folder and give its path from there, "
            "or allow it with --allow-outside",
        )
    try:
        root = folder.resolve()
        file = (root / given).resolve()
        if not allow_outside and not file.is_relative_to(root):
            return Trouble(
                f"{given!r} leads out of the manifest's folder",
                "put the file into that folder, or allow it with --allow-outside",
            )
        if file.is_file():
            return file
        return _absent(given, file)
    except (OSError, RuntimeError) as error:
        return Trouble(f"{given!r} cannot be reached ({error})", "check the path and permissions")


def _absent(given: str, file: Path) -> Trouble:
    if file.is_dir():
        return Trouble(f"{given!r} is a folder", "name the file in it")
    if file.exists():
        return Trouble(f"{given!r} is no regular file", "copy the data into a file")
    if "\\" in given:
        return Trouble(f"there is no file {given!r}", "write the path with forward slashes")
    if not file.parent.is_dir():
        return Trouble(f"there is no file {given!r}", f"there is no folder {Path(given).parent}")
    beside = sorted(entry.name for entry in file.parent.iterdir() if entry.is_file())
    guess = nearest(file.name, beside)
    hint = f"did you mean {guess!r}?" if guess else "put it there, or correct the path"
    return Trouble(f"there is no file {given!r}", hint)
