"""The seal: one PAdES signature over the whole PDF, in the field that was made for it.

pyHanko signs; it is switched off where it would undo what the page promises. It rewrites the
metadata packet with its own and so loses the descriptions of schemas that PDF/A wants: that step is
taken out, and the version is pinned since the step has no public name. No appearance is drawn. The
signature certifies the file and permits no change. Data for validation after the certificate's
end goes into the same revision, so that the signature covers every byte of the file.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from reportgen.errors import Fault, RequestError
from reportgen.render.pdf_seal_field import SEAL
from reportgen.signing.identity import (
    Identity,
    named_der,
    needing_pyhanko,
    read_identity,
    stated,
)

if TYPE_CHECKING:
    from cryptography.x509 import Certificate
    from pyhanko.sign.timestamps import TimeStamper
    from pyhanko_certvalidator import ValidationContext

Level = Literal["PAdES-B-B", "PAdES-B-T", "PAdES-B-LT"]
TSA_SECONDS = 30
FETCH_SECONDS = 20


@dataclass(frozen=True)
class SealedPdf:
    """A sealed file.

    Attributes
    ----------
    pdf : bytes
        The file as it was, and the seal behind it.
    level : {"PAdES-B-B", "PAdES-B-T", "PAdES-B-LT"}
        What it was sealed as: with the signer's word on the time alone, with a time stamp, with
        that and revocation data (ETSI EN 319 142-1).
    notes : tuple of str
        Why the level is no higher, where more was asked for.
    """

    pdf: bytes
    level: Level
    notes: tuple[str, ...] = ()


def seal(
    pdf: bytes,
    pkcs12: bytes,
    passphrase: bytes | None,
    *,
    tsa: TimeStamper | str | None = None,
    moment: datetime,
    trusted: Sequence[Any] = (),
) -> bytes:
    """Return a signed copy with its seal; see :func:`seal_with`, which this opens the file for."""
    identity = read_identity(pkcs12, passphrase, moment=moment)
    return seal_with(pdf, identity, tsa=tsa, moment=moment, trusted=trusted).pdf


def seal_with(
    pdf: bytes,
    identity: Identity,
    *,
    tsa: TimeStamper | str | None = None,
    moment: datetime,
    trusted: Sequence[Any] = (),
) -> SealedPdf:
    """Return a signed copy with its seal: PAdES, SHA-256, certified, no change permitted.

    Parameters
    ----------
    pdf : bytes
        With an empty signature field of the name "Seal".
    identity : Identity
        Who seals.
    tsa : TimeStamper or str, optional
        A time stamping authority (RFC 3161), or its address.
    moment : datetime
        The time that the signature states; aware.
    trusted : sequence of asn1crypto Certificate
        Roots, from :func:`reportgen.signing.identity.certificates`. With a time stamp and roots,
        revocation data is fetched and put in, as far as the certificates name addresses.

    Raises
    ------
    RequestError
        If the time stamping authority does not answer as it should.
    """
    stamper = timestamper(tsa)
    if stamper is None:
        return SealedPdf(_signed(pdf, identity, moment, None, None), "PAdES-B-B")
    done = _with_revocation_data(pdf, identity, moment, stamper, trusted)
    if isinstance(done, bytes):
        return SealedPdf(done, "PAdES-B-LT")
    note = f"no revocation data was put into the seal: {done}"
    return SealedPdf(_signed(pdf, identity, moment, stamper, None), "PAdES-B-T", (note,))


def timestamper(tsa: TimeStamper | str | None) -> TimeStamper | None:
    """Return what asks for time stamps: over HTTP where an address was given."""
    if not isinstance(tsa, str):
        return tsa
    from pyhanko.sign.timestamps.requests_client import RequestsHTTPTimeStamper

    asking: Any = RequestsHTTPTimeStamper
    made: TimeStamper = asking(tsa, timeout=TSA_SECONDS)
    return made


@contextmanager
def answering(stamper: TimeStamper | None) -> Iterator[None]:
    """Turn the silence or a refusal of a time stamping authority into a fault.

    Raises
    ------
    RequestError
    """
    from pyhanko.sign.timestamps.common_utils import TimestampRequestError

    try:
        yield
    except TimestampRequestError as error:
        where = f"--tsa {getattr(stamper, 'url', '')}".strip()
        what = f"gives no time stamp ({error})"
        mend = "name the address of a time stamping authority (RFC 3161), or leave it out"
        raise RequestError([Fault(where, what, mend)]) from None


def _signed(
    pdf: bytes,
    identity: Identity,
    moment: datetime,
    stamper: TimeStamper | None,
    context: ValidationContext | None,
) -> bytes:
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.fields import MDPPerm, SigSeedSubFilter
    from pyhanko.sign.signers import PdfSignatureMetadata
    from pyhanko.sign.signers.pdf_signer import DSSContentSettings, SigDSSPlacementPreference

    settings = PdfSignatureMetadata(
        field_name=SEAL,
        md_algorithm="sha256",
        subfilter=SigSeedSubFilter.PADES,
        certify=True,
        docmdp_permissions=MDPPerm.NO_CHANGES,
        signer_key_usage=set(),  # was checked when the identity was read
        embed_validation_info=context is not None,
        validation_context=context,
        dss_settings=DSSContentSettings(
            include_vri=False, placement=SigDSSPlacementPreference.TOGETHER_WITH_SIGNATURE
        ),
    )
    writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
    # pyHanko's metadata packet would take the place of ours; see above.
    writer._update_meta = lambda: None  # type: ignore[method-assign]
    signer = _pdf_signer(settings, identity, stamper, moment)
    with answering(stamper):
        return bytes(signer.sign_pdf(writer, existing_fields_only=True).getvalue())


def _pdf_signer(
    settings: Any, identity: Identity, stamper: TimeStamper | None, moment: datetime
) -> Any:
    """Return what signs a PDF at the given moment, where pyHanko would read the clock."""
    from pyhanko.sign.signers import PdfSigner

    class AtThatMoment(PdfSigner):
        def init_signing_session(self, *words: Any, **options: Any) -> Any:
            session = super().init_signing_session(*words, **options)
            session.system_time = moment
            return session

    return AtThatMoment(settings, identity.signer, timestamper=stamper)


def _with_revocation_data(
    pdf: bytes,
    identity: Identity,
    moment: datetime,
    stamper: TimeStamper,
    trusted: Sequence[Any],
) -> bytes | str:
    """Return the sealed file with revocation data in it, or why there is none."""
    from pyhanko.sign.general import SigningError
    from pyhanko_certvalidator import ValidationContext
    from pyhanko_certvalidator.errors import PathError, RevokedError, ValidationError
    from pyhanko_certvalidator.fetchers.requests_fetchers import RequestsFetcherBackend

    if not trusted:
        return "name the roots of the certificate and of the authority with --trust"
    if not _names_addresses(identity.holder):
        return "the certificate names no OCSP or CRL address"
    context = ValidationContext(
        trust_roots=trusted,
        other_certs=list(identity.signer.cert_registry),
        allow_fetching=True,
        fetcher_backend=RequestsFetcherBackend(FETCH_SECONDS),
    )
    try:
        done = _signed(pdf, identity, moment, stamper, context)
    except (SigningError, PathError, ValidationError) as error:
        if isinstance(error, RevokedError) or isinstance(error.__cause__, RevokedError):
            what = f"the certificate of {identity.subject} was revoked"
            raise RequestError([Fault("--pkcs12", what, "seal with another one")]) from None
        return str(error).strip().rstrip(".").splitlines()[0]
    return done if context.crls or context.ocsps else "none could be fetched"


def _names_addresses(holder: Certificate) -> bool:
    """Return whether a certificate says where to ask if it was revoked."""
    from cryptography import x509
    from cryptography.x509.oid import AuthorityInformationAccessOID

    for extension in holder.extensions:
        value = extension.value
        if isinstance(value, x509.CRLDistributionPoints):
            return True
        if isinstance(value, x509.AuthorityInformationAccess):
            methods = (one.access_method for one in value)
            if AuthorityInformationAccessOID.OCSP in methods:
                return True
    return False


@dataclass(frozen=True)
class SealCheck:
    """What was found of a seal.

    Attributes
    ----------
    intact : bool
        Whether there is one seal, its signature is valid, and what it covers is as it was.
    covers_whole_file : bool
        Whether it covers every byte of the file but its own.
    subject : str or None
        Subject of the certificate (RFC 4514); None where there is no seal to read.
    certificate : str or None
        SHA-256 of the certificate in DER.
    trusted : bool or None
        Whether a trusted certificate stands behind it at `time`; None where none was given.
    time : str or None
        When it was sealed, in UTC: by the time stamp, if there is an intact one, else by the word
        of who sealed.
    stamped : bool
        Whether the time is that of an intact time stamp.
    reason : str or None
        What is wrong, where something is.
    """

    intact: bool
    covers_whole_file: bool
    subject: str | None = None
    certificate: str | None = None
    trusted: bool | None = None
    time: str | None = None
    stamped: bool = False
    reason: str | None = None


def check_seal(pdf: bytes, trusted: Sequence[Any] = ()) -> SealCheck:
    """Return what there is to say of the seal of a PDF; nothing is fetched.

    Parameters
    ----------
    pdf : bytes
        The file.
    trusted : sequence of asn1crypto Certificate
        Roots, from :func:`reportgen.signing.identity.certificates`.

    Raises
    ------
    MissingSoftwareError
        If pyHanko is not installed.
    """
    with needing_pyhanko("dossier-signed.pdf"):
        from pyhanko.pdf_utils.reader import PdfFileReader
    try:
        reader = PdfFileReader(io.BytesIO(pdf))
        found = reader.embedded_signatures
        if [one.field_name for one in found] != [SEAL]:
            return SealCheck(False, False, reason=f"it has {len(found)} signatures, not one seal")
        return _checked(reader, found[0], trusted)
    except Exception as error:  # whatever a damaged file makes of a parser
        return SealCheck(False, False, reason=f"it cannot be read ({type(error).__name__})")


def _checked(reader: Any, found: Any, trusted: Sequence[Any]) -> SealCheck:
    from pyhanko.sign.validation.status import SignatureCoverageLevel

    claimed = found.self_reported_timestamp
    status = _status(reader, found, trusted, claimed)
    stamp = status.timestamp_validity
    stamped = bool(
        stamp is not None and stamp.intact and stamp.valid and (stamp.trusted or not trusted)
    )
    time = stamp.timestamp if stamped else claimed
    if time != claimed:
        status = _status(reader, found, trusted, time)
    whole = status.coverage == SignatureCoverageLevel.ENTIRE_FILE
    wrong = {
        "what the signature covers was changed": not status.intact,
        "the signature is not that of its certificate": not status.valid,
        "the file holds more than the signature covers": not whole,
    }
    return SealCheck(
        bool(status.intact and status.valid),
        whole,
        *named_der(status.signing_cert.dump()),
        trusted=bool(status.trusted) if trusted else None,
        time=stated(time),
        stamped=stamped,
        reason="; ".join(text for text, met in wrong.items() if met) or None,
    )


def _status(reader: Any, found: Any, trusted: Sequence[Any], at: datetime | None) -> Any:
    """Return what pyHanko says of a signature, asked as of a moment.

    How the file changed after the signature is not looked into: nothing may follow it.
    """
    from pyhanko.sign.validation import validate_pdf_signature
    from pyhanko.sign.validation.settings import KeyUsageConstraints

    usage = KeyUsageConstraints(
        key_usage={"digital_signature", "non_repudiation"}, match_all_key_usages=False
    )
    return validate_pdf_signature(
        found, _offline(reader, trusted, at), key_usage_settings=usage, skip_diff=True
    )


def _offline(reader: Any, trusted: Sequence[Any], at: datetime | None) -> ValidationContext:
    """Return what is known of certificates without asking anybody: roots, and the file's data."""
    from pyhanko.sign.validation.dss import DocumentSecurityStore
    from pyhanko.sign.validation.errors import NoDSSFoundError
    from pyhanko_certvalidator import ValidationContext

    settings: dict[str, Any] = {"trust_roots": list(trusted), "moment": at, "allow_fetching": False}
    try:
        return DocumentSecurityStore.read_dss(reader).as_validation_context(settings)
    except NoDSSFoundError:
        return ValidationContext(**settings)
