"""What a prevalence section finds, as flat rows."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.result import Estimate, LeftOut


@dataclass(frozen=True)
class OperatingPoint:
    """What the classifier does at one threshold; none of this moves with the class mix."""

    threshold: float | None
    sensitivity: Estimate
    specificity: Estimate
    positive_likelihood_ratio: Estimate
    negative_likelihood_ratio: Estimate
    balanced_accuracy: Estimate
    youden: Estimate
    diagnostic_odds_ratio: Estimate
    true_positives: int | None
    false_negatives: int | None
    false_positives: int | None
    true_negatives: int | None


@dataclass(frozen=True)
class MetricRow:
    """One metric at one prevalence."""

    threshold: float | None
    prevalence: float
    metric: str
    value: Estimate
    low_mercaldo: float | None
    high_mercaldo: float | None
    moves_with_mix: bool
    unit: str


@dataclass(frozen=True)
class FrequencyRow:
    """The decisions at one threshold and prevalence in whole numbers, of `of` in all.

    They add up: flagged is rightly plus wrongly flagged, positives is rightly flagged plus missed.
    """

    threshold: float | None
    prevalence: float
    of: int
    positives: int
    flagged: int
    rightly_flagged: int
    wrongly_flagged: int
    missed: int


@dataclass(frozen=True)
class CurveRow:
    """Precision and negative predictive value over a grid of prevalences, for the chart."""

    threshold: float | None
    prevalence: float
    precision: Estimate
    npv: Estimate


@dataclass(frozen=True)
class MovesRow:
    """Whether a metric moves with the class mix, under label shift, and why."""

    metric: str
    moves_with_mix: bool
    why: str


@dataclass(frozen=True)
class SampleMixRow:
    """The class mix a study should collect so that the precision is known best."""

    threshold: float | None
    negatives_per_positive: Estimate
    study_positives: int | None
    study_negatives: int | None
    best_positives: int | None
    best_negatives: int | None


@dataclass(frozen=True)
class UnlabelledRow:
    """An estimate of the prevalence of an unlabelled set."""

    method: str
    threshold: float | None
    prevalence: Estimate
    apparent_prevalence: float | None
    n_rows: int
    n_units: int


@dataclass(frozen=True)
class PrevalenceResult:
    """What a prevalence section found.

    ``unit`` is the column that names the independent unit, None if each row is its own.
    """

    source: str
    table: str | None
    score: str | None
    rule: str
    assumption: str
    n_rows: int | None
    n_units: int | None
    unit: str | None
    n_positive: int | None
    n_negative: int | None
    left_out: tuple[LeftOut, ...]
    sample_prevalence: float | None
    confidence: float
    resamples: int
    notes: tuple[str, ...]
    threshold: float | None
    sensitivity: Estimate
    specificity: Estimate
    auc: Estimate
    operating_points: tuple[OperatingPoint, ...]
    prevalences: tuple[float, ...]
    moves: tuple[MovesRow, ...]
    rows: tuple[MetricRow, ...]
    frequencies: tuple[FrequencyRow, ...]
    curve: tuple[CurveRow, ...]
    sample_mix: tuple[SampleMixRow, ...]
    unlabelled: tuple[UnlabelledRow, ...]
