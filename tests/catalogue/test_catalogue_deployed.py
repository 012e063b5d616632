"""Pipeline and benchmark: catalogue D111–D114."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.catalogue import (
    Bench,
    Case,
    Cases,
    Dossier,
    classifier,
    columns,
    label,
)

case = Cases()

BOX = [10, 10, 50, 50]


def coco(names: list[str], kinds: list[int]) -> dict[str, Any]:
    """Return ground truth of one box an image; the category of each image is given."""
    return {
        "images": [{"id": f"i{at:02d}", "width": 100, "height": 100} for at in range(len(kinds))],
        "categories": [{"id": at, "name": name} for at, name in enumerate(names)],
        "annotations": [
            {"id": at, "image_id": f"i{at:02d}", "category_id": kind, "bbox": BOX, "area": 2500}
            for at, kind in enumerate(kinds)
        ],
    }


@case("D111")
def classes_in_another_order(bench: Bench) -> None:
    names = ["1", "2", "10"]
    bench.write("gt.json", json.dumps(coco(names, [0, 1, 2, 1, 2, 0])))
    bench.write(
        "det.json",
        json.dumps(
            [
                {"image_id": f"i{at:02d}", "category_id": kind, "bbox": BOX, "score": 0.9}
                for at, kind in enumerate([0, 1, 2, 1, 2, 0])
            ]
        ),
    )
    # The application sorted the folders as text: 1, 10, 2.
    bench.write("map.csv", "index,model,shown\n0,1,1\n1,2,10\n2,10,2\n")
    word = {0: "1", 1: "10", 2: "2"}
    shown = [f"i{at:02d},{at + 1},{word[kind]}" for at, kind in enumerate([0, 1, 2, 1, 2, 0])]
    bench.write("shown.csv", "image,detection,name\n" + "\n".join(shown) + "\n")
    bench.manifest(
        {"kind": "integrity", "detections": "boxes", "class_map": "app", "pipeline": "app"},
        detections={"boxes": {"ground_truth": "gt.json", "predictions": "det.json"}},
        class_maps={
            "app": {
                "path": "map.csv",
                "columns": {"index": "index", "model": "model", "shown": "shown"},
                "artefacts": [
                    {"name": "checkpoint", "classes": names},
                    {"name": "data", "classes": ["1", "10", "2"]},
                    {"name": "test folders", "classes": ["1", "2"]},
                ],
            }
        },
        pipelines={
            "app": {
                "shown": {
                    "path": "shown.csv",
                    "columns": {"image": "image", "detection": "detection", "name": "name"},
                }
            }
        },
    )
    dossier = bench.build()
    dossier.warns("INT-041", "data")
    dossier.warns("INT-040", "test folders")
    dossier.warns("INT-075", "2 of 3")
    # Four of six findings bear the name of another class.
    wrong = {row["of"]: row for row in dossier.result("integrity")["class_map"]["wrong"]}
    (findings,) = [row for of, row in wrong.items() if "finding" in of]
    assert (findings["k"], findings["n"]) == (4, 6)
    dossier.warns("INT-076", "4 of 6")


def rejected(bench: Bench) -> Dossier:
    bench.write("gt.json", json.dumps(coco(["ulcer"], [0] * 40)))
    gates = [f"i{at:02d},{'0' if at >= 30 else '1'}" for at in range(40)]
    bench.write("gates.csv", "image,accepted\n" + "\n".join(gates) + "\n")
    shown = [f"i{at:02d},ulcer" for at in range(27)]
    bench.write("shown.csv", "image,name\n" + "\n".join(shown) + "\n")
    bench.manifest(
        {"kind": "integrity", "detections": "boxes", "pipeline": "app"},
        detections={"boxes": {"ground_truth": "gt.json"}},
        pipelines={
            "app": {
                "gates": {
                    "path": "gates.csv",
                    "columns": {"image": "image", "accepted": "accepted"},
                },
                "shown": {"path": "shown.csv", "columns": {"image": "image", "name": "name"}},
            }
        },
    )
    return bench.build()


@case("D112")
def images_that_a_router_stops(bench: Bench) -> None:
    dossier = rejected(bench)
    rows = [
        row for row in dossier.result("integrity")["pipeline"]["rows"] if row["class"] == "ulcer"
    ]
    assert (rows[0]["n"], rows[0]["rightly_named"]) == (40, 27)
    assert rows[0]["image_sensitivity"]["estimate"] == pytest.approx(0.675)
    found = dossier.warns("INT-070", "10 of 40")
    assert "no negative finding" in found["limits"]
    dossier.shows("27", "no negative finding", part="section-integrity")


@case("D113")
def all_called_positive(bench: Bench) -> None:
    bench.table(
        columns(y=[1] * 9 + [0], p=[0.9, 0.8] * 5),
        classifier(),
        label=label(),
        scores={"s": "p"},
    )
    dossier = bench.build()
    row = dossier.row("integrity", "classifier.rows", split="all")
    assert row["accuracy"]["estimate"] == pytest.approx(0.9)
    assert row["base_rate"] == pytest.approx(0.9) or row["base_rate"]["estimate"] == pytest.approx(
        0.9
    )
    assert (row["specificity"]["estimate"], row["specificity"]["low"]) == (0, 0)
    assert row["specificity"]["high"] == pytest.approx(0.975)
    assert row["mcc"]["estimate"] is None
    dossier.warns("INT-060", "All 10 rows are called positive")
    dossier.warns("INT-061", "exactly as many")
    dossier.warns("INT-063", "MCC is undefined")


@case("D114")
def the_same_day_is_no_overlap(bench: Bench) -> None:
    def built(days: list[str]) -> Dossier:
        from PIL import Image

        from tests.support.integrity_images import texture

        lines = []
        for at, (split, day) in enumerate(
            zip(("train", "train", "test", "test"), days, strict=True)
        ):
            Image.fromarray(texture(at)).save(bench.folder / f"{at}.png")
            lines.append(f"{at}.png,{split},{day}")
        bench.write("images.csv", "file,split,day\n" + "\n".join(lines) + "\n")
        bench.manifest(
            {
                "kind": "integrity",
                "images": "scans",
                "leakage": {"by": ["date"], "between": [["train", "test"]]},
            },
            images={
                "scans": {
                    "path": "images.csv",
                    "columns": {"file": "file", "split": "split", "acquired": "day"},
                }
            },
        )
        return bench.build()

    equal = built(["2024-05-01", "2024-05-06", "2024-05-06", "2024-05-07"])
    row = equal.row("integrity", "leakage.rows", by="date", of="all")
    assert (row["k"], row["n"]) == (0, 2)
    early = built(["2024-05-01", "2024-05-06", "2024-05-05", "2024-05-07"])
    row = early.row("integrity", "leakage.rows", by="date", of="all")
    assert (row["k"], row["n"]) == (1, 2)
    assert row["share"]["estimate"] == 0.5
    early.warns("INT-019", "1 of 2 (50.0")


@case.parametrize()
def test_catalogue(case: Case, bench: Bench) -> None:
    case(bench)
