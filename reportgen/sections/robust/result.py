"""What a robust audit found: flat rows for gaps, curves, directions, threats and verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reportgen.language import mark
from reportgen.result import Estimate, LeftOut

Verdict = Literal["static fail", "fragile", "not assessable", "robust", "undetermined"]
Rung = Literal["common", "group", "record"]
NO_BASIS = mark("no basis given")
HARD_RULE = mark("score >= threshold")
SOFT_RULE = mark("mean score")


@dataclass(frozen=True)
class GapRow:
    """The gap of one metric on one rung of moves: without moves, found and certified.

    `critical_safe` and `critical_unsafe` bracket the critical radius in multiples of the declared
    eps; the `_raw` ones in the features' unit, where all features share one eps. An absent
    `critical_unsafe` means that no move was found to pass the tolerance, whatever the radius looked
    at. Without a model there is one row a metric, with no rung. `verdict` is that of the metric,
    on the record rung alone.
    """

    metric: str
    sensitive: str
    rung: Rung | None
    norm: str | None
    eps: float | None
    base: Estimate
    found: Estimate
    certified: Estimate
    exact: bool | None
    critical_safe: float | None
    critical_unsafe: float | None
    critical_safe_raw: float | None
    critical_unsafe_raw: float | None
    critical_exact: bool | None
    critical_reason: str
    tolerance: float
    highest_group: str
    lowest_group: str
    left_out: str
    verdict: Verdict | None
    reason: str


@dataclass(frozen=True)
class RiskRow:
    """One line of the risk list: static figure, worst case, critical radius, fragile direction.

    `limit` is the one-sided limit of the certified gap that "robust" rests on. `highest_units` and
    `lowest_units` are the patients behind the figures of these groups; the gap is over `compared`
    groups, `left_out` names the others with their patients.
    """

    metric: str
    verdict: Verdict
    reason: str
    tolerance: float
    static: Estimate
    worst_found: float | None
    worst_certified: float | None
    exact: bool | None
    limit: Estimate
    critical_safe: float | None
    critical_unsafe: float | None
    critical_reason: str
    leading_metric: str
    highest_group: str
    lowest_group: str
    fragile_direction: str
    highest_units: int | None = None
    lowest_units: int | None = None
    compared: int = 0
    left_out: str = ""


@dataclass(frozen=True)
class CurveRow:
    """The worst gap at a multiple of the declared eps, record rung; and as shares of the tolerance.

    A normalised gap of 1 is the tolerance, more is past it.
    """

    metric: str
    multiple: float
    eps: float | None
    base: float | None
    found: float | None
    certified: float | None
    exact: bool | None
    normalised_found: float | None
    normalised_certified: float | None
    tolerance: float


@dataclass(frozen=True)
class DirectionRow:
    """What the worst move does to one feature in one group.

    `move` is the mean move in the feature's unit, `share` the part of the gap's movement that the
    feature explains (the same in every group), `move_alone` how far the feature alone must move to
    pass the tolerance.
    """

    metric: str
    group: str
    feature: str
    move: float | None
    unit: str
    share: float | None
    share_error: float | None
    move_alone: float | None
    move_alone_reason: str


@dataclass(frozen=True)
class AttributionRow:
    """How the shares of one metric were made, and whether they add up to the gap's change."""

    metric: str
    method: str
    change: float | None
    sum_of_values: float | None
    completeness: float | None
    reason: str


@dataclass(frozen=True)
class FlipRow:
    """Records of a group and label whose decision the worst move changes, at the threshold."""

    metric: str
    group: str
    label: Literal["positive", "negative", "all"]
    n_rows: int
    selected: int
    deselected: int


@dataclass(frozen=True)
class GroupRow:
    """One group: what its figures rest on, and the base rate of its label.

    `n_left_out` counts rows beside `n_rows` that lack a label, a score or a feature,
    `left_out_share` is their share of both.
    """

    sensitive: str
    group: str
    n_rows: int
    n_units: int
    n_positive: int | None
    n_negative: int | None
    n_positive_units: int | None
    n_negative_units: int | None
    base_rate: Estimate
    selection_rate: Estimate
    mean_score: Estimate
    n_left_out: int = 0
    left_out_share: float | None = None


@dataclass(frozen=True)
class ThreatRow:
    """What else can move a gap, with no model at hand: `critical` is where it passes the tolerance.

    `size` and `critical` are in `unit`. `found` and `certified` are one where the worst case is
    exact. An absent `critical` with no reason means that no size does it. `critical_safe` is the
    largest size that keeps the tolerance; where none does, `critical_reason` says why.
    """

    metric: str
    threat: Literal["flips", "mix", "prevalence", "average"]
    size: float
    unit: str
    found: float | None
    certified: float | None
    critical: float | None
    critical_safe: float | None
    records: int | None
    highest_group: str
    lowest_group: str
    reason: str
    critical_reason: str = ""


@dataclass(frozen=True)
class JointRow:
    """All metrics at once: the radius at which the first passes its tolerance."""

    critical_safe: float | None
    critical_unsafe: float | None
    critical_safe_raw: float | None
    critical_unsafe_raw: float | None
    exact: bool | None
    binding_metric: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class ProxyRow:
    """The gap, members minus others, where membership is known by a probability alone.

    `low` to `high` hold without assumptions on how score and membership go together within a cell;
    `least` to `worst` is the same for the size of the gap. `weighted` assumes them independent
    given the probability. `thresholded` takes members to be those with a probability of at least
    0.5; it bounds nothing.
    """

    metric: str
    low: float | None
    high: float | None
    least: float | None
    worst: float | None
    weighted: float | None
    thresholded: float | None
    cells: int
    tolerance: float
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class MoveRow:
    """The allowed move of one feature. `basis` says where its eps comes from."""

    feature: str
    kind: str
    eps: float
    eps_sd: float | None
    unit: str
    basis: str
    direction: str
    lower: float | None
    upper: float | None
    columns: str


@dataclass(frozen=True)
class DerivedRow:
    """A column that is recomputed from others when they move."""

    feature: str
    expression: str


@dataclass(frozen=True)
class ModelRow:
    """The model that was moved, and how far its scores are from those of the table."""

    kind: str
    path: str
    sha256: str
    made_by: str
    n_features: int
    certifiable: bool
    runs_code: bool
    largest_score_difference: float
    allowed_score_difference: float


@dataclass(frozen=True)
class WitnessRow:
    """The moved records behind the found gaps, scored again and held against the constraints.

    `side` is the end of the score interval. `optimal` counts records whose search closed.
    """

    side: Literal["low", "high"]
    n_rows: int
    violations: int
    largest_difference: float
    optimal: int


@dataclass(frozen=True)
class RobustResult:
    """What a robust audit found."""

    rule: str
    table: str
    score: str
    sensitive: str
    decisions: Literal["hard", "soft"]
    threshold: float | None
    n_rows: int
    n_units: int
    unit: str | None
    n_read: int
    left_out: tuple[LeftOut, ...]
    confidence: float
    minimum_units: int
    metrics: tuple[str, ...]
    verdict: Verdict
    verdict_reason: str
    norm: str | None = None
    eps: float | None = None
    banner: str | None = None
    notes: tuple[str, ...] = ()
    immutable: tuple[str, ...] = ()
    n_near_boundary: int | None = None
    risk_list: tuple[RiskRow, ...] = ()
    gaps: tuple[GapRow, ...] = ()
    curve: tuple[CurveRow, ...] = ()
    direction: tuple[DirectionRow, ...] = ()
    attribution: tuple[AttributionRow, ...] = ()
    flips: tuple[FlipRow, ...] = ()
    groups: tuple[GroupRow, ...] = ()
    other_threats: tuple[ThreatRow, ...] = ()
    joint: tuple[JointRow, ...] = ()
    proxy: tuple[ProxyRow, ...] = ()
    perturbation: tuple[MoveRow, ...] = ()
    derived: tuple[DerivedRow, ...] = ()
    model: tuple[ModelRow, ...] = ()
    witness: tuple[WitnessRow, ...] = ()
