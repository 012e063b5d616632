"""One set of predictions, every convention: pycocotools' and Ultralytics' figures, and drift."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.detections import DetectionSet, EvaluatorPins
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.display import some_boxes
from reportgen.sections.integrity.evaluator import audit
from reportgen.sections.integrity.pins import declared_convention
from tests.support.coco100 import coco100, coco_files
from tests.support.integrity_jobs import boxes, detection_set, grades, job

BOX = (10.0, 10.0, 50.0, 50.0)
FULL = EvaluatorPins("ultralytics", "8.4.118", 0.001, 0.7, 300)


def _audit(given: DetectionSet, other: DetectionSet | None = None, **settings: Any) -> Audited:
    named = {given.name: given} | ({other.name: other} if other else {})
    own: dict[str, Any] = {**settings}
    if other:
        own["against"] = other.name
    return audit(job({"detections": given.name, "evaluator": own}, detections=named))


def _value(found: Audited, convention: str, metric: str, name: str = "all") -> Any:
    return next(
        row.value
        for row in found.result.rows
        if (row.convention, row.metric, row.class_) == (convention, metric, name)
    )


def test_coco100_under_every_convention(shared: Path) -> None:
    """reference.json: pycocotools 2.0.11 and Ultralytics' own code on the same matches."""
    reference = json.loads((shared / "data/integrity/reference.json").read_text())["coco100"]
    keys = {
        "coco_101point": "coco_101",
        "voc_11point": "voc_11",
        "all_point_envelope": "all_point",
        "ultralytics_until_8.4.36": "ultralytics_8_4_36",
        "ultralytics_from_8.4.37": "ultralytics_8_4_37",
        "step_no_envelope": "step",
    }
    found = _audit(coco100(shared))
    for name, key in keys.items():
        right = reference["ap_conventions_same_matches"][name]
        assert _value(found, key, "map50") == pytest.approx(right["mAP50"], abs=1e-9)
        assert _value(found, key, "map50_95") == pytest.approx(right["mAP50_95"], abs=1e-9)
        assert _value(found, key, "map75") == pytest.approx(right["mAP75"], abs=1e-9)
        assert _value(found, key, "ap50", "person") == pytest.approx(
            reference["person_AP50"][name], abs=1e-9
        )
    rows = [row for row in found.result.rows if row.class_ == "all"]
    assert {row.n_classes for row in rows} == {reference["classes_with_ground_truth"]}
    assert len(found.result.classes_without_boxes) == 10


def test_drift_of_coco100(shared: Path) -> None:
    """The library update moves identical predictions by -.084622 and -.094908."""
    found = _audit(coco100(shared))
    drift = {row.metric: row for row in found.result.drift if row.class_ == "all"}
    assert drift["map50"].difference == pytest.approx(0.695046077 - 0.779668292, abs=1e-9)
    assert drift["map50_95"].difference == pytest.approx(0.502156808 - 0.597064665, abs=1e-9)
    assert "24175" in drift["map50"].cause
    assert grades(found)["INT-055"] == ["major"]
    declared = _audit(coco100(shared, settings={"tool": "Ultralytics", "version": "8.3.231"}))
    assert grades(declared)["INT-055"] == ["info"]
    own = _audit(coco100(shared, settings={"tool": "our own", "version": "3"}))
    assert grades(own)["INT-055"] == ["minor"]


def test_d108_ten_boxes_six_right() -> None:
    """AP .8 with a line to (1, 0), .595 with zero after the last recall, .604 (61/101) by COCO."""
    truth = boxes([(at, 0, BOX) for at in range(10)])
    predicted = boxes([(at, 0, BOX) for at in range(6)], [0.9 - at / 100 for at in range(6)])
    found = _audit(detection_set([str(at) for at in range(10)], ["a"], truth, predicted))
    assert _value(found, "ultralytics_8_4_36", "map50") == pytest.approx(0.8)
    assert _value(found, "ultralytics_8_4_37", "map50") == pytest.approx(0.595)
    assert _value(found, "coco_101", "map50") == pytest.approx(61 / 101)
    assert _value(found, "all_point", "map50") == pytest.approx(0.6)
    for row in found.result.rows:
        assert row.tool
        assert row.rule


def test_d107_class_without_boxes_is_not_defined_and_not_in_the_mean() -> None:
    truth = boxes([(0, 0, BOX)])
    predicted = boxes([(0, 0, BOX), (0, 1, BOX)], [0.9, 0.8])
    found = _audit(detection_set(["1"], ["a", "b"], truth, predicted))
    row = next(row for row in found.result.rows if row.class_ == "b")
    assert row.value is None
    assert "−1" in str(row.reason)
    assert _value(found, "coco_101", "map50") == pytest.approx(1)
    assert {row.n_classes for row in found.result.rows if row.class_ == "all"} == {1}
    assert found.result.classes_without_boxes == ("b",)
    assert grades(found)["INT-059"] == ["info"]


def test_d107_no_boxes_at_all_is_not_testable() -> None:
    given = detection_set(["1"], ["a"], boxes([]), boxes([(0, 0, BOX)], [0.9]))
    found = _audit(given)
    assert found.result.status == "not testable"
    assert "−1" in str(found.result.reason)


def test_no_predictions_are_not_testable() -> None:
    found = _audit(detection_set(["1"], ["a"], boxes([(0, 0, BOX)]), None))
    assert found.result.status == "not testable"


def test_class_never_predicted_scores_zero_and_is_named() -> None:
    truth = boxes([(0, 0, BOX), (0, 1, BOX)])
    found = _audit(detection_set(["1"], ["a", "b"], truth, boxes([(0, 0, BOX)], [0.9])))
    assert found.result.never_predicted == ("b",)
    for convention in ("coco_101", "ultralytics_8_4_36", "step"):
        assert _value(found, convention, "ap50", "b") == 0


def _written(folder: Path, ids: dict[str, int], *, first: int) -> DetectionSet:
    """Write one image a class, each box predicted exactly, annotations numbered from `first`."""
    images = [{"id": at + 1, "width": 100, "height": 100} for at in range(len(ids))]
    shared_keys = [
        {"image_id": at + 1, "category_id": number, "bbox": [10, 10, 50, 50]}
        for at, number in enumerate(ids.values())
    ]
    truth = {
        "images": images,
        "categories": [{"id": number, "name": name} for name, number in ids.items()],
        "annotations": [
            {**one, "id": first + at, "area": 2500, "iscrowd": 0}
            for at, one in enumerate(shared_keys)
        ],
    }
    results = [{**one, "score": 0.9} for one in shared_keys]
    (folder / "ground_truth.json").write_text(json.dumps(truth))
    (folder / "detections.json").write_text(json.dumps(results))
    return coco_files(folder)


def test_d102_annotation_id_zero_is_an_id(tmp_path: Path) -> None:
    """pycocotools gives 0.0, for its mark of an unmatched detection is id 0."""
    for first in (0, 1):
        found = _audit(_written(tmp_path, {"a": 1}, first=first))
        assert _value(found, "coco_101", "map50_95") == pytest.approx(1)


def test_d103_category_ids_with_gaps(tmp_path: Path) -> None:
    gaps = _audit(_written(tmp_path, {"a": 3, "b": 5, "c": 11}, first=1)).result
    plain = _audit(_written(tmp_path, {"a": 1, "b": 2, "c": 3}, first=1)).result
    assert gaps.rows == plain.rows
    assert [row.class_ for row in gaps.rows[:5]] == ["all", "all", "all", "a", "a"]


def _hundred(*, scores: list[float] | None = None, **more: Any) -> DetectionSet:
    rng = np.random.default_rng(3)
    truth = boxes([(at, 0, BOX) for at in range(100)])
    right = rng.random(100) < 0.7
    found = boxes(
        [(at, 0, BOX if right[at] else (500.0, 500.0, 9.0, 9.0)) for at in range(100)],
        scores or rng.random(100).tolist(),
    )
    return detection_set([f"{at:03d}" for at in range(100)], ["a"], truth, found, **more)


def test_pins() -> None:
    missing = _audit(_hundred())
    assert [pin.value for pin in missing.result.pins] == [None] * 5
    assert grades(missing)["INT-056"] == ["minor"]
    full = _audit(_hundred(pins=FULL))
    assert [pin.value for pin in full.result.pins] == (
        ["ultralytics", "8.4.118", "0.001", "0.7", "300"]
    )
    assert grades(full)["INT-056"] == [None]


def test_d109_other_settings_are_not_compared() -> None:
    first = _hundred(pins=FULL)
    second = _hundred(name="later", pins=replace(FULL, confidence=0.6))
    found = _audit(first, second)
    rows = [row for row in found.result.drift if "later" in row.second]
    assert rows
    assert all(row.difference is None for row in rows)
    assert all("settings differ (confidence 0.001 and 0.6)" in row.cause for row in rows)
    assert grades(found)["INT-058"] == ["major"]
    refused = next(one for one in found.findings if one.code == "INT-058")
    assert refused.severity == "fail"


def test_d109_evaluation_at_high_confidence_is_marked() -> None:
    high = [0.6 + at / 1000 for at in range(100)]
    found = _audit(_hundred(scores=high, pins=replace(FULL, confidence=0.6)))
    assert grades(found)["INT-058"] == ["minor"]
    assert {pin.setting: pin.value for pin in found.result.pins}["confidence"] == "0.6"
    assert any("not comparable" in note for note in found.result.notes)


def test_predictions_that_contradict_their_settings() -> None:
    found = _audit(_hundred(pins=replace(FULL, confidence=0.05)))
    assert grades(found)["INT-058"] == ["minor"]
    assert any("below the declared confidence 0.05" in note for note in found.result.notes)


def test_two_versions_on_identical_predictions(shared: Path) -> None:
    """8.3.231 against 8.4.118: same bytes, so the difference is the convention's alone."""
    old = coco100(shared, settings={"tool": "ultralytics", "version": "8.3.231"})
    new = coco100(shared, "later", settings={"tool": "ultralytics", "version": "8.4.118"})
    found = _audit(old, new)
    assert found.result.identical is True
    assert found.result.predictions_sha256 == found.result.against_sha256
    rows = [row for row in found.result.drift if row.second == "later (ultralytics_8_4_37)"]
    by_metric = {row.metric: row for row in rows if row.class_ == "all"}
    assert by_metric["map50_95"].first_value == pytest.approx(0.597064665, abs=1e-9)
    assert by_metric["map50_95"].difference == pytest.approx(-0.094907857, abs=1e-9)
    assert "predictions are the same" in by_metric["map50_95"].cause
    assert grades(found)["INT-057"] == ["major"]
    said = next(one.statement for one in found.findings if one.code == "INT-057")
    assert "byte for byte the same" in said


def test_same_run_twice_differs_in_nothing() -> None:
    found = _audit(_hundred(pins=FULL), _hundred(name="again", pins=FULL))
    assert found.result.identical is True
    assert grades(found)["INT-057"] == [None]


def test_other_predictions_are_counted() -> None:
    first = _hundred(pins=FULL)
    moved = first.predicted
    assert moved is not None
    shifted = moved.xywh.copy()
    shifted[:3, 0] += 1
    second = replace(first, name="again", predicted=replace(moved, xywh=shifted))
    found = _audit(first, second)
    assert found.result.identical is False
    said = next(one.statement for one in found.findings if one.code == "INT-057")
    assert "3 only in the first, 3 only in the second" in said
    assert grades(found)["INT-057"] == ["minor"]


def test_rule_of_an_undeclared_side_is_not_called_the_same() -> None:
    """Of a tool without its version it is not known whether it is the old rule or the new one."""
    other = _hundred(name="again", pins=replace(FULL, version=None))
    found = _audit(_hundred(pins=FULL), other)
    said = next(one.statement for one in found.findings if one.code == "INT-057")
    assert "The rule of “again” does not follow from a declared tool and version" in said
    assert grades(found)["INT-057"] == ["minor"]


def test_d109_undeclared_settings_of_the_other_run_are_marked() -> None:
    first = _hundred(pins=FULL)
    assert first.predicted is not None
    assert first.predicted.score is not None
    high = np.flatnonzero(first.predicted.score >= 0.6)
    second = replace(
        first, name="high", pins=EvaluatorPins(), predicted=some_boxes(first.predicted, high)
    )
    found = _audit(first, second)
    said = next(one.statement for one in found.findings if one.code == "INT-057")
    assert "“high” does not declare confidence, nms_iou, max_detections" in said
    assert grades(found)["INT-057"] == ["minor"]
    assert grades(found)["INT-058"] == ["minor"]
    assert any(note.startswith("“high”: predictions begin") for note in found.result.notes)


def test_order_of_predictions_is_no_difference() -> None:
    first = _hundred(pins=FULL)
    given = first.predicted
    assert given is not None
    back = np.arange(100)[::-1]
    turned = replace(
        given, ids=given.ids[back], image=given.image[back], category=given.category[back],
        xywh=given.xywh[back], area=given.area[back],
        score=None if given.score is None else given.score[back],
    )  # fmt: skip
    found = _audit(first, replace(first, name="again", predicted=turned))
    assert found.result.identical is True


def test_other_labels_are_not_compared() -> None:
    first = _hundred(pins=FULL)
    second = replace(first, name="again", truth=boxes([(at, 0, BOX) for at in range(99)]))
    found = _audit(first, second)
    assert grades(found)["INT-058"] == ["major"]
    assert all(row.difference is None for row in found.result.drift if "again" in row.second)


@pytest.mark.parametrize(
    ("tool", "version", "convention"),
    [
        ("Ultralytics", "8.4.36", "ultralytics_8_4_36"),
        ("ultralytics", "v8.4.37", "ultralytics_8_4_37"),
        ("ultralytics", "8.10.0", "ultralytics_8_4_37"),
        ("ultralytics", None, None),
        ("pycocotools", "2.0.11", "coco_101"),
        ("faster-coco-eval", None, "coco_101"),
        ("scikit-learn", "1.9.1", "step"),
        ("my own", "1", None),
        (None, "8.4.36", None),
    ],
)
def test_tools_and_their_conventions(
    tool: str | None, version: str | None, convention: str | None
) -> None:
    assert declared_convention(EvaluatorPins(tool, version)) == convention


def test_perfect_predictions_drift_by_nothing() -> None:
    truth = boxes([(at, 0, BOX) for at in range(5)])
    found = _audit(
        detection_set([str(at) for at in range(5)], ["a"], truth, replace(truth, score=np.ones(5)))
    )
    assert grades(found)["INT-055"] == [None]
    assert "cause" not in found.findings[0].statement  # of no difference


def test_not_asked_for_is_none() -> None:
    assert audit(job({})).result is None
