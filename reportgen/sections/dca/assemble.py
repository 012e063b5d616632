"""The result of a section, put together from its arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reportgen.language import _
from reportgen.result import Estimate
from reportgen.section import Context
from reportgen.sections.dca.analysis import Analysis, Data, View
from reportgen.sections.dca.estimates import Maker, number
from reportgen.sections.dca.result import (
    BETTER_DEFAULT,
    RULE,
    CurveRow,
    DcaResult,
    EvpiRow,
    GainRow,
    SelfCheckRow,
    ShiftRow,
    VerdictRow,
)
from reportgen.sections.dca.rows import (
    Benefit,
    Comparison,
    benefit_of,
    comparisons,
    curve_rows,
    evpi_rows,
    gain_rows,
    self_check_rows,
    verdict_rows,
)
from reportgen.sections.dca.settings import DcaSettings, Grid
from reportgen.sections.dca.shift import shift_rows
from reportgen.stats.decision import FloatArray


@dataclass(frozen=True)
class _Computed:
    """One view with its net benefit and its comparisons."""

    view: View
    benefit: Benefit
    comparisons: tuple[Comparison, ...]


@dataclass(frozen=True)
class _Run:
    """Every view with what all rows are made with; each method makes one list of the result."""

    data: Data
    thresholds: FloatArray
    harm: FloatArray
    maker: Maker
    views: tuple[_Computed, ...]

    def curve(self) -> Iterator[CurveRow]:
        for one in self.views:
            yield from curve_rows(
                self.data,
                one.view,
                one.benefit,
                thresholds=self.thresholds,
                harm=self.harm,
                maker=self.maker,
            )

    def gains(self) -> Iterator[GainRow]:
        for one in self.views:
            for compared in one.comparisons:
                yield from gain_rows(
                    one.view, compared, thresholds=self.thresholds, maker=self.maker
                )

    def evpi(self) -> Iterator[EvpiRow]:
        for one in self.views:
            yield from evpi_rows(one.view, one.benefit, thresholds=self.thresholds)

    def self_check(self) -> Iterator[SelfCheckRow]:
        for one in self.views:
            yield from self_check_rows(self.data, one.view, one.benefit)

    def verdicts(self) -> tuple[list[VerdictRow], list[VerdictRow]]:
        """Return the verdicts by stretch of thresholds, and over the whole range."""
        parts: list[VerdictRow] = []
        overall: list[VerdictRow] = []
        for one in self.views:
            for compared in one.comparisons:
                runs, whole = verdict_rows(one.view, compared, thresholds=self.thresholds)
                parts += runs
                overall += whole
        return parts, overall

    def critical_values(self) -> Iterator[tuple[str, float]]:
        """Yield the factor of each simultaneous band; none for a curve that does not vary.

        Its names are keys, in English whatever the language.
        """
        for one in self.views:
            kind = one.view.probabilities
            named = list(zip(self.data.strategies, one.benefit.band.critical, strict=True))
            for compared in one.comparisons:
                labels = (f"{model} minus {against}" for model, against in compared.names)
                named += zip(labels, compared.band.critical, strict=True)
            for name, value in named:
                factor = number(value)
                if factor is not None:
                    yield f"{name} ({kind})", factor


def assemble(
    data: Data, grid: Grid, settings: DcaSettings, context: Context, analysis: Analysis
) -> DcaResult:
    """Return what the section found."""
    run = _run(data, grid, settings, context, analysis)
    curve = tuple(run.curve())
    parts, overall = run.verdicts()
    binary = data.survival is None
    return DcaResult(
        rule=RULE,
        table=settings.table,
        outcome=data.outcome,
        horizon=None if data.survival is None else data.survival.at,
        n_rows=data.n_rows,
        n_units=data.n_units,
        unit=data.unit_name,
        n_positive=int(data.positive.sum()) if binary else None,
        n_negative=int(data.negative.sum()) if binary else None,
        left_out=data.left_out,
        prevalence=_prevalence(analysis, run.maker),
        target_prevalence=settings.prevalence,
        threshold_from=grid.values[0],
        threshold_to=grid.values[-1],
        n_thresholds=len(grid.values),
        owner=grid.owner,
        reason=grid.reason,
        harm={name: settings.harm.get(name, 0.0) for name in data.names},
        confidence=context.confidence,
        resamples=context.resamples,
        resampled=data.resampled,
        notes=(*grid.notes, *_notes(data, settings)),
        curve=curve,
        gains=tuple(run.gains()),
        evpi=tuple(run.evpi()),
        verdicts=tuple(row for row in parts if row.against == BETTER_DEFAULT),
        overall=tuple(row for row in overall if row.against == BETTER_DEFAULT),
        self_check=tuple(run.self_check()),
        critical_values=dict(run.critical_values()),
        between_models=tuple(row for row in overall if row.against != BETTER_DEFAULT),
        recalibration=_recalibration(run, analysis, curve, settings.prevalence),
    )


def _run(
    data: Data, grid: Grid, settings: DcaSettings, context: Context, analysis: Analysis
) -> _Run:
    thresholds = np.array(grid.values)
    harm = np.array([settings.harm.get(name, 0.0) for name in data.strategies])
    maker = Maker(context.confidence, context.resamples, data.resampled)
    views = []
    for view in analysis.views:
        benefit = benefit_of(view, thresholds, harm, maker)
        views.append(_Computed(view, benefit, comparisons(data, view, benefit, maker)))
    return _Run(data, thresholds, harm, maker, tuple(views))


def _recalibration(
    run: _Run, analysis: Analysis, curve: tuple[CurveRow, ...], target: float | None
) -> tuple[ShiftRow, ...]:
    rows = shift_rows(
        run.data,
        analysis,
        curve,
        harm=run.harm[: len(run.data.names)],
        target=target,
        confidence=run.maker.confidence,
    )
    return tuple(rows)


def _prevalence(analysis: Analysis, maker: Maker) -> Estimate:
    point = analysis.point.prevalence.reshape(1)
    return maker.estimates(point, analysis.draws.prevalence[:, None])[(0,)]


def _notes(data: Data, settings: DcaSettings) -> Iterator[str]:
    if data.resampled == "rows":
        yield _("the table names no unit: every row is taken as independent of the others")
    if settings.harm:
        yield _(
            "harm is subtracted from the net benefit of a model and from what follows from it, not "
            "from the net benefit of the untreated"
        )
    if settings.prevalence is not None:
        yield _(
            "the target prevalence is taken as known, and so is the shift of the recalibrated "
            "scores: their cut-offs come from the prevalence of this sample and are the same in "
            "every resample. That is right where the sampling fixed the share of positives "
            "(case-control); of a cohort the intervals of the recalibrated curves can be too narrow"
        )
