"""The seal, judged by a validator, by poppler and by qpdf; what breaks it, and who may set it."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pikepdf
import pytest

from reportgen.errors import MissingSoftwareError, RequestError
from reportgen.release.environment import missing_for_pdf
from reportgen.release.fingerprint import sha256_of
from reportgen.render.pdf import write_pdf
from reportgen.render.pdf_attachment import attachments_of
from reportgen.signing.identity import certificates, needs_passphrase, read_identity
from reportgen.signing.seal import SealedPdf, check_seal, seal, seal_with
from tests.support.certificates import (
    PASSPHRASE,
    Certified,
    authority,
    certified,
    revocation_list,
    sealer,
    stamper,
)
from tests.support.pdf_files import failed_rules, tool

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
LATER = datetime(2026, 11, 30, 12, 0, 7, tzinfo=UTC)
PAGE = (
    '<!DOCTYPE html><html lang="en"><head><title>Signed</title>'
    "<style>@page { @top-left { content: 'head' } } body { font-family: 'IBM Plex Sans' }"
    "/* fonts */</style></head><body><main><h1>Signed</h1><p>By <a href='#b'>somebody</a>.</p>"
    "<p id='b'>There.</p></main></body></html>"
)


@pytest.fixture(scope="module")
def unsealed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A page with a field for a seal and the ledger attached."""
    if missing_for_pdf():
        pytest.skip("a library for the PDF is not on this machine")
    from reportgen.render.fonts import linked_faces

    file = tmp_path_factory.mktemp("unsealed") / "d.pdf"
    write_pdf(
        PAGE.replace("/* fonts */", linked_faces()),
        file,
        identifier="ab" * 32,
        date="2026-11-30",
        run={"model": "m", "modelVersion": "1", "revision": "1", "resultsSha256": "ab" * 32},
        attachments=attachments_of({"approvals.json": b"{}\n", "results.json": b"{}\n"}),
        seal_field="Seal of the dossier",
    )
    return file.read_bytes()


@pytest.fixture(scope="module")
def sealed(unsealed: bytes) -> bytes:
    return seal(unsealed, sealer().pkcs12(), PASSPHRASE, tsa=None, moment=NOW)


def roots(*ones: Certified) -> list[object]:
    return certificates((f"root {place}", one.pem) for place, one in enumerate(ones))


@pytest.mark.parametrize("standard", ["3a", "ua1"])
def test_a_signed_copy_keeps_its_standards_before_and_after(
    unsealed: bytes, sealed: bytes, standard: str, tmp_path: Path
) -> None:
    for content in (unsealed, sealed):
        (tmp_path / "d.pdf").write_bytes(content)
        assert failed_rules(tmp_path / "d.pdf", standard) == []


def test_poppler_takes_the_seal_for_valid_and_whole(sealed: bytes, tmp_path: Path) -> None:
    (tmp_path / "d.pdf").write_bytes(sealed)
    said = tool("pdfsig", "-nocert", str(tmp_path / "d.pdf"))
    assert "Signature Validation: Signature is Valid." in said
    assert "Total document signed" in said
    assert "Signature Type: ETSI.CAdES.detached" in said
    assert "Signing Hash Algorithm: SHA-256" in said
    assert "Nov 30 2026 12:00:00" in said
    assert said.count("Signature #") == 1


def test_qpdf_finds_nothing_wrong(unsealed: bytes, sealed: bytes, tmp_path: Path) -> None:
    for content in (unsealed, sealed):
        (tmp_path / "d.pdf").write_bytes(content)
        assert "No syntax or stream encoding errors" in tool(
            "qpdf", "--check", str(tmp_path / "d.pdf")
        )


def test_the_seal_stands_behind_the_file_and_changes_nothing_in_it(
    unsealed: bytes, sealed: bytes, tmp_path: Path
) -> None:
    assert sealed.startswith(unsealed)
    (tmp_path / "a.pdf").write_bytes(unsealed)
    (tmp_path / "b.pdf").write_bytes(sealed)
    with pikepdf.open(tmp_path / "a.pdf") as before, pikepdf.open(tmp_path / "b.pdf") as after:
        assert after.Root.Metadata.read_bytes() == before.Root.Metadata.read_bytes()
        assert dict(after.docinfo) == dict(before.docinfo)
        assert sorted(after.attachments) == ["approvals.json", "results.json"]
        assert after.Root.Perms.DocMDP.Reference[0].TransformParams.P == 1  # no change permitted
        (field,) = after.Root.AcroForm.Fields
        assert (str(field.T), str(field.TU)) == ("Seal", "Seal of the dossier")
        assert list(field.Rect) == [0, 0, 0, 0]


def test_what_is_said_of_a_good_seal(sealed: bytes) -> None:
    found = check_seal(sealed, roots(authority()))
    assert (found.intact, found.covers_whole_file, found.trusted) == (True, True, True)
    assert found.subject == "CN=Validation group\\, seal"  # RFC 4514, 2.4
    assert found.certificate == sha256_of(sealer().der)
    assert (found.time, found.stamped) == ("2026-11-30T12:00:00Z", False)
    assert found.reason is None


def test_trust_is_for_the_reader_to_give(sealed: bytes) -> None:
    assert check_seal(sealed).trusted is None
    stranger = check_seal(sealed, roots(certified("Another root")))
    assert (stranger.intact, stranger.trusted) == (True, False)


def test_a_byte_more_is_seen(sealed: bytes) -> None:
    for more in (b"\n", b"x", b"%%EOF\n"):
        assert not check_seal(sealed + more).covers_whole_file


def test_no_byte_changes_unseen(unsealed: bytes, sealed: bytes) -> None:
    places = [*range(10, len(unsealed), len(unsealed) // 25)]
    places += [*range(len(unsealed), len(sealed), (len(sealed) - len(unsealed)) // 25)]
    hidden = []
    for place in places:
        changed = sealed[:place] + bytes([sealed[place] ^ 1]) + sealed[place + 1 :]
        found = check_seal(changed)
        if found.intact and found.covers_whole_file:
            hidden.append(place)
    # The signature cannot cover itself, nor the certificates that travel in it: SHA256SUMS.signed
    # lists the file with them.
    room = re.search(rb"/Contents <[0-9A-F]*>", sealed[len(unsealed) :])
    assert room is not None
    start, end = (len(unsealed) + at for at in room.span())
    assert [place for place in hidden if not start <= place < end] == []
    assert len(hidden) < len(places) / 2


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\n", b"\x00" * 100])
def test_what_is_no_pdf_has_no_seal(content: bytes) -> None:
    found = check_seal(content)
    assert (found.intact, found.covers_whole_file) == (False, False)
    assert found.reason


def test_an_empty_field_is_no_seal(unsealed: bytes) -> None:
    found = check_seal(unsealed)
    assert (found.intact, found.subject) == (False, None)


def test_a_time_stamp_tells_the_time(unsealed: bytes, tmp_path: Path) -> None:
    identity = read_identity(sealer().pkcs12(), PASSPHRASE, moment=NOW)
    done = seal_with(unsealed, identity, tsa=stamper(LATER), moment=NOW)
    assert done.level == "PAdES-B-T"
    assert "--trust" in done.notes[0]
    found = check_seal(done.pdf, roots(authority()))
    assert (found.intact, found.covers_whole_file, found.trusted) == (True, True, True)
    assert (found.time, found.stamped) == ("2026-11-30T12:00:07Z", True)
    (tmp_path / "d.pdf").write_bytes(done.pdf)
    assert [failed_rules(tmp_path / "d.pdf", one) for one in ("3a", "ua1")] == [[], []]


@contextmanager
def serving(box: list[bytes]) -> Iterator[str]:
    """Serve what is in the box, on this machine alone, and yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/pkix-crl")
            self.send_header("Content-Length", str(len(box[0])))
            self.end_headers()
            self.wfile.write(box[0])

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/root.crl"
        server.shutdown()
        thread.join()


def sealed_with_list(unsealed: bytes, *, revoked: bool) -> SealedPdf:
    """Seal with a certificate that names a list of revoked ones, which is served."""
    box = [b""]
    with serving(box) as address:
        one = certified("With a list", authority(), crl=address)
        gone = [one] if revoked else []
        box[0] = revocation_list(authority(), *gone, at=NOW - timedelta(days=1))
        identity = read_identity(one.pkcs12(), PASSPHRASE, moment=NOW)
        return seal_with(
            unsealed, identity, tsa=stamper(NOW), moment=NOW, trusted=roots(authority())
        )


def test_revocation_data_goes_into_the_seal(unsealed: bytes, tmp_path: Path) -> None:
    done = sealed_with_list(unsealed, revoked=False)
    assert (done.level, done.notes) == ("PAdES-B-LT", ())
    found = check_seal(done.pdf, roots(authority()))
    assert (found.intact, found.covers_whole_file, found.trusted) == (True, True, True)
    (tmp_path / "d.pdf").write_bytes(done.pdf)
    with pikepdf.open(tmp_path / "d.pdf") as pdf:
        assert len(pdf.Root.DSS.CRLs) == 1
    assert [failed_rules(tmp_path / "d.pdf", one) for one in ("3a", "ua1")] == [[], []]
    assert "Total document signed" in tool("pdfsig", "-nocert", str(tmp_path / "d.pdf"))


def test_a_revoked_certificate_seals_nothing(unsealed: bytes) -> None:
    with pytest.raises(RequestError, match="revoked"):
        sealed_with_list(unsealed, revoked=True)


def test_an_authority_that_does_not_answer_is_a_fault(unsealed: bytes) -> None:
    identity = read_identity(sealer().pkcs12(), PASSPHRASE, moment=NOW)
    with serving([b"no time stamp"]) as address, pytest.raises(RequestError, match="--tsa"):
        seal_with(unsealed, identity, tsa=address, moment=NOW)


REFUSED = {
    "expired at 2026-11-29": lambda: certified("x", authority(), last=NOW - timedelta(days=1)),
    "valid only from 2026-12-01": lambda: certified("x", authority(), first=NOW + timedelta(1)),
    "not for signatures": lambda: certified("x", authority(), signs=False),
    "RSA of at least 2048": lambda: certified("x", authority(), kind="rsa1024"),
    "or ECDSA": lambda: certified("x", authority(), kind="ed25519"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_certificate_that_may_not_seal_is_refused(why: str) -> None:
    with pytest.raises(RequestError, match=why) as error:
        read_identity(REFUSED[why]().pkcs12(), PASSPHRASE, moment=NOW, where="seal.p12")
    assert error.value.faults[0].where == "seal.p12"


@pytest.mark.parametrize("passphrase", [b"wrong", b"", None])
def test_a_wrong_passphrase_is_told(passphrase: bytes | None) -> None:
    with pytest.raises(RequestError, match="passphrase"):
        read_identity(sealer().pkcs12(), passphrase, moment=NOW)


def test_a_file_without_a_lock_wants_no_passphrase() -> None:
    assert needs_passphrase(sealer().pkcs12())
    assert not needs_passphrase(sealer().pkcs12(None))
    assert read_identity(sealer().pkcs12(None), None, moment=NOW).subject.startswith("CN=")


@pytest.mark.parametrize("content", [b"", b"rubbish", b"-----BEGIN CERTIFICATE-----\nAA==\n"])
def test_what_is_no_certificate_is_refused_by_name(content: bytes) -> None:
    with pytest.raises(RequestError, match=r"root\.pem"):
        certificates([("root.pem", content)])


def test_roots_come_in_pem_or_der_and_several_in_a_file() -> None:
    assert len(certificates([("a", authority().der), ("b", authority().pem * 2)])) == 3


def test_without_pyhanko_the_line_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyhanko.sign.signers", None)
    with pytest.raises(MissingSoftwareError, match=r'pip install "reportgen\[sign\]"'):
        read_identity(sealer().pkcs12(), PASSPHRASE, moment=NOW)
