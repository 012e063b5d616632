"""The dossiers below an output folder, each as a row; what cannot be read hides no other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.release.fingerprint import sha256_of
from reportgen.release.folder import read_checksums
from reportgen.release.naming import revision_of
from reportgen.release.record import HTML, LEDGER, PDF, RESULTS, SIGNED_HTML, SIGNED_PDF, SUMS

PAGES = (HTML, PDF, SIGNED_HTML, SIGNED_PDF)


@dataclass(frozen=True)
class Listed:
    """A dossier that was read.

    Attributes
    ----------
    folder : str
        From the output folder, with forward slashes.
    model, version, title, date : str
        As results.json says.
    revision : int
        The number of its folder.
    decision : str
        "release", "conditional" or "hold".
    pages : tuple of str
        Names of the pages that stand in it.
    approvals : int or None
        How many approvals its ledger holds; None if there is one that cannot be read.
    sealed : bool
        Whether its ledger says that it is sealed. Neither is verified.
    """

    folder: str
    model: str
    version: str
    title: str
    date: str
    revision: int
    decision: str
    pages: tuple[str, ...]
    approvals: int | None
    sealed: bool


@dataclass(frozen=True)
class Unread:
    """A dossier that cannot be read: its folder and why."""

    folder: str
    why: str


def scan(out: Path) -> tuple[list[Listed], list[Unread]]:
    """Return the dossiers below an output folder, the newest first, and those that cannot be read.

    A dossier is a folder ``<model>/<version>/r<N>`` with a results.json or a SHA256SUMS; all else
    is left aside. Newest is by date, then by revision.
    """
    listed: list[Listed] = []
    unread: list[Unread] = []
    for folder, revision in _folders(out):
        name = folder.relative_to(out).as_posix()
        try:
            listed.append(_read(folder, name, revision))
        except _UnreadableError as error:
            unread.append(Unread(name, str(error)))
    listed.sort(key=lambda one: (one.model, one.version))
    listed.sort(key=lambda one: (one.date, one.revision), reverse=True)
    return listed, unread


class _UnreadableError(Exception):
    """Why a dossier cannot be read."""


def _folders(out: Path) -> Iterator[tuple[Path, int]]:
    for folder in sorted(out.glob("*/*/r*")):
        revision = revision_of(folder.name)
        hidden = any(part.startswith(".") for part in folder.relative_to(out).parts)
        if revision and not hidden and any((folder / one).is_file() for one in (RESULTS, SUMS)):
            yield folder, revision


def _read(folder: Path, name: str, revision: int) -> Listed:
    dossier, decision = _results(folder)
    approvals, sealed = _ledger(folder / LEDGER)
    try:
        return Listed(
            folder=name,
            model=str(dossier["model"]["name"]),
            version=str(dossier["model"]["version"]),
            title=str(dossier["title"]),
            date=str(dossier["date"]),
            revision=revision,
            decision=str(decision["outcome"]),
            pages=tuple(page for page in PAGES if (folder / page).is_file()),
            approvals=approvals,
            sealed=sealed,
        )
    except (KeyError, TypeError):
        raise _UnreadableError(f"{RESULTS} lacks what a dossier says of itself") from None


def _results(folder: Path) -> tuple[Any, Any]:
    """Return what results.json says of the dossier and of the decision."""
    try:
        content = (folder / RESULTS).read_bytes()
    except OSError as error:
        raise _UnreadableError(f"{RESULTS} cannot be read ({error.strerror})") from None
    listed = read_checksums(folder)
    if listed is None:
        raise _UnreadableError(f"{SUMS} cannot be read")
    if listed.get(RESULTS) != sha256_of(content):
        raise _UnreadableError(f"{RESULTS} is not the file that {SUMS} lists")
    try:
        data = json.loads(content)
        return data["dossier"], data["decision"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _UnreadableError(f"{RESULTS} is no results of this version") from None


def _ledger(path: Path) -> tuple[int | None, bool]:
    """Return how many approvals a ledger holds and whether it is sealed; 0 if there is none."""
    if not path.is_file():
        return 0, False
    try:
        data = json.loads(path.read_bytes())
        return len(list(data["approvals"])), data.get("sealed") is not None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None, False
