"""The integrity sections of the example find what was planted, as counted by other means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import reportgen
from reportgen.demo import write_example

IMAGES, PIPELINE = "integrity-images", "integrity-pipeline"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_example(tmp_path_factory.mktemp("demo")).parent


@pytest.fixture(scope="module")
def results(example: Path) -> dict[str, Any]:
    manifest = reportgen.load_manifest(example / "manifest.yaml")
    data = reportgen.run(manifest, only=[IMAGES, PIPELINE]).data
    return dict(json.loads(json.dumps(data)))


def section(results: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one["result"] for one in results["sections"] if one["id"] == name)


@pytest.fixture(scope="module")
def images(results: dict[str, Any]) -> dict[str, Any]:
    return section(results, IMAGES)


@pytest.fixture(scope="module")
def pipeline(results: dict[str, Any]) -> dict[str, Any]:
    return section(results, PIPELINE)


def test_both_sections_say_that_defects_are_planted(
    images: dict[str, Any], pipeline: dict[str, Any]
) -> None:
    assert "Planted in test: six" in images["planted"]
    assert pipeline["planted"].startswith("Everything here is simulated")


def test_planted_copies_are_found_with_the_turn_they_were_given(images: dict[str, Any]) -> None:
    """Six turned, three paler, one exact; and the two that look alike, which are no copies."""
    rows = images["near_duplicates"]["rows"]
    assert sorted(row["symmetry"] for row in rows if row["symmetry"] != "identity") == [
        "flip_left_right",
        "flip_top_bottom",
        "rotate_180",
        "rotate_270",
        "rotate_90",
        "transpose",
    ]
    assert sum(row["symmetry"] == "identity" for row in rows) == 5
    test, valid = (
        next(row for row in images["near_duplicates"]["counts"] if row["twin_split"] == name)
        for name in ("test", "valid")
    )
    assert (test["k"], test["n"], valid["k"], valid["n"]) == (11, 52, 0, 27)
    (review,) = images["near_duplicates"]["reviewed"]
    assert (review["duplicates"], review["reviewed"]) == (10, 11)


def test_distances_are_those_of_the_pictures_as_they_are(
    images: dict[str, Any], example: Path
) -> None:
    """8 divides 32, so the distance of thumbnails is that of the pictures under the best turn."""
    for row in images["near_duplicates"]["rows"]:
        image, twin = (
            np.asarray(Image.open(example / "digits" / "images" / f"{row[one]}.png"), dtype=float)
            for one in ("image", "twin")
        )
        turned = [np.rot90(one, at) for one in (twin, twin.T) for at in range(4)]
        nearest = min(np.sqrt(np.mean((image - one) ** 2)) for one in turned)
        assert row["rms"] == pytest.approx(nearest, abs=1e-6)


def test_wdct_says_that_digits_are_too_small_for_it(results: dict[str, Any]) -> None:
    (said,) = (one for one in results["findings"] if one["id"].startswith(f"{IMAGES}/INT-003"))
    assert said["statement"].startswith("Not testable")
    assert "199 with a side under 64 px" in said["statement"]


def test_shared_sources_conflict_and_absent_class_are_found(images: dict[str, Any]) -> None:
    shared = {
        (row["by"], row["twin_split"]): (row["k"], row["n"])
        for row in images["leakage"]["rows"]
        if row["of"] == "all"
    }
    assert shared["source", "test"] == (5, 54)
    assert shared["source", "valid"] == (0, 27)
    assert shared["content", "test"] == (1, 53)
    (conflict,) = images["leakage"]["conflicts"]
    assert sorted(conflict["labels"]) == ["3", "8"]
    absent = {row["split"]: row["absent"] for row in images["leakage"]["splits"]}
    assert absent == {"train": [], "valid": ["9"], "test": []}
    (agreement,) = images["label_agreement"]["rows"]
    assert (agreement["k"], agreement["n"]) == (10, 11)


def test_class_map_is_found_and_quantified(pipeline: dict[str, Any], example: Path) -> None:
    """Wrong names are counted by joining the tables."""
    found = pipeline["class_map"]
    assert [row["same"] for row in found["rows"]] == [False, False, True, False, False]
    assert {row["copy"]: row["affected"] for row in found["copies"]} == {
        "kiosk": True,
        "web": False,
    }
    shown = pd.read_csv(example / "pipeline" / "displayed.csv").merge(
        pd.read_csv(example / "pipeline" / "predictions.csv"), on=["detection", "image"]
    )
    shown["wrong"] = shown["name"].str.lower() != shown["class"]
    by_image = shown.groupby("image")["wrong"]
    counts = {row["of"]: (row["k"], row["n"]) for row in found["wrong"]}
    assert counts["findings"] == (shown["wrong"].sum(), len(shown))
    assert counts["images"] == (by_image.all().sum(), 160)
    assert counts["images with any"] == (by_image.any().sum(), 160)


def test_thresholds_of_the_wrong_name_are_counted(pipeline: dict[str, Any], example: Path) -> None:
    classes = pd.read_csv(example / "pipeline" / "class_map.csv").set_index("model")
    own = classes.assign(name=classes["displayed"].str.lower()).set_index("name")["threshold"]
    found = pd.read_csv(example / "pipeline" / "predictions.csv")
    used, meant = found["class"].map(classes["threshold"]), found["class"].map(own)
    rows = pipeline["class_map"]["threshold_by_wrong_name"]
    shown = (found["score"] >= used) & (found["score"] < meant)
    hidden = (found["score"] < used) & (found["score"] >= meant)
    assert sum(row["wrongly_shown"] for row in rows) == shown.sum() > 0
    assert sum(row["wrongly_hidden"] for row in rows) == hidden.sum() > 0


def test_gate_that_stops_a_class_is_found(pipeline: dict[str, Any], example: Path) -> None:
    gates = pd.read_csv(example / "pipeline" / "gates.csv")
    stopped = set(gates.loc[gates["accepted"] == 0, "image"])
    truth = json.loads((example / "pipeline" / "truth.json").read_text())
    at = next(one["id"] for one in truth["categories"] if one["name"] == "pneumothorax")
    ill = {one["image_id"] for one in truth["annotations"] if one["category_id"] == at}
    row = next(
        one
        for one in pipeline["pipeline"]["gates"]
        if (one["class"], one["gate"]) == ("pneumothorax", "all gates")
    )
    assert (row["rejected"], row["n"]) == (len(ill & stopped), len(ill))


def test_classifier_head_and_claims_are_what_they_are(pipeline: dict[str, Any]) -> None:
    (row,) = pipeline["classifier"]["rows"]
    assert (row["n_called_positive"], row["n"], row["mcc"]["estimate"]) == (160, 160, None)
    (head,) = pipeline["counting_heads"]["rows"]
    assert head["share_zero"]["estimate"] == 1
    claims = {one["metric"]: one for one in pipeline["claims"]["rows"]}
    assert {name: one["agrees"] for name, one in claims.items()} == {
        "map50": True,
        "auc": False,
        "specificity": False,
    }
    assert claims["specificity"]["possible"] is False
    missing = [one["setting"] for one in pipeline["evaluator"]["pins"] if one["value"] is None]
    assert missing == ["max_detections"]


def test_declared_duplicates_leave_the_evaluation(pipeline: dict[str, Any]) -> None:
    """The planted difference is small: nothing is claimed, and what could be seen is stated."""
    removal = pipeline["removal_effect"]
    assert (removal["duplicates"], removal["images"], removal["controls"]) == (24, 160, 1000)
    for row in removal["rows"][:2]:
        assert not row["detected"]
        assert row["minimum_detectable_effect"] > 0
