"""Overlap and greedy pairs of boxes, against pycocotools and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from pycocotools import mask

from reportgen.stats.detection import greedy_f1, iou_matrix


def boxes(*rows: tuple[float, float, float, float]) -> np.ndarray:
    return np.array(rows, dtype=float).reshape(-1, 4)


def classes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.intp)


def test_overlap_is_that_of_pycocotools_crowds_included() -> None:
    rng = np.random.default_rng(3)
    first = np.column_stack([rng.uniform(0, 80, (60, 2)), rng.uniform(1, 60, (60, 2))])
    second = np.column_stack([rng.uniform(0, 80, (40, 2)), rng.uniform(1, 60, (40, 2))])
    crowd = rng.random(40) < 0.3
    theirs = mask.iou(first.tolist(), second.tolist(), crowd.astype(int).tolist())
    assert (iou_matrix(first, second, crowd=crowd) == theirs).all()
    assert 0 < theirs.max() < 1.01


def test_overlap_by_hand() -> None:
    # Squares of 10 that share a quarter: 25 of 175; with inclusive pixels 36 of 2 * 121 - 36.
    first, second = boxes((0, 0, 10, 10)), boxes((5, 5, 10, 10), (10, 0, 10, 10), (3, 3, 0, 0))
    assert iou_matrix(first, second).tolist() == [[25 / 175, 0, 0]]
    # Edges that touch share a column of pixels: 11 of 231. A box without size is one pixel.
    assert iou_matrix(first, second, pixel=1).tolist() == [[36 / 206, 11 / 231, 1 / 121]]


def test_crowds_are_divided_by_the_detection_alone() -> None:
    whole, part = boxes((0, 0, 100, 100)), boxes((10, 10, 10, 10))
    assert iou_matrix(part, whole, crowd=np.array([True]))[0, 0] == 1
    assert iou_matrix(part, whole)[0, 0] == 0.01


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"truth must have the shape \(n, 4\), not \(2, 3\)"):
        iou_matrix(boxes((0, 0, 1, 1)), np.zeros((2, 3)))


def test_pairs_are_one_to_one_and_take_the_largest_overlap_first() -> None:
    first = boxes((0, 0, 10, 10), (2, 0, 10, 10))
    second = boxes((1, 0, 10, 10), (40, 40, 5, 5))
    agreement = greedy_f1(first, classes(0, 0), second, classes(0, 0))
    # Both overlap the same box alike (90 of 110): the earlier row has it.
    assert agreement.pairs.tolist() == [[0, 0]]
    assert agreement.f1 == 2 * 1 / 4
    nearer = boxes((1.5, 0, 10, 10), (40, 40, 5, 5))
    assert greedy_f1(first, classes(0, 0), nearer, classes(0, 0)).pairs.tolist() == [[1, 0]]


def test_pairs_need_one_class_and_enough_overlap() -> None:
    same = boxes((0, 0, 10, 10))
    assert greedy_f1(same, classes(0), same, classes(1)).f1 == 0
    half = boxes((0, 0, 10, 5))
    assert greedy_f1(same, classes(0), half, classes(0), iou=0.5).f1 == 1
    assert greedy_f1(same, classes(0), half, classes(0), iou=0.51).f1 == 0


def test_agreement_of_two_empty_sets_is_not_defined() -> None:
    assert greedy_f1(boxes(), classes(), boxes(), classes()).f1 is None
    assert greedy_f1(boxes((0, 0, 1, 1)), classes(0), boxes(), classes()).f1 == 0


@pytest.mark.parametrize("iou", [0.0, -0.1, 1.5, float("nan")])
def test_a_threshold_outside_its_range_is_refused(iou: float) -> None:
    with pytest.raises(ValueError, match="iou must lie in"):
        greedy_f1(boxes(), classes(), boxes(), classes(), iou=iou)
