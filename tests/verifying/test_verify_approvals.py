"""Approvals, the seal and the archive: what a forger can write anew, and what only a key can."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pikepdf
import pytest

from reportgen.archiving import archive
from reportgen.release.fingerprint import sha256_of
from reportgen.release.folder import checksums
from reportgen.release.record import (
    LEDGER,
    SIGNED_HTML,
    SIGNED_PDF,
    SIGNED_SUMS,
    SUMS,
    is_of_approvals,
)
from reportgen.signing.approving import sign
from reportgen.signing.ledger import Ledger, approved, ledger_bytes, new_ledger, read_ledger
from reportgen.signing.pages import signed_html, signed_pdf
from reportgen.signing.request import Request
from reportgen.stored import read_stored
from reportgen.verifying import verify
from tests.support import verifying as support

pytestmark = pytest.mark.slow
FIRST = ("Ada Example", "Statistician", "review")
SECOND = ("Bo Example", "Clinical lead", "approval")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("approved")


@pytest.fixture(scope="module")
def root(place: Path) -> Path:
    """Give the certificate that the seal rests on, as a file; its key lies beside it."""
    packed, certificate = support.pkcs12("Test seal")
    (place / "key.p12").write_bytes(packed)
    (place / "root.pem").write_bytes(certificate)
    return place / "root.pem"


@pytest.fixture(scope="module")
def signed(place: Path, root: Path) -> Iterator[Path]:
    """Give a dossier with two approvals, one with a detached signature, not sealed."""
    with support.quick() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1796083200")
        folder = support.built(place)
        sign(folder, request(FIRST))
        sign(folder, request(SECOND, detached=True, pkcs12=root.with_name("key.p12")))
        yield folder


@pytest.fixture(scope="module")
def closed(place: Path, signed: Path, root: Path) -> Path:
    """Give the same dossier, sealed, in another folder."""
    folder = place / "closed" / "r1"
    shutil.copytree(signed, folder)
    sign(folder, request(None, seal=True, pkcs12=root.with_name("key.p12")))
    return folder


@pytest.fixture(params=["signed", "closed"])
def either(request: pytest.FixtureRequest) -> Iterator[Path]:
    yield from mended(request.getfixturevalue(request.param))


@pytest.fixture
def open_one(signed: Path) -> Iterator[Path]:
    yield from mended(signed)


@pytest.fixture
def sealed(closed: Path) -> Iterator[Path]:
    yield from mended(closed)


def mended(folder: Path) -> Iterator[Path]:
    files = support.snapshot(folder)
    yield folder
    support.restore(folder, files)


def request(words: tuple[str, str, str] | None, **options: object) -> Request:
    name, role, meaning = words or (None, None, None)
    asked = Request(name=name, role=role, meaning=meaning, passphrase=b"secret")
    return replace(asked, **options)  # type: ignore[arg-type]


def listed_anew(folder: Path) -> None:
    """Write SHA256SUMS.signed anew, as a forger would."""
    files = support.snapshot(folder)
    mine = {n: c for n, c in files.items() if n == SUMS or is_of_approvals(n)}
    mine.pop(SIGNED_SUMS, None)
    (folder / SIGNED_SUMS).write_bytes(checksums(mine))


def test_a_sealed_dossier_is_good_and_other_tools_agree(sealed: Path, root: Path) -> None:
    found = verify(sealed, trust=[root])
    assert found.bad_files == []
    told = {one.name: one.state for one in found.checks}
    assert told["seal's trust"] == told["signature's trust"] == "good"
    assert not [one for one in found.checks if one.state == "not checked"]
    if shutil.which("pdfsig"):
        words = ["pdfsig", "-nocert", str(sealed / SIGNED_PDF)]
        said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
        assert "Signature is Valid" in said
        assert "Total document signed" in said
    if shutil.which("sha256sum"):
        for name in (SUMS, SIGNED_SUMS):
            done = subprocess.run(["sha256sum", "-c", "--strict", name], cwd=sealed, check=False)
            assert done.returncode == 0


def test_whether_a_seal_is_trusted_is_said_to_be_open_without_a_certificate(sealed: Path) -> None:
    found = verify(sealed)
    assert found.good
    assert {one.name for one in found.checks if one.state == "not checked"} == {
        "seal's trust",
        "signature's trust",
    }


def test_a_seal_of_somebody_else_is_not_trusted(sealed: Path, tmp_path: Path) -> None:
    _, other = support.pkcs12("Somebody else")
    (tmp_path / "other.pem").write_bytes(other)
    found = verify(sealed, trust=[tmp_path / "other.pem"])
    assert found.bad_files == [SIGNED_PDF, "signatures/2.p7s"]


def test_one_byte_of_each_file_in_turn_is_caught_and_named(
    either: Path, simulation_share: float
) -> None:
    source = np.random.default_rng(8)
    count = max(2, round(20 * simulation_share))
    for name, content in support.snapshot(either).items():
        for changed in support.flips(content, count, source):
            (either / name).write_bytes(changed)
            named = support.bad_files(either)
            assert name in named
            # Where only a key vouches for a file, its list may contradict it, and both are named.
            others = set(named) - {name, SIGNED_SUMS if is_of_approvals(name) else name}
            doubted = {one for one in others if one.startswith("signatures/") or one == SIGNED_PDF}
            assert others <= (doubted if name == SIGNED_SUMS else set())
        (either / name).write_bytes(content)


def test_each_file_that_is_missing_is_named(either: Path) -> None:
    for name, content in support.snapshot(either).items():
        (either / name).unlink()
        assert name in support.bad_files(either)
        (either / name).write_bytes(content)


def test_a_byte_behind_a_sealed_pdf_is_caught_by_the_seal_itself(sealed: Path) -> None:
    with (sealed / SIGNED_PDF).open("ab") as file:
        file.write(b"\n")
    listed_anew(sealed)
    found = [one for one in verify(sealed).checks if one.state == "bad"]
    assert {(one.name, one.file) for one in found} == {("seal", SIGNED_PDF)}


def test_a_revision_that_is_added_to_a_sealed_pdf_is_caught(sealed: Path) -> None:
    from pyhanko.pdf_utils import generic
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

    content = (sealed / SIGNED_PDF).read_bytes()
    writer: Any = IncrementalPdfFileWriter(io.BytesIO(content))
    writer.root[generic.pdf_name("/Changed")] = generic.pdf_string("x")
    writer.update_root()
    out = io.BytesIO()
    writer.write(out)
    assert out.getvalue().startswith(content)
    (sealed / SIGNED_PDF).write_bytes(out.getvalue())
    listed_anew(sealed)
    assert support.bad_files(sealed) == [SIGNED_PDF]


@pytest.mark.parametrize("dropped", [0, 1])
def test_an_entry_that_is_dropped_breaks_the_chain_or_leaves_its_traces(
    either: Path, dropped: int
) -> None:
    data = json.loads((either / LEDGER).read_bytes())
    del data["approvals"][dropped]
    content = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    (either / LEDGER).write_text(content, "utf-8")
    listed_anew(either)
    found = set(support.bad_files(either))
    assert LEDGER in found or {SIGNED_HTML, SIGNED_PDF, "signatures/2.p7s"} <= found


def test_entries_in_another_order_break_the_chain(either: Path) -> None:
    data = json.loads((either / LEDGER).read_bytes())
    data["approvals"].reverse()
    content = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    (either / LEDGER).write_text(content, "utf-8")
    listed_anew(either)
    assert LEDGER in support.bad_files(either)


def forged(folder: Path, *entries: tuple[str, str, str]) -> Ledger:
    """Return a ledger of other approvals, its hashes all in order."""
    old = read_ledger((folder / LEDGER).read_bytes())
    data = read_stored(folder).data
    ledger = new_ledger(data["dossier"], support.digest_of(folder / SUMS))
    for name, role, meaning in entries:
        ledger = approved(ledger, name=name, role=role, meaning=meaning, time=old.approvals[0].time)
    return replace(ledger, sealed=old.sealed)


FORGERIES = {
    "the first dropped": [SECOND],
    "the last dropped": [FIRST],
    "other order": [SECOND, FIRST],
    "one added in the middle": [FIRST, ("Cy Example", "Owner", "approval"), SECOND],
    "another name": [FIRST, ("Cy Example", *SECOND[1:])],
}


@pytest.mark.parametrize("entries", FORGERIES.values(), ids=FORGERIES)
def test_a_ledger_forged_with_its_hashes_is_caught_by_the_pages_and_the_seal(
    either: Path, entries: list[tuple[str, str, str]]
) -> None:
    ledger = forged(either, *entries)
    (either / LEDGER).write_bytes(ledger_bytes(ledger))
    listed_anew(either)
    found = set(support.bad_files(either))
    assert {SIGNED_HTML, SIGNED_PDF} <= found
    assert (LEDGER in found) == (ledger.sealed is not None)


def test_a_ledger_forged_with_its_pages_is_caught_by_the_seal_alone(sealed: Path) -> None:
    """Everything is written anew but the seal, which takes a key: its file still carries it."""
    ledger = forged(sealed, FIRST, ("Cy Example", *SECOND[1:]))
    stored = read_stored(sealed)
    html = signed_html(stored.data, stored.pictures, ledger)
    pdf = signed_pdf(stored.data, stored.pictures, ledger, source=stored.source)
    old = (sealed / SIGNED_PDF).read_bytes()
    for content in (pdf, old):
        (sealed / LEDGER).write_bytes(ledger_bytes(ledger))
        (sealed / SIGNED_HTML).write_bytes(html)
        (sealed / SIGNED_PDF).write_bytes(content)
        listed_anew(sealed)
        found = set(support.bad_files(sealed))
        assert SIGNED_PDF in found
        assert (LEDGER in found) == (content is old)


def test_a_detached_signature_catches_a_record_forged_in_every_file(open_one: Path) -> None:
    (open_one / "signatures" / "2.p7s").write_bytes(
        (open_one / "signatures" / "2.p7s").read_bytes()
    )
    sums = (open_one / SUMS).read_bytes()
    (open_one / SUMS).write_bytes(sums.replace(b"a", b"b", 1))
    listed_anew(open_one)
    assert SUMS in support.bad_files(open_one)


def test_approvals_of_another_record_are_named(open_one: Path) -> None:
    """A record with other tables, listed anew, under the approvals of the old one."""
    table = next((open_one / "tables").iterdir())
    table.write_bytes(table.read_bytes() + b"x\n")
    support.listed_anew(open_one)
    found = verify(open_one)
    assert {SUMS, f"tables/{table.name}"} <= set(found.bad_files)


def test_a_signature_of_no_approval_is_named(open_one: Path) -> None:
    shutil.copy(open_one / "signatures" / "2.p7s", open_one / "signatures" / "3.p7s")
    listed_anew(open_one)
    assert support.bad_files(open_one) == ["signatures/3.p7s"]


def test_an_archive_is_good_and_one_byte_anywhere_in_it_is_caught(
    closed: Path, tmp_path: Path, root: Path, simulation_share: float
) -> None:
    path = archive(closed, tmp_path / "a.zip", inputs=root.parent)
    found = verify(path, trust=[root])
    assert found.bad_files == []
    assert not [one for one in found.checks if one.state == "not checked"]
    content = path.read_bytes()
    with zipfile.ZipFile(path) as opened:
        directory = opened.start_dir
    source = np.random.default_rng(20261130)
    count = max(20, round(200 * simulation_share))
    places = [
        *source.integers(directory, size=count),
        *source.integers(directory, len(content), size=count),
    ]
    for at in places:
        changed = bytes([content[at] ^ (1 << source.integers(8))])
        path.write_bytes(content[:at] + changed + content[at + 1 :])
        assert path.name in verify(path).bad_files, at


@pytest.mark.parametrize("how", ["comment", "behind", "before", "another file"])
def test_what_hides_in_an_archive_is_caught(closed: Path, tmp_path: Path, how: str) -> None:
    path = archive(closed, tmp_path / "a.zip")
    content = path.read_bytes()
    with zipfile.ZipFile(path, "a") as opened:
        if how == "comment":
            opened.comment = b"hello"
        elif how == "another file":
            opened.writestr(f"{opened.namelist()[0].split('/')[0]}/hello.txt", "hello")
    if how in ("behind", "before"):
        path.write_bytes(content + b"x" if how == "behind" else b"x" + content)
    named = verify(path).bad_files
    assert named == [path.name, *(["hello.txt"] if how == "another file" else [])]


def test_attachments_are_not_unpacked_without_bounds(tmp_path: Path) -> None:
    from reportgen.verifying.attached import MOST_BYTES, attached

    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.attachments["small"] = pikepdf.AttachedFileSpec(pdf, b"content")
    pdf.attachments["bomb"] = pikepdf.AttachedFileSpec(pdf, bytes(MOST_BYTES + 1))
    out = io.BytesIO()
    pdf.save(out, compress_streams=True)
    assert attached(out.getvalue(), "small") == b"content"
    assert attached(out.getvalue(), "bomb") is None
    assert attached(out.getvalue(), "none") is None
    assert attached(b"%PDF-1.7", "small") is None
    assert sha256_of(b"") == sha256_of(bytes(0))
