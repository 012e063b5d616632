"""The whole run of a FRAME section, top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from reportgen.errors import Fault, InputError, key_text
from reportgen.inputs import Inputs
from reportgen.language import _
from reportgen.result import Outcome
from reportgen.section import Context
from reportgen.sections.frame.alternatives import MOST_CHECKED, alternative_rows
from reportgen.sections.frame.analysis import Analysis, Comparison, analyse, figures_of
from reportgen.sections.frame.data import Data, read_data
from reportgen.sections.frame.evidence import (
    cluster_rows,
    gather,
    map_rows,
    place,
    representation_rows,
)
from reportgen.sections.frame.findings import list_findings, not_assessable
from reportgen.sections.frame.levels import heterogeneity_rows, parity_rows, picture_rows
from reportgen.sections.frame.models import model_rows
from reportgen.sections.frame.notes import list_notes
from reportgen.sections.frame.result import (
    RULE,
    AlternativeRow,
    ClusterRow,
    FrameResult,
    GroupRow,
    HeterogeneityRow,
    PlainPictureRow,
    RepresentationRow,
    RequiredRow,
    SeveralRow,
    ShrunkenRow,
)
from reportgen.sections.frame.rows import gap_row, group_rows, overall_rows
from reportgen.sections.frame.settings import FrameSettings, check_inputs
from reportgen.sections.frame.verdicts import Judged, adjust, judge
from reportgen.stats.subgroups.metrics import group_size

# Shares of the run's time, for the progress bar.
ANALYSED, EXAMINED = 0.4, 0.9


def compute(inputs: Inputs, settings: FrameSettings, context: Context) -> Outcome:
    """Compute a FRAME section: groups, gaps, representation, verdicts.

    Parameters
    ----------
    inputs : Inputs
        Holds the section's table.
    settings : FrameSettings
        As `check` has passed them.
    context : Context
        Each attribute has generators of its own, spawned from its generator.

    Returns
    -------
    Outcome
        A FrameResult, or NotApplicable with its reason, and the findings.

    Raises
    ------
    InputError
        If the groups in the data do not fit the settings: see `settings.check_inputs`.
    """
    _refuse(settings, inputs)
    data = read_data(inputs, settings)
    reason = _obstacle(data)
    if reason:
        return not_assessable(data, settings, reason)
    for_layers = context.rng.spawn(5)
    analyses = _analyse(data, settings, context, for_layers[0])
    comparisons = [one for analysis in analyses for one in analysis.comparisons]
    adjusted = adjust(comparisons, settings)
    shown = [one.comparison for one in adjusted if one.shows_gap(settings.alpha)]
    places = frozenset(map(place, shown))
    evidence = gather(
        data,
        places,
        settings,
        for_layers[1],
        confidence=context.confidence,
        progress=_part(context, ANALYSED, EXAMINED),
    )
    judged = tuple(judge(one, *evidence.of(one.comparison), settings) for one in adjusted)
    clustered = cluster_rows(data, places, settings, for_layers[2], context.confidence)
    alternatives = tuple(_alternatives(analyses, shown, data, settings, context, for_layers[3]))
    pictures = zip(analyses, for_layers[4].spawn(len(analyses)), strict=True)
    result = _result(
        data,
        settings,
        context,
        analyses,
        judged,
        notes=tuple(list_notes(data, settings, judged)),
        plain_picture=tuple(row for one, rng in pictures for row in picture_rows(one, data, rng)),
        alternatives=alternatives,
        representation=tuple(representation_rows(evidence, data, context.confidence)),
        clusters=clustered.rows,
    )
    return Outcome(result, list_findings(result, data, settings, evidence, clustered))


def _result(
    data: Data,
    settings: FrameSettings,
    context: Context,
    analyses: Sequence[Analysis],
    judged: Sequence[Judged],
    *,
    notes: tuple[str, ...],
    plain_picture: tuple[PlainPictureRow, ...],
    alternatives: tuple[AlternativeRow, ...],
    representation: tuple[RepresentationRow, ...],
    clusters: tuple[ClusterRow, ...],
) -> FrameResult:
    confidence, draws = context.confidence, context.resamples
    family = sum(one.comparison.primary for one in judged)
    heterogeneity, shrunken = _heterogeneity(analyses, data, settings, confidence)
    points, features, explained = map_rows(data, settings)
    groups = _groups(analyses, data, settings, confidence)
    return FrameResult(
        rule=RULE,
        table=data.table,
        scores=data.names,
        threshold=settings.threshold,
        n_rows=data.n_rows,
        n_units=data.n_units,
        n_positive=int(np.count_nonzero(data.positive)),
        n_negative=int(np.count_nonzero(~data.positive)),
        left_out=data.left_out,
        units_in_several=_several(analyses),
        primary=tuple(settings.primary),
        margin=settings.stated_margin,
        alpha=settings.alpha,
        confidence=confidence,
        resamples=draws,
        resampled="rows" if data.unit_name is None else "units",
        unit=data.unit_name,
        minimum_positive_units=settings.minimum.positive_units,
        minimum_negative_units=settings.minimum.negative_units,
        required=_required(groups, settings),
        family_size=family,
        notes=notes,
        groups=groups,
        gaps=tuple(gap_row(one, data, settings, family, draws, confidence) for one in judged),
        parity=tuple(row for one in analyses for row in parity_rows(one, data, settings)),
        heterogeneity=tuple(heterogeneity),
        shrunken=tuple(shrunken),
        plain_picture=plain_picture,
        models=tuple(
            row for one in analyses for row in model_rows(one, data, settings, confidence)
        ),
        alternatives=alternatives,
        representation=representation,
        clusters=clusters,
        map=points,
        features=features,
        explained_variance=explained,
    )


def _refuse(settings: FrameSettings, inputs: Inputs) -> None:
    faults = [
        Fault(f"section {settings.name}: {key_text(fault.key)}", fault.what, fault.mend)
        for fault in check_inputs(settings, inputs)
    ]
    if faults:
        raise InputError(faults)


def _obstacle(data: Data) -> str:
    return "" if data.n_rows else _("no row has both a label and every score")


def _part(context: Context, start: float, stop: float) -> Callable[[float], None]:
    """Return the progress of a part of the run that goes from `start` to `stop`."""
    return lambda done: context.progress(start + (stop - start) * done)


def _analyse(
    data: Data, settings: FrameSettings, context: Context, rng: np.random.Generator
) -> tuple[Analysis, ...]:
    children = rng.spawn(len(data.attributes))
    step = ANALYSED / len(data.attributes)
    return tuple(
        analyse(
            data, attribute, settings, context, child, _part(context, at * step, (at + 1) * step)
        )
        for at, (attribute, child) in enumerate(zip(data.attributes, children, strict=True))
    )


def _groups(
    analyses: Sequence[Analysis], data: Data, settings: FrameSettings, confidence: float
) -> tuple[GroupRow, ...]:
    first = analyses[0]
    figures = tuple(
        figures_of(first.study, None, score, data, settings) for score in range(len(data.names))
    )
    size = group_size(first.study, None)
    return (
        *overall_rows(first, figures, size, data, settings, confidence),
        *(row for one in analyses for row in group_rows(one, data, settings, confidence)),
    )


def _several(analyses: Sequence[Analysis]) -> tuple[SeveralRow, ...]:
    rows = []
    for one in analyses:
        counts = np.diff(one.study.edges).tolist()
        shared = sum(
            count for count, levels in zip(counts, one.study.strata, strict=True) if len(levels) > 1
        )
        if shared:
            rows.append(SeveralRow(one.attribute.name, shared))
    return tuple(rows)


def _required(groups: Sequence[GroupRow], settings: FrameSettings) -> tuple[RequiredRow, ...]:
    found = {(row.attribute, row.group): row for row in reversed(groups)}
    rows = []
    for attribute, names in settings.required.items():
        for name in dict.fromkeys(names):
            row = found.get((attribute, name))
            estimable = row is not None and row.estimable
            rows.append(
                RequiredRow(attribute, name, estimable, _("no rows") if row is None else row.reason)
            )
    return tuple(rows)


def _heterogeneity(
    analyses: Sequence[Analysis], data: Data, settings: FrameSettings, confidence: float
) -> tuple[list[HeterogeneityRow], list[ShrunkenRow]]:
    pairs = [heterogeneity_rows(one, data, settings, confidence) for one in analyses]
    return [row for rows, _shrunken in pairs for row in rows], [
        row for _tests, rows in pairs for row in rows
    ]


def _alternatives(
    analyses: Sequence[Analysis],
    shown: Sequence[Comparison],
    data: Data,
    settings: FrameSettings,
    context: Context,
    rng: np.random.Generator,
) -> Iterator[AlternativeRow]:
    checked = list(shown)[:MOST_CHECKED]
    for one, child in zip(analyses, rng.spawn(len(analyses)), strict=True):
        own = [each for each in checked if each.attribute.name == one.attribute.name]
        yield from alternative_rows(one, own, data, settings, context, child)
