"""What a reader of the section should know of how it was made, and that no finding says."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from reportgen.language import _, n_
from reportgen.sections.frame.alternatives import MOST_CHECKED
from reportgen.sections.frame.data import Data
from reportgen.sections.frame.evidence import NO_FEATURES
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.verdicts import BH, Judged
from reportgen.sections.frame.wording import level_shown
from reportgen.wording import sentences, separated, typed


def list_notes(data: Data, settings: FrameSettings, judged: Sequence[Judged]) -> Iterator[str]:
    """Yield the notes of a section."""
    yield from _families(settings, judged)
    if data.n_rows > data.n_units:
        text = _(
            "{n_rows} rows of {n_units} patients: every figure counts rows (a patient with many "
            "images weighs more), every variance is between patients."
        )
        yield text.format(n_rows=data.n_rows, n_units=data.n_units)
    yield _("The intervals hold for the model as it is; the variation of training is not in them.")
    if not data.probability:
        yield _("The scores only rank: there is no Brier score, no calibration and no link test.")
    yield from _references(data)
    yield from _training(data)
    yield from _no_clusters(data, settings)
    shown = [one for one in judged if one.adjusted.shows_gap(settings.alpha)]
    if len(shown) > MOST_CHECKED:
        text = _(
            "Other explanations were checked for the first {checked} of {shown} comparisons whose "
            "gap is shown."
        )
        yield text.format(checked=MOST_CHECKED, shown=len(shown))


def _no_clusters(data: Data, settings: FrameSettings) -> Iterator[str]:
    if data.features is None or settings.threshold is None:
        why = _(NO_FEATURES) if data.features is None else _("no threshold is declared")
        yield _("No failure clusters: {reason}.").format(reason=why)


def _families(settings: FrameSettings, judged: Sequence[Judged]) -> Iterator[str]:
    family = sum(one.comparison.primary for one in judged)
    exploratory = [one for one in judged if one.adjusted.adjustment == BH]
    tests = len({_test(one) for one in exploratory if not math.isnan(one.comparison.gap.test.p)})
    untested = len({_test(one) for one in exploratory}) - tests
    primary = n_(
        "The primary family holds {n} comparison (single attributes × {metrics} × scores), "
        "adjusted by Holm at {alpha}; one that cannot be estimated counts as p = 1.",
        "The primary family holds {n} comparisons (single attributes × {metrics} × scores), "
        "adjusted by Holm at {alpha}; one that cannot be estimated counts as p = 1.",
        family,
    ).format(n=family, metrics=separated(settings.primary), alpha=typed(settings.alpha))
    others = n_(
        "The exploratory family (intersections, other metrics) holds {n} test, adjusted by "
        "Benjamini and Hochberg, without a verdict; specificity and false positive rate are one "
        "test.",
        "The exploratory family (intersections, other metrics) holds {n} tests, adjusted by "
        "Benjamini and Hochberg, without a verdict; specificity and false positive rate are one "
        "test.",
        tests,
    ).format(n=tests)
    without = n_(
        "For want of patients or of a figure {n} more comparison has no p value.",
        "For want of patients or of a figure {n} more comparisons have no p value.",
        untested,
    ).format(n=untested)
    yield sentences((primary, others, without if untested else ""))
    text = _(
        "The minimum detectable gap and the patients needed are for 80 % power at the level of "
        "Holm's first step, {alpha} / {family}."
    )
    yield text.format(alpha=typed(settings.alpha), family=max(1, family))


def _test(one: Judged) -> tuple[str, int, int, str]:
    """Return what makes an exploratory test: a false positive rate is that of its specificity."""
    compared = one.comparison
    return compared.attribute.name, compared.score, compared.group, compared.metric.source


def _references(data: Data) -> Iterator[str]:
    for one in data.attributes:
        if one.reference >= 0:
            reference = level_shown(one.levels[one.reference])
            text = _("Reference of {attribute}: {group}.")
            yield text.format(attribute=one.name, group=reference)


def _training(data: Data) -> Iterator[str]:
    for attribute, counts in data.bank_groups.items():
        listed = separated(f"{level_shown(group)} {count}" for group, count in counts.items())
        text = _("Rows of the training set by {attribute}: {counts}.")
        yield text.format(attribute=attribute, counts=listed)
    if data.bank is not None and data.bank_unit is None:
        yield (
            _(
                "The training rows name no patients: each counts as one, other than all of "
                "the test set."
            )
        )
