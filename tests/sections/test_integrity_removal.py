"""Duplicates leave the evaluation: pycocotools' figures without them, planted and null sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.detections import DetectionSet
from reportgen.sections.integrity.audits import Audited, Pairs
from reportgen.sections.integrity.removal_effect import audit
from reportgen.sections.integrity.result_evaluation import RemovalRow
from tests.support.coco100 import coco100
from tests.support.integrity_jobs import boxes, detection_set, grades, job

BOX = (10.0, 10.0, 50.0, 50.0)
AWAY = (500.0, 500.0, 9.0, 9.0)


def _audit(
    given: DetectionSet | None,
    listed: list[str] | None = None,
    *,
    resamples: int = 200,
    done: Any = None,
    more: dict[str, Any] | None = None,
    **settings: Any,
) -> Audited:
    own = {"controls": 200, "resamples": resamples, **settings}
    inputs: dict[str, Any] = {**(more or {})}
    named: dict[str, Any] = {"removal_effect": own}
    if given is not None:
        inputs["detections"] = {"boxes": given}
        named["detections"] = "boxes"
    if listed is not None:
        inputs["lists"] = {("integrity", "removal_effect.duplicates"): {"image": tuple(listed)}}
        own["duplicates"] = "duplicates.csv"
    if "images" in inputs:
        named["images"] = "scans"
    return audit(job(named, done=done, **inputs))


def _row(found: Audited, metric: str, name: str = "all") -> RemovalRow:
    row: RemovalRow = next(
        row for row in found.result.rows if (row.metric, row.class_) == (metric, name)
    )
    return row


def test_coco100_without_every_third_image(shared: Path) -> None:
    """The figures without them are pycocotools' on the other 66 images (reference.json)."""
    right = json.loads((shared / "data/integrity/reference.json").read_text())["coco100"]
    given = coco100(shared)
    listed = [str(name) for name in given.images[::3]]
    found = _audit(given, listed)
    assert (found.result.images, found.result.duplicates) == (100, 34)
    assert right["subset_position_mod3_nonzero"]["images"] == 66
    row = _row(found, "map50_95")
    assert row.all_images == pytest.approx(right["pycocotools"]["AP"], abs=1e-8)
    assert row.without == pytest.approx(right["subset_position_mod3_nonzero"]["AP"], abs=1e-8)
    assert row.change.estimate == pytest.approx(0.549256271 - 0.504580699, abs=1e-8)
    half = _row(found, "map50")
    assert half.without == pytest.approx(right["subset_position_mod3_nonzero"]["AP50"], abs=1e-8)
    for one in (row, half):
        assert one.change.low is not None
        assert one.minimum_detectable_effect == pytest.approx(
            ((one.change.high or 0) - one.change.low) / 2
        )
        assert one.p is not None
        assert one.p_adjusted is not None
        assert one.p_adjusted >= one.p
        assert one.gap.estimate is not None
        assert "no detectable change" not in one.reading or (
            "minimum detectable effect" in one.reading
        )
    boxes_on = np.bincount(given.truth.image, ~given.truth.crowd, minlength=100)
    assert found.findings[0].evidence["change"] == half.change
    assert found.records[0].share is None
    assert found.result.instances_share == pytest.approx(boxes_on[::3].sum() / boxes_on.sum())


def _planted(*, easy: bool, n: int = 400) -> tuple[DetectionSet, list[str]]:
    """Return images with one box each; a fifth are duplicates, found always if `easy`."""
    rng = np.random.default_rng(4)
    duplicate = np.arange(n) < n // 5
    right = np.where(duplicate & easy, True, rng.random(n) < 0.5)
    kind = rng.integers(0, 2, n)
    names = [f"{at:03d}" for at in range(n)]
    truth = boxes([(at, int(kind[at]), BOX) for at in range(n)])
    rows = [(at, int(kind[at]), BOX if right[at] else AWAY) for at in range(n)]
    given = detection_set(names, ["a", "b"], truth, boxes(rows, rng.random(n).tolist()))
    return given, [name for name, twin in zip(names, duplicate, strict=True) if twin]


def test_planted_easy_duplicates_are_detected() -> None:
    found = _audit(*_planted(easy=True))
    row = _row(found, "map50")
    assert row.detected
    assert row.change.estimate is not None
    assert row.change.estimate < 0
    assert row.p == pytest.approx(1 / 201)
    assert row.p_low == pytest.approx(1 / 201)
    assert (row.gap.low or 0) > 0
    assert grades(found)["INT-050"] == ["major", "major"]
    assert grades(found)["INT-052"] == ["minor", "minor"]
    assert _row(found, "recall", "a").detected
    assert grades(found)["INT-051"] == ["minor"]


def test_ordinary_duplicates_change_nothing_detectably() -> None:
    found = _audit(*_planted(easy=False))
    assert grades(found)["INT-050"] == [None, None]
    for row in found.result.rows:
        assert row.detected is False
        assert row.reading.startswith("no detectable change; the minimum detectable effect is 0.")
    said = found.findings[0]
    assert said.severity == "pass"
    assert "does not restore independence" in said.limits


def test_holm_runs_over_the_contrasts_shown() -> None:
    """By hand: sorted p times the number of contrasts left, never falling, at most 1."""
    found = _audit(*_planted(easy=True))
    rows = sorted(found.result.rows, key=lambda row: row.p)
    assert len(rows) == 4
    worst = 0.0
    for left, row in zip(range(4, 0, -1), rows, strict=True):
        worst = min(1.0, max(worst, left * row.p))
        assert row.p_adjusted == pytest.approx(worst)


def test_strata_are_told_and_short_ones_marked() -> None:
    names = [f"{at:02d}" for at in range(40)]
    truth = boxes([(at, int(at < 30), BOX) for at in range(40)])
    given = detection_set(
        names, ["rare", "common"], truth, boxes([(at, 1, BOX) for at in range(30)], [0.9] * 30)
    )
    found = _audit(given, names[32:])  # eight of the ten images of the rare class
    rows = {row.dominant_class: row for row in found.result.strata}
    assert (rows["rare"].duplicates, rows["rare"].pool, rows["rare"].short) == (8, 2, True)
    assert (rows["common"].duplicates, rows["common"].pool, rows["common"].short) == (0, 30, False)
    assert grades(found)["INT-053"] == ["info"]


def test_histogram_counts_every_control() -> None:
    found = _audit(*_planted(easy=True))
    for metric in ("map50", "map50_95"):
        bins = [one for one in found.result.controls_histogram if one.metric == metric]
        assert sum(one.k for one in bins) == 200


def test_clusters_hang_together_by_list() -> None:
    """Copies of an image in one cluster widen the interval; here five times each."""
    given, listed = _planted(easy=False)
    inputs = {
        "lists": {
            ("integrity", "removal_effect.duplicates"): {
                "image": tuple(listed),
                "cluster": tuple(str(at // 5) for at in range(len(listed))),
            }
        }
    }
    found = _audit(given, None, more=inputs, duplicates="d.csv")
    assert found.result.clusters == 400 - 80 + 16
    assert "listed clusters" in found.result.cluster_rule


def test_duplicates_found_among_the_images() -> None:
    """A pair of a training and a test image makes the test image a duplicate."""
    given, listed = _planted(easy=True)
    n = len(given.images)
    ids = [*given.images, *(f"t{at}" for at in range(80))]
    pairs = Pairs(
        "wdct",
        np.arange(80),
        n + np.arange(80),
        np.zeros(80, dtype=np.intp),
        np.zeros(80),
        np.concatenate([np.arange(n), np.arange(80)]),
    )
    images = _images(ids, ["test"] * n + ["train"] * 80)
    done = {"near_duplicates": Audited(pairs=(pairs,))}
    found = _audit(given, None, done=done, more={"images": {"scans": images}})
    assert found.result.duplicates == 80
    assert found.result.duplicates_from == "near duplicates found by wdct"
    assert _row(found, "map50").without == _row(_audit(given, listed), "map50").without


def _images(ids: list[str], split: list[str]) -> Any:
    from reportgen.inputs.images import ImageSet

    n = len(ids)
    text = np.array(ids, dtype=object)
    none = np.zeros(n, dtype=bool)
    return ImageSet(
        "scans", text, text, np.array(split, dtype=object), None, None, None, None, None,
        ("train", "test"), None, np.zeros((n, 2), dtype=np.int64), ~none, none, text, text,
        np.zeros((n, 32, 32), dtype=np.uint8), np.zeros((n, 64, 64), dtype=np.uint8),
        lambda _: np.zeros((1, 1), dtype=np.uint8), lambda _: np.zeros((1, 1, 3), dtype=np.uint8),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        ([], "no image of the evaluation is a duplicate"),
        (["nowhere"], "no image of the evaluation is a duplicate"),
        ([f"{at:03d}" for at in range(400)], "every image"),
        (None, "no duplicates were listed"),
    ],
)
def test_nothing_to_remove_is_not_testable(listed: list[str] | None, reason: str) -> None:
    found = _audit(_planted(easy=True)[0], listed)
    assert found.result.status == "not testable"
    assert reason in str(found.result.reason)
    assert [finding.severity for finding in found.findings] == ["note"]


def test_without_detections_is_not_testable() -> None:
    assert _audit(None, ["1"]).result.status == "not testable"


def test_few_duplicates_have_no_interval_and_say_so() -> None:
    given, listed = _planted(easy=True)
    row = _row(_audit(given, listed[:3]), "map50")
    assert row.change.low is None
    assert row.minimum_detectable_effect is None
    assert "clusters" in row.reading
    assert not row.detected


def test_not_asked_for_is_none() -> None:
    assert audit(job({})).result is None


def _crowded(duplicates: int) -> tuple[DetectionSet, list[str]]:
    """Return 16 images of five boxes, all found, and 64 of one box, half of them found.

    By number of boxes the sixteen are a stratum of their own; the first of them are duplicates.
    """
    rng = np.random.default_rng(4)
    names = [f"{at:03d}" for at in range(80)]
    places = [(at, 60.0 * k) for at in range(80) for k in range(5 if at < 16 else 1)]
    truth = [(at, 0, (left, 10.0, 50.0, 50.0)) for at, left in places]
    found = [row if row[0] < 16 or row[0] % 2 else (row[0], 0, AWAY) for row in truth]
    given = detection_set(names, ["a"], boxes(truth), boxes(found, rng.random(len(found)).tolist()))
    return given, names[:duplicates]


@pytest.mark.parametrize(
    ("duplicates", "words"),
    [(13, "matched removals change the figure as much"), (16, "cannot be told from matched")],
)
def test_interval_beyond_zero_is_not_called_undetectable(duplicates: int, words: str) -> None:
    """Where nearly all of a stratum are duplicates, every matched set is nearly that set.

    The figure falls from some 0.75 to 0.5 or less, which no reader would call undetectable; but it
    is no more than matched removals do.
    """
    found = _audit(*_crowded(duplicates))
    row = _row(found, "map50")
    assert (row.change.high or 0) < 0
    assert not row.detected
    assert words in row.reading
    assert "no detectable change" not in row.reading
    assert grades(found)["INT-050"] == ["info", "info"]
    assert found.findings[0].severity == "note"
    if duplicates == 13:
        assert "alone excludes zero, and matched removals change as much, for “a”" in (
            found.findings[2].statement
        )
        assert "The smallest detectable effect is 0." in found.findings[2].statement
    else:  # the class has boxes on both sides, and every control is the set itself
        assert "each makes the same change" in found.findings[2].statement
