"""What an approval is asked for with: its texts, its key, and what is wrong with them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from reportgen.errors import Fault, RequestError
from reportgen.signing.identity import Identity, certificates, read_identity

LONGEST = {"name": 100, "role": 100, "meaning": 200}
"""Characters of each text of an approval, for it has to fit into a table."""
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Invisible characters that some scripts are not written without."""


@dataclass(frozen=True)
class Request:
    """What is asked for.

    Attributes
    ----------
    name, role, meaning : str or None
        The approval; all None to seal alone.
    seal : bool
        Whether the PDF is to be sealed and the ledger closed.
    incomplete : bool
        Whether to seal although roles of the manifest are open.
    detached : bool
        Whether to sign SHA256SUMS with the key, too.
    pkcs12 : Path or None
        File with the key and its certificate.
    passphrase : bytes or None
        What opens it.
    tsa : TimeStamper or str or None
        A time stamping authority, or its address.
    trust : sequence of Path
        Certificates that the signature and its time stamp rest on.
    fonts : Path or None
        A folder with the fonts of the manifest's ``font_dirs``.
    """

    name: str | None = None
    role: str | None = None
    meaning: str | None = None
    seal: bool = False
    incomplete: bool = False
    detached: bool = False
    pkcs12: Path | None = None
    passphrase: bytes | None = field(default=None, repr=False)
    tsa: Any = None
    trust: Sequence[Path] = ()
    fonts: Path | None = None

    @property
    def texts(self) -> dict[str, str]:
        """Name, role and meaning, composed (NFC) and without blanks around them."""
        given = {"name": self.name, "role": self.role, "meaning": self.meaning}
        return {
            key: unicodedata.normalize("NFC", text.strip())
            for key, text in given.items()
            if text is not None
        }


def faults_of_request(request: Request) -> Iterator[Fault]:
    """Yield what is wrong with a request, whatever dossier it is for."""
    yield from _faults_of_options(request)
    yield from _faults_of_texts(request)


def _faults_of_options(request: Request) -> Iterator[Fault]:
    keyed = request.seal or request.detached
    if keyed and request.pkcs12 is None:
        what = "a seal or a detached signature needs a key with its certificate"
        yield Fault("--pkcs12", what, "name the file")
    for option, given in {
        "--pkcs12": request.pkcs12,
        "--tsa": request.tsa,
        "--trust": request.trust,
    }.items():
        if given and not keyed:
            yield Fault(option, "there is nothing to sign with it", "add --seal or --detached")
    if isinstance(request.tsa, str) and not request.tsa.startswith(("http://", "https://")):
        yield Fault("--tsa", f"{request.tsa!r} is no address", "write http://… or https://…")
    if request.incomplete and not request.seal:
        yield Fault("--incomplete", "says something of a seal, and none is asked for", "leave it")
    if request.detached and not request.texts:
        yield Fault("--detached", "belongs to an approval", "add --name, --role and --meaning")


def _faults_of_texts(request: Request) -> Iterator[Fault]:
    texts = request.texts
    if not texts and request.seal:
        return
    for key, longest in LONGEST.items():
        option = f"--{key}"
        text = texts.get(key)
        if not text:
            what = "is empty" if text is not None else "is missing"
            yield Fault(option, what, "an approval is a printed name, a role and a meaning")
            continue
        if len(text) > longest:
            what = f"has {len(text)} characters"
            yield Fault(option, what, f"{longest} fit into the table on the page")
        strange = [letter for letter in text if not _can_be_printed(letter)]
        if strange:
            listed = ", ".join(f"U+{ord(letter):04X}" for letter in dict.fromkeys(strange))
            what = f"holds what cannot be printed on one line ({listed})"
            yield Fault(option, what, "write plain text")


def _can_be_printed(letter: str) -> bool:
    return letter.isprintable() or unicodedata.category(letter) == "Zs" or letter in JOINERS


def identity_of(request: Request, now: datetime) -> Identity | None:
    """Return who signs or seals, None where nobody does.

    Raises
    ------
    MissingSoftwareError, RequestError
        As :func:`reportgen.signing.identity.read_identity`.
    """
    if request.pkcs12 is None or not (request.seal or request.detached):
        return None
    where = str(request.pkcs12)
    return read_identity(_read(request.pkcs12), request.passphrase, moment=now, where=where)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        what = f"cannot be read ({error.strerror})"
        raise RequestError([Fault(str(path), what, "name a file that is there")]) from None


def trusted_by(request: Request) -> list[Any]:
    """Return the certificates that a request names.

    Raises
    ------
    MissingSoftwareError, RequestError
        As :func:`reportgen.signing.identity.certificates`.
    """
    if not request.trust:
        return []
    return certificates((str(path), _read(path)) for path in request.trust)
