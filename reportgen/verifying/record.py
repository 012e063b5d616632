"""The record: SHA256SUMS, and every file under the digest that is recorded for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.release.record import STATEMENT, SUMS, is_of_approvals, is_of_inputs
from reportgen.verifying.check import Check, bad, good
from reportgen.verifying.contents import Contents
from reportgen.verifying.listing import Listing, read_listing
from reportgen.verifying.votes import DIGESTS, Witnesses, judged, subjects


@dataclass(frozen=True)
class Record:
    """What a folder's record says of itself.

    Attributes
    ----------
    listing : Listing or None
        SHA256SUMS; None if it is not there.
    files : mapping of text to text
        The record's files that stand there, SHA256SUMS aside, to their SHA-256.
    stated : mapping of text to text or None
        The subjects of the statement; None if there is none that can be read.
    """

    listing: Listing | None
    files: Mapping[str, str]
    stated: Mapping[str, str] | None


def record_of(contents: Contents) -> Record:
    """Return the record of a folder; files of approvals and copies of inputs are left aside."""
    sums = contents.read(SUMS)
    files = {
        name: digest
        for name, digest in contents.digests.items()
        if name != SUMS and not is_of_approvals(name) and not is_of_inputs(name)
    }
    listing = None if sums is None else read_listing(sums)
    return Record(listing, files, subjects(contents.read(STATEMENT)))


def check_record(contents: Contents, record: Record, remade: Mapping[str, str]) -> list[Check]:
    """Check every entry of a folder against what is recorded.

    Parameters
    ----------
    contents : Contents
        What stands there.
    record : Record
        What it says of itself.
    remade : mapping of text to text
        SHA-256 of files that were made anew from the others, by name.
    """
    checks = [bad("files", name, what) for name, what in contents.trouble.items()]
    checks += _form(record.listing)
    listed = None if record.listing is None else record.listing.digests
    # What is in trouble is named already: it would be missing a second time.
    troubled = set(contents.trouble)
    said = Witnesses(record.files, listed, record.stated, remade)
    against = [one for one in judged(said) if one.file not in troubled]
    if against or listed is None:
        return checks + against
    count = len(record.files)
    return [
        *checks,
        good(DIGESTS, f"{count} files are as {SUMS} lists them, and no other is there"),
    ]


def _form(listing: Listing | None) -> list[Check]:
    if listing is None:
        return [bad(DIGESTS, SUMS, "is missing or cannot be read")]
    return [bad(DIGESTS, SUMS, fault) for fault in listing.faults]
