"""Detection files: catalogue D102–D110."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.catalogue import Bench, Case, Cases, Dossier

case = Cases()

BOX = [10, 10, 50, 50]


def images(n: int = 1) -> list[dict[str, Any]]:
    return [{"id": at + 1, "width": 100, "height": 100} for at in range(n)]


def truth(
    boxes: Sequence[tuple[int, int, Sequence[float]]],
    *,
    n_images: int = 1,
    names: Mapping[int, str] | None = None,
    first: int = 1,
) -> dict[str, Any]:
    """Return COCO ground truth of (image, category, box)."""
    return {
        "images": images(n_images),
        "categories": [{"id": key, "name": name} for key, name in (names or {1: "a"}).items()],
        "annotations": [
            {"id": first + at, "image_id": image, "category_id": kind, "bbox": list(box),
             "area": box[2] * box[3], "iscrowd": 0}
            for at, (image, kind, box) in enumerate(boxes)
        ],
    }  # fmt: skip


def results(boxes: Sequence[tuple[int, int, Sequence[float], float]]) -> list[dict[str, Any]]:
    return [
        {"image_id": image, "category_id": kind, "bbox": list(box), "score": score}
        for image, kind, box, score in boxes
    ]


def written(bench: Bench, gt: Any, det: Any, *, evaluator: Any = None, **settings: Any) -> None:
    bench.write("gt.json", json.dumps(gt))
    bench.write("det.json", json.dumps(det))
    boxes: dict[str, Any] = {"ground_truth": "gt.json", "predictions": "det.json"}
    if settings:
        boxes["settings"] = settings
    bench.manifest(
        {"kind": "integrity", "detections": "boxes", "evaluator": evaluator or {}},
        detections={"boxes": boxes},
    )


def built(bench: Bench, gt: Any, det: Any, **settings: Any) -> Dossier:
    written(bench, gt, det, **settings)
    return bench.build()


def value(
    dossier: Dossier, convention: str = "coco_101", metric: str = "map50", kind: str = "all"
) -> Any:
    rows = dossier.result("integrity")["evaluator"]["rows"]
    (row,) = [
        one
        for one in rows
        if (one["convention"], one["metric"], one["class"]) == (convention, metric, kind)
    ]
    return row["value"]


@case("D102")
def an_annotation_with_the_id_0(bench: Bench) -> None:
    for first in (0, 1):
        gt = truth([(1, 1, BOX)], first=first)
        dossier = built(bench, gt, results([(1, 1, BOX, 0.9)]))
        assert value(dossier) == pytest.approx(1.0)
        assert value(dossier, metric="map50_95") == pytest.approx(1.0)


@case("D103")
def category_ids_with_gaps(bench: Bench) -> None:
    seen = []
    for ids in ((1, 2, 3), (3, 5, 11)):
        names = dict(zip(ids, "abc", strict=True))
        boxes = [(at + 1, kind, BOX) for at, kind in enumerate(ids)]
        found = results([(*one, 0.9 - at / 10) for at, one in enumerate(boxes[:2])])
        dossier = built(bench, truth(boxes, n_images=3, names=names), found)
        seen.append(dossier.result("integrity")["evaluator"]["rows"])
    assert seen[0] == seen[1]
    assert {row["class"] for row in seen[1]} == {"all", "a", "b", "c"}


@case("D104")
def fields_that_are_missing_or_unknown(bench: Bench) -> None:
    whole = truth([(1, 1, BOX)])
    det = results([(1, 1, BOX, 0.9)])
    without = {key: rows for key, rows in whole.items() if key != "categories"}
    written(bench, without, det)
    bench.refused("gt.json", "categories", most=2)
    written(bench, truth([(1, 9, BOX)]), det)
    bench.refused("gt.json", "annotations[0]", "'category_id'", "9", most=1)
    nameless = truth([(1, 1, BOX)])
    del nameless["annotations"][0]["id"]
    written(bench, nameless, det)
    bench.refused("gt.json", "annotations[0]", "id", most=1)
    written(bench, whole, [{**det[0], "image_id": "1"}])
    bench.refused("det.json", "image_id", "written as text", "as declared", most=1)
    # A table of labels cannot list images without one: an unknown name is told, not refused.
    header, columns = "image,class,x,y,w,h", {one: one for one in ("image", "class", *"xywh")}
    bench.write("gt.csv", f"{header}\n0000,a,10,10,50,50\n1,a,10,10,50,50\n")
    bench.write(
        "det.csv", f"{header},p\n0,a,10,10,50,50,.9\n1,A,10,10,50,50,.8\n1,a,9,9,50,50,.7\n"
    )
    asked: tuple[dict[str, Any], ...] = (
        {"evaluator": {}},
        {"evaluator": {}, "label_geometry": False},
    )
    for more in asked:
        bench.manifest(
            {"kind": "integrity", "detections": "boxes", **more},
            detections={
                "boxes": {
                    "ground_truth": {"path": "gt.csv", "columns": columns},
                    "predictions": {"path": "det.csv", "columns": {**columns, "score": "p"}},
                }
            },
        )
        dossier = bench.build()
        dossier.warns("INT-042", "1 of 3", "on 1 image", "“0” (perhaps “0000”)")
        dossier.warns("INT-042", "1 of 3", "1 class", "“A” (perhaps “a”)")


@case("D105")
def boxes_that_cannot_be_right(bench: Bench) -> None:
    boxes = [(1, 1, BOX), (2, 1, [5, 5, 0, 20]), (3, 1, [30, 5, -9, 20]), (4, 1, [80, 80, 40, 40])]
    gt = truth(boxes, n_images=5)
    gt["annotations"].append(
        {"id": 9, "image_id": 5, "category_id": 1, "bbox": BOX, "area": 0, "iscrowd": 0}
    )
    dossier = built(
        bench, gt, results([(1, 1, BOX, 0.9), (4, 1, [80, 80, 40, 40], 0.8), (5, 1, BOX, 0.7)])
    )
    dossier.warns("INT-035", "1 of 5")
    for problem in ("no area", "a negative width or height", "an area of 0 or less in the file"):
        dossier.warns("INT-036", "1 of 5", problem)
    # Three of five boxes found: the two that nothing can meet cost recall, 61 of 101 points.
    assert value(dossier) == pytest.approx(61 / 101)
    # Predictions of no or negative size are listed too: two false ones ahead of three right ones.
    good = [(at + 1, 1, BOX) for at in range(3)]
    det = results(
        [*((*one, 0.9) for one in good), (1, 1, [5, 5, 0, 0], 0.95), (1, 1, [5, 5, -3, 4], 0.96)]
    )
    dossier = built(bench, truth(good, n_images=3), det)
    dossier.warns("INT-036", "2 of 5 (", "predicted boxes")
    assert value(dossier) == pytest.approx(3 / 5)


@case("D106")
def boxes_in_another_format(bench: Bench) -> None:
    n = 20
    corners = [(at + 1, 1, [50 + at, 40, 75 + at, 70]) for at in range(n)]
    dossier = built(bench, truth(corners, n_images=n), results([(*one, 0.9) for one in corners]))
    found = dossier.warns("INT-038", "xyxy")
    assert "lies beyond the width in 20 of 20 boxes" in found["statement"]
    shares = [(at + 1, 1, [0.3, 0.3, 0.4, 0.4]) for at in range(n)]
    dossier = built(bench, truth(shares, n_images=n), results([(*one, 0.9) for one in shares]))
    dossier.warns("INT-038", "normalised")
    # The predictions alone: labels are right, and the boxes that were found are the same.
    right = [(at + 1, 1, [50 + at, 40, 25, 30]) for at in range(n)]
    edges = [(*one[:2], [50 + at, 40, 75 + at, 70], 0.9) for at, one in enumerate(right)]
    dossier = built(bench, truth(right, n_images=n), results(edges))
    dossier.warns("INT-038", "Of the predictions", "beyond the width in 20 of 20", "xyxy")
    centres = [(*one[:2], [62.5 + at, 55, 25, 30], 0.9) for at, one in enumerate(right)]
    dossier = built(bench, truth(right, n_images=n), results(centres))
    dossier.warns("INT-038", "Of the predictions", "cxcywh")
    parts = [(*one[:2], [0.5, 0.4, 0.25, 0.3], 0.9) for one in right]
    dossier = built(bench, truth(right, n_images=n), results(parts))
    dossier.warns("INT-038", "Of the predictions", "normalised: true")


@case("D107")
def a_class_without_boxes(bench: Bench) -> None:
    gt = truth([(1, 1, BOX)], names={1: "a", 2: "b"})
    dossier = built(bench, gt, results([(1, 1, BOX, 0.9), (1, 2, BOX, 0.8)]))
    assert value(dossier) == pytest.approx(1.0)
    assert value(dossier, metric="ap50", kind="b") is None
    rows = dossier.result("integrity")["evaluator"]["rows"]
    assert {row["n_classes"] for row in rows if row["class"] == "all"} == {1}
    dossier.warns("INT-059", "b")
    empty = built(bench, truth([], names={1: "a"}), results([(1, 1, BOX, 0.9)]))
    evaluator = empty.result("integrity")["evaluator"]
    assert evaluator["status"] == "not testable"
    assert "−1" in evaluator["reason"]
    # No prediction at all: an average precision of 0 that is no detector's.
    silent = built(bench, truth([(1, 1, BOX)]), [])
    assert value(silent) == 0
    silent.warns("INT-058", "no prediction at all")
    (figures,) = [one for one in silent.data["findings"] if one["code"] == "INT-055"]
    assert (figures["severity"], figures["statement"]) == (
        "note",
        "Not testable: there is no prediction.",
    )
    empty.shows(evaluator["reason"], part="section-integrity")


@case("D108")
def ten_boxes_six_found(bench: Bench) -> None:
    boxes = [(at + 1, 1, BOX) for at in range(10)]
    det = results([(*one, 0.9 - at / 100) for at, one in enumerate(boxes[:6])])
    dossier = built(bench, truth(boxes, n_images=10), det, tool="ultralytics", version="8.4.36")
    assert value(dossier, "ultralytics_8_4_36") == pytest.approx(0.8)
    assert value(dossier, "ultralytics_8_4_37") == pytest.approx(0.595)
    assert value(dossier, "coco_101") == pytest.approx(0.604, abs=5e-4)
    rows = dossier.result("integrity")["evaluator"]["rows"]
    assert all(row["rule"] and row["tool"] for row in rows)
    dossier.shows("24175", "ultralytics", "8.4.36", part="section-integrity")


@case("D109")
def settings_of_an_evaluation(bench: Bench) -> None:
    boxes = [(at + 1, 1, BOX) for at in range(10)]
    gt, det = truth(boxes, n_images=10), results([(*one, 0.7) for one in boxes[:6]])
    pins = {"tool": "ultralytics", "version": "8.4.37", "nms_iou": 0.7, "max_detections": 100}
    dossier = built(bench, gt, det, **pins, confidence=0.6)
    dossier.warns("INT-058", "0.6")
    dossier.shows("0.6", "100", part="section-integrity")
    bench.write("later.json", json.dumps(det))
    bench.manifest(
        {"kind": "integrity", "detections": "boxes", "evaluator": {"against": "later"}},
        detections={
            "boxes": {
                "ground_truth": "gt.json",
                "predictions": "det.json",
                "settings": {**pins, "confidence": 0.001},
            },
            "later": {
                "ground_truth": "gt.json",
                "predictions": "later.json",
                "settings": {**pins, "confidence": 0.6},
            },
        },
    )
    dossier = bench.build()
    drift = dossier.result("integrity")["evaluator"]["drift"]
    across = [row for row in drift if "later" in row["second"]]
    assert across
    assert all(row["difference"] is None for row in across)
    dossier.warns("INT-058", "confidence 0.001 and 0.6")


@case("D110")
def masks_crowds_and_boxes_that_stand_twice(bench: Bench) -> None:
    boxes = [(1, 1, BOX), (1, 1, BOX), (2, 1, BOX)]
    masks: list[Any] = [
        [[10, 10, 60, 10, 60, 60, 10, 60]],
        {"size": [100, 100], "counts": "PPYo0"},
        {"size": [100, 100], "counts": [100, 9900]},
    ]
    gt = truth(boxes, n_images=2)
    for one, mask in zip(gt["annotations"], masks, strict=True):
        one["segmentation"] = mask
    gt["annotations"].append(
        {"id": 7, "image_id": 2, "category_id": 1, "bbox": [70, 70, 20, 20], "area": 400,
         "iscrowd": 1, "segmentation": {"size": [100, 100], "counts": [1, 9999]}}
    )  # fmt: skip
    det = results([(1, 1, BOX, 0.9), (2, 1, BOX, 0.8)])
    dossier = built(bench, gt, det)
    dossier.warns("INT-037", "of")
    notes = " ".join(note for one in dossier.data["inputs"] for note in one["notes"])
    assert "mask" in notes
    # Of three boxes two are found and the crowd counts neither way: 67 of 101 points.
    assert value(dossier) == pytest.approx(67 / 101)


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
