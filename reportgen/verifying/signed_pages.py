"""The signed pages, rendered anew from results and ledger; the seal on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.errors import ReportgenError
from reportgen.release.fingerprint import sha256_of
from reportgen.release.record import LEDGER, SIGNED_HTML, SIGNED_PDF
from reportgen.signing.ledger import Ledger, ledger_bytes, unsealed
from reportgen.signing.pages import signed_pages, signed_pdf
from reportgen.signing.seal import SealCheck, check_seal
from reportgen.stored import Stored
from reportgen.verifying.attached import attached
from reportgen.verifying.check import Check, bad, good, unchecked
from reportgen.verifying.contents import Contents
from reportgen.verifying.pages import Rendered
from reportgen.verifying.software import other_software

SIGNED, SEAL = "signed pages", "seal"
_ELSE = "is not what results and ledger render to on the software that the record names"


def check_signed_pages(
    contents: Contents,
    stored: Stored,
    made: Rendered,
    ledger: Ledger,
    trusted: Sequence[Any],
) -> Iterator[Check]:
    """Yield whether the signed pages are those of results and ledger, and what the seal is.

    Parameters
    ----------
    contents : Contents
        What stands in the folder.
    stored : Stored
        The dossier.
    made : Rendered
        Its pages, rendered anew: without them, the signed ones cannot be.
    ledger : Ledger
        The approvals.
    trusted : sequence of asn1crypto Certificate
        Roots that the seal may rest on.
    """
    pages, why_not = _pages(stored, made, ledger)
    html = contents.read(SIGNED_HTML)
    if html is None:
        yield bad(SIGNED, SIGNED_HTML, "is missing or cannot be read")
    elif pages is None:
        yield unchecked(SIGNED, why_not, SIGNED_HTML)
    else:
        other = other_software(stored.data["environment"], pdf=False)
        yield _compared(SIGNED_HTML, pages.html.encode() == html, other)
    pdf = contents.read(SIGNED_PDF)
    if pdf is None:
        yield bad(SIGNED, SIGNED_PDF, "is missing or cannot be read")
        return
    before = why_not if pages is None else _pdf(stored, made, ledger, pages)
    if ledger.sealed is None:
        yield _unsealed(pdf, before)
    else:
        yield from _sealed(pdf, before, ledger, trusted)


def _pages(stored: Stored, made: Rendered, ledger: Ledger) -> tuple[Any, str]:
    """Return the signed pages, None if they cannot be rendered, and why not."""
    if made.why_not:
        return None, made.why_not
    if not ledger.approvals:
        return None, f"{LEDGER} holds no approval"
    try:
        return signed_pages(stored.data, stored.pictures, ledger, made.fonts), ""
    except ReportgenError as error:
        return None, error.faults[0].what
    except Exception as error:  # as for the record's own pages
        return None, f"they cannot be rendered here ({type(error).__name__})"


def _pdf(stored: Stored, made: Rendered, ledger: Ledger, pages: Any) -> bytes | str:
    """Return the signed PDF before its seal, or why it cannot be rendered."""
    other = other_software(stored.data["environment"], pdf=True)
    if other:
        return f"it was made with {other}"
    if stored.manifest is None:
        return "the manifest, which it carries, is not there as recorded"
    try:
        return signed_pdf(
            stored.data, stored.pictures, ledger, made.fonts, source=stored.source, pages=pages
        )
    except ReportgenError as error:
        return error.faults[0].what
    except Exception as error:
        return f"it cannot be rendered here ({type(error).__name__})"


def _compared(name: str, same: bool, other: str) -> Check:
    if same:
        return good(SIGNED, "is as rendered anew, byte for byte", name)
    if other:
        return unchecked(SIGNED, f"it differs here, and it was made with {other}", name)
    return bad(SIGNED, name, _ELSE)


def _unsealed(pdf: bytes, before: bytes | str) -> Check:
    if isinstance(before, str):
        return unchecked(SIGNED, before, SIGNED_PDF)
    if pdf != before and pdf.startswith(before):
        return bad(
            SIGNED, SIGNED_PDF, f"goes on behind its end: a seal that {LEDGER} does not know?"
        )
    return _compared(SIGNED_PDF, pdf == before, "")


def _sealed(
    pdf: bytes, before: bytes | str, ledger: Ledger, trusted: Sequence[Any]
) -> Iterator[Check]:
    """Yield what a sealed PDF is: its pages, its seal, the ledger in it."""
    if isinstance(before, str):
        yield unchecked(SIGNED, before, f"{SIGNED_PDF} before its seal")
    elif not pdf.startswith(before):
        yield bad(SIGNED, SIGNED_PDF, _ELSE)
    else:
        yield good(SIGNED, f"{SIGNED_PDF} before its seal is as rendered anew, byte for byte")
    try:
        seal = check_seal(pdf, trusted)
    except ReportgenError as error:
        yield unchecked(SEAL, error.faults[0].what, SIGNED_PDF)
        return
    yield from _of_seal(seal, trusted)
    if seal.intact and seal.covers_whole_file:
        yield from _of_ledger(pdf, seal, ledger)


def _of_seal(seal: SealCheck, trusted: Sequence[Any]) -> Iterator[Check]:
    if not (seal.intact and seal.covers_whole_file):
        yield bad(SEAL, SIGNED_PDF, seal.reason or "its seal is broken")
        return
    by = f"by {seal.subject} at {seal.time}" + (" (time stamp)" if seal.stamped else "")
    yield good(SEAL, f"intact over the whole of {SIGNED_PDF}, {by}")
    if not trusted:
        because = f"no certificate was given to trust (--trust); it is that of {seal.subject}"
        yield unchecked(f"{SEAL}'s trust", because)
    elif seal.trusted:
        yield good(f"{SEAL}'s trust", f"{seal.subject} rests on a certificate of --trust")
    else:
        what = f"is sealed by {seal.subject}, who rests on no certificate of --trust"
        yield bad(f"{SEAL}'s trust", SIGNED_PDF, what)


def _of_ledger(pdf: bytes, seal: SealCheck, ledger: Ledger) -> Iterator[Check]:
    """Yield whether the ledger is the one that an intact seal covers, and names that seal."""
    inside = attached(pdf, LEDGER)
    sealed = ledger.sealed
    if inside is None:
        yield bad(SEAL, SIGNED_PDF, f"carries no {LEDGER}, which its seal is to cover")
    elif inside != ledger_bytes(unsealed(ledger)):
        what = f"is not the ledger that was sealed ({sha256_of(inside)[:12]}… before its seal)"
        yield bad(SEAL, LEDGER, what)
    elif sealed is None or (sealed.subject, sealed.certificate) != (seal.subject, seal.certificate):
        yield bad(SEAL, LEDGER, f"names another seal than {SIGNED_PDF} carries")
    elif sealed.time != seal.time and not seal.stamped:
        yield bad(SEAL, LEDGER, f"gives the seal another time than {SIGNED_PDF} does")
    else:
        count = len(ledger.approvals)
        # A time stamp hides the time that the ledger gives the seal: it vouches for all but that.
        whole = None if seal.stamped else LEDGER
        yield good(SEAL, f"{count} approvals in the chain that the seal covers", whole)
