"""Average precision under each convention: the reference, pycocotools, scikit-learn, D107, D108."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from reportgen.stats.detection import (
    CONVENTIONS,
    FIGURES,
    Matches,
    ap_table,
    average_precision,
    match,
)
from reportgen.stats.detection.conventions import RECALL_GRID, STEP
from tests.stats.detection.conftest import Judge
from tests.support.detection import CocoFiles, class_ap, columns, made_up

NAMES = {
    "coco_101": "coco_101point",
    "voc_11": "voc_11point",
    "all_point": "all_point_envelope",
    "ultralytics_8_4_36": "ultralytics_until_8.4.36",
    "ultralytics_8_4_37": "ultralytics_from_8.4.37",
    "step": "step_no_envelope",
}
"""The six conventions and their names in the reference."""


@pytest.mark.parametrize("convention", NAMES)
def test_coco100_is_as_in_the_reference(
    coco100_matches: Matches, reference: dict[str, Any], convention: str
) -> None:
    table = ap_table([coco100_matches], [convention])
    expected = reference["coco100"]["ap_conventions_same_matches"][NAMES[convention]]
    for figure, name in zip(FIGURES, ("mAP50", "mAP75", "mAP50_95"), strict=True):
        assert table.figure(convention, figure) == pytest.approx(expected[name], abs=5e-10)
    person = table.figure(convention, "map50", category=0)
    expected_person = reference["coco100"]["person_AP50"][NAMES[convention]]
    assert person == pytest.approx(expected_person, abs=5e-10)
    assert table.n_classes == reference["coco100"]["classes_with_ground_truth"] == 70


def test_coco100_equals_pycocotools_class_by_class(
    coco100: CocoFiles, coco100_matches: Matches, pycocotools: Judge
) -> None:
    result = pycocotools(coco100.truth_data, coco100.detections_data)
    table = ap_table([coco100_matches], ["coco_101"])
    np.testing.assert_allclose(table.values[0], class_ap(result), rtol=0, atol=1e-12)
    for figure, theirs in zip(FIGURES, result.stats[[1, 2, 0]], strict=True):
        assert table.figure("coco_101", figure) == pytest.approx(theirs, abs=1e-12)


MINIMAL = {
    "coco_101": Fraction(51, 101),
    "voc_11": Fraction(6, 11),
    "all_point": Fraction(1, 2),
    "ultralytics_8_4_36": Fraction(3, 4),
    "ultralytics_8_4_37": Fraction(495, 1000),
    "step": Fraction(1, 2),
}


@pytest.mark.parametrize("convention", MINIMAL)
def test_recall_one_half_at_precision_one(convention: str) -> None:
    value = average_precision(np.array([True]), 2, convention=convention)
    assert value == pytest.approx(float(MINIMAL[convention]), abs=1e-12)


@pytest.mark.parametrize(
    ("convention", "value"),
    [
        ("ultralytics_8_4_36", 0.8),
        ("ultralytics_8_4_37", 0.595),
        ("coco_101", 61 / 101),
        ("all_point", 0.6),
        ("step", 0.6),
        ("voc_11", 7 / 11),
    ],
)
def test_six_of_ten_boxes_found_and_nothing_else(convention: str, value: float) -> None:
    hits = np.ones(6, dtype=bool)
    assert average_precision(hits, 10, convention=convention) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_boxes_without_detection_are_0_and_no_boxes_are_not_defined(convention: str) -> None:
    nothing = np.zeros(0, dtype=bool)
    assert average_precision(nothing, 4, convention=convention) == 0
    assert average_precision(nothing, 0, convention=convention) is None
    assert average_precision(np.zeros(3, dtype=bool), 0, convention=convention) is None
    assert average_precision(np.zeros(3, dtype=bool), 4, convention=convention) == 0


def test_every_box_found_first_is_1_or_says_why_not() -> None:
    hits = np.ones(7, dtype=bool)
    for convention in CONVENTIONS:
        # Ultralytics' curve ends in (1, 0), so the last trapezoid is halved: its known best, 0.995.
        value = 0.995 if convention.startswith("ultralytics") else 1.0
        assert average_precision(hits, 7, convention=convention) == pytest.approx(value, abs=1e-12)


def test_classes_without_boxes_are_left_out_of_the_mean() -> None:
    box = (0, 0, 10, 10)
    truth = columns([0, 1], [0, 1], [box, box])
    seen = columns([0, 0], [0, 2], [box, box], score=[0.9, 0.8])
    matches = match(truth, seen, n_images=2, n_classes=3)
    table = ap_table([matches], ["coco_101", "ultralytics_8_4_36"])
    for convention in table.conventions:
        # Found (0.995 is Ultralytics' best), not found, and found though there is nothing.
        best = 0.995 if convention.startswith("ultralytics") else 1.0
        assert table.figure(convention, "map50") == pytest.approx((best + 0) / 2, abs=1e-12)
        assert table.figure(convention, "map50", category=1) == 0
        assert table.figure(convention, "map50", category=2) is None
    assert table.n_classes == 2
    assert table.has_boxes.tolist() == [True, True, False]


def test_without_any_box_nothing_is_defined() -> None:
    seen = columns([0], [0], [(0, 0, 1, 1)], score=[0.9])
    table = ap_table([match(columns([], [], []), seen, n_images=1, n_classes=1)], ["coco_101"])
    assert table.figure("coco_101", "map50") is None
    assert table.n_classes == 0


def test_steps_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        hits = rng.random(40) < 0.4
        hits[0] = True
        theirs = average_precision_score(hits, -np.arange(40.0))
        ours = average_precision(hits, int(hits.sum()), convention="step")
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_voc_grid_is_exact_where_floats_are_not() -> None:
    # 9 of 15 boxes: recall 0.6 is reached, though numpy's grid has 0.6000000000000001.
    assert np.arange(0, 1.1, 0.1)[6] > 9 / 15
    value = average_precision(np.ones(9, dtype=bool), 15, convention="voc_11")
    assert value == pytest.approx(7 / 11, abs=1e-12)


def test_recalls_are_whole_multiples_of_the_float_step() -> None:
    assert (np.arange(101) * STEP == RECALL_GRID).all()


def test_inclusive_pixels_need_matches_of_their_own() -> None:
    truth, seen = made_up(np.random.default_rng(2), n_images=5, n_boxes=30, n_classes=2)
    plain = match(truth, seen, n_images=5, n_classes=2)
    with pytest.raises(ValueError, match="voc_11_plus_1 needs matches by the rule 'voc_plus_1'"):
        ap_table([plain], ["voc_11_plus_1"])
    own = match(truth, seen, n_images=5, n_classes=2, rule="voc_plus_1", max_detections=None)
    table = ap_table([plain, own])
    assert table.conventions == tuple(CONVENTIONS)
    assert table.values.shape == (7, 10, 2)


def test_requests_that_have_no_answer_are_refused() -> None:
    with pytest.raises(ValueError, match="no convention 'coco'; known: coco_101"):
        average_precision(np.ones(1, dtype=bool), 1, convention="coco")
    with pytest.raises(ValueError, match="3 boxes found, but there are 2"):
        average_precision(np.ones(3, dtype=bool), 2, convention="step")
    truth, seen = made_up(np.random.default_rng(2), n_images=5, n_boxes=30, n_classes=2)
    half = match(truth, seen, n_images=5, n_classes=2, iou_thresholds=np.array([0.5]))
    table = ap_table([half], ["step"])
    assert table.figure("step", "map50") is not None
    with pytest.raises(ValueError, match="map75 needs the thresholds"):
        table.figure("step", "map75")
