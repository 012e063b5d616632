"""Several scores on the same patients: whether one narrows or widens a gap of another."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from reportgen.language import mark
from reportgen.sections.frame.analysis import Analysis, Comparison, cutoff
from reportgen.sections.frame.data import Data
from reportgen.sections.frame.result import ModelRow
from reportgen.sections.frame.rows import drawn_estimate, number
from reportgen.sections.frame.settings import FrameSettings
from reportgen.stats.subgroups.draws import DrawnInterval
from reportgen.stats.subgroups.models import gap_change
from reportgen.stats.subgroups.study import Pair

NO_CHANGE = mark("no change shown")
NARROWER = mark("narrower")
WIDER = mark("wider")
REVERSED = mark("moved; that it became smaller or larger is not shown")


def model_rows(
    analysis: Analysis, data: Data, settings: FrameSettings, confidence: float
) -> Iterator[ModelRow]:
    """Yield how each gap in a primary metric changes from one score to a later one."""
    by_place = {(one.score, one.group, one.metric.name): one for one in analysis.comparisons}
    for old, new in combinations(range(len(data.names)), 2):
        for one in analysis.comparisons:
            if one.score == old and one.metric.name in settings.primary:
                other = by_place[new, one.group, one.metric.name]
                yield _row(analysis, one, other, data, settings, confidence)


def _row(
    analysis: Analysis,
    old: Comparison,
    new: Comparison,
    data: Data,
    settings: FrameSettings,
    confidence: float,
) -> ModelRow:
    # The draws are those of the source; of its mirror the change has the other sign.
    sign = -1.0 if old.metric.mirrored else 1.0
    pair = Pair(
        old.metric.source,
        old.group,
        analysis.attribute.reference,
        old.score,
        cutoff(settings),
    )
    found = gap_change(
        analysis.resampled,
        pair,
        new_model=new.score,
        old_gap=sign * old.gap.value,
        new_gap=sign * new.gap.value,
        confidence=confidence,
    )
    draws = analysis.draws.resamples
    change = found.drawn if sign > 0 else _flipped(found.drawn)
    size = _flipped(found.narrowing_drawn)
    return ModelRow(
        attribute=old.attribute.name,
        group=old.group_name,
        reference=old.reference_name,
        metric=old.metric.name,
        score=data.names[new.score],
        against=data.names[old.score],
        change=drawn_estimate(sign * found.change, change, confidence, draws, found.reason),
        change_of_absolute_gap=drawn_estimate(
            -found.narrowing, size, confidence, draws, found.reason
        ),
        p=number(found.test.p),
        reading=_reading(change, size),
    )


def _flipped(drawn: DrawnInterval) -> DrawnInterval:
    return replace(drawn, low=-drawn.high, high=-drawn.low)


def _reading(change: DrawnInterval, size: DrawnInterval) -> str:
    """Return what both intervals show; a gap of 0 or near it makes the size alone misleading."""
    if math.isnan(change.low) or change.low <= 0 <= change.high:
        return NO_CHANGE
    if size.high < 0:
        return NARROWER
    return WIDER if size.low > 0 else REVERSED
