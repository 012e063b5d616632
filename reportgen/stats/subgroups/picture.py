"""The plain picture: what the reference group shows when it is as small as the other group."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.stats.subgroups.draws import NO_INTERVAL, undefined_share
from reportgen.stats.subgroups.ranking import AreaPlan
from reportgen.stats.subgroups.study import FloatArray, Study

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
_BLOCK = 1_000_000  # rows times draws held at once


@dataclass(frozen=True)
class SmallDraws:
    """The area of a large group in draws of few of its patients.

    Attributes
    ----------
    patients : int
        Patients a draw.
    resamples : int
        Number of draws.
    quantiles : tuple of float
        At QUANTILES; NaN where `reason` says why.
    undefined : float
        Share of draws that hold one class only, 0 to 1.
    reason : str
    """

    patients: int
    resamples: int
    quantiles: tuple[float, ...]
    undefined: float
    reason: str = ""


def small_draws(
    study: Study,
    rng: np.random.Generator,
    *,
    reference: int,
    patients: int,
    model: int = 0,
    resamples: int = 1000,
) -> SmallDraws:
    """Draw `patients` patients of the reference group with replacement and return their areas.

    It shows how far a group of that size strays by sampling alone. It is a picture, not a test.

    Parameters
    ----------
    study : Study
    rng : numpy.random.Generator
    reference : int
        The group to draw from.
    patients : int
        Patients of the smaller group, > 0.
    model : int
    resamples : int
        Number of draws.
    """
    areas = _areas(study, rng, reference, patients, model, resamples)
    defined = areas[~np.isnan(areas)]
    undefined = undefined_share(areas)
    if undefined > NO_INTERVAL:
        reason = f"undefined in {100 * undefined:.1f} % of the draws"
        return SmallDraws(patients, resamples, (math.nan,) * len(QUANTILES), undefined, reason)
    quantiles = tuple(np.quantile(defined, QUANTILES).tolist())
    return SmallDraws(patients, resamples, quantiles, undefined)


def _areas(
    study: Study,
    rng: np.random.Generator,
    reference: int,
    patients: int,
    model: int,
    resamples: int,
) -> FloatArray:
    rows = study.rows(reference)
    if not len(rows) or patients < 1:
        raise ValueError("both groups need patients")
    found, unit = np.unique(study.patient[rows], return_inverse=True)
    plan = AreaPlan(study.positive[rows], study.scores[model, rows], unit.astype(np.intp))
    parts, width = [], len(found)
    block = max(1, min(resamples, _BLOCK // len(rows)))
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = rng.integers(0, width, size=(size, patients)) + np.arange(size)[:, None] * width
        counts = np.bincount(drawn.ravel(), minlength=size * width).astype(np.int32)
        parts.append(plan.areas(counts.reshape(size, width)))
    return np.concatenate(parts)
