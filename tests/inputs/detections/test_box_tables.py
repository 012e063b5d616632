"""Tables of boxes: forms of boxes, sizes, what a table cannot list, and every mistake's place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

COLUMNS = {"image": "f", "class": "c", "x": "x", "y": "y", "w": "w", "h": "h"}
SCORED = {**COLUMNS, "score": "s"}
TRUTH = "f,c,x,y,w,h\n10,b,1,2,3,4\n9,a,0,0,5,5\n9,a,1,1,2,2\n"
FOUND = "f,c,s,x,y,w,h\n9,a,.5,1,1,2,2\n"
Read = Callable[..., Any]
Faults = Callable[..., list[str]]


def table(path: str = "t.csv", columns: dict[str, str] = COLUMNS, **more: Any) -> dict[str, Any]:
    return {"path": path, "columns": columns, **more}


def test_images_and_classes_are_those_with_boxes(read: Read) -> None:
    made, (record,) = read({"t.csv": TRUTH}, ground_truth=table())
    assert made.images.tolist() == ["9", "10"]
    assert made.categories == made.category_ids == ("a", "b")
    assert made.truth.image.tolist() == [1, 0, 0]
    assert made.truth.ids.tolist() == ["1", "2", "3"]
    assert made.truth.area.tolist() == [12, 25, 4]
    assert made.files is None
    assert np.isnan(made.size).all()
    assert record.columns == ("f", "c", "x", "y", "w", "h")


def test_ids_are_text(read: Read) -> None:
    text = "f,c,x,y,w,h\n0012,a,1,2,3,4\n12,a,1,2,3,4\n12.0,a,1,2,3,4\n1E3,a,1,2,3,4\n"
    made, _ = read({"t.csv": text}, ground_truth=table(), join="file")
    assert sorted(made.images.tolist()) == ["0012", "12", "12.0", "1E3"]
    assert made.files.tolist() == made.images.tolist()


@pytest.mark.parametrize(
    ("form", "box", "normalised", "size"),
    [
        ("xywh", "10,20,30,40", False, None),
        ("xyxy", "10,20,40,60", False, None),
        ("cxcywh", "25,40,30,40", False, None),
        ("xywh", "0.1,0.1,0.3,0.2", True, [100, 200]),
        ("xyxy", "0.1,0.1,0.4,0.3", True, [100, 200]),
        ("cxcywh", "0.25,0.2,0.3,0.2", True, [100, 200]),
    ],
)
def test_forms_of_boxes(
    read: Read, form: str, box: str, normalised: bool, size: list[float] | None
) -> None:
    given = table(format=form, normalised=normalised, size=size)
    made, _ = read({"t.csv": f"f,c,x,y,w,h\ni,a,{box}\n"}, ground_truth=given)
    np.testing.assert_allclose(made.truth.xywh, [[10, 20, 30, 40]], rtol=1e-12)
    np.testing.assert_allclose(made.truth.area, [1200], rtol=1e-12)


def test_sizes_by_column_and_normalised_predictions(read: Read) -> None:
    sized = {**COLUMNS, "width": "iw", "height": "ih"}
    truth = "f,c,x,y,w,h,iw,ih\ni,a,1,2,3,4,100,50\nj,a,1,2,3,4,,\ni,a,1,2,3,4,100,50\n"
    found = "f,c,s,x,y,w,h\ni,a,.5,.1,.2,.3,.4\n"
    made, _ = read(
        {"t.csv": truth, "d.csv": found},
        ground_truth=table(columns=sized),
        predictions=table("d.csv", SCORED, normalised=True, size=[640, 640]),
    )
    # The ground truth's own size stands; what it lacks comes from the predictions.
    np.testing.assert_array_equal(made.size, [[100, 50], [640, 640]])
    np.testing.assert_allclose(made.predicted.xywh, [[10, 10, 30, 20]])


def test_flags_and_polygons(read: Read) -> None:
    text = "f,c,x,y,w,h,crowd,hard,form\n" + "".join(
        f"i,a,1,2,3,4,{crowd},{hard},{form}\n"
        for crowd, hard, form in (("1", "no", "box"), ("0", "Yes", "polygon"), ("FALSE", "0", "?"))
    )
    columns = {**COLUMNS, "crowd": "crowd", "ignore": "hard", "polygon": "form"}
    made, _ = read({"t.csv": text}, ground_truth=table(columns=columns, polygons=["polygon"]))
    assert made.truth.crowd.tolist() == [True, False, False]
    assert made.truth.ignore.tolist() == [False, True, False]
    assert made.truth.polygon.tolist() == [False, True, False]
    assert "crowd box: 1" in made.notes
    assert "box to be ignored: 1" in made.notes


def test_parquet_and_semicolons(read: Read, tmp_path: Path) -> None:
    frame = pd.DataFrame({"f": [7, 8], "c": ["a", "b"], "x": 1.5, "y": 2, "w": 3, "h": 4})
    frame.to_parquet(tmp_path / "t.parquet")
    made, _ = read({}, ground_truth=table("t.parquet"))
    assert made.images.tolist() == ["7", "8"]
    text = "f;c;x;y;w;h\n7;a;1,5;2;3;4\n"
    reading = {"delimiter": ";", "decimal": ","}
    made, _ = read({"t.csv": text}, ground_truth=table(read=reading))
    assert made.truth.xywh.tolist() == [[1.5, 2, 3, 4]]


def test_what_a_table_cannot_list_is_added_and_said(read: Read) -> None:
    found = FOUND + "11,a,.4,1,1,2,2\n9,z,.3,1,1,2,2\n"
    made, records = read(
        {"t.csv": TRUTH, "d.csv": found},
        ground_truth=table(),
        predictions=table("d.csv", SCORED),
    )
    assert made.images.tolist() == ["9", "10", "11"]
    assert made.categories == ("a", "b", "z")
    assert made.truth.image.tolist() == [1, 0, 0]
    assert made.predicted.image.tolist() == [0, 2, 0]
    assert made.predicted.category.tolist() == [0, 0, 2]
    assert "1 image with detections and without a box of ground truth: '11'" in records[1].notes
    assert "1 class label with detections and without a box of ground truth: 'z'" in made.notes


def test_tables_and_coco_meet_by_text(read: Read, faults: Faults) -> None:
    truth: dict[str, Any] = {
        "images": [{"id": 9, "file_name": "nine.jpg"}, {"id": 10, "file_name": "ten.jpg"}],
        "categories": [{"id": 3, "name": "a"}, {"id": 4, "name": "b"}],
        "annotations": [],
    }
    files: dict[str, Any] = {"gt.json": truth, "d.csv": FOUND}
    predictions = table("d.csv", SCORED)
    by_name, _ = read(files, ground_truth="gt.json", predictions=predictions)
    assert by_name.predicted.image.tolist() == [0]
    assert by_name.predicted.category.tolist() == [0]
    files["d.csv"] = FOUND.replace("9,a", "ten.jpg,4")
    by_file, _ = read(files, ground_truth="gt.json", predictions=predictions, join="file")
    assert by_file.predicted.image.tolist() == [1]
    assert by_file.predicted.category.tolist() == [1]
    files["d.csv"] = FOUND + "8,a,.5,1,1,2,2\n9,c,.5,1,1,2,2\n"
    lines = faults(files, ground_truth="gt.json", predictions=predictions)
    assert [line.partition(";")[0] for line in lines] == [
        "d.csv:3: '8' is no image of the ground truth",
        "d.csv:4: 'c' is no class of the ground truth",
    ]
    results = [{"image_id": 9, "category_id": 3, "bbox": [1, 2, 3, 4], "score": 0.5}]
    files = {"t.csv": TRUTH, "det.json": results}
    (line,) = faults(files, ground_truth=table(), predictions="det.json")
    assert line.startswith("det.json: no class of these predictions is in the ground truth: '3';")


def test_none_of_the_images_is_known(faults: Faults) -> None:
    files = {"t.csv": TRUTH, "d.csv": FOUND.replace("9,a", "9.jpg,a")}
    (line,) = faults(files, ground_truth=table(), predictions=table("d.csv", SCORED))
    assert line == (
        "d.csv: no image of these predictions is in the ground truth: '9.jpg'; "
        "name them as there: '9', '10'"
    )


@pytest.mark.parametrize(
    ("text", "more", "words"),
    [
        (TRUTH.replace("9,a,0", "9,,0"), {}, "t.csv:3: column 'c': the cell is empty; fill it in"),
        (TRUTH.replace("9,a,0", ",a,0"), {}, "t.csv:3: column 'f': the cell is empty; fill it in"),
        (TRUTH.replace("5,5", "5,"), {}, "t.csv:3: column 'h': the cell is empty; fill it in"),
        (TRUTH.replace("5,5", "x,5"), {}, "t.csv:3: column 'w': 'x' is no finite decimal number"),
        (TRUTH.replace("5,5", "nan,5"), {}, "t.csv:3: column 'w': 'nan' is no finite decimal"),
        (TRUTH, {"normalised": True}, "t.csv:2: the box is normalised and the size of image '10' "),
        (TRUTH, {"size": [640, 0]}, "t.csv: the declared size [640.0, 0.0] is no size;"),
        (TRUTH, {"sha256": "0" * 64}, "b.ground_truth.sha256: t.csv has the SHA-256 "),
        (TRUTH, {"columns": {**COLUMNS, "x": "X"}}, "columns.x: t.csv has no column 'X'; did you"),
        (TRUTH, {"columns": SCORED}, "columns.score: ground truth has no score; delete this key"),
        (
            TRUTH,
            {"columns": {**COLUMNS, "crowd": "w"}},
            "t.csv:2: column 'w': '3' is neither yes nor no; write 1 or 0, true or false",
        ),
        (
            "f,c,x,y,w,h,i\n1,a,1,2,3,4,k\n1,a,1,2,3,4,k\n",
            {"columns": {**COLUMNS, "id": "i"}},
            "t.csv:3: column 'i': 'k' stands in line 2 already; give every box an id of its own",
        ),
        (
            "f,c,x,y,w,h,W,H\n1,a,1,2,3,4,9,9\n1,a,1,2,3,4,9,8\n",
            {"columns": {**COLUMNS, "width": "W", "height": "H"}},
            "t.csv:3: 9 × 8, in a row above 9 × 9 for the same image; an image has one size",
        ),
        (
            "f,c,x,y,w,h,W,H\n1,a,1,2,3,4,0,9\n",
            {"columns": {**COLUMNS, "width": "W", "height": "H"}},
            "t.csv:2: column 'W': 0 is no size; write pixels",
        ),
    ],
)
def test_mistakes_of_a_table(faults: Faults, text: str, more: dict[str, Any], words: str) -> None:
    lines = faults({"t.csv": text}, ground_truth=table(**more))
    assert words in lines[0]


@pytest.mark.parametrize(
    ("score", "words"),
    [
        ("1.01", "d.csv:2: column 's': 1.01 is out of range; write a number from 0 to 1"),
        ("-1", "d.csv:2: column 's': -1 is out of range"),
        ("NaN", "d.csv:2: column 's': 'NaN' is no finite decimal number"),
        ("", "d.csv:2: column 's': the cell is empty"),
    ],
)
def test_scores(faults: Faults, score: str, words: str) -> None:
    files = {"t.csv": TRUTH, "d.csv": FOUND.replace(".5", score)}
    (line,) = faults(files, ground_truth=table(), predictions=table("d.csv", SCORED))
    assert line.startswith(words)


def test_predictions_need_a_score(faults: Faults) -> None:
    files = {"t.csv": TRUTH, "d.csv": TRUTH}
    (line,) = faults(files, ground_truth=table(), predictions=table("d.csv"))
    assert line == (
        "m.yaml:1: detections.b.predictions.columns: predictions need a score; "
        "name the column of their confidence: score: …"
    )


def test_predictions_in_pixels_of_another_size(faults: Faults) -> None:
    files = {"t.csv": TRUTH, "d.csv": FOUND}
    (line,) = faults(
        files,
        ground_truth=table(size=[160, 160]),
        predictions=table("d.csv", SCORED, size=[640, 640]),
    )
    assert line == (
        "d.csv: 2 images of another size than in the ground truth: '9' is 640 × 640 here, "
        "160 × 160 there; give both in pixels of one size, or normalised: true"
    )


def test_real_tables(read: Read, shared: Path) -> None:
    folder = shared / "data" / "integrity"
    named = {"image": "image", "class": "class", "x": "x", "y": "y", "w": "w", "h": "h"}
    files = {
        "gt.csv": (folder / "voc7" / "ground_truth.csv").read_bytes(),
        "det.csv": (folder / "voc7" / "detections.csv").read_bytes(),
    }
    voc, _ = read(
        files,
        ground_truth=table("gt.csv", named),
        predictions=table("det.csv", {**named, "score": "score"}),
    )
    assert (len(voc.images), len(voc.truth.ids), len(voc.predicted.ids)) == (7, 15, 24)
    assert voc.images[0] == "00001"
    named = {**named, "image": "file", "class": "class_name", "polygon": "label_form"}
    files = {"b.csv": (folder / "oscc400" / "boxes.csv").read_bytes()}
    given = table("b.csv", named, polygons=["polygon"], size=[640, 640])
    oscc, _ = read(files, ground_truth=given, join="file")
    # 544 images, 18 of them without a box (README of the data).
    assert (len(oscc.images), len(oscc.truth.ids), len(oscc.categories)) == (544 - 18, 4470, 3)
    lines = files["b.csv"].decode().splitlines()[1:]
    assert oscc.truth.polygon.sum() == sum(",polygon," in line for line in lines)


def test_the_published_coco_table_leaves_its_pictures(read: Read, shared: Path) -> None:
    folder = shared / "data" / "integrity" / "oscc400"
    named = {
        "image": "file", "class": "category_name", "x": "x", "y": "y", "w": "w", "h": "h",
        "width": "image_width", "height": "image_height",
    }  # fmt: skip
    files = {"b.csv": (folder / "boxes_as_published_coco.csv").read_bytes()}
    made, _ = read(files, ground_truth=table("b.csv", named), join="file")
    x, y, w, h = made.truth.xywh.T
    width, height = made.size[made.truth.image].T
    outside = (x < -0.5) | (y < -0.5) | (x + w > width + 0.5) | (y + h > height + 0.5)
    assert len(x) == 4470
    assert int(outside.sum()) == 2011
    assert int(((w <= 0) | (h <= 0)).sum()) == 5


def test_columns_of_a_type_that_does_not_fit(faults: Faults, tmp_path: Path) -> None:
    frame = pd.DataFrame({"f": [[7]], "c": ["a"], "x": [[1]], "y": [2], "w": [3], "h": [4]})
    frame.to_parquet(tmp_path / "t.parquet")
    lines = faults({}, ground_truth=table("t.parquet"))
    assert [line.partition(": it holds")[0] for line in lines] == [
        "t.parquet: column 'f'",
        "t.parquet: column 'x'",
    ]
    assert lines[0].endswith("not text; export it as text")
