"""What a reader of the section should know of how it was made, and that no finding says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from reportgen.sections.frame.alternatives import MOST_CHECKED
from reportgen.sections.frame.data import Data
from reportgen.sections.frame.evidence import Evidence
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.verdicts import BH, Judged


def list_notes(
    data: Data, settings: FrameSettings, judged: Sequence[Judged], evidence: Evidence
) -> Iterator[str]:
    """Yield the notes of a section."""
    yield from _families(settings, judged)
    if data.n_rows > data.n_units:
        yield (
            f"{data.n_rows} rows of {data.n_units} patients: every figure counts rows (a patient "
            "with many images weighs more), every variance is between patients."
        )
    yield "The intervals hold for the model as it is; the variation of training is not in them."
    if not data.probability:
        yield "The scores only rank: there is no Brier score, no calibration and no link test."
    yield from _references(data)
    yield from _training(data)
    yield from dict.fromkeys(
        f"{attribute}, {data.attributes_by_name[attribute].levels[group]}: {note}."
        for (attribute, group, _), one in evidence.found.items()
        for note in one.shift.notes
    )
    shown = [one for one in judged if one.adjusted.shows_gap(settings.alpha)]
    if len(shown) > MOST_CHECKED:
        yield (
            f"Other explanations were checked for the first {MOST_CHECKED} of {len(shown)} "
            "comparisons whose gap is shown."
        )


def _families(settings: FrameSettings, judged: Sequence[Judged]) -> Iterator[str]:
    family = sum(one.comparison.primary for one in judged)
    exploratory = [one for one in judged if one.adjusted.adjustment == BH]
    tests = len({_test(one) for one in exploratory if not math.isnan(one.comparison.gap.test.p)})
    untested = len({_test(one) for one in exploratory}) - tests
    without = (
        f" For want of patients or of a figure {untested} more "
        f"{'comparison has' if untested == 1 else 'comparisons have'} no p value."
    )
    without = without if untested else ""
    yield (
        f"The primary family holds {family} comparison{'' if family == 1 else 's'} (single "
        f"attributes × {', '.join(settings.primary)} × scores), adjusted by Holm at "
        f"{settings.alpha:g}; one that cannot be estimated counts as p = 1. The exploratory family "
        f"(intersections, other metrics) holds {tests} test{'' if tests == 1 else 's'}, adjusted "
        "by Benjamini and Hochberg, without a verdict; specificity and false positive rate are one "
        f"test.{without}"
    )
    yield (
        "The minimum detectable gap and the patients needed are for 80 % power at the level of "
        f"Holm's first step, {settings.alpha:g} / {max(1, family)}."
    )


def _test(one: Judged) -> tuple[str, int, int, str]:
    """Return what makes an exploratory test: a false positive rate is that of its specificity."""
    compared = one.comparison
    return compared.attribute.name, compared.score, compared.group, compared.metric.source


def _references(data: Data) -> Iterator[str]:
    for one in data.attributes:
        if one.reference >= 0:
            yield f"Reference of {one.name}: {one.levels[one.reference]}."


def _training(data: Data) -> Iterator[str]:
    for attribute, counts in data.bank_groups.items():
        listed = ", ".join(f"{group} {count}" for group, count in counts.items())
        yield f"Rows of the training set by {attribute}: {listed}."
    if data.bank is not None and data.bank_unit is None:
        yield (
            "The training rows name no patients: each counts as one, other than all of the test "
            "set."
        )
