"""Net benefit and its kin, from the shares of true and false positives.

One record serves binary and time-to-event outcomes, the point estimate and its resamples:
:class:`Shares`. Whatever decision curve analysis prints is a function of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


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
