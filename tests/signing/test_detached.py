"""Detached signatures: what openssl says of them, and what we do."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from reportgen.release.fingerprint import sha256_of
from reportgen.signing.detached import check_detached, detached
from reportgen.signing.identity import certificates, read_identity
from tests.support.certificates import PASSPHRASE, authority, certified, sealer, stamper
from tests.support.pdf_files import tool

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
SUMS = b"".join(b"%064x  file-%d\n" % (k, k) for k in range(5))


@pytest.fixture(scope="module")
def signature() -> bytes:
    identity = read_identity(sealer().pkcs12(), PASSPHRASE, moment=NOW)
    return detached(SUMS, identity, moment=NOW)


def test_openssl_takes_it(signature: bytes, tmp_path: Path) -> None:
    (tmp_path / "1.p7s").write_bytes(signature)
    (tmp_path / "SHA256SUMS").write_bytes(SUMS)
    (tmp_path / "root.pem").write_bytes(authority().pem)
    words = ("-verify", "-binary", "-inform", "DER", "-in", str(tmp_path / "1.p7s"))
    more = ("-content", str(tmp_path / "SHA256SUMS"), "-CAfile", str(tmp_path / "root.pem"))
    assert tool("openssl", "cms", *words, *more, "-purpose", "any").encode() == SUMS
    (tmp_path / "SHA256SUMS").write_bytes(SUMS + b"\n")
    with pytest.raises(AssertionError, match="ailure"):
        tool("openssl", "cms", *words, *more, "-purpose", "any")


def test_what_is_said_of_it(signature: bytes) -> None:
    roots = certificates([("root", authority().pem)])
    found = check_detached(signature, SUMS, roots)
    assert (found.intact, found.trusted, found.time) == (True, True, "2026-11-30T12:00:00Z")
    assert found.certificate == sha256_of(sealer().der)
    assert check_detached(signature, SUMS).trusted is None
    stranger = certificates([("other", certified("Another root").pem)])
    assert check_detached(signature, SUMS, stranger).trusted is False


def test_other_content_and_other_bytes_are_seen(signature: bytes) -> None:
    assert not check_detached(signature, SUMS + b"\n").intact
    assert not check_detached(signature[:-1], SUMS).intact
    assert not check_detached(signature + b"\n", SUMS).intact
    assert not check_detached(b"", SUMS).intact
    root = certificates([("root", authority().pem)])
    for place in range(0, len(signature), max(1, len(signature) // 40)):
        changed = signature[:place] + bytes([signature[place] ^ 1]) + signature[place + 1 :]
        found = check_detached(changed, SUMS, root)
        # A certificate that merely travels along may change: it is then trusted by no one.
        assert not (found.intact and found.trusted) or found == check_detached(
            signature, SUMS, root
        )


def test_it_may_carry_a_time_stamp(signature: bytes) -> None:
    identity = read_identity(sealer().pkcs12(), PASSPHRASE, moment=NOW)
    stamped = detached(SUMS, identity, moment=NOW, tsa=stamper(NOW))
    assert len(stamped) > len(signature) + 500
    assert check_detached(stamped, SUMS, certificates([("root", authority().pem)])).trusted
