"""Layers 1 and 2 for one attribute: every group's figures, every gap, one set of patient draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import norm

from reportgen.language import _
from reportgen.section import Context
from reportgen.sections.frame.data import Attribute, Data
from reportgen.sections.frame.metrics import Metric, compared, figure, mirrored
from reportgen.sections.frame.minimum import shortfall
from reportgen.sections.frame.settings import FrameSettings
from reportgen.stats.subgroups.draws import PatientDraws, patient_draws
from reportgen.stats.subgroups.estimate import GroupEstimate
from reportgen.stats.subgroups.gaps import Gap, PValue, compare
from reportgen.stats.subgroups.metrics import GroupSize, group_figures, group_size
from reportgen.stats.subgroups.permutation import PERMUTATIONS
from reportgen.stats.subgroups.resampling import Resampled, resample
from reportgen.stats.subgroups.study import Pair, Study, arrange
from reportgen.wording import clauses

EXPLORATORY_PERMUTATIONS = 999
"""Draws of the permutation test outside the primary family; each p value says how many."""


@dataclass(frozen=True)
class Comparison:
    """One metric of one score in a group and in the reference of its attribute.

    Attributes
    ----------
    attribute : Attribute
    score, group : int
    metric : Metric
    primary : bool
        Whether it belongs to the declared family: a primary metric of a single attribute.
    own, other : GroupEstimate
        The figure in the group and in the reference.
    own_size, other_size : GroupSize
    patients : int
        Patients of the two together.
    gap : Gap
    image_p : float or None
        p value if every row were a patient of its own; None where there is no test by patient.
    design_effect : float or None
        Variance of the gap by patient over that by row.
    """

    attribute: Attribute
    score: int
    group: int
    metric: Metric
    primary: bool
    own: GroupEstimate
    other: GroupEstimate
    own_size: GroupSize
    other_size: GroupSize
    patients: int
    gap: Gap
    image_p: float | None
    design_effect: float | None

    @property
    def group_name(self) -> str:
        """The group, as shown."""
        return self.attribute.levels[self.group]

    @property
    def reference_name(self) -> str:
        """The reference, as shown."""
        return self.attribute.levels[self.attribute.reference]


@dataclass(frozen=True)
class Analysis:
    """One attribute, with the figures of its groups and its comparisons.

    Attributes
    ----------
    attribute : Attribute
    study : Study
    draws : PatientDraws
    resampled : Resampled
    sizes : tuple of GroupSize
        One a group.
    figures : tuple of tuple of dict
        Score, group: name in the statistics to figure.
    comparisons : tuple of Comparison
    """

    attribute: Attribute
    study: Study
    draws: PatientDraws
    resampled: Resampled
    sizes: tuple[GroupSize, ...]
    figures: tuple[tuple[dict[str, GroupEstimate], ...], ...]
    comparisons: tuple[Comparison, ...]


def study_of(data: Data, attribute: Attribute, covariate: Attribute | None = None) -> Study:
    """Return the rows of a section arranged by the groups of an attribute."""
    return arrange(
        data.positive,
        data.scores,
        attribute.code,
        data.unit,
        n_levels=len(attribute.levels),
        covariate=None if covariate is None else covariate.code,
    )


def cutoff(settings: FrameSettings) -> float:
    """Return the threshold; without one no row is selected, and what needs one is not shown."""
    return math.inf if settings.threshold is None else settings.threshold


def analyse(
    data: Data,
    attribute: Attribute,
    settings: FrameSettings,
    context: Context,
    rng: np.random.Generator,
    progress: Callable[[float], None],
) -> Analysis:
    """Return the figures of the groups of an attribute and their gaps to the reference."""
    study = study_of(data, attribute)
    for_draws, for_tests = rng.spawn(2)
    draws = patient_draws(study, for_draws, resamples=context.resamples)
    resampled = resample(
        study,
        draws,
        thresholds=[cutoff(settings)] * len(data.names),
        probability=data.probability,
        overall=False,
        progress=lambda done: progress(0.6 * done),
    )
    levels = range(len(attribute.levels))
    sizes = tuple(group_size(study, level) for level in levels)
    figures = tuple(
        tuple(figures_of(study, level, score, data, settings) for level in levels)
        for score in range(len(data.names))
    )
    made = Analysis(attribute, study, draws, resampled, sizes, figures, ())
    return replace(
        made, comparisons=_comparisons(made, data, settings, context, for_tests, progress)
    )


def figures_of(
    study: Study, level: int | None, score: int, data: Data, settings: FrameSettings
) -> dict[str, GroupEstimate]:
    """Return every figure of a group, by its name in the statistics."""
    return group_figures(
        study, level, model=score, threshold=cutoff(settings), probability=data.probability
    )


def _comparisons(
    made: Analysis,
    data: Data,
    settings: FrameSettings,
    context: Context,
    rng: np.random.Generator,
    progress: Callable[[float], None],
) -> tuple[Comparison, ...]:
    metrics = compared(threshold=settings.threshold is not None, probability=data.probability)
    groups = made.attribute.others if made.attribute.reference >= 0 else ()
    found: list[Comparison] = []
    for done, (group, child) in enumerate(zip(groups, rng.spawn(len(groups)), strict=True)):
        patients = len(_patients(made.study, group, made.attribute.reference))
        for score in range(len(data.names)):
            gaps: dict[str, Comparison] = {}
            for metric in metrics:
                twin = gaps.get(metric.source) if metric.mirrored else None
                one = (
                    _mirrored(twin, metric, settings)
                    if twin is not None
                    else _compare(made, metric, score, group, patients, settings, context, child)
                )
                gaps[metric.name] = one
            found += (_tested(one, settings) for one in gaps.values())
        progress(0.6 + 0.4 * (done + 1) / len(groups))
    return tuple(found)


def _tested(one: Comparison, settings: FrameSettings) -> Comparison:
    """Return an exploratory comparison without its test where a group is below the minimum.

    A primary one keeps its p value: it has a verdict, which says the same.
    """
    if one.primary:
        return one
    short = [
        shortfall(one.own_size, one.group_name, settings),
        shortfall(one.other_size, one.reference_name, settings),
    ]
    if not any(short):
        return one
    test = PValue(
        math.nan, "", _("not tested: {reason}").format(reason=clauses(filter(None, short)))
    )
    return replace(one, gap=replace(one.gap, test=test), image_p=None)


def _patients(study: Study, group: int, reference: int) -> np.ndarray:
    return np.union1d(study.patients(group), study.patients(reference))


def _compare(
    made: Analysis,
    metric: Metric,
    score: int,
    group: int,
    patients: int,
    settings: FrameSettings,
    context: Context,
    rng: np.random.Generator,
) -> Comparison:
    attribute = made.attribute
    reference = attribute.reference
    primary = attribute.single and _is_primary(metric, settings)
    # The test of a specificity is that of the false positive rate too, which may be primary.
    thorough = primary or metric.source == "specificity"
    pair = Pair(metric.source, group, reference, score, cutoff(settings))
    own, other = (made.figures[score][level][metric.source] for level in (group, reference))
    gap = compare(
        made.study,
        pair,
        own,
        other,
        made.resampled,
        rng,
        confidence=context.confidence,
        alpha=settings.alpha,
        permutations=PERMUTATIONS if thorough else EXPLORATORY_PERMUTATIONS,
    )
    image_p, design_effect = _by_image(gap, own, other)
    return Comparison(
        attribute,
        score,
        group,
        metric,
        primary,
        figure(made.figures[score][group], metric, threshold=True),
        figure(made.figures[score][reference], metric, threshold=True),
        made.sizes[group],
        made.sizes[reference],
        patients,
        gap,
        image_p,
        design_effect,
    )


def _is_primary(metric: Metric, settings: FrameSettings) -> bool:
    return metric.name in settings.primary


def _mirrored(twin: Comparison, metric: Metric, settings: FrameSettings) -> Comparison:
    own, other = (
        replace(one, value=1 - one.value, influence=-one.influence)
        for one in (twin.own, twin.other)
    )
    primary = twin.attribute.single and _is_primary(metric, settings)
    return replace(
        twin, metric=metric, primary=primary, own=own, other=other, gap=mirrored(twin.gap)
    )


def _by_image(
    gap: Gap, own: GroupEstimate, other: GroupEstimate
) -> tuple[float | None, float | None]:
    """Return p and the design effect of a gap against rows that were patients of their own."""
    variance = own.image_variance + other.image_variance
    if not variance > 0 or math.isnan(gap.value):
        return None, None
    p = float(2 * norm.sf(abs(gap.value) / math.sqrt(variance)))
    deff = gap.standard_error**2 / variance
    return p, deff if deff > 0 else None
