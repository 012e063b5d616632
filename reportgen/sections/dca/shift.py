"""How far the recalibrated curves hang on the prevalence from which the scores are shifted.

Every resample uses the cut-offs of the sample: the shift is one rule, fixed before use, and for
that rule the intervals are right; so they are where the share of positives was fixed by the
sampling. In a cohort the prevalence is estimated too. What that adds is shown by taking the shift
from either end of the prevalence's interval.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.dca.analysis import Analysis, Data, point_shares
from reportgen.sections.dca.estimates import NO_GROUP
from reportgen.sections.dca.result import RECALIBRATED, CurveRow, ShiftRow
from reportgen.stats.bands import percentile_interval
from reportgen.stats.decision import (
    FloatArray,
    at_prevalence,
    net_benefit,
    recalibrated_thresholds,
)

BARE = mark("a what-if figure, without sampling variation of its own")


def shift_rows(
    data: Data,
    analysis: Analysis,
    curve: tuple[CurveRow, ...],
    *,
    harm: FloatArray,
    target: float | None,
    confidence: float,
) -> Iterator[ShiftRow]:
    """Yield the net benefit of recalibrated scores with the shift from other prevalences.

    Parameters
    ----------
    data : Data
    analysis : Analysis
        Its resampled prevalences give the interval.
    curve : tuple of CurveRow
        Has the net benefit with the shift as it is.
    harm : (M,) float array
        Of the models.
    target : float or None
        None yields nothing: nothing is recalibrated then.
    confidence : float
        Of the prevalence's interval.
    """
    if target is None:
        return
    low, high = (
        float(limit)
        for limit in percentile_interval(analysis.draws.prevalence, confidence=confidence)
    )
    if not 0 < low <= high < 1:
        return
    rows = [r for r in curve if r.probabilities == RECALIBRATED and r.model in data.names]
    thresholds = np.array(list(dict.fromkeys(row.threshold for row in rows)))
    ends = [_benefit(data, thresholds, own, target, harm) for own in (low, high)]
    for row in rows:
        place = data.names.index(row.model), int(np.searchsorted(thresholds, row.threshold))
        at_low, at_high = (_bare(float(end[place])) for end in ends)
        yield ShiftRow(row.model, row.threshold, row.net_benefit, low, high, at_low, at_high)


def _benefit(
    data: Data, thresholds: FloatArray, own: float, target: float, harm: FloatArray
) -> FloatArray:
    """Return the net benefit (M, T) at the target with scores shifted from the prevalence `own`."""
    cutoffs = recalibrated_thresholds(thresholds, sample=own, target=target)
    shares = at_prevalence(point_shares(data, cutoffs), target)
    return net_benefit(shares, thresholds=thresholds, harm=harm)


def _bare(value: float) -> Estimate:
    return Estimate.missing(_(NO_GROUP)) if np.isnan(value) else Estimate(value, reason=_(BARE))


def largest_change(rows: tuple[ShiftRow, ...], model: str) -> tuple[ShiftRow, float] | None:
    """Return where the net benefit of a model moves most, and by how much; None if unknown."""
    changes = [
        (row, abs(end.estimate - row.net_benefit.estimate))
        for row in rows
        if row.model == model and row.net_benefit.estimate is not None
        for end in (row.net_benefit_low, row.net_benefit_high)
        if end.estimate is not None
    ]
    return max(changes, key=lambda change: change[1], default=None)
