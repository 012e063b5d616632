"""Figures computed again: equal within a billionth, and what differs is named by its place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.errors import RequestError
from reportgen.release.fingerprint import results_digest, strict_json
from reportgen.release.record import RESULTS
from reportgen.verifying import Check, verify
from reportgen.verifying.rebuilding import REBUILD, differing
from tests.support import verifying as support


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with support.quick():
        overrides = [("sections[0].threshold", "0.3")]
        yield support.built(tmp_path, format="html", overrides=overrides)


def rebuilt(folder: Path) -> list[Check]:
    found = verify(folder, rebuild=folder.parents[3] / "m.yaml")
    return [one for one in found.checks if one.name == REBUILD]


def test_the_same_inputs_give_the_same_figures_under_the_recorded_overrides(folder: Path) -> None:
    [found] = rebuilt(folder)
    assert found.state == "good"
    assert not found.detail.startswith("0 ")


def test_other_inputs_give_other_figures_which_are_named(folder: Path) -> None:
    lines = support.TABLE.splitlines(keepends=True)
    # One positive at the highest score becomes a negative: the counts are off by one.
    at = next(i for i, line in enumerate(lines) if i and line.split(",")[1] == "1")
    one, _, score = lines[at].split(",")
    (folder.parents[3] / "t.csv").write_text(
        "".join([*lines[:at], f"{one},0,{score}", *lines[at + 1 :]])
    )
    found = rebuilt(folder)
    assert {check.state for check in found} == {"bad"}
    assert {check.file for check in found} == {RESULTS}
    assert any("sections[prevalence].result" in check.detail for check in found)


def test_a_stored_figure_that_was_moved_is_named(folder: Path) -> None:
    data = json.loads((folder / RESULTS).read_bytes())
    row = data["sections"][0]["result"]["rows"][0]
    for factor, state in ((1 + 1e-12, "good"), (1 + 1e-6, "bad")):
        changed = json.loads(json.dumps(data))
        moved = changed["sections"][0]["result"]["rows"][0]["value"]
        moved["estimate"] = row["value"]["estimate"] * factor
        changed["dossier"]["digest"] = results_digest(changed)
        (folder / RESULTS).write_bytes(strict_json(changed))
        support.listed_anew(folder)
        [found] = rebuilt(folder)
        assert found.state == state
    assert "sections[prevalence].result.rows[0].value.estimate" in found.detail


def test_a_manifest_that_is_not_there_is_a_wrong_request(folder: Path) -> None:
    with pytest.raises(RequestError):
        verify(folder, rebuild=folder / "nowhere.yaml")


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ({"a": 1.0}, {"a": 1.0 + 5e-10}, []),
        ({"a": 1.0}, {"a": 1.0 + 5e-9}, ["a"]),
        ({"a": 1e-30}, {"a": -3e-17}, []),
        ({"a": 1e-12}, {"a": 2e-12}, ["a"]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, ["a"]),
        ({"a": None}, {}, ["a"]),
        ({"a": [1, {"id": "x", "b": "u"}]}, {"a": [1, {"id": "x", "b": "v"}]}, ["a[x].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": "0.5"}, {"a": 0.5}, ["a"]),
    ],
)
def test_plain_data_are_compared_value_by_value(
    old: object, new: object, places: list[str]
) -> None:
    assert [place for place, _, _ in differing(old, new)] == places


def test_a_comparison_with_an_earlier_dossier_is_no_figure_of_this_one(tmp_path: Path) -> None:
    with support.quick():
        support.built(tmp_path, format="html")
        overrides = [("compare_to", "previous"), ("sections[0].threshold", "0.3")]
        folder = support.built(tmp_path, format="html", overrides=overrides)
        found = verify(folder, rebuild=tmp_path / "m.yaml")
    assert folder.name == "r2"
    assert "comparison" in json.loads((folder / RESULTS).read_bytes())
    told = {one.name: one.state for one in found.checks}
    assert told[REBUILD] == "good"
    assert told["input compare_to"] == "good"
    assert found.good
