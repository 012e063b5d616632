"""Analytic standard errors of net benefit, which the resamples are checked against.

References
----------
Pfeiffer & Gail (2020), Biom J 62:764 (influence function, known prevalence).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reportgen.stats.decision import FloatArray, Shares, odds


@dataclass(frozen=True)
class Influence:
    """What one row adds to a net benefit, to first order.

    A row counts `flagged_positive` if it is a true positive, `flagged_negative` if it is a false
    positive, `positive` if it is positive, and `row` in any case; the sum has mean zero. Each is an
    (M, T) float array.
    """

    flagged_positive: FloatArray
    flagged_negative: FloatArray
    positive: FloatArray
    row: FloatArray


def influence(shares: Shares, *, thresholds: ArrayLike, target: float | None = None) -> Influence:
    """Return the influence of a row on the net benefit.

    Parameters
    ----------
    shares : Shares
        At the sample's own mix, shape (M, T), both classes present if there is a `target`.
    thresholds : (T,) array_like
        Threshold probabilities that weigh false positives, 0 <= t < 1.
    target : float, optional
        Prevalence to which the net benefit is carried by `at_prevalence`; the sample's own mix if
        absent. It is taken as known.
    """
    tp, fp, own = shares.true_positive, shares.false_positive, float(shares.prevalence)
    weight = np.broadcast_to(odds(thresholds), tp.shape)
    if target is None:
        return Influence(np.ones_like(tp), -weight, np.zeros_like(tp), weight * fp - tp)
    gain, loss = target / own, weight * (1 - target) / (1 - own)
    row = loss * fp / (1 - own)
    return Influence(np.full_like(tp, gain), -loss, -gain * tp / own - row, row)


def standard_error(shares: Shares, effect: Influence, *, n: int) -> FloatArray:
    """Return the analytic standard error of the net benefit with independent rows.

    At the sample's own mix this is ``sqrt((tp + odds^2 fp - NB^2) / n)``.

    Parameters
    ----------
    shares : Shares
        At the sample's own mix, shape (M, T).
    effect : Influence
        From `influence`, for the same shares.
    n : int
        Number of rows, > 0.

    Returns
    -------
    (M, T) float array
    """
    tp, fp, own = shares.true_positive, shares.false_positive, shares.prevalence
    missed = effect.positive + effect.row
    variance = (
        tp * (effect.flagged_positive + missed) ** 2
        + (own - tp) * missed**2
        + fp * (effect.flagged_negative + effect.row) ** 2
        + (1 - own - fp) * effect.row**2
    )
    return np.asarray(np.sqrt(np.maximum(variance, 0) / n))
