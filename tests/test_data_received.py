"""The page "Data received": what every input is like, told before any figure rests on it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from reportgen.render.pages.data_received import distinguished
from tests.support.bare_pages import without_charts, without_fonts
from tests.support.catalogue import Bench, Dossier
from tests.support.integrity_images import texture

PART = "data-received"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """Return an empty folder with the command line, which works in it."""
    monkeypatch.chdir(tmp_path)
    without_fonts(monkeypatch)
    without_charts(monkeypatch)
    return Bench(tmp_path, monkeypatch)


def test_spellings_of_a_split_are_told_in_the_section_on_the_images(bench: Bench) -> None:
    for at, split in enumerate(("train", "train", "Train", "test")):
        Image.fromarray(texture(at)).save(bench.folder / f"{split}-{at}.png")
    bench.write(
        "images.csv",
        "file,part,ward\ntrain-0.png,train,A\ntrain-1.png,train,a\nTrain-2.png,Train,\n"
        "test-3.png,test,B\n",
    )
    columns = {"file": "file", "split": "part", "site": "ward"}
    bench.manifest(
        {"kind": "integrity", "images": "scans", "near_duplicates": {"pictures": "ids"}},
        images={"scans": {"path": "images.csv", "columns": columns}},
    )
    dossier = bench.build()
    dossier.warns("RUN-004", "spelling variants in part", "'Train' / 'train'", "'A' / 'a'")
    dossier.shows("spelling variants in ward, kept apart: 'A' / 'a'", part=PART)


def table_of(dossier: Dossier, name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV file of the page."""
    with (dossier.folder / "tables" / f"{PART}-{name}.csv").open(encoding="utf-8-sig") as lines:
        return list(csv.DictReader(lines))


def built(bench: Bench, header: str, rows: list[str], **keys: Any) -> Dossier:
    """Return the dossier of a decision curve on a table with the columns y, s and more."""
    content = "".join(f"{line}\n" for line in (header, *rows))
    declared = {"label": {"column": "y", "positive": 1}, "scores": {"s": "s"}, **keys}
    section = {"kind": "dca", "table": "t", "thresholds": {"from": 0.1, "to": 0.5, "step": 0.1}}
    bench.table(content, section, **declared)
    return bench.build()


def test_groups_that_differ_in_blanks_alone_are_told_apart(bench: Bench) -> None:
    cells = ["F", " F", "f ", "(missing)", "", "E\u0301", "\xc9", "X"]
    rows = [f"{at % 2},0.{at + 1},{cell}" for at, cell in enumerate(cells)]
    dossier = built(bench, "y,s,sex", rows, groups=["sex"])
    for told in ("“F”", "“\N{NO-BREAK SPACE}F”", "“(missing)”", r"“E\u0301”"):
        assert told in dossier.html
    names = distinguished([*(cell for cell in cells if cell), None], "(missing)")
    assert len(set(names.values())) == len(names)
    assert (names["X"], names["f "], names[None]) == ("X", "f ", "(missing)")
    assert {row["group"] for row in table_of(dossier, "groups")} == set(cells)


def test_columns_without_a_role_stand_on_the_page_where_they_have_gaps(bench: Bench) -> None:
    rows = [f"{at % 2},0.{at + 1},{'n' if at else ''},x,2024-0{at + 1}-01" for at in range(6)]
    dossier = built(bench, "y,s,note,whole,seen", rows)
    shown = dossier.part(PART)
    assert "note no role 1 – – –" in shown
    assert "whole" not in shown
    assert "Not shown: 2 features and other columns, complete." in shown
    assert "Dates in seen: 2024-01-01 to 2024-06-01." in shown
    assert [
        (row["column"], row["role"], row["missing"], row["first"], row["last"])
        for row in table_of(dossier, "columns")
    ] == [
        ("y", "label", "0", "", ""),
        ("s", "score", "0", "", ""),
        ("note", "no role", "1", "", ""),
        ("whole", "no role", "0", "", ""),
        ("seen", "no role", "0", "2024-01-01", "2024-06-01"),
    ]


def test_of_many_columns_the_page_names_forty_and_the_file_all(bench: Bench) -> None:
    names = [f"c{at}" for at in range(60)]
    rows = [f"{at % 2},0.{at + 1}" + "," * 60 for at in range(4)]
    dossier = built(bench, ",".join(["y", "s", *names]), rows)
    assert "Shown: 40 of 62 columns, those with missing values first." in dossier.part(PART)
    assert "c39 no role 4" in dossier.part(PART)
    assert "c40" not in dossier.part(PART)
    assert len(table_of(dossier, "columns")) == 62


def test_units_in_several_groups_say_of_which_rows(bench: Bench) -> None:
    rows = ["1,0.9,p1,a", "0,0.2,p1,b", "1,,p2,a", "0,0.3,p2,b", "0,0.4,p3,a", "1,0.8,p3,"]
    dossier = built(bench, "y,s,patient,sex", rows, unit="patient", groups=["sex"])
    # p3 has one row in a named group; of p2 one row is read.
    dossier.shows("of all rows, 2 units have some in several named groups of sex", part=PART)
    dossier.shows("Rows a unit, of all: 3 units, 3 with several; median 2, most 2.", part=PART)
    dossier.shows("units, of the rows read", part=PART)


def test_boxes_have_the_whole_list_too(bench: Bench) -> None:
    truth = {
        "images": [{"id": at, "width": 100, "height": 100} for at in (1, 2, 3)],
        "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "A"}],
        "annotations": [
            {"id": at, "image_id": image, "category_id": 1, "bbox": box, "area": 25, "iscrowd": 0}
            for at, image, box in (
                (1, 1, [1, 1, 5, 5]),
                (2, 2, [1, 1, 5, 5]),
                (99, 1, [1, 1, 5, 5]),
            )
        ],
    }
    found = [
        {"image_id": image, "category_id": 2, "bbox": [1, 1, 5, 5], "score": score}
        for image, score in ((1, 0.25), (2, 0.25), (2, 0.75))
    ]
    bench.write("truth.json", json.dumps(truth))
    bench.write("found.json", json.dumps(found))
    bench.manifest(
        {"kind": "integrity", "detections": "d", "label_geometry": True},
        detections={"d": {"ground_truth": "truth.json", "predictions": "found.json"}},
    )
    dossier = bench.build()
    first, second = dossier.data["inputs"]
    assert (first["read"], first["units"], second["read"], second["units"]) == (3, 2, 3, 2)
    assert (first["quality"]["repeats"], second["quality"]["repeats"]) == (1, 0)
    columns = table_of(dossier, "columns")
    (scores,) = [row for row in columns if row["role"] == "score"]
    assert [scores[key] for key in ("missing", "distinct", "low", "high")] == [
        "0", "2", "0.25", "0.75"
    ]  # fmt: skip
    sizes = [(row["group"], row["rows"], row["units"]) for row in table_of(dossier, "groups")]
    assert sizes == [("a", "3", "2"), ("A", "0", "0"), ("a", "0", "0"), ("A", "3", "2")]
    dossier.shows("1 box repeating another one in image, class and place", part=PART)
    dossier.shows("spelling variants in class, kept apart: 'A' / 'a'", part=PART)
    dossier.warns("RUN-004", "spelling variants in class")
