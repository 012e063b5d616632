"""The ledger of approvals: ``approvals.json``, hash-chained, bound to one record.

Each entry carries the digest of the dossier's results, that of its record (the SHA-256 of the file
SHA256SUMS) and the hash of the entry before it; the first one that of the ledger's head, which says
what is approved. An entry that was changed, dropped from between or put in another place breaks the
chain. The chain alone binds nobody: who can write the folder can write a ledger anew. A seal or a
detached signature does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any, TypeVar

from reportgen.errors import Fault, RequestError
from reportgen.release.fingerprint import sha256_of, strict_json
from reportgen.release.record import LEDGER

SCHEMA = "reportgen/approvals/1"
MEND = "restore the file from the dossier's archive"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_HASHES = ("digest", "record", "previous", "sha256", "certificate")
_Entry = TypeVar("_Entry")


@dataclass(frozen=True)
class Approval:
    """One approval.

    Attributes
    ----------
    number : int
        Its place in the ledger, from 1.
    name, role, meaning : str
        The printed name of who approves, in which role, and what the approval means.
    time : str
        When, in UTC to the second: ``2026-11-30T12:00:00Z``.
    digest : str
        ``dossier.digest`` of results.json.
    record : str
        SHA-256 of the file SHA256SUMS, and by it of every file of the record.
    previous : str
        ``sha256`` of the entry before; of the first entry, the hash of the ledger's head.
    sha256 : str
        SHA-256 of the strict JSON of this entry without this key.
    """

    number: int
    name: str
    role: str
    meaning: str
    time: str
    digest: str
    record: str
    previous: str
    sha256: str


@dataclass(frozen=True)
class Sealed:
    """What closed a ledger.

    Attributes
    ----------
    time : str
        When the PDF was sealed, in UTC.
    subject : str
        Subject of the certificate (RFC 4514).
    certificate : str
        SHA-256 of the certificate in DER.
    """

    time: str
    subject: str
    certificate: str


@dataclass(frozen=True)
class Ledger:
    """All approvals of one revision of a dossier.

    Attributes
    ----------
    model, version : str
        Whose dossier it is.
    revision : int
        Which revision.
    digest, record : str
        As in :class:`Approval`: what every entry must name.
    approvals : tuple of Approval
        In the order in which they were given.
    sealed : Sealed or None
        What closed it; None while it takes further approvals.
    """

    model: str
    version: str
    revision: int
    digest: str
    record: str
    approvals: tuple[Approval, ...] = ()
    sealed: Sealed | None = None

    @property
    def head(self) -> dict[str, Any]:
        """What is approved, as it stands under ``dossier``."""
        return {
            "model": {"name": self.model, "version": self.version},
            "revision": self.revision,
            "digest": self.digest,
            "record": self.record,
        }


def new_ledger(dossier: Mapping[str, Any], record: str) -> Ledger:
    """Return an empty ledger.

    Parameters
    ----------
    dossier : mapping
        ``dossier`` of results.json.
    record : str
        SHA-256 of the file SHA256SUMS.
    """
    model = dossier["model"]
    return Ledger(
        model["name"], str(model["version"]), dossier["revision"], dossier["digest"], record
    )


def approved(ledger: Ledger, *, name: str, role: str, meaning: str, time: str) -> Ledger:
    """Return the ledger with one more approval at its end.

    Raises
    ------
    ValueError
        If it is sealed.
    """
    if ledger.sealed is not None:
        raise ValueError("a sealed ledger takes no further approval")
    entry: dict[str, Any] = {
        "number": len(ledger.approvals) + 1,
        "name": name,
        "role": role,
        "meaning": meaning,
        "time": time,
        "digest": ledger.digest,
        "record": ledger.record,
        "previous": ledger.approvals[-1].sha256 if ledger.approvals else _hash(ledger.head),
    }
    added = Approval(**entry, sha256=_hash(entry))
    return replace(ledger, approvals=(*ledger.approvals, added))


def unsealed(ledger: Ledger) -> Ledger:
    """Return the ledger as it stood before it was sealed: what the sealed PDF carries."""
    return replace(ledger, sealed=None)


def ledger_bytes(ledger: Ledger) -> bytes:
    """Return the ledger as the file ``approvals.json``."""
    return strict_json(
        {
            "schema": SCHEMA,
            "dossier": ledger.head,
            "approvals": [asdict(one) for one in ledger.approvals],
            "sealed": ledger.sealed and asdict(ledger.sealed),
        }
    )


def read_ledger(content: bytes) -> Ledger:
    """Return the ledger that a file holds; whether its chain holds is for :func:`problems`.

    Raises
    ------
    RequestError
        If it is no strict JSON of this schema, or is not written as :func:`ledger_bytes` does: a
        ledger has one form, so that no byte of it can change unseen.
    """
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _unreadable(f"this is no strict JSON ({error})") from None
    try:
        ledger = _ledger(data)
        written = ledger_bytes(ledger)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _unreadable(f"this is no ledger of the schema {SCHEMA} ({error})") from None
    if written != content:
        raise _unreadable("it was written or edited by something else: its form is another")
    return ledger


def _unreadable(what: str) -> RequestError:
    return RequestError([Fault(LEDGER, what, MEND)])


def _ledger(data: Any) -> Ledger:
    if data["schema"] != SCHEMA:
        raise ValueError(f"its schema is {data['schema']!r}")
    head = data["dossier"]
    model = head["model"]
    revision = head["revision"]
    if type(revision) is not int or revision < 1:
        raise ValueError("a revision is a whole number from 1")
    for name in (*model.values(), head["digest"], head["record"]):
        if not isinstance(name, str):
            raise ValueError(f"{name!r} is no text")
    return Ledger(
        model=model["name"],
        version=model["version"],
        revision=revision,
        digest=head["digest"],
        record=head["record"],
        approvals=tuple(_entry(Approval, one) for one in data["approvals"]),
        sealed=None if data["sealed"] is None else _entry(Sealed, data["sealed"]),
    )


def _entry(kind: type[_Entry], data: Any) -> _Entry:
    """Return an entry of a ledger, having checked the types of its values."""
    known = {one.name for one in fields(kind)}  # type: ignore[arg-type]
    if set(data) != known:
        raise ValueError(f"an entry has the keys {', '.join(sorted(known))}")
    for key, value in data.items():
        if type(value) is not (int if key == "number" else str):
            raise ValueError(f"{key} is {value!r}")
        if key in _HASHES and not _SHA256.fullmatch(str(value)):
            raise ValueError(f"{key} is no SHA-256")
    _moment(data["time"])
    return kind(**data)


def _moment(text: str) -> None:
    if not _MOMENT.fullmatch(text):
        raise ValueError(f"{text!r} is no time such as 2026-11-30T12:00:00Z")
    datetime.fromisoformat(text)


def problems(ledger: Ledger) -> list[str]:
    """Return what is wrong with a ledger, a sentence each; empty if its chain holds.

    Every entry must have its place's number, the hash of what it says, the hash of the entry before
    it, the digests of the ledger's head, and no earlier time than that entry. A seal must not be
    earlier than the last approval, and there is none without an approval.
    """
    found = list(_broken(ledger))
    if ledger.sealed is not None:
        if not ledger.approvals:
            found.append("it is sealed without an approval")
        elif ledger.sealed.time < ledger.approvals[-1].time:
            found.append("its seal is dated before the last approval")
    return found


def _broken(ledger: Ledger) -> Iterator[str]:
    previous, time = _hash(ledger.head), ""
    for place, one in enumerate(ledger.approvals, start=1):
        which = f"approval {place} ({one.name})"
        if one.number != place:
            yield f"{which} has the number {one.number}: entries were moved, dropped or added"
        if one.previous != previous:
            yield f"{which} does not follow what stands before it: the chain is broken there"
        if one.sha256 != _hash(_unhashed(one)):
            yield f"{which} was changed: it has not the hash written in it"
        if (one.digest, one.record) != (ledger.digest, ledger.record):
            yield f"{which} is of another dossier or revision"
        if one.time < time:
            yield f"{which} is dated before the one before it"
        previous, time = one.sha256, one.time


def _unhashed(approval: Approval) -> dict[str, Any]:
    entry = asdict(approval)
    del entry["sha256"]
    return entry


def _hash(entry: Mapping[str, Any]) -> str:
    return sha256_of(strict_json(entry))
