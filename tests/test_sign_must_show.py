"""A dossier approved by two, sealed: the whole way with a real PDF, judged by other programs."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pikepdf
import pytest
from click.testing import CliRunner

from reportgen import cli
from reportgen.release.environment import missing_for_pdf
from reportgen.signing.identity import certificates
from reportgen.signing.ledger import problems, read_ledger
from reportgen.signing.pages import signed_html, signed_pdf
from reportgen.signing.seal import check_seal
from reportgen.stored import read_stored
from tests.support.certificates import authority, sealer
from tests.support.pdf_files import failed_rules, tool

MANIFEST = """\
reportgen: 1
dossier: {title: Published figures, date: 2026-11-30, sign_off: [{role: Reader}, {role: Owner}]}
model: {name: Demo, version: "1.10"}
sections:
  - {kind: prevalence, prevalences: [0.1],
     sensitivity: {k: 80, n: 100}, specificity: {k: 450, n: 500}}
"""
LONG = "Wolfeschlegelsteinhausenbergerdorff" * 2 + "x" * 30


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dossier with two approvals and a seal."""
    if missing_for_pdf():
        pytest.skip("a library for the PDF is not on this machine")
    folder = tmp_path_factory.mktemp("sealed")
    (folder / "m.yaml").write_text(MANIFEST)
    (folder / "seal.p12").write_bytes(sealer().pkcs12(None))
    build = ("build", str(folder / "m.yaml"), "-o", str(folder / "out"), "--format", "html")
    dossier = run(*build)
    run("sign", dossier, "--name", LONG, "--role", "Reader", "--meaning", "review")
    seal = ("--seal", "--detached", "--pkcs12", str(folder / "seal.p12"))
    run("sign", dossier, "--name", "B. <Owner>", "--role", "Owner", "--meaning", "approval", *seal)
    return Path(dossier)


def run(*words: str) -> str:
    done = CliRunner().invoke(cli.main, list(words))
    assert done.exit_code == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_the_sealed_file_keeps_its_standards(sealed: Path) -> None:
    assert failed_rules(sealed / "dossier-signed.pdf", "3a") == []
    assert failed_rules(sealed / "dossier-signed.pdf", "ua1") == []


def test_other_programs_take_it_for_whole_and_valid(sealed: Path) -> None:
    said = tool("pdfsig", "-nocert", str(sealed / "dossier-signed.pdf"))
    assert "Signature is Valid" in said
    assert "Total document signed" in said
    assert "No syntax" in tool("qpdf", "--check", str(sealed / "dossier-signed.pdf"))


def test_it_begins_with_what_anyone_can_make_again(sealed: Path) -> None:
    stored = read_stored(sealed)
    ledger = read_ledger((sealed / "approvals.json").read_bytes())
    assert problems(ledger) == []
    html = signed_html(stored.data, stored.pictures, ledger)
    assert (sealed / "dossier-signed.html").read_bytes() == html
    pdf = signed_pdf(stored.data, stored.pictures, ledger, source=stored.source)
    assert (sealed / "dossier-signed.pdf").read_bytes().startswith(pdf)


def test_it_carries_the_ledger_as_it_was_before_the_seal(sealed: Path) -> None:
    with pikepdf.open(sealed / "dossier-signed.pdf") as pdf:
        attached = json.loads(pdf.attachments["approvals.json"].get_file().read_bytes())
    ledger = json.loads((sealed / "approvals.json").read_bytes())
    found = check_seal(
        (sealed / "dossier-signed.pdf").read_bytes(),
        certificates([("root", authority().pem)]),
    )
    assert attached == {**ledger, "sealed": None}
    assert ledger["sealed"] == {
        "time": found.time,
        "subject": found.subject,
        "certificate": found.certificate,
    }
    assert (found.intact, found.covers_whole_file, found.trusted) == (True, True, True)


def test_its_pages_print_who_approved_what_and_when(sealed: Path) -> None:
    text = tool("pdftotext", "-layout", str(sealed / "dossier-signed.pdf"), "-")
    ledger = json.loads((sealed / "approvals.json").read_bytes())
    page = "".join(text.split("\f")[-2].split())
    for entry in ledger["approvals"]:
        for told in (entry["role"], entry["meaning"], entry["sha256"][:12]):
            assert told in page
        assert entry["time"].replace("T", "").rstrip("Z") in page
    assert "B.<Owner>" in page
    assert ledger["dossier"]["digest"] in page
    assert ledger["dossier"]["record"] in page
    assert "signed by 2 of 2 roles" in text
    assert "draft, not signed" not in text.lower()


def test_the_longest_name_stays_on_the_page(sealed: Path) -> None:
    pages = tool("pdftotext", "-bbox", str(sealed / "dossier-signed.pdf"), "-").split("<page ")
    words = [line for line in pages[-1].splitlines() if "<word" in line]
    assert any("Wolfe" in word for word in words)
    assert (
        max(float(word.split('xMax="')[1].split('"')[0]) for word in words) <= 595.28 - 50
    )  # the right margin is 18 mm


def test_the_record_is_whole_and_all_is_listed(sealed: Path) -> None:
    for sums in ("SHA256SUMS", "SHA256SUMS.signed"):
        for line in (sealed / sums).read_text().splitlines():
            digest, name = line.split("  ")
            assert hashlib.sha256((sealed / name).read_bytes()).hexdigest() == digest
    names = [
        line.split("  ")[1] for line in (sealed / "SHA256SUMS.signed").read_text().splitlines()
    ]
    assert "signatures/2.p7s" in names
    done = subprocess.run(["ls", "-A", str(sealed)], capture_output=True, text=True, check=True)
    assert not [name for name in done.stdout.split() if name.startswith(".")]
