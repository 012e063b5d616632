"""Whether images farther from the reference are lost more often than their scores explain."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logit
from scipy.stats import norm

from reportgen.stats.representation.features import BoolArray, FloatArray, IntArray

KNOTS = 8
SMALLEST = 1e-6  # scores nearer to 0 or 1 are taken as this far away, for their logit alone
MINIMUM_UNITS = 30


@dataclass(frozen=True)
class Link:
    """The link test within one group.

    Attributes
    ----------
    z : float or None
        Standard normal where loss and distance are independent given the score; large if images
        farther away are lost more often.
    p : float or None
        One-sided, of a z this large.
    reason : str
        Why there is no test.
    """

    z: float | None
    p: float | None
    reason: str = ""


def brier_loss(probability: FloatArray, positive: BoolArray) -> FloatArray:
    """Return the squared distance of each predicted probability from the outcome, (n,), 0 to 1."""
    return np.square(probability - positive)


def log_loss(probability: FloatArray, positive: BoolArray) -> FloatArray:
    """Return minus the logarithm of the probability given to what happened, (n,), >= 0.

    Probabilities nearer than 1e-6 to 0 or 1 are taken as that far away: the loss of a single image
    must not be infinite.
    """
    p = np.clip(probability, SMALLEST, 1 - SMALLEST)
    return np.asarray(-np.log(np.where(positive, p, 1 - p)))


def link_test(
    loss: FloatArray,
    distance: FloatArray,
    probability: FloatArray,
    unit: IntArray,
) -> Link:
    """Test whether loss rises with distance among images of the same score.

    Parameters
    ----------
    loss : (n,) float array
        Loss of each image of the group.
    distance : (n,) float array
        Its distance to the reference, as from `patient_distances`.
    probability : (n,) float array
        The model's score as a probability, 0 to 1.
    unit : (n,) int array
        Patient of each image, 0 upwards.

    Returns
    -------
    Link
        Without a test where there are fewer than 30 patients, or nothing varies.

    Notes
    -----
    The generalised covariance measure: loss and distance are each regressed on a natural cubic
    spline of the logit of the score (8 knots), the residuals are multiplied and summed by patient
    to c, and ``z = sum(c) / sqrt(sum(c^2))``. Under the null hypothesis, that the outcome is
    independent of the distance given the score, E(c) = 0 whatever the calibration of the score.
    A rank correlation of the residuals has no such property.

    References
    ----------
    Shah & Peters (2020), Annals of Statistics 48:1514, summed here by independent unit.
    """
    if len(np.unique(unit)) < MINIMUM_UNITS:
        return Link(None, None, f"fewer than {MINIMUM_UNITS} patients in the group")
    basis = score_basis(probability)
    product = _residual(loss, basis) * _residual(distance, basis)
    by_unit = np.bincount(unit, weights=product)
    spread = math.sqrt(float(by_unit @ by_unit))
    if spread <= 1e-12 * len(loss) * float(np.abs(loss).max() * np.abs(distance).max()):
        return Link(None, None, "loss or distance does not vary beyond the score")
    z = float(by_unit.sum()) / spread
    return Link(z, float(norm.sf(z)))


def score_basis(probability: FloatArray, *, knots: int = KNOTS) -> FloatArray:
    """Return the natural cubic spline basis of the logit of the score, (n, columns).

    With as few distinct scores as knots, one column a score; knots lie at equal steps between the
    2.5th and the 97.5th percentile, those that coincide count once.

    References
    ----------
    Harrell (2015), Regression Modeling Strategies, sections 2.4.5 and 2.4.6.
    """
    x = logit(np.clip(probability, SMALLEST, 1 - SMALLEST))
    distinct, code = np.unique(x, return_inverse=True)
    if len(distinct) <= knots:
        return np.eye(len(distinct))[code]
    at = np.unique(np.quantile(x, np.linspace(0.025, 0.975, knots), method="inverted_cdf"))
    columns = [np.ones(len(x)), (x - x.mean()) / (x.max() - x.min())]
    if len(at) >= 3:
        columns += [_restricted(x, at, j) for j in range(len(at) - 2)]
    return np.column_stack(columns)


def _restricted(x: FloatArray, at: FloatArray, j: int) -> FloatArray:
    """Return the cubic of knot j, linear beyond the last knot."""

    def cube(knot: float) -> FloatArray:
        return np.asarray(np.maximum(x - knot, 0.0) ** 3)

    last, before = float(at[-1]), float(at[-2])
    knot = float(at[j])
    tail = cube(before) * (last - knot) - cube(last) * (before - knot)
    return (cube(knot) - tail / (last - before)) / (last - float(at[0])) ** 2


def _residual(values: FloatArray, basis: FloatArray) -> FloatArray:
    return np.asarray(values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0])
