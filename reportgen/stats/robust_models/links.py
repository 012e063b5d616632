"""What all models share: the link from raw score to probability, and the check of their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

FloatArray: TypeAlias = NDArray[np.float64]
Link: TypeAlias = Literal["logit", "identity"]

BEYOND = 1e-9
"""A probability may pass 0 or 1 by this much: the rounding of a sum."""


class NoProbability(ValueError):  # noqa: N818 (a statement about the model)
    """What a model answers is no probability, or it does not answer at all."""


def apply_link(raw: FloatArray, link: Link, *, clip: bool = False) -> FloatArray:
    """Return the probability of raw scores.

    Parameters
    ----------
    raw : float array
    link : {"logit", "identity"}
    clip : bool
        Whether an identity figure beyond [0, 1] is cut to it (right for a bound) rather than
        refused (right for a score).

    Raises
    ------
    NoProbability
        If a score lies outside [0, 1] or is not finite.
    """
    if link == "logit":
        return np.asarray(expit(raw))
    if not clip and not np.all((raw >= -BEYOND) & (raw <= 1 + BEYOND)):
        row = int(np.argmax(~((raw >= -BEYOND) & (raw <= 1 + BEYOND))))
        raise NoProbability(f"record {row} scores {raw[row]:g}, which is no probability")
    return np.asarray(np.clip(raw, 0.0, 1.0))


def check_matrix(
    x: FloatArray, features: Sequence[str], *, takes_missing: bool = False
) -> FloatArray:
    """Return records as a float matrix with one column a feature.

    Raises
    ------
    ValueError
        If the shape is another, a value is infinite, or one is missing that must not be; the
        message names the feature.
    """
    x = np.asarray(x, dtype=np.float64)
    if x.ndim != 2 or x.shape[1] != len(features):
        raise ValueError(f"records of shape {x.shape} for a model of {len(features)} features")
    wrong = np.isinf(x) if takes_missing else ~np.isfinite(x)
    if wrong.any():
        named = ", ".join(features[j] for j in np.flatnonzero(wrong.any(axis=0)).tolist())
        what = "infinite" if takes_missing else "missing or infinite"
        raise ValueError(f"{what} values in {named}")
    return x
