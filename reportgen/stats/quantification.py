"""Estimates of the prevalence of a set without labels, under label shift.

Two that rest on different things: Rogan and Gladen's uses the flagged share with sensitivity and
specificity; the maximum likelihood of Saerens and others uses the predicted probabilities. Under
label shift with calibrated probabilities they agree up to sampling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from reportgen.stats.proportions import Interval, Proportion, normal_quantile
from reportgen.stats.resampling import (
    BLOCK_NUMBERS,
    Units,
    joint_cells,
    resampled_counts,
    unit_signatures,
)
from reportgen.stats.unit_counts import effective_size

FloatArray = NDArray[np.float64]

_EDGE = 1e-12  # the open interval (0, 1) in which a root is sought


def rogan_gladen(apparent: ArrayLike, sensitivity: ArrayLike, specificity: ArrayLike) -> FloatArray:
    """Return the prevalence (ap + sp - 1) / (se + sp - 1) behind an apparent prevalence.

    It is not cut to 0 to 1: a value outside says that the sensitivity and specificity cannot hold
    in this set, or that they are known too badly. NaN where se + sp = 1.

    References
    ----------
    Rogan & Gladen (1978), Am J Epidemiol 107:71.
    """
    ap, se, sp = (np.asarray(x, dtype=float) for x in (apparent, sensitivity, specificity))
    youden = np.asarray(se + sp - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(youden != 0, (ap + sp - 1) / youden, np.nan)


def rogan_gladen_interval(
    apparent: Proportion, sensitivity: Proportion, specificity: Proportion, *, confidence: float
) -> Interval:
    """Return the interval of the true prevalence that carries all three samples' uncertainty.

    Limits are not cut to 0 to 1. Meant for se + sp well above 1.

    Returns
    -------
    low, high : float
        NaN where the adjusted se + sp do not exceed 1.

    References
    ----------
    Lang & Reiczigel (2014), Prev Vet Med 113:13.
    """
    z = normal_quantile(confidence)
    n, n1, n0 = apparent.n + z * z, sensitivity.n + 2, specificity.n + 2
    ap = (apparent.k + z * z / 2) / n
    se, sp = (sensitivity.k + 1) / n1, (specificity.k + 1) / n0
    youden = se + sp - 1
    if youden <= 0:
        return math.nan, math.nan
    p = (ap + sp - 1) / youden
    se_part, sp_part = se * (1 - se) / n1, sp * (1 - sp) / n0
    shift = 2 * z * z * (p * se_part - (1 - p) * sp_part)
    variance = ap * (1 - ap) / n + p * p * se_part + (1 - p) ** 2 * sp_part
    half = z * math.sqrt(variance) / youden
    return p + shift - half, p + shift + half


def saerens(
    probability: FloatArray, source_prevalence: float, *, weight: FloatArray | None = None
) -> float:
    """Return the prevalence of highest likelihood, the fixed point of Saerens' EM.

    Parameters
    ----------
    probability : (n,) float array
        Predicted probability of the positive class, 0 to 1, calibrated at `source_prevalence`.
    source_prevalence : float
        Share of positives at which the probabilities hold, 0 < share < 1.
    weight : (n,) float array or None
        How often each row counts; once if None.

    Returns
    -------
    float
        0 to 1. Exactly 0 or 1 where the likelihood rises all the way to that end; NaN where it does
        not depend on the prevalence (every probability equals `source_prevalence`).

    Notes
    -----
    With r = odds(probability) / odds(source) the log-likelihood sum(log(1 + p (r - 1))) is concave
    in the prevalence p, so the root of its slope is the EM's limit; it is found by Brent's method.

    References
    ----------
    Saerens, Latinne & Decaestecker (2002), Neural Comput 14:21; Alexandari, Kundaje & Shrikumar
    (2020), ICML: calibration matters, and the likelihood is concave.
    """
    if not 0 < source_prevalence < 1:
        raise ValueError(f"the source prevalence must lie in (0, 1), not {source_prevalence!r}")
    count = np.ones(len(probability)) if weight is None else weight
    with np.errstate(divide="ignore"):
        ratio = probability / (1 - probability) * ((1 - source_prevalence) / source_prevalence)
        reach = 1 / (ratio - 1)  # infinite where the row says nothing

    def slope(prevalence: float) -> float:
        return float(np.dot(count, 1 / (prevalence + reach)))

    low, high = slope(_EDGE), slope(1 - _EDGE)
    if low == high == 0:
        return math.nan
    if low <= 0:
        return 0.0
    if high >= 0:
        return 1.0
    return float(brentq(slope, _EDGE, 1 - _EDGE, xtol=1e-13))


@dataclass(frozen=True)
class Unlabelled:
    """Scores of a set without labels, in an order that does not depend on the rows' order.

    Attributes
    ----------
    score : (K,) float array
        The distinct scores, ascending.
    count : (K,) int array
        Rows with each.
    units : Units
        Units by signature, over the distinct scores.
    """

    score: FloatArray
    count: NDArray[np.intp]
    units: Units

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.count.sum())

    @property
    def n_units(self) -> int:
        """Number of units."""
        return self.units.n

    @property
    def effective_size(self) -> float:
        """Kish's effective number of rows (see `effective_size` of unit_counts)."""
        return effective_size(self.units.cells.sum(axis=1), self.units.count)

    def flagged_share(self, threshold: float) -> float:
        """Return the share of rows with score >= threshold, 0 to 1."""
        return int(self.count[self.score >= threshold].sum()) / self.n_rows

    def saerens(self, source_prevalence: float) -> float:
        """Return Saerens' estimate of all rows; see :func:`saerens`."""
        return saerens(self.score, source_prevalence, weight=self.count.astype(float))


def arrange(score: FloatArray, unit: NDArray[np.intp]) -> Unlabelled:
    """Return the rows by score and by unit.

    Parameters
    ----------
    score : (n,) float array
    unit : (n,) int array
        Unit of each row, 0 to U - 1.

    Raises
    ------
    ValueError
        If there are no rows.
    """
    if not len(score):
        raise ValueError("no rows")
    cells = joint_cells([score])
    units = unit_signatures(cells.of_row, unit, n_cells=len(cells.row))
    return Unlabelled(score[cells.row], np.bincount(cells.of_row), units)


@dataclass(frozen=True)
class QuantificationDraws:
    """Bootstrap draws of an unlabelled set.

    Attributes
    ----------
    apparent : (B, T) float array
        Share flagged at each threshold.
    likelihood : (B,) float array or None
        Saerens' estimate; None for scores that are no probabilities.
    """

    apparent: FloatArray
    likelihood: FloatArray | None


def resample_unlabelled(
    rows: Unlabelled,
    thresholds: ArrayLike,
    source_prevalence: FloatArray | None,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> QuantificationDraws:
    """Return the estimates of bootstrap samples of units, drawn with replacement.

    Parameters
    ----------
    rows : Unlabelled
    thresholds : (T,) array_like of float
    source_prevalence : (B,) float array or None
        Share of positives where the probabilities hold, one a resample (so that its own sampling is
        carried on); None leaves the likelihood out. Where it is 0, 1 or NaN the draw is NaN.
    rng : numpy.random.Generator
    resamples : int
    """
    flagged = (rows.score[:, None] >= np.asarray(thresholds, dtype=float)).astype(float)
    held = rows.units.cells.T.tocsr()
    block = max(1, BLOCK_NUMBERS // max(held.shape))
    apparent: list[FloatArray] = []
    likelihood: list[float] = []
    for counts in resampled_counts(rows.units, rng, resamples=resamples, block=block):
        weight = np.asarray(held @ counts.T).T
        apparent.append(weight @ flagged / weight.sum(axis=1, keepdims=True))
        if source_prevalence is not None:
            sources = source_prevalence[len(likelihood) :].tolist()
            likelihood += [
                saerens(rows.score, source, weight=row) if 0 < source < 1 else math.nan
                for source, row in zip(sources, weight, strict=False)
            ]
    return QuantificationDraws(
        np.concatenate(apparent), None if source_prevalence is None else np.array(likelihood)
    )
