"""The whole run of a prevalence section."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Inputs, Table
from reportgen.language import _, mark
from reportgen.result import Estimate, LeftOut, NotApplicable, Outcome
from reportgen.section import Context
from reportgen.sections.prevalence.figures import operating_point
from reportgen.sections.prevalence.findings import ASSUMPTION, list_findings, not_assessed
from reportgen.sections.prevalence.points import Point, from_published, from_units
from reportgen.sections.prevalence.result import PrevalenceResult, UnlabelledRow
from reportgen.sections.prevalence.settings import PrevalenceSettings
from reportgen.sections.prevalence.tables import (
    curve_rows,
    frequency_rows,
    metric_rows,
    moves,
    sample_mix_rows,
)
from reportgen.sections.prevalence.unlabelled import UnlabelledFound, estimate_unlabelled
from reportgen.stats.roc import area_and_variance, logit_interval
from reportgen.stats.unit_counts import Draws, UnitCounts, describe
from reportgen.wording import rows_of_units

RULE = mark("score >= threshold")


def compute(inputs: Inputs, settings: PrevalenceSettings, context: Context) -> Outcome:
    """Compute the prevalence tables of a section.

    Parameters
    ----------
    inputs : Inputs
        Holds the tables that the settings name.
    settings : PrevalenceSettings
        Without fault by `check`.
    context : Context
        Its generator is used where units have several rows, and for an unlabelled table.

    Returns
    -------
    Outcome
        With a PrevalenceResult, or NotApplicable if no row has both label and score.
    """
    if settings.table is None:
        return _published(settings, context)
    return _table(inputs, settings, context)


def _published(settings: PrevalenceSettings, context: Context) -> Outcome:
    if settings.sensitivity is None or settings.specificity is None:
        raise ValueError("check() refuses a section without table and published figures")
    stated = settings.all_thresholds
    point = from_published(
        settings.sensitivity,
        settings.specificity,
        float(stated[0]) if stated else None,
        confidence=context.confidence,
    )
    n_positive, n_negative = _class_rows(point)
    facts = _Facts(
        source=_("published figures"),
        rule=_("as published"),
        n_positive=n_positive,
        n_negative=n_negative,
        auc=Estimate.missing(_("published figures of one threshold hold no ROC curve")),
        notes=()
        if point.decision_threshold is None
        else (_("The published threshold is taken as a probability for the net benefit."),),
    )
    result = _result(settings, context, (point,), facts)
    return Outcome(result, list_findings(result, (point,), (n_positive, n_negative)))


def _table(inputs: Inputs, settings: PrevalenceSettings, context: Context) -> Outcome:
    table = inputs.tables[settings.table or ""]
    score = settings.score or next(iter(table.scores))
    selection = table.select([score])
    if table.label is None or not len(selection.rows):
        return Outcome(
            NotApplicable(_("no row has both label and score")),
            (not_assessed(table.name, selection.left_out),),
        )
    positive = table.label[selection.rows] == 1
    values, codes = table.scores[score][selection.rows], table.unit_codes(selection.rows)
    thresholds = [float(value) for value in settings.all_thresholds]
    units = describe(positive, values, codes, thresholds)
    points, draws = from_units(units, thresholds, scale=table.scale, context=context)
    context.progress(0.3)
    found = _unlabelled(inputs, settings, score, units, points, draws, context)
    context.progress(0.7)
    n_positive, n_negative = _class_rows(points[0])
    facts = _Facts(
        source=_("table"),
        rule=RULE,
        table=table.name,
        score=score,
        n_rows=units.n_rows,
        n_units=units.n_units,
        unit=table.unit_name,
        n_positive=n_positive,
        n_negative=n_negative,
        left_out=selection.left_out,
        sample_prevalence=float(positive.mean()),
        resamples=context.resamples if draws is not None or found.rows else 0,
        notes=_notes(table, units),
        auc=_auc(positive, values, codes, context.confidence),
        unlabelled=found.rows,
    )
    result = _result(settings, context, points, facts)
    return Outcome(result, list_findings(result, points, units.units_with(), found))


@dataclass(frozen=True)
class _Facts:
    """What a result holds beside the figures of its operating points."""

    source: str
    rule: str
    auc: Estimate
    n_positive: int | None
    n_negative: int | None
    table: str | None = None
    score: str | None = None
    n_rows: int | None = None
    n_units: int | None = None
    unit: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    sample_prevalence: float | None = None
    resamples: int = 0
    notes: tuple[str, ...] = ()
    unlabelled: tuple[UnlabelledRow, ...] = ()


def _result(
    settings: PrevalenceSettings, context: Context, points: tuple[Point, ...], facts: _Facts
) -> PrevalenceResult:
    prevalences = tuple(settings.prevalences)
    operating = tuple(operating_point(point, context.confidence) for point in points)
    return PrevalenceResult(
        source=facts.source,
        table=facts.table,
        score=facts.score,
        rule=facts.rule,
        assumption=_(ASSUMPTION),
        n_rows=facts.n_rows,
        n_units=facts.n_units,
        unit=facts.unit,
        n_positive=facts.n_positive,
        n_negative=facts.n_negative,
        left_out=facts.left_out,
        sample_prevalence=facts.sample_prevalence,
        confidence=context.confidence,
        resamples=facts.resamples,
        notes=facts.notes,
        threshold=points[0].threshold,
        sensitivity=operating[0].sensitivity,
        specificity=operating[0].specificity,
        auc=facts.auc,
        operating_points=operating,
        prevalences=prevalences,
        moves=moves(),
        rows=metric_rows(points, prevalences, context.confidence),
        frequencies=frequency_rows(points, prevalences),
        curve=curve_rows(points, prevalences, context.confidence),
        sample_mix=sample_mix_rows(points, context.confidence),
        unlabelled=facts.unlabelled,
    )


def _class_rows(point: Point) -> tuple[int | None, int | None]:
    """Return the positive and the negative rows, None where published without counts."""
    tp, fn, fp, tn = point.cells
    return (
        None if tp is None or fn is None else tp + fn,
        None if fp is None or tn is None else fp + tn,
    )


def _unlabelled(
    inputs: Inputs,
    settings: PrevalenceSettings,
    score: str,
    units: UnitCounts,
    points: tuple[Point, ...],
    draws: Draws | None,
    context: Context,
) -> UnlabelledFound:
    if settings.unlabelled is None:
        return UnlabelledFound()
    table = inputs.tables[settings.unlabelled]
    operating = tuple(operating_point(point, context.confidence) for point in points)
    return estimate_unlabelled(table, score, units, points, operating, draws, context)


def _notes(table: Table, units: UnitCounts) -> tuple[str, ...]:
    notes = []
    if units.clustered:
        rows = rows_of_units(units.n_rows, units.n_units, table.unit_name)
        text = _("{rows}: intervals come from resampling units, unless a method says otherwise.")
        notes.append(text.format(rows=rows))
    if table.scale == "score":
        notes.append(
            _("The score only ranks: its thresholds are cuts, and there is no net benefit.")
        )
    return tuple(notes)


def _auc(
    positive: NDArray[np.bool_],
    score: NDArray[np.float64],
    unit: NDArray[np.intp],
    confidence: float,
) -> Estimate:
    if positive.all() or not positive.any():
        return Estimate.missing(_("not defined: one class"))
    area, variance = area_and_variance(positive, score, unit)
    interval = logit_interval(area, variance, confidence=confidence)
    if interval is None:
        edge = area in (0.0, 1.0)
        return Estimate(
            area,
            reason=_("perfect separation, whose variance cannot be estimated")
            if edge
            else _("too few units for a variance"),
        )
    clustered = len(unit) > int(unit.max()) + 1
    method = _("Obuchowski (units), logit") if clustered else _("DeLong, logit")
    return Estimate(area, *interval, confidence, method)
