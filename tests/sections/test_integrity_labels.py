"""Labels of duplicate pairs, memorisation, geometry of boxes and names of classes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.deployed import ClassMap, NamedClasses, ShownClasses
from reportgen.inputs.detections import Boxes, DetectionSet
from reportgen.sections.integrity import (
    class_names,
    evaluator,
    label_agreement,
    label_geometry,
    memorisation,
)
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.records import share_of
from reportgen.stats.duplicates import SYMMETRIES, apply_to_boxes
from tests.support.integrity_images import image_set, pairs_between, texture
from tests.support.integrity_jobs import boxes, detection_set, grades, job

Box = tuple[float, float, float, float]


def labelled_pairs(same: int, n: int) -> Audited:
    """Audit `n` pairs of one picture each, of which `same` have equal label sets."""
    pictures = [texture(0, side=32, cells=8)] * (2 * n)
    own = [["caries"]] * n
    other = [["caries"]] * same + [["caries", "ulcer"]] * (n - same)
    ids = [f"{at:04d}" for at in range(2 * n)]
    images = image_set(pictures, ids=ids, split=["test"] * n + ["train"] * n, labels=[*own, *other])
    near = Audited(pairs=(pairs_between(2 * n, range(n), range(n, 2 * n)),))
    between = {"between": [["train", "test"]]}
    settings = {"images": "scans", "near_duplicates": between, "label_agreement": {}}
    return label_agreement.audit(
        job(settings, images={"scans": images}, done={"near_duplicates": near})
    )


def test_the_articles_share_of_equal_label_sets(shared: Path) -> None:
    reference = json.loads((shared / "data/integrity/reference.json").read_text(encoding="utf-8"))
    expected = reference["oral_app"]["counts"]["same_label_set"]
    found = labelled_pairs(57, 259)
    (row,) = found.result.rows
    assert (row.split, row.twin_split, row.k, row.n) == ("train", "test", 57, 259)
    limits = (row.share.low, row.share.high)
    assert limits == pytest.approx(expected["clopper_pearson_95"], abs=1e-6)
    assert grades(found) == {"INT-025": ["major"]}
    assert row.box_f1.estimate is None
    by_class = {one.class_: one for one in found.result.classes}
    ulcer = by_class["ulcer"]
    assert (ulcer.both, ulcer.image_only, ulcer.twin_only, ulcer.neither) == (0, 0, 202, 57)
    assert by_class["caries"].kappa.estimate is None


def test_every_published_count_has_its_interval(shared: Path) -> None:
    reference = json.loads((shared / "data/integrity/reference.json").read_text(encoding="utf-8"))
    counts = reference["oral_app"]["counts"]
    assert len(counts) == 21
    for one in counts.values():
        found = share_of(one["k"], one["n"], confidence=0.95)
        assert found.estimate == pytest.approx(one["rate"], abs=1e-6)
        assert (found.low, found.high) == pytest.approx(one["clopper_pearson_95"], abs=1e-6)
    none = share_of(0, 4, confidence=0.95)
    assert (none.low, none.high) == pytest.approx((0, 0.602), abs=5e-4)


def test_equal_labels_pass_and_a_rare_difference_warns() -> None:
    assert grades(labelled_pairs(30, 30)) == {"INT-025": [None]}
    assert grades(labelled_pairs(39, 40)) == {"INT-025": ["minor"]}


def test_differing_labels_within_training_warn() -> None:
    pictures = [texture(0, side=32, cells=8)] * 4
    images = image_set(pictures, split=["train"] * 4, labels=[["a"], ["b"], ["a"], ["a"]])
    near = Audited(pairs=(pairs_between(4, [0, 2], [1, 3]),))
    settings = {"images": "scans", "near_duplicates": {}, "label_agreement": {}}
    found = label_agreement.audit(
        job(settings, images={"scans": images}, done={"near_duplicates": near})
    )
    assert [(row.k, row.n) for row in found.result.rows] == [(1, 2)]
    assert grades(found) == {"INT-025": ["minor"]}


def test_agreement_that_never_varies_has_no_interval() -> None:
    found = labelled_pairs(30, 30)
    (row,) = found.result.rows
    assert row.kappa.estimate is None
    mixed = image_set(
        [texture(0, side=32, cells=8)] * 8,
        split=["test"] * 4 + ["train"] * 4,
        labels=[["a"], ["a"], ["b"], ["b"]] * 2,
    )
    near = Audited(pairs=(pairs_between(8, range(4), range(4, 8)),))
    settings = {"images": "scans", "near_duplicates": {}, "label_agreement": {}}
    again = label_agreement.audit(
        job(settings, images={"scans": mixed}, done={"near_duplicates": near})
    )
    (row,) = again.result.rows
    assert (row.kappa.estimate, row.kappa.low) == (1.0, None)
    assert row.kappa.reason == "all resamples give the same value"


def turned_boxes(symmetry: int) -> tuple[list[Box], list[Box]]:
    """Return a twin's boxes (in 1000 × 1000) and the same carried onto the image."""
    twin = np.array([[100.0, 200, 50, 80], [600, 50, 200, 100]])
    image = apply_to_boxes(twin, symmetry, size=(1000.0, 1000.0))
    return [tuple(one) for one in twin.tolist()], [tuple(one) for one in image.tolist()]


def paired(
    image_boxes: Sequence[Box],
    twin_boxes: Sequence[Box],
    said: Sequence[Box],
    *,
    symmetry: int,
    scores: Sequence[float] | None = None,
    **asked: Any,
) -> Any:
    """Return a job on two pairs alike: a test image and its training copy."""
    rows = [(at, k % 2, one) for at in (0, 1) for k, one in enumerate(image_boxes)]
    rows += [(at, k % 2, one) for at in (2, 3) for k, one in enumerate(twin_boxes)]
    predicted = [(at, k % 2, one) for at in (0, 1) for k, one in enumerate(said)]
    given = list(scores) * 2 if scores is not None else [0.9] * len(predicted)
    detections = detection_set("abcd", ["x", "y"], boxes(rows), boxes(predicted, given))
    images = image_set(
        [texture(0)] * 4, ids=["a", "b", "c", "d"], split=["test", "test", "train", "train"]
    )
    near = Audited(pairs=(pairs_between(4, [0, 1], [2, 3], [symmetry] * 2),))
    return job(
        {"images": "scans", "detections": "boxes", "near_duplicates": {}, **asked},
        images={"scans": images},
        detections={"boxes": detections},
        done={"near_duplicates": near},
    )


@pytest.mark.parametrize("symmetry", range(8))
def test_boxes_of_the_twin_are_carried_through_the_symmetry(symmetry: int) -> None:
    twin, image = turned_boxes(symmetry)
    (row,) = label_agreement.audit(
        paired(image, twin, [], symmetry=symmetry, label_agreement={})
    ).result.rows
    assert row.box_f1.estimate == 1
    if symmetry:
        (as_lying,) = label_agreement.audit(
            paired(image, twin, [], symmetry=0, label_agreement={})
        ).result.rows
        assert (as_lying.box_f1.estimate or 0) < 1


def test_f1_of_boxes_counts_each_box_once() -> None:
    own: list[Box] = [(0, 0, 100, 100), (300, 300, 100, 100)]
    other: list[Box] = [(10, 0, 100, 100)]
    (row,) = label_agreement.audit(
        paired(own, other, [], symmetry=0, label_agreement={})
    ).result.rows
    # IoU 90 / 110 = .82: one of two boxes is matched by one of one, F1 = 2 / 3.
    assert row.box_f1.estimate == pytest.approx(2 / 3)
    (strict,) = label_agreement.audit(
        paired(own, other, [], symmetry=0, label_agreement={"iou": 0.85})
    ).result.rows
    assert strict.box_f1.estimate == 0


def test_predictions_that_repeat_the_training_copys_labels() -> None:
    flip = SYMMETRIES.index("flip_left_right")
    twin, carried = turned_boxes(flip)
    own: list[Box] = [(800, 800, 50, 50), (10, 900, 30, 30)]
    asked: dict[str, Any] = {"memorisation": {"seen": ["identity", "flip_left_right"]}}
    found = memorisation.audit(paired(own, twin, carried, symmetry=flip, **asked))
    seen, unseen = found.result.rows
    assert (seen.orientation, seen.pairs, seen.clusters) == ("seen", 2, 2)
    assert (seen.f1_twin.estimate, seen.f1_own.estimate, seen.difference.estimate) == (1, 0, 1)
    assert (unseen.pairs, unseen.difference.estimate) == (0, None)
    assert {one.analysis for one in found.records} == {"exploratory"}
    other = memorisation.audit(paired(own, twin, carried, symmetry=flip, memorisation={}))
    assert [(row.orientation, row.pairs) for row in other.result.rows] == [
        ("seen", 0),
        ("unseen", 2),
    ]
    quiet = memorisation.audit(
        paired(own, twin, carried, symmetry=flip, scores=[0.1, 0.2], **asked)
    )
    assert quiet.result.rows[0].f1_twin.estimate == 0


def memorised(shares: Sequence[int]) -> Audited:
    """Audit pairs whose predictions repeat the twin's box (1), their own (0) or both (2)."""
    n = len(shares)
    own, other = (10.0, 10.0, 50.0, 50.0), (500.0, 500.0, 50.0, 50.0)
    rows = [(at, 0, own) for at in range(n)] + [(n + at, 0, other) for at in range(n)]
    said = [(at, 0, other if share else own) for at, share in enumerate(shares)]
    ids = [f"{at:02d}" for at in range(2 * n)]
    images = image_set([texture(0)] * (2 * n), ids=ids, split=["test"] * n + ["train"] * n)
    near = Audited(pairs=(pairs_between(2 * n, range(n), range(n, 2 * n)),))
    detections = detection_set(ids, ["x"], boxes(rows), boxes(said, [0.9] * n))
    return memorisation.audit(
        job(
            {
                "images": "scans",
                "detections": "boxes",
                "near_duplicates": {},
                "memorisation": {},
                "planned": ["memorisation"],
            },
            images={"scans": images},
            detections={"boxes": detections},
            done={"near_duplicates": near},
            plan="0" * 64,
        )
    )


def test_memorisation_is_found_only_where_the_interval_lies_above_zero() -> None:
    found = memorised([1] * 18 + [0] * 2)
    seen = found.result.rows[0]
    # 18 of 20 predictions match the twin, 2 their own: F1 = 36/40 and 4/40.
    assert (seen.f1_twin.estimate, seen.f1_own.estimate) == (0.9, 0.1)
    assert (seen.difference.low or 0) > 0
    assert grades(found) == {"INT-030": ["info"]}
    assert {one.severity for one in found.findings} == {"note"}
    assert {one.analysis for one in found.records} == {"exploratory"}
    assert "consistent with" in found.findings[0].statement
    even = memorised([1] * 10 + [0] * 10)
    assert even.result.rows[0].difference.estimate == 0
    assert grades(even) == {"INT-030": [None]}


def test_what_the_label_audits_lack_is_said() -> None:
    images = {"scans": image_set([texture(0)] * 2, split=["train", "test"])}
    asked = {"images": "scans", "label_agreement": {}, "memorisation": {}}
    done = {"near_duplicates": Audited(pairs=(pairs_between(2, [0], [1]),))}
    none = {"near_duplicates": Audited(pairs=(pairs_between(2, [], []),))}
    near = {**asked, "near_duplicates": {}}
    for settings, given, reason in (
        (asked, {}, "near duplicates were not looked for"),
        (near, none, "no near duplicates were found"),
        (near, {"near_duplicates": Audited()}, "no detector could compare the images"),
    ):
        for module in (label_agreement, memorisation):
            found = module.audit(job(settings, images=images, done=given))
            assert (found.result.status, found.result.reason) == ("not testable", reason)
            assert found.findings[0].severity == "note"
    unlabelled = label_agreement.audit(job(near, images=images, done=done))
    assert unlabelled.result.reason == "neither boxes nor images have labels"
    assert memorisation.audit(job({})).result is None
    assert label_agreement.audit(job({})).result is None


def geometry(truth: Boxes, **more: Any) -> Audited:
    detections = replace(detection_set("ab", ["x", "y"], truth, None), **more)
    return label_geometry.audit(job({"detections": "boxes"}, detections={"boxes": detections}))


def counts(found: Audited) -> dict[str, int]:
    return {row.problem: row.k for row in found.result.rows}


def test_boxes_without_size_negative_outside_and_twice() -> None:  # D105
    truth = boxes(
        [
            (0, 0, (0, 0, 1000.5, 1000)),  # half a pixel beyond: allowed
            (0, 0, (0, 0, 1000.6, 500)),  # more than that
            (0, 0, (-0.6, 10, 5, 5)),
            (0, 0, (10, 10, 0, 20)),
            (0, 0, (990, 10, 20, 0)),  # no area, and outside
            (0, 0, (50, 50, -10, 20)),
            (1, 0, (100, 100, 100, 100)),
            (1, 0, (101, 100, 100, 100)),  # IoU 99 / 101
            (1, 1, (100, 100, 100, 100)),  # another class
            (1, 0, (110, 100, 100, 100)),  # IoU 90 / 110
        ]
    )
    area = truth.area.copy()
    area[6] = 0
    found = geometry(replace(truth, area=area))
    assert counts(found) == {
        "out of bounds": 3,
        "zero area": 2,
        "negative size": 1,
        "area 0 or less in the file": 1,
        "duplicated": 2,
    }
    assert {row.n for row in found.result.rows} == {10}
    assert found.result.rows[0].named[0] == "image a, box 2: 0, 0, 1000.6, 500"
    assert grades(found)["INT-035"] == ["major"]
    assert grades(found)["INT-037"] == ["major"]


def test_good_boxes_pass_and_crowds_may_overlap() -> None:
    truth = boxes([(0, 0, (0, 0, 10, 10)), (0, 0, (0, 0, 10, 10)), (1, 0, (5, 5, 10, 10))])
    crowd = replace(truth, crowd=np.array([True, False, False]))
    found = geometry(crowd)
    assert set(counts(found).values()) == {0}
    assert {one.severity for one in found.findings} == {"pass"}
    assert found.result.status == "not found"


def test_a_rare_defect_warns() -> None:
    rows: list[tuple[int, int, Box]] = [(0, 0, (9.0 * at, 0, 8, 8)) for at in range(99)]
    found = geometry(boxes([*rows, (1, 0, (999, 0, 9, 9))]))
    assert grades(found)["INT-035"] == ["minor"]


def test_right_and_bottom_edges_read_as_width_and_height() -> None:  # D106
    rng = np.random.default_rng(3)
    low = rng.uniform(0, 700, (60, 2))
    high = low + rng.uniform(50, 300, (60, 2))
    rows = [(0, 0, tuple(one)) for one in np.hstack([low, high]).tolist()]
    found = geometry(boxes(rows))
    beyond = int(np.count_nonzero(low[:, 0] + high[:, 0] > 1000.5))
    assert found.result.hint.startswith(f"x + w lies beyond the width in {beyond} of 60 boxes")
    assert "format: xyxy" in found.result.hint
    assert grades(found)["INT-038"] == ["minor"]
    right = np.hstack([low, high - low]).tolist()
    assert geometry(boxes([(0, 0, tuple(one)) for one in right])).result.hint is None


def test_centres_read_as_corners_and_shares_read_as_pixels() -> None:  # D106
    rng = np.random.default_rng(4)
    size = rng.uniform(200, 600, (60, 2))
    centre = size / 2 + rng.uniform(0, 1, (60, 2)) * (1000 - size)
    rows = [(0, 0, tuple(one)) for one in np.hstack([centre, size]).tolist()]
    assert "format: cxcywh" in geometry(boxes(rows)).result.hint
    shares = [(0, 0, tuple(one)) for one in (np.hstack([centre, size]) / 1000).tolist()]
    assert "normalised: true" in geometry(boxes(shares)).result.hint


def predictions(rows: Sequence[Box], truth: Boxes, **more: Any) -> Audited:
    """Audit predictions, each on the image of the labelled box in the same place."""
    image = truth.image.tolist()
    found = boxes(
        [(image[at % len(image)], 0, one) for at, one in enumerate(rows)], [0.9] * len(rows)
    )
    return geometry(truth, predicted=found, **more)


def labelled(n: int = 20) -> Boxes:
    return boxes([(0, 0, (500.0 + at, 400, 250, 300)) for at in range(n)])


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (lambda x, y, w, h: (x, y, x + w, y + h), "in 20 of 20 boxes"),
        (lambda x, y, w, h: (x / 1000, y / 1000, w / 1000, h / 1000), "normalised: true"),
        # Centres of boxes in the middle leave no image: as they stand the IoU is 1/7.
        (lambda x, y, w, h: (x + w / 2, y + h / 2, w, h), "0 of 20 labelled boxes are met"),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_predictions_in_another_format_than_the_labels(read: Any, told: str, known: bool) -> None:
    truth = boxes([(0, 0, (300.0 + at, 300, 250, 300)) for at in range(20)])
    if "of 20 boxes" in told:
        truth = labelled()
    rows = [read(*one) for one in truth.xywh.tolist()]
    size = np.full((2, 2), 1000.0 if known else np.nan)
    found = predictions(rows, truth, size=size)
    (record,) = [one for one in found.records if one.code == "INT-038"]
    assert (record.grade, record.what) == (
        "minor",
        "Predictions may have been read in another format",
    )
    assert found.result.predicted_hint.startswith("Of the predictions: ")
    if known or "of 20 boxes" not in told:
        assert told in found.result.predicted_hint
    assert found.result.hint is None


def test_predictions_that_miss_suggest_no_format() -> None:
    far = predictions([(10.0 + at, 10, 60, 60) for at in range(20)], labelled())
    right = predictions([tuple(one) for one in labelled().xywh.tolist()], labelled())
    few = labelled(4)
    centred = [(x + w / 2, y + h / 2, w, h) for x, y, w, h in few.xywh.tolist()]
    for found in (far, right, predictions(centred, few)):
        assert found.result.predicted_hint is None
        assert "INT-038" not in grades(found)


def test_bad_predicted_boxes_are_listed() -> None:  # D105
    truth = labelled(3)
    good = [tuple(one) for one in truth.xywh.tolist()]
    bad: list[Any] = [(5, 5, 0, 0), (5, 5, -3, 4), (990, 5, 20, 20)]
    found = predictions([*good, *bad], truth)
    assert grades(found)["INT-036"] == [None, None, None, "minor"]
    assert grades(found)["INT-035"] == [None, "info"]
    rows = {row.problem: row for row in found.result.rows if row.problem.startswith("pred")}
    assert {name: (row.k, row.n) for name, row in rows.items()} == {
        "prediction out of bounds": (1, 6),
        "prediction without area": (2, 6),
    }
    assert rows["prediction without area"].named == (
        "image a, box 4: 5, 5, 0, 0",
        "image a, box 5: 5, 5, -3, 4",
    )


def test_a_file_of_no_predictions_warns_once_with_and_without_an_evaluator() -> None:
    detections = detection_set("ab", ["x"], labelled(), boxes([], []))
    for asked in list[dict[str, Any]]([{}, {"evaluator": {}}]):
        given = job({"detections": "boxes", **asked}, detections={"boxes": detections})
        told = [
            (one.severity, one.statement)
            for audited in (label_geometry.audit(given), evaluator.audit(given))
            for one in audited.findings
            if one.code == "INT-058"
        ]
        said = "There is no prediction at all, so that every figure of predictions is 0."
        assert told == [("warn", said)]


def test_an_area_below_zero_in_the_file_is_counted() -> None:  # D105
    truth = labelled(3)
    found = geometry(replace(truth, area=np.array([-4.0, 75000, 75000])))
    assert counts(found)["area 0 or less in the file"] == 1


def unmatched(
    names: Sequence[str], classes: Sequence[str], found: Sequence[tuple[int, int]], **inputs: Any
) -> list[str]:
    """Return what is said where the first image and the first class alone have a label."""
    box = (10.0, 10.0, 50.0, 50.0)
    detections = detection_set(
        names,
        classes,
        boxes([(0, 0, box)]),
        boxes([(*one, box) for one in found], [0.9] * len(found)),
        listed=False,
    )
    given = {"detections": "boxes", **({"images": "scans"} if inputs else {})}
    audited = label_geometry.audit(job(given, detections={"boxes": detections}, **inputs))
    told = [one for one in audited.findings if one.code == "INT-042"]
    assert {one.severity for one in told} <= {"warn"}
    return [one.statement for one in told]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["7", "77"], "“77”."),
        (["0000", "0"], "“0” (perhaps “0000”)."),
        (["scan_01.png", "Scan_01.PNG"], "“Scan_01.PNG” (perhaps “scan_01.png”)."),
        (["case12a", "case12b"], "“case12b” (perhaps “case12a”)."),
    ],
)
def test_images_that_predictions_alone_name(names: list[str], told: str) -> None:
    (said,) = unmatched(names, ["a"], [(0, 0), (1, 0), (1, 0)])
    assert said.startswith(
        "2 of 3 (66.7\xa0%) predictions lie on 1 image that no labelled box names"
    )
    assert said.endswith(told)
    assert unmatched(names, ["a"], [(0, 0)]) == []


def test_classes_that_predictions_alone_name_and_images_that_the_section_knows() -> None:
    (said,) = unmatched(["x"], ["a", "A"], [(0, 0), (0, 1)])
    assert "1 of 2 (50.0\xa0%) predictions are of 1 class" in said
    assert said.endswith("in no mean: “A” (perhaps “a”).")
    scans = {"scans": image_set([texture(1), texture(2)], ids=["x", "y"])}
    assert unmatched(["x", "y"], ["a"], [(0, 0), (1, 0)], images=scans) == []


def test_images_of_unknown_size_are_not_testable_unless_the_pictures_tell() -> None:
    truth = boxes([(0, 0, (0, 0, 200, 10)), (1, 0, (0, 0, 200, 10))])
    size = np.array([[1000.0, 1000.0], [np.nan, np.nan]])
    found = geometry(truth, size=size)
    assert (found.result.rows[0].k, found.result.rows[0].n) == (0, 1)
    (record,) = [one for one in found.records if one.code == "INT-039"]
    assert (record.status, record.k, record.n) == ("not testable", 1, 2)
    detections = replace(detection_set("ab", ["x"], truth, None), size=size)
    seen = label_geometry.audit(
        job(
            {"images": "scans", "detections": "boxes"},
            images={"scans": image_set([texture(1), texture(2)], ids=["a", "b"])},
            detections={"boxes": detections},
        )
    )
    # The picture of b is 128 px wide; that of a too, but its declared 1000 px win.
    assert (seen.result.rows[0].k, seen.result.rows[0].n) == (1, 2)
    off = job({"detections": "boxes", "label_geometry": False}, detections={"boxes": detections})
    assert label_geometry.audit(off).result is None


def class_map(
    model: Sequence[str] | None, shown: Sequence[str], **artefacts: Sequence[str]
) -> ClassMap:
    index = tuple(str(at) for at in range(len(shown)))
    return ClassMap(
        "app",
        None if model is None else tuple(model),
        ShownClasses("app", index, tuple(shown), None, "d" * 64),
        artefacts=tuple(
            NamedClasses(name, tuple(map(str, range(len(names)))), tuple(names), "e" * 64)
            for name, names in artefacts.items()
        ),
    )


def named(one: ClassMap, detections: DetectionSet | None = None, **more: Any) -> Audited:
    settings = {"class_map": "app", **({"detections": "boxes"} if detections else {}), **more}
    held = {"boxes": detections} if detections else {}
    return class_names.audit(job(settings, class_maps={"app": one}, detections=held))


MODEL = ["calculus", "caries", "gingivitis", "hypodontia", "tooth_discolation", "ulcer"]
APP = ["Caries", "Calculus", "Gingivitis", "Tooth Discoloration", "Ulcers", "Hypodontia"]


def test_the_applications_order_is_another_one() -> None:  # D111 and the article's class map
    found = named(class_map(MODEL, APP))
    (row,) = found.result.rows
    assert row.artefact == "application, as displayed"
    assert (row.same_set, row.same_order, row.moved) == (True, False, 5)
    assert grades(found) == {"INT-040": [None], "INT-041": ["major"]}


def test_other_names_are_told_from_another_order() -> None:
    true = ["Mitotic Figures", "Multiple Nucleol", "Nuclear Hyperchromatism"]
    found = named(class_map(true, true, coco=["DOI", "TB", "PNI", "MI"]))
    rows = {row.artefact: row for row in found.result.rows}
    assert rows["coco"].missing == tuple(true)
    assert rows["coco"].extra == ("DOI", "TB", "PNI", "MI")
    assert rows["coco"].moved == 0
    assert rows["application, as displayed"].same_order
    assert grades(found) == {"INT-040": ["major"], "INT-041": [None]}


def test_spelling_is_set_aside_and_all_agree() -> None:
    found = named(
        class_map(["tooth wear", "ulcer"], ["Tooth-Wear", "ULCER"], yaml=["tooth_wear", "ulcer"])
    )
    assert found.result.status == "not found"
    assert all(row.same_set and row.same_order for row in found.result.rows)
    assert {one.severity for one in found.findings} == {"pass"}


def test_folders_sorted_as_text_stand_in_another_order() -> None:  # D111
    found = named(class_map(["1", "2", "10"], ["1", "2", "10"], folders=["1", "10", "2"]))
    rows = {row.artefact: row for row in found.result.rows}
    assert (rows["folders"].same_set, rows["folders"].moved) == (True, 2)


def test_labels_of_images_have_no_order_and_may_be_about_something_else() -> None:
    truth = boxes([(0, 0, (0, 0, 5, 5))])
    detections = detection_set("ab", ["ulcer", "caries"], truth, None)
    pictures = [texture(1), texture(2)]
    for labels, artefacts in (
        ([["caries"], ["caries"]], ["labels of the images"]),
        ([["0"], ["1"]], None),
    ):
        found = class_names.audit(
            job(
                {"images": "scans", "detections": "boxes"},
                images={"scans": image_set(pictures, ids=["a", "b"], labels=labels)},
                detections={"boxes": detections},
            )
        )
        if artefacts is None:
            assert found.result is None
        else:
            assert [row.artefact for row in found.result.rows] == artefacts
            assert found.result.status == "not found"
    strange = class_names.audit(
        job(
            {"images": "scans", "detections": "boxes"},
            images={"scans": image_set(pictures, ids=["a", "b"], labels=[["caries"], ["wart"]])},
            detections={"boxes": detections},
        )
    )
    assert strange.result.rows[0].extra == ("wart",)
    assert class_names.audit(job({})).result is None
