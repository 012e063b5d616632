"""The command line: exit statuses, what goes to which stream, and nothing written when refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from reportgen import build, cli
from reportgen.cli import telling
from reportgen.errors import Fault, MissingSoftwareError
from reportgen.release import folder as folders
from tests.support.bare_pages import without_fonts

MANIFEST = """\
reportgen: 1
dossier: {title: Published figures, date: 2026-11-30}
model: {name: demo model, version: "1.10"}
sections:
  - {kind: prevalence, id: one, prevalences: [0.1, 0.01],
     sensitivity: {k: 80, n: 100}, specificity: {k: 450, n: 500}}
  - {kind: prevalence, id: two, prevalences: [0.2],
     sensitivity: {k: 70, n: 100}, specificity: {k: 480, n: 500}}
"""

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a fresh folder that holds a manifest."""
    (tmp_path / "m.yaml").write_text(MANIFEST)
    monkeypatch.chdir(tmp_path)
    without_fonts(monkeypatch)
    return lambda *words: CliRunner().invoke(cli.main, list(words))


@pytest.fixture
def no_pango(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reportgen.drafting.missing_for_pdf", lambda: ["pango"])


def results(folder: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((Path(folder) / "results.json").read_bytes())
    return data


def built(run: Run, *words: str) -> Path:
    done = run("build", "m.yaml", "--format", "html", *words)
    assert done.exit_code == 0, done.output
    return Path(done.stdout.strip().splitlines()[-1])


def test_a_script_gets_the_folder_and_people_get_the_rest(run: Run) -> None:
    done = run("build", "m.yaml", "--format", "html")
    assert done.exit_code == 0, done.output
    assert done.stdout == "dossiers/demo-model/1.10/r1\n"
    lines = done.stderr.splitlines()
    assert lines[:3] == ["one: done", "two: done", "pages: done"]
    assert lines[-1].startswith("decision: ")
    assert {path.name for path in Path("dossiers/demo-model/1.10/r1").iterdir()} == {
        "SHA256SUMS", "dossier.html", "dossier.intoto.json", "environment.json", "figures",
        "manifest.yaml", "results.json", "ro-crate-metadata.json", "tables",
    }  # fmt: skip
    assert Path("dossiers/demo-model/1.10/r1/manifest.yaml").read_bytes() == MANIFEST.encode()


def test_quiet_and_verbose(run: Run) -> None:
    quiet = run("build", "m.yaml", "--format", "html", "-q")
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    verbose = run("build", "m.yaml", "--format", "html", "-v")
    assert verbose.stdout == quiet.stdout
    assert "seed 20261130" in verbose.stderr
    assert "unchanged" in verbose.stderr


def test_unchanged_then_changed(run: Run) -> None:
    first = built(run)
    assert built(run) == first
    second = built(run, "--set", "defaults.seed=7")
    assert second.name == "r2"
    assert results(str(second))["dossier"]["overrides"] == [{"key": "defaults.seed", "value": "7"}]
    assert results(str(second))["defaults"]["seed"] == 7
    # A comment alone changes the manifest, and the record holds the manifest as read.
    Path("m.yaml").write_text(MANIFEST + "# reviewed\n")
    assert built(run).name == "r3"


def test_a_manifest_keeps_its_bytes(run: Run) -> None:
    raw = b"\xef\xbb\xbf" + MANIFEST.replace("\n", "\r\n").encode()
    Path("m.yaml").write_bytes(raw)
    assert (built(run) / "manifest.yaml").read_bytes() == raw


def test_faults_come_one_a_line_and_nothing_is_written(run: Run) -> None:
    Path("m.yaml").write_text(MANIFEST.replace("title:", "titel:").replace("k: 80", "k: no"))
    for command in (["build", "m.yaml"], ["check", "m.yaml"]):
        done = run(*command)
        assert done.exit_code == 2
        assert done.stdout == ""
        *faults, closing = done.stderr.splitlines()
        assert all(line.startswith("m.yaml:") for line in faults)
        assert closing == f"{len(faults)} faults; nothing was written"
        assert len(faults) >= 2
    assert [path.name for path in Path().iterdir()] == ["m.yaml"]


@pytest.mark.parametrize(
    "words",
    [
        ["build", "absent.yaml"],
        ["build", "m.yaml", "--only", "thre"],
        ["build", "m.yaml", "--set", "seed"],
        ["build", "m.yaml", "--jobs", "0"],
        ["build", "m.yaml", "--format", "docx"],
        ["build", "m.yaml", "-o", "m.yaml"],
        ["check", "absent.yaml"],
        ["render", "absent"],
        ["schema", "dossier"],
        ["biuld"],
    ],
)
def test_wrong_requests_exit_2(run: Run, words: list[str]) -> None:
    done = run(*words)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "Traceback" not in done.output
    assert [path.name for path in Path().iterdir()] == ["m.yaml"]


def test_a_wrong_only_names_the_nearest(run: Run) -> None:
    assert "did you mean 'one'?" in run("build", "m.yaml", "--only", "ones").stderr


def test_only_leaves_sections_out_and_says_so(run: Run) -> None:
    data = results(str(built(run, "--only", "one")))
    assert [section["id"] for section in data["sections"]] == ["one"]
    assert data["dossier"]["sections_left_out"] == ["two"]
    assert data["decision"]["outcome"] != "release"


def test_a_section_comes_out_the_same_alone(run: Run) -> None:
    both, alone = results(str(built(run))), results(str(built(run, "--only", "two")))
    assert both["sections"][1] == alone["sections"][0]


@pytest.mark.parametrize(
    ("fail_on", "status"), [("warn", 1), ("fail", 0), ("never", 0)], ids=["warn", "fail", "never"]
)
def test_gate(run: Run, fail_on: str, status: int) -> None:
    # A run that leaves a section out carries a warning, and no section here fails.
    words = [
        "build",
        "m.yaml",
        "--format",
        "html",
        "--only",
        "one",
        "--set",
        f"gate.fail_on={fail_on}",
    ]
    assert run(*words).exit_code == 0
    done = run(*words, "--gate", "-q")
    assert done.exit_code == status
    assert done.stdout.strip().startswith("dossiers/")
    assert ("gate: warn: run/RUN-002" in done.stderr) == bool(status)


def test_the_date_comes_from_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("m.yaml").write_text(MANIFEST.replace(", date: 2026-11-30", ""))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert results(str(built(run)))["dossier"]["date"] == "1970-01-02"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    assert run("build", "m.yaml").exit_code == 2
    assert run("check", "m.yaml").exit_code == 2


def test_a_fault_of_ours_is_one_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret\nof two lines")

    monkeypatch.setattr(build, "compute", fail)
    done = run("build", "m.yaml")
    assert done.exit_code == 70
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    report = Path(done.stderr.split()[-1])
    assert "ZeroDivisionError: secret" in report.read_text()
    report.unlink()


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(folders, "_rename", interrupt)
    done = run("build", "m.yaml", "--format", "html")
    assert done.exit_code == 130
    assert done.stdout == ""
    assert [path for path in Path("dossiers").rglob("*") if path.is_file()] == []


@pytest.mark.usefixtures("no_pango")
def test_without_pango_there_is_html_and_one_line(run: Run) -> None:
    done = run("build", "m.yaml", "-q")
    assert done.exit_code == 0, done.output
    assert len(done.stderr.splitlines()) == 1
    assert "install" in done.stderr
    folder = Path(done.stdout.strip())
    assert (folder / "dossier.html").exists()
    assert not (folder / "dossier.pdf").exists()
    assert run("build", "m.yaml", "-q").stdout == done.stdout


@pytest.mark.usefixtures("no_pango")
def test_without_pango_a_pdf_alone_is_refused(run: Run) -> None:
    done = run("build", "m.yaml", "--format", "pdf")
    assert done.exit_code == 2
    assert "install" in done.stderr
    assert [path.name for path in Path().iterdir()] == ["m.yaml"]


def test_a_library_that_fails_late_still_leaves_the_html(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MissingSoftwareError([Fault("dossier.pdf", "no pango", "apt-get install pango")])

    monkeypatch.setattr("reportgen.render.pdf.write_pdf", refuse)
    done = run("build", "m.yaml", "-q")
    assert done.exit_code == 0
    assert done.stderr.splitlines() == ["no PDF was made: no pango; apt-get install pango"]
    assert (Path(done.stdout.strip()) / "dossier.html").exists()
    assert run("build", "m.yaml", "--format", "pdf").exit_code == 2


def test_user_text_cannot_break_a_line_or_colour_the_terminal(run: Run) -> None:
    done = run("check", "\x1b[31mred\nline.yaml")
    assert done.exit_code == 2
    assert done.stderr.splitlines()[0].startswith(r"\x1b[31mred\nline.yaml: ")
    assert len(done.stderr.splitlines()) == 2


def test_a_terminal_that_lacks_the_letters_gets_escapes() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reportgen.cli", "check", "模型.yaml"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1", "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(rb"\u6a21\u578b.yaml: ")


def test_check_prints_a_line_for_each_section(run: Run) -> None:
    done = run("check", "m.yaml")
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "sections.one: prevalence, ready",
        "sections.two: prevalence, ready",
    ]
    assert done.stderr == ""


def test_render_of_the_same_version_changes_nothing(run: Run) -> None:
    folder = built(run)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = run("render", str(folder), "--format", "html")
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(folder)
    assert "unchanged" in done.stderr
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert [path.name for path in folder.parent.iterdir()] == ["r1"]


def test_render_of_another_version_goes_beside(run: Run) -> None:
    folder = built(run)
    fresh = (folder / "dossier.html").read_bytes()
    (folder / "dossier.html").write_bytes(b"of an older version")
    for name in ("r1-rendered", "r1-rendered"):
        done = run("render", str(folder), "--format", "html")
        assert done.exit_code == 0, done.output
        assert Path(done.stdout.strip()).name == name
    assert (folder / "dossier.html").read_bytes() == b"of an older version"
    assert (folder.parent / "r1-rendered" / "dossier.html").read_bytes() == fresh
    (folder.parent / "r1-rendered" / "dossier.html").write_bytes(b"of a second version")
    done = run("render", str(folder), "--format", "html")
    assert Path(done.stdout.strip()).name == "r1-rendered-2"


def test_render_elsewhere_never_overwrites(run: Run) -> None:
    folder = built(run)
    done = run("render", str(folder), "--format", "html", "-o", "again")
    assert (done.exit_code, done.stdout) == (0, "again\n")
    assert Path("again/dossier.html").read_bytes() == (folder / "dossier.html").read_bytes()
    assert run("render", str(folder), "--format", "html", "-o", "again").exit_code == 0
    Path("again/dossier.html").write_text("mine")
    refused = run("render", str(folder), "--format", "html", "-o", "again")
    assert refused.exit_code == 2
    assert Path("again/dossier.html").read_text() == "mine"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"outcome": "', '"outcome": "x', "no results of schema"),
        ("Published figures", "Other figures", "the digest"),
        ('"revision": 1', '"revision": NaN', "no strict JSON"),
        ("{", "", "no strict JSON"),
    ],
)
def test_render_refuses_results_that_were_changed(run: Run, old: str, new: str, why: str) -> None:
    path = built(run) / "results.json"
    path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    done = run("render", str(path.parent), "--format", "html")
    assert done.exit_code == 2
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_init_then_check(run: Run) -> None:
    done = run("init", "project")
    assert (done.exit_code, done.stdout) == (0, "project/manifest.yaml\n")
    assert run("init", "project").exit_code == 2


def test_doctor(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("fc-list") is None and run("doctor").exit_code:
        pytest.skip("this machine lacks what a PDF needs")
    assert run("doctor").exit_code == 0
    monkeypatch.setattr("reportgen.release.environment.NativeLibrary.found", lambda _: None)
    done = run("doctor")
    assert done.exit_code == 1
    assert "install" in done.stderr


def test_blanks_of_any_width_become_plain_ones(capsys: pytest.CaptureFixture[str]) -> None:
    telling.say("95\N{NO-BREAK SPACE}% of\N{NARROW NO-BREAK SPACE}it\x1b[1m\u2028")
    assert capsys.readouterr().err == "95 % of it\\x1b[1m\\u2028\n"


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("value", "coloured"), [(None, True), ("", True), ("1", False)])
def test_no_color_is_respected_on_a_terminal(value: str | None, coloured: bool) -> None:
    import pty

    environ = {key: text for key, text in os.environ.items() if key != "NO_COLOR"}
    environ |= {} if value is None else {"NO_COLOR": value}
    parent, child = pty.openpty()
    words = [sys.executable, "-m", "reportgen.cli", "check", "none.yaml"]
    with subprocess.Popen(words, stderr=child, stdout=child, env=environ) as process:
        os.close(child)
        shown = b""
        try:
            while piece := os.read(parent, 4096):
                shown += piece
        except OSError:  # how Linux says that the other end is closed
            pass
        assert process.wait() == 2
    os.close(parent)
    assert b"1 fault" in shown
    assert (b"\x1b[" in shown) == coloured


def test_check_names_rows_without_a_unit(run: Run) -> None:
    Path("t.csv").write_text("id,y,p\na,1,0.9\n,0,0.2\n,1,0.4\n")
    table = "tables: {t: {path: t.csv, unit: id, label: {column: y, positive: 1}, scores: {m: p}}}"
    Path("m.yaml").write_text(MANIFEST + table + "\n")
    done = run("check", "m.yaml")
    assert done.exit_code == 0, done.output
    assert "2 rows without a unit" in done.stdout.splitlines()[0]
