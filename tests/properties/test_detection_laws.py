"""Laws of average precision and of weights that hold for any boxes and detections."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.stats.detection import (
    CONVENTIONS,
    ap_table,
    average_precision,
    greedy_f1,
    iou_matrix,
    match,
    weighted_ap,
    weighted_study,
)
from tests.support.detection import Columns, columns, made_up

seeds = st.integers(0, 2**32 - 1)
hit_lists = st.lists(st.booleans(), max_size=60)
N = 15
BEST = {"ultralytics_8_4_36": 0.995, "ultralytics_8_4_37": 0.995}


def problem(seed: int) -> tuple[Columns, Columns]:
    return made_up(np.random.default_rng(seed), n_images=N, n_boxes=60, n_classes=3)


@given(hit_lists, st.integers(0, 30), st.sampled_from(list(CONVENTIONS)))
def test_average_precision_lies_between_0_and_its_best(
    hits: list[bool], missed: int, convention: str
) -> None:
    positives = sum(hits) + missed
    value = average_precision(np.array(hits, dtype=bool), positives, convention=convention)
    if positives == 0:
        assert value is None
    else:
        assert value is not None
        assert 0 <= value <= BEST.get(convention, 1.0) + 1e-12


@given(hit_lists, st.integers(0, 30))
def test_sums_are_those_of_fractions(hits: list[bool], missed: int) -> None:
    """All conventions without floats in their definition, in whole-number arithmetic."""
    positives = sum(hits) + missed
    if not positives:
        return
    curve: list[tuple[Fraction, Fraction]] = []
    found = 0
    for number, hit in enumerate(hits, start=1):
        found += hit
        curve.append((Fraction(found, positives), Fraction(found, number)))
    envelope = [
        (recall, max(p for _, p in curve[i:]))
        for i, ((recall, _), hit) in enumerate(zip(curve, hits, strict=True))
        if hit
    ]
    eleven = sum(
        max((p for recall, p in curve if recall >= Fraction(k, 10)), default=Fraction(0))
        for k in range(11)
    )
    expected = {
        "all_point": sum((p for _, p in envelope), Fraction(0)) / positives,
        "step": sum((curve[i][1] for i, hit in enumerate(hits) if hit), Fraction(0)) / positives,
        "voc_11": Fraction(eleven) / 11,
    }
    for convention, value in expected.items():
        ours = average_precision(np.array(hits, dtype=bool), positives, convention=convention)
        assert ours == pytest.approx(float(value), abs=1e-12)


@given(hit_lists, st.integers(1, 30))
def test_false_detections_at_the_end_change_no_interpolated_sum(
    hits: list[bool], missed: int
) -> None:
    positives = sum(hits) + missed
    longer = np.array([*hits, False, False], dtype=bool)
    for convention in ("coco_101", "voc_11", "all_point", "step"):
        value = average_precision(np.array(hits, dtype=bool), positives, convention=convention)
        more = average_precision(longer, positives, convention=convention)
        assert more == pytest.approx(value, abs=1e-12)


@given(hit_lists, st.integers(1, 30))
def test_the_old_tail_is_never_below_the_new_one(hits: list[bool], missed: int) -> None:
    positives = sum(hits) + missed
    old, new = (
        average_precision(np.array(hits, dtype=bool), positives, convention=convention)
        for convention in ("ultralytics_8_4_36", "ultralytics_8_4_37")
    )
    assert old is not None
    assert new is not None
    assert old >= new - 1e-12


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_weights_of_one_are_no_weights(seed: int) -> None:
    matches = match(*problem(seed), n_images=N, n_classes=3)
    table, figures = (
        ap_table([matches], ["coco_101"]),
        weighted_ap(weighted_study(matches), np.ones(N)),
    )
    np.testing.assert_allclose(figures.ap50[0], table.values[0, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(figures.ap50_95[0], table.values[0].mean(axis=0), rtol=0, atol=1e-12)


@given(seeds, seeds)
@settings(max_examples=25, deadline=None)
def test_the_order_of_images_does_not_matter(seed: int, other: int) -> None:
    truth, seen = problem(seed)
    rng = np.random.default_rng(other)
    place = rng.permutation(N)
    weights = rng.integers(0, 4, N)
    moved = [
        columns(place[table.image], table.category, table.xywh, score=table.score)
        for table in (truth, seen)
    ]
    first = weighted_study(match(truth, seen, n_images=N, n_classes=3))
    second = weighted_study(match(moved[0], moved[1], n_images=N, n_classes=3))
    moved_weights = np.empty(N)
    moved_weights[place] = weights
    one, two = weighted_ap(first, weights), weighted_ap(second, moved_weights)
    for name in ("map50", "map75", "map50_95", "recall"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@given(seeds, st.integers(2, 7))
@settings(max_examples=25, deadline=None)
def test_every_image_repeated_alike_changes_nothing(seed: int, times: int) -> None:
    study = weighted_study(match(*problem(seed), n_images=N, n_classes=3))
    weights = np.random.default_rng(seed).integers(0, 3, N)
    once, often = weighted_ap(study, weights), weighted_ap(study, times * weights)
    for name in ("map50", "map75", "map50_95", "recall"):
        np.testing.assert_allclose(getattr(once, name), getattr(often, name), rtol=0, atol=1e-12)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_weight_0_is_an_image_left_out(seed: int) -> None:
    truth, seen = problem(seed)
    kept = np.random.default_rng(seed).random(N) < 0.7
    left = []
    for table in (truth, seen):
        own = kept[table.image]
        score = None if table.score is None else table.score[own]
        left.append(columns(table.image[own], table.category[own], table.xywh[own], score=score))
    alone = ap_table([match(left[0], left[1], n_images=N, n_classes=3)], ["coco_101"])
    figures = weighted_ap(weighted_study(match(truth, seen, n_images=N, n_classes=3)), kept)
    np.testing.assert_allclose(figures.ap50[0], alone.values[0, 0], rtol=0, atol=1e-12)


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_no_box_is_found_twice_and_every_match_reaches_its_threshold(seed: int) -> None:
    truth, seen = problem(seed)
    for rule in ("coco", "voc", "voc_plus_1"):
        matches = match(truth, seen, n_images=N, n_classes=3, rule=rule)
        overlap = iou_matrix(seen.xywh, truth.xywh, pixel=1.0 if rule == "voc_plus_1" else 0.0)
        for level, least in enumerate(matches.iou_thresholds):
            own = np.flatnonzero(matches.truth_row[level] >= 0)
            boxes = matches.truth_row[level, own]
            assert len(np.unique(boxes)) == len(boxes)
            assert (overlap[matches.row[own], boxes] >= least).all()
            assert (truth.image[boxes] == matches.image[own]).all()
            assert (truth.category[boxes] == matches.category[own]).all()


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_agreement_is_symmetric_and_at_most_1(seed: int) -> None:
    truth, seen = problem(seed)
    there = greedy_f1(truth.xywh, truth.category, seen.xywh, seen.category)
    back = greedy_f1(seen.xywh, seen.category, truth.xywh, truth.category)
    assert there.f1 == back.f1
    assert there.f1 is not None
    assert 0 <= there.f1 <= 1
    same = greedy_f1(truth.xywh, truth.category, truth.xywh, truth.category, iou=1.0)
    assert same.f1 == 1
