"""Resamples of decision curves: one resampling of units, from which everything else follows.

Scores enter through their *bins* only: the number of thresholds at or below a score. Rows with the
same bins of every model and the same outcome form one cell, so that several models, both classes,
shifted thresholds and patients with several rows are resampled together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from reportgen.stats.decision import FloatArray, Shares
from reportgen.stats.decision_errors import Influence
from reportgen.stats.resampling import (
    BLOCK_NUMBERS,
    IntArray,
    Units,
    joint_cells,
    resampled_counts,
    unit_signatures,
    units_within,
)
from reportgen.stats.survival import survival_shares

Progress = Callable[[float], None]
"""Takes the share done, 0 to 1."""


def _silent(done: float) -> None:
    """Ignore progress."""


def threshold_bins(scores: FloatArray, thresholds: FloatArray) -> IntArray:
    """Return how many of the ascending `thresholds` are at or below each score, (M, n)."""
    return np.asarray(np.searchsorted(thresholds, scores, side="right"))


@dataclass(frozen=True)
class Sample:
    """A binary outcome, ready to be resampled.

    Attributes
    ----------
    thresholds : (G,) float array
        Ascending, without repeats.
    units : Units
        Units by signature, over the cells.
    histogram : (K, M * 2 * (G + 1)) sparse array
        What a row of each cell adds to the counts by model, class (negative, positive) and bin.
    n_models : int
        Number of models M.
    """

    thresholds: FloatArray
    units: Units
    histogram: csr_array[Any]
    n_models: int


def binary_sample(
    scores: FloatArray, label: FloatArray, *, thresholds: FloatArray, unit: IntArray | None
) -> Sample:
    """Prepare a binary outcome for `draw_binary` and `clustered_error`.

    Parameters
    ----------
    scores : (M, n) float array
        No NaN.
    label : (n,) float array
        0 or 1.
    thresholds : (G,) float array
        Ascending, without repeats.
    unit : (n,) int array or None
        The independent unit of each row, 0 upwards; None if each row is its own.
    """
    bins = threshold_bins(scores, thresholds)
    positive = (label == 1).astype(np.intp)
    cells = joint_cells([*bins, positive])
    n_models, width = len(bins), len(thresholds) + 1
    rows = np.repeat(np.arange(len(cells.row)), n_models)
    model = np.arange(n_models)[:, None]
    columns = ((model * 2 + positive[cells.row]) * width + bins[:, cells.row]).T.ravel()
    histogram = csr_array(
        (np.ones(len(rows)), (rows, columns)), shape=(len(cells.row), n_models * 2 * width)
    )
    units = unit_signatures(cells.of_row, unit, n_cells=len(cells.row))
    return Sample(thresholds, units, histogram, n_models)


def draw_binary(
    sample: Sample, generator: np.random.Generator, *, resamples: int, progress: Progress = _silent
) -> Shares:
    """Resample the units and return the shares of every resample, (B, M, G).

    Where units have different numbers of rows, so have resamples: shares are of the rows drawn.
    """
    added = (sample.units.cells @ sample.histogram).T.tocsr()
    shape = (resamples, sample.n_models, len(sample.thresholds))
    shares = Shares(np.empty(shape), np.empty(shape), np.empty(resamples))
    start = 0
    for counts in resampled_counts(sample.units, generator, resamples=resamples):
        stop = start + len(counts)
        fp, tp, negatives, positives = _cumulated(np.asarray(added @ counts.T).T, sample)
        total = negatives + positives
        shares.true_positive[start:stop] = tp / total[:, None, None]
        shares.false_positive[start:stop] = fp / total[:, None, None]
        shares.prevalence[start:stop] = positives / total
        start = stop
        progress(start / resamples)
    return shares


def _cumulated(
    counts: FloatArray, sample: Sample
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return flagged negatives and positives (b, M, G), then all negatives and positives (b,)."""
    by_bin = counts.reshape(len(counts), sample.n_models, 2, len(sample.thresholds) + 1)
    flagged = np.cumsum(by_bin[..., ::-1], axis=-1)[..., ::-1]
    return (
        flagged[:, :, 0, 1:],
        flagged[:, :, 1, 1:],
        flagged[:, 0, 0, 0],
        flagged[:, 0, 1, 0],
    )


def clustered_error(sample: Sample, effect: Influence, *, columns: IntArray) -> FloatArray:
    """Return the linearised standard error of the net benefit with units of several rows.

    The root of the sum over units of the squared sum of their rows' influence, over the squared
    number of rows.

    Parameters
    ----------
    sample : Sample
        From `binary_sample`.
    effect : Influence
        Of shape (M + 2, T): the models, then treat all and treat none.
    columns : (T,) int array
        The thresholds of the sample at which `effect` was taken.

    Returns
    -------
    (M + 2, T) float array
    """
    added = (sample.units.cells @ sample.histogram).tocsr()
    count, rows = sample.units.count, sample.units.cells.sum(axis=1)
    total = np.zeros(effect.row.shape)
    block = max(1, BLOCK_NUMBERS // added.shape[1])
    for start in range(0, len(count), block):
        part = slice(start, start + block)
        fp, tp, negatives, positives = _cumulated(added[part].toarray(), sample)
        sums = (
            _and_defaults(tp[..., columns], positives) * effect.flagged_positive
            + _and_defaults(fp[..., columns], negatives) * effect.flagged_negative
            + positives[:, None, None] * effect.positive
            + rows[part, None, None] * effect.row
        )
        total += np.einsum("s,smt->mt", count[part], sums**2)
    return np.asarray(np.sqrt(total) / float(count @ rows))


def _and_defaults(flagged: FloatArray, everyone: FloatArray) -> FloatArray:
    """Put treat all and treat none after the models, (s, M, T) to (s, M + 2, T)."""
    everywhere = np.broadcast_to(everyone[:, None, None], (len(flagged), 1, flagged.shape[-1]))
    return np.concatenate([flagged, everywhere, np.zeros_like(everywhere)], axis=1)


def draw_survival(
    scores: FloatArray,
    time: FloatArray,
    event: FloatArray,
    *,
    at: float,
    thresholds: FloatArray,
    unit: IntArray | None,
    generator: np.random.Generator,
    resamples: int,
    progress: Progress = _silent,
) -> Shares:
    """Resample units with a time-to-event outcome; shares at the horizon, (B, M, G).

    Parameters
    ----------
    scores : (M, n) float array
        No NaN.
    time, event : (n,) float arrays
        As `survival_shares` takes them.
    at : float
        The horizon, > 0.
    thresholds : (G,) float array
        Ascending.
    unit : (n,) int array or None
        The independent unit of each row, 0 upwards; None if each row is its own.
    generator : numpy.random.Generator
        Source of randomness.
    resamples : int
        Number of resamples B.
    progress : callable
        Takes the share done.
    """
    cells = joint_cells([time, event, *threshold_bins(scores, thresholds)])
    units = unit_signatures(cells.of_row, unit, n_cells=len(cells.row))
    spread = units.cells.T.tocsr()
    parts: list[Shares] = []
    done = 0
    for counts in resampled_counts(units, generator, resamples=resamples):
        parts.append(
            survival_shares(
                scores[:, cells.row],
                time[cells.row],
                event[cells.row].astype(np.int64),
                at=at,
                thresholds=thresholds,
                weights=np.asarray(spread @ counts.T).T,
            )
        )
        done += len(counts)
        progress(done / resamples)
    return Shares(
        np.concatenate([part.true_positive for part in parts]),
        np.concatenate([part.false_positive for part in parts]),
        np.concatenate([part.prevalence for part in parts]),
    )


@dataclass(frozen=True)
class Support:
    """How many units stand behind a comparison, by threshold.

    Attributes
    ----------
    false_negatives, true_positives, false_positives : (M, T) int arrays
        Units with at least one such row.
    apart_positive, apart_negative : mapping of (int, int) to (T,) int array
        For models i < j: units with a positive (negative) row that one flags and the other does
        not.
    """

    false_negatives: IntArray
    true_positives: IntArray
    false_positives: IntArray
    apart_positive: dict[tuple[int, int], IntArray]
    apart_negative: dict[tuple[int, int], IntArray]


def support(
    scores: FloatArray,
    positive: NDArray[np.bool_],
    negative: NDArray[np.bool_],
    *,
    thresholds: FloatArray,
    unit: IntArray | None,
) -> Support:
    """Count the units behind each model and each pair of models.

    Parameters
    ----------
    scores : (M, n) float array
        No NaN.
    positive, negative : (n,) bool arrays
        Rows known to be of either class; a row censored before the horizon is of neither.
    thresholds : (T,) float array
        Ascending.
    unit : (n,) int array or None
        The independent unit of each row, 0 upwards; None if each row is its own.
    """
    bins = threshold_bins(scores, thresholds)
    steps = len(thresholds)
    owner = np.arange(scores.shape[1]) if unit is None else unit

    def count(low: IntArray, high: IntArray, of: NDArray[np.bool_]) -> IntArray:
        return units_within(low[of], high[of], owner[of], steps=steps)

    never, always = np.zeros_like(bins[0]), np.full_like(bins[0], steps)
    pairs = [(i, j) for j in range(len(bins)) for i in range(j)]
    low = {(i, j): np.minimum(bins[i], bins[j]) for i, j in pairs}
    high = {(i, j): np.maximum(bins[i], bins[j]) for i, j in pairs}
    return Support(
        np.stack([count(row, always, positive) for row in bins]),
        np.stack([count(never, row, positive) for row in bins]),
        np.stack([count(never, row, negative) for row in bins]),
        {pair: count(low[pair], high[pair], positive) for pair in pairs},
        {pair: count(low[pair], high[pair], negative) for pair in pairs},
    )
