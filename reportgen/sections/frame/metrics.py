"""The metrics of a section: their names here, where they come from, and which way is worse."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from reportgen.language import _, mark
from reportgen.stats.subgroups.estimate import GroupEstimate, missing
from reportgen.stats.subgroups.gaps import Gap, GapInterval

NO_THRESHOLD = "no threshold is declared"


@dataclass(frozen=True)
class Metric:
    """A figure that groups are compared in.

    Attributes
    ----------
    name : str
        As in results.json.
    source : str
        Its name in the statistics.
    words, head : str
        As in a sentence and at its head, in English: `words_of` says it in the current language.
    direction : int
        1 where less is worse for the group, -1 where more is, 0 where either may be.
    at_threshold, of_probabilities : bool
        What it needs.
    mirrored : bool
        Whether it is 1 minus the source.
    """

    name: str
    source: str
    words: str
    head: str
    direction: int
    at_threshold: bool = False
    of_probabilities: bool = False
    mirrored: bool = False


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("auc", "auc", mark("AUC"), mark("AUC"), 1),
        Metric("sensitivity", "sensitivity", mark("sensitivity"), mark("Sensitivity"), 1, True),
        Metric("specificity", "specificity", mark("specificity"), mark("Specificity"), 1, True),
        Metric(
            "balanced_accuracy",
            "balanced_accuracy",
            mark("balanced accuracy"),
            mark("Balanced accuracy"),
            1,
            True,
        ),
        Metric("precision", "ppv", mark("precision"), mark("Precision"), 1, True),
        Metric(
            "npv",
            "npv",
            mark("negative predictive value"),
            mark("Negative predictive value"),
            1,
            True,
        ),
        Metric(
            "selection_rate",
            "selection_rate",
            mark("selection rate"),
            mark("Selection rate"),
            0,
            True,
        ),
        Metric(
            "false_positive_rate",
            "specificity",
            mark("false positive rate"),
            mark("False positive rate"),
            -1,
            True,
            mirrored=True,
        ),
        Metric("prevalence", "prevalence", mark("prevalence"), mark("Prevalence"), 0),
        Metric(
            "brier", "brier", mark("Brier score"), mark("Brier score"), -1, of_probabilities=True
        ),
        Metric(
            "calibration_intercept",
            "calibration_intercept",
            mark("calibration intercept"),
            mark("Calibration intercept"),
            0,
            of_probabilities=True,
        ),
        Metric(
            "calibration_slope",
            "calibration_slope",
            mark("calibration slope"),
            mark("Calibration slope"),
            0,
            of_probabilities=True,
        ),
    )
}
"""By name, in the order of the tables."""


def words_of(name: str, *, head: bool = False) -> str:
    """Return a metric in words, as within a sentence or as at its head."""
    return _(METRICS[name].head if head else METRICS[name].words)


def compared(*, threshold: bool, probability: bool) -> tuple[Metric, ...]:
    """Return the metrics that can be compared with what the section was given."""
    return tuple(
        metric
        for metric in METRICS.values()
        if (threshold or not metric.at_threshold) and (probability or not metric.of_probabilities)
    )


def figure(
    figures: Mapping[str, GroupEstimate], metric: Metric, *, threshold: bool
) -> GroupEstimate:
    """Return a group's figure under the section's name of it."""
    if metric.at_threshold and not threshold:
        return missing(NO_THRESHOLD)
    own = figures[metric.source]
    if not metric.mirrored or math.isnan(own.value):
        return own
    # Its Wilson limits mirror exactly; the influence changes sign with it.
    return replace(own, value=1 - own.value, influence=-own.influence)


def mirrored(gap: Gap) -> Gap:
    """Return the gap of 1 minus a figure: the sign changes, p values and errors stay."""
    drawn = replace(gap.drawn, low=-gap.drawn.high, high=-gap.drawn.low)
    return replace(
        gap,
        value=-gap.value,
        interval=_flipped(gap.interval),
        equivalence=_flipped(gap.equivalence),
        drawn=drawn,
    )


def _flipped(interval: GapInterval) -> GapInterval:
    return replace(interval, low=-interval.high, high=-interval.low)
