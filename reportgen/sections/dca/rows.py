"""From arrays to the rows of the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.dca.analysis import Data, View
from reportgen.sections.dca.estimates import NO_GROUP, Maker, number
from reportgen.sections.dca.result import (
    BETTER_DEFAULT,
    TREAT_ALL,
    CurveRow,
    EvpiRow,
    GainRow,
    SelfCheckRow,
    VerdictRow,
)
from reportgen.sections.dca.verdicts import (
    Judged,
    deciding,
    judge,
    pair_shortfall,
    runs,
    shortfall,
    whole,
)
from reportgen.stats import decision
from reportgen.stats.bands import (
    Band,
    standard_deviation,
    sup_t_band,
)
from reportgen.stats.decision import FloatArray

SMALLEST_ERROR = 1e-8
"""A standard error below this is the root of a rounded zero."""

NO_COUNTS = mark(
    "rows censored before the horizon are of neither class: shares are estimated, not counted"
)
UNCHECKED = mark("at no threshold both a standard error above 0 and enough units behind it")
AT_ZERO = mark("not defined at threshold 0, where everyone is treated")


@dataclass(frozen=True)
class Benefit:
    """The net benefit of every strategy in one view: (M + 2, T), and its resamples."""

    point: FloatArray
    draws: FloatArray
    error: FloatArray
    band: Band


def benefit_of(view: View, thresholds: FloatArray, harm: FloatArray, maker: Maker) -> Benefit:
    """Return the net benefit of a view, harm subtracted, with its simultaneous band."""
    point = decision.net_benefit(view.point, thresholds=thresholds, harm=harm)
    draws = decision.net_benefit(view.draws, thresholds=thresholds, harm=harm)
    band = sup_t_band(point, draws, confidence=maker.confidence)
    return Benefit(point, draws, standard_deviation(draws), band)


def curve_rows(
    data: Data,
    view: View,
    benefit: Benefit,
    *,
    thresholds: FloatArray,
    harm: FloatArray,
    maker: Maker,
) -> Iterator[CurveRow]:
    """Yield every strategy at every threshold, strategies first."""
    net = maker.estimates(benefit.point, benefit.draws)
    scaled = maker.estimates(
        decision.standardised(benefit.point, view.point.prevalence),
        decision.standardised(benefit.draws, view.draws.prevalence),
    )
    untreated = maker.estimates(
        decision.net_benefit_untreated(view.point, thresholds=thresholds),
        decision.net_benefit_untreated(view.draws, thresholds=thresholds),
        why=[NO_GROUP if t > 0 else AT_ZERO for t in thresholds],
    )
    # Avoided interventions are the net benefit of the untreated less the harm at its exchange
    # rate; the same draws give their limits.
    with np.errstate(divide="ignore", invalid="ignore"):
        cost = np.where(harm[:, None] > 0, harm[:, None] / decision.odds(thresholds), 0.0)
    avoided = untreated.shifted(np.where(np.isfinite(cost), cost, 0.0), times=100)
    for m, model in enumerate(data.strategies):
        for t, threshold in enumerate(thresholds.tolist()):
            yield CurveRow(
                model=model,
                probabilities=view.probabilities,
                threshold=threshold,
                net_benefit=net[m, t],
                simultaneous_low=number(benefit.band.low[m, t]),
                simultaneous_high=number(benefit.band.high[m, t]),
                standardised_net_benefit=scaled[m, t],
                net_benefit_untreated=untreated[m, t],
                interventions_avoided_per_100=avoided[m, t],
                true_positive_share=number(view.point.true_positive[m, t]),
                false_positive_share=number(view.point.false_positive[m, t]),
                **_counts(data, view, m, t),
                bootstrap_se=number(benefit.error[m, t]),
                analytic_se=number(view.analytic_error[m, t]),
            )


def _counts(data: Data, view: View, m: int, t: int) -> _Counts:
    if view.flagged is None:
        return _Counts(
            true_positives=None,
            false_positives=None,
            false_negatives=None,
            true_negatives=None,
            counts_reason=_(NO_COUNTS),
        )
    tp, fp = int(view.flagged[0][m, t]), int(view.flagged[1][m, t])
    return _Counts(
        true_positives=tp,
        false_positives=fp,
        false_negatives=int(data.positive.sum()) - tp,
        true_negatives=int(data.negative.sum()) - fp,
        counts_reason=None,
    )


class _Counts(TypedDict):
    true_positives: int | None
    false_positives: int | None
    false_negatives: int | None
    true_negatives: int | None
    counts_reason: str | None


@dataclass(frozen=True)
class Comparison:
    """Gains of models over what they are compared with: arrays of P comparisons, (P, T)."""

    names: tuple[tuple[str, str], ...]
    gain: FloatArray
    draws: FloatArray
    band: Band
    short: tuple[tuple[str, ...], ...]
    """Per comparison and threshold, what too few units stand behind; "" where there are enough."""


def comparisons(data: Data, view: View, benefit: Benefit, maker: Maker) -> tuple[Comparison, ...]:
    """Return the gains over the better default and, with several models, between them."""
    models = range(len(data.names))
    defaults = _comparison(
        tuple((name, BETTER_DEFAULT) for name in data.names),
        decision.gain_over_defaults(benefit.point),
        decision.gain_over_defaults(benefit.draws),
        tuple(shortfall(view.support, m, data.resampled) for m in models),
        maker,
    )
    pairs = [(i, j) for i in models for j in models if i < j]
    if not pairs:
        return (defaults,)
    first, second = (list(side) for side in zip(*pairs, strict=True))
    between = _comparison(
        tuple((data.names[i], data.names[j]) for i, j in pairs),
        benefit.point[first] - benefit.point[second],
        benefit.draws[:, first] - benefit.draws[:, second],
        tuple(pair_shortfall(view.support, pair, data.resampled) for pair in pairs),
        maker,
    )
    return defaults, between


def _comparison(
    names: tuple[tuple[str, str], ...],
    gain: FloatArray,
    draws: FloatArray,
    short: tuple[tuple[str, ...], ...],
    maker: Maker,
) -> Comparison:
    band = sup_t_band(gain, draws, confidence=maker.confidence)
    return Comparison(names, gain, draws, band, short)


def gain_rows(
    view: View, compared: Comparison, *, thresholds: FloatArray, maker: Maker
) -> Iterator[GainRow]:
    """Yield every comparison at every threshold."""
    gains = maker.estimates(compared.gain, compared.draws)
    better = _share_above_zero(compared.draws)
    for p, (model, against) in enumerate(compared.names):
        judged = judged_of(compared, p, thresholds)
        for t, threshold in enumerate(thresholds.tolist()):
            yield GainRow(
                model=model,
                against=against,
                probabilities=view.probabilities,
                threshold=threshold,
                gain=gains[p, t],
                simultaneous_low=number(compared.band.low[p, t]),
                simultaneous_high=number(compared.band.high[p, t]),
                probability_better=number(better[p, t]),
                test_tradeoff=_tradeoff(gains[p, t]),
                verdict=judged[t].verdict,
                reason=judged[t].reason,
            )


def _share_above_zero(draws: FloatArray) -> FloatArray:
    undefined = np.isnan(draws)
    known = len(draws) - undefined.sum(axis=0)
    above = (np.where(undefined, 0.0, draws) > decision.TIE).sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known > 0, above / np.maximum(known, 1), np.nan))


def _tradeoff(gain: Estimate) -> Estimate:
    """Return how many must be scored for one net true positive more, from the gain's interval."""
    if gain.estimate is None:
        return gain
    patients = number(decision.test_tradeoff(np.asarray(gain.estimate)))
    if patients is None:
        return Estimate.missing(_("the gain is not above 0"))
    if gain.low is None or gain.high is None:
        return Estimate(patients, reason=gain.reason)
    method = _("inverse of the gain's interval ({method})").format(method=gain.method)
    most = number(decision.test_tradeoff(np.asarray(gain.low)))
    reason = gain.reason
    if most is None:
        reason = _("no upper limit: the gain's interval reaches 0")
    return Estimate(patients, 1 / gain.high, most, gain.confidence, method, reason)


def judged_of(compared: Comparison, p: int, thresholds: FloatArray) -> tuple[Judged, ...]:
    """Return the verdict at every threshold for comparison `p`."""
    band = compared.band
    return judge(thresholds, band.low[p], band.high[p], compared.short[p])


def verdict_rows(
    view: View, compared: Comparison, *, thresholds: FloatArray
) -> tuple[list[VerdictRow], list[VerdictRow]]:
    """Return the maximal runs of one verdict, and one row a comparison for the whole range."""
    parts: list[VerdictRow] = []
    overall: list[VerdictRow] = []
    for p, (model, against) in enumerate(compared.names):
        judged = judged_of(compared, p, thresholds)
        for start, stop, verdict, reason in runs(judged):
            first, last = float(thresholds[start]), float(thresholds[stop])
            parts.append(
                VerdictRow(model, view.probabilities, first, last, verdict, reason, against)
            )
        verdict, reason = whole(judged, thresholds)
        ends = float(thresholds[0]), float(thresholds[-1])
        place = deciding(judged, verdict, compared.band.low[p], compared.band.high[p])
        hinge = None if place is None else float(thresholds[place])
        overall.append(
            VerdictRow(model, view.probabilities, *ends, verdict, reason, against, hinge)
        )
    return parts, overall


def evpi_rows(view: View, benefit: Benefit, *, thresholds: FloatArray) -> Iterator[EvpiRow]:
    """Yield the value of perfect information; thresholds at which it is not defined are absent."""
    values = decision.expected_value_of_perfect_information(benefit.draws)
    for threshold, value in zip(thresholds.tolist(), values.tolist(), strict=True):
        if not np.isnan(value):
            yield EvpiRow(view.probabilities, threshold, value)


def self_check_rows(data: Data, view: View, benefit: Benefit) -> Iterator[SelfCheckRow]:
    """Yield the range of bootstrap over analytic standard errors of each strategy that varies.

    Only thresholds with enough units behind a model are checked: with fewer, the two are known to
    part, and no verdict rests on them. Treating none does not vary and is left out.
    """
    for m, model in enumerate(data.strategies[:-1]):
        usable = view.analytic_error[m] > SMALLEST_ERROR
        if model != TREAT_ALL:
            usable &= np.array([not short for short in shortfall(view.support, m, "rows")])
        ratio = benefit.error[m][usable] / view.analytic_error[m][usable]
        ratio = ratio[~np.isnan(ratio)]
        if not len(ratio):
            yield SelfCheckRow(model, view.probabilities, None, None, None, 0, _(UNCHECKED))
            continue
        low, middle, high = np.quantile(ratio, [0, 0.5, 1]).tolist()
        yield SelfCheckRow(model, view.probabilities, low, middle, high, len(ratio))
