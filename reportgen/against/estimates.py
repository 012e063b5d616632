"""A paired difference as it is written: its interval, and by which method it was had."""

from __future__ import annotations

import math

from reportgen.comparison.changes import compared
from reportgen.comparison.shape import Scale
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.stats.comparison import Limits
from reportgen.stats.paired import Found
from reportgen.wording import fixed

FEWEST = 10
"""Units that must differ, and be behind a figure, for percentiles of draws to be read.

With one row a unit, and all of k differing units to one side, percentiles exclude no change from
k = 4 on, the exact test of McNemar from k = 6 on.
"""
CLOSE = 1e-9
BOOTSTRAP = mark("paired bootstrap of {n} units, percentile of {draws} draws")
FEW_DIFFER = mark(
    "square-and-add (MOVER) of the two stored intervals with the correlation of paired draws "
    "({k} of {n} units differ, too few for percentiles)"
)
FEW_BEHIND = mark(
    "square-and-add (MOVER) of the two stored intervals with the correlation of paired draws "
    "({k} units are behind the figure, too few for percentiles)"
)
UNDEFINED = mark(
    "square-and-add (MOVER) of the two stored intervals with the correlation of paired draws "
    "(the figure is undefined in too many draws for percentiles)"
)
NONE_DIFFERS = mark("no unit differs in what the figure is made of: there is nothing to resample")


def is_stored(made: float, stored: Estimate) -> bool:
    """Return whether a figure that was made again is the one that a dossier holds."""
    return stored.estimate is not None and math.isclose(
        made, stored.estimate, rel_tol=CLOSE, abs_tol=CLOSE
    )


def paired_estimate(
    found: Found,
    old: Estimate,
    new: Estimate,
    how: Scale,
    *,
    n_units: int,
    resamples: int,
    confidence: float,
) -> Estimate:
    """Return the difference of a figure between the same units.

    Parameters
    ----------
    found : Found
        As the draws gave it.
    old, new : Estimate
        The figure as the dossiers hold it.
    how : {"difference", "ratio", "size"}
    n_units, resamples : int
        Units drawn from, and draws.
    confidence : float
        0 < confidence < 1.
    """
    value = _set_against(found.old, found.new, how)
    if not math.isfinite(value):
        return Estimate.missing(_("the ratio is not defined: a figure is 0"))
    if not found.differing:
        # Not an interval of width 0: how rare a difference is, a sample without one does not show.
        return Estimate(1.0 if how == "ratio" else 0.0, reason=_(NONE_DIFFERS))
    few = found.differing < FEWEST or found.support < FEWEST
    if not few and math.isfinite(found.low) and math.isfinite(found.high):
        method = _(BOOTSTRAP).format(n=fixed(n_units, 0), draws=fixed(resamples, 0))
        # A percentile may miss the estimate where draws pile up; the interval still holds it.
        low, high = min(found.low, value), max(found.high, value)
        return Estimate(value, low, high, confidence, method)
    return _correlated(found, old, new, how, value, n_units=n_units, confidence=confidence)


def _set_against(old: float, new: float, how: Scale) -> float:
    if how == "ratio":
        return new / old if old else math.nan
    return abs(new) - abs(old) if how == "size" else new - old


def _correlated(
    found: Found,
    old: Estimate,
    new: Estimate,
    how: Scale,
    value: float,
    *,
    n_units: int,
    confidence: float,
) -> Estimate:
    """Return the difference from the stored intervals, less what the two have in common."""
    if None in (old.low, old.high, new.low, new.high):
        return Estimate(value, reason=_("too few units to resample, and no stored interval"))
    if not old.confidence == new.confidence == confidence:
        return Estimate(value, reason=_("the two intervals differ in their confidence"))
    first, second = (
        Limits.of(one.estimate or 0, one.low or 0, one.high or 0) for one in (old, new)
    )
    limits = compared(first, second, how, correlation=found.correlation)
    low, high = float(limits.low[0]), float(limits.high[0])
    if not (math.isfinite(low) and math.isfinite(high)):
        return Estimate(value, reason=_("an end of the interval is not finite"))
    text, k = (UNDEFINED, 0)
    if found.support < FEWEST:
        text, k = FEW_BEHIND, found.support
    elif found.differing < FEWEST:
        text, k = FEW_DIFFER, found.differing
    method = _(text).format(k=fixed(k, 0), n=fixed(n_units, 0))
    return Estimate(value, min(low, value), max(high, value), confidence, method)
