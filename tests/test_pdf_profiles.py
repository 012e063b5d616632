"""The two kinds of PDF from the command line: what lies in the folder, and the same bytes twice."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from click.testing import CliRunner, Result

import reportgen
from reportgen import cli
from reportgen.release.environment import missing_for_pdf
from reportgen.release.naming import SUBMISSION_LENGTH, submission_name
from reportgen.render.pdf_attachment import Attachment
from reportgen.render.pdf_profile import Profile
from tests.support.bare_pages import without_fonts
from tests.support.pdf_files import failed_rules, tool

MANIFEST = """\
reportgen: 1
dossier: {title: Published figures, date: 2026-11-30, paper: letter}
model: {name: Demo Modèl, version: "1.10"}
sections:
  - {kind: prevalence, prevalences: [0.1, 0.01],
     sensitivity: {k: 80, n: 100}, specificity: {k: 450, n: 500}}
"""
STANDARDS = {"archive": ["3a", "ua1"], "submission": ["2a", "ua1"]}
SUBMITTED = "demo-model-1-10-r1.pdf"

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder with a manifest; in place of a PDF, what it would be made of."""

    def note(
        html: str,
        path: Path,
        *,
        profile: Profile,
        attachments: Any,
        run: dict[str, str],
        **_: object,
    ) -> None:
        files: list[Attachment] = list(attachments)
        attached = {one.name: one.content.decode() for one in files}
        path.write_text(json.dumps({"profile": profile.name, "run": run, "attached": attached}))

    (tmp_path / "m.yaml").write_text(MANIFEST, "utf-8")
    monkeypatch.chdir(tmp_path)
    without_fonts(monkeypatch)
    monkeypatch.setattr("reportgen.drafting.missing_for_pdf", list)
    monkeypatch.setattr("reportgen.render.pdf.write_pdf", note)
    return lambda *words: CliRunner().invoke(cli.main, list(words))


def folder_of(done: Result) -> Path:
    assert done.exit_code == 0, done.output
    return Path(done.stdout.strip().splitlines()[-1])


def pdfs(folder: Path) -> dict[str, Any]:
    return {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.pdf"))}


def test_an_archive_is_made_of_the_dossiers_own_files(run: Run) -> None:
    folder = folder_of(run("build", "m.yaml"))
    ((name, made),) = pdfs(folder).items()
    assert (name, made["profile"]) == ("dossier.pdf", "archive")
    tables = sorted(path.name for path in (folder / "tables").iterdir())
    assert sorted(made["attached"]) == sorted([*tables, "manifest.yaml", "results.json"])
    for name, text in made["attached"].items():
        place = folder / "tables" / name if name in tables else folder / name
        assert place.read_text("utf-8") == text
    assert made["run"]["revision"] == "1"
    assert made["run"]["model"] == "Demo Modèl"
    assert json.loads(made["attached"]["results.json"])["dossier"]["paper"] == "letter"


def test_a_submission_has_its_name_too(run: Run) -> None:
    folder = folder_of(run("build", "m.yaml", "--profile", "submission"))
    made = pdfs(folder)
    assert list(made) == [SUBMITTED, "dossier.pdf"]
    assert {one["profile"] for one in made.values()} == {"submission"}
    assert SUBMITTED in (folder / "SHA256SUMS").read_text()


def test_another_kind_is_another_revision(run: Run) -> None:
    kinds = ["archive", "archive", "submission", "submission", "archive"]
    folders = [folder_of(run("build", "m.yaml", "--profile", kind)).name for kind in kinds]
    assert folders == ["r1", "r1", "r2", "r2", "r3"]
    assert "demo-model-1-10-r2.pdf" in pdfs(Path("dossiers/Demo-Modèl/1.10/r2"))


@pytest.mark.parametrize("profile", ["archive", "submission"])
def test_rendered_again_it_is_of_the_same_kind(run: Run, profile: str) -> None:
    folder = folder_of(run("build", "m.yaml", "--profile", profile))
    done = run("render", str(folder))
    assert folder_of(done) == folder
    assert "unchanged" in done.stderr


def test_a_submission_of_a_stored_archive(run: Run) -> None:
    folder = folder_of(run("build", "m.yaml"))
    made = folder_of(run("render", str(folder), "--profile", "submission", "-o", "sent"))
    assert pdfs(made)[SUBMITTED]["profile"] == "submission"
    assert (made / "manifest.yaml").read_bytes() == (folder / "manifest.yaml").read_bytes()


def test_an_archive_wants_its_manifest(run: Run) -> None:
    folder = folder_of(run("build", "m.yaml"))
    (folder / "manifest.yaml").write_text("other: 1\n")
    done = run("render", str(folder))
    assert done.exit_code == 2
    assert "manifest.yaml: is not the file that SHA256SUMS lists" in done.stderr
    (folder / "manifest.yaml").unlink()
    done = run("render", str(folder))
    assert done.exit_code == 2
    assert "manifest.yaml: is missing" in done.stderr
    assert "--profile submission" in done.stderr
    assert run("render", str(folder), "--profile", "submission").exit_code == 0
    assert run("render", str(folder), "--format", "html").exit_code == 0


def test_the_python_interface_knows_profiles(run: Run) -> None:
    results = reportgen.run(reportgen.load_manifest("m.yaml"))
    folder = reportgen.render(results, "out", profile="submission")
    assert SUBMITTED in pdfs(folder)


def test_a_profile_that_is_none_is_refused(run: Run) -> None:
    assert run("build", "m.yaml", "--profile", "print").exit_code == 2
    assert run("build", "m.yaml", "--set", "dossier.paper=A5").exit_code == 2


@pytest.mark.parametrize(
    ("model", "version", "name"),
    [
        ("triage", "1.4.0", "triage-1-4-0-r7.pdf"),
        ("Ünïcode_Model", "2", "unicode-model-2-r7.pdf"),
        ("../../etc", "a/b", "etc-a-b-r7.pdf"),
        ("x" * 54, "1", "x" * 54 + "-1-r7.pdf"),
    ],
)
def test_names_for_an_authority(model: str, version: str, name: str) -> None:
    assert submission_name(model, version, 7) == name


@pytest.mark.parametrize(("model", "version"), [("m" * 100, "v" * 100), ("模型", "版"), ("-", ".")])
def test_names_that_had_to_be_cut(model: str, version: str) -> None:
    name = submission_name(model, version, 123)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*-[0-9a-f]{8}-r123\.pdf", name)
    assert len(name) <= SUBMISSION_LENGTH == 64
    assert name != submission_name(model, version + "x", 123)


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Build both profiles in two places, unlike in everything that must not matter."""
    if missing_for_pdf():
        pytest.skip("this machine lacks Pango, so there is no PDF to compare")
    unlike = [
        {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "0"},
        {"TZ": "Asia/Shanghai", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"},
    ]
    made: dict[str, list[Path]] = {}
    for profile in STANDARDS:
        for environ in unlike:
            place = tmp_path_factory.mktemp(profile)
            (place / "m.yaml").write_text(MANIFEST, "utf-8")
            words = [sys.executable, "-m", "reportgen.cli", "build", "m.yaml", "--profile", profile]
            done = subprocess.run(
                [*words, "--format", "pdf"],
                cwd=place,
                env={**os.environ, **environ, "PYTHONIOENCODING": "utf-8"},
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == 0, done.stderr
            made.setdefault(profile, []).append(place / done.stdout.splitlines()[-1])
    return made


@pytest.mark.parametrize("profile", STANDARDS)
def test_two_builds_give_the_same_pdf(twice: dict[str, list[Path]], profile: str) -> None:
    first, second = [
        {path.name: path.read_bytes() for path in folder.glob("*.pdf")} for folder in twice[profile]
    ]
    assert first == second
    assert set(first) == {"dossier.pdf"} | ({SUBMITTED} if profile == "submission" else set())


@pytest.mark.parametrize("profile", STANDARDS)
def test_what_is_built_keeps_its_standards(twice: dict[str, list[Path]], profile: str) -> None:
    file = twice[profile][0] / "dossier.pdf"
    assert [failed_rules(file, standard) for standard in STANDARDS[profile]] == [[], []]
    assert "No syntax or stream encoding errors" in tool("qpdf", "--check", str(file))
    with pikepdf.open(file) as opened:
        assert [float(x) for x in opened.pages[0].mediabox] == pytest.approx([0, 0, 612, 792])
        if profile == "archive":
            carried = opened.attachments["results.json"].get_file().read_bytes()
            assert carried == (file.parent / "results.json").read_bytes()


def judged(folder: Path, *words: str, profile: str) -> Path:
    """Run a command, judge the PDF that it makes, and return its folder."""
    done = subprocess.run(
        [sys.executable, "-m", "reportgen.cli", *words, "--format", "pdf", "--profile", profile],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = folder / done.stdout.splitlines()[-1]
    file = made / "dossier.pdf"
    assert [failed_rules(file, standard) for standard in STANDARDS[profile]] == [[], []]
    assert "No syntax or stream encoding errors" in tool("qpdf", "--check", str(file))
    return made


@pytest.mark.slow
def test_the_example_keeps_its_standards(tmp_path: Path) -> None:
    """The whole example, pictures and wide tables included: 0 failed rules in both profiles."""
    if missing_for_pdf():
        pytest.skip("this machine lacks Pango, so there is no PDF to judge")
    archive = judged(tmp_path, "demo", "-o", "demo", profile="archive")
    judged(tmp_path, "render", str(archive), "-o", "sent", profile="submission")
