"""Whether the levels of one attribute differ at all, and each level drawn towards the others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.stats import chi2, norm

from reportgen.stats.subgroups.study import BoolArray, FloatArray


@dataclass(frozen=True)
class Heterogeneity:
    """Spread of a figure over levels, beyond what sampling makes.

    Attributes
    ----------
    q, df, p : float
        Cochran's Q, its degrees of freedom (levels - 1) and chi-square p value.
    i_squared : float
        Share of the variation beyond sampling, 0 to 1: max(0, (Q - df) / Q).
    tau : float
        Standard deviation of the true figures, >= 0 (Paule & Mandel).
    mean : float
        Their mean.
    shrunken : (k,) float array
        Each level's figure drawn towards the mean (empirical Bayes); NaN where it had no figure.
    low, high : (k,) float arrays
        Normal limits of the shrunken figures, with the error of the mean.
    used : (k,) bool array
        Levels with a figure and a variance above 0.
    reason : str
        Why there is no test (fewer than two levels); "" if there is one.
    """

    q: float
    df: float
    p: float
    i_squared: float
    tau: float
    mean: float
    shrunken: FloatArray
    low: FloatArray
    high: FloatArray
    used: BoolArray
    reason: str = ""


def heterogeneity(
    values: ArrayLike, covariance: ArrayLike, *, confidence: float = 0.95
) -> Heterogeneity:
    """Return Q, I squared, tau and the shrunken figures of the levels of one attribute.

    Parameters
    ----------
    values : (k,) array_like of float
        One figure a level, best on a scale without ends (`on_logit_scale`); NaN where there is
        none: the level is left out.
    covariance : (k,) or (k, k) array_like of float
        Variances, or the covariance matrix where levels share patients.
    confidence : float
        Of the limits of the shrunken figures.

    Notes
    -----
    With covariance V and W = (V + tau^2 I)^-1: the mean is 1'Wy / 1'W1; Q is the weighted sum of
    squares at tau = 0; tau^2 solves Q(tau^2) = k - 1 or is 0 (Paule & Mandel 1982, J Res Natl Bur
    Stand 87:377, the estimator that Veroniki et al. 2016, Res Synth Methods 7:55 recommend). The
    shrunken figure is mean + tau^2 W (y - mean); its variance holds the error of the mean
    (Raudenbush & Bryk 1985, J Educ Stat 10:75; `blup` of the R package metafor), not that of tau.

    References
    ----------
    Cochran (1954), Biometrics 10:101; Higgins & Thompson (2002), Stat Med 21:1539.
    """
    y = np.asarray(values, dtype=np.float64)
    v = np.asarray(covariance, dtype=np.float64)
    matrix = np.diag(v) if v.ndim == 1 else v
    used = ~np.isnan(y) & (np.nan_to_num(np.diag(matrix)) > 0)
    none = np.full(len(y), np.nan)
    if np.count_nonzero(used) < 2:
        nan = math.nan
        few = "fewer than two levels have a figure"
        return Heterogeneity(nan, nan, nan, nan, nan, nan, none, none, none, used, few)
    y, matrix = y[used], matrix[np.ix_(used, used)]
    df = len(y) - 1
    q = _weighted(y, matrix, 0.0)[0]
    tau2 = _paule_mandel(y, matrix)
    _, mean, weights = _weighted(y, matrix, tau2)
    pull = tau2 * weights
    shrunken = mean + pull @ (y - mean)
    rest = 1 - pull.sum(axis=1)  # share of each figure that comes from the mean
    variance = tau2 - tau2**2 * np.diag(weights) + rest**2 / weights.sum()
    half = float(norm.isf((1 - confidence) / 2)) * np.sqrt(np.maximum(variance, 0))
    return Heterogeneity(
        q,
        df,
        float(chi2.sf(q, df)),
        max(0.0, (q - df) / q) if q > 0 else 0.0,
        math.sqrt(tau2),
        mean,
        _in_place(shrunken, used),
        _in_place(shrunken - half, used),
        _in_place(shrunken + half, used),
        used,
    )


def _in_place(part: FloatArray, used: BoolArray) -> FloatArray:
    whole = np.full(len(used), np.nan)
    whole[used] = part
    return whole


def _weighted(y: FloatArray, matrix: FloatArray, tau2: float) -> tuple[float, float, FloatArray]:
    """Return the weighted sum of squares, the mean and the weights at a given tau squared."""
    weights = np.asarray(np.linalg.inv(matrix + tau2 * np.eye(len(y))), dtype=np.float64)
    mean = float(weights.sum(axis=0) @ y / weights.sum())
    return float((y - mean) @ weights @ (y - mean)), mean, weights


def _paule_mandel(y: FloatArray, matrix: FloatArray) -> float:
    df = len(y) - 1

    def excess(tau2: float) -> float:
        return _weighted(y, matrix, tau2)[0] - df

    if excess(0.0) <= 0:
        return 0.0
    top = float(np.var(y)) + 1e-12
    while excess(top) > 0:
        top *= 2
    return float(brentq(excess, 0.0, top, xtol=1e-16, rtol=1e-12))


def on_logit_scale(value: float, variance: float) -> tuple[float, float]:
    """Return a figure between 0 and 1 and its variance on the logit scale; NaN at 0 and 1."""
    if not 0 < value < 1:
        return math.nan, math.nan
    return math.log(value / (1 - value)), variance / (value * (1 - value)) ** 2
