"""The figures that a removal is judged by, as columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray
from reportgen.stats.detection.weighted import WeightedFigures, WeightedStudy

AGGREGATES = ("map50", "map75", "map50_95")


@dataclass(frozen=True)
class Contrasts:
    """Which figures the columns of a result are.

    Attributes
    ----------
    metric : tuple of str
        "map50", "map75", "map50_95", then "recall" once a class.
    category : (M,) int array
        Position of the class; -1 for the means over classes.
    """

    metric: tuple[str, ...]
    category: IntArray


def contrasts_of(study: WeightedStudy) -> Contrasts:
    """Return which figures the columns of a result are."""
    metric = (*AGGREGATES, *["recall"] * study.n_classes)
    return Contrasts(metric, np.concatenate([[-1] * len(AGGREGATES), np.arange(study.n_classes)]))


def figure_columns(figures: WeightedFigures) -> FloatArray:
    """Return the figures of B weightings in the order of `contrasts_of`, (B, M)."""
    means = [getattr(figures, name)[:, None] for name in AGGREGATES]
    return np.concatenate([*means, figures.recall], axis=1)


def check_removal(study: WeightedStudy, removed: BoolArray, codes: IntArray) -> None:
    """Refuse a removal of no or every image, and arrays of another length.

    Raises
    ------
    ValueError
    """
    for name, values in (("removed", removed), ("clusters or strata", codes)):
        if values.shape != (study.n_images,):
            raise ValueError(f"{study.n_images} images, but {name} of the shape {values.shape}")
    if not removed.any() or removed.all():
        raise ValueError(
            f"{int(removed.sum())} of {len(removed)} images removed: nothing to compare"
        )
