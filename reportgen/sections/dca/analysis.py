"""From a table to arrays: point estimates, resamples and standard errors of every strategy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs import Survival, Table
from reportgen.language import _
from reportgen.result import LeftOut
from reportgen.section import Context
from reportgen.sections.dca.result import AS_DEPLOYED, RECALIBRATED, TREAT_ALL, TREAT_NONE
from reportgen.sections.dca.settings import DcaSettings, Grid
from reportgen.stats.decision import (
    FloatArray,
    Shares,
    at_prevalence,
    binary_shares,
    recalibrated_thresholds,
    with_defaults,
)
from reportgen.stats.decision_draws import (
    Sample,
    Support,
    binary_sample,
    clustered_error,
    draw_binary,
    draw_survival,
    support,
)
from reportgen.stats.decision_errors import influence, standard_error
from reportgen.stats.resampling import IntArray
from reportgen.stats.survival import survival_shares
from reportgen.stats.survival_influence import survival_net_benefit_se


@dataclass(frozen=True)
class Data:
    """The rows a section rests on.

    Attributes
    ----------
    names : tuple of str
        The M models.
    scores : (M, n) float array
    positive, negative : (n,) bool arrays
        Rows known to be of either class. With a time-to-event outcome: an event of interest by the
        horizon; a competing event by it, or follow-up to it. A row censored before is neither.
    survival : Survival or None
        The time-to-event outcome of these rows.
    unit : (n,) int array or None
        The independent unit of each row; None if each row is its own.
    unit_name : str or None
        The column that names the unit.
    resampled : str
        "units" if the table names them, else "rows".
    left_out : tuple of LeftOut
    table : str
        Name of the table.
    n_read : int
        Rows of the table.
    """

    names: tuple[str, ...]
    scores: FloatArray
    positive: NDArray[np.bool_]
    negative: NDArray[np.bool_]
    survival: Survival | None
    unit: IntArray | None
    unit_name: str | None
    resampled: str
    left_out: tuple[LeftOut, ...]
    table: str
    n_read: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.scores.shape[1])

    @property
    def n_units(self) -> int:
        """Number of independent units."""
        return self.n_rows if self.unit is None else len(np.unique(self.unit))

    @property
    def strategies(self) -> tuple[str, ...]:
        """The models, then the two defaults."""
        return (*self.names, TREAT_ALL, TREAT_NONE)

    @property
    def outcome(self) -> str:
        """The kind of outcome, as printed."""
        if self.survival is None:
            return _("binary label")
        competing = bool(np.any(self.survival.event == 2))
        return _("time to event ({estimator} at {horizon})").format(
            estimator="Aalen–Johansen" if competing else "Kaplan–Meier",
            horizon=f"{self.survival.at:g}",
        )


def read_data(table: Table, settings: DcaSettings) -> Data:
    """Return the rows with an outcome and with every score of the section."""
    names = tuple(table.scores) if settings.scores is None else tuple(settings.scores)
    selection = table.select(names)
    rows = selection.rows
    unit = None if table.unit is None else table.unit_codes(rows)
    if unit is not None and len(np.unique(unit)) == len(rows):
        unit = None
    positive, negative, survival = _classes(table, rows)
    return Data(
        names,
        np.array([table.scores[name][rows] for name in names]).reshape(len(names), len(rows)),
        positive,
        negative,
        survival,
        unit,
        table.unit_name,
        "rows" if table.unit is None else "units",
        selection.left_out,
        table.name,
        table.n_rows,
    )


def _classes(
    table: Table, rows: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Survival | None]:
    if table.survival is None:
        if table.label is None:
            raise ValueError(f"table {table.name!r} has no outcome")
        label = table.label[rows]
        return label == 1, label == 0, None
    time, event, at = table.survival.time[rows], table.survival.event[rows], table.survival.at
    positive = (event == 1) & (time <= at)
    # Events come before censorings at one time: who is censored at the horizon has reached it.
    negative = (time > at) | ((event == 0) & (time == at)) | ((event == 2) & (time <= at))
    return positive, negative, Survival(time, event, at)


@dataclass(frozen=True)
class View:
    """Every strategy with one kind of probabilities; shapes as in `Shares`, M + 2 strategies.

    Attributes
    ----------
    probabilities : str
        "as deployed" or "recalibrated".
    cutoffs : (T,) float array
        What the deployed score is compared with at each threshold.
    point, draws : Shares
        The estimate and its resamples, at the target prevalence if there is one.
    analytic_error : (M + 2, T) float array
        NaN where the net benefit is not estimable.
    support : Support
        Units behind the models.
    flagged : tuple of two (M + 2, T) int arrays or None
        Rows that are true and false positives; None with a time-to-event outcome.
    """

    probabilities: str
    cutoffs: FloatArray
    point: Shares
    draws: Shares
    analytic_error: FloatArray
    support: Support
    flagged: tuple[IntArray, IntArray] | None


@dataclass(frozen=True)
class Analysis:
    """The sample's own shares, their resamples, and one view or two of them."""

    point: Shares
    draws: Shares
    views: tuple[View, ...]


def analyse(data: Data, grid: Grid, *, target: float | None, context: Context) -> Analysis:
    """Resample once, and look at the resamples in one way or two.

    With a target prevalence there are two views, both at that prevalence: the scores as deployed,
    and recalibrated to it. The cut-offs of the latter come from the prevalence of this sample and
    stay as they are in every resample: the recalibration is a rule, fixed before use.
    """
    wanted = _cutoffs(data, grid, target)
    cutoffs = np.unique(np.concatenate(list(wanted.values())))
    point = point_shares(data, cutoffs)
    sample = _sample(data, cutoffs)
    draws = _draws(data, sample, cutoffs, context)
    views = []
    for name, used in wanted.items():
        columns = np.searchsorted(cutoffs, used)
        own = with_defaults(point.at(columns))
        views.append(
            View(
                name,
                used,
                _carried(own, target),
                _carried(with_defaults(draws.at(columns)), target),
                _analytic_error(data, sample, own, grid, target=target, used=used, columns=columns),
                _support(data, used),
                None if sample is None else _counts(own, data.n_rows),
            )
        )
    return Analysis(point, draws, tuple(views))


def _sample(data: Data, cutoffs: FloatArray) -> Sample | None:
    if data.survival is not None:
        return None
    label = data.positive.astype(np.float64)
    return binary_sample(data.scores, label, thresholds=cutoffs, unit=data.unit)


def _draws(data: Data, sample: Sample | None, cutoffs: FloatArray, context: Context) -> Shares:
    outcome = data.survival
    if sample is not None:
        return draw_binary(
            sample, context.rng, resamples=context.resamples, progress=context.progress
        )
    if outcome is None:
        raise ValueError("neither a label nor a time-to-event outcome")
    return draw_survival(
        data.scores,
        outcome.time,
        outcome.event,
        at=outcome.at,
        thresholds=cutoffs,
        unit=data.unit,
        generator=context.rng,
        resamples=context.resamples,
        progress=context.progress,
    )


def _analytic_error(
    data: Data,
    sample: Sample | None,
    own: Shares,
    grid: Grid,
    *,
    target: float | None,
    used: FloatArray,
    columns: IntArray,
) -> FloatArray:
    if sample is None:
        return _survival_error(data, grid, target=target, used=used)
    effect = influence(own, thresholds=grid.values, target=target)
    if data.unit is None:
        return standard_error(own, effect, n=data.n_rows)
    return clustered_error(sample, effect, columns=columns)


def _survival_error(
    data: Data, grid: Grid, *, target: float | None, used: FloatArray
) -> FloatArray:
    outcome = data.survival
    if outcome is None:
        raise ValueError("no time-to-event outcome")
    errors = survival_net_benefit_se(
        data.scores,
        outcome.time,
        outcome.event.astype(np.int64),
        at=outcome.at,
        thresholds=grid.values,
        unit=data.unit,
        cutoffs=used,
        target=target,
    )
    nobody = np.zeros_like(errors.treat_all)
    return np.vstack([errors.models, errors.treat_all, nobody])


def _cutoffs(data: Data, grid: Grid, target: float | None) -> dict[str, FloatArray]:
    thresholds = np.array(grid.values)
    if target is None:
        return {AS_DEPLOYED: thresholds}
    own: Fraction | float = Fraction(int(data.positive.sum()), data.n_rows)
    if data.survival is not None:
        own = float(point_shares(data, thresholds[:1]).prevalence)
    shifted = recalibrated_thresholds(thresholds, sample=own, target=target)
    return {AS_DEPLOYED: thresholds, RECALIBRATED: shifted}


def point_shares(data: Data, cutoffs: FloatArray) -> Shares:
    """Return the models' shares in the sample at these cut-offs, (M, G)."""
    if data.survival is None:
        return binary_shares(data.scores, data.positive.astype(np.float64), thresholds=cutoffs)
    outcome = data.survival
    return survival_shares(
        data.scores,
        outcome.time,
        outcome.event.astype(np.int64),
        at=outcome.at,
        thresholds=cutoffs,
    )


def _carried(shares: Shares, target: float | None) -> Shares:
    return shares if target is None else at_prevalence(shares, target)


def _support(data: Data, cutoffs: FloatArray) -> Support:
    return support(data.scores, data.positive, data.negative, thresholds=cutoffs, unit=data.unit)


def _counts(shares: Shares, n: int) -> tuple[IntArray, IntArray]:
    tp, fp = np.rint(shares.true_positive * n), np.rint(shares.false_positive * n)
    return tp.astype(np.intp), fp.astype(np.intp)
