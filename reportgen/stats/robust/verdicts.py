"""The verdict of an audit, fail closed: what is shown to fail comes first, "robust" last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from reportgen.stats.robust.gaps import Measure, WorstGap
from reportgen.stats.robust.metrics import AuditSample

Verdict = Literal["static fail", "fragile", "not assessable", "robust", "undetermined"]

WORST_FIRST: tuple[Verdict, ...] = (
    "static fail",
    "fragile",
    "not assessable",
    "undetermined",
    "robust",
)


def verdict(
    measure: Measure, gap: WorstGap, *, tolerance: float, limit: float, assessable: bool
) -> Verdict:
    """Return the verdict of one measure.

    Parameters
    ----------
    measure : Measure
    gap : WorstGap
        Per record. A gap over the groups that can be measured is a lower bound for all.
    tolerance : float
        A gap equal to it passes.
    limit : float
        One-sided limit of the certified gap (`limits.gap_limits`); NaN if there is none.
    assessable : bool
        Whether every group has the figure under all moves, with units enough, and somebody is
        selected somewhere.

    Returns
    -------
    str
        "static fail" if the base passes the tolerance, "fragile" if a found move does; then "not
        assessable", "robust" if the certified gap and its limit keep it, else "undetermined".
    """
    if measure.exceeds(gap.base, tolerance):
        return "static fail"
    if measure.exceeds(gap.found, tolerance):
        return "fragile"
    if not assessable or gap.reason or gap.left_out or gap.undefined:
        return "not assessable"
    sure = not (math.isnan(limit) or math.isnan(gap.certified))
    kept = not (measure.exceeds(gap.certified, tolerance) or measure.exceeds(limit, tolerance))
    return "robust" if sure and kept else "undetermined"


def empty_decision(sample: AuditSample) -> bool:
    """Whether hard decisions select nobody in any group: a gap of 0 then says nothing."""
    return sample.decisions == "hard" and not np.any(sample.score >= sample.threshold)


def joint_verdict(verdicts: Sequence[Verdict]) -> Verdict:
    """Return the worst of several verdicts; there must be at least one."""
    return min(verdicts, key=WORST_FIRST.index)
