"""How well a linear classifier tells two groups apart by their features."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, logit
from scipy.stats import rankdata
from scipy.stats import t as student

from reportgen.stats.representation.features import BoolArray, FloatArray, IntArray, Measured

FOLDS = 5
MINIMUM_UNITS = 10
METHOD = "Obuchowski by patient with the factor of Nadeau and Bengio, logit scale, t"


def domain_auc(
    features: FloatArray,
    in_group: BoolArray,
    unit: IntArray,
    rng: np.random.Generator,
    *,
    folds: int = FOLDS,
    confidence: float = 0.95,
) -> Measured:
    """Return the AUC with which a classifier that never saw a patient tells its group.

    Parameters
    ----------
    features : (n, F) float array
        Scaled anew inside every fold.
    in_group : (n,) bool array
        True for the group's images, False for the reference's.
    unit : (n,) int array
        Patient of each image, 0 to U - 1. All images of a patient share a fold, those of a
        patient in both groups too.
    rng : numpy.random.Generator
        Draws the folds.
    folds : int
        At most; fewer where a side has fewer than twice as many patients.
    confidence : float
        Of the interval.

    Returns
    -------
    Measured
        0.5 on average where features and group are independent. Missing with fewer than 10
        patients on a side.

    Notes
    -----
    Logistic regression (L2 penalty, C = 1) in stratified folds grouped by patient. Scores of
    different folds come from different classifiers, and pooling them biases the area downward, so
    only pairs of one fold are compared: the area is the share of such pairs ranked right. Its
    variance is Obuchowski's on these within-fold placements, times 1 + K / (K - 1) for K folds:
    the classifiers of the folds were fitted on largely the same patients, so that the folds are not
    independent (without the factor, 13 to 18 % of the intervals exclude 0.5 where nothing differs).

    References
    ----------
    Parker, Gunter & Bedo (2007), BMC Bioinformatics 8:326 (pooling); Obuchowski (1997), Biometrics
    53:567; Nadeau & Bengio (2003), Machine Learning 52:239 (factor).
    """
    sides = [len(np.unique(unit[rows])) for rows in (in_group, ~in_group)]
    if not features.shape[1]:
        return Measured.missing("no feature varies")
    if min(sides) < MINIMUM_UNITS:
        return Measured.missing(f"fewer than {MINIMUM_UNITS} patients on a side")
    folds = min(folds, min(sides) // 2)
    score, fold = _held_out_scores(features, in_group, unit, folds, int(rng.integers(2**31)))
    area, variance, degrees = within_fold_area(in_group, score, unit, fold)
    if not math.isfinite(area):
        return Measured.missing("no fold holds images of both groups")
    if not 0 < area < 1 or not variance > 0:
        return Measured(area, reason="the groups are separated without an exception")
    variance *= 1 + folds / (folds - 1)
    half = student.isf((1 - confidence) / 2, degrees) * math.sqrt(variance) / (area * (1 - area))
    low, high = expit(logit(area) - half), expit(logit(area) + half)
    return Measured(area, float(low), float(high), METHOD)


def _held_out_scores(
    features: FloatArray, in_group: BoolArray, unit: IntArray, folds: int, seed: int
) -> tuple[FloatArray, IntArray]:
    """Return each image's score by the classifier that did not see its patient, and its fold."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    split = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    score = np.full(len(unit), np.nan)
    fold = np.zeros(len(unit), dtype=np.intp)
    for number, (seen, held) in enumerate(split.split(features, in_group, unit)):
        fold[held] = number
        if len(np.unique(in_group[seen])) == 2:
            model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000))
            model.fit(features[seen], in_group[seen])
            score[held] = model.decision_function(features[held])
    return score, fold


def within_fold_area(
    positive: BoolArray, score: FloatArray, unit: IntArray, fold: IntArray
) -> tuple[float, float, float]:
    """Return the area over pairs of one fold, its variance by patient and degrees of freedom.

    Parameters
    ----------
    positive : (n,) bool array
    score : (n,) float array
        Comparable within a fold; a fold of NaN is passed over.
    unit, fold : (n,) int arrays
        Every unit lies in one fold.

    Returns
    -------
    area : float
        NaN where no fold holds both classes.
    variance : float
        With one fold Obuchowski's. NaN where a class comes from one unit.
    degrees : float
        Satterthwaite's.
    """
    usable = np.isfinite(score)
    beaten, pairs_each = np.zeros(len(unit)), np.zeros(len(unit))
    for number in np.unique(fold[usable]).tolist():
        rows = usable & (fold == number)
        one, other = rows & positive, rows & ~positive
        rank = np.zeros(len(unit))
        rank[rows] = rankdata(score[rows])
        beaten[one] = rank[one] - rankdata(score[one])  # images of the other class below it
        beaten[other] = one.sum() - (rank[other] - rankdata(score[other]))  # above it
        pairs_each[one], pairs_each[other] = other.sum(), one.sum()
    pairs = float(pairs_each[positive].sum())
    if not pairs:
        return math.nan, math.nan, math.nan
    area = float(beaten[positive].sum()) / pairs
    influence = (beaten - area * pairs_each) / pairs
    return area, *_clustered(influence, positive, usable & (pairs_each > 0), unit)


def _clustered(
    influence: FloatArray, positive: BoolArray, used: BoolArray, unit: IntArray
) -> tuple[float, float]:
    """Return the variance of the sum of `influence` by patient, and its degrees of freedom."""
    units = int(unit.max()) + 1
    sums = [
        np.bincount(unit[rows], weights=influence[rows], minlength=units)
        for rows in (used & positive, used & ~positive)
    ]
    held = [len(np.unique(unit[rows])) for rows in (used & positive, used & ~positive)]
    both = len(np.unique(unit[used]))
    if min(held) < 2:
        return math.nan, math.nan
    own = [float(s @ s) * n / (n - 1) for s, n in zip(sums, held, strict=True)]
    shared = float(sums[0] @ sums[1]) * both / (both - 1)
    each = sum(v**2 / (n - 1) for v, n in zip(own, held, strict=True))
    degrees = sum(own) ** 2 / each if each else math.nan
    return sum(own) + 2 * shared, degrees
