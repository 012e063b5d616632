"""The run from Python: what it returns and writes, and that no figure moves with how it ran."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import reportgen
from reportgen import build, computing, reading
from reportgen.errors import RequestError
from reportgen.inputs import InputRecord
from reportgen.manifest import Manifest
from reportgen.schema import check_results
from tests.support.bare_pages import without_fonts

TABLE = "id,y,p\n" + "".join(f"{i},{int(i % 3 == 0)},{i % 7 / 10 + 0.1}\n" for i in range(60))
MANIFEST = """\
reportgen: 1
dossier: {title: T, date: 2026-11-30}
model: {name: m, version: "1"}
defaults: {resamples: 100}
tables:
  t: {path: t.csv, label: {column: y, positive: 1}, scores: {model: p}}
sections:
  - {kind: dca, table: t, thresholds: [0.2, 0.4]}
  - {kind: prevalence, table: t, score: model, threshold: 0.4, prevalences: [0.1]}
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "t.csv").write_text(TABLE)
    (tmp_path / "m.yaml").write_text(MANIFEST)
    without_fonts(monkeypatch)
    monkeypatch.setattr("reportgen.drafting.missing_for_pdf", lambda: ["pango"])
    return tmp_path / "m.yaml"


@pytest.fixture
def manifest(path: Path) -> Manifest:
    return reportgen.load_manifest(path)


def test_three_functions_are_the_python_interface(manifest: Manifest, tmp_path: Path) -> None:
    results = reportgen.run(manifest)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.yaml", "t.csv"]
    folder = reportgen.render(results, tmp_path / "out")
    assert folder == tmp_path / "out" / "m" / "1" / "r1"
    stored = json.loads((folder / "results.json").read_bytes())
    check_results(stored, "results.json")
    assert stored["dossier"]["revision"] == 1
    stored["dossier"]["revision"] = None
    assert stored == results.data
    # The package of this name has been imported meanwhile, and must not hide the function.
    assert reportgen.render(results, tmp_path / "out") == folder
    assert json.loads((folder / "environment.json").read_bytes()) == stored["environment"]


def test_inputs_are_recorded(manifest: Manifest, tmp_path: Path) -> None:
    record = reportgen.run(manifest).data["inputs"][0]
    assert record["name"] == "tables.t"
    assert (record["path"], record["rows"]) == ("t.csv", 60)
    assert record["columns"] == ["id", "y", "p"]
    assert record["bytes"] == len(TABLE)
    assert set(record) >= {"name", "path", "sha256", "bytes", "rows"}
    assert set(record) == set(InputRecord.__dataclass_fields__)


def test_figures_do_not_move_with_the_number_of_processes(manifest: Manifest) -> None:
    told: list[list[tuple[str, float]]] = [[], []]
    one, two = (
        reportgen.run(
            manifest,
            jobs=jobs,
            progress=lambda name, done, log=log: log.append((name, done)),  # type: ignore[misc]
        )
        for jobs, log in zip((1, 2), told, strict=True)
    )
    assert one.data == two.data
    for log in told:
        assert {name for name, done in log if done == 1} == {"dca", "prevalence"}


def test_figures_do_not_move_with_the_other_sections(path: Path) -> None:
    straight = reportgen.run(reportgen.load_manifest(path)).data["sections"]
    first, second = MANIFEST.split("sections:\n")[1].splitlines()
    path.write_text(MANIFEST.replace(first, "#").replace(second, f"{second}\n{first}"))
    turned = reportgen.run(reportgen.load_manifest(path)).data["sections"]
    assert [one["id"] for one in turned] == ["prevalence", "dca"]
    assert straight == turned[::-1]


def test_figures_move_with_the_seed(path: Path) -> None:
    curves = [
        reportgen.run(
            reportgen.load_manifest(path, overrides=[("defaults.seed", seed)]), only=["dca"]
        ).data["sections"][0]["result"]["curve"]
        for seed in ("1", "2")
    ]
    assert curves[0] != curves[1]
    points = [[row["net_benefit"]["estimate"] for row in curve] for curve in curves]
    assert points[0] == points[1]


def test_nothing_is_written_when_an_input_is_wrong(path: Path, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE.replace(",p\n", ",q\n"))
    with pytest.raises(RequestError):
        build.build(path, tmp_path / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.yaml", "t.csv"]


def test_nothing_is_computed_when_the_place_cannot_be_written(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr(build, "compute", fail)
    with pytest.raises(RequestError, match="is a file"):
        build.build(path, tmp_path / "t.csv" / "out")


def test_a_nan_is_not_written(
    manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = reportgen.run(manifest)
    results.data["defaults"]["seed"] = float("nan")
    with pytest.raises(ValueError, match="not JSON compliant"):
        reportgen.render(results, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_is_rendered_is_what_is_read_back(
    manifest: Manifest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import reportgen.render.html as html

    seen = []
    whole = html.render_pages

    def watched(data: Any, pictures: Any = None, **options: Any) -> html.Pages:
        seen.append(data)
        return whole(data, pictures, **options)

    monkeypatch.setattr(html, "render_pages", watched)
    folder = reportgen.render(reportgen.run(manifest), tmp_path / "out")
    assert seen == [json.loads((folder / "results.json").read_bytes())]


def test_a_progress_never_ends_before_the_section_does(manifest: Manifest) -> None:
    told: list[float] = []
    settings = manifest.settings.sections[1]
    computing._compute_one(
        settings,
        reading.read(manifest),
        manifest.settings.defaults,
        lambda _, done: told.append(done),
    )
    assert told[0] == 0
    assert told[-1] == 1
    assert all(done < 1 for done in told[:-1])


def without_ids(path: Path, blank: int, *, declared: str = "") -> dict[str, Any]:
    """Return the results of the 60 rows when `blank` of them lack their id."""
    lines = TABLE.splitlines()
    kept = [
        f",{line.partition(',')[2]}" if 0 < at <= blank else line for at, line in enumerate(lines)
    ]
    (path.parent / "t.csv").write_text("\n".join(kept) + "\n")
    path.write_text(MANIFEST.replace("scores: {", f"unit: id, {declared}scores: {{"))
    return dict(reportgen.run(reportgen.load_manifest(path)).data)


def test_rows_without_a_unit_are_a_warning_where_the_figures_stand(path: Path) -> None:
    data = without_ids(path, 12)
    found = [one for one in data["findings"] if one["code"] == "RUN-003"]
    assert [one["id"] for one in found] == ["dca/RUN-003", "prevalence/RUN-003"]
    for one in found:
        assert one["severity"] == "warn"
        assert one["statement"].startswith("12 of 60 rows of table “t” have no id; each is taken")
    assert data["decision"]["outcome"] != "release"
    assert {"dca/RUN-003", "prevalence/RUN-003"} <= {*data["decision"]["reasons"]} or (
        data["decision"]["outcome"] == "hold"
    )
    assert data["inputs"][0]["without_unit"] == 12
    assert "12 rows without id are each a unit of their own" in data["inputs"][0]["notes"]
    check_results({**data, "dossier": {**data["dossier"], "revision": 1}}, "results.json")


def test_rows_with_their_unit_or_dropped_ones_are_none(path: Path) -> None:
    for data in (without_ids(path, 0), without_ids(path, 12, declared="unit_missing: drop, ")):
        assert [one for one in data["findings"] if one["code"] == "RUN-003"] == []
    assert data["inputs"][0]["left_out"] == [{"reason": "id missing", "k": 12}]
    assert data["sections"][0]["result"]["n_rows"] == 48


def test_a_section_of_another_table_does_not_warn(path: Path) -> None:
    path.write_text(
        MANIFEST.replace("  t: {", "  u: {path: u.csv, unit: id, scores: {model: p}}\n  t: {")
    )
    (path.parent / "u.csv").write_text("id,p\n,0.5\n")
    data = reportgen.run(reportgen.load_manifest(path)).data
    assert [one for one in data["findings"] if one["code"] == "RUN-003"] == []
