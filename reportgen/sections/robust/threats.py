"""What else may be wrong, in declared sizes: groups, mix, prevalence, drift on average."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from reportgen.language import _, mark
from reportgen.sections.robust.audit import Audit, MetricAudit
from reportgen.sections.robust.data import BoolArray, Data, FloatArray, IntArray
from reportgen.sections.robust.reasons import told
from reportgen.sections.robust.result import ThreatRow
from reportgen.sections.robust.rows import level, number
from reportgen.sections.robust.rungs import Moved
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.subject import linear_of
from reportgen.stats.robust.average import (
    AverageGap,
    critical_average_hard,
    worst_average_hard,
    worst_average_soft,
)
from reportgen.stats.robust.critical import flip_radii
from reportgen.stats.robust.flips import critical_flips, worst_flips
from reportgen.stats.robust.linear import margin_reach
from reportgen.stats.robust.rungs import free_reach
from reportgen.stats.robust.spreads import Spread
from reportgen.stats.robust.threats import (
    critical_mix,
    critical_prevalence,
    worst_mix,
    worst_prevalence,
)

LABELS = {"selection_rate": None, "sensitivity": True, "false_positive_rate": False}
"""Metrics that are means of one value a record, with the label of the records."""
NOT_A_MEAN = mark("solved for differences and ratios of rates alone")
NO_RATIO = mark("solved for differences of rates, not for ratios")
WITHIN_LABEL = mark("a rate within one label does not change with prevalence")
NEEDS_LINEAR = mark("solved for linear scores of continuous features alone")
NEEDS_LOGIT = mark("with mean scores, solved for logistic scores with no bound in the way alone")
NONE_SAFE = mark("no size is safe: the gap passes its tolerance as it stands")
UNITS = {
    "flips": "share of records",
    "mix": "largest weight",
    "prevalence": "change of prevalence",
    "average": "mean move, in multiples of eps",
}


@dataclass(frozen=True)
class Case:
    """One metric's records: one value each, and what moves them."""

    metric: MetricAudit
    value: FloatArray
    group: IntArray
    rows: BoolArray
    n_groups: int
    tolerance: float
    spread: Spread
    known: dict[str, tuple[float, float]] = field(default_factory=dict)

    def critical(
        self, threat: str, solve: Callable[[], tuple[float, float]]
    ) -> tuple[float, float]:
        """Return the critical size of a threat, safe and unsafe; solved once for all sizes."""
        if threat not in self.known:
            self.known[threat] = solve()
        return self.known[threat]


@dataclass(frozen=True)
class Answer:
    """The worst case of one threat and size."""

    found: float
    certified: float
    critical: float
    critical_safe: float
    records: int | None = None
    highest: int = -1
    lowest: int = -1


def threat_rows(audit: Audit, data: Data, settings: RobustSettings) -> Iterator[ThreatRow]:
    """Yield one row a metric, threat and size."""
    declared = settings.other_threats
    for one in audit.metrics:
        cases = _cases(one, audit, data)
        for name in ("flips", "mix", "prevalence", "average"):
            for size in getattr(declared, name):
                yield _row(name, size, one, cases, audit, data)


def _row(
    name: str, size: float, one: MetricAudit, cases: list[Case], audit: Audit, data: Data
) -> ThreatRow:
    reason = _hindrance(name, one, audit)
    answers = [] if reason else [SOLVERS[name](size, case, audit, data) for case in cases]
    pick: Callable[..., Any] = min if one.measure.falls else max
    if any(math.isnan(answer.certified) for answer in answers):
        answers = []  # a measure of several metrics has no worst case where one of them has none
    best = pick(answers, key=lambda answer: answer.certified, default=None)
    if best is None:
        reason = _(reason) or told(one.static.reason) or _("not defined")
        best = Answer(math.nan, math.nan, math.nan, math.nan)
    safe = min((a.critical_safe for a in answers), default=math.nan)
    passed = bool(answers) and one.measure.exceeds(one.static.base, one.tolerance)
    return ThreatRow(
        metric=one.measure.name,
        threat=name,  # type: ignore[arg-type]
        size=size,
        unit=UNITS[name],
        found=number(pick((a.found for a in answers), default=math.nan)),
        certified=number(best.certified),
        critical=number(min((a.critical for a in answers), default=math.nan)),
        critical_safe=None if passed else number(safe),
        records=best.records,
        highest_group=level(data, best.highest),
        lowest_group=level(data, best.lowest),
        reason=reason,
        critical_reason=_(NONE_SAFE) if passed else "",
    )


def _hindrance(name: str, one: MetricAudit, audit: Audit) -> str:
    measure = one.measure
    plain = measure.form in ("difference", "ratio") and measure.combine == "worst"
    if not plain or any(metric not in LABELS for metric in measure.metrics):
        return NOT_A_MEAN
    if name == "prevalence" and measure.metrics != ("selection_rate",):
        return WITHIN_LABEL
    if name == "average":
        return NO_RATIO if measure.falls else _no_average(audit)
    return ""


def _no_average(audit: Audit) -> str:
    moved, hard = audit.moved, audit.sample.decisions == "hard"
    linear = None if moved is None else linear_of(moved.model)
    if moved is None or linear is None:
        return NEEDS_LINEAR
    moves = moved.allowed.moves
    if not moves.mutable.any() or (~moves.continuous & moves.mutable).any():
        return NEEDS_LINEAR
    free = free_reach(moved.reach.values, linear, moves) is not None
    both = bool((moves.up & moves.down)[moves.mutable].all())
    return "" if hard or (linear.link == "logit" and free and both) else NEEDS_LOGIT


def _cases(one: MetricAudit, audit: Audit, data: Data) -> list[Case]:
    """Return the records of each metric of a measure: a measure is as bad as the worst of them."""
    cases = []
    value = audit.sample.flags(audit.sample.score)
    for metric in one.measure.metrics:
        label = LABELS.get(metric)
        rows = ~np.isin(data.group, one.sample.left_out.get(metric, ()))
        if label is not None and data.positive is not None:
            rows &= data.positive == label
        if len(np.unique(data.group[rows])) > 1:
            own = value[rows], data.group[rows], rows
            spread: Spread = "ratio" if one.measure.falls else "difference"
            cases.append(Case(one, *own, data.n_groups, one.tolerance, spread))
    return cases


def _flips(size: float, case: Case, audit: Audit, data: Data) -> Answer:  # noqa: ARG001
    """Return the worst flips; shares are of all records, the critical one too."""
    total = len(data.group)
    most = math.floor(size * total * (1 + 1e-12))
    most = min(most, len(case.value))
    worst = worst_flips(case.value, case.group, most, spread=case.spread)

    def solve() -> tuple[float, float]:
        fewest = critical_flips(
            case.value, case.group, tolerance=case.tolerance, spread=case.spread
        )
        # What is not certified first comes one flip after the last that is.
        safe, unsafe = (
            math.inf if k is None else (k - less) / total
            for k, less in zip(fewest, (1, 0), strict=True)
        )
        return safe, unsafe

    safe, unsafe = case.critical("flips", solve)
    return Answer(
        worst.found,
        worst.certified,
        unsafe,
        safe,
        worst.flips,
        worst.highest,
        worst.lowest,
    )


def _mix(size: float, case: Case, audit: Audit, data: Data) -> Answer:  # noqa: ARG001
    n_groups, spread = case.n_groups, case.spread
    worst = worst_mix(case.value, case.group, size, n_groups=n_groups, spread=spread)
    critical = critical_mix(
        case.value, case.group, n_groups=n_groups, tolerance=case.tolerance, spread=spread
    )
    return Answer(
        worst.gap, worst.gap, critical, critical, highest=worst.highest, lowest=worst.lowest
    )


def _prevalence(size: float, case: Case, audit: Audit, data: Data) -> Answer:  # noqa: ARG001
    if data.positive is None:
        raise ValueError("check() refuses a shift of prevalence without a label")
    positive = data.positive[case.rows]
    rows, n_groups, spread = (case.value, case.group, positive), case.n_groups, case.spread
    worst = worst_prevalence(*rows, size, n_groups=n_groups, spread=spread)
    critical = critical_prevalence(
        *rows, n_groups=n_groups, tolerance=case.tolerance, spread=spread
    )
    return Answer(
        worst.gap, worst.gap, critical, critical, highest=worst.highest, lowest=worst.lowest
    )


def _average(size: float, case: Case, audit: Audit, data: Data) -> Answer:
    moved = audit.moved
    linear = None if moved is None else linear_of(moved.model)
    if moved is None or linear is None:
        raise ValueError("a mean move needs a linear score")
    values, moves = moved.reach.values, moved.allowed.moves
    if audit.sample.decisions == "soft":
        reach = float(margin_reach(values[:1], linear.coefficients, moves).attained[0])
        margin, total = linear.margin(values)[case.rows], len(data.group)

        @cache
        def soft_at(budget: float) -> AverageGap:
            own = budget * total / len(margin)  # the mean is taken over all records
            return worst_average_soft(margin, reach, case.group, own, n_groups=case.n_groups)

        return _soft(soft_at, size, case)
    down, up = (one[case.rows] for one in flip_radii(values, linear, moves, threshold=_cut(moved)))
    shared = {"n_groups": case.n_groups, "n_records": len(data.group)}
    worst = worst_average_hard(down, up, case.value, case.group, size, **shared)
    safe, unsafe = critical_average_hard(
        down, up, case.value, case.group, tolerance=case.tolerance, **shared
    )
    return Answer(
        worst.found, worst.certified, unsafe, safe, worst.records, worst.highest, worst.lowest
    )


def _cut(moved: Moved) -> float:
    return moved.reach.sample.threshold


def _soft(at: Callable[[float], AverageGap], size: float, case: Case) -> Answer:
    worst = at(size)

    def solve() -> tuple[float, float]:
        unsafe = _first(lambda budget: at(budget).found > case.tolerance)
        safe = _first(lambda budget: at(budget).certified > case.tolerance)
        return min(safe, unsafe), unsafe

    safe, unsafe = case.critical("average", solve)
    return Answer(
        worst.found, worst.certified, unsafe, safe, highest=worst.highest, lowest=worst.lowest
    )


def _first(passes: Callable[[float], bool], *, most: float = 1024.0, steps: int = 24) -> float:
    """Return the budget at which a rising gap passes the tolerance; infinite if none does."""
    if passes(0.0):
        return 0.0
    near, far = 0.0, 2.0**-10
    while not passes(far):
        near, far = far, 2 * far
        if far > most:
            return math.inf
    for _halving in range(steps):
        middle = (near + far) / 2
        near, far = (near, middle) if passes(middle) else (middle, far)
    return far


SOLVERS: dict[str, Callable[[float, Case, Audit, Data], Answer]] = {
    "flips": _flips,
    "mix": _mix,
    "prevalence": _prevalence,
    "average": _average,
}
