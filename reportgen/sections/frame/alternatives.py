"""Explanations other than representation for a gap that is shown, with what these data can check.

Case mix is checked by weighting the reference to the group's mix of labels and of another declared
attribute; threshold and calibration by recalibrating each group. Wrong labels and harder cases
cannot be told from predictions: they stay possible, and are named.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.section import Context
from reportgen.sections.frame.analysis import Analysis, Comparison, cutoff, study_of
from reportgen.sections.frame.data import Attribute, Data
from reportgen.sections.frame.metrics import METRICS, words_of
from reportgen.sections.frame.result import AlternativeRow
from reportgen.sections.frame.rows import drawn_estimate
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.told import told
from reportgen.sections.frame.wording import recalibration_reading
from reportgen.stats.subgroups.draws import PatientDraws, patient_draws
from reportgen.stats.subgroups.matching import AdjustedGap, matched_gaps
from reportgen.stats.subgroups.recalibration import recalibrated_gaps
from reportgen.stats.subgroups.study import Pair, Study

CASE_MIX = mark("case mix")
THRESHOLD = mark("threshold or calibration shift")
LABELS = mark("label bias")
DIFFICULTY = mark("difficulty")
MOST_DRAWS = 500
"""Draws of an adjusted gap: it is fitted anew in each."""
MOST_LEVELS = 20
"""An attribute with more groups is not matched on: hardly a cell would have its like."""
MOST_CHECKED = 24
"""Comparisons that are checked; the others are named in a note."""

UNCHECKED = {
    LABELS: mark(
        "labels of the group may be wrong more often; predictions cannot show it: audit them"
    ),
    DIFFICULTY: (
        mark(
            "the group's cases may be harder in ways that no declared attribute "
            "records; read a sample of both groups"
        )
    ),
}


def alternative_rows(
    analysis: Analysis,
    shown: Sequence[Comparison],
    data: Data,
    settings: FrameSettings,
    context: Context,
    rng: np.random.Generator,
) -> Iterator[AlternativeRow]:
    """Yield the checks of every comparison of an attribute whose gap is shown."""
    if not shown:
        return
    resamples = min(context.resamples, MOST_DRAWS)
    singles = [
        one
        for one in data.attributes
        if one.single and one.name != analysis.attribute.name and len(one.levels) <= MOST_LEVELS
    ]
    for_threshold, *for_matching = rng.spawn(1 + len(singles))
    matched = [
        (one, *_matching(data, analysis.attribute, one, child, resamples))
        for one, child in zip(singles, for_matching, strict=True)
    ]
    draws = patient_draws(analysis.study, for_threshold, resamples=resamples)
    for comparison in shown:
        make = _Rows(comparison, data, context.confidence, resamples)
        for other, study, its_draws in matched:
            yield _case_mix(make, other, study, its_draws, settings)
        yield from _threshold(make, analysis, draws, settings)
        for alternative, reading in UNCHECKED.items():
            yield make.row(alternative, _("none from predictions"), None, _(reading))


def _matching(
    data: Data, attribute: Attribute, other: Attribute, rng: np.random.Generator, resamples: int
) -> tuple[Study, PatientDraws]:
    study = study_of(data, attribute, other)
    return study, patient_draws(study, rng, resamples=resamples)


class _Rows:
    """Makes the rows of one comparison."""

    def __init__(self, one: Comparison, data: Data, confidence: float, draws: int) -> None:
        self.one, self._score = one, data.names[one.score]
        self.confidence, self._draws = confidence, draws
        self.probability = data.probability

    @property
    def pair(self) -> Pair:
        """What is compared, under the names of the statistics."""
        one = self.one
        return Pair(one.metric.source, one.group, one.attribute.reference, one.score)

    def row(
        self,
        alternative: str,
        check: str,
        gap: AdjustedGap | None,
        reading: str,
        *,
        metric: str = "",
        mirrored: bool = False,
    ) -> AlternativeRow:
        """Return a row; without a gap it says that there is no check."""
        sign = -1.0 if mirrored else 1.0
        estimate, before = Estimate.missing(_("cannot be checked from these data")), None
        if gap is not None:
            drawn = gap.drawn
            if mirrored:
                drawn = replace(drawn, low=-drawn.high, high=-drawn.low)
            estimate = drawn_estimate(
                sign * gap.value, drawn, self.confidence, self._draws, gap.reason
            )
            before = None if math.isnan(gap.unadjusted) else sign * gap.unadjusted
        one = self.one
        return AlternativeRow(
            score=self._score,
            attribute=one.attribute.name,
            group=one.group_name,
            reference=one.reference_name,
            metric=metric or one.metric.name,
            alternative=alternative,
            check=check,
            gap=estimate,
            gap_before=before,
            reading=reading,
        )


def _case_mix(
    make: _Rows, other: Attribute, study: Study, draws: PatientDraws, settings: FrameSettings
) -> AlternativeRow:
    metric = make.one.metric
    pair = replace(make.pair, threshold=cutoff(settings))
    found = matched_gaps(study, pair, draws, metrics=[metric.source], confidence=make.confidence)[
        metric.source
    ]
    check = _("with the reference weighted to the group's mix of labels and {attribute}").format(
        attribute=other.name
    )
    reading = _left(found)
    if found.kept < 1:
        text = _("{left}; {share} % of the group's rows have their like")
        reading = text.format(left=reading, share=f"{100 * found.kept:.0f}")
    return make.row(CASE_MIX, check, found, reading, mirrored=metric.mirrored)


def _left(found: AdjustedGap) -> str:
    """Return in words what an adjustment leaves of a gap."""
    if found.reason or math.isnan(found.drawn.low):
        reason = told(found.reason or found.drawn.reason)
        return _("not estimable: {reason}").format(reason=reason)
    if not found.unadjusted:
        return _("there was no gap to explain")
    share = found.value / found.unadjusted
    text = _("{share} % of the gap is left: this explains some of it at most")
    if found.drawn.low <= 0 <= found.drawn.high:
        text = _(
            "{share} % of the gap is left, its interval includes 0: consistent with this "
            "explanation"
        )
    elif share >= 0.8:
        text = _("{share} % of the gap is left: this explains little of it")
    return text.format(share=f"{100 * share:.0f}")


def _threshold(
    make: _Rows, analysis: Analysis, draws: PatientDraws, settings: FrameSettings
) -> Iterator[AlternativeRow]:
    """Yield the gap after recalibration, or for a ranking metric the gaps at the threshold."""
    one = make.one
    check = _("gap at the threshold after each group is recalibrated")
    if settings.threshold is None:
        if not one.metric.at_threshold:
            reading = _("a gap in ranking stays whatever the threshold or the calibration")
            yield make.row(THRESHOLD, _("ranking does not depend on it"), None, reading)
        return
    if not make.probability:
        yield make.row(THRESHOLD, check, None, _("the score is no probability"))
        return
    names = [one.metric.name] if one.metric.at_threshold else ["sensitivity", "specificity"]
    sources = list(dict.fromkeys(METRICS[name].source for name in names))
    pair = replace(make.pair, threshold=settings.threshold)
    found = recalibrated_gaps(
        analysis.study, pair, draws, metrics=sources, confidence=make.confidence
    )
    joint = _joint([(name, found[METRICS[name].source]) for name in names])
    for name in names:
        gap, mirrored = found[METRICS[name].source], METRICS[name].mirrored
        reading = _left(gap) if one.metric.at_threshold or not joint else joint
        yield make.row(THRESHOLD, check, gap, reading, metric=name, mirrored=mirrored)


def _joint(found: Sequence[tuple[str, AdjustedGap]]) -> str:
    """Return one reading of what recalibration does to all gaps; "" where one is not known."""
    if any(math.isnan(gap.value) or math.isnan(gap.unadjusted) for _name, gap in found):
        return ""
    return recalibration_reading(
        [(words_of(name), gap.unadjusted, gap.value) for name, gap in found]
    )
