"""What approvals added beside the record: the ledger, its pages, the seal, signatures, their list.

The ledger's chain shows an entry that was changed, moved, or dropped from between. It binds nobody:
who can write the folder can write a whole ledger anew, and its pages with it. What only a key can
make are the seal, which covers the ledger that the signed PDF carries, and the detached signatures
over SHA256SUMS. Whose key that is, is for the certificates that the verifier trusts to say.
Approvals that were taken away as a whole leave no trace in the folder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.errors import ReportgenError
from reportgen.release.record import LEDGER, RESULTS, SIGNED_SUMS, SUMS, is_of_approvals
from reportgen.signing.ledger import Ledger, problems, read_ledger
from reportgen.stored import Stored
from reportgen.verifying.check import Check, bad, bad_names, good, unchecked
from reportgen.verifying.contents import Contents
from reportgen.verifying.listing import Listing, read_listing
from reportgen.verifying.pages import Rendered
from reportgen.verifying.signatures import check_signatures
from reportgen.verifying.signed_pages import check_signed_pages

APPROVALS = "approvals"


def check_approvals(
    contents: Contents,
    stored: Stored,
    made: Rendered,
    named: frozenset[str],
    trusted: Sequence[Any],
) -> list[Check]:
    """Check everything that approvals added to a folder.

    Parameters
    ----------
    contents : Contents
        What stands there.
    stored : Stored
        The dossier that was approved.
    made : Rendered
        Its pages, rendered anew.
    named : set of text
        Files of the record that are bad already.
    trusted : sequence of asn1crypto Certificate
        Roots that a seal or signature may rest on.
    """
    if not any(map(is_of_approvals, contents.digests)):
        return [unchecked(APPROVALS, "there are none")]
    sums = contents.read(SIGNED_SUMS)
    listing = None if sums is None else read_listing(sums)
    ledger, checks = _ledger(contents)
    if ledger is not None:
        record = contents.digests.get(SUMS)
        listed = None if listing is None else listing.digests.get(SUMS)
        checks += _of_record(ledger, stored.data["dossier"], record, listed, named)
        whole = not bad_names(checks)
        if LEDGER in bad_names(checks):
            made = Rendered({}, why_not=f"{LEDGER} is not sound")
        checks += check_signed_pages(contents, stored, made, ledger, trusted)
        checks += check_signatures(contents, ledger, named | bad_names(checks), trusted)
        if whole and LEDGER not in bad_names(checks) and ledger.sealed is None:
            # Its form is one, and the chain covers every value.
            checks.append(good(APPROVALS, f"{len(ledger.approvals)} in an unbroken chain", LEDGER))
    return [*checks, *_signed_sums(contents, listing, checks, named)]


def _ledger(contents: Contents) -> tuple[Ledger | None, list[Check]]:
    """Return the ledger, if it can be read, and what is wrong with it in itself."""
    content = contents.read(LEDGER)
    if content is None:
        return None, [bad(APPROVALS, LEDGER, "is missing or cannot be read, and approvals stand")]
    try:
        ledger = read_ledger(content)
    except ReportgenError as error:
        return None, [bad(APPROVALS, LEDGER, error.faults[0].what)]
    return ledger, [bad(APPROVALS, LEDGER, what) for what in problems(ledger)]


def _of_record(
    ledger: Ledger,
    dossier: Mapping[str, Any],
    record: str | None,
    listed: str | None,
    named: frozenset[str],
) -> Iterator[Check]:
    """Yield whether a ledger is of these results and of this SHA256SUMS.

    `record` is the SHA-256 of SHA256SUMS as it stands there, `listed` that by SHA256SUMS.signed.
    """
    model = dossier["model"]
    mine = (ledger.model, ledger.version, ledger.revision, ledger.digest)
    if mine != (model["name"], str(model["version"]), dossier["revision"], dossier["digest"]):
        yield bad(APPROVALS, LEDGER, f"approves other results than {RESULTS}, or another revision")
    if ledger.record == record:
        yield good("approved record", "is the one that was approved", SUMS)
    elif SUMS in named:
        yield unchecked("approved record", f"{SUMS} is not as recorded", LEDGER)
    elif ledger.record == listed:
        yield bad(APPROVALS, SUMS, "is not the one that was approved: the record was changed since")
    else:
        yield bad(APPROVALS, LEDGER, f"approves another record than {SUMS} lists")


def _signed_sums(
    contents: Contents, listing: Listing | None, checks: Sequence[Check], named: frozenset[str]
) -> Iterator[Check]:
    """Yield what SHA256SUMS.signed says against the files of approvals.

    Where a file is another than it lists, the file is bad unless it vouches for itself, byte for
    byte; then the list is. Where neither can be told, both are named.
    """
    if listing is None:
        yield bad(APPROVALS, SIGNED_SUMS, "is missing or cannot be read")
        return
    yield from (bad(APPROVALS, SIGNED_SUMS, fault) for fault in listing.faults)
    files = {name: digest for name, digest in contents.digests.items() if _is_signed(name)}
    genuine = {one.file for one in checks if one.state == "good"}
    wrong = named | bad_names(checks)
    differ = [
        name
        for name in sorted({*files, *listing.digests})
        if files.get(name) != listing.digests.get(name)
    ]
    for name in differ:
        if _is_signed(name) and name not in genuine:
            yield bad(APPROVALS, name, _other(files.get(name), listing.digests.get(name)))
        if name not in wrong and not (name not in files and _is_signed(name)):
            yield bad(APPROVALS, SIGNED_SUMS, f"does not tell {name} as it stands there")
    if not listing.faults and not differ:
        yield good(APPROVALS, f"{len(files)} files are as {SIGNED_SUMS} lists them", SIGNED_SUMS)


def _other(found: str | None, listed: str | None) -> str:
    if found is None:
        return f"is missing, and {SIGNED_SUMS} lists it"
    if listed is None:
        return f"is not listed in {SIGNED_SUMS}"
    return f"was changed, or its line in {SIGNED_SUMS}"


def _is_signed(name: str) -> bool:
    return name == SUMS or (is_of_approvals(name) and name != SIGNED_SUMS)
