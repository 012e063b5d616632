"""The right values of the histology set: 544 fields of 228 sources, whose leak is known exactly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.images import ImageSet
from reportgen.sections.integrity import label_agreement, label_geometry, leakage, near_duplicates
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.result_labels import LabelAgreement, LabelGeometry
from reportgen.sections.integrity.result_partition import Leakage, NearDuplicates
from tests.support.integrity_images import (
    BOXES,
    OSCC400,
    PUBLISHED,
    oscc400,
    oscc400_boxes,
    pairs_between,
)
from tests.support.integrity_jobs import job


@pytest.fixture(scope="module")
def scans(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> ImageSet:
    patch = pytest.MonkeyPatch()
    patch.setenv("REPORTGEN_CACHE", "off")
    images = oscc400(shared)
    patch.undo()
    return images


@pytest.fixture(scope="module")
def truth(shared: Path) -> dict[str, Any]:
    path = shared / OSCC400 / ".." / "reference.json"
    reference: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["oscc400"]
    return reference


@pytest.fixture(scope="module")
def found(scans: ImageSet) -> Audited:
    near = {"detectors": {"wdct": 0.6, "rms32": 15.0}, "between": [["train", "valid"]]}
    settings = {"images": "scans", "near_duplicates": near}
    return near_duplicates.audit(job(settings, images={"scans": scans}))


def test_all_pairs_at_each_threshold_are_those_of_the_reference(
    found: Audited, truth: dict[str, Any]
) -> None:
    result: NearDuplicates = found.result
    rows = {(row.detector, row.threshold): row for row in result.all_pairs}
    for threshold in ("12", "15", "18"):
        expected, row = truth["by_rms_threshold"][threshold], rows["rms32", float(threshold)]
        assert row.same_source == expected["same_source"]
        assert row.other_source == expected["other"]
        assert row.fixed_alignment == (
            expected["fixed_alignment_same_source"] + expected["fixed_alignment_other"]
        )
    for threshold in ("0.55", "0.6", "0.65"):
        expected = truth["whitened_dct"]["by_threshold"][threshold]
        row = rows["wdct", float(threshold)]
        assert (row.same_source, row.other_source) == (expected["same_source"], expected["other"])
    assert rows["rms32", 15].pairs == 88
    assert rows["rms32", 15].fixed_alignment == 14
    assert rows["wdct", 0.6].pairs == 234


def test_leaked_validation_images_by_pixels_alone(found: Audited, truth: dict[str, Any]) -> None:
    result: NearDuplicates = found.result
    counts = {row.detector: row for row in result.counts}
    assert (counts["rms32"].k, counts["rms32"].n) == (25, 109)
    assert (counts["wdct"].k, counts["wdct"].n) == (59, 109)
    assert all(row.lower_bound for row in result.counts)
    for row in result.sensitivity:
        if row.detector == "rms32" and row.threshold == 12:
            assert row.k == truth["resplit"]["content_match"]["rms<=12"]["valid_images"]
        if row.detector == "wdct":
            key = str(row.threshold)
            assert row.k == truth["whitened_dct"]["by_threshold"][key]["resplit_valid_found"]
    flagged = [row for row in result.histogram if row.band == "flagged"]
    assert sum(row.k for row in flagged if row.detector == "wdct") == 59
    assert sum(row.k for row in flagged if row.detector == "rms32") == 25
    assert sum(row.k for row in result.histogram if row.detector == "rms32") == 109


def test_full_resolution_is_a_column_that_never_filters(found: Audited) -> None:
    result: NearDuplicates = found.result
    rows = [row for row in result.rows if row.detector == "wdct"]
    assert len({row.image for row in rows}) == 59
    assert len({row.image for row in rows if (row.full_r or 0) >= 0.5}) == 54
    assert len({row.image for row in rows if row.verified}) == 8
    assert all(row.split == "valid" and row.twin_split == "train" for row in rows)


def test_the_pairs_of_the_whole_set_with_full_correlation(scans: ImageSet) -> None:
    settings = {"images": "scans", "near_duplicates": {"detectors": {"wdct": 0.6}, "show": 0}}
    result: NearDuplicates = near_duplicates.audit(job(settings, images={"scans": scans})).result
    assert len(result.rows) == 234
    assert sum((row.full_r or 0) >= 0.5 for row in result.rows) == 186
    assert sum(bool(row.verified) for row in result.rows) == 28
    pairs = [(row.split, row.twin_split) for row in result.counts]
    assert pairs == [("train", "valid"), ("train", "train"), ("valid", "valid")]
    assert sum(row.pairs for row in result.counts) == 234


def test_pictured_pairs_name_pngs_that_are_there(found: Audited) -> None:
    result: NearDuplicates = found.result
    assert len(result.pictures) == 6
    assert {row.chosen_as for row in result.pictures} == {"nearest", "median", "at the threshold"}
    assert {row.picture for row in result.pictures} == set(found.pictures)


def test_sources_leak_as_the_article_found(scans: ImageSet) -> None:
    audited = leakage.audit(job({"images": "scans", "leakage": {}}, images={"scans": scans}))
    result: Leakage = audited.result
    rows = {(row.by, row.of): row for row in result.rows}
    everything = rows["source", "all"]
    assert (everything.k, everything.n) == (96, 109)
    assert everything.share.low == pytest.approx(0.8047, abs=5e-5)
    assert everything.share.high == pytest.approx(0.9349, abs=5e-5)
    assert (rows["source", "0"].k, rows["source", "0"].n) == (4, 4)
    assert (rows["content", "all"].k, rows["content", "all"].n) == (0, 109)
    assert "158 of 228 sources" in rows["augmented copies", "all"].note
    classes = {row.of: (row.images, row.sources) for row in result.class_sources}
    assert classes["0"] == (18, 8)
    assert "400x" in {row.value for row in result.constants if row.n == 544}
    assert [one.severity for one in audited.findings if one.code == "INT-015"] == ["fail"]


def test_negatives_are_counted_by_source_from_a_table_of_boxes_too(
    shared: Path, scans: ImageSet
) -> None:
    bare = replace(scans, labels=None)
    audited = leakage.audit(
        job(
            {"images": "scans", "detections": "boxes", "leakage": {"by": ["source"]}},
            images={"scans": bare},
            detections={"boxes": oscc400_boxes(shared, BOXES)},
        )
    )
    classes = {row.of: (row.images, row.sources) for row in audited.result.class_sources}
    assert classes["without label"] == (18, 8)
    shares = {row.of: (row.k, row.n) for row in audited.result.rows if row.by == "source"}
    assert shares["without label"] == (4, 4)


def test_the_platforms_split_shares_no_source(shared: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("REPORTGEN_CACHE", "off")
    images = oscc400(shared, split="split")
    audited = leakage.audit(
        job({"images": "scans", "leakage": {"by": ["source"]}}, images={"scans": images})
    )
    rows = [row for row in audited.result.rows if row.by == "source" and row.of == "all"]
    assert [(row.split, row.twin_split) for row in rows] == [
        ("train", "valid"),
        ("train", "test"),
        ("valid", "test"),
    ]
    assert [row.k for row in rows] == [0, 0, 0]
    assert {one.severity for one in audited.findings if one.code == "INT-015"} == {"pass"}


def test_published_boxes_leave_their_images(shared: Path) -> None:
    boxes = oscc400_boxes(shared, PUBLISHED)
    audited = label_geometry.audit(job({"detections": "boxes"}, detections={"boxes": boxes}))
    result: LabelGeometry = audited.result
    rows = {row.problem: row for row in result.rows}
    assert (rows["out of bounds"].k, rows["out of bounds"].n) == (2011, 4470)
    assert rows["zero area"].k + rows["negative size"].k == 5
    assert result.hint is not None
    assert "polygon" in result.hint


def test_right_boxes_have_no_such_defect(shared: Path) -> None:
    boxes = oscc400_boxes(shared, BOXES)
    audited = label_geometry.audit(job({"detections": "boxes"}, detections={"boxes": boxes}))
    assert [row.k for row in audited.result.rows] == [0] * 5
    assert audited.result.hint is None
    polygons = [one for one in audited.records if one.code == "INT-038"]
    assert [(one.k, one.n) for one in polygons] == [(3914, 4470)]


def test_label_sets_of_all_same_source_pairs_agree(
    shared: Path, scans: ImageSet, truth: dict[str, Any]
) -> None:
    assert scans.source is not None
    same = scans.source[:, None] == scans.source[None, :]
    first, second = np.nonzero(np.triu(same, 1))
    near = Audited(pairs=(pairs_between(544, first.tolist(), second.tolist()),))
    audited = label_agreement.audit(
        job(
            {
                "images": "scans",
                "detections": "boxes",
                "near_duplicates": {"between": [["train", "train"], ["valid", "valid"]]},
                "label_agreement": {},
            },
            done={"near_duplicates": near},
            images={"scans": scans},
            detections={"boxes": oscc400_boxes(shared, BOXES)},
        )
    )
    across = np.count_nonzero(scans.split[first] != scans.split[second])  # type: ignore[index]
    result: LabelAgreement = audited.result
    expected = truth["same_source_label_agreement"]
    assert expected["label_set_equal"] == expected["pairs"] == len(first)
    assert sum(row.n for row in result.rows) == len(first) - across
    assert [row.k for row in result.rows] == [row.n for row in result.rows]
