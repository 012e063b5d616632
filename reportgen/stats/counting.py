"""A head that counts, against two that do not look: always zero, and always the mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.unit_sums import resampled_sums, sums_by_unit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

FIGURES = ("mae", "mae_zero", "mae_mean", "gain_over_zero", "r2", "share_zero", "true_zero")
_ROWS, _ERROR, _TRUE_ABS, _FROM_MEAN, _SQUARED, _SUM, _SQUARES, _AS_ZERO, _NONE = range(9)


@dataclass(frozen=True)
class Counted:
    """The figures of a counting head.

    Attributes
    ----------
    values : mapping of text to float
        By the names in FIGURES: mean absolute error (in objects, >= 0), that of the constant 0 and
        of the constant mean of these true counts, gain = mae_zero - mae, R squared (at most 1, NaN
        where the true counts do not vary), share of predictions that round to 0 and of true zeros.
    draws : (B, 7) float array
        The same in bootstrap samples of units, the mean held at that of all rows; NaN where R
        squared is not defined.
    """

    values: dict[str, float]
    draws: FloatArray


def count_figures(
    true: FloatArray,
    predicted: FloatArray,
    unit: IntArray,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> Counted:
    """Return how far a counting head is from the truth and from the heads that do not look.

    Parameters
    ----------
    true : (n,) float array
        True counts; n > 0, no NaN.
    predicted : (n,) float array
        As the head gives them; below zero they count as zero when rounded.
    unit : (n,) int array
        Unit of each row, 0 to U - 1.
    rng : numpy.random.Generator
    resamples : int
        Bootstrap samples B of units.

    Notes
    -----
    A prediction rounds to zero if it is below 0.5, as every rule of rounding has it; 0.5 itself,
    which rounds to 0 or to 1 as the rule goes, is not counted.
    """
    mean = float(true.mean())
    columns = np.column_stack(
        [
            np.ones(len(true)),
            np.abs(predicted - true),
            np.abs(true),
            np.abs(true - mean),
            np.square(predicted - true),
            true,
            np.square(true),
            predicted < 0.5,
            true == 0,
        ]
    )
    sums = sums_by_unit(columns, unit)
    values = _figures(columns.sum(axis=0)[None], varies=bool((true != true[0]).any()))[0]
    drawn = resampled_sums(sums, rng, resamples=resamples)
    found = dict(zip(FIGURES, map(float, values), strict=True))
    return Counted(found, _figures(drawn, varies=not math.isnan(found["r2"])))


def _figures(sums: FloatArray, *, varies: bool) -> FloatArray:
    """Return the figures, (..., 7), from the sums of the nine columns."""
    n = sums[:, _ROWS]
    mae, zero = sums[:, _ERROR] / n, sums[:, _TRUE_ABS] / n
    total = sums[:, _SQUARES] - np.square(sums[:, _SUM]) / n
    # What is left of the sum of squares when all counts of a sample are equal is rounding.
    defined = (total > 1e-9 * np.maximum(sums[:, _SQUARES], 1e-300)) & varies
    with np.errstate(divide="ignore", invalid="ignore"):
        r2 = np.where(defined, 1 - sums[:, _SQUARED] / total, np.nan)
    return np.column_stack(
        [
            mae,
            zero,
            sums[:, _FROM_MEAN] / n,
            zero - mae,
            r2,
            sums[:, _AS_ZERO] / n,
            sums[:, _NONE] / n,
        ]
    )
