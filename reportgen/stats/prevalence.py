"""What a classifier's figures become at another class mix, from sensitivity and specificity.

Everything here assumes *label shift*: within the positives and within the negatives the scores keep
their distribution, and only the share of positives changes. Then sensitivity and specificity carry
over and every other figure is a function of them and the prevalence.

Arguments broadcast. A figure that is 0/0 is NaN; callers turn that into a reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

FloatArray = NDArray[np.float64]
Figure = Callable[[ArrayLike, ArrayLike, ArrayLike], FloatArray]
"""Takes sensitivity, specificity and prevalence, each 0 to 1."""


def _divide(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Return top / bottom, NaN where the bottom is 0."""
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    undefined: FloatArray = np.full(shape, np.nan)
    return np.divide(top, bottom, out=undefined, where=np.asarray(bottom) != 0)


def _shares(
    sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return true positives, false negatives, false positives, true negatives, as shares."""
    se, sp, p = (np.asarray(x, dtype=float) for x in (sensitivity, specificity, prevalence))
    return se * p, (1 - se) * p, (1 - sp) * (1 - p), sp * (1 - p)


def precision(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return the positive predictive value, 0 to 1; NaN if nobody would be flagged."""
    tp, _, fp, _ = _shares(sensitivity, specificity, prevalence)
    return _divide(tp, tp + fp)


def npv(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return the negative predictive value, 0 to 1; NaN if everybody would be flagged."""
    _, fn, _, tn = _shares(sensitivity, specificity, prevalence)
    return _divide(tn, tn + fn)


def accuracy(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return the share decided rightly, 0 to 1."""
    tp, _, _, tn = _shares(sensitivity, specificity, prevalence)
    return tp + tn


def f1(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return F1 = 2 TP / (2 TP + FP + FN), 0 to 1."""
    tp, fn, fp, _ = _shares(sensitivity, specificity, prevalence)
    return _divide(2 * tp, 2 * tp + fp + fn)


def mcc(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return Matthews' correlation, -1 to 1; NaN if nobody or everybody would be flagged.

    References
    ----------
    Matthews (1975), Biochim Biophys Acta 405:442.
    """
    tp, fn, fp, tn = _shares(sensitivity, specificity, prevalence)
    scale = np.sqrt((tp + fn) * (fp + tn)) * np.sqrt((tp + fp) * (fn + tn))
    return _divide(tp * tn - fp * fn, scale)


def kappa(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return Cohen's kappa of decision and truth, -1 to 1.

    References
    ----------
    Cohen (1960), Educ Psychol Meas 20:37.
    """
    tp, fn, fp, tn = _shares(sensitivity, specificity, prevalence)
    return _divide(2 * (tp * tn - fn * fp), (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def lift(sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike) -> FloatArray:
    """Return precision over prevalence, 0 to 1/prevalence; NaN if nobody would be flagged."""
    share = precision(sensitivity, specificity, prevalence)
    return np.asarray(share / np.asarray(prevalence, dtype=float))


def selection_rate(
    sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike
) -> FloatArray:
    """Return the share flagged, 0 to 1 (the apparent prevalence)."""
    tp, _, fp, _ = _shares(sensitivity, specificity, prevalence)
    return tp + fp


def net_benefit(
    sensitivity: ArrayLike, specificity: ArrayLike, prevalence: ArrayLike, threshold: float
) -> FloatArray:
    """Return TP - FP * t / (1 - t), as shares of all, at threshold probability t in [0, 1).

    Raises
    ------
    ValueError
        If the threshold is not in [0, 1).

    References
    ----------
    Vickers & Elkin (2006), Med Decis Making 26:565.
    """
    tp, _, fp, _ = _shares(sensitivity, specificity, prevalence)
    return tp - fp * harm_weight(threshold)


def harm_weight(threshold: float) -> float:
    """Return t / (1 - t), the harm of a false alarm in true alarms, for t in [0, 1)."""
    if not 0 <= threshold < 1:
        raise ValueError(f"the threshold must lie in [0, 1), not {threshold!r}")
    return threshold / (1 - threshold)


@dataclass(frozen=True)
class Frequencies:
    """The decisions in whole numbers, of `of` in all."""

    of: int
    true_positives: int
    false_negatives: int
    false_positives: int
    true_negatives: int


FEWEST = 5
BASES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)


def natural_frequencies(sensitivity: float, specificity: float, prevalence: float) -> Frequencies:
    """Return the decisions in whole numbers that add up, of the smallest round number in all.

    The number is 1,000, or the power of ten above it (10,000,000 at most) at which each of the four
    kinds of decision that is not 0 makes up at least five, so that rounding changes little.
    Positives and true positives are rounded, as are false positives; the rest is what is left, so
    that nothing is counted twice or lost.

    Parameters
    ----------
    sensitivity, specificity : float
        0 to 1.
    prevalence : float
        0 < prevalence < 1.

    References
    ----------
    Gigerenzer & Hoffrage (1995), Psychol Rev 102:684.
    """
    tp, fn, fp, tn = (float(share) for share in _shares(sensitivity, specificity, prevalence))
    rarest = min(share for share in (tp, fn, fp, tn) if share > 0)
    of = next((base for base in BASES if base * rarest >= FEWEST), BASES[-1])
    positives = math.floor(of * prevalence + 0.5)
    flagged_positives = min(math.floor(of * tp + 0.5), positives)
    # Halves go down here, as they went up for the positives: the negatives took their loss.
    flagged_negatives = min(math.ceil(of * fp - 0.5), of - positives)
    return Frequencies(
        of,
        flagged_positives,
        positives - flagged_positives,
        flagged_negatives,
        of - positives - flagged_negatives,
    )


@dataclass(frozen=True)
class Linear:
    """A figure ``constant + a * sensitivity + b * specificity`` at one prevalence."""

    constant: float
    a: float
    b: float

    def value(self, sensitivity: ArrayLike, specificity: ArrayLike) -> FloatArray:
        """Return the figure; a side whose weight is 0 does not count, even if NaN."""
        total = np.asarray(self.constant, dtype=float)
        for weight, side in ((self.a, sensitivity), (self.b, specificity)):
            if weight:
                total = total + weight * np.asarray(side, dtype=float)
        return total


def linear_figures(prevalence: float, *, threshold: float | None = None) -> Mapping[str, Linear]:
    """Return the figures that are linear in sensitivity and specificity at `prevalence`.

    Parameters
    ----------
    prevalence : float
        0 < prevalence < 1.
    threshold : float or None
        Threshold probability in [0, 1) of the net benefit; None leaves it out.
    """
    p, q = prevalence, 1 - prevalence
    figures = {
        "accuracy": Linear(0.0, p, q),
        "flagged_per_1000": Linear(1000 * q, 1000 * p, -1000 * q),
        "true_positives_per_1000": Linear(0.0, 1000 * p, 0.0),
        "missed_per_1000": Linear(1000 * p, -1000 * p, 0.0),
        "false_alarms_per_1000": Linear(1000 * q, 0.0, -1000 * q),
        "selection_rate": Linear(q, p, -q),
    }
    if threshold is not None:
        weight = harm_weight(threshold)
        figures["net_benefit"] = Linear(-weight * q, p, weight * q)
    return figures


CURVED: Mapping[str, Figure] = MappingProxyType({"f1": f1, "mcc": mcc, "kappa": kappa})
"""Figures that rise with sensitivity and with specificity, but not linearly."""


def best_negatives_per_positive(sensitivity: float, specificity: float) -> float:
    """Return n0/n1 that makes the logit of the precision least variable for a given n0 + n1.

    var(logit PPV) = (1 - se) / (se n1) + sp / ((1 - sp) n0) is least at
    n0/n1 = sqrt([sp / (1 - sp)] / [(1 - se) / se]), the square root of the diagnostic odds ratio.
    NaN where sensitivity or specificity is 0 or 1.
    """
    odds = _divide(
        np.asarray(sensitivity * specificity), np.asarray((1 - sensitivity) * (1 - specificity))
    )
    return float(np.sqrt(odds)) if odds > 0 else math.nan


def prevalence_grid(stated: ArrayLike, *, points: int = 41) -> FloatArray:
    """Return prevalences for a curve: equal steps of the logit from 0.0001 to 0.99, and `stated`.

    Parameters
    ----------
    stated : (k,) array_like of float
        Each in (0, 1); each is in the result, and the grid widens to hold it.
    points : int
        Points of the even grid.

    Returns
    -------
    (m,) float array, ascending, without repeats.
    """
    given = np.asarray(stated, dtype=float)
    low, high = min(1e-4, given.min(initial=1.0)), max(0.99, given.max(initial=0.0))
    even = expit(np.linspace(logit(low), logit(high), points))
    near = np.abs(even[:, None] - given).min(axis=1, initial=1.0) < 1e-9 * even
    return np.unique(np.concatenate([even[~near], given]))
