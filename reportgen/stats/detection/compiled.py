"""The sums of `weighted` as one loop, which numba compiles where it is installed (extra ``fast``).

The loop is plain Python, so that it can be run, and tested, without numba. It does what numpy does
there, operation by operation and in the same order; nothing is contracted or reordered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from reportgen.stats.detection.boxes import BoolArray, FloatArray, IntArray
from reportgen.stats.detection.conventions import EPSILON, STEP


def fill_cells(  # noqa: C901 - numba compiles one function; calls would each need compiling
    image: IntArray,
    class_edges: IntArray,
    hit: IntArray,
    run_end: BoolArray,
    hit_edges: IntArray,
    neutral: IntArray,
    neutral_edges: IntArray,
    n_levels: int,
    weights: FloatArray,
    total: FloatArray,
    out: FloatArray,
) -> None:
    """Write average precision of each cell and weighting into `out`, (C T, b).

    Parameters
    ----------
    image, class_edges, hit, run_end, hit_edges, neutral, neutral_edges, n_levels
        As in `weighted.WeightedStudy`.
    weights : (b, I) float array, C-contiguous
    total : (C, b) float array
        Weighted boxes; infinite where there are none.
    out : (C T, b) float array
    """
    longest = 0
    for category in range(len(class_edges) - 1):
        longest = max(longest, class_edges[category + 1] - class_edges[category])
    weight = np.empty(longest + 1)
    seen = np.empty(longest + 1)
    found = np.empty(longest + 1)
    precision = np.empty(longest + 1)
    reached = np.empty(longest + 1)
    for lane in range(len(weights)):
        for category in range(len(class_edges) - 1):
            begin = class_edges[category]
            running = 0.0
            for place in range(class_edges[category + 1] - begin):
                weight[place] = weights[lane, image[begin + place]]
                running += weight[place]
                seen[place] = running
            boxes = total[category, lane]
            for cell in range(category * n_levels, (category + 1) * n_levels):
                running, passed, runs, skip = 0.0, 0.0, 0, neutral_edges[cell]
                for number in range(hit_edges[cell], hit_edges[cell + 1]):
                    place = hit[number] - begin
                    while skip < neutral_edges[cell + 1] and neutral[skip] < hit[number]:
                        passed += weight[neutral[skip] - begin]
                        skip += 1
                    # Written over until the run ends: cheaper than a branch that goes either way.
                    running += weight[place]
                    found[runs] = running
                    precision[runs] = seen[place] - passed
                    runs += run_end[number]
                for run in range(runs):
                    precision[run] = found[run] / (precision[run] + EPSILON)
                    recall = found[run] / boxes
                    below = np.floor(recall * 100)
                    reached[run] = below + (below * STEP <= recall)
                    reached[run] += (below + 1) * STEP <= recall
                envelope, area = 0.0, 0.0
                for run in range(runs - 1, 0, -1):
                    if precision[run] > envelope:
                        envelope = precision[run]
                    area += envelope * (reached[run] - reached[run - 1])
                if runs:
                    area += max(envelope, precision[0]) * reached[0]
                out[cell, lane] = area / 101


@cache
def compiled_kernel(*, required: bool = False) -> Callable[..., None] | None:
    """Return `fill_cells` compiled by numba; None where that is not installed.

    Raises
    ------
    ImportError
        If it is `required` and not installed.
    """
    if not required and find_spec("numba") is None:
        return None
    compiled: Callable[..., None] = import_module("numba").njit(fill_cells)
    return compiled
