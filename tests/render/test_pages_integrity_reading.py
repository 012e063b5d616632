"""What a reader of the pages of an integrity audit would stumble over."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from reportgen.render.pages import integrity
from reportgen.render.view import TableView
from tests.support import integrity_pages as sample

Plain = dict[str, Any]


@pytest.fixture(scope="module")
def made() -> Plain:
    return sample.section(sample.outcome())


@pytest.fixture
def section(made: Plain) -> Plain:
    return copy.deepcopy(made)


def table(section: Plain, key: str) -> TableView:
    return next(view for view in integrity.tables(section) if view.key == key)


def test_at_least_goes_with_a_count_and_never_with_none(section: Plain) -> None:
    near = section["result"]["near_duplicates"]
    near["counts"][0] |= {"k": 3, "n": 27}
    near["counts"][1] |= {"k": 0, "n": 27}
    for key in ("counts", "sensitivity"):
        counts = {row["counts"] for row in table(section, key).rows if row["n"] == 27}
        assert counts == {"at least 3 of 27", "0 of 27"}
    bounded = [row for row in section["result"]["records"] if row["lower_bound"]]
    bounded[0] |= {"k": 0, "n": 27}
    written = {row["what"]: row["counts"] for row in table(section, "records").rows}
    assert written[bounded[0]["what"]] == "0 of 27"


def test_the_table_of_checks_says_what_a_count_of_agreement_counts(section: Plain) -> None:
    rows = {row["code"]: row for row in table(section, "records").rows}
    agreement = rows["INT-025"]
    assert agreement["counts"] == f"{agreement['k']} of {agreement['n']} agree"
    assert "Differing labels" in agreement["what"]
    command = section["result"]["records"][0]["command"]
    assert command in (table(section, "records").note or "")


def test_a_pictured_pair_has_the_measure_of_the_table(section: Plain) -> None:
    """A similarity reads as a cosine in both, not as its complement in one of them."""
    near = section["result"]["near_duplicates"]
    picture = near["pictures"][0] | {"detector": "wdct", "distance": 0.0185}
    near["pictures"] = [picture | {"boxes_drawn": True}, picture | {"boxes_drawn": False}]
    with_boxes, without = [view for view in integrity.figures(section) if view.picture]
    assert "cosine 0.981" in with_boxes.caption or "cosine 0.982" in with_boxes.caption
    assert "1 − cosine" not in with_boxes.caption
    assert "blue, the image's own labels; vermilion, its twin's" in with_boxes.caption
    assert "blue" not in without.caption


def test_a_detector_that_cannot_be_used_keeps_its_definition(section: Plain) -> None:
    row = section["result"]["near_duplicates"]["detectors"][0]
    row |= {"reason": "it can compare no image", "compared": 0}
    assert table(section, "detectors").rows[0]["definition"] == row["definition"]


def test_thresholds_stand_in_order(section: Plain) -> None:
    rows = table(section, "all_pairs").rows
    for name in ("rms32", "wdct"):
        thresholds = [row["threshold"] for row in rows if row["detector"] == name]
        assert len(thresholds) == 3
        assert thresholds == sorted(thresholds)


def test_what_is_touched_and_what_mends_it_stands_on_the_page(section: Plain) -> None:
    records = section["result"]["records"]
    rows = table(section, "remedies").rows
    told = {(row["affected_claim"], row["remedy"]) for row in rows}
    assert len(told) == len(rows) > 0
    for record in records:
        if record["status"] == "found" and record["remedy"]:
            assert (record["affected_claim"] or "–", record["remedy"]) in told
            assert any(record["what"] in row["what"] for row in rows)
    for record in records:
        record["status"] = "not found"
    assert "remedies" not in {view.key for view in integrity.tables(section)}
