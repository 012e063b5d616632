"""What is left of a gap at the threshold when each group is recalibrated on its own.

Recalibration moves scores without changing their order: a gap that goes with it is one of threshold
or calibration, one that stays is one of ranking or of case mix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import logit

from reportgen.stats.subgroups.calibration import recalibration, recalibrations
from reportgen.stats.subgroups.draws import CountArray, DrawnInterval, PatientDraws, drawn_interval
from reportgen.stats.subgroups.matching import AdjustedGap
from reportgen.stats.subgroups.resampling import AT_THRESHOLD, metric_of, row_terms
from reportgen.stats.subgroups.study import FloatArray, IntArray, Pair, Study


def recalibrated_gaps(
    study: Study,
    pair: Pair,
    draws: PatientDraws,
    *,
    metrics: Sequence[str] = AT_THRESHOLD,
    confidence: float = 0.95,
) -> dict[str, AdjustedGap]:
    """Return the gaps at the threshold after logistic recalibration within each group.

    Parameters
    ----------
    study : Study
        Its scores are probabilities.
    pair : Pair
        Groups, model and threshold (0 to 1, both excluded); its metric is not used.
    draws : PatientDraws
        Of the same study; the recalibration is fitted anew in each.
    metrics : sequence of str
        Names of AT_THRESHOLD.
    confidence : float

    Notes
    -----
    Intercept and slope are fitted by maximum likelihood on the group itself (Cox 1958, Biometrika
    45:562; Steyerberg 2019, Clinical Prediction Models, section 20.2), so that the result describes
    these data; it is no promise for new ones.
    """
    sides = [_Side(study, pair, level) for level in (pair.group, pair.reference)]
    reason = "; ".join(
        f"{name}: {side.reason}"
        for name, side in zip(("group", "reference"), sides, strict=True)
        if side.reason
    )
    if reason:
        nothing = DrawnInterval(math.nan, math.nan, math.nan, False, reason)
        return {name: AdjustedGap(math.nan, math.nan, nothing, 0.0, reason) for name in metrics}
    point = sides[0].figures(None, metrics) - sides[1].figures(None, metrics)
    plain = sides[0].before(metrics) - sides[1].before(metrics)
    drawn = np.concatenate(
        [
            sides[0].figures(c, metrics) - sides[1].figures(c, metrics)
            for c in draws.blocks(study.n)
        ],
        axis=1,
    )
    result = {}
    for k, name in enumerate(metrics):
        value = float(point[k, 0])
        undefined = "undefined in one of the groups" if math.isnan(value) else ""
        interval = drawn_interval(drawn[k], confidence=confidence)
        result[name] = AdjustedGap(value, float(plain[k, 0]), interval, 1.0, undefined)
    return result


class _Side:
    """One group with its recalibration."""

    def __init__(self, study: Study, pair: Pair, level: int) -> None:
        rows = study.rows(level)
        self._patient: IntArray = study.patient[rows]
        self._positive, score = study.positive[rows], study.scores[pair.model, rows]
        start, self.reason = recalibration(self._positive, score)
        self._start: FloatArray = np.zeros(2) if start is None else start
        if not 0 < pair.threshold < 1:
            self.reason = f"a threshold of {pair.threshold:g} has no logit"
        self._before = row_terms(
            study, rows, model=pair.model, threshold=pair.threshold, probability=False
        )
        if not self.reason:
            self._z: FloatArray = logit(score)
            self._cut = float(logit(pair.threshold))

    def before(self, metrics: Sequence[str]) -> FloatArray:
        """Return the metrics as they are, (metrics, 1)."""
        counts = self._before.sum(axis=0)[None]
        return np.array([metric_of(name, counts) for name in metrics])

    def figures(self, counts: CountArray | None, metrics: Sequence[str]) -> FloatArray:
        """Return the metrics after recalibration in each draw, (metrics, b); None: the data."""
        if counts is None:
            weights, beta = np.ones((1, len(self._z))), self._start[None]
        else:
            weights = counts[:, self._patient].astype(np.float64)
            beta = recalibrations(self._positive, self._z, weights, start=self._start)
        chosen = beta[:, :1] + beta[:, 1:] * self._z >= self._cut
        y = self._positive
        sums = np.stack(
            [
                weights @ y,
                weights @ ~y,
                (weights * chosen) @ y,
                (weights * chosen) @ ~y,
                np.full(len(weights), np.nan),
            ],
            axis=1,
        )
        sums[np.isnan(beta).any(axis=1)] = np.nan
        return np.array([metric_of(name, sums) for name in metrics])
