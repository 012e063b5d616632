"""The files that stand in a dossier's folder, each under its recorded digest, or it is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from reportgen.archiving.member import Member
from reportgen.errors import Fault, RequestError
from reportgen.release.fingerprint import sha256_of_file
from reportgen.release.folder import damaged, read_checksums
from reportgen.release.record import SIGNED_SUMS, SUMS, is_of_approvals

NO_DOSSIER = "name the folder of a dossier, such as dossiers/model/1.0/r1"
MEND = "restore it from another copy, or build the dossier again; see: reportgen verify"


def members_of(folder: Path) -> list[Member]:
    """Return the record and what approvals added, undamaged.

    Raises
    ------
    RequestError
        If there is no dossier, or with every file that is missing, changed or surplus.
    """
    listed = read_checksums(folder)
    if listed is None:
        what = "is no dossier: its SHA256SUMS is missing or cannot be read"
        raise RequestError([Fault(str(folder), what, NO_DOSSIER)])
    added = sorted(name for name in _names(folder) if is_of_approvals(name))
    approved = (read_checksums(folder, SIGNED_SUMS) or {}) if added else {}
    faults = [_fault(folder, name, SUMS, listed) for name in damaged(folder, listed)]
    faults += _unapproved(folder, added, approved)
    if faults:
        raise RequestError(faults)
    members = [Member(name, digest, folder / name) for name, digest in listed.items()]
    members += [Member(name, approved[name], folder / name) for name in added if name in approved]
    alone = [SUMS, *([SIGNED_SUMS] if added else [])]
    return members + [Member(one, sha256_of_file(folder / one), folder / one) for one in alone]


def _names(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        if not path.is_dir():
            yield path.relative_to(folder).as_posix()


def _unapproved(folder: Path, added: list[str], approved: Mapping[str, str]) -> Iterator[Fault]:
    """Yield what is wrong with the files of approvals, which a list of their own names."""
    if added and not approved:
        yield Fault(str(folder / SIGNED_SUMS), "is missing or cannot be read", MEND)
        return
    for name in sorted({*added, *approved} - {SIGNED_SUMS}):
        path = folder / name
        if not path.is_file() or sha256_of_file(path) != approved.get(name):
            yield _fault(folder, name, SIGNED_SUMS, approved)


def _fault(folder: Path, name: str, listing: str, listed: Mapping[str, str]) -> Fault:
    path = folder / name
    if name not in listed:
        return Fault(str(path), f"is not in {listing}", "move it out of the dossier's folder")
    what = f"is not the file that {listing} lists" if path.is_file() else "is missing"
    return Fault(str(path), what, MEND)
