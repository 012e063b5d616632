"""Duplicates: of pictures under flips and rotations, and of rows of features.

Every search is exact: it returns what comparing all pairs would return. It is made once, at the
largest threshold of interest; `Hits.within` and `Hits.aligned` then count at any below.
"""

from __future__ import annotations

from reportgen.stats.duplicates.clusters import clusters
from reportgen.stats.duplicates.hits import Hits
from reportgen.stats.duplicates.rms32 import rms32_nearest, rms32_pairs
from reportgen.stats.duplicates.rows import RowDuplicates, row_duplicates
from reportgen.stats.duplicates.symmetries import (
    SYMMETRIES,
    apply_symmetry,
    apply_to_boxes,
    compose_symmetries,
    inverse_symmetry,
    turned_size,
)
from reportgen.stats.duplicates.verification import Comparison, compare_full
from reportgen.stats.duplicates.wdct import (
    LEAST_SIDE,
    WdctFeatures,
    cosine_distance,
    wdct_features,
    wdct_nearest,
    wdct_pairs,
)

__all__ = [
    "LEAST_SIDE",
    "SYMMETRIES",
    "Comparison",
    "Hits",
    "RowDuplicates",
    "WdctFeatures",
    "apply_symmetry",
    "apply_to_boxes",
    "clusters",
    "compare_full",
    "compose_symmetries",
    "cosine_distance",
    "inverse_symmetry",
    "rms32_nearest",
    "rms32_pairs",
    "row_duplicates",
    "turned_size",
    "wdct_features",
    "wdct_nearest",
    "wdct_pairs",
]
