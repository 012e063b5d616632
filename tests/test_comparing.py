"""Two dossiers side by side, from their folders: what is paired, got worse, or is not told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.comparing import compare
from reportgen.errors import RequestError
from reportgen.release.fingerprint import results_digest, strict_json
from reportgen.result import SEVERITIES
from tests.support.releases import MANIFEST, dossier, next_release, patients

QUICK = MANIFEST.replace("  - {kind: frame", "  # - {kind: frame")
Figures = dict[tuple[str, str, str], dict[str, Any]]


def figures(found: dict[str, Any]) -> Figures:
    return {(one["section"], one["metric"], one["of"]): one for one in found["figures"]}


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """Return three dossiers of one test set: a release, the next, and one that misses women."""
    folder = tmp_path_factory.mktemp("releases")
    first = patients(300)
    order = np.random.default_rng(3).permutation(300).tolist()
    return (
        dossier(folder, "1.0", first),
        dossier(folder, "2.0", next_release(first, noise=0.1), order=order),
        dossier(folder, "3.0", next_release(first, noise=0.1, missed=0.5)),
    )


def test_a_planted_regression_in_one_group_is_named(releases: tuple[Path, Path, Path]) -> None:
    found = compare(releases[0], releases[2])
    assert found["pairing"][0]["paired"]
    assert found["pairing"][0]["n_units"] == 300
    told = figures(found)
    women = told["frame", "sensitivity", "risk, sex F, threshold 0.5"]
    men = told["frame", "sensitivity", "risk, sex M, threshold 0.5"]
    assert (women["change"], women["paired"]) == ("worse", True)
    assert women["difference"]["high"] < 0
    assert women["p_adjusted"] < 0.001
    assert men["change"] in ("not shown", "same")
    named = [one["statement"] for one in found["regressions"] if one["kind"] == "figure"]
    assert any(one.startswith("Sensitivity, risk, sex F, threshold 0.5: 0.") for one in named)
    assert not any("sex M," in one for one in named)


def test_a_harmless_release_shows_nothing_worse(releases: tuple[Path, Path, Path]) -> None:
    found = compare(releases[0], releases[1])
    assert [one for one in found["regressions"] if one["kind"] == "figure"] == []
    assert {"model.version"} <= {line["key"] for line in found["manifest"]}
    changed = {one["name"]: one["change"] for one in found["inputs"]}
    assert changed == {"tables.test": "changed"}


def test_a_dossier_against_itself_is_the_same(releases: tuple[Path, Path, Path]) -> None:
    found = compare(releases[0], releases[0])
    assert {one["change"] for one in found["figures"]} == {"same"}
    assert {one["change"] for one in found["findings"]} == {"same"}
    assert {one["change"] for one in found["inputs"]} == {"same"}
    assert found["decision"]["change"] == "same"
    assert found["manifest"] == found["packages"] == found["regressions"] == []
    assert all(one["difference"].get("estimate") in (0, 1, None) for one in found["figures"])


def test_paired_intervals_are_much_narrower_and_say_what_they_are(
    releases: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    paired = figures(compare(releases[0], releases[1]))
    apart = compare(releases[0], releases[1], old_inputs=tmp_path)
    assert apart["pairing"] == [
        {
            "table": "test",
            "paired": False,
            "n_units": None,
            "reason": "an input of the older dossier is not at hand: 1.0.csv is not at hand",
        }
    ]
    widths = []
    for key, one in figures(apart).items():
        assert not one["paired"]
        other = paired[key]
        assert other["old"] == one["old"]
        limits = [each["difference"].get("low") for each in (one, other)]
        if other["paired"] and None not in limits:
            assert "square-and-add" in one["difference"]["method"]
            assert "paired" in other["difference"]["method"]
            widths.append([one["difference"]["high"] - one["difference"]["low"]
                           for one in (other, one)])  # fmt: skip
    assert len(widths) > 40
    assert np.median([first / second for first, second in widths]) < 0.5


def test_nothing_of_a_patient_is_in_a_comparison(releases: tuple[Path, Path, Path]) -> None:
    text = json.dumps(compare(releases[0], releases[2]))
    for name in ("patient-", "row-"):
        assert name not in text


def test_a_file_of_another_content_is_not_taken(
    releases: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    table = (releases[0].parents[2] / "1.0.csv").read_text()
    (tmp_path / "1.0.csv").write_text(table.replace("north", "south", 1))
    found = compare(releases[0], releases[1], old_inputs=tmp_path)
    (about,) = found["pairing"]
    assert about["reason"].endswith("1.0.csv is there with another content than was recorded")
    (tmp_path / "1.0.csv").write_text(table)
    assert compare(releases[0], releases[1], old_inputs=tmp_path)["pairing"][0]["paired"]


def test_the_same_comparison_whatever_the_order_of_rows(tmp_path: Path) -> None:
    first = patients(200)
    second = next_release(first)
    made = []
    for seed in (1, 2):
        folder = tmp_path / str(seed)
        folder.mkdir()
        order = np.random.default_rng(seed).permutation(200).tolist()
        old = dossier(folder, "1.0", first, manifest=QUICK)
        new = dossier(folder, "2.0", second, manifest=QUICK, order=order)
        made.append(compare(old, new)["figures"])
    assert made[0] == made[1]
    assert sum(one["paired"] for one in made[0]) > 15


def flipped(columns: dict[str, NDArray[Any]], k: int) -> dict[str, NDArray[Any]]:
    label = columns["y"].copy()
    label[:k] = 1 - label[:k]
    return {**columns, "y": label}


def test_labels_that_differ_are_counted_and_patients_that_differ_too(tmp_path: Path) -> None:
    first = patients(200)
    old = dossier(tmp_path, "1.0", first, manifest=QUICK)
    relabelled = dossier(tmp_path, "2.0", flipped(first, 3), manifest=QUICK)
    (about,) = compare(old, relabelled)["pairing"]
    assert (about["paired"], about["reason"]) == (False, "the labels of 3 of 200 rows differ")
    others = {name: values[20:] for name, values in first.items()}
    fewer = dossier(tmp_path, "3.0", others, manifest=QUICK)
    (about,) = compare(old, fewer)["pairing"]
    assert about["reason"] == "the rows differ: 20 are in the older table alone, 0 in the newer"


def test_a_stored_figure_that_does_not_follow_from_the_table_is_not_paired(tmp_path: Path) -> None:
    first = patients(200)
    old = dossier(tmp_path, "1.0", first, manifest=QUICK)
    new = dossier(tmp_path, "2.0", next_release(first), manifest=QUICK)
    data = json.loads((old / "results.json").read_bytes())
    (area,) = (one["result"] for one in data["sections"] if one["kind"] == "prevalence")
    area["auc"]["estimate"] = (area["auc"]["estimate"] + area["auc"]["low"]) / 2
    data["dossier"]["digest"] = results_digest(data)
    (old / "results.json").write_bytes(strict_json(data))
    found = figures(compare(old, new))
    assert not found["prevalence", "AUC".lower(), "risk"]["paired"]
    assert found["prevalence", "sensitivity", "risk, threshold 0.5"]["paired"]


def test_worse_decisions_and_findings_are_regressions(releases: tuple[Path, Path, Path]) -> None:
    better, worse = compare(releases[2], releases[0]), compare(releases[0], releases[2])
    for one in worse["findings"]:
        if one["change"] in ("new", "worse") and one["new"] in ("fail", "warn"):
            assert any(one["title"] in reg["statement"] for reg in worse["regressions"])
        if one["change"] == "worse":
            assert SEVERITIES.index(one["new"]) < SEVERITIES.index(one["old"])
    outcomes = {one["decision"]["change"] for one in (better, worse)}
    assert outcomes in ({"same"}, {"better", "worse"})


def test_what_is_no_dossier_is_refused(releases: tuple[Path, Path, Path], tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="cannot be read"):
        compare(tmp_path, releases[0])
    shutil.copytree(releases[0], tmp_path / "r1")
    text = (tmp_path / "r1" / "results.json").read_text()
    (tmp_path / "r1" / "results.json").write_text(text.replace('"Release"', '"Other"'))
    with pytest.raises(RequestError, match="digest"):
        compare(releases[0], tmp_path / "r1")
