"""Verdicts 0 to 5b of a comparison, and what each means for the release.

The verdicts exclude each other and are asked in order: can it be estimated; is a gap shown; if not,
is one beyond the margin excluded; if so, is it below the margin; if not, is there evidence that its
cause is representational. Inconclusive is never a pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.language import _
from reportgen.sections.frame.analysis import Comparison
from reportgen.sections.frame.metrics import METRICS
from reportgen.sections.frame.minimum import shortfall
from reportgen.sections.frame.result import (
    BELOW_MARGIN,
    NO_GAP,
    NOT_ASSESSED,
    NOT_ESTIMABLE,
    NOT_EXCLUDED,
    WITH_EVIDENCE,
    WITHOUT_EVIDENCE,
    GapRow,
    Release,
    Verdict,
)
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.told import told
from reportgen.stats.subgroups.equivalence import equivalent
from reportgen.stats.subgroups.gaps import GapInterval
from reportgen.stats.subgroups.multiplicity import benjamini_hochberg, holm
from reportgen.wording import clauses

HOLM = "Holm"
BH = "Benjamini–Hochberg"


@dataclass(frozen=True)
class Adjusted:
    """A comparison with its place in its family.

    Attributes
    ----------
    comparison : Comparison
    hindrance : str
        Why there can be no verdict; "" if there can.
    p_adjusted : float
    adjustment : str
        "Holm" or "Benjamini–Hochberg".
    """

    comparison: Comparison
    hindrance: str
    p_adjusted: float
    adjustment: str

    def shows_gap(self, alpha: float) -> bool:
        """Return whether it is a primary comparison whose gap is shown."""
        return self.comparison.primary and not self.hindrance and self.p_adjusted <= alpha


@dataclass(frozen=True)
class Judged:
    """A comparison with its verdict; exploratory ones have none.

    Attributes
    ----------
    adjusted : Adjusted
    verdict : Verdict or None
    release : {"hold", "conditional", "release"} or None
    reason : str
        Why this verdict, or why there is none.
    """

    adjusted: Adjusted
    verdict: Verdict | None
    release: Release | None
    reason: str

    @property
    def comparison(self) -> Comparison:
        """What is judged."""
        return self.adjusted.comparison


def hindrance(one: Comparison, settings: FrameSettings) -> str:
    """Return why a comparison can have no verdict, "" if it can."""
    short = [
        shortfall(one.own_size, one.group_name, settings),
        shortfall(one.other_size, one.reference_name, settings),
    ]
    if any(short):
        return clauses(filter(None, short))
    gap = one.gap
    if math.isnan(gap.value):
        return told(gap.reason)
    return told(
        gap.interval.reason
        or gap.equivalence.reason
        or (gap.test.reason if math.isnan(gap.test.p) else "")
    )


def adjust(comparisons: Sequence[Comparison], settings: FrameSettings) -> tuple[Adjusted, ...]:
    """Return every comparison with its adjusted p value, in the order given.

    The primary family is one of Holm, in which a comparison that cannot be estimated counts as
    p = 1. All others are exploratory, one family of Benjamini and Hochberg, in which only those
    with a p value count; a false positive rate is the same test as its specificity and is counted
    once.
    """
    hindered = [hindrance(one, settings) for one in comparisons]
    twins = {_test(one): at for at, one in enumerate(comparisons) if not one.metric.mirrored}
    primary = [at for at, one in enumerate(comparisons) if one.primary]
    others = [
        at
        for at, one in enumerate(comparisons)
        if not one.primary
        and not (one.metric.mirrored and not comparisons[twins[_test(one)]].primary)
    ]
    p: dict[int, float] = {}
    p.update(zip(primary, holm([_p(comparisons[at], hindered[at]) for at in primary]), strict=True))
    p.update(
        zip(others, benjamini_hochberg([_p(comparisons[at], "") for at in others]), strict=True)
    )
    return tuple(
        Adjusted(
            one,
            hindered[at],
            float(p[at] if at in p else p[twins[_test(one)]]),
            HOLM if one.primary else BH,
        )
        for at, one in enumerate(comparisons)
    )


def _p(one: Comparison, hindered: str) -> float:
    return math.nan if hindered else one.gap.test.p


def _test(one: Comparison) -> tuple[str, int, int, str]:
    return one.attribute.name, one.score, one.group, one.metric.source


def judge(
    adjusted: Adjusted, evidence: bool | None, evidence_reason: str, settings: FrameSettings
) -> Judged:
    """Return a comparison with its verdict and what it means for the release."""
    one = adjusted.comparison
    if not one.primary:
        kind = (
            _("exploratory: secondary metric")
            if one.attribute.single
            else _("exploratory: intersection")
        )
        return Judged(adjusted, None, None, adjusted.hindrance or kind)
    verdict, reason = verdict_of(
        hindered=adjusted.hindrance,
        p=adjusted.p_adjusted,
        interval=one.gap.interval,
        equivalence=one.gap.equivalence,
        margin=settings.stated_margin,
        alpha=settings.alpha,
        evidence=evidence,
        evidence_reason=evidence_reason,
    )
    required = settings.required.get(one.attribute.name, ())
    short = [
        name
        for name, size in ((one.group_name, one.own_size), (one.reference_name, one.other_size))
        if shortfall(size, name, settings)
    ]
    # Where the patients suffice and there is still no verdict, the group itself lacks it.
    release = release_of(
        verdict,
        value=one.gap.value,
        interval=one.gap.interval,
        margin=settings.stated_margin,
        direction=one.metric.direction,
        required=any(name in required for name in short or [one.group_name]),
    )
    return Judged(adjusted, verdict, release, reason)


def verdict_of(
    *,
    hindered: str,
    p: float,
    interval: GapInterval,
    equivalence: GapInterval,
    margin: float,
    alpha: float,
    evidence: bool | None,
    evidence_reason: str = "",
) -> tuple[Verdict, str]:
    """Return the verdict of a primary comparison and why.

    Parameters
    ----------
    hindered : str
        Why it cannot be estimated; "" if it can.
    p : float
        Adjusted by Holm.
    interval, equivalence : GapInterval
        Of the gap at the stated confidence, and at 1 - 2 alpha for two one-sided tests.
    margin, alpha : float
    evidence : bool or None
        Whether there is representational evidence; None where that was not assessed.
    evidence_reason : str
    """
    if hindered:
        return NOT_ESTIMABLE, hindered
    if p > alpha:
        if equivalent(equivalence, margin=margin):
            return NO_GAP, _("not shown to differ, and two one-sided tests exclude the margin")
        return NOT_EXCLUDED, _("not shown to differ, and a gap beyond the margin is not excluded")
    if -margin < interval.low and interval.high < margin:
        return BELOW_MARGIN, _("shown to differ, by less than the margin")
    if evidence is None:
        return NOT_ASSESSED, evidence_reason
    return (WITH_EVIDENCE if evidence else WITHOUT_EVIDENCE), evidence_reason


def release_of(
    verdict: Verdict,
    *,
    value: float,
    interval: GapInterval,
    margin: float,
    direction: int,
    required: bool,
) -> Release:
    """Return what a verdict means for the release.

    Parameters
    ----------
    value, interval
        Of the gap.
    direction : int
        1 where less is worse for the group, -1 where more is, 0 where either may be.
    required : bool
        Whether the group that cannot be estimated must be.
    """
    if verdict == NOT_ESTIMABLE:
        return "hold" if required else "conditional"
    if verdict == NOT_EXCLUDED:
        return "conditional"
    if verdict in (NO_GAP, BELOW_MARGIN) or in_favour(value, direction):
        return "release"
    below, above = interval.high < -margin, interval.low > margin
    against = {1: below, -1: above, 0: below or above}[direction]
    return "hold" if against else "conditional"


def turned(row: GapRow) -> Release | None:
    """Return what a gap in the group's favour means with the group as the reference.

    None where it is not in the group's favour, or has no interval.
    """
    direction, gap = METRICS[row.metric].direction, row.gap
    if row.verdict is None or gap.estimate is None or gap.low is None or gap.high is None:
        return None
    if not in_favour(gap.estimate, direction):
        return None
    return release_of(
        row.verdict,
        value=-gap.estimate,
        interval=GapInterval(-gap.high, -gap.low, gap.method or "", one_sided=False),
        margin=row.margin,
        direction=direction,
        required=False,
    )


def in_favour(value: float, direction: int) -> bool:
    """Return whether a gap is in the group's favour."""
    return value * direction > 0
