"""High bit depths to eight bits: linear, by a stated range."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def to_bytes(values: NDArray[Any], low: float, high: float) -> NDArray[np.uint8]:
    """Return `values` scaled linearly so that `low` is 0 and `high` 255, rounded and clipped.

    `low` may be the greater of the two; where they are equal everything becomes 0.
    """
    span = high - low
    shades = (values.astype(np.float64) - low) * (255.0 / span if span else 0.0)
    return np.clip(np.rint(shades), 0, 255).astype(np.uint8)
