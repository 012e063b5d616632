"""What a decision curve section finds: flat rows, as they stand in results.json."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from reportgen.language import mark
from reportgen.result import Estimate, LeftOut

RULE = mark("score >= threshold")
TREAT_ALL = mark("treat all")
TREAT_NONE = mark("treat none")
BETTER_DEFAULT = mark("better of treat all and treat none")
AS_DEPLOYED = mark("as deployed")
RECALIBRATED = mark("recalibrated")
Verdict = Literal["supported", "not supported", "undecided"]
VERDICTS = mark("supported"), mark("not supported"), mark("undecided")
"""Codes of results.json, as are the names above: pages and findings translate them."""


@dataclass(frozen=True)
class CurveRow:
    """One strategy at one threshold. Every rate is a share of all rows unless it says otherwise.

    ``net_benefit`` carries the pointwise interval; ``simultaneous_low/high`` hold for the whole
    curve at once (sup-t). ``counts_reason`` says why there are no counts, where there are none.
    """

    model: str
    probabilities: str
    threshold: float
    net_benefit: Estimate
    simultaneous_low: float | None
    simultaneous_high: float | None
    standardised_net_benefit: Estimate
    net_benefit_untreated: Estimate
    interventions_avoided_per_100: Estimate
    true_positive_share: float | None
    false_positive_share: float | None
    true_positives: int | None
    false_positives: int | None
    false_negatives: int | None
    true_negatives: int | None
    counts_reason: str | None
    bootstrap_se: float | None
    analytic_se: float | None


@dataclass(frozen=True)
class GainRow:
    """Paired difference in net benefit between `model` and `against` at one threshold."""

    model: str
    against: str
    probabilities: str
    threshold: float
    gain: Estimate
    simultaneous_low: float | None
    simultaneous_high: float | None
    probability_better: float | None
    test_tradeoff: Estimate
    verdict: Verdict | None
    reason: str


@dataclass(frozen=True)
class EvpiRow:
    """Expected value of perfect information about which strategy is best, per row of data."""

    probabilities: str
    threshold: float
    value: float


@dataclass(frozen=True)
class VerdictRow:
    """A maximal run of neighbouring thresholds with one verdict, or the whole range in one.

    Threshold 0 has no verdict, as everyone is treated there with the model as without it.
    ``deciding_threshold`` is the one that the verdict on the whole range hangs on: of those with
    this verdict the one of the lowest simultaneous limit (the upper one if not supported); None
    where no threshold is judged, and for a mere run.
    """

    model: str
    probabilities: str
    from_: float
    to: float
    verdict: Verdict
    reason: str
    against: str = BETTER_DEFAULT
    deciding_threshold: float | None = None


@dataclass(frozen=True)
class ShiftRow:
    """What the net benefit of recalibrated scores would be with another shift.

    The shift is taken from this sample's prevalence; ``net_benefit_low`` and ``net_benefit_high``
    are the net benefit with it taken from the limits of that prevalence, ``prevalence_low`` and
    ``prevalence_high``, the sensitivities and specificities being those of this sample.
    """

    model: str
    threshold: float
    net_benefit: Estimate
    prevalence_low: float
    prevalence_high: float
    net_benefit_low: Estimate
    net_benefit_high: Estimate


@dataclass(frozen=True)
class SelfCheckRow:
    """Bootstrap against analytic standard error of a strategy's net benefit, over thresholds.

    ``reason`` says why there is no ratio, where there is none.
    """

    model: str
    probabilities: str
    ratio_low: float | None
    ratio_median: float | None
    ratio_high: float | None
    thresholds_checked: int
    reason: str | None = None


@dataclass(frozen=True)
class DcaResult:
    """What a decision curve section found.

    ``unit`` is the column that names the independent unit, None if each row is its own.
    """

    rule: str
    table: str
    outcome: str
    horizon: float | None
    n_rows: int
    n_units: int
    unit: str | None
    n_positive: int | None
    n_negative: int | None
    left_out: tuple[LeftOut, ...]
    prevalence: Estimate
    target_prevalence: float | None
    threshold_from: float
    threshold_to: float
    n_thresholds: int
    owner: str | None
    reason: str | None
    harm: Mapping[str, float]
    confidence: float
    resamples: int
    resampled: str
    notes: tuple[str, ...]
    curve: tuple[CurveRow, ...]
    gains: tuple[GainRow, ...]
    evpi: tuple[EvpiRow, ...]
    verdicts: tuple[VerdictRow, ...]
    overall: tuple[VerdictRow, ...]
    self_check: tuple[SelfCheckRow, ...]
    critical_values: Mapping[str, float]
    between_models: tuple[VerdictRow, ...] = ()
    recalibration: tuple[ShiftRow, ...] = ()
