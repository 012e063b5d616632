"""Net benefit and its kin, from the shares of true and false positives.

One record serves binary and time-to-event outcomes, the point estimate and its resamples:
:class:`Shares`. Whatever decision curve analysis prints is a function of it.

The rule is ``score >= threshold`` throughout, as in Vickers, van Calster & Steyerberg (2019),
Diagn Progn Res 3:18. Positions on the last two axes are always (strategy, threshold).

References
----------
Vickers & Elkin (2006), Med Decis Making 26:565 (net benefit).
Rousson & Zumbrunn (2011), BMC Med Inform Decis Mak 11:45 (net benefit of the untreated).
Van Calster et al. (2018), Eur Urol 74:796 (test trade-off, interventions avoided).
Sadatsafavi et al. (2023), Med Decis Making 43:564 (expected value of perfect information).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

TIE = 1e-12
"""Differences of net benefit up to this count as none: they are the rounding of equals."""


@dataclass(frozen=True)
class Shares:
    """What deciding by ``score >= threshold`` does, as shares of all patients.

    A leading axis ``B`` of resamples may stand before every shape.

    Attributes
    ----------
    true_positive : (..., M, T) float array
        Share of all that are positive and have score >= threshold; M models, T thresholds.
    false_positive : (..., M, T) float array
        Share of all that are negative and have score >= threshold.
    prevalence : (...,) float array
        Share of all that are positive, 0 to 1.
    """

    true_positive: FloatArray
    false_positive: FloatArray
    prevalence: FloatArray

    def at(self, columns: NDArray[np.intp]) -> Shares:
        """Return the same shares at the thresholds in `columns` only, in that order."""
        return Shares(
            self.true_positive[..., columns], self.false_positive[..., columns], self.prevalence
        )


def odds(probability: ArrayLike) -> FloatArray:
    """Return ``p / (1 - p)``: at a threshold, the weight of a false against a true positive.

    Parameters
    ----------
    probability : array_like
        0 <= p < 1.

    Raises
    ------
    ValueError
        If a value lies outside [0, 1); at 1 the weight would be infinite.
    """
    p = np.asarray(probability, dtype=np.float64)
    if not np.all((p >= 0) & (p < 1)):
        raise ValueError(f"probabilities must lie in [0, 1), not {p[~((p >= 0) & (p < 1))][:3]}")
    return np.asarray(p / (1 - p))


def binary_shares(scores: FloatArray, label: FloatArray, *, thresholds: ArrayLike) -> Shares:
    """Count true and false positives of a binary outcome.

    Parameters
    ----------
    scores : (M, n) float array
        Scores of M models, no NaN.
    label : (n,) float array
        1 positive, 0 negative.
    thresholds : (T,) array_like
        In any order.

    Returns
    -------
    Shares
        Of shapes (M, T), (M, T) and ().

    Raises
    ------
    ValueError
        If there are no rows, the shapes do not fit, a score is NaN or a label is not 0 or 1.
    """
    scores, cuts = np.atleast_2d(scores), np.asarray(thresholds, dtype=np.float64)
    n = len(label)
    if n == 0 or scores.shape[1] != n:
        raise ValueError(f"scores of shape {scores.shape} do not fit {n} labels")
    positive = label == 1
    if not np.all(positive | (label == 0)) or np.isnan(scores).any():
        raise ValueError("labels must be 0 or 1 and scores must not be NaN")
    # Two sorts and a few hundred look-ups cost less than looking every row up.
    shares = [
        np.stack([_flagged(row[of_class], cuts) for row in scores]) / n
        for of_class in (positive, ~positive)
    ]
    return Shares(shares[0], shares[1], np.asarray(np.count_nonzero(positive) / n))


def _flagged(scores: FloatArray, cuts: FloatArray) -> NDArray[np.intp]:
    return np.asarray(len(scores) - np.searchsorted(np.sort(scores), cuts, side="left"))


def with_defaults(shares: Shares) -> Shares:
    """Return the shares with two strategies after the models: treat all, then treat none."""
    tp, fp = shares.true_positive, shares.false_positive
    everyone = np.broadcast_to(
        shares.prevalence[..., None, None], (*tp.shape[:-2], 1, tp.shape[-1])
    )
    nobody = np.zeros_like(everyone)
    return Shares(
        np.concatenate([tp, everyone, nobody], axis=-2),
        np.concatenate([fp, 1 - everyone, nobody], axis=-2),
        shares.prevalence,
    )


def at_prevalence(shares: Shares, prevalence: float) -> Shares:
    """Return the shares in a population with another prevalence, under label shift.

    Sensitivity and specificity stay as they are; only the class mix changes:
    ``tp = sensitivity * prevalence``, ``fp = (1 - specificity) * (1 - prevalence)``.

    Parameters
    ----------
    shares : Shares
        At the sample's own mix.
    prevalence : float
        Of the target population, 0 < prevalence < 1.

    Returns
    -------
    Shares
        NaN wherever the sample has one class only.
    """
    own = shares.prevalence[..., None, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        tp = np.where(own > 0, shares.true_positive / own, np.nan) * prevalence
        fp = np.where(own < 1, shares.false_positive / (1 - own), np.nan) * (1 - prevalence)
    return Shares(tp, fp, np.full_like(shares.prevalence, prevalence))


def recalibrated_thresholds(
    thresholds: ArrayLike, *, sample: Fraction | float, target: float
) -> FloatArray:
    """Return the cut-offs on the deployed score that act as thresholds on the recalibrated one.

    A score is recalibrated to another prevalence by shifting its prior odds; to compare the
    shifted score with t is to compare the deployed one with u, where
    ``odds(u) = odds(t) * odds(sample) / odds(target)``.

    The arithmetic is exact and rounded once, so that a score which equals u on paper equals it
    here: numbers are read as the decimals that print them.

    Parameters
    ----------
    thresholds : (T,) array_like
        0 <= t < 1.
    sample : Fraction or float
        Prevalence for which the scores are meant, 0 < sample < 1.
    target : float
        Prevalence of the target population, 0 < target < 1.

    Returns
    -------
    (T,) float array
        Equal to `thresholds` where the two prevalences are equal as floats.

    Raises
    ------
    ValueError
        If a prevalence does not lie between 0 and 1, both excluded.
    """
    cuts = np.asarray(thresholds, dtype=np.float64)
    if not (0 < sample < 1 and 0 < target < 1):
        raise ValueError(f"prevalences must lie in (0, 1), not {sample} and {target}")
    if float(sample) == target:
        return cuts.copy()
    own, new = _exact(sample), _exact(target)
    ratio = own / (1 - own) * (1 - new) / new
    shifted = [t * ratio / (1 - t + t * ratio) for t in map(_exact, cuts.tolist())]
    return np.array([float(u) for u in shifted])


def _exact(value: Fraction | float) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(repr(float(value)))


def net_benefit(
    shares: Shares, *, thresholds: ArrayLike, harm: ArrayLike | None = None
) -> FloatArray:
    """Return ``tp - odds(t) * fp - harm``, in net true positives per patient.

    Parameters
    ----------
    shares : Shares
        Of shape (..., M, T).
    thresholds : (T,) array_like
        Threshold probabilities, 0 <= t < 1.
    harm : (M,) array_like, optional
        Cost of using each strategy, in true positives per patient; 0 if absent.

    Returns
    -------
    (..., M, T) float array
        At t = 0 the share of true positives (the prevalence, as everyone is positive).
    """
    benefit = shares.true_positive - odds(thresholds) * shares.false_positive
    return np.asarray(benefit if harm is None else benefit - np.asarray(harm)[:, None])


def standardised(benefit: FloatArray, prevalence: FloatArray) -> FloatArray:
    """Return net benefit over the prevalence, its largest possible value; NaN without positives."""
    share = prevalence[..., None, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(share > 0, benefit / share, np.nan))


def net_benefit_untreated(shares: Shares, *, thresholds: ArrayLike) -> FloatArray:
    """Return ``tn - fn / odds(t)``, in net true negatives per patient; NaN at t = 0.

    Without harm it is also the net number of interventions avoided per patient against treating
    all, ``(net benefit - net benefit of treating all) / odds(t)``.
    """
    prevalence = shares.prevalence[..., None, None]
    missed = prevalence - shares.true_positive
    spared = 1 - prevalence - shares.false_positive
    weight = odds(thresholds)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(weight > 0, spared - missed / weight, np.nan))


def interventions_avoided(
    benefit: FloatArray, benefit_treat_all: FloatArray, *, thresholds: ArrayLike
) -> FloatArray:
    """Return the net interventions avoided per 100 patients against treating all; NaN at t = 0.

    Parameters
    ----------
    benefit : (..., M, T) float array
        Net benefit, harm subtracted.
    benefit_treat_all : (..., T) float array
        Net benefit of treating all.
    thresholds : (T,) array_like
        Threshold probabilities, 0 <= t < 1.
    """
    weight = odds(thresholds)
    saved = benefit - benefit_treat_all[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(weight > 0, 100 * saved / weight, np.nan))


def gain_over_defaults(benefit: FloatArray) -> FloatArray:
    """Return each model's net benefit less that of the better default in the same sample.

    Parameters
    ----------
    benefit : (..., M + 2, T) float array
        The last two strategies treat all and treat none, as `with_defaults` puts them.

    Returns
    -------
    (..., M, T) float array
    """
    return np.asarray(benefit[..., :-2, :] - benefit[..., -2:, :].max(axis=-2, keepdims=True))


def expected_value_of_perfect_information(benefit: FloatArray) -> FloatArray:
    """Return what knowing the best strategy would add, in net benefit per patient.

    The mean over resamples of the best strategy's net benefit, less the net benefit of the
    strategy that is best on average. Both terms use the same resamples, so it is never negative.

    Parameters
    ----------
    benefit : (B, M, T) float array
        Resamples of the net benefit of every strategy, the defaults among them. A resample in which
        one is NaN is passed over at that threshold.

    Returns
    -------
    (T,) float array
        NaN where no resample defines every strategy.
    """
    defined: NDArray[np.bool_] = np.asarray(~np.isnan(benefit).any(axis=1))
    known = np.maximum(defined.sum(axis=0), 1)
    filled = np.where(defined[:, None, :], benefit, 0.0)
    perfect = filled.max(axis=1).sum(axis=0) / known
    current = (filled.sum(axis=0) / known).max(axis=0)
    return np.where(defined.any(axis=0), np.maximum(perfect - current, 0.0), np.nan)


def test_tradeoff(gain: FloatArray) -> FloatArray:
    """Return how many patients must be scored for one net true positive more; NaN if gain <= 0."""
    above = gain > TIE
    return np.asarray(np.where(above, 1 / np.where(above, gain, 1.0), np.nan))


# The field's name begins as a test function does; this keeps pytest from collecting it.
test_tradeoff.__test__ = False  # type: ignore[attr-defined]
