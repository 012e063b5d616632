"""The figures of one section on both sides, taken down as recipes for one set of draws."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Table
from reportgen.sections.frame.result import BETWEEN, OVERALL
from reportgen.stats.paired import Parts, Recipe, Tally
from reportgen.wording import BLANK

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Cells:
    """Where the four counts of a group at a threshold stand: TP, FN, FP, TN."""

    tp: int
    fn: int
    fp: int
    tn: int

    @property
    def all(self) -> tuple[int, int, int, int]:
        """All four, in that order."""
        return self.tp, self.fn, self.fp, self.tn


class Rows:
    """The aligned rows of one side.

    Parameters
    ----------
    table : Table
    rows : (n,) int array
        Positions in the table; row i of either side is the same row.
    tally : Tally
        Of both sides.
    """

    def __init__(self, table: Table, rows: IntArray, tally: Tally) -> None:
        if table.label is None:
            raise ValueError("aligned tables have labels")
        self.table, self.rows, self.tally = table, rows, tally
        self.positive: BoolArray = table.label[rows] == 1
        self._known: dict[Hashable, int] = {}
        self._cells: dict[Hashable, Cells] = {}
        self._groups: dict[Hashable, BoolArray] = {}
        self._texts: dict[str, NDArray[np.str_]] = {}

    def score(self, name: str) -> FloatArray:
        """Return a score of every row."""
        return self.table.scores[name][self.rows]

    def group(self, attribute: str | None, group: str | None) -> BoolArray:
        """Return which rows are in a group; all of them where there is no attribute.

        Raises
        ------
        KeyError
            If the table has no such attribute.
        """
        if (attribute, group) not in self._groups:
            self._groups[attribute, group] = self._members(attribute, group)
        return self._groups[attribute, group]

    def _members(self, attribute: str | None, group: str | None) -> BoolArray:
        here = np.ones(len(self.rows), dtype=bool)
        if attribute in (None, OVERALL) or group is None:
            return here
        for part, level in zip(str(attribute).split(BETWEEN), group.split(BETWEEN), strict=True):
            texts = self._texts.setdefault(part, self.table.groups[part][self.rows].astype(str))
            wanted = "" if level in BLANK and level not in texts else level
            here &= texts == wanted
        return here

    def cells(self, score: str, cut: float, attribute: str | None, group: str | None) -> Cells:
        """Return the counts of a group by label and by score >= cut."""
        key = (score, cut, attribute, group)
        if key not in self._cells:
            within, chosen = self.group(attribute, group), self.score(score) >= cut
            ill, well = within & self.positive, within & ~self.positive
            parts = (ill & chosen, ill & ~chosen, well & chosen, well & ~chosen)
            self._cells[key] = Cells(*(self.tally.count(rows) for rows in parts))
        return self._cells[key]

    def _once(self, key: Hashable, rows: BoolArray) -> int:
        if key not in self._known:
            self._known[key] = self.tally.count(rows)
        return self._known[key]

    def area(self, score: str, attribute: str | None, group: str | None) -> Recipe:
        """Return the area under the ROC curve of a group."""
        within = self.group(attribute, group)
        at = self.tally.area(self.positive, self.score(score), within)
        classes = [
            self._once((name, attribute, group), within & rows)
            for name, rows in (("positives", self.positive), ("negatives", ~self.positive))
        ]
        return Recipe(lambda parts: parts.areas[at], (), (at,), tuple((one,) for one in classes))

    def brier(self, score: str, attribute: str | None, group: str | None) -> Recipe:
        """Return the mean squared error of the probabilities of a group."""
        within = self.group(attribute, group)
        errors = np.square(self.score(score) - self.positive)
        total = self.tally.total(errors, within)
        n = self._once(("rows", attribute, group), within)
        return Recipe(
            lambda parts: share(parts.counts[total], parts.counts[n]), (total, n), (), ((n,),)
        )


def share(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Return top over bottom, NaN where that is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(bottom > 0, top / bottom, np.nan))


Four = Callable[[FloatArray, FloatArray, FloatArray, FloatArray], FloatArray]
"""Takes TP, FN, FP, TN."""

OF_FOUR: dict[str, Four] = {
    "sensitivity": lambda tp, fn, _fp, _tn: share(tp, tp + fn),
    "specificity": lambda _tp, _fn, fp, tn: share(tn, tn + fp),
    "balanced_accuracy": lambda tp, fn, fp, tn: (share(tp, tp + fn) + share(tn, tn + fp)) / 2,
    "youden": lambda tp, fn, fp, tn: share(tp, tp + fn) + share(tn, tn + fp) - 1,
    "precision": lambda tp, _fn, fp, _tn: share(tp, tp + fp),
    "npv": lambda _tp, fn, _fp, tn: share(tn, tn + fn),
    "accuracy": lambda tp, fn, fp, tn: share(tp + tn, tp + fn + fp + tn),
    "f1": lambda tp, fn, fp, _tn: share(2 * tp, 2 * tp + fp + fn),
    "selection_rate": lambda tp, fn, fp, tn: share(tp + fp, tp + fn + fp + tn),
    "prevalence": lambda tp, fn, fp, tn: share(tp + fn, tp + fn + fp + tn),
    "positive_likelihood_ratio": lambda tp, fn, fp, tn: share(
        share(tp, tp + fn), share(fp, tn + fp)
    ),
    "negative_likelihood_ratio": lambda tp, fn, fp, tn: share(
        share(fn, tp + fn), share(tn, tn + fp)
    ),
    "diagnostic_odds_ratio": lambda tp, fn, fp, tn: share(tp * tn, fn * fp),
}
"""Figures of four counts; NaN where undefined."""
DENOMINATORS: dict[str, tuple[str, ...]] = {
    "sensitivity": ("tp fn",),
    "specificity": ("fp tn",),
    "precision": ("tp fp",),
    "npv": ("fn tn",),
    "accuracy": ("tp fn fp tn",),
    "f1": ("tp fn fp",),
    "selection_rate": ("tp fn fp tn",),
    "prevalence": ("tp fn fp tn",),
}
"""Counts that each denominator adds up; of the other figures both classes are."""
BOTH_CLASSES = ("tp fn", "fp tn")


def of_four(name: str, cells: Cells, value: Four | None = None) -> Recipe:
    """Return a figure of four counts.

    Parameters
    ----------
    name : str
        A key of OF_FOUR, or any name where `value` is given.
    cells : Cells
    value : callable, optional
    """
    made = value or OF_FOUR[name]

    def taken(parts: Parts) -> FloatArray:
        return made(*(parts.counts[at] for at in cells.all))

    support = tuple(
        tuple(getattr(cells, one) for one in names.split())
        for names in DENOMINATORS.get(name, BOTH_CLASSES)
    )
    return Recipe(taken, cells.all, (), support)


def less(first: Recipe, second: Recipe) -> Recipe:
    """Return the difference of two figures: a gap."""
    return Recipe(
        lambda parts: first.value(parts) - second.value(parts),
        (*first.counts, *second.counts),
        (*first.areas, *second.areas),
        (*first.support, *second.support),
    )
