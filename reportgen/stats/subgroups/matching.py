"""What is left of a gap when the reference has the group's mix of labels and of a covariate.

The rows of the reference are weighted, in the data and in every patient draw, so that the shares of
each label and bin equal those of the group. It is what resampling the reference to the group's mix
tends to, without the noise of a second draw.

References
----------
Glocker et al. (2023), eBioMedicine 89:104467 (test sets resampled to like prevalence and age);
Janes & Pepe (2009), Biometrika 96:371 (areas standardised to the mix of a covariate).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.stats.subgroups.draws import DrawnInterval, PatientDraws, drawn_interval
from reportgen.stats.subgroups.ranking import weighted_areas
from reportgen.stats.subgroups.resampling import METRICS, metric_of, row_terms
from reportgen.stats.subgroups.study import BoolArray, FloatArray, IntArray, Pair, Study

MATCHED = tuple(name for name in METRICS if name != "prevalence")


@dataclass(frozen=True)
class AdjustedGap:
    """A gap after an adjustment of the groups.

    Attributes
    ----------
    value : float
        Group minus reference after the adjustment; NaN where `reason` says why.
    unadjusted : float
        The same gap before it.
    drawn : DrawnInterval
        Percentile interval of `value`, adjusted anew in every patient draw.
    kept : float
        Share of the group's rows that have their like in the reference, 0 to 1; the others take no
        part.
    reason : str
    """

    value: float
    unadjusted: float
    drawn: DrawnInterval
    kept: float
    reason: str = ""


def matched_gaps(
    study: Study,
    pair: Pair,
    draws: PatientDraws,
    *,
    metrics: Sequence[str] = MATCHED,
    on_label: bool = True,
    on_covariate: bool = True,
    probability: bool = True,
    confidence: float = 0.95,
) -> dict[str, AdjustedGap]:
    """Return the gaps with the reference weighted to the group's mix.

    Parameters
    ----------
    study : Study
        Its `covariate` holds the bins to match on (age bands, say).
    pair : Pair
        Groups, model and threshold; its metric is not used.
    draws : PatientDraws
        Of the same study.
    metrics : sequence of str
        Names of METRICS; by default all but the prevalence, which is matched.
    on_label : bool
        Match the share of positives (prevalence).
    on_covariate : bool
        Match the shares of the covariate's bins, within each label if `on_label`.
    probability : bool
        Whether the scores are probabilities.
    confidence : float

    Notes
    -----
    The area does not depend on the share of positives; matching on the label alone leaves it as it
    is. A bin of the group that has no row in the reference (in a draw: none in that draw) is left
    out of both.
    """
    rows = np.concatenate([study.rows(pair.group), study.rows(pair.reference)])
    cell = _cells(study, rows, on_label=on_label, on_covariate=on_covariate)
    in_group = study.level[rows] == pair.group
    figures = _Figures(study, pair, rows, in_group, metrics, probability)
    ones = np.ones((1, len(rows)))
    plain = figures.gaps(ones)
    weights, kept = _matched(ones, cell, in_group)
    point = figures.gaps(weights)
    parts = []
    for counts in draws.blocks(len(rows)):
        drawn = counts[:, study.patient[rows]].astype(np.float64)
        parts.append(figures.gaps(_matched(drawn, cell, in_group)[0]))
    drawn_gaps = np.concatenate(parts, axis=1)
    result = {}
    for k, name in enumerate(metrics):
        value = float(point[k, 0])
        reason = "undefined in one of the groups" if np.isnan(value) else ""
        result[name] = AdjustedGap(
            value,
            float(plain[k, 0]),
            drawn_interval(drawn_gaps[k], confidence=confidence),
            float(kept[0]),
            reason,
        )
    return result


def _cells(study: Study, rows: IntArray, *, on_label: bool, on_covariate: bool) -> IntArray:
    cell = study.covariate[rows] if on_covariate else np.zeros(len(rows), dtype=np.intp)
    return 2 * cell + study.positive[rows] if on_label else cell


def _matched(
    weights: FloatArray, cell: IntArray, in_group: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Weight the reference's rows to the group's mix; drop what has no like in the other.

    Returns
    -------
    weights : (b, k) float array
    kept : (b,) float array
        Share of the group's rows kept.
    """
    n_cells = int(cell.max()) + 1
    member = np.zeros((len(cell), n_cells))
    member[np.arange(len(cell)), cell] = 1.0
    own = (weights * in_group) @ member
    other = (weights * ~in_group) @ member
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(other > 0, own / other, 0.0)
    both = np.where(in_group, (other > 0)[:, cell], ratio[:, cell])
    total = own.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = (own * (other > 0)).sum(axis=1) / total
    return weights * both, kept


class _Figures:
    """The metrics of both groups under row weights."""

    def __init__(
        self,
        study: Study,
        pair: Pair,
        rows: IntArray,
        in_group: BoolArray,
        metrics: Sequence[str],
        probability: bool,
    ) -> None:
        self._positive, self._score = study.positive[rows], study.scores[pair.model, rows]
        self._terms = row_terms(
            study, rows, model=pair.model, threshold=pair.threshold, probability=probability
        )
        self._sides = (np.flatnonzero(in_group), np.flatnonzero(~in_group))
        self._metrics = metrics

    def gaps(self, weights: FloatArray) -> FloatArray:
        """Return the gap of each metric under each row of weights, (metrics, b)."""
        first, second = (self._side(weights, side) for side in self._sides)
        return first - second

    def _side(self, weights: FloatArray, side: IntArray) -> FloatArray:
        own = weights[:, side]
        counts = own @ self._terms[side]
        return np.array(
            [
                weighted_areas(self._positive[side], self._score[side], own)
                if name == "auc"
                else metric_of(name, counts)
                for name in self._metrics
            ]
        )
