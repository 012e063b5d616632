"""How much of the worst gap a random search finds, and how long both take.

Run with ``make bench``. The search is that of article 001: 50 random directions, one a record, the
whole table kept or dropped. Both take the same rows, model and budget (L2, eps 0.05, logistic
score) in one run, so that only the ratios mean something. At large sizes fewer directions are drawn
and their time scaled up, as it is linear in them; the gap found is then that of the drawn ones.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.robust.gaps import MEASURES, WorstGap, worst_gap
from reportgen.stats.robust.intervals import FloatArray
from reportgen.stats.robust.linear import LinearModel, linear_intervals
from reportgen.stats.robust.metrics import AuditSample, audit_sample
from reportgen.stats.robust.moves import move_set

SIZES = (600, 10_000, 100_000)
WIDTHS = (2, 20, 200)
DIRECTIONS = 50
MOST_NUMBERS = 50_000_000
"""Random numbers that are drawn at most for one search."""

T = TypeVar("T")


def case(n: int, d: int) -> tuple[FloatArray, LinearModel, AuditSample]:
    """Return rows of two groups that differ in the first feature, and a model of norm 1.09."""
    rng = np.random.default_rng(42)
    group = rng.integers(0, 2, n)
    values = rng.normal(size=(n, d))
    values[:, 0] += group
    weights = rng.normal(size=d) * 0.3
    weights[0] = 1.0
    model = LinearModel(weights * 1.0862 / np.linalg.norm(weights), 0.3)
    return values, model, audit_sample(model.score(values), group, decisions="soft")


def exact(values: FloatArray, model: LinearModel, sample: AuditSample) -> WorstGap:
    """Return the worst gap as the section computes it."""
    moves = move_set(np.full(values.shape[1], 0.05), norm="l2")
    intervals = linear_intervals(values, model, moves, witness=False)
    return worst_gap(MEASURES["demographic_parity"], sample, intervals)


def random_search(
    values: FloatArray, model: LinearModel, group: NDArray[Any], *, directions: int
) -> float:
    """Return the largest gap the article's search comes upon."""
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(directions):
        direction = rng.normal(size=values.shape)
        direction /= np.linalg.norm(direction, axis=1, keepdims=True) + 1e-9
        score = model.score(values + 0.05 * direction)
        worst = max(worst, abs(score[group == 1].mean() - score[group == 0].mean()))
    return worst


def timed(call: Callable[[], T], repeats: int = 1) -> tuple[float, T]:
    """Return the best time of a few calls, in seconds, and the result."""
    times, results = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        results.append(call())
        times.append(time.perf_counter() - start)
    return min(times), results[0]


def compare(n: int, d: int) -> float:
    """Print one line of the table and return the ratio of gains a second."""
    values, model, sample = case(n, d)
    ours, gap = timed(partial(exact, values, model, sample), 5)
    drawn = max(2, min(DIRECTIONS, MOST_NUMBERS // (n * d)))
    search = partial(random_search, values, model, sample.group, directions=drawn)
    taken, found = timed(search, 5 if n * d <= 20_000 else 1)
    theirs = taken * DIRECTIONS / drawn
    share = max(0.0, found - gap.base) / (gap.found - gap.base)
    faster = theirs / ours
    gain = faster / share if share > 0 else float("inf")
    sys.stdout.write(
        f"{n:>7} {d:>4} {drawn:>6} {gap.base:.4f} {found:.4f} {gap.found:.4f} {share:>7.1%}"
        f" {theirs:>9.3f} {ours:>9.5f} {faster:>6.0f} {gain:>12.3g}\n"
    )
    return gain


def main() -> None:
    """Compare all sizes: time, the share of the possible rise found, and rise found a second."""
    heads = ("n", "d", "drawn", "base", "search", "exact", "share", "search s", "exact s")
    widths = (7, 4, 6, 6, 6, 6, 7, 9, 9)
    line = " ".join(f"{head:>{width}}" for head, width in zip(heads, widths, strict=True))
    sys.stdout.write(f"{line}  times rise/s ratio\n")
    ratios = [compare(n, d) for n in SIZES for d in WIDTHS]
    sys.stdout.write(f"smallest ratio of rise found a second: {min(ratios):.0f}\n")


if __name__ == "__main__":
    main()
