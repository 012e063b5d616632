"""The dossier's folder: named, staged beside its place, renamed into it, never overwritten."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reportgen.errors import Fault, RequestError
from reportgen.release.fingerprint import sha256_of, sha256_of_file
from reportgen.release.naming import home_of, latest_revision
from reportgen.release.record import INPUTS_SUMS, PDF, SUMS, is_of_approvals, is_of_inputs
from reportgen.release.staging import clear_stale, in_turn, made, staged, sync, write_through

Files = Mapping[str, bytes]
"""What goes into a folder: relative name with forward slashes to content."""

_SAFE = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")


@dataclass(frozen=True)
class Published:
    """Where a dossier stands.

    Attributes
    ----------
    folder : Path
        Its folder.
    unchanged : bool
        Whether it was there already, byte for byte, and nothing was written.
    """

    folder: Path
    unchanged: bool


class Described(NamedTuple):
    """A file as others name it: its SHA-256 and its size in bytes."""

    sha256: str
    size: int


def described(files: Files) -> dict[str, Described]:
    """Return digest and size of each file, by its name."""
    return {name: Described(sha256_of(content), len(content)) for name, content in files.items()}


def _about_nothing(_: int, __: Mapping[str, Described]) -> Files:
    return {}


@dataclass(frozen=True)
class Draft:
    """What a folder is to hold; the PDF apart, since making it takes longest.

    Attributes
    ----------
    files : callable
        Takes the folder's revision and returns every file but the PDF and those about the others.
    pdf : callable or None
        Takes the revision and returns the PDF as a file or files; None if none is wanted.
    pdf_names : callable
        Takes the revision and returns the names of those files.
    about : callable
        Takes the revision and what describes the files above, the PDF among them, and returns the
        files that name the others by their digests.
    """

    files: Callable[[int], Files]
    pdf: Callable[[int], Files] | None = None
    pdf_names: Callable[[int], Collection[str]] = lambda _: (PDF,)
    about: Callable[[int, Mapping[str, Described]], Files] = _about_nothing

    def whole(self, revision: int) -> dict[str, bytes]:
        """Return every file of the folder, with its checksums."""
        files = dict(self.files(revision))
        if self.pdf is not None:
            files |= self.pdf(revision)
        files |= self.about(revision, described(files))
        return {**files, SUMS: checksums(files)}


def publish(out: Path, model: str, version: str, draft: Draft) -> Published:
    """Put a dossier into ``out/<model>/<version>/r<N>`` and return where it is.

    The same content as the latest revision gives that revision back. Everything is made before the
    first file is written; the files are staged in a hidden folder beside their place, and renamed
    into it. If another run took the number meanwhile, the next one is tried: nothing is ever
    overwritten. What a killed run left hidden here is removed first. Of several runs at once one
    makes its pages at a time.

    Raises
    ------
    RequestError
        If the folder cannot be written: read-only, full, or not a folder.
    """
    while True:
        home, _ = _standing(out, model, version)
        with in_turn(home):
            now, latest = _standing(out, model, version)
            if now != home:
                continue  # meanwhile it became the home of a model whose name looks like ours
            if latest and holds(home / f"r{latest}", draft, latest):
                return Published(home / f"r{latest}", unchanged=True)
            if write(place := home / f"r{latest + 1}", draft.whole(latest + 1)):
                return Published(place, unchanged=False)


def _standing(out: Path, model: str, version: str) -> tuple[Path, int]:
    """Return the folder of a model's revisions and the latest one, what was left there removed."""
    with _one_line_for(out):
        home = home_of(out, model, version)
        clear_stale(home)
        return home, latest_revision(home)


def holds(folder: Path, draft: Draft, revision: int) -> bool:
    """Return whether the record in `folder` is undamaged and is what `draft` would write there.

    What approvals added beside the record is left aside.
    The PDF is not made for this: it follows from the pages and the software, and the software's
    versions stand in results.json. The files about the others are made, with the digest of the PDF
    that stands there.
    """
    listed = read_checksums(folder)
    if listed is None or damaged(folder, listed):
        return False
    expected = described(draft.files(revision))
    for name in draft.pdf_names(revision) if draft.pdf else ():
        if name not in listed:
            return False
        expected[name] = Described(listed[name], (folder / name).stat().st_size)
    expected |= described(draft.about(revision, expected))
    return {name: one.sha256 for name, one in expected.items()} == listed


def checksums(files: Files) -> bytes:
    """Return SHA256SUMS as coreutils writes and checks it, sorted by name."""
    lines = (f"{sha256_of(content)}  {name}\n" for name, content in sorted(files.items()))
    return "".join(lines).encode("ascii")


def read_checksums(folder: Path, name: str = SUMS) -> dict[str, str] | None:
    """Return name to digest as a list of digests in a folder says; None if that cannot be read."""
    try:
        lines = (folder / name).read_text("ascii").splitlines()
        return {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    except (OSError, ValueError):
        return None


def damaged(folder: Path, listed: Mapping[str, str]) -> list[str]:
    """Return the names of the files in `folder` that are not what `listed` says, or that it lacks.

    Missing, changed and surplus files are named, sorted. What approvals added is no part of the
    record, and left aside; so are the copies of inputs that an unpacked archive holds beside their
    list.
    """
    with_inputs = (folder / INPUTS_SUMS).is_file()
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    names -= {name for name in names if name == SUMS or is_of_approvals(name)}
    names -= {name for name in names if with_inputs and is_of_inputs(name)}
    changed = {name for name in names & set(listed) if not _has(folder / name, listed[name])}
    return sorted(changed | names ^ set(listed))


def _has(path: Path, digest: str) -> bool:
    """Return whether a file can be read and has this SHA-256."""
    try:
        return sha256_of_file(path) == digest
    except OSError:
        return False


def write(place: Path, files: Files) -> bool:
    """Write `files` as the new folder `place`, all at once; return False if it exists already.

    Raises
    ------
    RequestError
        If it cannot be written.
    """
    for name in files:
        if not _SAFE.fullmatch(name) or ".." in name.split("/"):
            raise ValueError(f"not a safe file name: {name!r}")
    with _one_line_for(place.parent), made(place.parent):
        clear_stale(place.parent)
        with staged(place.parent) as folder:
            for name, content in files.items():
                write_through(folder / name, content)
            for directory in (path for path in folder.rglob("*") if path.is_dir()):
                sync(directory)
            sync(folder)
            done = _rename(folder, place)
        sync(place.parent)
    return done


def _rename(folder: Path, place: Path) -> bool:
    try:
        folder.rename(place)
    except OSError:
        # Which error tells that the place is taken differs between systems: look instead.
        if place.exists() or place.is_symlink():
            return False
        raise
    return True


@contextmanager
def _one_line_for(out: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _cannot_write(out, error.strerror or str(error), error.errno) from error


def _cannot_write(out: Path, why: str, number: int | None = None) -> RequestError:
    """Return the fault of a folder; `number` is the system's own of what went wrong, if it did."""
    first = ""
    if number in (errno.ENOSPC, errno.EDQUOT):
        first = "free some space or "
    elif number in (errno.EACCES, errno.EPERM, errno.EROFS):
        first = "ask for the right to write there or "
    what = f"the dossier cannot be written here: {why}"
    return RequestError([Fault(str(out), what, f"{first}choose another folder with -o")])


def require_writable(out: Path) -> None:
    """Refuse a folder that plainly cannot be written, before anything is computed.

    Raises
    ------
    RequestError
        If `out` or the nearest folder above it is no folder, or may not be written.
    """
    try:
        nearest = out.absolute()
    except FileNotFoundError:
        what = "the folder that reportgen was started in is gone"
        mend = "change into a folder that is there, or give a whole path with -o"
        raise RequestError([Fault(str(out), what, mend)]) from None
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        raise _cannot_write(out, f"{nearest} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise _cannot_write(out, f"{nearest} may not be written", errno.EACCES)
