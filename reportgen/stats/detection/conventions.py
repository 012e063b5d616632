"""Average precision under each convention in use, from the same matches.

The area under precision against recall is one idea with many sums; what the tools do beyond the
highest recall reached moves a figure by up to half the precision there.

References
----------
Everingham et al. (2010), Int J Comput Vis 88:303 (11 points; from VOC 2010 on all points).
Lin et al. (2014), ECCV; cocodataset/cocoapi, ``cocoeval.py`` (101 points).
ultralytics/ultralytics, ``utils/metrics.py`` ``compute_ap``, changed by pull request #24175.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np

from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray
from reportgen.stats.detection.matching import Matches, Rule

RECALL_GRID: FloatArray = np.linspace(0.0, 1.0, 101)
"""COCO's recalls, in pycocotools' floats: some of them lie an ulp beside k / 100."""

STEP = 0.01
"""The recalls are the floats k * STEP."""

EPSILON = 2.0**-52
"""What pycocotools adds to the denominator of precision."""


@dataclass(frozen=True)
class Convention:
    """One way of summing precision over recall.

    Attributes
    ----------
    key, title : str
    tool, version : str
        Where it is found.
    rule : str
        The sum, in words.
    matching : {"coco", "voc_plus_1"}
        The matches it is defined on here.
    """

    key: str
    title: str
    tool: str
    version: str
    rule: str
    matching: Rule


def _coco_101(hits: BoolArray, positives: int) -> float:
    recall, precision = _curve(hits, positives, epsilon=EPSILON)
    place = np.searchsorted(recall, RECALL_GRID, side="left")
    return float(np.append(_envelope(precision), 0.0)[place].mean())


def _voc_11(hits: BoolArray, positives: int) -> float:
    found = np.cumsum(hits)
    _, precision = _curve(hits, positives)
    envelope = np.append(_envelope(precision), 0.0)
    # Recall k / 10 is reached where 10 TP >= k P: whole numbers have no rounding.
    place = np.searchsorted(10 * found, np.arange(11) * positives, side="left")
    return float(envelope[place].mean())


def _all_point(hits: BoolArray, positives: int) -> float:
    _, precision = _curve(hits, positives)
    return float(_envelope(precision)[hits].sum() / positives)


def _step(hits: BoolArray, positives: int) -> float:
    _, precision = _curve(hits, positives)
    return float(precision[hits].sum() / positives)


def _line_to_the_end(hits: BoolArray, positives: int) -> float:
    return _trapezoids(hits, positives, tail=((1.0, 0.0),))


def _zero_after_the_last(hits: BoolArray, positives: int) -> float:
    last = float(np.count_nonzero(hits)) / positives
    return _trapezoids(hits, positives, tail=((last, 0.0), (1.0, 0.0)))


def _trapezoids(hits: BoolArray, positives: int, *, tail: tuple[tuple[float, float], ...]) -> float:
    recall, precision = _curve(hits, positives)
    beyond = np.array(tail).T
    nodes = np.concatenate([[0.0], recall, beyond[0]])
    heights = _envelope(np.concatenate([[1.0], precision, beyond[1]]))
    return float(np.trapezoid(np.interp(RECALL_GRID, nodes, heights), RECALL_GRID))


def _curve(
    hits: BoolArray, positives: int, *, epsilon: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    found = np.cumsum(hits, dtype=np.float64)
    return found / positives, found / (np.arange(1, len(hits) + 1) + epsilon)


def _envelope(precision: FloatArray) -> FloatArray:
    """Return, at each place, the highest precision there or farther on."""
    return np.asarray(np.maximum.accumulate(precision[::-1])[::-1])


CONVENTIONS: Mapping[str, Convention] = MappingProxyType(
    {
        each.key: each
        for each in (
            Convention(
                "coco_101",
                "COCO, 101 points",
                "pycocotools",
                "2.0.11",
                "mean, over the recalls 0, 0.01, …, 1, of the highest precision at that recall or"
                " beyond; 0 beyond the highest recall reached",
                "coco",
            ),
            Convention(
                "voc_11",
                "VOC 2007, 11 points",
                "PASCAL VOC development kit",
                "2007",
                "mean, over the recalls 0, 0.1, …, 1, of the highest precision at that recall or"
                " beyond; 0 beyond the highest recall reached; recalls compared as whole numbers",
                "coco",
            ),
            Convention(
                "voc_11_plus_1",
                "VOC 2007, 11 points, inclusive pixels",
                "PASCAL VOC development kit",
                "2007",
                "as VOC 2007, with VOC's own matching: widths and heights of boxes are one pixel"
                " larger, and a detection counts only against the box it overlaps most",
                "voc_plus_1",
            ),
            Convention(
                "all_point",
                "all points, with envelope",
                "PASCAL VOC development kit",
                "2010 and later",
                "sum, over the true positives, of the rise in recall times the highest precision"
                " there or beyond; 0 beyond the highest recall reached",
                "coco",
            ),
            Convention(
                "ultralytics_8_4_36",
                "Ultralytics until 8.4.36",
                "Ultralytics",
                "up to 8.4.36",
                "trapezoids over the recalls 0, 0.01, …, 1 under the enveloped curve from (0, 1);"
                " beyond the highest recall reached a straight line down to (1, 0) is counted in;"
                " at most 0.995",
                "coco",
            ),
            Convention(
                "ultralytics_8_4_37",
                "Ultralytics from 8.4.37",
                "Ultralytics",
                "8.4.37 and later",
                "trapezoids over the recalls 0, 0.01, …, 1 under the enveloped curve from (0, 1);"
                " 0 from the highest recall reached on (pull request #24175); at most 0.995",
                "coco",
            ),
            Convention(
                "step",
                "steps, no envelope",
                "scikit-learn",
                "average_precision_score",
                "sum, over the true positives, of the rise in recall times the precision there;"
                " each detection is a step of its own, ties in score included",
                "coco",
            ),
        )
    }
)
"""Every convention, in the order in which they are shown."""

_SUMS: dict[str, Callable[[BoolArray, int], float]] = {
    "coco_101": _coco_101,
    "voc_11": _voc_11,
    "voc_11_plus_1": _voc_11,
    "all_point": _all_point,
    "ultralytics_8_4_36": _line_to_the_end,
    "ultralytics_8_4_37": _zero_after_the_last,
    "step": _step,
}

Figure = Literal["map50", "map75", "map50_95"]
FIGURES: tuple[Figure, ...] = ("map50", "map75", "map50_95")


def average_precision(hits: BoolArray, positives: int, *, convention: str) -> float | None:
    """Return the average precision of one class at one threshold of the overlap.

    Parameters
    ----------
    hits : (n,) bool array
        Whether each detection is a true positive, best score first.
    positives : int
        Labelled boxes of the class, at least as many as hits.
    convention : str
        A key of `CONVENTIONS`.

    Returns
    -------
    float or None
        0 to 1; 0 for a class with boxes and no detection, under every convention; None for a class
        without boxes, where it is not defined.

    Raises
    ------
    ValueError
        If the convention is unknown or there are more hits than boxes.
    """
    if convention not in _SUMS:
        raise ValueError(f"no convention {convention!r}; known: {', '.join(CONVENTIONS)}")
    if np.count_nonzero(hits) > positives:
        raise ValueError(f"{np.count_nonzero(hits)} boxes found, but there are {positives}")
    if positives == 0:
        return None
    # Ultralytics' nodes (0, 1) and (1, 0) alone would give a detector that says nothing 0.5.
    return _SUMS[convention](np.asarray(hits, dtype=bool), positives) if len(hits) else 0.0


@dataclass(frozen=True)
class ApTable:
    """Average precision of every class under every convention.

    Attributes
    ----------
    conventions : tuple of str
    iou_thresholds : (T,) float array
    values : (K, T, C) float array
        By convention, threshold and class; NaN for classes without boxes.
    """

    conventions: tuple[str, ...]
    iou_thresholds: FloatArray
    values: FloatArray

    @property
    def has_boxes(self) -> BoolArray:
        """(C,) classes with boxes: those in the means."""
        return np.asarray(~np.isnan(self.values).all(axis=(0, 1)))

    @property
    def n_classes(self) -> int:
        """Number of classes in the means."""
        return int(np.count_nonzero(self.has_boxes))

    def figure(
        self, convention: str, figure: Figure, *, category: int | None = None
    ) -> float | None:
        """Return a mean over classes and thresholds, or that of one class.

        Parameters
        ----------
        convention : str
        figure : {"map50", "map75", "map50_95"}
            At IoU 0.5, at 0.75, or the mean over 0.5, 0.55, …, 0.95.
        category : int, optional
            One class; all with boxes if absent.

        Returns
        -------
        float or None
            0 to 1; None if the class, or every class, has no boxes.

        Raises
        ------
        ValueError
            If the thresholds of the figure were not matched.
        """
        levels = figure_levels(self.iou_thresholds, figure)
        classes = np.flatnonzero(self.has_boxes) if category is None else np.array([category])
        values = self.values[self.conventions.index(convention)][np.ix_(levels, classes)]
        return None if not values.size or np.isnan(values).any() else float(values.mean())


def figure_levels(iou_thresholds: FloatArray, figure: Figure) -> IntArray:
    """Return the positions of the thresholds that a figure is the mean of.

    Raises
    ------
    ValueError
        If one of them is not there.
    """
    wanted = {"map50": (0.5,), "map75": (0.75,)}.get(figure, tuple(np.linspace(0.5, 0.95, 10)))
    near = np.isclose(iou_thresholds, np.array(wanted)[:, None], rtol=0, atol=1e-9)
    if not near.any(axis=1).all():
        raise ValueError(f"{figure} needs the thresholds {wanted}, not {iou_thresholds.tolist()}")
    return np.asarray(near.argmax(axis=1))


def ap_table(
    matches: Sequence[Matches], conventions: Sequence[str] = tuple(CONVENTIONS)
) -> ApTable:
    """Return average precision by convention, threshold and class.

    Parameters
    ----------
    matches : sequence of Matches
        Of the same boxes and thresholds, one for each matching rule that the conventions need
        ("coco", and "voc_plus_1" for `voc_11_plus_1`).
    conventions : sequence of str
        Keys of `CONVENTIONS`.

    Raises
    ------
    ValueError
        If a convention is unknown or its matches are missing.
    """
    by_rule = {each.rule: each for each in matches}
    sheets = []
    for key in conventions:
        if key not in CONVENTIONS:
            raise ValueError(f"no convention {key!r}; known: {', '.join(CONVENTIONS)}")
        if CONVENTIONS[key].matching not in by_rule:
            raise ValueError(f"{key} needs matches by the rule {CONVENTIONS[key].matching!r}")
        sheets.append(_sheet(by_rule[CONVENTIONS[key].matching], key))
    return ApTable(tuple(conventions), matches[0].iou_thresholds, np.array(sheets))


def _sheet(matches: Matches, convention: str) -> FloatArray:
    positives = matches.positives.sum(axis=1)
    sheet = np.full((len(matches.iou_thresholds), matches.n_classes), np.nan)
    for category in np.flatnonzero(positives).tolist():
        for level in range(len(sheet)):
            hits = matches.hits(category, level)
            value = average_precision(hits, int(positives[category]), convention=convention)
            sheet[level, category] = np.nan if value is None else value
    return sheet
