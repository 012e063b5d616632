"""`reportgen sign`: what it writes, what it refuses, two signers at once, runs that are cut off.

The PDF is stood in for by what it would be made of; `test_sign_must_show.py` makes real ones.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reportgen import cli
from reportgen.errors import RequestError
from reportgen.inputs.fonts import FONT_DIRS
from reportgen.release.environment import environment
from reportgen.render.html import Pages
from reportgen.render.pdf_attachment import Attachment
from reportgen.signing.approving import sign
from reportgen.signing.ledger import approved, new_ledger, problems, read_ledger
from reportgen.signing.pages import signed_html, signed_pdf
from reportgen.signing.request import Request
from reportgen.stored import read_stored
from tests.support.bare_pages import without_fonts
from tests.support.certificates import PASSPHRASE, authority, certified, sealer
from tests.support.pages import Page
from tests.support.pdf_files import tool

MANIFEST = """\
reportgen: 1
dossier: {title: Published figures, date: 2026-11-30,
  sign_off: [{role: Biostatistician}, {role: Clinical lead, name: Dr. Fang}]}
model: {name: Demo, version: "1.10"}
sections:
  - {kind: prevalence, prevalences: [0.1],
     sensitivity: {k: 80, n: 100}, specificity: {k: 450, n: 500}}
"""
ADA = {"name": "Ada Lovelace", "role": "Biostatistician", "meaning": "review"}
ASKED_BY_ADA = Request("Ada Lovelace", "Biostatistician", "review")
FANG = {"name": "Dr. Fang", "role": "Clinical lead", "meaning": "approval"}
ENVIRONMENT = environment()
OF_APPROVALS = {"approvals.json", "dossier-signed.html", "dossier-signed.pdf", "SHA256SUMS.signed"}


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small dossier without a PDF."""
    folder = tmp_path_factory.mktemp("record")
    (folder / "m.yaml").write_text(MANIFEST)
    with pytest.MonkeyPatch.context() as patched:
        without_fonts(patched)
        done = run("build", str(folder / "m.yaml"), "-o", str(folder / "out"), "--format", "html")
    assert done.exit_code == 0, done.stderr
    return Path(done.stdout.strip().splitlines()[-1])


@pytest.fixture
def dossier(record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it; what a PDF would be made of stands in for it."""

    def stand_in(html: str, path: Path, *, attachments: Any, seal_field: str, **_: Any) -> None:
        files: list[Attachment] = list(attachments)
        attached = {one.name: one.content.decode() for one in files}
        path.write_text(json.dumps({"html": html, "attached": attached, "field": seal_field}))

    without_fonts(monkeypatch)
    monkeypatch.setattr("reportgen.render.pdf.write_pdf", stand_in)
    monkeypatch.setattr("reportgen.drafting.missing_for_pdf", list)
    monkeypatch.setattr("reportgen.signing.seal._signed", lambda pdf, *_: pdf + b"\nsealed")
    monkeypatch.delenv("REPORTGEN_PASSPHRASE", raising=False)
    return Path(shutil.copytree(record, tmp_path / "r1"))


@pytest.fixture
def plain_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages that are made in no time, of the approvals alone."""

    def stand_in(_data: Any, _pictures: Any, ledger: Any, _fonts: Any) -> Pages:
        names = ", ".join(one.name for one in ledger.approvals)
        return Pages(names, names, {}, {})

    monkeypatch.setattr("reportgen.signing.pages.signed_pages", stand_in)
    monkeypatch.setattr("reportgen.signing.approving.environment", lambda: ENVIRONMENT)
    monkeypatch.setattr("reportgen.stored.check_results", lambda *_: None)


def run(*words: str, **options: Any) -> Result:
    return CliRunner().invoke(cli.main, list(words), **options)


def signing(dossier: Path, who: dict[str, str], *more: str, **options: Any) -> Result:
    words = [word for key, text in who.items() for word in (f"--{key}", text)]
    return run("sign", str(dossier), *words, *more, **options)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def refused(done: Result) -> list[str]:
    """Return the faults of a run that refused its request."""
    assert done.exit_code == 2, done.output
    *faults, last = done.stderr.strip().splitlines()
    assert last == f"{len(faults)} fault{'s' if len(faults) != 1 else ''}; nothing was written"
    return faults


def test_approvals_are_added_and_the_record_is_left_as_it_was(dossier: Path) -> None:
    before = contents(dossier)
    for who in (ADA, FANG):
        done = signing(dossier, who)
        assert done.exit_code == 0, done.output
        assert done.stdout == f"{dossier}\n"
    after = contents(dossier)
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == OF_APPROVALS
    data = json.loads(after["approvals.json"])
    results = json.loads(after["results.json"])
    assert data["dossier"]["digest"] == results["dossier"]["digest"]
    record = hashlib.sha256(after["SHA256SUMS"]).hexdigest()
    for entry, who in zip(data["approvals"], (ADA, FANG), strict=True):
        assert {key: entry[key] for key in who} == who
        assert (entry["digest"], entry["record"]) == (results["dossier"]["digest"], record)
    assert problems(read_ledger(after["approvals.json"])) == []


def test_what_is_added_is_listed_for_sha256sum(dossier: Path) -> None:
    assert signing(dossier, ADA).exit_code == 0
    listed = (dossier / "SHA256SUMS.signed").read_text().splitlines()
    names = [line.split("  ")[1] for line in listed]
    assert names == sorted(["SHA256SUMS", *OF_APPROVALS - {"SHA256SUMS.signed"}])
    if shutil.which("sha256sum"):
        for sums in ("SHA256SUMS", "SHA256SUMS.signed"):
            words = ["sha256sum", "--check", "--strict", "--quiet", sums]
            assert subprocess.run(words, cwd=dossier, check=False).returncode == 0


def test_the_pages_say_who_signed_and_who_has_not(
    dossier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796083199")
    done = signing(dossier, {**ADA, "name": "<b>Ada</b> & {{ 7*7 }}"})
    assert "Signed by 1 of 2 roles" in done.stderr
    assert "not signed so far: Clinical lead" in done.stderr
    html = (dossier / "dossier-signed.html").read_text("utf-8")
    assert "<b>Ada</b>" not in html
    text = unescape(html)
    assert "<b>Ada</b> & {{ 7*7 }}" in text
    assert "2026-11-30 23:59:59" in html
    assert "Draft, not signed" not in html
    assert html.count("Signed by 1 of 2 roles") == 4  # cover, sidebar, decision, sign-off
    assert "Not signed so far: Clinical lead." in html
    assert Page(html).duplicates() == []
    assert Page(html).dead() == []
    ledger = json.loads((dossier / "approvals.json").read_bytes())
    assert ledger["dossier"]["record"] in html
    assert ledger["approvals"][0]["sha256"][:12] in html
    assert signing(dossier, FANG).exit_code == 0
    html = (dossier / "dossier-signed.html").read_text("utf-8")
    assert "Signed by 2 of 2 roles" in html
    assert "Not signed so far" not in html


def test_the_pdf_is_an_archive_with_the_ledger_in_it(dossier: Path) -> None:
    assert signing(dossier, ADA).exit_code == 0
    made = json.loads((dossier / "dossier-signed.pdf").read_bytes())
    assert made["attached"]["approvals.json"].encode() == (dossier / "approvals.json").read_bytes()
    assert made["attached"]["results.json"].encode() == (dossier / "results.json").read_bytes()
    assert {"manifest.yaml", "prevalence-rows.csv"} <= set(made["attached"])
    assert made["field"].startswith("Seal")
    assert "draft, not signed" in made["html"]  # what unsigned pages say at their head
    assert "content: string(status)" in made["html"]  # and what takes its place
    assert "revision 1 · signed by 1 of 2 roles" in made["html"]


def test_a_seal_closes_the_ledger_which_the_pdf_carries_as_it_was(dossier: Path) -> None:
    key = dossier.parent / "seal.p12"
    key.write_bytes(sealer().pkcs12())
    (dossier.parent / "secret").write_bytes(PASSPHRASE + b"\n")
    words = ("--seal", "--pkcs12", str(key), "--passphrase-file", str(dossier.parent / "secret"))
    assert signing(dossier, ADA).exit_code == 0
    assert "these roles have not: Clinical lead" in refused(run("sign", str(dossier), *words))[0]
    done = signing(dossier, FANG, *words)
    assert done.exit_code == 0, done.output
    assert "PAdES-B-B" in done.stderr
    ledger = json.loads((dossier / "approvals.json").read_bytes())
    assert ledger["sealed"]["subject"] == "CN=Validation group\\, seal"
    assert ledger["sealed"]["certificate"] == hashlib.sha256(sealer().der).hexdigest()
    assert ledger["sealed"]["time"] == ledger["approvals"][1]["time"]
    pdf = (dossier / "dossier-signed.pdf").read_bytes()
    assert pdf.endswith(b"\nsealed")
    attached = json.loads(pdf.removesuffix(b"\nsealed"))["attached"]["approvals.json"]
    assert json.loads(attached) == {**ledger, "sealed": None}
    before = contents(dossier)
    for again in (signing(dossier, {**ADA, "meaning": "authorship"}), run("sign", str(dossier))):
        assert "was sealed" in refused(again)[-1]
    assert contents(dossier) == before


def test_what_was_approved_can_be_sealed_later(dossier: Path) -> None:
    key = dossier.parent / "seal.p12"
    key.write_bytes(sealer().pkcs12())
    words = ("--seal", "--incomplete", "--pkcs12", str(key))
    secret = {"REPORTGEN_PASSPHRASE": PASSPHRASE.decode()}
    early = run("sign", str(dossier), *words, env=secret)
    assert refused(early) == ["--seal: there is no approval yet; add --name, --role and --meaning"]
    assert signing(dossier, ADA).exit_code == 0
    entry = json.loads((dossier / "approvals.json").read_bytes())["approvals"]
    assert run("sign", str(dossier), *words, env=secret).exit_code == 0
    ledger = json.loads((dossier / "approvals.json").read_bytes())
    assert ledger["approvals"] == entry
    assert ledger["sealed"]


def test_detached_signatures_are_kept_and_listed(dossier: Path) -> None:
    key = dossier.parent / "ada.p12"
    key.write_bytes(sealer().pkcs12(None))
    assert signing(dossier, ADA, "--detached", "--pkcs12", str(key)).exit_code == 0
    first = (dossier / "signatures" / "1.p7s").read_bytes()
    assert signing(dossier, {**FANG, "meaning": "responsibility"}).exit_code == 0
    assert signing(dossier, FANG, "--detached", "--pkcs12", str(key)).exit_code == 0
    assert sorted(path.name for path in (dossier / "signatures").iterdir()) == ["1.p7s", "3.p7s"]
    assert (dossier / "signatures" / "1.p7s").read_bytes() == first
    assert "  signatures/3.p7s\n" in (dossier / "SHA256SUMS.signed").read_text()
    (dossier.parent / "root.pem").write_bytes(authority().pem)
    said = tool(
        "openssl", "cms", "-verify", "-binary", "-inform", "DER", "-purpose", "any",
        "-in", str(dossier / "signatures" / "3.p7s"), "-content", str(dossier / "SHA256SUMS"),
        "-CAfile", str(dossier.parent / "root.pem"),
    )  # fmt: skip
    assert said.encode() == (dossier / "SHA256SUMS").read_bytes()
    (dossier / "signatures" / "1.p7s").write_bytes(b"another")
    assert "signatures/1.p7s is not as" in refused(signing(dossier, {**ADA, "role": "QA"}))[0]


def test_everything_that_is_wrong_is_told_at_once_and_nothing_is_written(dossier: Path) -> None:
    (dossier / "dossier.html").write_bytes(b"other")
    (dossier / "tables" / "prevalence-rows.csv").unlink()
    (dossier / "more.txt").write_bytes(b"more")
    key, soon = dossier.parent / "old.p12", authority().certificate.not_valid_before_utc
    key.write_bytes(certified("Old", authority(), last=soon).pkcs12(None))
    before = contents(dossier)
    done = signing(
        dossier, {"name": " ", "role": "x" * 101, "meaning": "a\u202eb"},
        "--detached", "--pkcs12", str(key), "--tsa", "ftp://x", "--incomplete",
        "--trust", str(dossier.parent / "none.pem"),
    )  # fmt: skip
    faults = refused(done)
    for part in (
        "dossier.html: is not as SHA256SUMS lists it",
        "tables/prevalence-rows.csv: is not as SHA256SUMS lists it",
        "more.txt: is not as SHA256SUMS lists it",
        "old.p12: its certificate expired",
        "--name: is empty",
        "--role: has 101 characters",
        "--meaning: holds what cannot be printed on one line (U+202E)",
        "--tsa: 'ftp://x' is no address",
        "--incomplete: says something of a seal",
        "none.pem: cannot be read",
    ):
        assert sum(part in fault for fault in faults) == 1, (part, faults)
    assert len(faults) == 10
    assert contents(dossier) == before


def test_a_wrong_passphrase_is_told_and_is_never_on_the_command_line(dossier: Path) -> None:
    key = dossier.parent / "seal.p12"
    key.write_bytes(sealer().pkcs12())
    words = ("--seal", "--incomplete", "--pkcs12", str(key))
    for secret in ({"REPORTGEN_PASSPHRASE": "wrong"}, {}):
        (fault,) = refused(signing(dossier, ADA, *words, env=secret))
        assert "passphrase" in fault
        assert "wrong;" not in fault
    assert "--passphrase " not in run("sign", "--help").output
    assert not OF_APPROVALS & set(contents(dossier))


def test_at_a_terminal_the_passphrase_is_asked_for_and_not_shown(
    dossier: Path, plain_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.cli.sign._at_a_terminal", lambda: True)
    key = dossier.parent / "seal.p12"
    key.write_bytes(sealer().pkcs12())
    words = ("--seal", "--incomplete", "--pkcs12", str(key))
    done = signing(dossier, ADA, *words, input=PASSPHRASE.decode() + "\n")
    assert done.exit_code == 0, done.output
    assert "Passphrase of seal.p12:" in done.stderr
    assert PASSPHRASE.decode() not in done.output


@pytest.mark.parametrize("place", ["nowhere", "empty"])
def test_what_is_no_dossier_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "empty").mkdir()
    assert "results.json" in refused(signing(tmp_path / place, ADA))[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty"]


def test_saying_the_same_again_is_a_slip(dossier: Path, plain_pages: None) -> None:
    assert signing(dossier, ADA).exit_code == 0
    same = {"name": "ADA  Lovelace ", "role": "biostatistician", "meaning": "Review"}
    (fault,) = refused(signing(dossier, same))
    assert "approval 1" in fault
    assert signing(dossier, {**ADA, "meaning": "authorship"}).exit_code == 0


def test_a_role_that_nobody_waits_for_is_noted(dossier: Path, plain_pages: None) -> None:
    done = signing(dossier, {**ADA, "role": "Biostatistican"})
    assert "did you mean 'Biostatistician'?" in done.stderr
    assert "not signed so far: Biostatistician, Clinical lead" in done.stderr


def test_an_approval_in_the_past_is_refused(
    dossier: Path, plain_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert signing(dossier, ADA).exit_code == 0
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert "1970-01-01T00:00:00Z" in refused(signing(dossier, FANG))[0]


def lose(dossier: Path) -> None:
    (dossier / "approvals.json").unlink()


def roll_back(dossier: Path) -> None:
    data = json.loads((dossier / "approvals.json").read_bytes())
    data["approvals"].pop()
    text = json.dumps(data, ensure_ascii=False, indent=1) + "\n"
    (dossier / "approvals.json").write_text(text, "utf-8")


def rename(dossier: Path) -> None:
    content = (dossier / "approvals.json").read_bytes()
    (dossier / "approvals.json").write_bytes(content.replace(b"Lovelace", b"Loveless"))


def unlist(dossier: Path) -> None:
    (dossier / "SHA256SUMS.signed").unlink()


@pytest.mark.parametrize("harm", [lose, roll_back, rename, unlist])
def test_nobody_signs_on_a_ledger_that_was_tampered_with(
    dossier: Path, plain_pages: None, harm: Callable[[Path], None]
) -> None:
    for who in (ADA, FANG):
        assert signing(dossier, who).exit_code == 0
    harm(dossier)
    before = contents(dossier)
    assert "approvals.json" in refused(signing(dossier, {**ADA, "meaning": "authorship"}))[0]
    assert contents(dossier) == before


def test_a_ledger_of_another_dossier_is_refused(dossier: Path, plain_pages: None) -> None:
    assert signing(dossier, ADA).exit_code == 0
    for name in ("approvals.json", "SHA256SUMS.signed"):
        content = (dossier / name).read_bytes()
        ours = hashlib.sha256((dossier / "SHA256SUMS").read_bytes()).hexdigest().encode()
        (dossier / name).write_bytes(content.replace(ours, b"0" * 64))
    assert "of another dossier" in "\n".join(refused(signing(dossier, FANG)))


def test_many_signers_at_once_lose_no_entry(dossier: Path, plain_pages: None) -> None:
    names = [f"Signer {number}" for number in range(8)]
    failed: list[Exception] = []

    def approve(name: str) -> None:
        try:
            sign(dossier, Request(name=name, role="Reader", meaning="review"))
        except Exception as error:  # told below
            failed.append(error)

    threads = [threading.Thread(target=approve, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    ledger = read_ledger((dossier / "approvals.json").read_bytes())
    assert sorted(one.name for one in ledger.approvals) == names
    assert problems(ledger) == []
    html = (dossier / "dossier-signed.html").read_text()
    assert html == ", ".join(one.name for one in ledger.approvals)


class CutOffError(BaseException):
    """What stops a run like a signal that cannot be caught: nothing is tidied up after it."""


@pytest.mark.parametrize("step", range(12))
@pytest.mark.parametrize("before", [0, 1])
def test_a_run_that_is_cut_off_is_mended_by_the_next(
    dossier: Path, plain_pages: None, monkeypatch: pytest.MonkeyPatch, step: int, before: int
) -> None:
    """At every write and every rename of an approval; with and without one before it."""
    key = dossier.parent / "ada.p12"
    key.write_bytes(sealer().pkcs12(None))
    for number in range(before):
        sign(dossier, Request(f"Before {number}", "Reader", "review"))
    record = contents(dossier)
    left = step

    def count(real: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*words: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise CutOffError
            return real(*words)

        return counted

    with monkeypatch.context() as patched:
        module = "reportgen.signing.storing"
        patched.setattr(f"{module}.write_through", count(__import__(
            "reportgen.release.staging", fromlist=["write_through"]).write_through))  # fmt: skip
        patched.setattr(Path, "replace", count(Path.replace))
        try:
            sign(dossier, replace(ASKED_BY_ADA, detached=True, pkcs12=key))
            whole = True
        except CutOffError:
            whole = False
    assert whole == (step >= 10)  # five files, each written and renamed
    done = sign(dossier, Request("Dr. Fang", "Clinical lead", "approval"))
    names = [one.name for one in done.ledger.approvals]
    old = [f"Before {number}" for number in range(before)]
    assert names in ([*old, "Dr. Fang"], [*old, "Ada Lovelace", "Dr. Fang"])
    assert whole <= (len(names) == before + 2)
    after = contents(dossier)
    assert after["dossier-signed.html"].decode() == ", ".join(names)
    assert read_ledger(after["approvals.json"]) == done.ledger
    assert problems(done.ledger) == []
    added = {line.split("  ")[1]: line.split("  ")[0] for line in
             after["SHA256SUMS.signed"].decode().splitlines()}  # fmt: skip
    signatures = (
        {"signatures/2.p7s" if before else "signatures/1.p7s"}
        if len(names) == before + 2
        else set()
    )
    assert set(added) == {"SHA256SUMS", *OF_APPROVALS - {"SHA256SUMS.signed"}, *signatures}
    assert {name: hashlib.sha256(after[name]).hexdigest() for name in added} == added
    kept = {name for name in record if name not in OF_APPROVALS}
    assert {name: after[name] for name in kept} == {name: record[name] for name in kept}
    assert set(after) == kept | set(added) | {"SHA256SUMS.signed"}
    assert [path.name for path in dossier.parent.glob(".r1.signing")] == []


def test_another_content_is_a_revision_without_approvals(
    dossier: Path, record: Path, plain_pages: None
) -> None:
    home = dossier.parent / "again"
    shutil.copytree(record.parents[2], home / "out")
    shutil.copy(record.parents[3] / "m.yaml", home / "m.yaml")
    first = home / "out" / "Demo" / "1.10" / "r1"
    assert signing(first, ADA).exit_code == 0
    words = ("build", str(home / "m.yaml"), "-o", str(home / "out"), "--format", "html")
    done = run(*words)
    assert "unchanged" in done.stderr
    assert Path(done.stdout.strip()).name == "r1"
    done = run(*words, "--set", "dossier.title=Other figures")
    second = Path(done.stdout.strip().splitlines()[-1])
    assert second.name == "r2"
    assert not OF_APPROVALS & set(contents(second))
    for name in OF_APPROVALS:
        shutil.copy(first / name, second / name)
    assert "of another dossier" in "\n".join(refused(signing(second, FANG)))


def test_fonts_of_the_record_are_asked_for(dossier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = read_stored(dossier)
    font = {"name": f"{FONT_DIRS}0", "path": "fonts/Own.otf", "sha256": "0" * 64}
    data = {**stored.data, "inputs": [*stored.data["inputs"], font]}
    monkeypatch.setattr(
        "reportgen.signing.approving.read_stored",
        lambda _: replace(stored, data=data),
    )
    assert "fonts/Own.otf" in refused(signing(dossier, ADA))[0]
    (dossier.parent / "fonts").mkdir()
    with pytest.raises(RequestError, match=r"Own\.otf"):
        sign(dossier, replace(ASKED_BY_ADA, fonts=dossier.parent / "fonts"))


def test_a_chinese_dossier_is_signed_in_chinese(
    dossier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.render.html.with_other_scripts", lambda page, *_: page)
    stored = read_stored(dossier)
    data = {**stored.data, "dossier": {**stored.data["dossier"], "language": "zh"}}
    ledger = new_ledger(data["dossier"], "a" * 64)
    ledger = approved(
        ledger, name="王芳", role="Biostatistician", meaning="复核", time="2026-11-30T12:00:00Z"
    )
    html = signed_html(data, stored.pictures, ledger).decode()
    assert html.count("2 个职责中已有 1 个签署") == 4
    assert "尚未签署：Clinical lead。" in html
    assert "王芳" in html
    made = json.loads(signed_pdf(data, stored.pictures, ledger, source=stored.source))
    assert made["field"].startswith("印章")
    assert "修订号 1 · 2 个职责中已有 1 个签署" in made["html"]
    assert "王芳" in made["attached"]["approvals.json"]
