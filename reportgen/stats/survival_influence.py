"""Analytic standard errors of a survival decision curve, from the influence of each row.

The influence of a row is the derivative of an estimate with respect to the row's weight (the
infinitesimal jackknife). Rows of one patient are summed before they are squared. For Kaplan-Meier
the variance so found is Greenwood's; without censoring that of a net benefit is the usual
``[(TP + w^2 FP) / n - NB^2] / n``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.stats.decision import FloatArray
from reportgen.stats.survival import CENSORED, EVENT, checked, is_flagged


@dataclass(frozen=True)
class Influence:
    """The influence of each row, summing to 0 over the rows; NaN where the share is NaN.

    Attributes
    ----------
    true_positive : (M, T, n) float array
    false_positive : (M, T, n) float array
    prevalence : (n,) float array
    """

    true_positive: FloatArray
    false_positive: FloatArray
    prevalence: FloatArray


@dataclass(frozen=True)
class NetBenefitErrors:
    """Standard errors of net benefits; NaN where the net benefit is not estimable.

    Attributes
    ----------
    models : (M, T) float array
    treat_all : (T,) float array
    """

    models: FloatArray
    treat_all: FloatArray


def survival_influence(
    scores: ArrayLike, time: ArrayLike, event: ArrayLike, *, at: float, thresholds: ArrayLike
) -> Influence:
    """Return the influence of each row on the shares of :func:`survival_shares`.

    Parameters
    ----------
    scores, time, event, at, thresholds
        As in :func:`reportgen.stats.survival.survival_shares`.

    Returns
    -------
    Influence
        ``true_positive`` and ``false_positive`` (M, T, n), ``prevalence`` (n,): the change of the
        share per unit of weight added to the row. Takes 16 M T n bytes.

    Raises
    ------
    ValueError
        If shapes do not fit or a value is not finite or out of range.

    References
    ----------
    Jaeckel, Bell Labs Memorandum MM 72-1215-11, 1972 (the infinitesimal jackknife).
    Greenwood, Reports on Public Health 33, 1926.
    """
    scores, time, event, thresholds = checked(scores, time, event, at, thresholds)
    pairs = [
        [_share_influence(is_flagged(row, cut), time, event, at) for cut in thresholds]
        for row in scores
    ]
    both = np.array(pairs)
    _, prevalence = _incidence_influence(time, event, at)
    return Influence(both[:, :, 0], both[:, :, 1], prevalence)


def survival_net_benefit_se(
    scores: ArrayLike,
    time: ArrayLike,
    event: ArrayLike,
    *,
    at: float,
    thresholds: ArrayLike,
    unit: ArrayLike | None = None,
) -> NetBenefitErrors:
    """Return the analytic standard errors of the net benefits of the models and of treat all.

    Parameters
    ----------
    scores, time, event, at
        As in :func:`reportgen.stats.survival.survival_shares`.
    thresholds : (T,) array_like of float
        Threshold probabilities, 0 <= t < 1.
    unit : (n,) array_like, optional
        Whom each row belongs to; each row is its own unit without it.

    Returns
    -------
    NetBenefitErrors
        ``models`` (M, T) and ``treat_all`` (T,); 0 where nobody is flagged, NaN where the share is
        not estimable. No small-sample factor, as in the bootstrap.

    Raises
    ------
    ValueError
        If shapes do not fit or a value is not finite or out of range.
    """
    scores, time, event, thresholds = checked(scores, time, event, at, thresholds)
    if thresholds.min() < 0 or thresholds.max() >= 1:
        raise ValueError(f"thresholds must lie in [0, 1), not {thresholds}")
    place = _unit_places(unit, time.size)
    models = np.empty((len(scores), thresholds.size))
    for m, row in enumerate(scores):
        for t, cut in enumerate(thresholds):
            true, false = _share_influence(is_flagged(row, cut), time, event, at)
            models[m, t] = _standard_error(true - cut / (1 - cut) * false, place)
    _, prevalence = _incidence_influence(time, event, at)
    # Treat all: p - w (1 - p) with w = t / (1 - t), so its slope in p is 1 + w = 1 / (1 - t).
    return NetBenefitErrors(models, _standard_error(prevalence, place) / (1 - thresholds))


def _unit_places(unit: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Return each row's unit as a position."""
    if unit is None:
        return np.arange(n)
    names = np.asarray(unit)
    if names.shape != (n,):
        raise ValueError(f"unit must have shape ({n},), not {names.shape}")
    return np.unique(names, return_inverse=True)[1]


def _standard_error(influence: FloatArray, place: NDArray[np.intp]) -> float:
    return float(np.sqrt(np.sum(np.bincount(place, influence) ** 2)))


def _share_influence(
    flagged: NDArray[np.bool_], time: FloatArray, event: NDArray[np.int64], at: float
) -> FloatArray:
    """Return (2, n): the influence on the shares of true and false positives.

    Product rule on F P and (1 - F) P, with F the incidence among the flagged and P their share.
    """
    n = flagged.size
    if not flagged.any():
        return np.zeros((2, n))
    share = flagged.mean()
    incidence, inside = _incidence_influence(time[flagged], event[flagged], at)
    moved = np.zeros(n)
    moved[flagged] = share * inside
    larger = (flagged - share) / n
    return np.stack([incidence * larger + moved, (1 - incidence) * larger - moved])


def _incidence_influence(
    time: FloatArray, event: NDArray[np.int64], at: float
) -> tuple[float, FloatArray]:
    """Return the cumulative incidence at `at` in one group and each row's influence on it.

    With Y at risk, d events of interest and all events c at the k-th time, S the probability of
    being free of events before it and G the incidence still to come for those free after it, a
    row's weight moves ``S (d - c G) / Y``: through d and c if its event is there, through Y as long
    as it is at risk.
    """
    kind = np.where(time <= at, event, CENSORED)
    happened = kind != CENSORED
    moments, place = np.unique(time[happened], return_inverse=True)
    is_interest = kind[happened] == EVENT
    at_risk = time.size - np.searchsorted(np.sort(time), moments, side="left")
    both = np.bincount(place, minlength=moments.size)
    interest = np.bincount(place, is_interest, minlength=moments.size)
    free = np.concatenate([[1.0], np.cumprod(1 - both / at_risk)])
    if free[-1] > 0 and not np.any(~happened & (time >= at)):
        return np.nan, np.full(time.size, np.nan)
    before = free[:-1]
    risen = np.concatenate([[0.0], np.cumsum(before * interest / at_risk)])
    # S G = (F - F_k) / (1 - c / Y); where everyone at risk has an event, the terms in G cancel.
    goes_on = both < at_risk
    remaining = np.where(goes_on, 1 - both / at_risk, 1)
    to_come = np.where(goes_on, (risen[-1] - risen[1:]) / remaining, 0)
    at_risk_part = np.cumsum((before * interest - both * to_come) / at_risk**2)
    steps = np.searchsorted(moments, time, side="right")
    influence = -np.concatenate([[0.0], at_risk_part])[steps]
    influence[happened] += (is_interest * before[place] - to_come[place]) / at_risk[place]
    return float(risen[-1]), influence
