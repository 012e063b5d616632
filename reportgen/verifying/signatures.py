"""Detached signatures: over SHA256SUMS, and by it over every file of the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

from reportgen.errors import ReportgenError
from reportgen.release.record import SIGNATURES, SUMS, is_of_approvals
from reportgen.signing.detached import check_detached
from reportgen.signing.ledger import Ledger
from reportgen.verifying.check import Check, bad, good, unchecked
from reportgen.verifying.contents import Contents

SIGNATURE = "signature"


def check_signatures(
    contents: Contents, ledger: Ledger, named: frozenset[str], trusted: Sequence[Any]
) -> Iterator[Check]:
    """Yield what each detached signature is, by its number: that of an approval in the ledger.

    Parameters
    ----------
    contents : Contents
        What stands in the folder.
    ledger : Ledger
        The approvals.
    named : set of text
        Files that are bad already; over a bad SHA256SUMS no signature is checked.
    trusted : sequence of asn1crypto Certificate
        Roots that a signature may rest on.
    """
    sums = contents.read(SUMS)
    for name in contents.digests:
        if not (is_of_approvals(name) and name.startswith(f"{SIGNATURES}/")):
            continue
        number = int(PurePosixPath(name).stem[:9])
        signature = contents.read(name)
        if not 1 <= number <= len(ledger.approvals):
            yield bad(SIGNATURE, name, "belongs to no approval of the ledger")
        elif sums is None or SUMS in named:
            yield unchecked(SIGNATURE, f"{SUMS}, which it is over, is not as recorded", name)
        elif signature is not None:
            yield from _checked(name, signature, sums, ledger.approvals[number - 1].name, trusted)


def _checked(
    name: str, signature: bytes, sums: bytes, approver: str, trusted: Sequence[Any]
) -> Iterator[Check]:
    try:
        found = check_detached(signature, sums, trusted)
    except ReportgenError as error:
        yield unchecked(SIGNATURE, error.faults[0].what, name)
        return
    if not found.intact:
        yield bad(SIGNATURE, name, f"is no valid signature over {SUMS}")
        return
    by = f"by {found.subject} at {found.time}, with the approval of {approver}"
    yield good(SIGNATURE, f"{name} over {SUMS} is valid, {by}")
    if not trusted:
        yield unchecked(f"{SIGNATURE}'s trust", "no certificate was given to trust", name)
    elif found.trusted:
        yield good(f"{SIGNATURE}'s trust", f"{found.subject} rests on a certificate of --trust")
    else:
        what = f"is by {found.subject}, who rests on no certificate of --trust"
        yield bad(f"{SIGNATURE}'s trust", name, what)
