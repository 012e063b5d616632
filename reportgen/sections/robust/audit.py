"""One audit: the worst gap of each metric on each rung, its critical radius, limits and verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.language import _, mark, n_
from reportgen.sections.robust.allowed import Allowed
from reportgen.sections.robust.data import Data
from reportgen.sections.robust.reach import Reach
from reportgen.sections.robust.reasons import told
from reportgen.sections.robust.result import Verdict
from reportgen.sections.robust.rungs import Moved, RungAudit, audited_rungs
from reportgen.sections.robust.settings import RobustSettings
from reportgen.stats.robust.gaps import MEASURES, Measure, WorstGap, worst_gap
from reportgen.stats.robust.intervals import static_intervals
from reportgen.stats.robust.limits import (
    GapLimits,
    TooFew,
    gap_limits,
    too_few_units,
    without_small_groups,
)
from reportgen.stats.robust.metrics import AuditSample, audit_sample
from reportgen.stats.robust.verdicts import empty_decision, verdict
from reportgen.stats.robust_models import Model
from reportgen.wording import clauses

MOST_NAMED = 6
"""Groups that are too small and named one by one."""
SCORED = ("auc", "brier")
"""Metrics that ask for more of the scores than their decisions."""


NOTHING_MOVES = mark("no feature may move, so nothing was put to the test")


@dataclass(frozen=True)
class MetricAudit:
    """One metric.

    Attributes
    ----------
    measure : Measure
    sample : AuditSample
        With the groups that take no part in this metric named.
    tolerance : float
    static : WorstGap
    rungs : tuple of RungAudit
        Common, group, record; empty without a model.
    base, found, certified : GapLimits
        Of the static gap, and of the record rung's; the last two are the first without a model.
    too_few : tuple of TooFew
    verdict : str
    reason : str
        Why, in words; "" for nothing to add.
    lacking : tuple of int
        Groups that keep the verdict from being better than "not assessable".
    """

    measure: Measure
    sample: AuditSample
    tolerance: float
    static: WorstGap
    rungs: tuple[RungAudit, ...]
    base: GapLimits
    found: GapLimits
    certified: GapLimits
    too_few: tuple[TooFew, ...]
    verdict: Verdict
    reason: str
    lacking: tuple[int, ...] = ()

    @property
    def record(self) -> RungAudit | None:
        """The record rung, which decides; None without a model."""
        return self.rungs[-1] if self.rungs else None

    @property
    def worst(self) -> WorstGap:
        """The gap of the record rung, the static one without a model."""
        return self.rungs[-1].gap if self.rungs else self.static


@dataclass(frozen=True)
class Audit:
    """All metrics of a section, with the sample they rest on."""

    sample: AuditSample
    metrics: tuple[MetricAudit, ...]
    moved: Moved | None


def sample_of(data: Data, settings: RobustSettings, model: Model | None) -> AuditSample:
    """Return the records with the scores the audit uses: the model's own where there is one."""
    score = data.score if model is None else model.score(data.features)
    return audit_sample(
        score,
        data.group,
        data.positive,
        n_groups=data.n_groups,
        decisions=settings.decisions,
        threshold=0.5 if settings.threshold is None else settings.threshold,
    )


def moved_of(
    data: Data,
    settings: RobustSettings,
    model: Model,
    allowed: Allowed,
    sample: AuditSample,
    seed: int,
) -> Moved:
    """Return what the records can reach; the widest radius is asked first, the others within it."""
    measures = [MEASURES[name] for name in settings.metrics]
    only = sample.decisions == "hard" and not any(
        metric in SCORED for measure in measures for metric in measure.metrics
    )
    reach = Reach(model, data.features, allowed.moves, sample, only, settings.node_budget, seed)
    checked = reach.checked(1.0)[1]
    return Moved(model, allowed, reach, checked)


def audit(
    data: Data,
    settings: RobustSettings,
    sample: AuditSample,
    moved: Moved | None,
    *,
    confidence: float,
    seed: int,
    progress: Callable[[float], None],
) -> Audit:
    """Return every metric, audited."""
    done = []
    for at, name in enumerate(settings.metrics):
        rng = np.random.default_rng([seed, at])
        done.append(_metric(name, data, settings, sample, moved, confidence, rng))
        progress((at + 1) / len(settings.metrics))
    return Audit(sample, tuple(done), moved)


def _metric(
    name: str,
    data: Data,
    settings: RobustSettings,
    sample: AuditSample,
    moved: Moved | None,
    confidence: float,
    rng: np.random.Generator,
) -> MetricAudit:
    measure, tolerance = MEASURES[name], settings.tolerance_of(name)
    few = too_few_units(measure, sample, data.unit, minimum=settings.minimum)
    sample, decides = without_small_groups(measure, sample, data.unit, minimum=settings.minimum)
    static = worst_gap(measure, sample, static_intervals(sample.score))
    base = gap_limits(measure, sample, data.unit, confidence=confidence)
    rungs: tuple[RungAudit, ...] = ()
    found = certified = base
    if moved is not None:
        rungs = audited_rungs(measure, tolerance, sample, moved, rng)
        ends = moved.reach.at(1.0)
        found, certified = (
            gap_limits(measure, sample, data.unit, intervals=ends, side=side, confidence=confidence)
            for side in ("attained", "certified")
        )
    worst = rungs[-1].gap if rungs else static
    judged, reason = _judged(
        measure, tolerance, sample, worst, certified, few, moved, data, decides=decides
    )
    lacking = sorted({one.group for one in few} | {*worst.left_out} | {*worst.undefined})
    return MetricAudit(
        measure,
        sample,
        tolerance,
        static,
        rungs,
        base,
        found,
        certified,
        few,
        judged,
        reason,
        tuple(lacking) if judged == "not assessable" else (),
    )


def _judged(
    measure: Measure,
    tolerance: float,
    sample: AuditSample,
    worst: WorstGap,
    certified: GapLimits,
    few: Sequence[TooFew],
    moved: Moved | None,
    data: Data,
    *,
    decides: bool,
) -> tuple[Verdict, str]:
    """Return the verdict and why; without a model nothing is robust.

    Groups that are too small take no part, and a metric that lacks one is at best not assessable.
    """
    empty = empty_decision(sample)
    sure = moved is not None and moved.model.certifiable
    judged: Verdict = "not assessable"
    if decides:
        judged = verdict(
            measure,
            worst,
            tolerance=tolerance,
            limit=certified.limit if sure else np.nan,
            assessable=not few and not empty,
        )
    if judged == "robust" and moved is not None and not moved.allowed.moves.mutable.any():
        return "undetermined", _(NOTHING_MOVES)  # fail closed: nothing was put to the test
    if judged == "not assessable":
        return judged, clauses(_obstacles(worst, few, data, empty=empty))
    if judged == "undetermined":
        return judged, _open_because(measure, tolerance, worst, certified, moved)
    return judged, ""


def _obstacles(worst: WorstGap, few: Sequence[TooFew], data: Data, *, empty: bool) -> Iterator[str]:
    if worst.reason:
        yield told(worst.reason)
    small = {one.group for one in few}
    for group in worst.left_out:
        if group not in small:
            yield _("group {group} has no such figure").format(group=data.levels[group])
    for group in worst.undefined:
        text = _("some moves leave group {group} without the figure (0/0)")
        yield text.format(group=data.levels[group])
    for one in few[:MOST_NAMED]:
        text = _few_patients(one.stratum, one.units)
        yield text.format(group=data.levels[one.group], n=one.units)
    more = len(small - {one.group for one in few[:MOST_NAMED]})
    if more:
        yield n_("{n} more group is too small", "{n} more groups are too small", more).format(
            n=more
        )
    if empty:
        yield _("nobody is selected in any group")


def _few_patients(stratum: str, n: int) -> str:
    """Return the message on a stratum of `n` patients: all, those of a class."""
    if stratum == "positive":
        return n_(
            "group {group} has {n} patient with a positive row",
            "group {group} has {n} patients with a positive row",
            n,
        )
    if stratum == "negative":
        return n_(
            "group {group} has {n} patient with a negative row",
            "group {group} has {n} patients with a negative row",
            n,
        )
    return n_("group {group} has {n} patient", "group {group} has {n} patients", n)


def _open_because(
    measure: Measure,
    tolerance: float,
    worst: WorstGap,
    certified: GapLimits,
    moved: Moved | None,
) -> str:
    if moved is None:
        return _("no model is given, so nothing is certified under moves")
    if not moved.model.certifiable:
        text = _("a {kind} model can only be searched, which certifies nothing")
        return text.format(kind=moved.model.kind)
    if measure.exceeds(worst.certified, tolerance):
        return _("no move was found that passes the tolerance, and none was shown to keep it")
    if certified.reason:
        text = _("the certified gap has no limit for sampling: {reason}")
        return text.format(reason=told(certified.reason))
    return _("the certified gap keeps the tolerance, its one-sided limit for sampling does not")
