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
        [_share_influence(is_flagged(row, cut), time, event, at)[1] for cut in thresholds]
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
    cutoffs: ArrayLike | None = None,
    target: float | None = None,
) -> NetBenefitErrors:
    """Return the analytic standard errors of the net benefits of the models and of treat all.

    Parameters
    ----------
    scores, time, event, at
        As in :func:`reportgen.stats.survival.survival_shares`.
    thresholds : (T,) array_like of float
        Threshold probabilities that weigh false positives, 0 <= t < 1.
    unit : (n,) array_like, optional
        Whom each row belongs to; each row is its own unit without it.
    cutoffs : (T,) array_like of float, optional
        What the score is compared with at each threshold; the threshold itself without it.
    target : float, optional
        Prevalence to which the net benefit is carried, 0 < target < 1, taken as known: the true
        positives times target / prevalence, the false ones times (1 - target) / (1 - prevalence).

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
    compared = thresholds if cutoffs is None else cutoffs
    scores, time, event, cuts = checked(scores, time, event, at, compared)
    odds = _odds(thresholds, cuts)
    if target is not None and not 0 < target < 1:
        raise ValueError(f"target must lie between 0 and 1, not {target}")
    place = _unit_places(unit, time.size)
    prevalence = _incidence_influence(time, event, at)
    everyone = np.ones(time.size, dtype=bool)
    groups = [[is_flagged(row, cut) for cut in cuts] for row in scores]
    errors = np.empty((len(scores) + 1, cuts.size))
    for m, row in enumerate([*groups, [everyone] * cuts.size]):
        for t, flagged in enumerate(row):
            shares = _share_influence(flagged, time, event, at)
            moved = _net_benefit_influence(shares, prevalence, odds=odds[t], target=target)
            errors[m, t] = np.sqrt(np.sum(np.bincount(place, moved) ** 2))
    return NetBenefitErrors(errors[:-1], errors[-1])


def _odds(thresholds: ArrayLike, cuts: FloatArray) -> FloatArray:
    """Return the odds of the thresholds, or raise ValueError."""
    values = np.asarray(thresholds, dtype=np.float64)
    if values.shape != cuts.shape or not ((values >= 0) & (values < 1)).all():
        raise ValueError(f"thresholds must have shape {cuts.shape} and lie in [0, 1): {values}")
    return np.asarray(values / (1 - values))


def _net_benefit_influence(
    shares: tuple[FloatArray, FloatArray],
    prevalence: tuple[float, FloatArray],
    *,
    odds: float,
    target: float | None,
) -> FloatArray:
    """Return (n,): the influence on ``tp - odds fp``, carried to the target prevalence if any."""
    (true, false), (true_moved, false_moved) = shares
    own, own_moved = prevalence
    if target is None:
        return np.asarray(true_moved - odds * false_moved)
    if not 0 < own < 1:
        return np.full(own_moved.size, np.nan)
    gain, loss = target / own, odds * (1 - target) / (1 - own)
    mix = gain * true / own + loss * false / (1 - own)
    return np.asarray(gain * true_moved - loss * false_moved - mix * own_moved)


def _unit_places(unit: ArrayLike | None, n: int) -> NDArray[np.intp]:
    """Return each row's unit as a position."""
    if unit is None:
        return np.arange(n)
    names = np.asarray(unit)
    if names.shape != (n,):
        raise ValueError(f"unit must have shape ({n},), not {names.shape}")
    return np.unique(names, return_inverse=True)[1]


def _share_influence(
    flagged: NDArray[np.bool_], time: FloatArray, event: NDArray[np.int64], at: float
) -> tuple[FloatArray, FloatArray]:
    """Return (2,) and (2, n): the shares of true and false positives and the influence on them.

    Product rule on F P and (1 - F) P, with F the incidence among the flagged and P their share.
    """
    n = flagged.size
    if not flagged.any():
        return np.zeros(2), np.zeros((2, n))
    share = flagged.mean()
    incidence, inside = _incidence_influence(time[flagged], event[flagged], at)
    moved = np.zeros(n)
    moved[flagged] = share * inside
    larger = (flagged - share) / n
    parts = np.array([incidence, 1 - incidence])
    return parts * share, parts[:, None] * larger + np.stack([moved, -moved])


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
