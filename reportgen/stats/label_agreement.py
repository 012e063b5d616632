"""How far two labels of the same pictures agree: Cohen's kappa and F1 of boxes, by clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.binary_decisions import kappa_and_mcc
from reportgen.stats.unit_sums import resampled_sums, sums_by_unit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Drawn:
    """A figure with its draws in bootstrap samples of clusters.

    Attributes
    ----------
    value : float
        NaN where it is 0/0.
    draws : (B,) float array
        NaN where a sample leaves it 0/0.
    """

    value: float
    draws: FloatArray


@dataclass(frozen=True)
class Agreement:
    """Agreement on the presence of classes.

    Attributes
    ----------
    cells : (C, 4) int array
        Pairs by class: both labels have it, only the first, only the second, neither.
    kappa : tuple of C Drawn
        Cohen's kappa by class, -1 to 1.
    overall : Drawn
        Kappa of all decisions taken together: pairs times classes.
    """

    cells: NDArray[np.int64]
    kappa: tuple[Drawn, ...]
    overall: Drawn


def class_agreement(
    first: BoolArray,
    second: BoolArray,
    cluster: IntArray,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> Agreement:
    """Return Cohen's kappa of two labels of the same pictures, by class and overall.

    Parameters
    ----------
    first, second : (p, C) bool arrays
        Whether a label has a class; p > 0, C > 0.
    cluster : (p,) int array
        Independent unit of each pair, 0 upwards, each met.
    rng : numpy.random.Generator
    resamples : int
        Bootstrap samples B of clusters.

    References
    ----------
    Cohen (1960), Educ Psychol Meas 20:37.
    """
    n_classes = first.shape[1]
    parts = [first & second, first & ~second, ~first & second, ~first & ~second]
    columns = np.stack(parts, axis=2).reshape(len(first), 4 * n_classes).astype(np.float64)
    sums = sums_by_unit(columns, cluster)
    drawn = resampled_sums(sums, rng, resamples=resamples).reshape(-1, n_classes, 4)
    cells = sums.sum(axis=0).reshape(n_classes, 4)
    value, _ = kappa_and_mcc(cells)
    draws, _ = kappa_and_mcc(drawn)
    pooled, _ = kappa_and_mcc(cells.sum(axis=0))
    pooled_draws, _ = kappa_and_mcc(drawn.sum(axis=1))
    return Agreement(
        np.round(cells).astype(np.int64),
        tuple(Drawn(float(value[at]), draws[:, at]) for at in range(n_classes)),
        Drawn(float(pooled), pooled_draws),
    )


def pooled_f1(
    matched: IntArray,
    boxes: IntArray,
    cluster: IntArray,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> tuple[Drawn, ...]:
    """Return F1 of boxes over all pairs, for one or several comparisons of the same pairs.

    Parameters
    ----------
    matched, boxes : (p, m) int arrays
        Boxes matched one to one, and boxes of both sides together, of each pair in each comparison.
    cluster : (p,) int array
        Independent unit of each pair, 0 upwards, each met.
    rng : numpy.random.Generator
    resamples : int

    Returns
    -------
    tuple of m Drawn, and of the difference first − second where m is 2
        F1 = 2 Σ matched / Σ boxes, 0 to 1; all in the same samples.
    """
    m = matched.shape[1]
    sums = sums_by_unit(np.hstack([2 * matched, boxes]).astype(np.float64), cluster)
    drawn = resampled_sums(sums, rng, resamples=resamples)
    total = sums.sum(axis=0)
    value, draws = _ratio(total[:m], total[m:]), _ratio(drawn[:, :m], drawn[:, m:])
    figures = [Drawn(float(value[at]), draws[:, at]) for at in range(m)]
    if m == 2:
        figures.append(Drawn(float(value[0] - value[1]), draws[:, 0] - draws[:, 1]))
    return tuple(figures)


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    result: FloatArray = np.full(top.shape, np.nan)
    return np.divide(top, bottom, out=result, where=bottom > 0)
