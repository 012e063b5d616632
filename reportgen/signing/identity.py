"""A key with its certificate, out of a PKCS#12 file: whether it can sign today, and as whom."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reportgen.errors import Fault, MissingSoftwareError, RequestError
from reportgen.release.fingerprint import sha256_of

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from pyhanko.sign.signers import SimpleSigner

INSTALL = 'install it: pip install "reportgen[sign]"'
LEAST_RSA_BITS = 2048
MEND = "name a certificate that is valid today"


@dataclass(frozen=True)
class Identity:
    """Who signs.

    Attributes
    ----------
    subject : str
        Subject of the certificate (RFC 4514).
    certificate : str
        SHA-256 of the certificate in DER.
    signer : SimpleSigner
        What signs.
    holder : Certificate
        The certificate.
    """

    subject: str
    certificate: str
    signer: SimpleSigner = field(repr=False)
    holder: Certificate = field(repr=False)


@contextmanager
def needing_pyhanko(where: str) -> Iterator[None]:
    """Turn the lack of the extra ``sign`` into a fault with the line that installs it.

    Raises
    ------
    MissingSoftwareError
    """
    for name in ("pyhanko", "pyhanko_certvalidator"):
        # What they log, tracebacks among it, is told by faults and checks.
        logging.getLogger(name).addHandler(logging.NullHandler())
    try:
        yield
    except ModuleNotFoundError as error:
        what = f"this needs the library pyHanko ({error.name} is not installed)"
        raise MissingSoftwareError([Fault(where, what, INSTALL)]) from None


def read_identity(
    pkcs12: bytes, passphrase: bytes | None, *, moment: datetime, where: str = "--pkcs12"
) -> Identity:
    """Return the key and certificate of a PKCS#12 file.

    Parameters
    ----------
    pkcs12 : bytes
        The file.
    passphrase : bytes or None
        What opens it.
    moment : datetime
        When it is to sign; aware.
    where : str
        The file, for the faults.

    Raises
    ------
    MissingSoftwareError
        If pyHanko is not installed.
    RequestError
        If the passphrase is wrong, the file holds no key with its certificate, or that may not sign
        documents or is not valid at `moment`.
    """
    with needing_pyhanko(where):
        from cryptography.hazmat.primitives.serialization import pkcs12 as files
        from pyhanko.sign.signers import SimpleSigner
    try:
        key, holder, _chain = files.load_key_and_certificates(pkcs12, passphrase)
    except (ValueError, TypeError):
        what = "cannot be opened: the passphrase is wrong, or it is no PKCS#12 file"
        if passphrase is None:
            what = "cannot be opened without a passphrase, or it is no PKCS#12 file"
        mend = "give the passphrase with --passphrase-file or REPORTGEN_PASSPHRASE"
        raise RequestError([Fault(where, what, mend)]) from None
    if key is None or holder is None:
        what = "holds no private key with its certificate"
        raise RequestError([Fault(where, what, "export both into one PKCS#12 file")])
    faults = [
        Fault(where, what, mend)
        for what, mend in (*_validity(holder, moment), *_usage(holder), *_kind(key))
    ]
    if faults:
        raise RequestError(faults)
    signer = SimpleSigner.load_pkcs12_data(pkcs12, (), passphrase)
    return Identity(*named(holder), signer, holder)


def needs_passphrase(pkcs12: bytes) -> bool:
    """Return whether a PKCS#12 file cannot be opened without a passphrase.

    Raises
    ------
    MissingSoftwareError
        If pyHanko is not installed.
    """
    with needing_pyhanko("--pkcs12"):
        from cryptography.hazmat.primitives.serialization import pkcs12 as files
    try:
        files.load_key_and_certificates(pkcs12, None)
    except (ValueError, TypeError):
        return True
    return False


def stated(time: datetime | str | None) -> str | None:
    """Return a time that a signature states as text: UTC, to the second."""
    if not isinstance(time, datetime):
        return time
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def named(certificate: Certificate) -> tuple[str, str]:
    """Return a certificate's subject (RFC 4514) and the SHA-256 of its DER form."""
    from cryptography.hazmat.primitives.serialization import Encoding

    return (
        certificate.subject.rfc4514_string(),
        sha256_of(certificate.public_bytes(Encoding.DER)),
    )


def named_der(der: bytes) -> tuple[str, str]:
    """Return what :func:`named` does, of a certificate in DER."""
    from cryptography.x509 import load_der_x509_certificate

    return named(load_der_x509_certificate(der))


def _validity(holder: Certificate, moment: datetime) -> Iterator[tuple[str, str]]:
    first, last = holder.not_valid_before_utc, holder.not_valid_after_utc
    if moment > last:
        yield f"its certificate expired at {last:%Y-%m-%d %H:%M} UTC", MEND
    elif moment < first:
        yield f"its certificate is valid only from {first:%Y-%m-%d %H:%M} UTC", MEND


def _usage(holder: Certificate) -> Iterator[tuple[str, str]]:
    """Yield that a certificate is not for signatures, where it says what it is for."""
    from cryptography.x509 import ExtensionNotFound, KeyUsage

    try:
        usage = holder.extensions.get_extension_for_class(KeyUsage).value
    except ExtensionNotFound:
        return
    if not (usage.digital_signature or usage.content_commitment):
        what = "its certificate is not for signatures (key usage)"
        yield what, "name one with digitalSignature or nonRepudiation"


def _kind(key: Any) -> Iterator[tuple[str, str]]:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    strong = isinstance(key, RSAPrivateKey) and key.key_size >= LEAST_RSA_BITS
    if not strong and not isinstance(key, EllipticCurvePrivateKey):
        what = "its key is none that PDF readers take for a signature of today"
        yield what, f"use RSA of at least {LEAST_RSA_BITS} bits, or ECDSA"


def certificates(contents: Iterable[tuple[str, bytes]]) -> list[Any]:
    """Return certificates as pyHanko takes them, from files in PEM or DER.

    Parameters
    ----------
    contents : iterable of (text, bytes)
        Name, for the fault, and content of each file; a PEM file may hold several.

    Raises
    ------
    MissingSoftwareError
        If pyHanko is not installed.
    RequestError
        With every file that holds none.
    """
    with needing_pyhanko("--trust"):
        from asn1crypto import pem, x509
    found, faults = [], []
    for where, content in contents:
        try:
            parts = [content]
            if pem.detect(content):
                parts = [der for _kind, _headers, der in pem.unarmor(content, multiple=True)]
            for part in parts:
                one = x509.Certificate.load(part, strict=True)
                named_der(one.dump())  # as a whole: what is only half a certificate fails here
                found.append(one)
        except (ValueError, TypeError):
            faults.append(Fault(where, "holds no certificate", "name a PEM or DER file of one"))
    if faults:
        raise RequestError(faults)
    return found
