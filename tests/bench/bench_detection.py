"""How long weighted resamples of average precision take, against resampling of images.

Run with ``make bench`` or as a script. The problem has the size of article 003: 1,500 images, 9,688
boxes of 6 classes, about 61,000 detections, ten thresholds of the overlap; all made up. All ways
take the same matches and the same resamples in one run, so that only the ratios mean something;
values are compared before times are. Each way is timed on fewer resamples than 10,000 and scaled
up, as all are linear in them. Times are of the processor, so that other work on the machine
disturbs them least.

Naive: the images drawn are joined again and every class and threshold goes through the function of
Ultralytics (``compute_ap``, 8.4.37). Ours with numba needs the extra ``fast``. hotcoco's own
bootstrap (``compare``) is no dependency; it evaluates two models a resample, so half its time is
given. Where one of them is not installed the line says so.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.detection import (
    Matches,
    WeightedStudy,
    average_precision,
    match,
    weighted_ap,
    weighted_study,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

N_IMAGES, N_BOXES, N_CLASSES, N_FALSE = 1_500, 9_688, 6, 53_300
RESAMPLES = 10_000
TIMED = {"naive": 20, "numpy": 640, "numba": 2_560, "hotcoco": 10}
GRID = np.linspace(0, 1, 101)
EXACT = 1e-12


class Table(NamedTuple):
    """Boxes as columns."""

    image: IntArray
    category: IntArray
    xywh: FloatArray
    area: FloatArray
    crowd: NDArray[np.bool_]
    ignore: NDArray[np.bool_]
    score: FloatArray | None


def table(image: IntArray, category: IntArray, xywh: FloatArray, score: FloatArray | None) -> Table:
    """Return boxes as columns, none crowded or ignored."""
    none = np.zeros(len(image), dtype=bool)
    return Table(image, category, xywh, xywh[:, 2] * xywh[:, 3], none, none, score)


def problem() -> tuple[Table, Table]:
    """Return boxes, and detections: shaken copies of four in five, and false ones scored lower."""
    rng = np.random.default_rng(42)

    def places(n: int) -> FloatArray:
        return np.column_stack([rng.uniform(0, 520, (n, 2)), rng.uniform(20, 120, (n, 2))])

    image, category = rng.integers(0, N_IMAGES, N_BOXES), rng.integers(0, N_CLASSES, N_BOXES)
    xywh = places(N_BOXES)
    seen = rng.random(N_BOXES) < 0.8
    shaken = xywh[seen] + 0.06 * rng.normal(size=(seen.sum(), 4)) * xywh[seen][:, [2, 3, 2, 3]]
    score = np.concatenate([rng.beta(2, 2, seen.sum()), rng.beta(0.5, 6, N_FALSE)])
    detections = table(
        np.concatenate([image[seen], rng.integers(0, N_IMAGES, N_FALSE)]),
        np.concatenate([category[seen], rng.integers(0, N_CLASSES, N_FALSE)]),
        np.concatenate([shaken, places(N_FALSE)]),
        score + 1e-9 * np.arange(len(score)),
    )
    return table(image, category, xywh, None), detections


class ByImage(NamedTuple):
    """What a resample joins: for each image its detections and its boxes."""

    found: list[NDArray[np.bool_]]
    score: list[FloatArray]
    category: list[IntArray]
    target: list[IntArray]


def by_image(matches: Matches, truth: Table) -> ByImage:
    """Return matches image by image, as an evaluation keeps them."""
    own = [np.flatnonzero(matches.image == each) for each in range(N_IMAGES)]
    return ByImage(
        [matches.found[:, rows].T.copy() for rows in own],
        [matches.score[rows] for rows in own],
        [matches.category[rows] for rows in own],
        [truth.category[truth.image == each] for each in range(N_IMAGES)],
    )


def joined(data: ByImage, images: IntArray) -> tuple[Any, ...]:
    """Return the drawn images as one set of detections, best score first."""
    drawn = images.tolist()
    found, score, category, target = (
        np.concatenate([column[each] for each in drawn]) for column in data
    )
    order = np.argsort(-score, kind="stable")
    return found[order], category[order], target


def ultralytics_ap(recall: FloatArray, precision: FloatArray) -> float:
    """Return average precision as Ultralytics 8.4.37 does."""
    nodes = np.concatenate(([0.0], recall, [recall[-1]], [1.0]))
    heights = np.concatenate(([1.0], precision, [0.0], [0.0]))
    heights = np.flip(np.maximum.accumulate(np.flip(heights)))
    return float(np.trapezoid(np.interp(GRID, nodes, heights), GRID))


def naive(data: ByImage, images: IntArray) -> FloatArray:
    """Return average precision by class and threshold of one resample, Ultralytics' way."""
    found, category, target = joined(data, images)
    out = np.zeros((N_CLASSES, found.shape[1]))
    for each in range(N_CLASSES):
        own = found[category == each]
        boxes = np.count_nonzero(target == each)
        hits, misses = own.cumsum(axis=0), (~own).cumsum(axis=0)
        recall, precision = hits / (boxes + 1e-16), hits / (hits + misses)
        for level in range(found.shape[1]):
            out[each, level] = ultralytics_ap(recall[:, level], precision[:, level])
    return out


def check(data: ByImage, study: WeightedStudy, images: IntArray, weights: FloatArray) -> None:
    """Stop unless weights give COCO's average precision of the joined images."""
    figures = weighted_ap(study, weights)
    for number, drawn in enumerate(images):
        found, category, target = joined(data, drawn)
        for each in range(N_CLASSES):
            boxes = int(np.count_nonzero(target == each))
            theirs = average_precision(found[category == each, 0], boxes, convention="coco_101")
            if theirs is None or abs(theirs - figures.ap50[number, each]) > EXACT:
                raise SystemExit(f"AP50 of class {each} differs in resample {number}")


def seconds(run: Callable[[], Any], resamples: int) -> float:
    """Return the processor time of `run`, scaled up to all resamples; the best of two."""
    times = []
    for _ in range(2):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times) * RESAMPLES / resamples


def hotcoco_seconds(truth: Table, detections: Table) -> float | None:
    """Return the time of hotcoco's bootstrap for one model; None where it is not installed."""
    if find_spec("hotcoco") is None:
        return None
    hotcoco = import_module("hotcoco")
    boxes, found = coco_data(truth, detections)
    with contextlib.redirect_stdout(io.StringIO()):
        gt = hotcoco.COCO(boxes)
        models = [hotcoco.COCOeval(gt, gt.load_res(found), "bbox") for _ in range(2)]
        for model in models:
            model.evaluate()
        sizes = (TIMED["hotcoco"] + 1, 1)
        runs = [partial(hotcoco.compare, *models, n_bootstrap=n, seed=1) for n in sizes]
        many, few = (seconds(run, 1) for run in runs)
    return (many - few) / TIMED["hotcoco"] / 2


def coco_data(truth: Table, detections: Table) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the problem in COCO's form."""

    def rows(boxes: Table) -> list[dict[str, Any]]:
        return [
            {"image_id": int(i) + 1, "category_id": int(c) + 1, "bbox": b.tolist()}
            for i, c, b in zip(boxes.image, boxes.category, boxes.xywh, strict=True)
        ]

    labels = [
        {**row, "id": k + 1, "area": float(truth.area[k]), "iscrowd": 0}
        for k, row in enumerate(rows(truth))
    ]
    scores = detections.score if detections.score is not None else np.zeros(0)
    found = [
        {**row, "score": float(score)} for row, score in zip(rows(detections), scores, strict=True)
    ]
    images = [{"id": k + 1, "width": 640, "height": 640} for k in range(N_IMAGES)]
    names = [{"id": k + 1, "name": str(k)} for k in range(N_CLASSES)]
    return {"images": images, "annotations": labels, "categories": names}, found


def main() -> None:
    """Print times a resample, for all resamples, and ratios to naive resampling."""
    truth, detections = problem()
    matches = match(truth, detections, n_images=N_IMAGES, n_classes=N_CLASSES)
    study, data = weighted_study(matches), by_image(matches, truth)
    rng = np.random.default_rng(1)
    images = rng.integers(0, N_IMAGES, (max(TIMED.values()), N_IMAGES))
    weights = np.array([np.bincount(row, minlength=N_IMAGES) for row in images], dtype=np.float64)
    check(data, study, images[:5], weights[:5])
    sys.stdout.write(
        f"{N_IMAGES:,} images, {N_BOXES:,} boxes, {len(matches.row):,} detections "
        f"({len(study.image):,} up to the last true one), {len(study.hit):,} true positives at "
        f"10 thresholds, mAP50 {weighted_ap(study, np.ones(N_IMAGES)).map50[0]:.3f}\n"
    )
    line = "{:<34} {:>12} {:>14} {:>8}\n".format
    sys.stdout.write(line("way", "ms a resample", "s for 10,000", "ratio"))
    n = TIMED["naive"]
    base = seconds(lambda: [naive(data, row) for row in images[:n]], n)
    times: dict[str, float | None] = {"naive resampling, Ultralytics": base}
    n = TIMED["numpy"]
    times["weights, numpy"] = seconds(lambda: weighted_ap(study, weights[:n], compiled=False), n)
    times["weights, numba (extra fast)"] = None
    if find_spec("numba") is not None:
        weighted_ap(study, weights[:2], compiled=True)
        times["weights, numba (extra fast)"] = seconds(
            lambda: weighted_ap(study, weights, compiled=True), TIMED["numba"]
        )
    times["hotcoco, its bootstrap, one model"] = hotcoco_seconds(truth, detections)
    for way, spent in times.items():
        if spent is None:
            sys.stdout.write(f"{way:<34} not installed: not run\n")
            continue
        row = (f"{1000 * spent / RESAMPLES:.2f}", f"{spent:.1f}", f"{base / spent:.1f}")
        sys.stdout.write(line(way, *row))


if __name__ == "__main__":
    main()
