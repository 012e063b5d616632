"""Weights for images, against pycocotools on images that are really repeated or left out."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from reportgen.stats.detection import (
    Matches,
    WeightedFigures,
    WeightedStudy,
    ap_table,
    match,
    weighted_ap,
    weighted_study,
)
from reportgen.stats.detection.compiled import compiled_kernel, fill_cells
from reportgen.stats.detection.weighted import cell_ap
from tests.stats.detection.conftest import Judge
from tests.support.detection import (
    CocoFiles,
    Columns,
    class_ap,
    coco_data,
    columns,
    made_up,
    repeated,
)

N_IMAGES, N_CLASSES = 40, 4


def some_boxes(seed: int) -> tuple[Columns, Columns]:
    """Return boxes, a few of them crowds, and detections with distinct scores."""
    rng = np.random.default_rng(seed)
    truth, seen = made_up(rng, n_images=N_IMAGES, n_boxes=200, n_classes=N_CLASSES)
    crowd = rng.random(len(truth.image)) < 0.1
    return columns(truth.image, truth.category, truth.xywh, crowd=crowd), seen


def some_study(seed: int = 0) -> WeightedStudy:
    return weighted_study(match(*some_boxes(seed), n_images=N_IMAGES, n_classes=N_CLASSES))


@pytest.mark.parametrize("seed", range(6))
def test_weights_equal_pycocotools_on_repeated_images(pycocotools: Judge, seed: int) -> None:
    truth, seen = some_boxes(seed)
    matches = match(truth, seen, n_images=N_IMAGES, n_classes=N_CLASSES)
    times = np.random.default_rng(seed).multinomial(N_IMAGES, np.ones(N_IMAGES) / N_IMAGES)
    assert times.max() > 1
    assert times.min() == 0
    figures = weighted_ap(weighted_study(matches), times)
    data = coco_data(
        repeated(truth, times), repeated(seen, times), n_images=N_IMAGES, n_classes=N_CLASSES
    )
    result = pycocotools(*data)
    theirs = class_ap(result)
    np.testing.assert_allclose(figures.ap50[0], theirs[0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(figures.ap75[0], theirs[5], rtol=0, atol=1e-12)
    np.testing.assert_allclose(figures.ap50_95[0], theirs.mean(axis=0), rtol=0, atol=1e-12)
    ours = [figures.map50_95[0], figures.map50[0], figures.map75[0]]
    np.testing.assert_allclose(ours, result.stats[:3], rtol=0, atol=1e-12)
    recall = result.eval["recall"][0, :, 0, -1]
    np.testing.assert_allclose(figures.recall[0], recall, rtol=0, atol=1e-12)


def test_coco100_repeated_equals_pycocotools(coco100: CocoFiles, pycocotools: Judge) -> None:
    seen = coco100.detections
    assert seen.score is not None
    apart = columns(
        seen.image, seen.category, seen.xywh, score=seen.score + 1e-9 * np.arange(len(seen.score))
    )
    study = weighted_study(match(coco100.truth, apart, n_images=100, n_classes=80))
    times = np.random.default_rng(7).multinomial(100, np.ones(100) / 100)
    data = coco_data(
        repeated(coco100.truth, times), repeated(apart, times), n_images=100, n_classes=80
    )
    result = pycocotools(*data)
    figures = weighted_ap(study, times)
    ours = [figures.map50_95[0], figures.map50[0], figures.map75[0]]
    np.testing.assert_allclose(ours, result.stats[:3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(figures.ap50[0], class_ap(result)[0], rtol=0, atol=1e-12)


def test_a_subset_of_coco100_is_as_in_the_reference(
    coco100: CocoFiles, coco100_matches: Matches, reference: dict[str, Any], pycocotools: Judge
) -> None:
    kept = np.arange(coco100.n_images) % 3 != 0
    figures = weighted_ap(weighted_study(coco100_matches), kept)
    expected = reference["coco100"]["subset_position_mod3_nonzero"]
    assert kept.sum() == expected["images"]
    assert figures.map50[0] == pytest.approx(expected["AP50"], abs=5e-10)
    assert figures.map50_95[0] == pytest.approx(expected["AP"], abs=5e-10)
    ids = np.array(sorted(each["id"] for each in coco100.truth_data["images"]))[kept]
    result = pycocotools(coco100.truth_data, coco100.detections_data, images=ids.tolist())
    assert figures.map50_95[0] == pytest.approx(result.stats[0], abs=1e-12)
    assert figures.map50[0] == pytest.approx(result.stats[1], abs=1e-12)


def test_weights_of_one_change_nothing(coco100_matches: Matches) -> None:
    table = ap_table([coco100_matches], ["coco_101"])
    figures = weighted_ap(weighted_study(coco100_matches), np.ones(100))
    for name in ("map50", "map75", "map50_95"):
        value = table.figure("coco_101", name)
        assert getattr(figures, name)[0] == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(figures.ap50[0], table.values[0, 0], rtol=0, atol=1e-12)


def test_a_batch_is_its_rows() -> None:
    study = some_study()
    weights = np.random.default_rng(1).integers(0, 4, size=(150, N_IMAGES))
    batch = weighted_ap(study, weights)
    for row in (0, 63, 64, 149):
        alone = weighted_ap(study, weights[row])
        for name in WeightedFigures.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(batch, name)[row], getattr(alone, name)[0])


@pytest.mark.parametrize("whole", [True, False])
def test_the_loop_that_is_compiled_gives_the_same_bytes(whole: bool) -> None:
    study = some_study(3)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 3, size=(9, N_IMAGES)).astype(float)
    weights = weights if whole else rng.random((9, N_IMAGES))
    positives = weights @ study.positives
    by_numpy = cell_ap(study, weights, positives)
    assert 0 < by_numpy.max() <= 1
    by_loop = cell_ap(study, weights, positives, kernel=fill_cells)
    assert by_loop.tobytes() == by_numpy.tobytes()


@pytest.mark.skipif(find_spec("numba") is None, reason="the extra `fast` (numba) is not installed")
def test_compiled_it_gives_the_same_bytes() -> None:
    study = some_study(3)
    weights = np.random.default_rng(1).integers(0, 4, size=(200, N_IMAGES))
    by_numpy = weighted_ap(study, weights, compiled=False)
    compiled = weighted_ap(study, weights, compiled=True)
    for name in WeightedFigures.__dataclass_fields__:
        assert getattr(compiled, name).tobytes() == getattr(by_numpy, name).tobytes()


@pytest.mark.skipif(find_spec("numba") is not None, reason="numba is installed")
def test_without_numba_asking_for_it_is_an_error() -> None:
    assert compiled_kernel() is None
    with pytest.raises(ImportError):
        weighted_ap(some_study(), np.ones(N_IMAGES), compiled=True)


def test_classes_without_weighted_boxes_are_not_defined() -> None:
    box = (0, 0, 10, 10)
    truth = columns([0, 1], [0, 1], [box, box])
    seen = columns([0, 0], [0, 1], [box, box], score=[0.9, 0.8])
    study = weighted_study(match(truth, seen, n_images=3, n_classes=2))
    figures = weighted_ap(study, np.array([[1, 1, 1], [1, 0, 1], [0, 0, 5]]))
    assert figures.map50.tolist()[:2] == [pytest.approx(0.5), pytest.approx(1)]
    assert np.isnan(figures.map50[2])
    assert np.isnan(figures.ap50).tolist() == [[False, False], [False, True], [True, True]]
    assert np.isnan(figures.recall).tolist() == [[False, False], [False, True], [True, True]]


def test_recall_counts_scores_from_the_confidence_on() -> None:
    matches = match(*some_boxes(0), n_images=N_IMAGES, n_classes=N_CLASSES)
    weights = np.random.default_rng(4).integers(0, 3, N_IMAGES)
    figures = weighted_ap(weighted_study(matches, confidence=0.5, recall_iou=0.75), weights)
    good = matches.found[5] & (matches.score >= 0.5)
    for category in range(N_CLASSES):
        found = weights[matches.image[good & (matches.category == category)]].sum()
        boxes = (weights * matches.positives[category]).sum()
        assert figures.recall[0, category] == pytest.approx(found / boxes, abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), "40 images need as many weights"),
        (-np.ones(N_IMAGES), "not negative"),
        (np.full(N_IMAGES, np.nan), "finite"),
    ],
)
def test_wrong_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        weighted_ap(some_study(), weights)
