"""Whether a printed figure can be what it says: the granularity of k of n (GRIM).

A printed figure stands for every value that rounds to its digits. Ends count as rounding to it,
since halves are rounded up by some and to even by others. All of it is exact arithmetic.

References
----------
Brown & Heathers (2017), Soc Psychol Personal Sci 8:363 (granularity-related inconsistency of
means).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_FIGURE = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(%?)")
_TINY = Fraction(1, 10**12)
MOST_TABLES = 4_000_000
"""Tables of two rows that are tried one by one; above it the question is left open."""


@dataclass(frozen=True)
class Printed:
    """A figure as printed.

    Attributes
    ----------
    value : Fraction
        As a share of one where it was printed with a per cent sign.
    step : Fraction
        One unit of its last digit: 1/10,000 for 0.9633 and for 96.33 %.
    """

    value: Fraction
    step: Fraction

    @property
    def low(self) -> Fraction:
        """The smallest value that rounds to it."""
        return self.value - self.step / 2

    @property
    def high(self) -> Fraction:
        """The largest value that rounds to it."""
        return self.value + self.step / 2

    def agrees(self, value: Fraction | float) -> bool:
        """Return whether `value` rounds to the printed digits.

        A float may be off by 1e-12, the rounding of its own sums.
        """
        exact = value if isinstance(value, Fraction) else Fraction(value)
        slack = Fraction(0) if isinstance(value, Fraction) else _TINY
        return self.low - slack <= exact <= self.high + slack


def read_printed(text: str) -> Printed:
    """Read a figure as printed: "0.9633", ".831", "96.33 %", "−0.012".

    Raises
    ------
    ValueError
        If the text is no decimal figure.
    """
    plain = text.replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ").strip()
    found = _FIGURE.fullmatch(plain.replace(" %", "%"))
    if not found or not (found[2] or found[3]):
        raise ValueError(f"{text!r} is no decimal figure")
    sign, whole, decimals, per_cent = found[1], found[2], found[3] or "", found[4]
    step = Fraction(1, 10 ** len(decimals) * (100 if per_cent else 1))
    value = int(whole + decimals or "0") * step
    return Printed(-value if sign == "-" else value, step)


@dataclass(frozen=True)
class Granularity:
    """Which counts out of n give the printed figure.

    Attributes
    ----------
    first, last : int
        The smallest and the largest k that rounds to it; last < first where none does.
    nearest : int
        The k whose share lies nearest, 0 to n.
    n : int
    any_figure : bool
        Whether n is so large that every figure of these digits is some k of n: then that it is
        possible says nothing.
    """

    first: int
    last: int
    nearest: int
    n: int
    any_figure: bool

    @property
    def possible(self) -> bool:
        """Whether some whole k of n rounds to the printed digits."""
        return self.first <= self.last


def granularity(printed: Printed, n: int) -> Granularity:
    """Return which whole counts k of `n` round to a printed share.

    Parameters
    ----------
    printed : Printed
    n : int
        Above 0. For an area under the ROC curve twice the number of pairs, as ties count half.

    Raises
    ------
    ValueError
        If `n` is below 1.
    """
    if n < 1:
        raise ValueError(f"a share needs a denominator above 0, not {n}")
    first = max(0, math.ceil(printed.low * n))
    last = min(n, math.floor(printed.high * n))
    nearest = min(n, max(0, math.floor(printed.value * n + Fraction(1, 2))))
    return Granularity(first, last, nearest, n, printed.step * n >= 1)


def possible_from_table(
    printed: Printed, metric: str, *, n_positive: int, n_negative: int
) -> bool | None:
    """Return whether any 2 by 2 table with these class sizes gives a printed figure.

    Parameters
    ----------
    printed : Printed
    metric : {"balanced_accuracy", "f1", "mcc", "precision"}
    n_positive, n_negative : int
        Rows of each class.

    Returns
    -------
    bool or None
        None where there are too many tables to try.

    Raises
    ------
    ValueError
        If the metric is another.
    """
    if (n_positive + 1) * (n_negative + 1) > MOST_TABLES:
        return None
    tp = np.arange(n_positive + 1, dtype=np.float64)[:, None]
    fp = np.arange(n_negative + 1, dtype=np.float64)[None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        values = _of_table(metric, tp, n_positive - tp, fp, n_negative - fp)
    inside = (values >= float(printed.low) - 1e-12) & (values <= float(printed.high) + 1e-12)
    return bool(inside.any())


def _of_table(
    metric: str,
    tp: NDArray[np.float64],
    fn: NDArray[np.float64],
    fp: NDArray[np.float64],
    tn: NDArray[np.float64],
) -> NDArray[np.float64]:
    if metric == "balanced_accuracy":
        return np.asarray((tp / (tp + fn) + tn / (tn + fp)) / 2)
    if metric == "f1":
        return np.asarray(2 * tp / (2 * tp + fp + fn))
    if metric == "precision":
        return np.asarray(tp / (tp + fp))
    if metric == "mcc":
        below = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
        return np.asarray((tp * tn - fp * fn) / below)
    raise ValueError(f"{metric!r} is no metric of a table")
