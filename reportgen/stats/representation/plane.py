"""Two principal components of the features, and few enough points to draw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.stats.representation.features import BoolArray, FloatArray, IntArray

POINTS = 400


@dataclass(frozen=True)
class Plane:
    """The plane of the two directions in which the features vary most.

    Attributes
    ----------
    x, y : (n,) float arrays
        Coordinates of each row; 0 where there is no second direction.
    explained : (2,) float array
        Share of the variance along each, 0 to 1.
    loadings : (2, F) float array
        Unit vectors; each one's largest entry in magnitude is positive.
    """

    x: FloatArray
    y: FloatArray
    explained: FloatArray
    loadings: FloatArray


def principal_plane(features: FloatArray) -> Plane:
    """Return the first two principal components.

    Parameters
    ----------
    features : (n, F) float array
        Standardised, finite; n, F >= 1.

    Raises
    ------
    ValueError
        If there is no row or no feature.
    """
    if not features.size:
        raise ValueError(f"no features to draw: shape {features.shape}")
    centred = features - features.mean(axis=0)
    # By the covariance rather than the rows: as many numbers as features, however many rows.
    values, vectors = np.linalg.eigh(centred.T @ centred)
    values = np.clip(values[::-1], 0, None)
    loadings = np.zeros((2, features.shape[1]))
    loadings[: min(2, len(values))] = vectors.T[::-1][:2]
    largest = np.abs(loadings).argmax(axis=1)
    loadings *= np.where(loadings[[0, 1], largest] < 0, -1.0, 1.0)[:, None]
    explained = np.zeros(2)
    if values.sum() > 0:
        explained[: len(values)] = values[:2] / values.sum()
    x, y = loadings @ centred.T
    return Plane(x, y, explained, loadings)


def thinned(
    plane: Plane, group: IntArray, failed: BoolArray, *, points: int = POINTS
) -> tuple[IntArray, IntArray]:
    """Return the rows to draw, and how many rows each stands for.

    Rows are thinned evenly within each group with and without failure, in proportion to their
    number, so that the picture keeps the shares; no such set vanishes. Nothing is random: rows are
    ordered by their place in the plane and every so-manieth is taken.

    Parameters
    ----------
    plane : Plane
    group : (n,) int array
        Code of each row's group, >= 0.
    failed : (n,) bool array
    points : int
        At most so many, unless there are more sets than that.

    Returns
    -------
    rows : (m,) int array
        Ascending by group, then failure, then place.
    stands_for : (m,) int array
        >= 1; adds up to n.
    """
    code = 2 * group + failed
    kinds, size = np.unique(code, return_counts=True)
    taken = _allotted(size, min(points, int(size.sum())))
    rows, stands_for = [], []
    for kind, n, m in zip(kinds.tolist(), size.tolist(), taken.tolist(), strict=True):
        members = np.flatnonzero(code == kind)
        members = members[np.lexsort((plane.y[members], plane.x[members]))]
        edges = np.linspace(0, n, m + 1).round().astype(np.intp)
        rows.append(members[(edges[:-1] + edges[1:] - 1) // 2])
        stands_for.append(np.diff(edges))
    return np.concatenate(rows), np.concatenate(stands_for)


def _allotted(size: IntArray, points: int) -> IntArray:
    """Return the points of each set: one, and the rest in proportion by largest remainder."""
    extra = max(points - len(size), 0)
    room = size - 1
    share = room * (min(extra, int(room.sum())) / max(int(room.sum()), 1))
    taken = np.floor(share).astype(np.intp)
    short = min(extra, int(room.sum())) - int(taken.sum())
    # Largest remainder first; of equal ones the earlier set.
    taken[np.argsort(-(share - taken), kind="stable")[:short]] += 1
    return np.asarray(taken + 1)
