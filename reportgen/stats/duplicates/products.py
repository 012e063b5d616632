"""Inner products of DCT blocks under the eight symmetries, from eight small matrix products.

In the type-II DCT a reversal of the columns multiplies coefficient (u, v) by (-1)^v, a reversal of
the rows by (-1)^u, and a transposition swaps u and v. Split by the parity of u and v into four
parts, the inner product with any symmetry of a block is a signed sum of the four products of parts,
of the block itself or of its transpose: 2 K² multiplications a pair instead of 8 K².
"""

from __future__ import annotations

from math import isqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct

from reportgen.stats.duplicates.hits import FloatArray
from reportgen.stats.duplicates.symmetries import SWITCHES

Real = TypeVar("Real", np.float32, np.float64)
Parts = tuple[NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real]]
"""(u, v) both even, u even, v even, both odd: (n, K²/4) each; the first may have more columns."""

UNIT = 2.0**-24
"""Unit roundoff of float32."""


def cosine_rows(kept: int, size: int) -> FloatArray:
    """Return the first `kept` rows of the orthonormal DCT-II of `size` points, (kept, size)."""
    rows: FloatArray = dct(np.eye(size), axis=0, norm="ortho")[:kept]
    return rows


def parity_parts(blocks: NDArray[Real]) -> Parts[Real]:
    """Return the four parts of (n, K, K) blocks of coefficients, K even."""
    n = len(blocks)

    def part(u: int, v: int) -> NDArray[Real]:
        return np.ascontiguousarray(blocks[:, u::2, v::2].reshape(n, blocks.shape[1] ** 2 // 4))

    return part(0, 0), part(0, 1), part(1, 0), part(1, 1)


def rows_of(parts: Parts[Real], rows: slice | NDArray[np.intp]) -> Parts[Real]:
    """Return the parts of some of the blocks."""
    a, b, c, d = parts
    return a[rows], b[rows], c[rows], d[rows]


def transposed(parts: Parts[Real]) -> Parts[Real]:
    """Return the parts of the transposed blocks; further columns of the first stay in place."""
    half = isqrt(parts[3].shape[1])
    swap = np.arange(half * half).reshape(half, half).T.ravel()
    more = np.arange(half * half, parts[0].shape[1])
    even = parts[0][:, np.concatenate([swap, more])]
    return even, parts[2][:, swap], parts[1][:, swap], parts[3][:, swap]


def largest_products(x: Parts[np.float32], y: Parts[np.float32]) -> NDArray[np.float32]:
    """Return max over the symmetries g of <x_i, g y_j>, (p, q)."""
    upright = _largest_of_four(x, y)
    np.maximum(upright, _largest_of_four(x, transposed(y)), out=upright)
    return upright


def _largest_of_four(x: Parts[np.float32], y: Parts[np.float32]) -> NDArray[np.float32]:
    """Return max(|c + d| + (a + b), |c - d| + (a - b)): the largest of the four signed sums."""
    a, b, c, d = (left @ right.T for left, right in zip(x, y, strict=True))
    plus: NDArray[np.float32] = c + d
    np.abs(plus, out=plus)
    plus += a
    plus += b
    np.subtract(c, d, out=c)
    np.abs(c, out=c)
    c += a
    c -= b
    np.maximum(plus, c, out=plus)
    return plus


def products_by_symmetry(x: Parts[np.float64], y: Parts[np.float64]) -> FloatArray:
    """Return <x_i, g y_i> row by row for each symmetry g, (p, 8).

    Each sum is taken along one row in a fixed order, without BLAS, so that the figures depend
    neither on the size of a block nor on the number of threads.
    """
    sums = [
        tuple((left * right).sum(axis=1) for left, right in zip(x, parts, strict=True))
        for parts in (y, transposed(y))
    ]
    result = np.empty((len(x[0]), 8))
    for k, (transpose, rows, columns) in enumerate(SWITCHES):
        a, b, c, d = sums[transpose]
        u, v = 1 - 2 * rows, 1 - 2 * columns
        result[:, k] = (a + v * b) + (u * c + u * v * d)
    return result
