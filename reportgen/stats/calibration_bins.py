"""Calibration of risks in bins: expected calibration error, and what chance alone would give.

References
----------
Guo et al. (2017), ICML 70:1321 (the error, bins closed on the right); Bröcker & Smith (2007),
Weather and Forecasting 22:651 (consistency resampling: outcomes redrawn from the risks).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

By = Literal["width", "counts"]
CHUNK = 4_000_000
"""Outcomes that are held at a time."""
NORMAL = 1000.0
"""Variance of the positives of a bin from which on their number is drawn from a normal."""


@dataclass(frozen=True)
class RiskBins:
    """Rows in bins of their risk, each bin closed on the right, the first on the left too.

    Attributes
    ----------
    low, high : (m,) float array
        Limits.
    code : (n,) int array
        The bin of each row; every row has one.
    n : (m,) int array
        Rows, which add up to all rows; 0 is possible in bins of equal width.
    mean : (m,) float array
        Mean risk, NaN in an empty bin.
    rate : (m,) float array
        Share of positives, NaN in an empty bin.
    """

    low: FloatArray
    high: FloatArray
    code: IntArray
    n: IntArray
    mean: FloatArray
    rate: FloatArray

    @property
    def error(self) -> float:
        """The expected calibration error: mean of abs(mean - rate) over rows, 0 to 1."""
        filled = self.n > 0
        gaps = np.abs(self.mean[filled] - self.rate[filled])
        return float(gaps @ self.n[filled] / self.n.sum())


def risk_bins(
    positive: BoolArray, risk: FloatArray, *, bins: int = 10, by: By = "width"
) -> RiskBins:
    """Put rows into bins of their risk.

    Parameters
    ----------
    positive : (n,) bool array
        At least one row.
    risk : (n,) float array
        0 to 1.
    bins : int
        How many are asked for.
    by : {"width", "counts"}
        Bins of equal width from 0 to 1, or of equal counts: then bins that ties leave empty are
        merged with a neighbour, so that fewer may be left.
    """
    if by == "width":
        low, high = np.arange(bins) / bins, np.arange(1, bins + 1) / bins
    else:
        inner = np.quantile(risk, np.arange(1, bins) / bins, method="inverted_cdf")
        high = np.unique(np.append(inner, risk.max()))
        low = np.append(risk.min(), high[:-1])
    code = np.searchsorted(high[:-1], risk, side="left").astype(np.intp)
    n = np.bincount(code, minlength=len(high)).astype(np.intp)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(code, risk, minlength=len(high)) / n
        rate = np.bincount(code, positive, minlength=len(high)) / n
    return RiskBins(low, high, code, n, mean, rate)


def errors_if_calibrated(
    risk: FloatArray, bins: RiskBins, rng: np.random.Generator, *, draws: int
) -> FloatArray:
    """Return calibration errors of outcomes that are drawn from the risks themselves.

    Rows are drawn independently: the errors say nothing where rows belong together.

    Parameters
    ----------
    risk : (n,) float array
        0 to 1; its order does not change the result.
    bins : RiskBins
        Of these risks.
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    (draws,) float array
        0 to 1.

    Notes
    -----
    The positives of a bin are a sum of independent draws. Where its variance is above 1,000 it is
    drawn from the normal with the same mean and variance, which is off by about 0.01 of a standard
    deviation at most; below, every row is drawn.
    """
    values, counts = np.unique(risk, return_counts=True)
    code = np.searchsorted(bins.high[:-1], values, side="left")
    variance = np.bincount(code, counts * values * (1 - values), minlength=len(bins.n))
    wide = variance >= NORMAL
    normal = rng.standard_normal((draws, int(np.count_nonzero(wide)))) * np.sqrt(variance[wide])
    own = ~wide[code]
    far = _far_off(values[own], counts[own], code[own], rng, draws)
    return np.asarray((np.abs(normal).sum(axis=1) + far) / len(risk))


def _far_off(
    values: FloatArray, counts: IntArray, code: IntArray, rng: np.random.Generator, draws: int
) -> FloatArray:
    """Return, for each draw, how far the positives of the bins are from their expectation."""
    if not len(values):
        return np.zeros(draws)
    starts = np.flatnonzero(np.diff(code, prepend=-1))
    expected = np.add.reduceat(values * counts, starts)
    chunk = max(1, CHUNK // len(values))
    far = []
    for start in range(0, draws, chunk):
        size = (min(chunk, draws - start), len(values))
        drawn = np.add.reduceat(rng.binomial(counts, values, size=size), starts, axis=1)
        far.append(np.abs(expected - drawn).sum(axis=1))
    return np.concatenate(far)
