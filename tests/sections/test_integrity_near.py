"""Near duplicates by laws: planted flips are found and named, nothing else is, all is counted."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from reportgen.inputs.images import ImageSet, ImageTrouble
from reportgen.sections.integrity import leakage, near_duplicates
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.near_pictures import chosen_pairs
from reportgen.sections.integrity.near_search import other_thresholds
from reportgen.sections.integrity.records import share_of, written_share
from reportgen.sections.integrity.result_partition import NearDuplicates
from reportgen.stats.duplicates import SYMMETRIES, apply_symmetry
from tests.support.integrity_images import Grey, image_set, texture
from tests.support.integrity_jobs import boxes, detection_set, grades, job

BOTH = {"wdct": 0.6, "rms32": 15.0}
PILLOW = {
    "rotate_90": Image.Transpose.ROTATE_90,
    "rotate_180": Image.Transpose.ROTATE_180,
    "rotate_270": Image.Transpose.ROTATE_270,
    "flip_left_right": Image.Transpose.FLIP_LEFT_RIGHT,
    "flip_top_bottom": Image.Transpose.FLIP_TOP_BOTTOM,
    "transpose": Image.Transpose.TRANSPOSE,
    "transverse": Image.Transpose.TRANSVERSE,
}


def turned(picture: Grey, name: str) -> Grey:
    if name == "identity":
        return picture
    return np.asarray(Image.fromarray(picture).transpose(PILLOW[name]))


def audited(images: ImageSet, **near: object) -> Audited:
    settings = {"images": "scans", "near_duplicates": {"detectors": BOTH, **near}}
    return near_duplicates.audit(job(settings, images={"scans": images}))


@pytest.mark.parametrize("training_first", [True, False])
def test_each_flip_and_rotation_is_found_at_distance_0_and_named(training_first: bool) -> None:
    bases = [texture(seed) for seed in range(8)]
    copies = [turned(base, name) for base, name in zip(bases, SYMMETRIES, strict=True)]
    train, test = ("a", "b") if training_first else ("b", "a")
    parts = sorted(
        [(f"{train}{at}", base, "train") for at, base in enumerate(bases)]
        + [(f"{test}{at}", copy, "test") for at, copy in enumerate(copies)],
        key=lambda part: part[0],
    )
    images = image_set(
        [part[1] for part in parts],
        ids=[part[0] for part in parts],
        split=[part[2] for part in parts],
    )
    result: NearDuplicates = audited(images).result
    for detector in BOTH:
        rows = [row for row in result.rows if row.detector == detector]
        named = {row.image: row.symmetry for row in rows}
        assert named == {f"{test}{at}": name for at, name in enumerate(SYMMETRIES)}
        assert all(row.image[1:] == row.twin[1:] for row in rows)
        assert all((row.rms or 0.0) == 0 and (row.similarity or 1.0) == 1 for row in rows)
        assert all(row.full_rms == 0 and row.full_r == pytest.approx(1) for row in rows)
        across = next(
            row for row in result.counts if row.detector == detector and row.split == "train"
        )
        assert (across.k, across.n, across.fixed_alignment) == (8, 8, 1)
        assert (across.other_alignment, across.pairs, across.clusters) == (7, 8, 8)


@pytest.mark.parametrize(
    ("split", "between", "severity", "said", "at_the_count"),
    [
        (["train", "test", ""], "all", "warn", "1 of 3 (33.3\xa0%) images have no split.", True),
        (
            ["train", "test", "Test"],
            [["train", "test"]],
            "warn",
            "1 of 3 (33.3\xa0%) images are of splits that no pair names: “Test”; names that may be"
            " spellings of one split, kept apart: “Test” / “test”.",
            True,
        ),
        (
            ["train", "test", "Test"],
            "all",
            "warn",
            "Names that may be spellings of one split, kept apart: “Test” / “test”.",
            False,
        ),
        (
            ["train", "test", "val"],
            [["train", "test"]],
            "note",
            "1 of 3 (33.3\xa0%) images are of splits that no pair names: “val”.",
            True,
        ),
        (["train", "test", "val"], "all", None, "", False),
    ],
)
def test_images_that_no_two_splits_compare(
    split: list[str], between: object, severity: str | None, said: str, at_the_count: bool
) -> None:
    images = image_set([texture(1), texture(2), texture(3)], split=split)
    found = audited(images, between=between, detectors={"rms32": 15})
    told = [(one.severity, one.statement) for one in found.findings if one.code == "INT-007"]
    assert told == ([] if severity is None else [(severity, said)])
    counts = [one.statement for one in found.findings if one.code == "INT-001"]
    assert all(("left out" in one) == at_the_count for one in counts)
    given = {"images": "scans", "leakage": {"between": between, "by": ["content"]}}
    shared = leakage.audit(job(given, images={"scans": images}))
    assert [
        (one.severity, one.statement) for one in shared.findings if one.code == "INT-007"
    ] == told
    counts = [one.statement for one in shared.findings if one.code == "INT-018"]
    assert counts
    assert all(("left out" in one) == at_the_count for one in counts)


def test_what_is_compared_with_nothing_is_told_once() -> None:
    images = image_set([texture(1), texture(2), texture(3)], split=["train", "test", ""])
    asked = {"images": "scans", "leakage": {"by": ["content"]}, "near_duplicates": {}}
    both = [one.audit(job(asked, images={"scans": images})) for one in (near_duplicates, leakage)]
    codes = [finding.code for one in both for finding in one.findings]
    assert codes.count("INT-007") == 1


def test_the_second_split_of_a_pair_is_counted() -> None:
    one, two, three = texture(1), texture(2), texture(3)
    images = image_set(
        [one, one, two, one, three], split=["train", "train", "train", "test", "test"]
    )
    result: NearDuplicates = audited(images, between=[["train", "test"], ["test", "train"]]).result
    counts = [(row.split, row.twin_split, row.k, row.n) for row in result.counts]
    assert counts == [("train", "test", 1, 2), ("test", "train", 2, 3)] * 2
    assert [row.pairs for row in result.counts] == [2, 2, 2, 2]
    assert [row.clusters for row in result.counts] == [1, 1, 1, 1]
    assert len([row for row in result.rows if row.detector == "wdct"]) == 2


def test_all_splits_are_compared_training_first_then_each_within_itself() -> None:
    images = image_set(
        [texture(seed) for seed in range(6)],
        split=["valid", "valid", "test", "test", "train", "train"],
    )
    found = audited(images)
    pairs = [(row.split, row.twin_split) for row in found.result.counts[:6]]
    assert pairs == [
        ("train", "valid"),
        ("train", "test"),
        ("valid", "test"),
        ("train", "train"),
        ("valid", "valid"),
        ("test", "test"),
    ]
    assert found.result.status == "not found"
    assert grades(found) == {"INT-001": [None] * 6, "INT-002": [None] * 6}
    assert {finding.severity for finding in found.findings} == {"pass"}
    assert all("not" in finding.limits for finding in found.findings)


def test_independence_is_graded_by_the_share_of_images() -> None:
    train = [texture(seed) for seed in range(2)]
    for others, grade in ((18, "major"), (38, "minor")):
        test = [train[0], *(texture(100 + seed) for seed in range(others + (others > 18)))]
        split = ["train"] * 2 + ["test"] * len(test)
        found = audited(image_set([*train, *test], split=split), between=[["train", "test"]])
        assert grades(found)["INT-001"] == [grade, grade]
        severities = {one.severity for one in found.findings if one.code == "INT-001"}
        assert severities == {"fail" if grade == "major" else "warn"}
        assert all(one.lower_bound and one.lower_bound_reason for one in found.records)


def test_within_one_split_duplicates_are_a_note() -> None:
    images = image_set([texture(1), texture(1), texture(2)], split=["test"] * 3)
    found = audited(images)
    assert grades(found) == {"INT-002": ["info", "info"]}
    assert [(row.k, row.n, row.pairs) for row in found.result.counts] == [(2, 3, 1)] * 2


def test_without_splits_all_pairs_are_reported() -> None:
    found = audited(image_set([texture(1), texture(1), texture(2)]))
    assert found.result.counts == ()
    assert [row.pairs for row in found.result.all_pairs if row.threshold in (0.6, 15)] == [1, 1]
    assert grades(found) == {"INT-006": ["info", "info"]}
    assert {(row.split, row.k > 0) for row in found.result.histogram} >= {("all", True)}


def test_blank_images_are_listed_apart_and_never_flagged() -> None:
    white = np.full((128, 128), 255, dtype=np.uint8)
    black = np.zeros((128, 128), dtype=np.uint8)
    trouble = [ImageTrouble("blank", f"{at:03d}.png", "hardly any contrast") for at in (0, 1, 2, 4)]
    images = image_set(
        [white, white, black, texture(1), black, texture(2)],
        split=["train", "train", "test", "test", "train", "train"],
        trouble=trouble,
    )
    found = audited(images)
    assert found.result.rows == ()
    across = [row for row in found.result.counts if row.split != row.twin_split]
    assert [(row.k, row.n) for row in across] == [(0, 1), (0, 1)]
    assert [row.not_comparable[0].k for row in found.result.detectors] == [4, 4]
    assert grades(found)["INT-004"] == ["minor"]


def test_small_images_are_not_testable_by_wdct() -> None:
    tiny = [texture(seed, side=8, cells=8) for seed in range(4)]
    images = image_set([*tiny, tiny[0]], split=["train"] * 3 + ["test"] * 2)
    found = audited(images, between=[["train", "test"]])
    wdct, rms32 = found.result.detectors
    assert (wdct.status, wdct.compared) == ("not testable", 0)
    assert (wdct.reason or "").endswith("images: 5 with a side under 64 px")
    assert (rms32.status, rms32.compared) == ("found", 5)
    assert [one.detector for one in found.pairs] == ["rms32"]
    assert [one.status for one in found.records if one.code == "INT-003"] == ["not testable"]
    mixed = image_set([*tiny, texture(1), texture(2)])
    some = next(one for one in audited(mixed).records if one.code == "INT-003")
    assert (some.status, some.k, some.n) == ("not testable", 4, 6)


def test_nothing_is_said_of_splits_that_have_nothing_to_compare_with() -> None:
    blank = np.full((64, 64), 7, dtype=np.uint8)
    images = image_set(
        [blank, texture(1), texture(2), texture(3)], split=["train", "test", "test", "lone"]
    )
    found = audited(images, between=[["train", "test"], ["test", "train"], ["lone", "lone"]])
    told = [one for one in found.records if one.code in ("INT-001", "INT-002")]
    assert [(one.status, one.k, one.n) for one in told] == [("not testable", None, None)] * 6
    assert all("can compare no image of “train”" in (one.reason or "") for one in told[:2])
    assert "can compare only one image of “lone”" in (told[2].reason or "")
    assert {(row.k, row.n, row.share.estimate) for row in found.result.counts} == {(0, 0, None)}


def test_two_other_thresholds_stand_beside_the_declared_one() -> None:
    assert other_thresholds("rms32", 15) == (12, 18)
    assert other_thresholds("rms32", 4) == (3.2, 4.8)
    assert other_thresholds("rms32", 0) == (1, 2)
    assert other_thresholds("wdct", 0.6) == (0.65, 0.55)
    assert other_thresholds("wdct", 0.99) == (0.94, 0.89)
    base = np.clip(texture(5), 40, 255)
    darker = [(base.astype(int) - less).astype(np.uint8) for less in (10, 14, 17)]
    images = image_set([base, *darker], split=["train", "test", "test", "test"])
    result = audited(images, between=[["train", "test"]]).result
    counts = {row.threshold: row.k for row in (*result.counts, *result.sensitivity)}
    assert (counts[12.0], counts[15.0], counts[18.0]) == (1, 2, 3)
    bands = {(row.from_, row.to): (row.k, row.band) for row in result.histogram if row.k}
    rms = {key: value for key, value in bands.items() if key[1] > 1}
    assert rms == {
        (9.0, 12.0): (1, "flagged"),
        (12.0, 15.0): (1, "flagged"),
        (15.0, 18.0): (1, "review"),
    }


@pytest.mark.parametrize(
    "thresholds",
    [
        {"rms32": 0.0, "wdct": 1.0},
        {"rms32": 0.3, "wdct": 0.97},
        {"rms32": 4.7, "wdct": 0.62},
        {"rms32": 31.0, "wdct": 0.1},
        {"rms32": 255.0, "wdct": -1.0},
    ],
)
def test_the_histogram_holds_every_image_and_its_flagged_bins_the_flagged_ones(
    thresholds: dict[str, float],
) -> None:
    base = np.clip(texture(6), 60, 255)
    others = [(base.astype(int) - less).astype(np.uint8) for less in (0, 1, 4, 30, 31, 60)]
    pictures = [base, *others, *(texture(seed) for seed in range(20, 26))]
    images = image_set(pictures, split=["train"] + ["test"] * (len(pictures) - 1))
    result = audited(images, detectors=thresholds, show=0, between=[["train", "test"]]).result
    assert len(result.counts) == 2
    for count in result.counts:
        bins = [row for row in result.histogram if row.detector == count.detector]
        assert sum(row.k for row in bins) == count.n == 12
        assert sum(row.k for row in bins if row.band == "flagged") == count.k
        assert all(one.to == two.from_ for one, two in pairwise(bins))
        assert len(bins) <= 60


def test_boxes_that_duplicates_carry_are_counted() -> None:
    pictures = [texture(1), texture(2), texture(1), texture(3)]
    images = image_set(pictures, ids=["a", "b", "c", "d"], split=["train"] * 2 + ["test"] * 2)
    rows = [(0, 0, (1.0, 1.0, 5.0, 5.0))] + [(2, 0, (1.0, 1.0, 5.0, 5.0))] * 3
    truth = boxes([*rows, (3, 0, (1.0, 1.0, 5.0, 5.0))])
    found = near_duplicates.audit(
        job(
            {
                "images": "scans",
                "detections": "boxes",
                "near_duplicates": {"between": [["train", "test"]]},
            },
            images={"scans": images},
            detections={"boxes": detection_set("abcd", ["x"], truth, None)},
        )
    )
    (row,) = found.result.counts
    assert (row.k, row.n, row.instances_k, row.instances_n) == (1, 2, 3, 4)


def test_reviewers_give_a_precision_and_disagreement_is_set_apart() -> None:
    names = [f"{at:02d}" for at in range(8)]
    pictures = [texture(at // 2) for at in range(8)]
    images = image_set(pictures, ids=names, split=["train", "test"] * 4)
    lists = {
        "image": ("01", "00", "05", "04", "06"),
        "twin": ("00", "01", "04", "05", "07"),
        "verdict": ("duplicate", "Duplicate", "different", "duplicate", "different"),
    }
    settings = {"images": "scans", "near_duplicates": {"detectors": {"rms32": 15.0}}}
    found = near_duplicates.audit(
        job(
            settings,
            images={"scans": images},
            lists={("integrity", "near_duplicates.verdicts"): lists},
        )
    )
    (row,) = found.result.reviewed
    assert (row.reviewed, row.duplicates, row.disputed) == (2, 1, 1)
    assert (row.precision.low, row.precision.high) == pytest.approx((0.01258, 0.98742), abs=1e-5)
    verdicts = {one.image: one.verdict for one in found.result.rows}
    assert verdicts == {"01": "duplicate", "03": None, "05": "disputed", "07": "different"}
    assert grades(found)["INT-005"] == ["info"]
    agreed = {name: cells[:2] for name, cells in lists.items()}
    again = near_duplicates.audit(
        job(
            settings,
            images={"scans": images},
            lists={("integrity", "near_duplicates.verdicts"): agreed},
        )
    )
    assert grades(again)["INT-005"] == [None]


def test_pictures_can_be_left_out() -> None:
    images = image_set([texture(1), texture(1)], split=["train", "test"])
    shown, ids = audited(images), audited(images, pictures="ids")
    assert shown.pictures
    assert ids.pictures == {}
    assert [row.picture for row in ids.result.pictures] == [None] * len(ids.result.pictures)
    assert [row.image for row in ids.result.pictures] == [r.image for r in shown.result.pictures]


def test_pictures_are_of_the_nearest_the_median_and_those_at_the_threshold() -> None:
    base = np.clip(texture(9), 40, 215)
    darker = [(base.astype(int) - less).astype(np.uint8) for less in (1, 3, 5, 7, 9, 11, 13)]
    images = image_set([base, *darker], split=["train"] + ["test"] * 7)
    result = audited(images, detectors={"rms32": 15.0}, show=3, between=[["train", "test"]]).result
    chosen = {row.chosen_as: round(row.distance) for row in result.pictures}
    assert chosen == {"nearest": 1, "median": 7, "at the threshold": 13}
    assert len(chosen_pairs((), 6)) == 0


def test_a_rotated_twin_is_laid_onto_the_image() -> None:
    base = texture(11)
    images = image_set([base, apply_symmetry(base, 1)], split=["train", "test"])
    found = audited(images, detectors={"rms32": 15.0}, show=1)
    (png,) = found.pictures.values()
    assert png.startswith(b"\x89PNG")
    (again,) = audited(images, detectors={"rms32": 15.0}, show=1).pictures.values()
    assert png == again


def test_nothing_asked_for_gives_nothing_and_too_little_is_said() -> None:
    assert near_duplicates.audit(job({"images": "scans"})).result is None
    asked = {"images": "scans", "near_duplicates": {}}
    one = near_duplicates.audit(job(asked, images={"scans": image_set([texture(1)])}))
    assert (one.result.status, one.findings[0].severity) == ("not testable", "note")
    assert near_duplicates.audit(job(asked)).result.reason == "no images are named"


def test_limits_of_a_share_are_per_cent() -> None:
    assert written_share(0, 4, share_of(0, 4, confidence=0.95)).replace("\xa0", " ") == (
        "0 of 4 (0.0 %; 95 % interval 0 to 60 %)"  # 1 - 0.025 ** (1 / 4) = 0.602
    )
