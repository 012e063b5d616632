"""`reportgen compare`: a planted regression of one group is named, with its figure, and gates."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from reportgen import cli
from tests.support.bare_pages import without_fonts
from tests.support.pdf_files import failed_rules, text_sizes

MANIFEST = """\
reportgen: 1
dossier: {{title: Triage, date: 2026-11-30}}
model: {{name: triage, version: {version}}}
defaults: {{resamples: 200}}
tables:
  test:
    path: t.csv
    label: {{column: y, positive: 1}}
    scores: {{risk: p}}
    unit: id
    groups: [sex]
sections:
  - {{kind: frame, table: test, score: risk, threshold: 0.5, groups: [sex], margin: 0.05}}
"""
PLANTED = 30
"""Positives of group F that the newer model misses and the older one found."""
N = 100
"""Rows of each sex and label."""
Row = dict[str, Any]
Run = Callable[..., Result]


def table() -> list[Row]:
    """Return rows of which the older model finds 85 in 100 positives of either group."""
    generator = np.random.default_rng(20261130)
    rows: list[Row] = []
    for sex in "FM":
        for label in (0, 1):
            right = np.arange(N) < 85
            score = np.where(right == bool(label), 0.55, 0.05) + 0.4 * generator.random(N)
            rows += [
                {"id": f"{sex}{label}{i}", "y": label, "sex": sex, "p": f"{score[i]:.4f}"}
                for i in range(N)
            ]
    return rows


def regressed(rows: list[Row]) -> list[Row]:
    """Return the same people scored by a model that misses 30 more of the women who have it."""
    hit = [row for row in rows if (row["sex"], row["y"]) == ("F", 1) and float(row["p"]) >= 0.5]
    missed = {row["id"] for row in hit[:PLANTED]}
    return [{**row, "p": "0.3000"} if row["id"] in missed else row for row in rows]


def release(folder: Path, rows: list[Row], version: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "t.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "y", "sex", "p"])
        writer.writeheader()
        writer.writerows(rows)
    (folder / "m.yaml").write_text(MANIFEST.format(version=version))
    out = str(folder.parent / "dossiers")
    words = ["build", str(folder / "m.yaml"), "-o", out, "--format", "html", "-q"]
    done = CliRunner().invoke(cli.main, words)
    assert done.exit_code == 0, done.output
    return Path(done.stdout.strip())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder with the dossiers of two releases on the same people."""
    folder = tmp_path_factory.mktemp("releases")
    with pytest.MonkeyPatch.context() as patch:
        without_fonts(patch)
        release(folder / "old", table(), "1.0.0")
        release(folder / "new", regressed(table()), "1.1.0")
        yield folder


@pytest.fixture
def run(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `compare` on the two, with their inputs at hand, in a fresh folder."""
    monkeypatch.chdir(tmp_path)
    sides = [str(home / "dossiers" / "triage" / version / "r1") for version in ("1.0.0", "1.1.0")]
    inputs = ["--old-inputs", str(home / "old"), "--new-inputs", str(home / "new")]

    def invoke(*words: str, turned: bool = False, paired: bool = True) -> Result:
        dossiers = sides[::-1] if turned else sides
        places = [inputs[0], inputs[3], inputs[2], inputs[1]] if turned else inputs
        more = places if paired else []
        return CliRunner().invoke(
            cli.main, ["compare", *dossiers, *more, "--format", "html", *words]
        )

    return invoke


def data_of(done: Result) -> dict[str, Any]:
    folder = Path(done.stdout.strip().splitlines()[-1])
    data: dict[str, Any] = json.loads((folder / "comparison.json").read_bytes())
    return data


def figure(data: dict[str, Any], metric: str, group: str) -> dict[str, Any]:
    (found,) = [
        row
        for row in data["figures"]
        if (row["rows"], row["metric"], row["keys"].get("group")) == ("groups", metric, group)
    ]
    return dict(found)


def test_the_gate_names_the_group_and_the_figure(run: Run) -> None:
    done = run("--gate")
    assert done.exit_code == 1
    told = [line for line in done.stderr.splitlines() if line.startswith("gate: ")]
    # 85 and 55 of 100 by counting: one line names group, figure, both values and the difference.
    (line,) = [one for one in told if one.startswith("gate: frame: Sensitivity, risk, sex F")]
    assert "0.85" in line
    assert "0.55" in line
    assert "−0.30" in line
    assert line.endswith("paired.")
    assert "not paired" not in line
    assert not [one for one in told if re.search(r"risk, sex M[,:] ", one)]
    data = data_of(done)
    assert len(told) == len(data["regressions"])
    for group, change in (("F", -PLANTED / N), ("M", 0.0)):
        row = figure(data, "sensitivity", group)
        assert row["difference"]["estimate"] == pytest.approx(change, abs=1e-12)
        assert figure(data, "specificity", group)["difference"]["estimate"] == 0
    assert figure(data, "sensitivity", "F")["change"] == "worse"
    assert figure(data, "sensitivity", "M")["change"] == "same"


def test_the_other_way_round_it_is_an_improvement(run: Run) -> None:
    done = run("--gate", turned=True)
    data = data_of(done)
    assert figure(data, "sensitivity", "F")["change"] == "better"
    assert not [one for one in data["regressions"] if "ensitivity, risk, sex F" in one["statement"]]
    assert done.exit_code == (1 if data["regressions"] else 0)


def test_a_release_against_itself_passes(home: Path, run: Run, tmp_path: Path) -> None:
    one = str(home / "dossiers" / "triage" / "1.0.0" / "r1")
    words = ["compare", one, one, "--format", "html", "--gate", "--junit", "j.xml"]
    done = CliRunner().invoke(cli.main, words)
    assert done.exit_code == 0, done.output
    assert "0 regressions" in done.stderr
    data = data_of(done)
    assert data["regressions"] == data["manifest"] == data["packages"] == []
    assert {row["change"] for row in data["figures"]} <= {"same", "not comparable"}
    assert ET.parse("j.xml").getroot().get("failures") == "0"


def test_without_the_inputs_the_difference_is_unpaired_and_wider(run: Run) -> None:
    rows = [
        figure(data_of(run("--gate", paired=paired)), "sensitivity", "F")
        for paired in (True, False)
    ]
    widths = [row["difference"]["high"] - row["difference"]["low"] for row in rows]
    assert [row["paired"] for row in rows] == [True, False]
    # The same people stand on both sides: taken for independent, the interval is wider.
    assert widths[0] < widths[1]


def test_the_folder_is_written_once_and_never_over(run: Run) -> None:
    first = run()
    folder = Path(first.stdout.strip())
    assert folder.as_posix() == "comparisons/triage-1.0.0-r1-to-1.1.0-r1"
    assert {path.name for path in folder.iterdir()} == {
        "SHA256SUMS",
        "comparison.html",
        "comparison.json",
        "figures",
        "tables",
    }
    checked = subprocess.run(
        ["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=folder, capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    listed = (folder / "SHA256SUMS").read_text().splitlines()
    assert len(listed) == len([p for p in folder.rglob("*") if p.is_file()]) - 1
    again = run()
    assert again.stdout == first.stdout
    assert "unchanged" in again.stderr
    other = run(paired=False)
    assert other.stdout.strip() == f"{folder.as_posix()}-2"
    assert run("-o", "elsewhere").stdout.startswith("elsewhere/")


def test_the_page_gives_the_answer_first_and_fetches_nothing(run: Run) -> None:
    page = (Path(run().stdout.strip()) / "comparison.html").read_text("utf-8")
    assert "<script" not in page
    assert "default-src 'none'" in page
    body = page[page.index("<main") :]
    answer = body.index('class="answer"')
    assert answer < body.index("What is worse") < body.index("What is better")
    assert re.search(r"\d+ regressions", body[answer : answer + 200])
    assert "sex F, threshold 0.5" in body
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)


def test_junit_and_sarif_name_what_is_worse(run: Run) -> None:
    done = run("--junit", "j.xml", "--sarif", "s.sarif")
    assert done.exit_code == 0  # no --gate
    data = data_of(done)
    root = ET.parse("j.xml").getroot()
    failed = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert len(failed) == len(data["regressions"])
    names = [str(case.get("name")) for case in root.iter("testcase")]
    assert "sensitivity, risk, sex M, threshold 0.5" in names
    assert any(
        case.get("name") == "sensitivity, risk, sex F, threshold 0.5"
        and case.get("classname") == "reportgen.frame"
        for case in failed
    )
    (one,) = json.loads(Path("s.sarif").read_bytes())["runs"]
    assert len(one["results"]) == len(data["regressions"])
    assert {rule["id"] for rule in one["tool"]["driver"]["rules"]} >= {
        result["ruleId"] for result in one["results"]
    }
    figure_result = next(r for r in one["results"] if "sensitivity, risk, sex F" in str(r))
    place = figure_result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/1.1.0/r1/manifest.yaml")
    assert place["region"] == {"startLine": 13}  # "- {kind: frame", counted in MANIFEST


def test_archives_are_taken_as_they_are(home: Path, run: Run) -> None:
    for version in ("1.0.0", "1.1.0"):
        dossier = str(home / "dossiers" / "triage" / version / "r1")
        words = ["archive", dossier, "-o", f"{version}.zip", "-q"]
        assert CliRunner().invoke(cli.main, words).exit_code == 0
    words = ["compare", "1.0.0.zip", "1.1.0.zip", "--format", "html", "--sarif", "s.sarif"]
    done = CliRunner().invoke(cli.main, words)
    assert done.exit_code == 0, done.output
    assert data_of(done) == data_of(run("-o", "folders", paired=False))
    (one,) = json.loads(Path("s.sarif").read_bytes())["runs"]
    place = {"physicalLocation": {"artifactLocation": {"uri": "1.1.0.zip"}}}
    assert one["results"][0]["locations"] == [place]


def test_what_is_no_dossier_is_refused(run: Run, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli.main, ["compare", str(tmp_path), str(tmp_path), "--gate"])
    assert done.exit_code == 2
    assert "nothing was written" in done.stderr
    assert not Path("comparisons").exists()


@pytest.mark.usefixtures("run")
def test_the_pdf_is_an_archive_with_its_data_in_it(home: Path) -> None:
    pytest.importorskip("weasyprint")
    import pikepdf

    sides = [str(home / "dossiers" / "triage" / version / "r1") for version in ("1.0.0", "1.1.0")]
    done = CliRunner().invoke(cli.main, ["compare", *sides, "--format", "pdf"])
    assert done.exit_code == 0, done.output
    folder = Path(done.stdout.strip())
    assert not (folder / "comparison.html").exists()
    with pikepdf.open(folder / "comparison.pdf") as pdf:
        assert "comparison.json" in pdf.attachments
        held = pdf.attachments["comparison.json"].get_file().read_bytes()
        assert held == (folder / "comparison.json").read_bytes()
        assert "comparison-figures.csv" in pdf.attachments
        assert bool(pdf.Root.MarkInfo.Marked)
    assert failed_rules(folder / "comparison.pdf", "3a") == []
    assert failed_rules(folder / "comparison.pdf", "ua1") == []
    assert min(size for size, _page in text_sizes(folder / "comparison.pdf")) >= 8.99
