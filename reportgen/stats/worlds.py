"""Simulated cohorts whose truth is known, to see whether an attribution says what is so.

Two groups of patients, each with one or several images; a fixed model scores the images. In every
world but the article's a patient is a vector b of eight standard normal numbers, an image
``x = b + e`` with e normal of standard deviation 0.5, and the score ``expit(x1 + x2 + x3 + x4)``:
the model reads four features and ignores four. What the worlds differ in is how the labels come
about and where the smaller group lies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

FEATURES = 8
READ = 4  # features that the model reads
WITHIN = 0.5  # standard deviation between the images of a patient
SHIFT = 1.0  # of each ignored feature, where the group is shifted
FLIPPED = 0.25  # share of the group's patients with the wrong label, where labels are noisy
ATYPICAL = 2.0  # shift of each ignored feature of a wholly atypical patient
PREVALENCE = 0.4


@dataclass(frozen=True)
class World:
    """One simulated test set with its truth.

    Attributes
    ----------
    features : (n, F) float array
    score : (n,) float array
        Predicted probability, 0 to 1.
    positive : (n,) bool array
        The recorded label; the images of a patient share it.
    in_group : (n,) bool array
        True for the smaller group, False for the reference.
    unit : (n,) int array
        Patient, 0 to U - 1; nobody is in both groups.
    name : str
    gap : bool
        Whether the groups' true areas under the ROC curve differ.
    representational : bool
        Whether a difference comes from how the group is represented.
    truth : str
        The same in words.
    """

    features: FloatArray
    score: FloatArray
    positive: BoolArray
    in_group: BoolArray
    unit: IntArray
    name: str
    gap: bool
    representational: bool
    truth: str


@dataclass(frozen=True)
class _Law:
    """What a world does to the group; nothing of it touches the reference."""

    truth: str
    gap: bool = False
    representational: bool = False
    random_labels: bool = False
    shift: float = 0.0
    flipped: float = 0.0
    atypical: float = 0.0


LAWS: dict[str, _Law] = {
    "N0": _Law(
        "Labels are drawn at random in both groups, so that both areas are exactly 0.5; features "
        "are distributed alike. Whatever gap is seen is sampling variation.",
        random_labels=True,
    ),
    "N1": _Law(
        "Labels follow the features that the model reads by one law in both groups: no gap. The "
        "group is shifted in the four features that the model ignores: a shift, but no cause.",
        shift=SHIFT,
    ),
    "N2": _Law(
        "Features are distributed alike; one in four patients of the group has the wrong label, "
        "whatever their features: a true gap in the figures whose cause is the labels.",
        gap=True,
        flipped=FLIPPED,
    ),
    "N3": _Law(
        "The group's patients are atypical to a degree between 0 and 1: the more so, the farther "
        "they lie from the reference in features that the model ignores, and the less what it "
        "reads tells of the outcome: a true gap whose cause is representational.",
        gap=True,
        representational=True,
        atypical=ATYPICAL,
    ),
    "N5": _Law(
        "The labels of N2 and the shift of N1: a true gap whose cause is the labels, beside a "
        "shift of the group that has nothing to do with it.",
        gap=True,
        shift=SHIFT,
        flipped=FLIPPED,
    ),
}
"""The worlds by name. The notes that name them define no N4."""

ARTICLE = "article"
_ARTICLE_TRUTH = (
    "Labels are drawn at random (40 % positive) in both groups, so that both areas are exactly 0.5 "
    "and the gap is 0; the group is shifted by 0.6 in all sixteen features. The model is a "
    "logistic regression that was fitted on 70 % of the patients and learned nothing that holds."
)


def world(
    name: str,
    rng: np.random.Generator,
    *,
    patients: tuple[int, int] = (300, 150),
    images: int | tuple[int, int] = 4,
) -> World:
    """Draw a test set from a world.

    Parameters
    ----------
    name : str
        "N0", "N1", "N2", "N3", "N5" or "article".
    rng : numpy.random.Generator
        The only source of randomness.
    patients : (int, int)
        Patients of the reference and of the group; for "article" before 70 % go to training.
    images : int or (int, int)
        Images of every patient, or the range, ends included, from which each patient's number is
        drawn uniformly.

    Raises
    ------
    ValueError
        If there is no such world, or a number is not positive.
    """
    low, high = (images, images) if isinstance(images, int) else images
    if min(patients) < 1 or not 1 <= low <= high:
        raise ValueError(f"no such sizes: patients {patients!r}, images {images!r}")
    if name == ARTICLE:
        return _article_world(rng, patients, (low, high))
    if name not in LAWS:
        raise ValueError(f"no world {name!r}; there are {', '.join([*LAWS, ARTICLE])}")
    law = LAWS[name]
    in_group = np.repeat([False, True], patients)
    person = rng.standard_normal((len(in_group), FEATURES))
    atypical = np.where(in_group, rng.uniform(size=len(in_group)), 0.0) * bool(law.atypical)
    told = (1 - atypical) * person[:, :READ].sum(axis=1)
    person[:, READ:] += np.where(in_group, law.shift, 0.0)[:, None]
    person[:, READ:] += law.atypical * atypical[:, None]
    positive = rng.uniform(size=len(in_group)) < (
        np.full(len(in_group), PREVALENCE) if law.random_labels else expit(told)
    )
    positive ^= in_group & (rng.uniform(size=len(in_group)) < law.flipped)
    unit = np.repeat(np.arange(len(in_group)), rng.integers(low, high + 1, size=len(in_group)))
    features = person[unit] + WITHIN * rng.standard_normal((len(unit), FEATURES))
    score = expit(features[:, :READ].sum(axis=1))
    return World(
        features,
        score,
        positive[unit],
        in_group[unit],
        unit,
        name,
        law.gap,
        law.representational,
        law.truth,
    )


def article_sample(
    rng: np.random.Generator,
    *,
    patients: tuple[int, int] = (200, 80),
    images: tuple[int, int] = (4, 4),
    features: int = 16,
    shift: float = 0.6,
) -> tuple[FloatArray, BoolArray, BoolArray, IntArray]:
    """Draw the simulated features of article 000, number by number in its order.

    Returns
    -------
    features : (n, F) float array
    positive, in_group : (n,) bool arrays
        `in_group` is its "minor" group, shifted by `shift` in every feature.
    unit : (n,) int array
        Patients in the order drawn, the reference first.
    """
    rows, labels, group = [], [], []
    low, high = images
    for shifted, count in enumerate(patients):
        for _ in range(count):
            base = rng.normal(shift * shifted, 1.0, size=features)
            labels.append(rng.binomial(1, PREVALENCE) == 1)
            group.append(shifted == 1)
            # With a fixed number nothing is drawn for it, as in the article.
            number = low if low == high else int(rng.integers(low, high + 1))
            rows.append(base + rng.normal(0, 0.25, size=(number, features)))
    unit = np.repeat(np.arange(len(rows)), [len(block) for block in rows])
    return np.concatenate(rows), np.array(labels)[unit], np.array(group)[unit], unit


def article_model(features: FloatArray, positive: BoolArray) -> Callable[[FloatArray], FloatArray]:
    """Fit the article's model (standardised logistic regression); return its probabilities."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    model.fit(features, positive)
    return lambda rows: np.asarray(model.predict_proba(rows)[:, 1])


def _article_world(
    rng: np.random.Generator, patients: tuple[int, int], images: tuple[int, int]
) -> World:
    features, positive, in_group, unit = article_sample(rng, patients=patients, images=images)
    units = sum(patients)
    drawn = rng.permutation(units)
    held_out = np.isin(unit, drawn[: max(1, round(0.3 * units))])
    model = article_model(features[~held_out], positive[~held_out])
    kept = features[held_out]
    _, code = np.unique(unit[held_out], return_inverse=True)
    return World(
        kept,
        model(kept),
        positive[held_out],
        in_group[held_out],
        code.astype(np.intp),
        ARTICLE,
        False,
        False,
        _ARTICLE_TRUTH,
    )
