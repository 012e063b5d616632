"""Which of several files that contradict each other was changed: said by those that agree.

Every file of a record is vouched for more than once. Its bytes have a digest; ``SHA256SUMS`` lists
one; the statement (``dossier.intoto.json``) names one as a subject. Where one of the three
contradicts the two others, that one is named. Where all agree, the file is as it was recorded,
unless somebody changed all of them together, which is for the approvals and the pages to show.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reportgen.release.record import CRATE, STATEMENT, SUMS
from reportgen.verifying.check import Check, bad

DIGESTS = "digests"


@dataclass(frozen=True)
class Witnesses:
    """What is said about the files of a record.

    Attributes
    ----------
    found : mapping of text to text
        Name to the SHA-256 of the bytes that stand there.
    listed : mapping of text to text or None
        The same by SHA256SUMS; None if there is no such list.
    stated : mapping of text to text or None
        The same by the statement; None if there is none that can be read.
    remade : mapping of text to text
        The same of files that were made anew from the others: they vouch for themselves.
    """

    found: Mapping[str, str]
    listed: Mapping[str, str] | None
    stated: Mapping[str, str] | None
    remade: Mapping[str, str]

    def names(self) -> list[str]:
        """Return every name that anybody knows, sorted."""
        return sorted({*self.found, *(self.listed or {}), *(self.stated or {})})

    def third(self, name: str) -> tuple[bool, str | None]:
        """Return whether a third witness knows of a file, and the digest it gives, if any."""
        if name in self.remade:
            return True, self.remade[name]
        if self.stated is None or (name in (STATEMENT, CRATE) and name not in self.stated):
            return False, None
        return True, self.stated.get(name)


def subjects(content: bytes | None) -> dict[str, str] | None:
    """Return name to SHA-256 of the subjects of an in-toto statement; None if it is none."""
    try:
        data = json.loads(content or b"")
        pairs = [(one["name"], one["digest"]["sha256"]) for one in data["subject"]]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    if not all(isinstance(name, str) and isinstance(digest, str) for name, digest in pairs):
        return None
    return dict(pairs)


def judged(witnesses: Witnesses) -> Iterator[Check]:
    """Yield a check for every file that its witnesses contradict each other about."""
    for name in witnesses.names():
        yield from _judged(name, witnesses)


def _judged(name: str, said: Witnesses) -> Iterator[Check]:
    found, known = said.found.get(name), said.third(name)
    if said.listed is None:
        yield from _unlisted(name, found, *known)
        return
    listed = said.listed.get(name)
    if found == listed:
        if known[0] and known[1] != found:
            yield bad(DIGESTS, STATEMENT, _disagrees(name, known[1], found))
    elif not known[0] and found is None:
        yield bad(DIGESTS, name, _differs(found, listed))
    elif not known[0]:
        both = f"{_differs(found, listed)}, and nothing else tells which of the two was changed"
        yield bad(DIGESTS, name, both)
        yield bad(DIGESTS, SUMS, f"it and {name} contradict each other")
    elif known[1] == found:
        yield bad(DIGESTS, SUMS, _disagrees(name, listed, found))
    else:
        yield bad(DIGESTS, name, _differs(found, listed))


def _unlisted(name: str, found: str | None, known: bool, stated: str | None) -> Iterator[Check]:
    """Yield what the statement alone says against a file, where there is no SHA256SUMS."""
    if known and stated != found:
        yield bad(DIGESTS, name, _differs(found, stated))


def _differs(found: str | None, wanted: str | None) -> str:
    if found is None:
        return "is missing"
    if wanted is None:
        return "is no file of the record: nothing lists it"
    return f"was changed: its SHA-256 is {found[:12]}…, recorded is {wanted[:12]}…"


def _disagrees(name: str, says: str | None, found: str | None) -> str:
    if says is None:
        return f"does not name {name}, which stands there as everything else records it"
    if found is None:
        return f"names {name}, which is not there and nothing else records"
    return f"gives {name} the SHA-256 {says[:12]}…; it has {found[:12]}…, as recorded elsewhere"
