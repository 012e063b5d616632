"""What really stands in a folder: every entry, looked at without trusting any of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reportgen.release.fingerprint import sha256_of_file

MOST_BYTES = 512 << 20
"""Larger files are only summed, never read whole: 512 MiB, far above what a dossier holds."""


@dataclass(frozen=True)
class Contents:
    """The entries of a folder.

    Attributes
    ----------
    folder : Path
        The folder.
    digests : mapping of text to text
        SHA-256 of every regular file that can be read, by its name with forward slashes.
    sizes : mapping of text to int
        Their sizes in bytes.
    trouble : mapping of text to text
        What is wrong with every other entry: a link, an empty folder, a device, an unreadable file.
    """

    folder: Path
    digests: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    trouble: Mapping[str, str] = field(default_factory=dict)

    def read(self, name: str) -> bytes | None:
        """Return what a regular file holds; None if there is none, or one too large to read."""
        path = self.folder / name
        try:
            if self.sizes.get(name, MOST_BYTES + 1) <= MOST_BYTES:
                return path.read_bytes()
        except OSError:
            pass
        return None


def contents_of(folder: Path) -> Contents:
    """Look at every entry of a folder; links are never followed, devices never opened."""
    digests: dict[str, str] = {}
    sizes: dict[str, int] = {}
    trouble: dict[str, str] = {}
    for path, problem in _entries(folder):
        name = path.relative_to(folder).as_posix()
        problem = problem or _problem(path)
        try:
            if problem is None:
                digests[name] = sha256_of_file(path)
                sizes[name] = path.stat().st_size
        except OSError as error:
            problem = f"cannot be read ({error.strerror})"
        if problem is not None:
            trouble[name] = problem
    return Contents(folder, dict(sorted(digests.items())), sizes, dict(sorted(trouble.items())))


def _entries(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """Yield every entry that is no folder with entries, and what is known to be wrong with it."""
    closed: list[OSError] = []
    for place, folders, files in os.walk(folder, onerror=closed.append):
        here = Path(place)
        folders.sort()
        for name in sorted(files):
            yield here / name, None
        yield from ((here / name, None) for name in folders if (here / name).is_symlink())
        if not files and not folders and here != folder:
            yield here, "is an empty folder"
    for error in closed:
        yield Path(error.filename), f"cannot be entered ({error.strerror})"


def _problem(path: Path) -> str | None:
    """Return what keeps an entry from being a plain file."""
    try:
        mode = path.lstat().st_mode
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if stat.S_ISREG(mode):
        return None
    return "is a link, not a file" if stat.S_ISLNK(mode) else "is no regular file"
