"""A detached signature of one approver over SHA256SUMS: CMS (RFC 5652), as openssl reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reportgen.signing.identity import Identity, named_der, needing_pyhanko, stated
from reportgen.signing.seal import answering, timestamper

if TYPE_CHECKING:
    from pyhanko.sign.timestamps import TimeStamper


def detached(
    content: bytes,
    identity: Identity,
    *,
    moment: datetime,
    tsa: TimeStamper | str | None = None,
) -> bytes:
    """Return a detached CMS signature in DER, with the chain of the certificate.

    Parameters
    ----------
    content : bytes
        What is signed: SHA256SUMS, and by it every file of the record.
    identity : Identity
        Who signs.
    moment : datetime
        The time that the signature states; aware.
    tsa : TimeStamper or str, optional
        A time stamping authority, or its address.

    Raises
    ------
    RequestError
        If the time stamping authority does not answer as it should.
    """
    from pyhanko.sign.signers.pdf_cms import PdfCMSSignedAttributes

    stamper = timestamper(tsa)
    with answering(stamper):
        made = asyncio.run(
            identity.signer.async_sign_general_data(
                content,
                "sha256",
                timestamper=stamper,
                signed_attr_settings=PdfCMSSignedAttributes(signing_time=moment),
            )
        )
    return bytes(made.dump())


@dataclass(frozen=True)
class DetachedCheck:
    """What was found of a detached signature.

    Attributes
    ----------
    intact : bool
        Whether it is a signature of these bytes by its certificate.
    subject, certificate : str or None
        As in :class:`reportgen.signing.seal.SealCheck`.
    trusted : bool or None
        Whether a trusted certificate stands behind it at `time`; None where none was given.
    time : str or None
        When it was signed, in UTC, by the word of who signed.
    """

    intact: bool
    subject: str | None = None
    certificate: str | None = None
    trusted: bool | None = None
    time: str | None = None


def check_detached(signature: bytes, content: bytes, trusted: Sequence[Any] = ()) -> DetachedCheck:
    """Return what there is to say of a detached signature over `content`; nothing is fetched.

    Raises
    ------
    MissingSoftwareError
        If pyHanko is not installed.
    """
    with needing_pyhanko("signatures"):
        from asn1crypto import cms
    try:
        info = cms.ContentInfo.load(signature, strict=True)
        return asyncio.run(_checked(info["content"], content, trusted))
    except Exception:  # whatever a damaged file makes of a parser
        return DetachedCheck(intact=False)


async def _checked(signed: Any, content: bytes, trusted: Sequence[Any]) -> DetachedCheck:
    from pyhanko.sign.general import extract_signer_info
    from pyhanko.sign.validation.generic_cms import (
        async_validate_detached_cms,
        extract_self_reported_ts,
    )
    from pyhanko.sign.validation.settings import KeyUsageConstraints
    from pyhanko_certvalidator import ValidationContext

    time = extract_self_reported_ts(extract_signer_info(signed))
    usage = KeyUsageConstraints(
        key_usage={"digital_signature", "non_repudiation"}, match_all_key_usages=False
    )
    context = ValidationContext(trust_roots=list(trusted), moment=time, allow_fetching=False)
    status = await async_validate_detached_cms(content, signed, context, key_usage_settings=usage)
    return DetachedCheck(
        bool(status.intact and status.valid),
        *named_der(status.signing_cert.dump()),
        trusted=bool(status.trusted) if trusted else None,
        time=stated(time),
    )
