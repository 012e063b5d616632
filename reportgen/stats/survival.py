"""Decision curves for a time-to-event outcome: shares, counts and standard errors at a horizon.

Who has had the event by the horizon is not known for a row censored before it, so the shares of
true and false positives rest on the cumulative incidence *within the flagged group*: Kaplan-Meier
without competing events and Aalen-Johansen with them (Vickers et al. 2008). One recursion gives
both, for all thresholds and resamples at once. It runs backwards in time, so that the numbers at
risk are sums that only grow (exact for whole weights) and the latest times, at which a small group
may have nobody left, come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.stats.decision import FloatArray, Shares

CENSORED, EVENT, COMPETING = 0, 1, 2
"""Codes of `event`: follow-up ended, the event of interest, an event that rules it out."""

BLOCK_BYTES = 64_000_000
"""About what the weights of one block of resamples may take; bounds the memory of a call."""


@dataclass(frozen=True)
class _Schedule:
    """The rows in the order of the recursion, latest first.

    ``steps[s] = (start, events, competing, stop)`` are positions in the ordered rows: those from
    ``start`` are at risk from this event time on without an event at it, then come the events of
    interest and the competing ones. The first `followed` rows reached the horizon free of events.
    """

    order: NDArray[np.intp]
    followed: int
    steps: NDArray[np.intp]


@dataclass(frozen=True)
class _Nesting:
    """Whom each threshold flags: group 0 holds everyone, and each group holds the next one.

    Attributes
    ----------
    member : (T + 1, n) float array of 0 and 1
    depth : (n,) int array
        In how many groups the row is; they are the first ones.
    """

    member: FloatArray
    depth: NDArray[np.int64]


@dataclass(frozen=True)
class SurvivalCounts:
    """Rows whose state at the horizon is known, by what the rule does with them.

    Attributes
    ----------
    true_positive : (M, T) int array
        Flagged with the event of interest by the horizon.
    false_negative : (M, T) int array
        Not flagged, with the event of interest by the horizon.
    false_positive : (M, T) int array
        Flagged and known not to have had it by the horizon: followed up to it, or with a competing
        event before.
    """

    true_positive: NDArray[np.int64]
    false_negative: NDArray[np.int64]
    false_positive: NDArray[np.int64]


def survival_shares(
    scores: ArrayLike,
    time: ArrayLike,
    event: ArrayLike,
    *,
    at: float,
    thresholds: ArrayLike,
    weights: ArrayLike | None = None,
) -> Shares:
    """Return the shares of true and false positives at a horizon, and the prevalence.

    With F the cumulative incidence of the event of interest by `at` among those with ``score >=
    threshold`` and P their share, the true positives are F P and the false positives (1 - F) P.
    Events at one time come before censorings at it; an event exactly at `at` counts. A competing
    event makes a row free of the event of interest for good.

    Parameters
    ----------
    scores : (M, n) array_like of float
        Predicted risk by `at`, higher meaning more events; M models, n rows.
    time : (n,) array_like of float
        Time of the event or of the end of follow-up, 0 <= time.
    event : (n,) array_like of int
        0 censored, 1 event of interest, 2 competing event.
    at : float
        The horizon, 0 < at, in the unit of `time`.
    thresholds : (T,) array_like of float
        Threshold probabilities, in any order; at 0 and below everyone is flagged.
    weights : (B, n) array_like of float, optional
        How often each row stands in each of B resamples, 0 <= weight; whole or fractional.

    Returns
    -------
    Shares
        ``true_positive`` and ``false_positive`` (M, T), ``prevalence`` (); with `weights` each has
        a leading axis B. The share of a threshold that flags nobody is 0. It is NaN where the
        group's follow-up ends before `at` with a censoring, as its incidence at `at` is then not
        estimable; if everyone has had some event by then it is. So is a NaN prevalence.

    Raises
    ------
    ValueError
        If shapes do not fit, a value is not finite or out of range, or a resample is empty.

    Notes
    -----
    Costs about (rows up to `at`) x B x M x T additions and the memory of one block of resamples
    (BLOCK_BYTES) beside `weights`; integer weights of a small type save memory. Resamples may be
    handed over in parts and the shares concatenated.

    References
    ----------
    Vickers, Cronin, Elkin & Gonen, BMC Med Inform Decis Mak 2008, 8:53 (survival, competing risk).
    Aalen & Johansen, Scand J Stat 1978, 5:141-150. Kaplan & Meier, JASA 1958, 53:457-481.
    """
    scores, time, event, thresholds = checked(scores, time, event, at, thresholds)
    weighted = _checked_weights(weights, time.size)
    ascending, back = np.unique(thresholds, return_inverse=True)
    schedule = _schedule(time, event, at)
    nestings = [_nesting(row[schedule.order], ascending) for row in scores]
    parts = [
        _block_shares(block, nestings, schedule) for block in _blocks(weighted, schedule.order)
    ]
    true_positive, false_positive, prevalence = (
        np.concatenate([part[name] for part in parts]) for name in range(3)
    )
    shares = Shares(true_positive[..., back], false_positive[..., back], prevalence)
    if weights is None:
        return Shares(shares.true_positive[0], shares.false_positive[0], shares.prevalence[0])
    return shares


def survival_counts(
    scores: ArrayLike, time: ArrayLike, event: ArrayLike, *, at: float, thresholds: ArrayLike
) -> SurvivalCounts:
    """Return how many rows of known state stand behind each threshold's shares.

    Rows censored before `at` count nowhere. A row censored exactly at `at` was followed up to it,
    as events come before censorings at one time.

    Parameters
    ----------
    scores, time, event, at, thresholds
        As in :func:`survival_shares`.

    Returns
    -------
    SurvivalCounts
        Counts (M, T).

    Raises
    ------
    ValueError
        If shapes do not fit or a value is not finite or out of range.
    """
    scores, time, event, thresholds = checked(scores, time, event, at, thresholds)
    had = (event == EVENT) & (time <= at)
    free = ((event == CENSORED) & (time >= at)) | ((event != CENSORED) & (time > at))
    free |= (event == COMPETING) & (time <= at)
    flagged = np.stack([is_flagged(scores, cut) for cut in thresholds], axis=1)
    return SurvivalCounts(
        true_positive=np.count_nonzero(flagged & had, axis=-1),
        false_negative=np.count_nonzero(~flagged & had, axis=-1),
        false_positive=np.count_nonzero(flagged & free, axis=-1),
    )


def is_flagged(scores: FloatArray, threshold: float) -> NDArray[np.bool_]:
    """Return who is flagged: ``score >= threshold``, and everyone at 0 and below."""
    return (scores >= threshold) | (threshold <= 0)


def _schedule(time: FloatArray, event: NDArray[np.int64], at: float) -> _Schedule:
    """Return the order of the backward recursion; what happens after `at` is follow-up only."""
    kind = np.where(time <= at, event, CENSORED)
    moments = np.unique(time[kind != CENSORED])
    back = moments.size - np.searchsorted(moments, time, side="right")
    order = np.lexsort((-time, kind, back))
    keys = (3 * back + kind)[order]
    edges = np.searchsorted(keys, np.arange(3 * (moments.size + 1) + 1))
    followed = int(np.count_nonzero((kind == CENSORED) & (time >= at)))
    edges[0] = followed
    steps = np.column_stack([edges[0:-1:3], edges[1::3], edges[2::3], edges[3::3]])
    return _Schedule(order, followed, steps)


def _nesting(score: FloatArray, ascending: FloatArray) -> _Nesting:
    """Return which groups hold which row, for thresholds in ascending order."""
    flagged = [is_flagged(score, cut) for cut in ascending]
    member = np.vstack([np.ones(score.size), *flagged]).astype(np.float64)
    return _Nesting(member, member.sum(axis=0).astype(np.int64))


def _blocks(weights: NDArray[np.number], order: NDArray[np.intp]) -> Iterator[FloatArray]:
    """Yield the weights as (n, block) float arrays with the rows in `order`."""
    size = int(np.clip(BLOCK_BYTES // (8 * order.size), 16, 512))
    for start in range(0, len(weights), size):
        yield np.ascontiguousarray(weights[start : start + size].T[order], dtype=np.float64)


def _block_shares(
    weights: FloatArray, nestings: list[_Nesting], schedule: _Schedule
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return true and false positives (block, M, T) and the prevalence (block,)."""
    results = [_incidence(weights, nesting, schedule) for nesting in nestings]
    incidence = np.stack([result[0] for result in results])
    group = np.stack([result[1] for result in results])
    share = group / group[:, :1]
    true_positive = np.moveaxis(incidence * share, -1, 0)
    false_positive = np.moveaxis((1 - incidence) * share, -1, 0)
    return true_positive[:, :, 1:], false_positive[:, :, 1:], incidence[0, 0]


def _incidence(
    weights: FloatArray, nesting: _Nesting, schedule: _Schedule
) -> tuple[FloatArray, FloatArray]:
    """Return each group's cumulative incidence (T + 1, block) and its weight.

    From the horizon backwards, with h the hazard of the event of interest and g that of any event,
    ``incidence from here on = h + (1 - g) * incidence after``. `unknown` follows the probability of
    being free of events at the horizon where nobody is left there: above 0, nothing can be said.
    """
    followed = schedule.followed
    at_risk = nesting.member[:, :followed] @ weights[:followed]
    first = int(np.count_nonzero((at_risk > 0).all(axis=1)))
    unknown = (at_risk[first:] == 0).astype(np.float64)
    incidence = np.zeros_like(at_risk)
    for start, events, competing, stop in schedule.steps.tolist():
        _add(at_risk, weights, nesting, start, events)
        if events == stop:
            continue
        groups = int(nesting.depth[events:stop].max())
        interest = _total(weights, nesting, events, competing, groups)
        both = interest + _total(weights, nesting, competing, stop, groups)
        at_risk[:groups] += both
        # A group without weight here has no events here either: 0 / tiny is 0.
        divisor = np.maximum(at_risk[:groups], np.finfo(np.float64).tiny)
        incidence[:groups] += (interest - both * incidence[:groups]) / divisor
        left = unknown[: max(groups - first, 0)]
        left -= both[first:] * left / divisor[first:]
    incidence[first:][unknown > 0] = np.nan
    incidence[at_risk == 0] = 0
    return incidence, at_risk


def _add(
    at_risk: FloatArray, weights: FloatArray, nesting: _Nesting, start: int, stop: int
) -> None:
    """Add the weight of the ordered rows start to stop to the groups that hold them."""
    if stop > start:
        groups = int(nesting.depth[start:stop].max())
        at_risk[:groups] += _total(weights, nesting, start, stop, groups)


def _total(
    weights: FloatArray, nesting: _Nesting, start: int, stop: int, groups: int
) -> FloatArray:
    """Return the weight of the ordered rows start to stop in each of the first groups.

    One row in all of these groups, the usual case without ties, needs no product.
    """
    if stop - start == 1 and nesting.depth[start] >= groups:
        return np.broadcast_to(weights[start], (groups, weights.shape[1]))
    return nesting.member[:groups, start:stop] @ weights[start:stop]


def checked(
    scores: ArrayLike, time: ArrayLike, event: ArrayLike, at: float, thresholds: ArrayLike
) -> tuple[FloatArray, FloatArray, NDArray[np.int64], FloatArray]:
    """Return the arguments as arrays, or raise ValueError saying what does not fit."""
    score = np.asarray(scores, dtype=np.float64)
    moment = np.asarray(time, dtype=np.float64)
    code = np.asarray(event)
    cut = np.asarray(thresholds, dtype=np.float64)
    if score.ndim != 2 or cut.ndim != 1 or moment.ndim != 1 or 0 in (score.size, cut.size):
        raise ValueError(f"scores {score.shape}, time {moment.shape}, thresholds {cut.shape}")
    if moment.shape != score.shape[1:] or code.shape != moment.shape:
        raise ValueError(f"scores {score.shape}, time {moment.shape}, event {code.shape}")
    if not all(np.isfinite(part).all() for part in (score, moment, cut)):
        raise ValueError("scores, time and thresholds must be finite")
    if moment.min() < 0 or not 0 < at < np.inf:
        raise ValueError(f"time from {moment.min()} to the horizon {at}: 0 <= time, 0 < at")
    if not np.isin(code, (CENSORED, EVENT, COMPETING)).all():
        raise ValueError(f"event must be 0, 1 or 2, not {np.unique(code)}")
    return score, moment, code.astype(np.int64), cut


def _checked_weights(weights: ArrayLike | None, n: int) -> NDArray[np.number]:
    """Return the (B, n) weights, all 1 without any."""
    if weights is None:
        return np.ones((1, n))
    array: NDArray[np.number] = np.asarray(weights)
    if array.ndim != 2 or array.shape[1] != n or not array.size:
        raise ValueError(f"weights must have shape (B, {n}), not {array.shape}")
    total = array.sum(axis=1, dtype=np.float64)
    if array.min() < 0 or not np.isfinite(total).all() or total.min() <= 0:
        raise ValueError("weights must be finite, none negative, and no resample without weight")
    return array
