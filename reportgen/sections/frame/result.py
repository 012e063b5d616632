"""What a FRAME section found: flat rows for groups, gaps, representation and its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from reportgen.language import mark
from reportgen.result import Estimate, LeftOut
from reportgen.wording import MISSING_GROUP as MISSING_GROUP

RULE = mark("score >= threshold")
BETWEEN = " × "
"""Between the parts of an intersection."""
OVERALL = "overall"
ALL = "all"

NOT_ESTIMABLE: Final = "not estimable"
NO_GAP: Final = "no gap beyond margin"
NOT_EXCLUDED: Final = "sampling variation not excluded"
BELOW_MARGIN: Final = "gap shown, below margin"
WITH_EVIDENCE: Final = "gap shown, with representational evidence"
WITHOUT_EVIDENCE: Final = "gap shown, without representational evidence"
NOT_ASSESSED: Final = "gap shown, evidence not assessed"
Verdict = Literal[
    "not estimable",
    "no gap beyond margin",
    "sampling variation not excluded",
    "gap shown, below margin",
    "gap shown, with representational evidence",
    "gap shown, without representational evidence",
    "gap shown, evidence not assessed",
]
Release = Literal["hold", "conditional", "release"]


@dataclass(frozen=True)
class GroupRow:
    """One group of one attribute (an intersection's attribute is written "sex × age_band").

    The whole table is attribute "overall", group "all"; rows whose value is missing are the group
    "missing". `n_left_out` counts rows beside `n_rows` that lack a label or a score,
    `left_out_share` is their share of both. `design_effect` is the AUC's variance by patient over
    its variance by image.
    """

    score: str
    attribute: str
    group: str
    n_units: int
    n_rows: int
    n_positive: int
    n_negative: int
    n_positive_units: int
    n_negative_units: int
    prevalence: Estimate
    auc: Estimate
    sensitivity: Estimate
    specificity: Estimate
    balanced_accuracy: Estimate
    precision: Estimate
    npv: Estimate
    selection_rate: Estimate
    false_positive_rate: Estimate
    brier: Estimate
    calibration_intercept: Estimate
    calibration_slope: Estimate
    design_effect: float | None
    undefined_share: float | None
    estimable: bool
    reason: str
    n_left_out: int = 0
    left_out_share: float | None = None


@dataclass(frozen=True)
class GapRow:
    """Group minus reference for one metric of one score.

    `gap` carries the MOVER interval, `gap_percentile` the percentile interval of the joint patient
    draws. `p_adjusted` is Holm's over the primary family, Benjamini and Hochberg's outside it.
    """

    score: str
    attribute: str
    group: str
    reference: str
    metric: str
    primary: bool
    gap: Estimate
    gap_percentile: Estimate
    p: float | None
    p_adjusted: float | None
    adjustment: str
    test: str
    margin: float
    equivalence_low: float | None
    equivalence_high: float | None
    minimum_detectable_gap: float | None
    units_needed: int | None
    image_level_p: float | None
    design_effect: float | None
    undefined_share: float | None
    units_in_both: int
    verdict: Verdict | None
    release: Release | None
    reason: str


@dataclass(frozen=True)
class ParityRow:
    """A worst-case summary over the groups of an attribute in which it is defined.

    `left_out` names every other group, each with its reason.
    """

    score: str
    attribute: str
    metric: str
    value: Estimate
    highest_group: str
    lowest_group: str
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class HeterogeneityRow:
    """Whether an attribute's levels differ more than sampling explains (over two levels)."""

    score: str
    attribute: str
    metric: str
    levels: int
    q: float
    p: float
    i_squared: float
    tau: float


@dataclass(frozen=True)
class ShrunkenRow:
    """A level's estimate as measured and as shrunken toward the common one."""

    score: str
    attribute: str
    group: str
    metric: str
    raw: Estimate
    shrunken: Estimate


@dataclass(frozen=True)
class PlainPictureRow:
    """The reference group's AUC in draws of as many units as the smaller group has."""

    score: str
    attribute: str
    group: str
    reference: str
    units: int
    quantile: float
    auc: float
    observed: float | None
    share_at_or_below: float | None


@dataclass(frozen=True)
class ModelRow:
    """How much a gap of one score differs from the same gap of another, paired by patient."""

    attribute: str
    group: str
    reference: str
    metric: str
    score: str
    against: str
    change: Estimate
    change_of_absolute_gap: Estimate
    p: float | None
    reading: str


@dataclass(frozen=True)
class AlternativeRow:
    """A check of an explanation other than representation, for one comparison."""

    score: str
    attribute: str
    group: str
    reference: str
    metric: str
    alternative: str
    check: str
    gap: Estimate
    gap_before: float | None
    reading: str


@dataclass(frozen=True)
class RepresentationRow:
    """Layer 3 for one group against its reference.

    `rows_left_out` counts rows of both that lack a feature.
    """

    score: str
    attribute: str
    group: str
    reference: str
    domain_auc: Estimate
    domain_auc_in_negatives: Estimate
    domain_auc_in_positives: Estimate
    coverage: Estimate
    reference_coverage: Estimate
    coverage_deficit: Estimate
    coverage_p: float | None
    link_z: float | None
    link_p: float | None
    evidence: bool | None
    reason: str
    covered_by: str
    features: int
    rows_left_out: int = 0


@dataclass(frozen=True)
class ClusterRow:
    """A region of feature space where errors are more frequent, found on half the patients."""

    score: str
    attribute: str
    group: str
    cluster: int
    n_units: int
    n_rows: int
    error_rate: Estimate
    error_rate_elsewhere: float | None
    p: float | None
    p_adjusted: float | None
    confirmed: bool | None
    describing: str


@dataclass(frozen=True)
class MapRow:
    """One point of the map of the feature space (two principal components), thinned for drawing."""

    attribute: str
    group: str
    x: float
    y: float
    failure: bool
    n_rows: int


@dataclass(frozen=True)
class SeveralRow:
    """How many units (patients) have rows in several groups of an attribute.

    Of the rows used; those without a value are a group too.
    """

    attribute: str
    n_units: int


@dataclass(frozen=True)
class RequiredRow:
    """A group that must be estimable for a release."""

    attribute: str
    group: str
    estimable: bool
    reason: str


@dataclass(frozen=True)
class FrameResult:
    """What a FRAME section found."""

    rule: str
    table: str
    scores: tuple[str, ...]
    threshold: float | None
    n_rows: int
    n_units: int
    n_positive: int
    n_negative: int
    left_out: tuple[LeftOut, ...]
    units_in_several: tuple[SeveralRow, ...]
    primary: tuple[str, ...]
    margin: float
    alpha: float
    confidence: float
    resamples: int
    resampled: str
    unit: str | None
    minimum_positive_units: int
    minimum_negative_units: int
    required: tuple[RequiredRow, ...]
    family_size: int
    notes: tuple[str, ...]
    groups: tuple[GroupRow, ...]
    gaps: tuple[GapRow, ...]
    parity: tuple[ParityRow, ...]
    heterogeneity: tuple[HeterogeneityRow, ...]
    shrunken: tuple[ShrunkenRow, ...]
    plain_picture: tuple[PlainPictureRow, ...]
    models: tuple[ModelRow, ...]
    alternatives: tuple[AlternativeRow, ...]
    representation: tuple[RepresentationRow, ...]
    clusters: tuple[ClusterRow, ...]
    map: tuple[MapRow, ...]
    features: tuple[str, ...]
    explained_variance: tuple[float, ...]
