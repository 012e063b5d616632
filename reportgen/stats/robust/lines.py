"""The gap along one line: the same number t added to the margin of every record."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from reportgen.stats.robust.counts import Counts, counted_ends
from reportgen.stats.robust.gaps import Measure, WorstGap
from reportgen.stats.robust.intervals import BoolArray, FloatArray
from reportgen.stats.robust.linear import LinearModel
from reportgen.stats.robust.metrics import (
    RATES,
    AuditSample,
    metric_ends,
    strata,
)

CURVATURE = 1 / (6 * math.sqrt(3))
"""Largest second derivative of the logistic function, either sign."""

BENDS = {
    **dict.fromkeys((*RATES, "accuracy", "balanced_accuracy"), CURVATURE),
    "auc": 0.0,  # one shift keeps every order
    "brier": 2 * (1 / 16 + CURVATURE),
}
"""Bound on the second derivative in t of a group's figure, logit link, soft decisions."""

TOLERANCE = 1e-9
"""Soft brackets are narrowed to this."""

MOST_POINTS = 8_192


@dataclass(frozen=True)
class Line:
    """The gap as a function of what is added to every margin.

    Attributes
    ----------
    model : LinearModel
    margin : (n,) float array
    sample : AuditSample
    measure : Measure
    """

    model: LinearModel
    margin: FloatArray
    sample: AuditSample
    measure: Measure

    @property
    def stepped(self) -> bool:
        """Whether the gap changes only where a decision does."""
        smooth = {"auc", "brier"} & set(self.measure.metrics)
        return self.sample.decisions == "hard" and not smooth

    @property
    def bend(self) -> float:
        """Bound on the second derivative of a difference of two groups; NaN if there is none."""
        known = [BENDS.get(metric, math.nan) for metric in self.measure.metrics]
        if self.model.link == "identity":
            known = [
                0.0 if metric in (*RATES, "auc") else math.nan for metric in self.measure.metrics
            ]
        return math.nan if self.measure.form == "ratio" else 2 * max(known)

    @property
    def offset(self) -> FloatArray:
        """The shift at which each record becomes selected, (n,)."""
        return self.model.margin_at(self.sample.threshold) - self.margin

    def breakpoints(self, low: float, high: float) -> FloatArray:
        """Return shifts at which every set of decisions between low and high occurs, (T,)."""
        offset = self.offset
        inside = np.unique(offset[(offset > low) & (offset <= high)])
        return np.union1d([low, 0.0], inside)

    def values(self, shifts: FloatArray) -> list[FloatArray]:
        """Return each metric by shift and group, (T, L) each; NaN where 0/0."""
        if self.stepped:
            counts = self._counts(shifts)
            return [counted_ends(metric, counts).low for metric in self.measure.metrics]
        scores = [self.model.linked(self.margin + t) for t in shifts]
        return [
            np.array([metric_ends(metric, self.sample, score, score).low for score in scores])
            for metric in self.measure.metrics
        ]

    def _counts(self, shifts: FloatArray) -> Counts:
        """Count decisions by shift and group."""
        sample = self.sample
        label = np.zeros(len(self.margin), bool) if sample.positive is None else sample.positive
        cells = []
        for kind in (label, ~label):
            selected = np.empty((len(shifts), sample.n_groups))
            for g in range(sample.n_groups):
                # At t = 0 the score itself decides, not the rounded margin.
                own = kind & (sample.group == g)
                selected[:, g] = np.searchsorted(np.sort(self.offset[own]), shifts, side="right")
                selected[shifts == 0, g] = np.count_nonzero(sample.score[own] >= sample.threshold)
            cells.append(selected)
        rows = [
            np.bincount(sample.group[kind], minlength=sample.n_groups).astype(np.float64)
            for kind in (label, ~label)
        ]
        return Counts(cells[0], cells[0], cells[1], cells[1], rows[0], rows[1])

    def gaps(self, shifts: FloatArray, used: list[BoolArray]) -> FloatArray:
        """Return the gap at each shift, (T,); NaN where a group loses its figure."""
        parts = [
            self._gap(values[:, own], strata(metric, self.sample)[0][own])
            for metric, values, own in zip(
                self.measure.metrics, self.values(shifts), used, strict=True
            )
        ]
        if self.measure.combine == "mean":
            return np.asarray(np.mean(parts, axis=0))
        return np.asarray(np.min(parts, axis=0) if self.measure.falls else np.max(parts, axis=0))

    def _gap(self, values: FloatArray, rows: FloatArray) -> FloatArray:
        low, high = values.min(axis=1), values.max(axis=1)
        if self.measure.form == "ratio":
            with np.errstate(invalid="ignore", divide="ignore"):
                return np.asarray(low / high)
        if self.measure.form == "overall":
            overall = values @ (rows / rows.sum())
            return np.asarray(np.maximum(high - overall, overall - low))
        return np.asarray(high - low)


def common_shift(
    line: Line, low: float, high: float, *, record: WorstGap
) -> tuple[WorstGap, float]:
    """Return the worst gap with one shift of every margin, and that shift.

    Parameters
    ----------
    line : Line
    low, high : float
        low <= 0 <= high.
    record : WorstGap
        Of the record rung: groups without a figure are left out alike, and its certified value
        stands in where none is to be had here.

    Returns
    -------
    gap : WorstGap
        Hard decisions: exact. Soft ones: closed to TOLERANCE where the curvature is bounded.
    shift : float
    """
    parts = record.parts or (record,)
    used = [
        ~np.isin(np.arange(line.sample.n_groups), np.array(part.left_out, dtype=int))
        for part in parts
    ]
    worst = np.nanargmin if line.measure.falls else np.nanargmax
    if line.stepped:
        shifts = line.breakpoints(low, high)
        gaps = line.gaps(shifts, used)
        bound = math.nan
    else:
        shifts, gaps, bound = _refined(line, low, high, used)
    best = int(worst(gaps))
    found = float(gaps[best])
    certified = found if line.stepped else record.certified if math.isnan(bound) else bound
    least = float(np.nanmin(gaps)) if line.measure.form == "difference" else math.nan
    gap = replace(record, found=found, certified=certified, least=least, parts=())
    return gap, float(shifts[best])


def _refined(
    line: Line, low: float, high: float, used: list[BoolArray]
) -> tuple[FloatArray, FloatArray, float]:
    """Halve the pieces of [low, high] whose chord leaves room for more than was found.

    Between two points a function with second derivative above -c lies below its chord plus
    c h^2 / 8.
    """
    shifts = np.union1d(np.linspace(low, high, 33), [0.0])
    gaps = line.gaps(shifts, used)
    if math.isnan(line.bend):
        return shifts, gaps, math.nan
    while True:
        bulge = line.bend * np.diff(shifts) ** 2 / 8
        bound = np.fmax(gaps[:-1], gaps[1:]) + bulge
        open_ = bound > np.nanmax(gaps) + TOLERANCE
        if not open_.any() or len(shifts) > MOST_POINTS:
            return shifts, gaps, float(max(bound.max(initial=-math.inf), np.nanmax(gaps)))
        middle = ((shifts[:-1] + shifts[1:]) / 2)[open_]
        order = np.argsort(np.concatenate([shifts, middle]), kind="stable")
        gaps = np.concatenate([gaps, line.gaps(middle, used)])[order]
        shifts = np.concatenate([shifts, middle])[order]
