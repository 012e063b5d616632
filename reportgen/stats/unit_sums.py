"""Sums of rows by unit (patient, source, image), and their bootstrap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.resampling import joint_cells, resampled_counts, unit_signatures

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


def sums_by_unit(columns: FloatArray, unit: IntArray) -> FloatArray:
    """Return the sums of each column over the rows of each unit.

    Parameters
    ----------
    columns : (n, k) float array
    unit : (n,) int array
        0 to U - 1, each of them met.

    Returns
    -------
    (U, k) float array
    """
    n_units = int(unit.max(initial=-1)) + 1
    sums = [np.bincount(unit, column, minlength=n_units) for column in columns.T]
    return np.column_stack(sums).astype(np.float64)


def resampled_sums(sums: FloatArray, rng: np.random.Generator, *, resamples: int) -> FloatArray:
    """Return the column sums of bootstrap samples of units.

    Units with equal sums are drawn together, in the order of what they hold, so that neither the
    order of the rows nor the names of the units change a draw.

    Parameters
    ----------
    sums : (U, k) float array
        From `sums_by_unit`; U > 0.
    rng : numpy.random.Generator
    resamples : int
        Number of samples B, > 0.

    Returns
    -------
    (B, k) float array

    References
    ----------
    Davison & Hinkley (1997), Bootstrap Methods and their Application, section 3.8 (clusters).
    """
    cells = joint_cells(list(sums.T))
    units = unit_signatures(cells.of_row, None, n_cells=len(cells.row))
    held = sums[cells.row]
    blocks = [block @ held for block in resampled_counts(units, rng, resamples=resamples)]
    return np.concatenate(blocks)
