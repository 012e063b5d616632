"""How far an image lies from the nearest images of other patients."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from reportgen.stats.representation.features import FloatArray, IntArray

_BLOCK = 2_000_000  # distances held at once: 16 MB
_FEW = 32  # features up to which distances are summed term by term


def patient_distances(
    query: FloatArray,
    query_unit: IntArray,
    bank: FloatArray,
    bank_unit: IntArray,
    *,
    patients: int = 5,
) -> FloatArray:
    """Return the mean distance of each image to the nearest `patients` other patients.

    The distance to a patient is the Euclidean distance to the nearest of that patient's images in
    the bank; the image's own patient never counts. So images that resemble each other because
    they are of one patient neither shorten the distance nor crowd others out.

    Parameters
    ----------
    query : (m, F) float array
    query_unit : (m,) int array
        Patient of each query; the same code in `bank_unit` is the same patient.
    bank : (n, F) float array
    bank_unit : (n,) int array
        >= 0.
    patients : int
        Number of distinct patients, > 0.

    Returns
    -------
    (m,) float array
        >= 0.

    Raises
    ------
    ValueError
        If the bank holds `patients` patients or fewer: one may be the image's own.
    """
    order = np.argsort(bank_unit, kind="stable")
    bank = bank[order]
    held, first = np.unique(bank_unit[order], return_index=True)
    if len(held) <= patients:
        raise ValueError(f"the bank holds {len(held)} patients; more than {patients} are needed")
    result = np.empty(len(query))
    step = max(1, _BLOCK // len(bank))
    for start in range(0, len(query), step):
        rows = slice(start, start + step)
        square = np.minimum.reduceat(_squares(query[rows], bank), first, axis=1)
        place = np.searchsorted(held, query_unit[rows]).clip(max=len(held) - 1)
        own = np.flatnonzero(held[place] == query_unit[rows])
        square[own, place[own]] = np.inf
        nearest = np.partition(square, patients - 1, axis=1)[:, :patients]
        nearest.sort(axis=1)  # a partition's order, and so its sum, would depend on the block
        result[rows] = np.sqrt(nearest).mean(axis=1)
    return result


def _squares(query: FloatArray, bank: FloatArray) -> FloatArray:
    """Return the squared distances, (m, n)."""
    if query.shape[1] <= _FEW:
        return np.asarray(cdist(query, bank, "sqeuclidean"))
    # A matrix product is many times faster for long vectors. It loses digits only where two
    # images nearly coincide, about 1e-7 of their length.
    square = query @ bank.T
    square *= -2
    square += np.square(query).sum(axis=1)[:, None]
    square += np.square(bank).sum(axis=1)
    return np.maximum(square, 0.0, out=square)
