"""The figures of a classifier on one split, each with its interval or why there is none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.inputs.table import Table
from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.integrity.audits import Job
from reportgen.sections.integrity.result_evaluation import ClassifierRow
from reportgen.sections.integrity.settings import ClassifierSettings
from reportgen.sections.integrity.shares import (
    BoolArray,
    FloatArray,
    IntArray,
    as_estimate,
    from_draws,
    share_in_units,
    unit_rate,
)
from reportgen.stats.binary_decisions import (
    Decided,
    decide,
    f1_of_jaccard,
    kappa_and_mcc,
    resampled_agreement,
)
from reportgen.stats.subgroups.metrics import area
from reportgen.stats.subgroups.rates import mean_of_rates
from reportgen.stats.subgroups.study import arrange
from reportgen.wording import quoted

ALL = "all"
"""The split of every row."""

NO_ROW = mark("undefined (0/0): there is no row")
NO_POSITIVE = mark("undefined (0/0): there is no positive row")
NO_NEGATIVE = mark("undefined (0/0): there is no negative row")
NO_CALLED = mark("undefined (0/0): there is no row called positive")
NO_UNION = mark("undefined (0/0): there is no row that is positive or called so")
CONSTANT_MCC = mark("undefined (0/0): every row is called the same; scikit-learn prints 0")
ONE_CLASS_MCC = mark("undefined (0/0): one class does not occur; scikit-learn prints 0")


@dataclass(frozen=True)
class Rows:
    """The rows of one split.

    Attributes
    ----------
    split : str
        Its name, "all" for every row.
    positive : (n,) bool array
    score : (n,) float array
    unit : (n,) int array
    """

    split: str
    positive: BoolArray
    score: FloatArray
    unit: IntArray


def rows_of(table: Table, settings: ClassifierSettings) -> Iterator[Rows]:
    """Yield all rows, then those of each split, in the order the manifest declares or sorted."""
    name = score_of(table, settings)
    used = table.select([name]).rows
    assert table.label is not None  # noqa: S101 - the caller has seen to it
    positive, score = table.label[used] == 1, table.scores[name][used]
    unit = table.unit_codes(used)
    yield Rows(ALL, positive, score, unit)
    if settings.split is None:
        return
    group = table.groups[settings.split][used]
    found = set(group.tolist())
    declared = table.levels.get(settings.split, ())
    levels = [*declared, *sorted(found - {"", *declared}), *sorted(found & {""})]
    for level in levels:
        own = group == level
        codes = np.unique(unit[own], return_inverse=True)[1].astype(np.intp)
        yield Rows(_named(level, levels), positive[own], score[own], codes)


def _named(level: str, levels: Sequence[str]) -> str:
    """Return the name of a split, one that neither all rows nor the rows without a split have."""
    if level:
        return quoted(level) if level == ALL else level
    return _("missing (no value)") if _("missing") in levels else _("missing")


def score_of(table: Table, settings: ClassifierSettings) -> str:
    """Return the shown name of the score that is audited."""
    return settings.score or next(iter(table.scores))


def classifier_row(
    rows: Rows, threshold: float, job: Job, *, problems: tuple[str, ...]
) -> ClassifierRow:
    """Return every figure of a classifier on one split.

    Parameters
    ----------
    rows : Rows
        At least one.
    threshold : float
        A row is called positive where score >= threshold.
    job : Job
        Gives the confidence, the resamples and the generator.
    problems : tuple of text
    """
    table = decide(rows.positive, rows.score, threshold)
    kappa, mcc = _agreement(rows, table, threshold, job)
    return ClassifierRow(
        split=rows.split,
        n=table.n,
        n_positive=table.positives,
        n_called_positive=table.called_positive,
        base_rate=_share(rows, rows.positive, None, job, NO_ROW),
        **_rates(rows, threshold, job),
        f1=_f1(rows, threshold, job),
        kappa=kappa,
        mcc=mcc,
        auc=_auc(rows, job),
        score_min=float(rows.score.min()),
        score_max=float(rows.score.max()),
        distinct_scores=len(np.unique(rows.score)),
        threshold=threshold,
        problems=problems,
    )


def _share(rows: Rows, hit: BoolArray, among: BoolArray | None, job: Job, empty: str) -> Estimate:
    every = np.ones(len(rows.positive), dtype=np.bool_) if among is None else among
    return share_in_units(
        hit,
        every,
        rows.unit,
        confidence=job.context.confidence,
        empty=_(empty),
    )


def _rates(rows: Rows, threshold: float, job: Job) -> dict[str, Estimate]:
    """Return the figures that are shares of rows, and the mean of the two rates."""
    y, called = rows.positive, rows.score >= threshold
    halves = [
        unit_rate(hit, among, rows.unit, empty=_(empty))
        for hit, among, empty in ((called, y, NO_POSITIVE), (~called, ~y, NO_NEGATIVE))
    ]
    return {
        "accuracy": _share(rows, called == y, None, job, NO_ROW),
        "sensitivity": _share(rows, called, y, job, NO_POSITIVE),
        "specificity": _share(rows, ~called, ~y, job, NO_NEGATIVE),
        "precision": _share(rows, y, called, job, NO_CALLED),
        "balanced_accuracy": as_estimate(mean_of_rates(*halves), confidence=job.context.confidence),
    }


def _f1(rows: Rows, threshold: float, job: Job) -> Estimate:
    """Return F1 with the limits of Jaccard's index carried over."""
    y, called = rows.positive, rows.score >= threshold
    found = _share(rows, y & called, y | called, job, NO_UNION)
    if found.estimate is None:
        return found
    value = f1_of_jaccard(found.estimate)
    if found.low is None or found.high is None:
        return Estimate(value, reason=found.reason)
    method = _("{method}, of Jaccard's index").format(method=found.method)
    limits = (f1_of_jaccard(found.low), f1_of_jaccard(found.high))
    return Estimate(value, *limits, found.confidence, method)


def _agreement(rows: Rows, table: Decided, threshold: float, job: Job) -> tuple[Estimate, Estimate]:
    """Return kappa and Matthews' correlation coefficient."""
    cells = np.array([table.tp, table.fn, table.fp, table.tn], dtype=np.float64)
    kappa, mcc = (float(value) for value in kappa_and_mcc(cells))
    if table.constant:
        reason = _(
            "every row is called the same: kappa is 0 whatever the labels are, so resamples cannot"
            " show its spread"
        )
        known = Estimate(0.0, reason=reason)
        one_class = _("undefined (0/0): rows and decisions are all of one class")
        return (
            Estimate.missing(one_class) if math.isnan(kappa) else known,
            Estimate.missing(_(CONSTANT_MCC)),
        )
    drawn = resampled_agreement(
        rows.positive,
        rows.score >= threshold,
        rows.unit,
        rng=job.context.rng,
        resamples=job.context.resamples,
    )
    reasons = (_("undefined (0/0)"), _(ONE_CLASS_MCC))
    units = len(np.unique(rows.unit))
    first, second = (
        from_draws(value, draws, confidence=job.context.confidence, units=units, undefined=reason)
        for value, draws, reason in zip((kappa, mcc), drawn, reasons, strict=True)
    )
    return first, second


def _auc(rows: Rows, job: Job) -> Estimate:
    """Return the area under the ROC curve; a perfect one has an exact one-sided bound."""
    group = np.zeros(len(rows.positive), dtype=np.intp)
    study = arrange(rows.positive, rows.score, group, rows.unit, n_levels=1)
    return as_estimate(area(study, 0), confidence=job.context.confidence)
