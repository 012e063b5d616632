"""A hidden folder in which files are put together, gone with the run that made it.

Each such folder holds a file that its run keeps locked. The system frees the lock when the run
ends, however it ends: a folder whose lock can be taken is what a killed run left, and the next run
removes it at once. A neighbour that still runs holds its lock and is left alone.
"""

from __future__ import annotations

import errno
import filecmp
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

STAGING = ".staging-"
LOCK = "lock"
TURN = ".publishing.lock"
PATIENCE = 600
"""Seconds to wait for a neighbour's turn to end."""
TRIES = 100
"""How often a new folder is made when neighbours take it for a dead run's before it is locked."""


@contextmanager
def made(folder: Path) -> Iterator[None]:
    """Make a folder for what is done here; the ones made for it are gone again if that fails."""
    lacking = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for one in lacking:
            with suppress(OSError):  # not empty: another run is at work in it
                one.rmdir()
        raise


@contextmanager
def staged(parent: Path) -> Iterator[Path]:
    """Yield a new folder hidden in `parent`, gone afterwards unless it was renamed."""
    # mkdtemp makes a folder that only its owner can enter; the one inside gets the usual rights.
    shell, lock = _locked_folder(parent)
    try:
        inner = shell / "dossier"
        inner.mkdir()
        yield inner
    finally:
        lock.release()  # some systems remove no file that is open
        shutil.rmtree(shell, ignore_errors=True)


def clear_stale(parent: Path) -> None:
    """Remove the hidden folders that killed runs left in `parent`, and no others."""
    for entry in sorted(parent.glob(STAGING + "*")):
        with suppress(OSError, Timeout):
            if entry.is_symlink() or not entry.is_dir():
                continue
            aside = entry.with_name(f"{entry.name}-left")
            with _lock_of(entry):
                # Its run may have made it a moment ago and not have locked it yet: once it has
                # another name that run cannot lock it, and makes its folder anew.
                entry.rename(aside)
            shutil.rmtree(aside, ignore_errors=True)


@contextmanager
def in_turn(parent: Path) -> Iterator[None]:
    """Wait until no other run publishes in `parent`, if that is there; then be the one that does.

    It saves work and nothing else: of several runs that make pages at once for the same number only
    one can use them. Nothing is lost where no lock can be had, or after `PATIENCE`.
    """
    with ExitStack() as held:
        with suppress(OSError, Timeout):
            if parent.is_dir():
                held.enter_context(FileLock(parent / TURN, timeout=PATIENCE, thread_local=False))
                held.callback(_remove, parent / TURN)
        yield


def _remove(path: Path) -> None:
    with suppress(OSError):  # some systems remove no file that is open: it stays, hidden
        path.unlink()


def _locked_folder(parent: Path) -> tuple[Path, BaseFileLock]:
    for _ in range(TRIES):
        shell = Path(tempfile.mkdtemp(prefix=STAGING, dir=parent))
        lock = _lock_of(shell)
        with suppress(Timeout, FileNotFoundError):
            lock.acquire()
            if (shell / LOCK).exists():
                return shell, lock
            lock.release()
    raise OSError(errno.EBUSY, "other runs keep removing its hidden folder")


def _lock_of(shell: Path) -> BaseFileLock:
    return FileLock(shell / LOCK, timeout=0, thread_local=False)


def write_through(path: Path, content: bytes) -> None:
    """Write a new file that lasts once this returns; its folder is made where it lacks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def place_once(place: Path, write: Callable[[Path], None]) -> bool:
    """Make a file and put it at `place` all at once; return False if it stands there already.

    Parameters
    ----------
    place : Path
        Where it goes; its folder is made where it lacks.
    write : callable
        Takes the path of a file that is not there yet, and writes it.

    Raises
    ------
    FileExistsError
        If something of other content is there.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    clear_stale(place.parent)
    with staged(place.parent) as folder:
        made = folder / "file"
        write(made)
        if _put(made, place):
            sync(place.parent)
            return True
        if place.is_file() and filecmp.cmp(made, place, shallow=False):
            return False
        raise FileExistsError(errno.EEXIST, "a file of other content is there", str(place))


def _put(made: Path, place: Path) -> bool:
    """Give a file its place unless that is taken."""
    try:
        os.link(made, place)  # fails where the place is taken, which a rename does not
    except OSError:
        if place.exists() or place.is_symlink():
            return False
        made.rename(place)  # on a system of files that knows no second names
    return True


def sync(folder: Path) -> None:
    """Make a folder's entries last; some systems cannot, and then it is left to them."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
