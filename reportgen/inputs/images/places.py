"""Where images are: below their root, and that inside the manifest's folder, unless allowed."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from reportgen.errors import Fault, Key
from reportgen.inputs.beside import Finder
from reportgen.inputs.files import Trouble
from reportgen.inputs.images.settings import ImagesSettings

ALLOW = "or allow it with --allow-outside"


def find_folder(given: str, *, folder: Path, allow_outside: bool) -> Path | Trouble:
    """Return the folder that `given` names, symbolic links resolved, or what is wrong with it.

    Parameters
    ----------
    given : str
        Path as the manifest gives it, relative to `folder`.
    folder : pathlib.Path
        The folder it must not leave.
    allow_outside : bool
        Whether it may.
    """
    found = _below(given, folder, allow_outside)
    if isinstance(found, Trouble):
        return found
    if found.is_dir():
        return found
    if found.exists():
        return Trouble(f"{given!r} is no folder", "name the folder of the images")
    return Trouble(f"there is no folder {given!r}", "put it there, or correct the path")


def find_image(given: str, *, root: Path, allow_outside: bool) -> Path | Trouble | None:
    """Return the image file that `given` names below `root`, None if there is none.

    What is there and no regular file (a pipe, a folder) is returned too: it must not be opened.

    A path that leads out of the root, by itself or through a symbolic link, is trouble.
    """
    found = _below(given, root, allow_outside)
    return found if isinstance(found, Trouble) or found.exists() else None


def _below(given: str, folder: Path, allow_outside: bool) -> Path | Trouble:
    if not given or "\0" in given:
        return Trouble("the path is empty", "name it")
    absolute = PurePosixPath(given).is_absolute() or PureWindowsPath(given).drive != ""
    if absolute and not allow_outside:
        return Trouble(f"{given!r} is an absolute path", f"give it from its folder, {ALLOW}")
    try:
        root = folder.resolve()
        found = (root / given).resolve()
    except (OSError, RuntimeError) as error:
        return Trouble(f"{given!r} cannot be reached ({error})", "check the path and permissions")
    if not allow_outside and not found.is_relative_to(root):
        return Trouble(f"{given!r} leads out of its folder", f"put it into that folder, {ALLOW}")
    return found


def pin_faults(settings: ImagesSettings, sha256: str, key: Key, finder: Finder) -> list[Fault]:
    """Return a fault if the table, or the list of files, is not the one that was pinned."""
    if settings.sha256 in (None, sha256):
        return []
    at = (*key, "sha256")
    what = f"{settings.path or 'the list of image files'} has the SHA-256 {sha256}"
    mend = "it is not the pinned one: restore the files, or pin them anew"
    return [Fault(finder.where(at), what, mend, at)]
