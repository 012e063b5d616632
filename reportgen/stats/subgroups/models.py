"""Two models on the same patients: whether the one narrows or widens a gap of the other.

Both models meet the same patients in every draw, so that what they share cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from reportgen.stats.subgroups.draws import DrawnInterval, drawn_interval
from reportgen.stats.subgroups.gaps import PValue, bootstrap_test, gap_draws
from reportgen.stats.subgroups.resampling import Resampled
from reportgen.stats.subgroups.study import Pair


@dataclass(frozen=True)
class GapChange:
    """The gap of a new model against that of an old one.

    Attributes
    ----------
    old, new : float
        The gaps, group minus reference.
    change : float
        New minus old gap.
    drawn : DrawnInterval
        Percentile interval of `change` under joint draws.
    test : PValue
        Of no change, from the standard deviation of the joint draws.
    narrowing : float
        |old| - |new|: above 0 the new model's gap is smaller in size.
    narrowing_drawn : DrawnInterval
        Its percentile interval. Where a gap is near 0 sizes are biased upwards: read it with
        `change`.
    reason : str
        Why there is no change; "" if there is one.
    """

    old: float
    new: float
    change: float
    drawn: DrawnInterval
    test: PValue
    narrowing: float
    narrowing_drawn: DrawnInterval
    reason: str = ""


def gap_change(
    resampled: Resampled,
    pair: Pair,
    *,
    new_model: int,
    old_gap: float,
    new_gap: float,
    confidence: float = 0.95,
) -> GapChange:
    """Return how a gap changes from the model of `pair` to another model.

    Parameters
    ----------
    resampled : Resampled
        Joint draws of both models.
    pair : Pair
        Metric, groups and the old model.
    new_model : int
    old_gap, new_gap : float
        The gaps in the data, NaN where undefined.
    confidence : float
    """
    change, narrowing = new_gap - old_gap, abs(old_gap) - abs(new_gap)
    if math.isnan(change):
        reason = "one of the gaps is undefined"
        nothing = DrawnInterval(math.nan, math.nan, math.nan, False, reason)
        no_test = PValue(math.nan, "", reason)
        return GapChange(old_gap, new_gap, change, nothing, no_test, narrowing, nothing, reason)
    old = gap_draws(resampled, pair)
    new = gap_draws(resampled, replace(pair, model=new_model))
    return GapChange(
        old_gap,
        new_gap,
        change,
        drawn_interval(new - old, confidence=confidence),
        bootstrap_test(change, new - old),
        narrowing,
        drawn_interval(np.abs(old) - np.abs(new), confidence=confidence),
    )
