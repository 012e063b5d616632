"""How approvals get into a dossier's folder: one signer at a time, and all files or none.

The new files are put together in a hidden folder beside the dossier and renamed into it one after
the other: signatures, pages, the list of them, and the ledger last. Until the ledger has been
renamed, the approval was not given. A run that was cut off before that leaves pages that the next
approval makes anew from the ledger; one that was cut off at the ledger itself, which the list then
names already, is finished by the next.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from reportgen.errors import Fault, RequestError
from reportgen.release.fingerprint import sha256_of, sha256_of_file
from reportgen.release.folder import checksums, damaged, read_checksums
from reportgen.release.record import (
    LEDGER,
    SIGNATURES,
    SIGNED_HTML,
    SIGNED_PDF,
    SIGNED_SUMS,
    SUMS,
    is_of_approvals,
)
from reportgen.release.staging import sync, write_through
from reportgen.signing.ledger import MEND, Ledger, new_ledger, problems, read_ledger
from reportgen.stored import Stored

WAIT_SECONDS = 300
ORDER = (SIGNED_HTML, SIGNED_PDF, SIGNED_SUMS, LEDGER)
"""What is renamed into place after the signatures, in this order: the ledger makes it count."""
_NUMBERED = re.compile(r"([0-9]+)\.p7s")


@contextmanager
def one_signer(folder: Path) -> Iterator[Path]:
    """Yield a hidden place beside a dossier once nobody else signs it.

    Raises
    ------
    RequestError
        If somebody else has been at it for five minutes, or nothing can be written there.
    """
    whole = folder.resolve()
    lock = whole.with_name(f".{whole.name}.signing.lock")
    try:
        with FileLock(lock, timeout=WAIT_SECONDS):
            yield whole.with_name(f".{whole.name}.signing")
    except Timeout:
        what = "somebody else is signing this dossier"
        raise RequestError([Fault(str(folder), what, "try again once they are done")]) from None
    except OSError as error:
        what = f"the approval cannot be written here: {error.strerror or error}"
        mend = "ask for the right to write there and beside it, or free some space"
        raise RequestError([Fault(str(folder), what, mend)]) from error


def finish_what_was_cut_off(folder: Path, hidden: Path) -> bool:
    """Put the ledger of a run that was cut off at its last step into place.

    Returns
    -------
    bool
        Whether there was one.
    """
    listed = _listed(folder).get(LEDGER)
    staged = hidden / LEDGER
    late = listed is not None and _digest(folder / LEDGER) != listed and _digest(staged) == listed
    if late:
        staged.replace(folder / LEDGER)
        sync(folder)
    shutil.rmtree(hidden, ignore_errors=True)
    return late


def faults_of_record(folder: Path) -> list[Fault]:
    """Return every file of a dossier's record that is damaged, missing or surplus, as a fault."""
    listed = read_checksums(folder)
    if listed is None:
        what = "cannot be read, so nobody can tell what is approved"
        return [Fault(str(folder / SUMS), what, MEND)]
    what = f"is not as {SUMS} lists it"
    return [Fault(str(folder / name), what, MEND) for name in damaged(folder, listed)]


def standing_ledger(stored: Stored) -> Ledger:
    """Return the ledger of a dossier as it stands, sound; an empty one if there is none.

    Raises
    ------
    RequestError
        If it cannot be read, its chain is broken, it is of another record, it is not the one that
        SHA256SUMS.signed lists, or a signature that this lists is not there.
    """
    folder = stored.folder
    record = sha256_of_file(folder / SUMS)
    fresh = new_ledger(stored.data["dossier"], record)
    listed = _listed(folder)
    if not (folder / LEDGER).exists():
        if listed:
            raise _of_ledger(folder, [f"is missing, and {SIGNED_SUMS} lists it"])
        return fresh
    content = (folder / LEDGER).read_bytes()
    ledger = read_ledger(content)
    found = problems(ledger)
    if ledger.head != fresh.head:
        found.append("is of another dossier or revision")
    if listed.get(LEDGER) != sha256_of(content):
        found.append(f"is not the one that {SIGNED_SUMS} lists")
    lost = [name for name in _signatures(listed) if _digest(folder / name) != listed[name]]
    found += [f"{name} is not as {SIGNED_SUMS} lists it" for name in lost]
    if found:
        raise _of_ledger(folder, found)
    return ledger


def store(folder: Path, hidden: Path, files: Mapping[str, bytes]) -> None:
    """Put the files of an approval into a dossier's folder, with SHA256SUMS.signed.

    Parameters
    ----------
    folder : Path
        The dossier.
    hidden : Path
        The place beside it, from :func:`one_signer`.
    files : mapping of text to bytes
        Ledger, pages and new signatures, by their names in the folder.

    Raises
    ------
    OSError
        If something cannot be written; what has been staged is then left for the next run.
    """
    kept = {name: (folder / name).read_bytes() for name in _signatures(_listed(folder))}
    everything = {**kept, **files}
    sums = checksums({**everything, SUMS: (folder / SUMS).read_bytes()})
    staged = {**files, SIGNED_SUMS: sums}
    shutil.rmtree(hidden, ignore_errors=True)
    for name, content in staged.items():
        write_through(hidden / name, content)
    sync(hidden)
    for name in (*_signatures(staged), *ORDER):
        (folder / name).parent.mkdir(exist_ok=True)
        (hidden / name).replace(folder / name)
    sync(folder)
    _remove_strays(folder, set(everything))
    shutil.rmtree(hidden, ignore_errors=True)


def _remove_strays(folder: Path, kept: set[str]) -> None:
    """Remove signatures of approvals that were cut off."""
    for path in folder.glob(f"{SIGNATURES}/*.p7s"):
        if f"{SIGNATURES}/{path.name}" not in kept and _NUMBERED.fullmatch(path.name):
            with suppress(OSError):
                path.unlink()


def _listed(folder: Path) -> dict[str, str]:
    """Return name to digest as SHA256SUMS.signed has it, nothing where it is not there."""
    try:
        text = (folder / SIGNED_SUMS).read_text("ascii")
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise _of_list(folder) from None
    try:
        return {name: digest for digest, name in (x.split("  ", 1) for x in text.splitlines())}
    except ValueError:
        raise _of_list(folder) from None


def _of_list(folder: Path) -> RequestError:
    return RequestError([Fault(str(folder / SIGNED_SUMS), "cannot be read", MEND)])


def _of_ledger(folder: Path, found: list[str]) -> RequestError:
    return RequestError([Fault(str(folder / LEDGER), what, MEND) for what in found])


def _signatures(names: Mapping[str, object]) -> list[str]:
    return sorted(one for one in names if one.startswith(SIGNATURES) and is_of_approvals(one))


def _digest(path: Path) -> str | None:
    return sha256_of_file(path) if path.is_file() else None
