"""Points at which an exported model is scored against the fitted one."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.export_model.columns import Columns
from reportgen.stats.robust_models import Model, TreeEnsemble

FloatArray: TypeAlias = NDArray[np.float64]
SEED = 20261130
DRAWN = 2000
AT_THRESHOLDS = 4000


def probe_points(fitted: Any, model: Model, columns: Columns | None = None) -> FloatArray:
    """Return points over and beyond the range of the training data, as far as it is known.

    For trees, points at thresholds and at the next doubles beside them are among them, where a
    comparison in another precision would show.

    Parameters
    ----------
    fitted : estimator
    model : Model
        The exported one.
    columns : Columns, optional
        What stands behind a ColumnTransformer; one-hot columns are drawn among their levels.

    Returns
    -------
    (n, d) float array
        Always the same.
    """
    rng = np.random.default_rng(SEED)
    d = len(model.features)
    if isinstance(model, TreeEnsemble):
        points = _beside_thresholds(model, rng)
    else:
        centre, spread = _range(fitted if columns is None else columns, d)
        points = np.asarray(centre + spread * rng.standard_normal((DRAWN, d)))
    return points if columns is None else columns.valid(points, rng)


def _range(fitted: Any, d: int) -> tuple[FloatArray, FloatArray]:
    """Return centre and spread of the inputs, from the first scaler if there is one."""
    first = fitted.steps[0][1] if hasattr(fitted, "steps") else fitted
    centre, spread = np.zeros(d), np.full(d, 2.0)
    for name in ("mean_", "center_", "data_min_"):
        if getattr(first, name, None) is not None:
            centre = np.asarray(getattr(first, name), dtype=np.float64)
    scale = getattr(first, "data_range_", getattr(first, "scale_", None))
    if scale is not None:
        spread = 2 * np.abs(np.asarray(scale, dtype=np.float64))
    return centre, spread


def _beside_thresholds(model: TreeEnsemble, rng: np.random.Generator) -> FloatArray:
    forest, d = model.forest, len(model.features)
    # A threshold beyond single precision parts missing values from all others.
    finite = np.abs(forest.threshold) < np.finfo(np.float32).max
    inner = np.flatnonzero((forest.feature >= 0) & finite)
    points = np.zeros((DRAWN, d))
    for j in range(d):
        own = np.unique(forest.threshold[inner[forest.feature[inner] == j]])
        if len(own):
            width = max(float(own[-1] - own[0]), 1.0)
            low, high = own[0] - 0.1 * width, own[-1] + 0.1 * width
            points[:, j] = low + rng.random(DRAWN) * (high - low)
    if not len(inner):
        return points
    chosen = rng.choice(inner, min(AT_THRESHOLDS, 3 * len(inner)))
    beside = points[rng.integers(0, DRAWN, len(chosen))]
    at = forest.threshold[chosen]
    steps = np.stack([at, np.nextafter(at, np.inf), np.nextafter(at, -np.inf)])
    beside[np.arange(len(chosen)), forest.feature[chosen]] = steps[
        np.arange(len(chosen)) % 3, np.arange(len(chosen))
    ]
    if not model.takes_missing:
        return np.vstack([points, beside])
    missing = np.where(rng.random(points.shape) < 0.2, np.nan, points)
    return np.vstack([points, beside, missing])
