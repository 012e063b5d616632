"""The class map of the public application, and what it does to what users see."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.deployed import ClassMap, NamedClasses, Pipeline, ShownClasses
from reportgen.inputs.detections import DetectionSet
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.class_map import audit
from reportgen.sections.integrity.names import NameBook
from reportgen.sections.integrity.result_use import WrongNames
from tests.support.integrity_jobs import (
    ORAL_APP,
    boxes,
    class_map,
    detection_set,
    grades,
    job,
    shown,
)

NAMES = tuple(row[1] for row in ORAL_APP)
SAME = {"tooth_discolation": "Tooth Discoloration", "ulcer": "Ulcers"}


def _audit(
    given: ClassMap,
    detections: DetectionSet | None = None,
    deployed: Pipeline | None = None,
    **settings: Any,
) -> Audited:
    inputs: dict[str, Any] = {"class_maps": {"map": given}}
    own: dict[str, Any] = {"class_map": "map", **settings}
    if detections is not None:
        inputs["detections"] = {"boxes": detections}
        own["detections"] = "boxes"
    if deployed is not None:
        inputs["pipelines"] = {"app": deployed}
        own["pipeline"] = "app"
    return audit(job(own, **inputs))


def _wrong(found: Audited, of: str) -> WrongNames:
    row: WrongNames = next(row for row in found.result.wrong if row.of == of)
    return row


def test_oral_app_five_of_six(shared: Path) -> None:
    with (shared / "data/integrity/oral_app/class_maps.csv").open() as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    assert [(a, b, c, float(d)) for a, b, c, d in rows] == list(ORAL_APP)
    found = _audit(class_map())
    assert (found.result.k, found.result.n) == (5, 6)
    assert [row.model for row in found.result.rows if row.same] == ["gingivitis"]
    assert grades(found)["INT-075"] == ["critical"]
    assert found.findings[0].severity == "fail"
    assert "5 of 6" in found.findings[0].statement


def test_a_finding_that_the_table_displays_twice_counts_once() -> None:
    truth = boxes([(0, 0, (10.0, 10, 100, 100)), (1, 0, (10.0, 10, 100, 100))])
    found = boxes([(0, 0, (10.0, 10, 100, 100)), (1, 0, (10.0, 10, 100, 100))], [0.9, 0.9])
    detections = detection_set(["a", "b"], ["calculus"], truth, found)
    rows = [("a", "1", "Caries"), ("a", "1", "Caries"), ("b", "2", "calculus")]
    audited = _audit(class_map(), detections, Pipeline("app", None, shown(rows)))
    findings = _wrong(audited, "findings")
    assert (findings.k, findings.n) == (1, 2)
    (told,) = [one for one in audited.findings if one.code == "INT-076"]
    assert "1 row left out" in told.limits


def test_right_thresholds_need_the_right_names() -> None:
    """Misspelt and plural names are found as near spellings, or as declared: the same figures."""
    meant = {"calculus": 0.25, "caries": 0.35, "gingivitis": 0.3, "hypodontia": 0.6}
    meant |= {"tooth_discolation": 0.4, "ulcer": 0.75}
    for declared in ({}, SAME):
        rows = _audit(class_map(), same_names=declared).result.rows
        assert {row.model: row.threshold_of_right_name for row in rows} == meant


def _displayed() -> tuple[DetectionSet, Pipeline]:
    """Return 1,994 displayed findings on 1,500 images: 530 of gingivitis, named rightly.

    On 1,074 images every one of 1,400 findings is wrong; 64 wrong ones stand beside the right.
    """
    wrong_image = [*range(1074), *range(326)]
    plan = [(image, 0) for image in wrong_image]
    plan += [(1074 + at, 1) for at in range(64)]
    plan += [(1074 + at % 300, 2) for at in range(530)]
    images = [f"i{at:04d}" for at in range(1500)]
    box = (10.0, 10.0, 50.0, 50.0)
    found = boxes([(image, category, box) for image, category in plan], [0.99] * len(plan))
    word = {0: "Caries", 1: "Calculus", 2: "Gingivitis"}
    display = [
        (images[image], str(at + 1), word[category]) for at, (image, category) in enumerate(plan)
    ]
    truth = boxes([(0, 0, box)])
    return (
        detection_set(images, NAMES, truth, found),
        Pipeline("app", None, shown(display)),
    )


def test_wrong_names_of_the_article() -> None:
    """1,464 of 1,994 findings and 1,074 of 1,500 images, limits of methods section 3."""
    detections, deployed = _displayed()
    found = _audit(class_map(), detections, deployed)
    findings, images = _wrong(found, "findings"), _wrong(found, "images")
    assert (findings.k, findings.n) == (1464, 1994)
    assert findings.n - findings.k == 530
    assert (findings.share.low, findings.share.high) == pytest.approx((0.7142, 0.7535), abs=5e-5)
    assert findings.share.method == "Clopper–Pearson"
    assert (images.k, images.n) == (1074, 1500)
    assert (images.share.low, images.share.high) == pytest.approx((0.6924, 0.7387), abs=5e-5)
    assert (_wrong(found, "images that show something").n) == 1374
    assert (_wrong(found, "images with any").k) == 1074 + 64
    assert findings.share_by_image is not None
    assert findings.share_by_image.method != findings.share.method
    assert grades(found)["INT-076"] == ["critical"]
    assert found.result.shown_from == "displayed"


def test_display_worked_out_from_map_and_thresholds() -> None:
    """A prediction is shown by the threshold of the wrong name: counted by hand."""
    names = [str(at) for at in range(4)]
    box = (10.0, 10.0, 50.0, 50.0)
    # Calculus is shown as Caries from .35, its own threshold is .25; ulcer from .60, own .75.
    found = boxes([(0, 0, box), (1, 0, box), (2, 5, box), (3, 5, box)], [0.3, 0.5, 0.7, 0.8])
    truth = boxes([(0, 0, box), (1, 0, box), (2, 5, box)])
    audited = _audit(class_map(), detection_set(names, NAMES, truth, found))
    rows = {row.model: row for row in audited.result.threshold_by_wrong_name}
    assert set(rows) == set(NAMES) - {"gingivitis"}
    calculus, ulcer = rows["calculus"], rows["ulcer"]
    assert (calculus.wrongly_shown, calculus.wrongly_hidden, calculus.n) == (0, 1, 2)
    assert (ulcer.wrongly_shown, ulcer.wrongly_hidden, ulcer.n) == (1, 0, 2)
    assert (_wrong(audited, "findings").k, _wrong(audited, "findings").n) == (3, 3)
    assert audited.result.shown_from == "class map"
    assert grades(audited)["INT-077"] == ["major"]


def _simulated(order: list[int], *, n: int = 240, noise: float = 0.1) -> DetectionSet:
    """Return predictions that find boxes and name their class as `order` has it, at times else."""
    rng = np.random.default_rng(7)
    true = rng.integers(0, 4, n)
    said = np.where(rng.random(n) < noise, rng.integers(0, 4, n), np.array(order)[true])
    box = (10.0, 10.0, 50.0, 50.0)
    names = [f"{at:03d}" for at in range(n)]
    return detection_set(
        names,
        ["a", "b", "c", "d"],
        boxes([(at, int(kind), box) for at, kind in enumerate(true)]),
        boxes([(at, int(kind), box) for at, kind in enumerate(said)], [0.9] * n),
    )


RIGHT = tuple((str(at), name, name, 0.5) for at, name in enumerate("abcd"))


def test_permutation_is_inferred_where_the_models_names_are_missing() -> None:
    order = [1, 2, 0, 3]
    found = _audit(class_map(RIGHT, model=False), _simulated(order))
    rows = {row.shown: row.inferred for row in found.result.rows}
    assert rows == {"abcd"[order[true]]: "abcd"[true] for true in range(4)}
    summary = found.result.inferred
    assert summary.classes_moved == 3
    assert summary.gain.estimate == (summary.best - summary.diagonal) / summary.matched
    assert summary.gain_crossed.low > 0
    assert summary.gain_crossed.estimate == pytest.approx(summary.gain.estimate, abs=0.02)
    assert (found.result.k, found.result.n) == (None, None)
    assert grades(found)["INT-078"] == ["critical"]
    status = {record.code: record.status for record in found.records}
    assert status["INT-075"] == "not testable"


def test_right_order_gains_nothing() -> None:
    found = _audit(class_map(RIGHT, model=False), _simulated([0, 1, 2, 3]))
    assert found.result.inferred.gain.estimate == 0
    assert grades(found)["INT-078"] == [None]


def test_names_shown_at_random_are_not_inferred() -> None:
    """The best assignment always gains something by chance, but not on the other half."""
    found = _audit(class_map(RIGHT, model=False), _simulated([0, 1, 2, 3], n=60, noise=1.0))
    assert found.result.inferred.gain.estimate > 0
    assert grades(found)["INT-078"] == [None]


def test_right_map_fires_nothing() -> None:
    rows = tuple((str(at), name, name.upper(), 0.5) for at, name in enumerate("abcd"))
    found = _audit(class_map(rows), _simulated([0, 1, 2, 3]))
    assert (found.result.k, found.result.n) == (0, 4)
    assert (_wrong(found, "findings").k, _wrong(found, "findings").n) == (0, 240)
    assert {grade for every in grades(found).values() for grade in every} == {None}


def test_copies_are_checked_by_name_and_digest() -> None:
    given = class_map()
    wrong = replace(given.app, name="demo")
    right = ShownClasses("fixed", given.app.index, NAMES, None, "b" * 64)
    found = _audit(replace(given, copies=(wrong, right)))
    rows = {row.copy: row for row in found.result.copies}
    assert (rows["demo"].wrong, rows["demo"].same_file, rows["demo"].affected) == (5, True, True)
    assert (rows["fixed"].wrong, rows["fixed"].same_file, rows["fixed"].affected) == (
        (0, False, False)
    )
    record = next(one for one in found.records if one.code == "INT-079")
    assert (record.k, record.n, record.grade) == (1, 2, "critical")


def test_names_of_an_artefact_stand_in_for_the_models() -> None:
    index = tuple(row[0] for row in ORAL_APP)
    checkpoint = NamedClasses("checkpoint", index, NAMES)
    found = _audit(class_map(model=False, artefacts=(checkpoint,)))
    assert (found.result.k, found.result.n, found.result.names_from) == (5, 6, "checkpoint")


def test_d111_folders_sorted_as_text() -> None:
    """Folders 1, 2, 10 sorted as text are 1, 10, 2: two of three names wrong."""
    rows = tuple(
        (str(at), *pair, 0.5)
        for at, pair in enumerate(zip(["1", "2", "10"], ["1", "10", "2"], strict=True))
    )
    found = _audit(class_map(rows))
    assert (found.result.k, found.result.n) == (2, 3)


def test_near_spellings_are_not_called_wrong_but_told() -> None:
    rows = (("0", "ulcer", "Ulcers", 0.5), ("1", "caries", "caries", 0.5))
    found = _audit(class_map(rows))
    assert (found.result.k, found.result.n) == (0, 2)
    assert found.result.rows[0].same is None
    assert grades(found)["INT-075"] == ["minor"]
    declared = _audit(class_map(rows), same_names={"ulcer": "Ulcers"})
    assert grades(declared)["INT-075"] == [None]


@pytest.mark.parametrize(
    ("model", "word", "same"),
    [
        ("Mild_DR", "mild dr", True),
        ("tooth-discolation", "Tooth Discoloration", None),
        ("calculus", "Caries", False),
        ("grade 1", "grade 2", False),  # one letter apart, but a digit
        ("grade 1", "grade  1", True),
        ("ulcer", "", False),
    ],
)
def test_names_compared(model: str, word: str, same: bool | None) -> None:
    assert NameBook().same(model, word) is same


def test_the_name_of_another_class_is_never_nearly_right() -> None:
    assert NameBook(classes=("meiosis", "mitosis")).same("mitosis", "meiosis") is False


def test_without_detections_the_rest_is_not_testable() -> None:
    found = _audit(class_map())
    status = {record.code: record.status for record in found.records}
    assert status["INT-076"] == status["INT-078"] == status["INT-079"] == "not testable"
    assert found.result.status == "found"


def test_a_map_of_other_classes_says_nothing_of_these() -> None:
    found = _audit(class_map(), _simulated([0, 1, 2, 3]))
    shown_as = next(record for record in found.records if record.code == "INT-076")
    assert shown_as.reason == "no class of the detections is in the class map"


def test_not_asked_for_is_none() -> None:
    assert audit(job({})).result is None
