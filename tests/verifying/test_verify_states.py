"""What is good, bad or not checked when software, inputs or fonts are others; the command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reportgen import cli
from reportgen.release.folder import checksums
from reportgen.release.record import HTML, MANIFEST, PDF, SUMS
from reportgen.verifying import software, verify
from reportgen.verifying.listing import read_listing
from tests.support import verifying as support
from tests.support.bare_pages import without_fonts


@pytest.fixture
def folder(record: Path) -> Iterator[Path]:
    files = support.snapshot(record)
    yield record
    support.restore(record, files)
    support.write_inputs(record.parents[3])


def states(folder: Path, name: str, **options: Any) -> dict[str | None, str]:
    return {one.file: one.state for one in verify(folder, **options).checks if one.name == name}


def other_version(patch: pytest.MonkeyPatch, package: str) -> None:
    here = software._here()
    packages = {**here["packages"], package: "0.0.1"}
    patch.setattr(software, "_here", lambda: {**here, "packages": packages})


def test_pages_that_differ_under_other_software_are_not_called_bad(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = folder / HTML
    page.write_bytes(page.read_bytes() + b" ")
    support.listed_anew(folder)
    assert states(folder, "pages")[HTML] == "bad"
    other_version(monkeypatch, "vl-convert-python")
    found = next(c for c in verify(folder).checks if c.file == HTML and c.name == "pages")
    assert found.state == "not checked"
    assert "vl-convert-python" in found.detail
    assert "0.0.1" in found.detail


def test_pages_that_are_equal_are_good_whatever_the_software(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other_version(monkeypatch, "vl-convert-python")
    found = verify(folder)
    assert found.good
    assert states(folder, "pages") == {PDF: "not checked", None: "good"}


def test_packages_that_make_no_page_do_not_count(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = folder / HTML
    page.write_bytes(page.read_bytes() + b" ")
    support.listed_anew(folder)
    other_version(monkeypatch, "scikit-learn")
    assert states(folder, "pages")[HTML] == "bad"


def test_inputs_are_looked_for_above_the_dossier_and_where_named(
    folder: Path, tmp_path: Path
) -> None:
    table = folder.parents[3] / "t.csv"
    assert states(folder, "input tables.t") == {"t.csv": "good"}
    table.write_text(support.TABLE + "60,1,0.5\n")
    found = verify(folder)
    assert found.bad_files == ["t.csv"]
    assert states(folder, "input tables.t") == {"t.csv": "bad"}
    assert states(folder, "input tables.t", inputs=[tmp_path]) == {"t.csv": "not checked"}
    (tmp_path / "t.csv").write_text(support.TABLE)
    assert states(folder, "input tables.t", inputs=[tmp_path]) == {"t.csv": "good"}
    table.unlink()
    assert states(folder, "input tables.t") == {"t.csv": "not checked"}
    table.mkdir()
    assert states(folder, "input tables.t") == {"t.csv": "not checked"}
    table.rmdir()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("title: T,", "title: U,", "dossier.title"),
        ("threshold: 0.4", "threshold: 0.5", "sections.prevalence"),
        ("resamples: 100", "resamples: 101", "defaults"),
        ("kind: prevalence", "kind: prevalenc", "is no manifest"),
        ("reportgen: 1", "reportgen: [", "is no manifest"),
    ],
)
def test_a_manifest_that_asks_for_something_else_is_bad(
    folder: Path, old: str, new: str, told: str
) -> None:
    path = folder / MANIFEST
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    support.listed_anew(folder)
    found = next(one for one in verify(folder).checks if one.name == "manifest")
    assert found.state == "bad"
    assert told in found.detail


def test_a_manifest_agrees_under_the_values_that_were_put_over_it(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        without_fonts(patch)
        overrides = [("sections[0].threshold", "0.2"), ("dossier.title", "U")]
        folder = support.built(tmp_path, format="html", overrides=overrides)
        assert states(folder, "manifest") == {None: "good"}


def run(*words: str) -> Result:
    return CliRunner().invoke(cli.main, ["verify", *words])


def test_the_command_says_a_line_a_check_and_the_answer_last(folder: Path) -> None:
    done = run(str(folder))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[-1].startswith(f"good: {folder}")
    assert all(line.startswith(("good: ", "not checked: ")) for line in lines)
    (folder / SUMS).write_bytes((folder / SUMS).read_bytes().replace(b"0", b"1", 1))
    done = run(str(folder))
    assert done.exit_code == 1
    assert done.stdout.splitlines()[-1].startswith(f"BAD: {folder}: 1 file: {SUMS}")
    quiet = run(str(folder), "-q").stdout.splitlines()
    assert [line[:4] for line in quiet] == ["BAD:", "BAD:"]


def test_the_command_gives_its_checks_as_json(folder: Path) -> None:
    (folder / "more.txt").write_text("x")
    done = run(str(folder), "--format", "json")
    data = json.loads(done.stdout)
    assert done.exit_code == 1
    assert (data["schema"], data["good"]) == ("reportgen/verification/1", False)
    assert data["bad_files"] == ["more.txt"]
    assert {one["state"] for one in data["checks"]} == {"good", "bad", "not checked"}


def test_what_is_no_dossier_is_a_wrong_request(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("hello")
    (tmp_path / "note.zip").write_text("hello")
    assert run(str(tmp_path)).exit_code == 2
    assert run(str(tmp_path / "nowhere")).exit_code == 2
    assert run(str(tmp_path / "note.txt")).exit_code == 2
    assert run(str(tmp_path / "note.zip")).exit_code == 1


def test_a_certificate_that_is_none_is_a_wrong_request(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "note.pem").write_text("hello")
    for file in ("nowhere.pem", "note.pem"):
        done = run(str(folder), "--trust", str(tmp_path / file))
        assert done.exit_code == 2
        assert file in done.stderr


def test_a_list_of_digests_has_one_form() -> None:
    content = checksums({"b": b"1", "a/c.csv": b"2"})
    assert read_listing(content).faults == ()
    assert set(read_listing(content).digests) == {"b", "a/c.csv"}
    first, second = content.splitlines(keepends=True)
    for other in (
        second + first,
        content[:-1],
        content + b"\n",
        content.replace(b"  ", b" *", 1),
        content.replace(b"\n", b"\r\n"),
        first.upper() + second,
        first + first + second,
        content.replace(b"a/c.csv", b"../c.csv"),
        content.replace(b"a/c.csv", b"/etc/passwd"),
        b"\xff" + content,
        b"",
    ):
        assert read_listing(other).faults
