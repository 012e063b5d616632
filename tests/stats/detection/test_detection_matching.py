"""Matching, against pycocotools detection by detection, the VOC data and cases by hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.stats.detection import Matches, ap_table, average_precision, match
from reportgen.stats.detection.matching import Rule
from tests.stats.detection.conftest import Judge
from tests.support.detection import CocoFiles, Columns, class_ap, coco_data, columns, made_up

HALF = np.array([0.5])


def one_image(truth: Columns, detections: Columns, **options: Any) -> Matches:
    return match(truth, detections, **{"n_images": 1, "n_classes": 1, **options})


def found_by_pycocotools(result: Any) -> list[tuple[Any, ...]]:
    """Return (class, image, score, matched id and ignored at each threshold) of each detection."""
    rows = []
    for entry in result.evalImgs:
        if entry is None or entry["aRng"] != result.params.areaRng[0]:  # the first range is all
            continue
        columns_of = zip(entry["dtScores"], entry["dtMatches"].T, entry["dtIgnore"].T, strict=True)
        rows += [
            (
                entry["category_id"] - 1,
                entry["image_id"] - 1,
                score,
                *(int(m) for m in ids),
                *ignore,
            )
            for score, ids, ignore in columns_of
        ]
    return sorted(rows)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_each_match_is_that_of_pycocotools_crowds_included(pycocotools: Judge, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, detections = made_up(rng, n_images=12, n_boxes=150, n_classes=2, false_share=2.0)
    crowd = rng.random(len(truth.image)) < 0.2
    truth = columns(truth.image, truth.category, truth.xywh, crowd=crowd)
    data = coco_data(truth, detections, n_images=12, n_classes=2)
    theirs = found_by_pycocotools(pycocotools(*data))
    ours = match(truth, detections, n_images=12, n_classes=2)
    rows = sorted(
        (
            int(ours.category[d]), int(ours.image[d]), float(ours.score[d]),
            *(int(row) + 1 for row in ours.truth_row[:, d]), *ours.ignored[:, d],
        )
        for d in range(len(ours.row))
    )  # fmt: skip
    assert rows == theirs
    assert ours.ignored.any()
    # Ignored at one threshold and false at another: the flag belongs to the threshold.
    assert (ours.ignored.any(axis=0) & ~ours.ignored.all(axis=0)).any()


@pytest.mark.parametrize(
    ("name", "area"), [("small", (0, 32**2)), ("medium", (32**2, 96**2)), ("large", (96**2, 1e10))]
)
def test_areas_are_ignored_as_in_the_reference(
    coco100: CocoFiles, reference: dict[str, Any], name: str, area: tuple[float, float]
) -> None:
    matches = match(
        coco100.truth,
        coco100.detections,
        n_images=coco100.n_images,
        n_classes=coco100.n_classes,
        area_range=area,
    )
    value = ap_table([matches], ["coco_101"]).figure("coco_101", "map50_95")
    assert value == pytest.approx(reference["coco100"]["pycocotools"][f"AP{name}"], abs=5e-10)


@pytest.mark.parametrize("most", [1, 10])
def test_only_the_best_detections_of_an_image_count(
    coco100: CocoFiles, reference: dict[str, Any], most: int
) -> None:
    matches = match(
        coco100.truth,
        coco100.detections,
        n_images=coco100.n_images,
        n_classes=coco100.n_classes,
        max_detections=most,
    )
    boxes = matches.positives.sum(axis=1)
    found = np.array(
        [
            [matches.hits(c, level).sum() for c in np.flatnonzero(boxes).tolist()]
            for level in range(len(matches.iou_thresholds))
        ]
    )
    recall = (found / boxes[boxes > 0]).mean()
    assert recall == pytest.approx(reference["coco100"]["pycocotools"][f"AR{most}"], abs=5e-10)


def test_coco_looks_at_a_hundred_detections_of_a_class_and_image_and_voc_at_all() -> None:
    box = (0, 0, 10, 10)
    seen = columns([0] * 120, [0] * 120, [box] * 120, score=np.arange(120, 0, -1))
    truth = columns([0], [0], [box])
    assert len(one_image(truth, seen).row) == 100
    assert len(one_image(truth, seen, max_detections=None).row) == 120
    assert len(one_image(truth, seen, rule="voc_plus_1").row) == 120


def test_annotation_id_0_is_a_box_like_others(pycocotools: Judge) -> None:
    box = columns([0], [0], [(10, 10, 20, 20)])
    seen = columns([0], [0], [(10, 10, 20, 20)], score=[0.9])
    value = average_precision(one_image(box, seen).hits(0, 0), 1, convention="coco_101")
    assert value == pytest.approx(1, abs=1e-12)
    # The tool's own mark for "unmatched" is 0 (D102): this is what must not be copied.
    truth, detections = coco_data(box, seen, n_images=1, n_classes=1)
    assert class_ap(pycocotools(truth, detections))[0, 0] == pytest.approx(1, abs=1e-12)
    truth["annotations"][0]["id"] = 0
    assert class_ap(pycocotools(truth, detections))[0, 0] == 0


def test_a_taken_box_leaves_the_next_best_to_coco_and_nothing_to_voc() -> None:
    truth = columns([0, 0], [0, 0], [(0, 0, 10, 10), (0, 3, 10, 10)])
    # Both lie nearest to the first box; the second one overlaps the other box by 6/10 as well.
    seen = columns([0, 0], [0, 0], [(0, 0, 10, 10), (0, 0.5, 10, 10)], score=[0.9, 0.8])
    coco = one_image(truth, seen, iou_thresholds=HALF)
    assert coco.truth_row.tolist() == [[0, 1]]
    voc = one_image(truth, seen, iou_thresholds=HALF, rule="voc")
    assert voc.truth_row.tolist() == [[0, -1]]


def test_a_box_goes_to_the_best_score_not_to_the_best_overlap() -> None:
    truth = columns([0], [0], [(0, 0, 10, 10)])
    seen = columns([0, 0], [0, 0], [(0, 0, 10, 10), (0, 2, 10, 10)], score=[0.4, 0.9])
    rules: tuple[Rule, ...] = ("coco", "voc")
    for rule in rules:
        matches = one_image(truth, seen, iou_thresholds=HALF, rule=rule)
        assert matches.row.tolist() == [1, 0]
        assert matches.truth_row.tolist() == [[0, -1]]


def test_equal_scores_are_taken_by_image_then_row() -> None:
    seen = columns([1, 0, 1, 0], [0] * 4, [(0, 0, 5, 5)] * 4, score=[0.5] * 4)
    truth = columns([1], [0], [(0, 0, 5, 5)])
    matches = match(truth, seen, n_images=2, n_classes=1)
    assert matches.row.tolist() == [1, 3, 0, 2]
    assert matches.found[0].tolist() == [False, False, True, False]


def test_voc_difficult_boxes_count_neither_way() -> None:
    truth = columns([0, 0], [0, 0], [(0, 0, 10, 10), (50, 50, 10, 10)], ignore=[True, False])
    seen = columns(
        [0, 0, 0], [0, 0, 0], [(0, 0, 10, 10), (0, 0, 10, 10), (50, 50, 10, 10)],
        score=[0.9, 0.8, 0.7],
    )  # fmt: skip
    matches = one_image(truth, seen, iou_thresholds=HALF, rule="voc")
    assert matches.ignored.tolist() == [[True, True, False]]
    assert matches.hits(0, 0).tolist() == [True]
    assert matches.positives.tolist() == [[1]]


def test_classes_and_images_are_never_mixed() -> None:
    truth = columns([0, 1], [0, 1], [(0, 0, 9, 9), (0, 0, 9, 9)])
    seen = columns([0, 1], [1, 0], [(0, 0, 9, 9), (0, 0, 9, 9)], score=[0.9, 0.9])
    assert not match(truth, seen, n_images=2, n_classes=2).found.any()


def test_nothing_at_all_can_be_matched() -> None:
    nothing = columns([], [], [])
    matches = match(nothing, columns([], [], [], score=[]), n_images=0, n_classes=0)
    assert matches.found.shape == (10, 0)
    none_seen = match(columns([0], [0], [(0, 0, 1, 1)]), columns([], [], [], score=[]),
                      n_images=1, n_classes=1)  # fmt: skip
    assert none_seen.hits(0, 0).tolist() == []


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        (columns([0], [0], [(0, 0, 1, 1)]), "need scores"),
        (columns([0], [0], [(0, 0, 1, 1)], score=[np.nan]), "scores must be finite"),
        (
            columns([3], [0], [(0, 0, 1, 1)], score=[1]),
            "image of the detections must lie in 0 to 0",
        ),
        (columns([0], [-1], [(0, 0, 1, 1)], score=[1]), "class of the detections must lie in"),
    ],
)
def test_what_cannot_be_matched_is_refused(seen: Columns, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        one_image(columns([0], [0], [(0, 0, 1, 1)]), seen)


def read_voc7(folder: Path) -> tuple[Columns, Columns]:
    tables = []
    for name in ("ground_truth.csv", "detections.csv"):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    image = {each: k for k, each in enumerate(sorted({row["image"] for row in tables[0]}))}
    truth, seen = (
        columns(
            [image[row["image"]] for row in table],
            [0] * len(table),
            [[float(row[side]) for side in "xywh"] for row in table],
            score=[float(row["score"]) for row in table] if "score" in table[0] else None,
        )
        for table in tables
    )
    return truth, seen


VOC7_IOU = np.array([0.1, 0.3, 0.5, 0.75])


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_voc7_with_inclusive_pixels(shared: Path, reference: dict[str, Any], level: int) -> None:
    truth, seen = read_voc7(shared / "data/integrity/voc7")
    matches = match(
        truth, seen, n_images=7, n_classes=1, iou_thresholds=VOC7_IOU, rule="voc_plus_1",
        max_detections=None,
    )  # fmt: skip
    expected = reference["voc7"]["expected_by_source_repo"][f"{VOC7_IOU[level]:g}"]
    hits = matches.hits(0, level)
    assert hits.sum() == expected["tp"]
    all_point = average_precision(hits, 15, convention="all_point")
    assert all_point == pytest.approx(expected["every_point"], abs=5e-10)
    eleven = average_precision(hits, 15, convention="voc_11_plus_1")
    if level == 0:  # the source compares 9/15 with a float grid and misses recall 0.6
        assert eleven == pytest.approx(reference["voc7"]["exact_integer_11_point"]["0.1"], abs=5e-7)
    else:
        assert eleven == pytest.approx(expected["11_point"], abs=5e-10)


@pytest.mark.parametrize("level", [0, 1])
def test_voc7_without_inclusive_pixels(shared: Path, reference: dict[str, Any], level: int) -> None:
    truth, seen = read_voc7(shared / "data/integrity/voc7")
    matches = match(
        truth, seen, n_images=7, n_classes=1, iou_thresholds=VOC7_IOU, rule="voc",
        max_detections=None,
    )  # fmt: skip
    expected = reference["voc7"]["without_plus_one"][f"{VOC7_IOU[level]:g}"]
    hits = matches.hits(0, level)
    assert hits.sum() == expected["tp"]
    for convention, name in (("voc_11", "11_point"), ("all_point", "every_point")):
        value = average_precision(hits, 15, convention=convention)
        assert value == pytest.approx(expected[name], abs=5e-10)
