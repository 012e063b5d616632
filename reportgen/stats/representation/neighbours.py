"""How far an image lies from the nearest images of other patients."""

from __future__ import annotations

import numpy as np

from reportgen.stats.representation.features import FloatArray, IntArray

_FIRST = 4  # neighbours asked for at first, per patient wanted
_BLOCK = 4_000_000  # neighbour indices held at once


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
    from sklearn.neighbors import NearestNeighbors

    held = len(np.unique(bank_unit))
    if held <= patients:
        raise ValueError(f"the bank holds {held} patients; more than {patients} are needed")
    search = NearestNeighbors().fit(bank)
    result = np.full(len(query), np.nan)
    waiting, asked = np.arange(len(query)), min(_FIRST * patients, len(bank))
    while len(waiting):  # ends: with the whole bank asked for, every row has its patients
        step = max(1, _BLOCK // asked)
        for start in range(0, len(waiting), step):
            rows = waiting[start : start + step]
            near = search.kneighbors(query[rows], n_neighbors=asked, return_distance=False)
            chosen = _nearest_of_each(bank_unit[near], query_unit[rows], patients)
            full = chosen[:, -1] >= 0
            images = np.take_along_axis(near[full], chosen[full], axis=1)
            # Computed anew: a fast search may return distances that lost digits to cancellation.
            gaps = bank[images] - query[rows[full], None, :]
            result[rows[full]] = np.sqrt(np.square(gaps).sum(axis=2)).mean(axis=1)
        waiting = waiting[np.isnan(result[waiting])]
        asked = min(asked * 4, len(bank))
    return result


def _nearest_of_each(units: IntArray, own: IntArray, patients: int) -> IntArray:
    """Return the positions of the first image of each of the first other patients, else -1.

    `units` (m, K) holds the patients of the neighbours from near to far; the result is
    (m, patients), ascending, padded with -1 at its end.
    """
    order = np.argsort(units, axis=1, kind="stable")
    arranged = np.take_along_axis(units, order, axis=1)
    first = np.ones(units.shape, dtype=bool)
    first[:, 1:] = arranged[:, 1:] != arranged[:, :-1]
    nearest = np.zeros(units.shape, dtype=bool)
    np.put_along_axis(nearest, order, first, axis=1)
    nearest &= units != own[:, None]
    rank = np.cumsum(nearest, axis=1)
    chosen = np.full((len(units), patients), -1, dtype=np.intp)
    rows, positions = np.nonzero(nearest & (rank <= patients))
    chosen[rows, rank[rows, positions] - 1] = positions
    return chosen
