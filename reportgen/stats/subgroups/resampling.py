"""Every metric of every group and model under one set of patient draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.stats.subgroups.draws import CountArray, PatientDraws
from reportgen.stats.subgroups.ranking import AreaPlan
from reportgen.stats.subgroups.study import FloatArray, IntArray, Study

RANKING = "auc"
AT_THRESHOLD = ("sensitivity", "specificity", "balanced_accuracy", "ppv", "npv", "selection_rate")
SCORING = ("brier", "prevalence")
METRICS = (RANKING, *AT_THRESHOLD, *SCORING)
"""Names of the metrics that patient draws give."""

_POSITIVE, _NEGATIVE, _TRUE, _FALSE, _SQUARES = range(5)


def row_terms(
    study: Study, rows: IntArray, *, model: int, threshold: float, probability: bool
) -> FloatArray:
    """Return what each row adds to the counts: (k, 5) of positive, negative, TP, FP, squared error.

    A row is selected where score >= threshold. The squared error is NaN unless scores are
    probabilities.
    """
    y, score = study.positive[rows], study.scores[model, rows]
    chosen = score >= threshold
    error = np.square(score - y) if probability else np.full(len(rows), np.nan)
    return np.column_stack([y, ~y, y & chosen, ~y & chosen, error]).astype(np.float64)


def metric_of(name: str, counts: FloatArray) -> FloatArray:
    """Return a metric from counts, NaN where its denominator is 0.

    Parameters
    ----------
    name : str
        One of METRICS except the area.
    counts : (..., 5) float array
        Positives, negatives, true positives, false positives and the sum of squared errors.
    """
    pos, neg = counts[..., _POSITIVE], counts[..., _NEGATIVE]
    tp, fp, squares = counts[..., _TRUE], counts[..., _FALSE], counts[..., _SQUARES]
    with np.errstate(invalid="ignore", divide="ignore"):
        if name == "balanced_accuracy":
            return np.asarray((tp / pos + (neg - fp) / neg) / 2)
        top, bottom = {
            "sensitivity": (tp, pos),
            "specificity": (neg - fp, neg),
            "ppv": (tp, tp + fp),
            "npv": (neg - fp, pos + neg - tp - fp),
            "selection_rate": (tp + fp, pos + neg),
            "brier": (squares, pos + neg),
            "prevalence": (pos, pos + neg),
        }[name]
        return np.asarray(np.where(bottom > 0, top / bottom, np.nan))


@dataclass(frozen=True)
class Resampled:
    """All metrics under the same patient draws; NaN where a draw leaves one undefined.

    Attributes
    ----------
    area : (M, L + 1, B) float array
        Model, group, draw; the last group is all rows together.
    counts : (M, L + 1, 5, B) float array
        Positives, negatives, true and false positives, sum of squared errors.
    """

    area: FloatArray
    counts: FloatArray

    def draws_of(self, metric: str, *, model: int, level: int | None) -> FloatArray:
        """Return one metric of one model and group in every draw, (B,).

        Parameters
        ----------
        metric : str
            One of METRICS.
        model : int
        level : int or None
            None for all rows together.
        """
        group = -1 if level is None else level
        if metric == RANKING:
            return np.asarray(self.area[model, group])
        return metric_of(metric, self.counts[model, group].T)


def resample(
    study: Study,
    draws: PatientDraws,
    *,
    thresholds: Sequence[float],
    probability: bool = True,
    overall: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Resampled:
    """Return every metric of every group and model in every draw.

    Parameters
    ----------
    study : Study
    draws : PatientDraws
        From `patient_draws` of the same study.
    thresholds : (M,) sequence of float
        One a model; a row is selected where score >= threshold.
    probability : bool
        Whether scores are probabilities; if not, the Brier score is NaN.
    overall : bool
        Whether the area of all rows together is wanted too (else NaN).
    progress : callable, optional
        Takes the share done, 0 to 1.

    Raises
    ------
    ValueError
        If the number of thresholds is not the number of models.
    """
    models, levels, total = study.n_models, study.n_levels, draws.resamples
    if len(thresholds) != models:
        raise ValueError(f"{models} models need {models} thresholds, not {len(thresholds)}")
    plans = _plans(study, overall=overall)
    terms = [
        _patient_terms(study, model, thresholds[model], probability) for model in range(models)
    ]
    area = np.full((models, levels + 1, total), np.nan)
    counts = np.zeros((models, levels + 1, 5, total))
    done = 0
    for block in draws.blocks(study.n):
        span = slice(done, done + len(block))
        for model, level, plan in plans:
            area[model, level, span] = plan.areas(block)
        for model in range(models):
            _add_counts(counts[model, :, :, span], block, terms[model])
        done += len(block)
        if progress:
            progress(done / total)
    # Every row lies in one group, so all rows together are the sum of the groups.
    counts[:, -1] = counts[:, :-1].sum(axis=1)
    return Resampled(area, counts)


def _plans(study: Study, *, overall: bool) -> list[tuple[int, int, AreaPlan]]:
    levels: list[int | None] = list(range(study.n_levels))
    plans = []
    for level in [*levels, None] if overall else levels:
        rows = study.rows(level)
        for model in range(study.n_models):
            plan = AreaPlan(study.positive[rows], study.scores[model, rows], study.patient[rows])
            plans.append((model, -1 if level is None else level, plan))
    return plans


@dataclass(frozen=True)
class _Part:
    """What patients start to stop - 1, one stratum, add to the counts of one group."""

    level: int
    start: int
    stop: int
    terms: FloatArray


def _patient_terms(
    study: Study, model: int, threshold: float, probability: bool
) -> tuple[_Part, ...]:
    parts = []
    for stratum, levels in enumerate(study.strata):
        start, stop = int(study.edges[stratum]), int(study.edges[stratum + 1])
        first, last = np.searchsorted(study.patient, [start, stop])
        within = np.arange(first, last)
        for level in levels:
            rows = within[study.level[within] == level]
            terms = row_terms(
                study, rows, model=model, threshold=threshold, probability=probability
            )
            unit = study.patient[rows] - start
            sums = [np.bincount(unit, column, minlength=stop - start) for column in terms.T]
            parts.append(_Part(level, start, stop, np.column_stack(sums)))
    return tuple(parts)


def _add_counts(counts: FloatArray, block: CountArray, parts: tuple[_Part, ...]) -> None:
    # Cast first: products of whole numbers with floats do not reach the fast library routine.
    weights = block.astype(np.float64)
    for part in parts:
        counts[part.level] += (weights[:, part.start : part.stop] @ part.terms).T
