"""Keys and certificates for tests, made on the spot: an authority, who it certifies, revocation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

from asn1crypto import keys
from asn1crypto import x509 as asn1
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from pyhanko.sign.timestamps import DummyTimeStamper

FIRST, LAST = datetime(2020, 1, 1, tzinfo=UTC), datetime(2060, 1, 1, tzinfo=UTC)
PASSPHRASE = b"correct horse"


@dataclass(frozen=True)
class Certified:
    """A key and its certificate, with that of who issued it."""

    key: Any
    certificate: x509.Certificate
    issuer: x509.Certificate

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)

    def pkcs12(self, passphrase: bytes | None = PASSPHRASE) -> bytes:
        lock = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
        return pkcs12.serialize_key_and_certificates(
            b"seal", self.key, self.certificate, [self.issuer], lock
        )


def key_of(kind: str) -> Any:
    """Return a new key: "ec", "ed25519", or "rsa" with its bits."""
    if kind == "ec":
        return ec.generate_private_key(ec.SECP256R1())
    if kind == "ed25519":
        return ed25519.Ed25519PrivateKey.generate()
    return rsa.generate_private_key(65537, int(kind.removeprefix("rsa")))


def certified(
    name: str,
    by: Certified | None = None,
    *,
    kind: str = "ec",
    first: datetime = FIRST,
    last: datetime = LAST,
    signs: bool = True,
    crl: str | None = None,
    stamps: bool = False,
) -> Certified:
    """Return a key with a certificate: an authority's own, or one that `by` issued."""
    key = key_of(kind)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    ca = by is None
    usage = dict.fromkeys(
        ("data_encipherment", "key_agreement", "encipher_only", "decipher_only"), False
    )
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(first)
        .not_valid_after(last)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(
            x509.KeyUsage(
                digital_signature=signs and not ca,
                content_commitment=signs and not ca,
                key_encipherment=not signs,
                key_cert_sign=ca,
                crl_sign=ca,
                **usage,
            ),
            critical=True,
        )
    )
    if crl:
        point = x509.DistributionPoint([x509.UniformResourceIdentifier(crl)], None, None, None)
        made = made.add_extension(x509.CRLDistributionPoints([point]), critical=False)
    if stamps:
        purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
        made = made.add_extension(purpose, critical=True)
    certificate = made.sign(by.key if by else key, hashes.SHA256())
    return Certified(key, certificate, by.certificate if by else certificate)


@cache
def authority() -> Certified:
    """Return the authority of these tests."""
    return certified("Test root")


@cache
def sealer() -> Certified:
    """Return who seals in these tests: an RSA key, as most hold one."""
    return certified("Validation group, seal", authority(), kind="rsa2048")


def stamper(at: datetime) -> DummyTimeStamper:
    """Return a time stamping authority of pyHanko's, which always says the same time."""
    one = _stamping()
    der = one.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return DummyTimeStamper(
        asn1.Certificate.load(one.der), keys.PrivateKeyInfo.load(der), fixed_dt=at
    )


@cache
def _stamping() -> Certified:
    return certified("Test time stamps", authority(), kind="rsa2048", stamps=True)


def revocation_list(by: Certified, *revoked: Certified, at: datetime) -> bytes:
    """Return the list of certificates that `by` revoked, in DER, of the moment `at`."""
    made = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(by.certificate.subject)
        .last_update(FIRST)
        .next_update(LAST)
    )
    for one in revoked:
        entry = x509.RevokedCertificateBuilder()
        entry = entry.serial_number(one.certificate.serial_number).revocation_date(at)
        made = made.add_revoked_certificate(entry.build())
    return made.sign(by.key, hashes.SHA256()).public_bytes(Encoding.DER)
