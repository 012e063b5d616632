"""The prevalence of an unlabelled set, two ways, and whether the two agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.inputs import Table
from reportgen.language import _, mark
from reportgen.result import Estimate, LeftOut
from reportgen.section import Context
from reportgen.sections.prevalence.points import Point, from_draws
from reportgen.sections.prevalence.result import OperatingPoint, UnlabelledRow
from reportgen.stats.proportions import Proportion
from reportgen.stats.quantification import (
    Unlabelled,
    arrange,
    resample_unlabelled,
    rogan_gladen,
    rogan_gladen_interval,
)
from reportgen.stats.unit_counts import Draws, FloatArray, UnitCounts, resample
from reportgen.wording import fixed

ROGAN_GLADEN = "Rogan–Gladen"
SAERENS = "EM (Saerens)"
BOTH_RESAMPLED = mark("bootstrap of labelled and unlabelled units, percentile")
NO_PROBABILITIES = mark("needs probabilities; these scores only rank")
NOT_IDENTIFIABLE = mark("not identifiable")
"""How every reason begins for which an estimate cannot be identified."""


@dataclass(frozen=True)
class Disagreement:
    """Rogan–Gladen minus EM at one threshold, with the interval of the difference."""

    threshold: float
    difference: Estimate

    @property
    def beyond_sampling(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        low, high = self.difference.low, self.difference.high
        return low is not None and high is not None and (low > 0 or high < 0)


@dataclass(frozen=True)
class UnlabelledFound:
    """What was found of an unlabelled table; empty if none was named."""

    table: str = ""
    rows: tuple[UnlabelledRow, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    kept: int = 0


@dataclass(frozen=True)
class Resamples:
    """Joint resamples of the labelled and the unlabelled units."""

    rogan_gladen: FloatArray
    likelihood: FloatArray | None


def estimate_unlabelled(
    table: Table,
    score: str,
    units: UnitCounts,
    points: Sequence[Point],
    operating: Sequence[OperatingPoint],
    labelled_draws: Draws | None,
    context: Context,
) -> UnlabelledFound:
    """Return the estimates of an unlabelled table's prevalence, and how far the two differ.

    Limits are as they come: one of Rogan and Gladen's may lie below 0, which is consistent with a
    set without positives, or above 1. The two are compared only where both can be identified.

    Parameters
    ----------
    table : Table
        The unlabelled table; a label it may have is not used.
    score : str
        Shown name of the score.
    units : Units
        Of the labelled table.
    points, operating : sequences of equal length
        One entry a threshold.
    labelled_draws : Draws or None
        Resamples of the labelled units, if they were drawn already.
    """
    selection = table.select([score], outcome=False)
    if not len(selection.rows):
        gone = Estimate.missing(_("no row has a score"))
        missing = tuple(
            UnlabelledRow(method, None, gone, None, 0, 0) for method in (ROGAN_GLADEN, SAERENS)
        )
        return UnlabelledFound(table.name, missing, (), selection.left_out, 0)
    rows = arrange(table.scores[score][selection.rows], table.unit_codes(selection.rows))
    source = _source(units) if table.scale == "probability" else None
    draws = _draw(rows, units, points, labelled_draws, source, context)
    confidence = context.confidence
    found = [
        UnlabelledRow(
            ROGAN_GLADEN,
            point.threshold,
            _rogan_gladen(rows, point, operating[at], draws.rogan_gladen[:, at], confidence),
            _apparent(rows, point).value,
            rows.n_rows,
            rows.n_units,
        )
        for at, point in enumerate(points)
    ]
    em = _saerens(rows, source, table.scale, draws, confidence)
    found.append(UnlabelledRow(SAERENS, None, em, None, rows.n_rows, rows.n_units))
    compared = _compare(rows, source, points, operating, draws, confidence)
    return UnlabelledFound(table.name, tuple(found), compared, selection.left_out, rows.n_rows)


def _source(units: UnitCounts) -> float | None:
    """Return the labelled share of positives, None with one class only."""
    return units.prevalence if 0 < units.prevalence < 1 else None


def _draw(
    rows: Unlabelled,
    units: UnitCounts,
    points: Sequence[Point],
    labelled: Draws | None,
    source: float | None,
    context: Context,
) -> Resamples:
    if labelled is None:
        labelled = resample(units, rng=context.rng, resamples=context.resamples)
    drawn = resample_unlabelled(
        rows,
        [point.threshold for point in points if point.threshold is not None],
        None if source is None else labelled.prevalence,
        rng=context.rng,
        resamples=context.resamples,
    )
    raw = rogan_gladen(drawn.apparent, labelled.sensitivity, labelled.specificity)
    return Resamples(raw, drawn.likelihood)


def _apparent(rows: Unlabelled, point: Point) -> Proportion:
    """Return the flagged share, of Kish's effective number of rows (rows, if one a unit)."""
    share = rows.flagged_share(point.threshold or 0.0)
    return Proportion(share * rows.effective_size, rows.effective_size)


def raw_value(apparent: float, point: Point) -> float:
    """Return Rogan and Gladen's value as it comes, NaN where it is not defined."""
    return float(rogan_gladen(apparent, point.sensitivity.number, point.specificity.number))


def not_identifiable(raw: float, operating: OperatingPoint) -> str:
    """Return why Rogan and Gladen's value says nothing, or ""."""
    youden = operating.youden
    if youden.estimate is None:
        return youden.reason or _("not defined")
    shown = _("there is no raw value")
    if math.isfinite(raw):
        shown = _("the raw value is {raw}").format(raw=fixed(raw, 3))
    if youden.low is None or youden.low <= 0:
        text = _(
            "not identifiable: Youden's index is {youden}, its lower limit {low}, so flagging may"
            " tell nothing; {shown}"
        )
        low = _("open") if youden.low is None else fixed(youden.low, 3)
        return text.format(youden=fixed(youden.estimate, 3), low=low, shown=shown)
    if not 0 <= raw <= 1:
        text = _(
            "not identifiable: {shown}, {side}; sensitivity and specificity do not hold in this"
            " set, or are known too badly"
        )
        return text.format(shown=shown, side=_("below 0") if raw < 0 else _("above 1"))
    return ""


def _rogan_gladen(
    rows: Unlabelled,
    point: Point,
    operating: OperatingPoint,
    draws: FloatArray,
    confidence: float,
) -> Estimate:
    apparent = _apparent(rows, point)
    raw = raw_value(apparent.value, point)
    why = not_identifiable(raw, operating)
    if why:
        return Estimate.missing(why)
    se, sp = point.sides
    if se.draws is not None or se.counts is None or sp.counts is None:
        return from_draws(raw, draws, method=_(BOTH_RESAMPLED), confidence=confidence)
    method = f"Lang–Reiczigel{point.how}"
    if rows.n_units < rows.n_rows and not point.how:
        method += _(", on Kish's effective number of unlabelled rows")
    low, high = rogan_gladen_interval(apparent, se.counts, sp.counts, confidence=confidence)
    if math.isnan(low):
        return Estimate(raw, reason=_("the interval is not defined"))
    return Estimate(raw, low, high, confidence, method)


def _saerens(
    rows: Unlabelled, source: float | None, scale: str, draws: Resamples, confidence: float
) -> Estimate:
    if scale != "probability":
        return Estimate.missing(_(NO_PROBABILITIES))
    if source is None or draws.likelihood is None:
        return Estimate.missing(_("the labelled table holds one class only"))
    value = rows.saerens(source)
    if math.isnan(value):
        return Estimate.missing(_("not identifiable: every probability is the same"))
    if value in (0.0, 1.0):
        text = _("not identifiable: the likelihood is highest at the edge, {edge}")
        return Estimate.missing(text.format(edge=fixed(value, 0)))
    return from_draws(value, draws.likelihood, method=_(BOTH_RESAMPLED), confidence=confidence)


def _compare(
    rows: Unlabelled,
    source: float | None,
    points: Sequence[Point],
    operating: Sequence[OperatingPoint],
    draws: Resamples,
    confidence: float,
) -> tuple[Disagreement, ...]:
    """Return Rogan–Gladen minus EM at each threshold where both can be identified."""
    if source is None or draws.likelihood is None:
        return ()
    likelihood = rows.saerens(source)
    if not 0 < likelihood < 1:
        return ()
    together = 1 - (1 - confidence) / len(points)  # Bonferroni over the thresholds
    found = []
    for at, point in enumerate(points):
        raw = raw_value(_apparent(rows, point).value, point)
        if not_identifiable(raw, operating[at]):
            continue
        draw = draws.rogan_gladen[:, at] - draws.likelihood
        difference = from_draws(
            raw - likelihood, draw, method=_(BOTH_RESAMPLED), confidence=together
        )
        if point.threshold is not None and difference.low is not None:
            found.append(Disagreement(point.threshold, difference))
    return tuple(found)
