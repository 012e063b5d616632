"""COCO files: what is read, and every mistake with its annotation and field."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.inputs.detections import DetectionSet
from reportgen.inputs.detections import coco as coco_module

TRUTH: dict[str, Any] = {
    "images": [
        {"id": 10, "file_name": "ten.jpg", "width": 100, "height": 50},
        {"id": 9, "file_name": "nine.jpg", "width": 40, "height": 30},
        {"id": 2, "file_name": "two.jpg"},
    ],
    "categories": [{"id": 11, "name": "c"}, {"id": 3, "name": "a"}, {"id": 5, "name": "b"}],
    "annotations": [
        {"id": 0, "image_id": 9, "category_id": 5, "bbox": [1, 2, 3, 4], "area": 10.5},
        {"id": 7, "image_id": 10, "category_id": 11, "bbox": [0, 0, 5, 5], "iscrowd": 1},
    ],
}
RESULTS: list[dict[str, Any]] = [
    {"image_id": 9, "category_id": 5, "bbox": [1, 2, 3, 4], "score": 0.5},
    {"image_id": 10, "category_id": 3, "bbox": [1.5, 2, 3, 4], "score": 1},
]
Coco = Callable[..., DetectionSet]
Faults = Callable[..., list[str]]


def changed(path: str, value: Any, *, of: Any = TRUTH) -> Any:
    """Return data with one value changed; the path is as in ``annotations.0.bbox``."""
    made = deepcopy(of)
    *above, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    inner = made
    for part in above:
        inner = inner[part]
    if value is ...:
        del inner[last]
    else:
        inner[last] = value
    return made


def test_what_is_there_is_read(coco: Coco) -> None:
    made = coco(TRUTH, RESULTS)
    assert made.images.tolist() == ["2", "9", "10"]  # by number, not as text
    assert made.files is not None
    assert made.files.tolist() == ["two.jpg", "nine.jpg", "ten.jpg"]
    np.testing.assert_array_equal(made.size, [[np.nan, np.nan], [40, 30], [100, 50]])
    assert (made.category_ids, made.categories) == (("3", "5", "11"), ("a", "b", "c"))
    truth, predicted = made.truth, made.predicted
    assert truth.ids.tolist() == ["0", "7"]
    assert truth.image.tolist() == [1, 2]
    assert truth.category.tolist() == [1, 2]
    assert truth.area.tolist() == [10.5, 25.0]  # of the file, else width × height
    assert truth.crowd.tolist() == [False, True]
    assert truth.score is None
    assert predicted is not None
    assert predicted.score is not None
    assert predicted.ids.tolist() == ["1", "2"]  # counted from 1, as pycocotools does
    assert predicted.score.tolist() == [0.5, 1.0]
    assert predicted.xywh.tolist() == [[1, 2, 3, 4], [1.5, 2, 3, 4]]


def test_text_ids_are_in_the_order_of_text(coco: Coco) -> None:
    truth = deepcopy(TRUTH)
    for entry, name in zip(truth["images"], ("b", "a10", "a9"), strict=True):
        entry["id"] = name
    truth["annotations"] = []
    assert coco(truth).images.tolist() == ["a10", "a9", "b"]


def test_integral_floats_are_the_same_number(coco: Coco) -> None:
    assert coco(changed("annotations.0.image_id", 9.0)).truth.image.tolist() == [1, 2]


@pytest.mark.parametrize(
    "box",
    [[1, 2, 0, 4], [1, 2, -3, 4], [-50, 2, 3, 4], [90, 2, 300, 4], [0.1, 0.2, 0.3, 0.1]],
)
def test_boxes_that_cannot_be_right_are_kept(coco: Coco, box: list[float]) -> None:
    made = coco(changed("annotations.0.bbox", box))
    assert made.truth.xywh[0].tolist() == box
    assert len(made.truth.ids) == 2
    assert made.left_out == ()


def test_an_area_of_zero_is_kept(coco: Coco) -> None:
    assert coco(changed("annotations.0.area", 0)).truth.area[0] == 0


@pytest.mark.parametrize(
    "mask",
    [[[1, 2, 3, 4, 5, 6]], {"size": [5, 5], "counts": [0, 5, 20]}, {"size": [5, 5], "counts": "0"}],
    ids=["polygon", "list", "text"],
)
def test_masks_are_not_used_and_that_is_said(coco: Coco, mask: Any) -> None:
    made = coco(changed("annotations.0.segmentation", mask))
    assert "masks of 1 annotation not used: their boxes are" in made.notes
    assert made.truth.xywh[0].tolist() == [1, 2, 3, 4]
    assert not made.truth.polygon.any()


def test_a_mask_without_a_box_is_refused(faults: Faults) -> None:
    truth = changed("annotations.0.bbox", ...)
    truth["annotations"][0]["segmentation"] = {"size": [5, 5], "counts": "0"}
    (line,) = faults({"gt.json": truth}, ground_truth="gt.json")
    assert line == (
        "gt.json: annotations[0] (id 0): field 'bbox': it is missing; its mask is not read; "
        "write the box: [left, top, width, height]"
    )


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("categories", ..., "gt.json: field 'categories': it is missing;"),
        ("images", {}, "gt.json: field 'images': {} is no list;"),
        ("categories.1.name", ..., "gt.json: categories[1]: field 'name': it is missing;"),
        ("categories.1.name", "c", "categories[1]: field 'name': 'c' is the name of category 11 "),
        ("categories.1.id", 11, "categories[1]: field 'id': 11 is the id of categories[0] already"),
        ("images.1", 9, "gt.json: images[1]: 9 is no mapping;"),
        ("images.1.id", True, "images[1]: field 'id': true is no id;"),
        ("images.1.id", 10, "images[1]: field 'id': 10 is the id of images[0] already;"),
        ("images.1.id", "10", "images[1]: field 'id': \"10\" and the 10 of images[0] differ in"),
        ("images.1.width", 0, "images[1]: field 'width': 0 is no number above 0;"),
        ("images.1.height", None, "images[1]: field 'height': null is no number above 0;"),
        ("annotations.1.id", ..., "gt.json: annotations[1]: field 'id': it is missing;"),
        ("annotations.1.id", 0, "annotations[1] (id 0): field 'id': it is that of annotations[0]"),
        (
            "annotations.1.category_id",
            4,
            "annotations[1] (id 7): field 'category_id': no category has the id 4; ",
        ),
        (
            "annotations.1.image_id",
            "10",
            "annotations[1] (id 7): field 'image_id': \"10\" is written as text, the image's own "
            "id 10 as a number; write both alike: ids are compared as declared",
        ),
        (
            "annotations.1.image_id",
            8,
            "field 'image_id': no image has the id 8; known here: 2, 9, 10",
        ),
        ("annotations.1.image_id", 1.5, "annotations[1] (id 7): field 'image_id': 1.5 is no id;"),
        ("annotations.1.bbox", [1, 2, 3], "field 'bbox': [1, 2, 3] is no box;"),
        ("annotations.1.bbox", "1 2 3 4", "field 'bbox': \"1 2 3 4\" is no box;"),
        ("annotations.1.bbox", [1, 2, 3, "4"], "field 'bbox': \"4\" is no finite number;"),
        ("annotations.1.bbox", [1, 2, 3, 10**400], "field 'bbox': a number of more than 30 digits"),
        ("annotations.1.area", "5", "field 'area': \"5\" is no finite number;"),
        ("annotations.1.iscrowd", 2, "field 'iscrowd': 2 is neither 0 nor 1;"),
        ("annotations.1.ignore", "yes", "field 'ignore': \"yes\" is neither 0 nor 1;"),
    ],
)
def test_mistakes_of_ground_truth(faults: Faults, path: str, value: Any, words: str) -> None:
    lines = faults({"gt.json": changed(path, value)}, ground_truth="gt.json")
    assert words in lines[0]
    assert all(line.startswith("gt.json: ") for line in lines)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("0.score", 1.5, "det.json: [0]: field 'score': 1.5 is out of range;"),
        ("0.score", -0.1, "det.json: [0]: field 'score': -0.1 is out of range;"),
        ("0.score", ..., "det.json: [0]: field 'score': it is missing;"),
        ("0.score", "0.5", "field 'score': \"0.5\" is no finite number;"),
        ("0.category_id", 4, "det.json: [0]: field 'category_id': no category has the id 4;"),
        ("0.image_id", 90, "det.json: [0]: field 'image_id': no image has the id 90; did you mean"),
        ("0.image_id", "9", "field 'image_id': \"9\" is written as text, the image's own id 9 as"),
        ("0.image_id", ..., "det.json: [0]: field 'image_id': it is missing;"),
        ("0", [], "det.json: [0]: [] is no mapping;"),
    ],
)
def test_mistakes_of_results(faults: Faults, path: str, value: Any, words: str) -> None:
    files = {"gt.json": TRUTH, "det.json": changed(path, value, of=RESULTS)}
    lines = faults(files, ground_truth="gt.json", predictions="det.json")
    assert len(lines) == 1
    assert words in lines[0]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[[[" * 100_000, "gt.json: it is nested too deep for boxes;"),
        ('{"images": [], "a": NaN}', "gt.json:1: column 21: it holds NaN, which is no number of"),
        ('{"x": "NaN",\n "a": -Infinity}', "gt.json:2: column 7: it holds -Infinity, which is no"),
        (
            '{"images": [], "images": []}',
            "gt.json:1: the key 'images' stands twice in one mapping;",
        ),
        ('{"a": ' + "9" * 5000 + "}", "gt.json:1: column 7: it holds a number of 5000 digits"),
        ('{"a": [1, 2', "gt.json:1: column 12: the file ends in the middle;"),
        (b"\xff\xd8\xff\xe0", "gt.json: byte 1 is not UTF-8: this is no JSON text;"),
        ("[]", "gt.json: a list stands at the top, as in COCO results;"),
        ("7", "gt.json: no map"),
        (
            '{"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": '
            '[{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 1e999, 1]}]}',
            "annotations[0] (id 1): field 'bbox': Infinity is no finite number;",
        ),
    ],
)
def test_what_is_no_coco_json(faults: Faults, content: str | bytes, words: str) -> None:
    (line,) = faults({"gt.json": content}, ground_truth="gt.json")
    assert words in line


def test_results_are_a_list(faults: Faults) -> None:
    files = {"gt.json": TRUTH, "det.json": TRUTH}
    (line,) = faults(files, ground_truth="gt.json", predictions="det.json")
    assert line.startswith("det.json: no list stands at the top; COCO results are a list of")


def test_a_file_too_large_is_not_read(faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coco_module, "MOST_BYTES", 100)
    (line,) = faults({"gt.json": TRUTH}, ground_truth="gt.json")
    size = len(json.dumps(TRUTH))
    assert line.startswith(f"gt.json: the file holds {size} bytes; at most 100 are read as JSON;")


def test_faults_of_both_files_come_together_and_are_counted(faults: Faults) -> None:
    bad = [{**RESULTS[0], "score": 2} for _ in range(23)]
    bad[0] |= {"bbox": []}
    files = {"gt.json": changed("annotations.0.bbox", []), "det.json": bad}
    lines = faults(files, ground_truth="gt.json", predictions="det.json")
    assert [line.partition(";")[0] for line in lines] == [
        "gt.json: annotations[0] (id 0): field 'bbox': [] is no box",
        "det.json: [0]: field 'score': 2 is out of range",
        "det.json: [1]: field 'score': 2 is out of range",
        "det.json: field 'score': … and 21 more entries, in [2–22]",
        "det.json: [0]: field 'bbox': [] is no box",
    ]


def test_joining_by_file_needs_names(faults: Faults, coco: Coco) -> None:
    assert coco(TRUTH, join="file").join == "file"
    for value, words in ((..., "an image without file_name"), ("ten.jpg", "two images have the")):
        truth = changed("images.1.file_name", value)
        (line,) = faults({"gt.json": truth}, ground_truth="gt.json", join="file")
        assert line.startswith(f"gt.json: field 'images': {words}")
    assert coco(changed("images.1.file_name", ...)).files is None


def test_what_predictions_lack_and_repeat_is_noted(coco: Coco) -> None:
    made = coco(TRUTH, [*RESULTS, RESULTS[0]])
    assert "3 images, 3 classes" in made.notes
    assert "1 image without a box" in made.notes
    assert "1 image without a detection" in made.notes
    assert "crowd box: 1" in made.notes
    assert "1 detection repeating another one in every value" in made.notes
    assert made.predicted is not None
    assert len(made.predicted.ids) == 3


def test_records_digests_and_pins(read: Callable[..., Any], faults: Faults, tmp_path: Path) -> None:
    import hashlib

    files = {"gt.json": TRUTH, "det.json": RESULTS}
    made, records = read(
        files,
        ground_truth="gt.json",
        predictions="det.json",
        settings={"tool": "x", "confidence": 0.001},
    )
    digest = hashlib.sha256(json.dumps(RESULTS).encode()).hexdigest()
    assert [one.name for one in records] == [
        "detections.b.ground_truth",
        "detections.b.predictions",
    ]
    assert [one.rows for one in records] == [2, 2]
    assert records[1].sha256 == made.predictions_digest == digest
    assert (made.pins.tool, made.pins.confidence, made.pins.version) == ("x", 0.001, None)
    pinned = {"path": "gt.json", "sha256": "0" * 64}
    (line,) = faults(files, ground_truth=pinned)
    assert line.startswith("m.yaml:1: detections.b.ground_truth.sha256: gt.json has the SHA-256 ")
    (line,) = faults({}, ground_truth="none.json")
    assert line.startswith("m.yaml:1: detections.b.ground_truth: there is no file 'none.json'")
    (line,) = faults({"gt.csv": "a\n1\n"}, ground_truth="gt.csv")
    assert "'gt.csv' is a table whose columns are not named; say {path: …, columns:" in line


def test_other_forms_of_boxes(read: Callable[..., Any]) -> None:
    truth = changed("annotations.0.bbox", [0.1, 0.2, 0.3, 0.6])
    truth["annotations"].pop()
    given = {"path": "gt.json", "format": "xyxy", "normalised": True}
    made, _ = read({"gt.json": truth}, ground_truth=given)
    np.testing.assert_allclose(made.truth.xywh, [[4, 6, 8, 12]])  # of 40 × 30


def test_a_set_can_be_handed_to_another_process(coco: Coco) -> None:
    made = coco(TRUTH, RESULTS)
    again = pickle.loads(pickle.dumps(made))
    assert again.images.tolist() == made.images.tolist()
    assert again.notes == made.notes


def test_coco_100(coco: Coco, shared: Path) -> None:
    folder = shared / "data" / "integrity" / "coco100"
    made = coco(
        (folder / "ground_truth.json").read_bytes(), (folder / "detections.json").read_bytes()
    )
    assert made.predicted is not None
    counts = (len(made.images), len(made.categories), len(made.truth.ids), len(made.predicted.ids))
    assert counts == (100, 80, 839, 734)
    assert made.categories[:2] == ("person", "bicycle")
    assert not math.isnan(made.size.sum())
