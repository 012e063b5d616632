"""Leakage by exact counting: sources, patients, sites, pixels, dates; labels, classes, columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.images import ImageSet
from reportgen.inputs.table import Training
from reportgen.sections.integrity import leakage
from reportgen.sections.integrity.audits import Audited
from reportgen.sections.integrity.leakage_shared import AFTER, BEFORE, DURING, SAME
from reportgen.sections.integrity.result_partition import LeakRow
from tests.support.integrity_images import image_set, objects, texture
from tests.support.integrity_jobs import boxes, detection_set, grades, job, score_table


def audited(images: ImageSet | None = None, *, by: list[str] | None = None, **more: Any) -> Audited:
    asked = {} if by is None else {"by": by}
    settings = {"images": "scans", "leakage": {**asked, **more.pop("leakage", {})}}
    return leakage.audit(job(settings, images={"scans": images} if images else {}, **more))


def row_of(found: Audited, by: str, of: str = "all") -> LeakRow:
    (row,) = [row for row in found.result.rows if row.by == by and row.of == of]
    assert isinstance(row, LeakRow)
    return row


def scans(n: int, **columns: Any) -> ImageSet:
    return image_set([texture(seed, side=32, cells=8) for seed in range(n)], **columns)


def test_a_patient_on_both_sides_is_named_and_test_images_counted() -> None:  # D40
    images = scans(
        7,
        split=["train", "train", "train", "test", "test", "test", "test"],
        unit=["P1", "P2", "P3", "P2", "P2", "P4", "P5"],
    )
    found = audited(images, by=["unit"])
    row = row_of(found, "unit")
    assert (row.split, row.twin_split, row.k, row.n) == ("train", "test", 2, 4)
    assert (row.values, row.named) == (1, ("P2",))
    assert grades(found)["INT-016"] == ["major"]
    (finding,) = [one for one in found.findings if one.code == "INT-016"]
    assert finding.severity == "fail"
    record = next(one for one in found.records if one.code == "INT-016")
    assert record.evidence == ("P2",)
    assert "independent" in record.affected_claim


def test_one_shared_patient_of_many_fails_but_one_shared_source_warns() -> None:
    split = ["train"] + ["test"] * 40
    values = ["A", "A", *(f"x{at}" for at in range(39))]
    found = audited(scans(41, split=split, unit=values, source=values), by=["unit", "source"])
    assert grades(found)["INT-016"] == ["major"]
    assert grades(found)["INT-015"] == ["minor"]


def test_identifiers_are_text() -> None:  # D38
    ids = ["0012", "12", "12.0", "1E3", "1000", "12345678901234567890"]
    images = scans(7, split=["train"] * 6 + ["test"], unit=[*ids, "12345678901234567891"])
    assert row_of(audited(images, by=["unit"]), "unit").k == 0
    same = scans(7, split=["train"] * 6 + ["test"], unit=[*ids, "0012"])
    assert row_of(audited(same, by=["unit"]), "unit").named == ("0012",)


def test_images_without_a_patient_share_none() -> None:  # D39
    images = scans(5, split=["train", "train", "test", "test", "test"], unit=["", "A", "", "", "B"])
    row = row_of(audited(images, by=["unit"]), "unit")
    assert (row.k, row.n) == (0, 1)
    assert row.note == "2 images without a unit left out"


def test_at_most_twenty_are_named_and_all_are_counted() -> None:
    values = [f"S{at:02d}" for at in range(25)]
    images = scans(50, split=["train"] * 25 + ["test"] * 25, source=values * 2)
    row = row_of(audited(images, by=["source"]), "source")
    assert (row.k, row.values, len(row.named)) == (25, 25, 20)


def test_shares_by_class_and_of_images_without_label() -> None:
    images = scans(
        6,
        split=["train", "train", "test", "test", "test", "test"],
        source=["A", "B", "A", "B", "C", "A"],
        labels=[["x"], ["x"], ["x"], ["x", "y"], ["y"], []],
    )
    found = audited(images, by=["source"])
    shares = {row.of: (row.k, row.n) for row in found.result.rows if row.by == "source"}
    assert shares == {"all": (3, 4), "x": (2, 2), "y": (1, 2), "without label": (1, 1)}


def test_a_site_on_both_sides_is_a_note() -> None:
    images = scans(4, split=["train", "train", "test", "test"], site=["N", "S", "S", "S"])
    found = audited(images, by=["site"])
    assert (row_of(found, "site").k, row_of(found, "site").n) == (2, 2)
    assert [one.severity for one in found.findings if one.code == "INT-017"] == ["note"]


def test_the_same_pixels_in_two_files() -> None:
    one, two = texture(1), texture(2)
    images = image_set([one, two, one, texture(3)], split=["train", "train", "test", "test"])
    found = audited(images, by=["content"])
    assert (row_of(found, "content").k, row_of(found, "content").n) == (1, 2)
    assert row_of(found, "content").named == ("002",)
    assert grades(found)["INT-018"] == ["major"]
    apart = image_set([one, two, texture(4)], split=["train", "train", "test"])
    assert grades(audited(apart, by=["content"]))["INT-018"] == [None]


@pytest.mark.parametrize(
    ("test_days", "overlap", "parts"),
    [
        (["2020-01-31", "2020-01-31"], 0, (0, 0, 2, 0)),  # the last day of both: no overlap
        (["2020-02-01", "2021-05-05"], 0, (0, 0, 0, 2)),
        (["2019-12-31", "2020-01-01", "2020-01-30", "2020-01-31", "2020-02-01"], 3, (1, 2, 1, 1)),
        (["2019-01-01", "2019-01-02"], 2, (2, 0, 0, 0)),  # test before train
    ],
)
def test_equal_dates_are_no_overlap_and_the_parts_add_up(  # D114
    test_days: list[str], overlap: int, parts: tuple[int, ...]
) -> None:
    train = ["2020-01-01", "2020-01-15T10:30:00", "2020-01-31T23:59:59"]
    images = scans(
        3 + len(test_days),
        split=["train"] * 3 + ["test"] * len(test_days),
        acquired=[*train, *test_days],
    )
    found = audited(images, by=["date"])
    row = row_of(found, "date")
    assert (row.k, row.n) == (overlap, len(test_days))
    counted = tuple(row_of(found, "date", of).k for of in (BEFORE, DURING, SAME, AFTER))
    assert counted == parts
    shares = [row_of(found, "date", of).share.estimate for of in (BEFORE, DURING, SAME, AFTER)]
    assert sum(share or 0 for share in shares) == pytest.approx(1)
    assert grades(found)["INT-019"] == ["minor" if overlap else None]


def test_copies_split_after_augmentation_are_told_from_copies_kept_together() -> None:
    source = ["A", "A", "A", "B", "B", "B", "C", "D"]
    leaky = scans(8, split=["train", "train", "test"] * 2 + ["train", "test"], source=source)
    row = row_of(audited(leaky, by=["source"]), "augmented copies")
    assert (row.k, row.n, row.values) == (2, 2, 2)
    assert row.note == "2 of 4 sources have several images, 3 each"
    sound = scans(8, split=["train"] * 3 + ["test"] * 3 + ["train", "test"], source=source)
    found = audited(sound, by=["source"])
    assert (row_of(found, "augmented copies").k, row_of(found, "augmented copies").n) == (0, 3)
    assert grades(found)["INT-020"] == [None]


def test_the_same_pixels_under_different_labels() -> None:
    one = texture(1)
    others = [texture(10 + at) for at in range(38)]
    images = image_set([one, one, *others], labels=[["benign"], ["malign"], *([["benign"]] * 38)])
    found = audited(images, by=["content"])
    (conflict,) = found.result.conflicts
    assert conflict.images == ("000", "001")
    assert conflict.labels == ("benign", "malign")
    record = next(one for one in found.records if one.code == "INT-021")
    assert (record.k, record.n, record.grade) == (2, 40, "major")
    agreed = image_set([one, one], labels=[["benign"], ["benign"]])
    assert grades(audited(agreed))["INT-021"] == [None]


def test_a_class_that_a_split_lacks_is_named() -> None:  # D111
    images = scans(
        4, split=["train", "train", "test", "test"], labels=[["1"], ["10"], ["1"], ["1"]]
    )
    found = audited(images, by=["source"])
    assert {row.split: row.absent for row in found.result.splits} == {"train": (), "test": ("10",)}
    assert grades(found)["INT-022"] == ["minor"]
    (finding,) = [one for one in found.findings if one.code == "INT-022"]
    assert "“test” lacks “10”" in finding.statement
    whole = scans(4, split=["train", "test"] * 2, labels=[["1"], ["1"], ["2"], ["2"]])
    assert grades(audited(whole))["INT-022"] == [None]


def test_what_all_names_have_in_common_and_how_few_sources_there_are() -> None:
    images = scans(
        6,
        files=[f"deep/OSCC_400x_{at}_jpg.rf.{at:08x}.jpg" for at in range(6)],
        site=["N"] * 6,
        source=["A", "A", "A", "B", "C", "D"],
        labels=[["neg"]] * 3 + [["pos"]] * 3,
    )
    found = audited(images)
    values = [(row.attribute, row.value) for row in found.result.constants]
    assert values == [
        ("part of every file name", "OSCC"),
        ("part of every file name", "400x"),
        ("site", "N"),
    ]
    assert [(row.of, row.images, row.sources) for row in found.result.class_sources] == [
        ("neg", 3, 1),
        ("pos", 3, 3),
    ]
    assert grades(found)["INT-024"] == ["info", "info"]
    varied = scans(6, files=[f"{name}.png" for name in "abcdef"])
    assert "INT-024" not in grades(audited(varied))


def test_what_cannot_be_looked_at_says_why() -> None:
    found = audited(scans(2, split=["train", "test"]))
    reasons = {one.reason for one in found.result.not_testable}
    assert any(one.startswith("unit: the images have no column 'unit'") for one in reasons)
    assert {one.status for one in found.records if one.code != "INT-018"} == {"not testable"}
    assert all(one.severity == "note" for one in found.findings if one.code == "INT-016")
    unsplit = audited(scans(2, source=["A", "A"]), by=["source"])
    assert [one.reason for one in unsplit.records if one.code == "INT-015"] == [
        "the images have no splits"
    ]
    assert leakage.audit(job({"leakage": {}})).result.status == "not testable"
    assert leakage.audit(job({})).result is None


def table_job(test_units: list[str], train_units: list[str], **features: Any) -> Audited:
    n = len(test_units)
    table = score_table([0.0, 1.0] * (n // 2), [0.5] * n, unit=test_units, features=features)
    train = Training(len(train_units), objects(train_units), {}, {})
    return leakage.audit(
        job(
            {"leakage": {"table": "test", "by": ["unit"]}},
            tables={"test": replace(table, train=train)},
        )
    )


def test_patients_of_a_table_among_its_training_rows() -> None:
    found = table_job(["P1", "P1", "P9", ""], ["P1", "P2", ""])
    row = row_of(found, "unit")
    assert (row.split, row.twin_split, row.k, row.n) == ("training rows", "test", 2, 3)
    assert (row.named, row.note) == (("P1",), "1 row without a unit left out")
    assert grades(found)["INT-016"] == ["major"]
    assert grades(table_job(["P8", "P9"], ["P1"]))["INT-016"] == [None]


def test_columns_that_identify_a_row_or_give_the_label_away() -> None:
    rng = np.random.default_rng(1)
    label = np.tile([0.0, 1.0], 20)
    found = table_job(
        [f"P{at}" for at in range(40)],
        ["Q"],
        number=np.arange(40.0),
        measured=rng.normal(size=40),
        copy=label + rng.normal(scale=0.1, size=40),
        reverse=-label,
        whole=rng.integers(0, 5, 40).astype(float),
    )
    reasons = {row.column: row.why for row in found.result.columns}
    assert reasons == {
        "number": "a different whole number in every row",
        "copy": "alone it separates the label",
        "reverse": "alone it separates the label",
    }
    areas = {row.column: row.auc for row in found.result.columns}
    assert (areas["copy"], areas["reverse"]) == (1.0, 0.0)
    assert grades(found)["INT-023"] == ["minor"]
    clean = table_job([f"P{at}" for at in range(40)], ["Q"], measured=rng.normal(size=40))
    assert grades(clean)["INT-023"] == [None]


def test_classes_come_from_boxes_where_images_have_no_labels() -> None:
    images = scans(3, ids=["a", "b", "c"], split=["train", "train", "test"])
    truth = boxes([(0, 0, (0, 0, 5, 5)), (1, 1, (0, 0, 5, 5)), (2, 0, (0, 0, 5, 5))])
    found = leakage.audit(
        job(
            {"images": "scans", "detections": "boxes", "leakage": {}},
            images={"scans": images},
            detections={"boxes": detection_set("abc", ["ulcer", "caries"], truth, None)},
        )
    )
    assert {row.split: row.absent for row in found.result.splits} == {
        "train": (),
        "test": ("caries",),
    }
