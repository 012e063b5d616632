"""compare_to: a dossier that holds its comparison with an earlier one, and what drifted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import reportgen
from reportgen.build import Built, build
from reportgen.errors import RequestError
from reportgen.schema import check_results
from tests.support.releases import MANIFEST, Columns, next_release, patients, write_table

QUICK = MANIFEST.replace("  - {kind: frame", "  # - {kind: frame").replace("FILE", "t.csv")
Run = Callable[..., Built]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that builds the next dossier in one output folder, HTML alone."""
    # Charts take seconds a page, and what is asked here stands in results.json.
    pages = SimpleNamespace(html="", tables={}, figures={})
    monkeypatch.setattr("reportgen.render.html.render_pages", lambda *_, **__: pages)

    def go(columns: Columns, compare_to: str | None = "previous", version: str = "1") -> Built:
        write_table(tmp_path / "t.csv", columns)
        line = "" if compare_to is None else f"compare_to: {compare_to}\n"
        (tmp_path / "m.yaml").write_text(QUICK.replace("VERSION", version) + line)
        built = build(tmp_path / "m.yaml", tmp_path / "out", format="html")
        check_results(json.loads((built.folder / "results.json").read_bytes()), "results.json")
        return built

    return go


def told(built: Built) -> list[tuple[str, str]]:
    found = [one for one in built.data["findings"] if one["section"] == "comparison"]
    return [(one["code"], one["severity"]) for one in found]


def base_of(built: Built) -> Any:
    found = built.data.get("comparison")
    return None if found is None else found["old"]["revision"]


def test_periodic_runs_become_revisions_with_their_drift_and_unchanged_ones_stay(run: Run) -> None:
    first = patients(300)
    drifted = next_release(first, missed=0.6)
    steps = [
        (first, "r1", False, None),
        (first, "r1", True, None),
        (drifted, "r2", False, 1),
        (drifted, "r2", True, 1),
        (first, "r3", False, 2),
        (first, "r3", True, 2),
    ]
    built = []
    for columns, folder, unchanged, base in steps:
        one = run(columns)
        assert (one.folder.name, one.unchanged, base_of(one)) == (folder, unchanged, base)
        built.append(one)
    assert told(built[0]) == [("CMP-004", "note")]
    assert ("CMP-003", "warn") in told(built[2])
    assert not {"CMP-001", "CMP-003"} & {code for code, _severity in told(built[4])}
    assert {severity for one in built for _code, severity in told(one)} == {"note", "warn"}
    drift = built[2].data["comparison"]
    assert drift["inputs"][0]["change"] == "changed"
    assert not drift["pairing"][0]["paired"]  # the older table is gone
    assert "patient-" not in json.dumps(drift)


def test_another_version_has_no_previous_revision(run: Run) -> None:
    first = patients(120)
    run(first, version="1")
    other = run(first, version="2")
    assert (other.folder.name, base_of(other)) == ("r1", None)
    assert told(other) == [("CMP-004", "note")]


def test_a_release_against_a_named_one_on_the_same_units_is_paired(run: Run) -> None:
    first = patients(300)
    old = run(first, None)
    assert "comparison" not in old.data
    path = "out/m/1/r1"
    table = old.folder.parents[3] / "t.csv"
    (table.with_name("kept.csv")).write_text(table.read_text())
    again = run(first, path, version="2")
    assert again.data["comparison"]["pairing"][0]["paired"]
    assert {one["change"] for one in again.data["comparison"]["figures"]} == {"same"}
    record = again.data["inputs"][-1]
    assert (record["name"], record["path"]) == ("compare_to", f"{path}/results.json")
    pinned = f"{{path: {path}/results.json, digest: {old.data['dossier']['digest']}}}"
    assert run(first, pinned, version="2").data["comparison"] == again.data["comparison"]


@pytest.mark.parametrize(
    ("given", "key", "what"),
    [
        ("out/m/9/r1", "compare_to", "there is no file 'out/m/9/r1/results.json'"),
        ("/tmp", "compare_to", "is an absolute path"),
        ("{path: ../elsewhere}", "compare_to.path", "leads out of the manifest's folder"),
        ("{path: out/m/1/r1, digest: " + "a" * 64 + "}", "compare_to.digest", "is a dossier with"),
        ("{path: out/m/1/r1, digest: 12}", "compare_to.digest", ""),
        ("{folder: out/m/1/r1}", "compare_to", ""),
    ],
)
def test_what_it_cannot_be_compared_with_is_a_fault_with_its_line(
    run: Run, given: str, key: str, what: str
) -> None:
    first = patients(60)
    run(first, None)
    with pytest.raises(RequestError) as caught:
        run(first, given)
    told_faults = str(caught.value)
    assert f"m.yaml:17: {key}" in told_faults
    assert what in told_faults


def test_a_damaged_previous_revision_is_no_silent_base(run: Run) -> None:
    built = run(patients(60))
    results = built.folder / "results.json"
    results.write_text(results.read_text().replace('"Release"', '"Other"'))
    with pytest.raises(RequestError, match="digest"):
        run(patients(60))


def test_no_section_may_be_called_comparison(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", patients(60))
    (tmp_path / "m.yaml").write_text(QUICK.replace("{kind: dca,", "{kind: dca, id: comparison,"))
    with pytest.raises(RequestError, match="belong to no section"):
        reportgen.load_manifest(tmp_path / "m.yaml")


def test_from_python_without_an_output_folder_there_is_no_previous_one(tmp_path: Path) -> None:
    write_table(tmp_path / "t.csv", patients(60))
    (tmp_path / "m.yaml").write_text(QUICK.replace("VERSION", "1") + "compare_to: previous\n")
    data = reportgen.run(reportgen.load_manifest(tmp_path / "m.yaml")).data
    assert data["findings"][-1]["id"] == "comparison/CMP-004"
