"""What the exact search keeps of each thumbnail, and two lower bounds on the distance from it.

For a thumbnail a, centred at 128, let P a be its low K × K block of the orthonormal DCT-II and r
the norm of the rest. Under a symmetry of the square the coefficients change sign and (u, v), (v, u)
swap; r stays. So, with |a|² the energy:

- *invariant bound*: the vector of the mean, the |c_uu|, the larger and the smaller magnitude of
  each pair c_uv, c_vu, and r is the same for all eight symmetries, and by the rearrangement
  inequality, Parseval and the reverse triangle inequality its Euclidean distance is at most
  min over g of |a - g b|. One matrix product bounds all eight.
- *block bound*: min over g of |P a - g P b|² + (r_a - r_b)² <= min over g of |a - g b|².

Both are products of float32 vectors that carry -|b|²/2 as a further column, so that one comparison
decides. `slack` covers their rounding: no pair within the threshold is ever dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.duplicates.hits import FloatArray, IntArray
from reportgen.stats.duplicates.products import UNIT, Parts, cosine_rows, parity_parts
from reportgen.stats.duplicates.symmetries import INVERSE, apply_symmetry

SIDE = 32
PIXELS = SIDE * SIDE
CENTRE = 128
_CHUNK = 512
_TURN = np.stack(
    [apply_symmetry(np.arange(PIXELS).reshape(SIDE, SIDE), k).ravel() for k in range(8)]
)
"""Which pixel comes where under each symmetry, (8, 1024)."""
_UNTURN = _TURN[list(INVERSE)]

Float32 = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Sketch:
    """Thumbnails in ascending order of their mean.

    Attributes
    ----------
    order : (n,) int array
        Position in the set of each.
    pixels : (n, 1024) int8 array
        Grey levels less 128.
    mean : (n,) float array
        Signed DC coefficient, 32 × the mean of `pixels`; exact.
    energy : (n,) int64 array
        Sum of squares of `pixels`.
    invariant, invariant_right : (n, F) float32 array
        The invariant vector with a column of ones, and with one of -energy/2.
    parts, parts_right : Parts
        The block by parities, with r and a column of ones, and with r and one of -energy/2.
    """

    order: IntArray
    pixels: NDArray[np.int8]
    mean: FloatArray
    energy: NDArray[np.int64]
    invariant: Float32
    invariant_right: Float32
    parts: Parts[np.float32]
    parts_right: Parts[np.float32]

    def __len__(self) -> int:
        return len(self.order)


def sketch(thumbnails: NDArray[np.uint8], *, kept: int) -> Sketch:
    """Return the sketch of (n, 32, 32) thumbnails with `kept` × `kept` coefficients, even.

    Raises
    ------
    ValueError
        If the thumbnails are not (n, 32, 32) of uint8.
    """
    if thumbnails.dtype != np.uint8 or thumbnails.shape[1:] != (SIDE, SIDE):
        raise ValueError(
            f"thumbnails are (n, 32, 32) of uint8, not {thumbnails.shape} of {thumbnails.dtype}"
        )
    total = thumbnails.reshape(len(thumbnails), PIXELS).sum(axis=1, dtype=np.int64)
    order = np.argsort(total, kind="stable")
    pixels = (thumbnails[order].view(np.int8) ^ np.int8(-128)).reshape(-1, PIXELS)
    mean = (total[order] - CENTRE * PIXELS) / SIDE
    energy, blocks = _blocks(pixels, kept)
    rest = np.sqrt(np.maximum(energy - np.einsum("nuv,nuv->n", blocks, blocks), 0.0))
    left = np.stack([rest, np.ones(len(rest))], axis=1)
    right = np.stack([rest, energy * -0.5], axis=1)
    invariant = _invariant(blocks)
    return Sketch(
        order,
        pixels,
        mean,
        energy,
        np.concatenate([invariant, left], axis=1, dtype=np.float32, casting="same_kind"),
        np.concatenate([invariant, right], axis=1, dtype=np.float32, casting="same_kind"),
        _with_columns(blocks, left),
        _with_columns(blocks, right),
    )


def _blocks(pixels: NDArray[np.int8], kept: int) -> tuple[NDArray[np.int64], FloatArray]:
    """Return energies, (n,), and low blocks of coefficients, (n, kept, kept)."""
    basis = cosine_rows(kept, SIDE)
    energy = np.empty(len(pixels), np.int64)
    blocks = np.empty((len(pixels), kept, kept))
    for start in range(0, len(pixels), _CHUNK):
        rows = slice(start, start + _CHUNK)
        values = pixels[rows].astype(np.float64)
        energy[rows] = np.einsum("ni,ni->n", values, values).astype(np.int64)
        blocks[rows] = basis @ values.reshape(-1, SIDE, SIDE) @ basis.T
    return energy, blocks


def _invariant(blocks: FloatArray) -> FloatArray:
    """Return mean, diagonal magnitudes, larger and smaller of each pair of magnitudes, (n, K²)."""
    size = np.abs(blocks)
    u, v = np.triu_indices(blocks.shape[1], 1)
    above, below = size[:, u, v], size[:, v, u]
    diagonal = np.diagonal(size, axis1=1, axis2=2)[:, 1:]
    return np.concatenate(
        [blocks[:, 0, :1], diagonal, np.maximum(above, below), np.minimum(above, below)], axis=1
    )


def _with_columns(blocks: FloatArray, columns: FloatArray) -> Parts[np.float32]:
    even, *others = parity_parts(blocks.astype(np.float32))
    more = np.concatenate([even, columns.astype(np.float32)], axis=1)
    return more, others[0], others[1], others[2]


def slack(first: Sketch, second: Sketch) -> float:
    """Return how far rounding may lower a bounding product, in squared grey levels.

    With F columns and M² the largest energy, a float32 product errs by at most (F + 1) u times the
    sum of the absolute products, itself at most 2 M² with the column of -energy/2; casts, signed
    sums and the comparison add less than 16 u of the same. The 8 covers r where it is a difference
    of nearly equal numbers in float64.
    """
    largest = max(int(s.energy.max(initial=0)) for s in (first, second))
    columns: int = first.invariant.shape[1]
    return 2.0 * (columns + 17) * UNIT * largest + 8.0


def squares(item: Sketch, i: int, others: Sketch, j: IntArray, *, undo: bool) -> NDArray[np.int64]:
    """Return exact |g a - b|² of one thumbnail `a` in `item` and some `b`, for each g, (m, 8).

    With `undo` it is |g⁻¹ a - b|² = |a - g b|². Grey levels less 128 lie in -128 … 127, so every
    partial sum of a product is a whole number of at most 2^24: float32 holds it exactly.
    """
    turned = item.pixels[i][_UNTURN if undo else _TURN].astype(np.float32)
    products = np.empty((len(j), 8), np.float32)
    for start in range(0, len(j), _CHUNK):
        rows = slice(start, start + _CHUNK)
        np.matmul(others.pixels[j[rows]].astype(np.float32), turned.T, out=products[rows])
    exact = others.energy[j][:, None] - 2 * products.astype(np.int64)
    exact += item.energy[i]
    return exact
