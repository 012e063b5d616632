"""Rows on evaluation: removal of duplicates, evaluator drift, degenerate models."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.result import Estimate, LeftOut


@dataclass(frozen=True)
class RemovalRow:
    """What a figure becomes when the duplicates leave the evaluation.

    `change` is without minus with, its interval from the cluster bootstrap; `control_low` and
    `control_high` hold the central share of the changes of the matched control removals; `p` is the
    two-sided randomisation p, `p_low` and `p_high` the tails; `p_adjusted` is Holm's over the
    contrasts of one family. `gap` compares duplicates with the others directly.
    """

    metric: str
    class_: str
    all_images: float | None
    without: float | None
    change: Estimate
    control_mean: float | None
    control_low: float | None
    control_high: float | None
    p: float | None
    p_low: float | None
    p_high: float | None
    p_adjusted: float | None
    minimum_detectable_effect: float | None
    gap: Estimate
    detected: bool
    reading: str


@dataclass(frozen=True)
class StratumRow:
    """A stratum of the control removals: its duplicates, and the pool to match them from."""

    dominant_class: str
    instance_quartile: str
    duplicates: int
    pool: int
    short: bool


@dataclass(frozen=True)
class ControlBin:
    """Control removals whose change of a metric lies in [from, to)."""

    metric: str
    from_: float
    to: float
    k: int


@dataclass(frozen=True)
class RemovalEffect:
    """The effect of removing duplicates from the evaluation."""

    status: str
    reason: str | None
    rows: tuple[RemovalRow, ...] = ()
    strata: tuple[StratumRow, ...] = ()
    controls_histogram: tuple[ControlBin, ...] = ()
    images: int | None = None
    duplicates: int | None = None
    instances_share: float | None = None
    clusters: int | None = None
    resamples: int | None = None
    controls: int | None = None
    seed: int | None = None
    convention: str = "coco_101"
    cluster_rule: str = ""
    duplicates_from: str = ""
    control_rule: str = ""
    n_classes: int | None = None
    """Classes with boxes on all images: those in the means."""
    n_classes_without: int | None = None
    n_classes_duplicates: int | None = None
    """The same without the duplicates, and of the duplicates alone."""
    recall_rule: str = ""


@dataclass(frozen=True)
class ConventionRow:
    """One metric under one convention, from the same matches."""

    convention: str
    rule: str
    tool: str
    metric: str
    class_: str
    value: float | None
    reason: str | None
    n_classes: int


@dataclass(frozen=True)
class DriftRow:
    """The same predictions under two conventions or in two runs."""

    metric: str
    class_: str
    first: str
    second: str
    first_value: float | None
    second_value: float | None
    difference: float | None
    cause: str


@dataclass(frozen=True)
class PinRow:
    """An evaluation setting and whether it was declared."""

    setting: str
    value: str | None
    moves: str


@dataclass(frozen=True)
class Evaluator:
    """What the number becomes under another convention."""

    status: str
    reason: str | None
    rows: tuple[ConventionRow, ...] = ()
    drift: tuple[DriftRow, ...] = ()
    pins: tuple[PinRow, ...] = ()
    n_images: int | None = None
    n_boxes: int | None = None
    n_detections: int | None = None
    classes_without_boxes: tuple[str, ...] = ()
    predictions_sha256: str | None = None
    against_sha256: str | None = None
    identical: bool | None = None
    never_predicted: tuple[str, ...] = ()
    """Classes with boxes and without a single prediction."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClassifierRow:
    """A classifier on one split; what cannot be had carries its reason."""

    split: str
    n: int
    n_positive: int
    n_called_positive: int
    base_rate: Estimate
    accuracy: Estimate
    sensitivity: Estimate
    specificity: Estimate
    balanced_accuracy: Estimate
    precision: Estimate
    f1: Estimate
    kappa: Estimate
    mcc: Estimate
    auc: Estimate
    score_min: float | None
    score_max: float | None
    distinct_scores: int
    threshold: float
    problems: tuple[str, ...]


@dataclass(frozen=True)
class CalibrationRow:
    """How far scores are from observed rates on one split.

    Attributes
    ----------
    split : str
    n : int
        Rows.
    bins_by : {"width", "counts"}
    n_bins : int
        Bins that are left after ties are merged; of equal width some may be empty.
    error : Estimate
        Expected calibration error, 0 to 1.
    error_if_calibrated : float or None
        Its mean over outcomes that are drawn from the scores themselves; None with `reason`.
    p : float or None
        Share of these draws with an error as large at least, (1 + k) / (1 + draws).
    reason : str or None
        Why nothing was drawn.
    intercept, slope : Estimate
        Of the logistic recalibration: 0 and 1 if the scores are right.
    """

    split: str
    n: int
    bins_by: str
    n_bins: int
    error: Estimate
    error_if_calibrated: float | None
    p: float | None
    reason: str | None
    intercept: Estimate
    slope: Estimate


@dataclass(frozen=True)
class CalibrationBin:
    """A bin of the scores, closed on the right, the first on the left too."""

    split: str
    low: float
    high: float
    n: int
    mean_score: float | None
    rate: Estimate


@dataclass(frozen=True)
class ClassifierAudit:
    """Whether a classifier decides anything, and whether its scores are calibrated."""

    status: str
    reason: str | None
    rows: tuple[ClassifierRow, ...] = ()
    never_predicted: tuple[str, ...] = ()
    calibration: tuple[CalibrationRow, ...] = ()
    calibration_bins: tuple[CalibrationBin, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True)
class HeadRow:
    """A counting head against the head that always says zero and the one that says the mean."""

    head: str
    n: int
    mae: Estimate
    mae_zero: Estimate
    mae_mean: Estimate
    gain_over_zero: Estimate
    r2: Estimate
    min: float | None
    max: float | None
    share_zero: Estimate
    true_mean: float | None
    true_zero: Estimate
    problems: tuple[str, ...]


@dataclass(frozen=True)
class CountingHeads:
    """Whether counting heads count."""

    status: str
    reason: str | None
    rows: tuple[HeadRow, ...] = ()
    rounding_rule: str = ""
