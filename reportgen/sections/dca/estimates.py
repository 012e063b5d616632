"""Estimates with their percentile intervals, or with the reason why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.stats.bands import percentile_interval
from reportgen.stats.decision import FloatArray
from reportgen.wording import undefined_in

NO_GROUP = mark(
    "not estimable: follow-up of those at or above the threshold ends before the horizon"
)


@dataclass(frozen=True)
class Maker:
    """What every estimate of a section has in common.

    Attributes
    ----------
    confidence : float
    resamples : int
    resampled : str
        "rows" or "units".
    """

    confidence: float
    resamples: int
    resampled: str

    @property
    def method(self) -> str:
        """The interval's method, as printed."""
        if self.resampled == "units":
            text = _("percentile bootstrap of units, {resamples} resamples")
        else:
            text = _("percentile bootstrap of rows, {resamples} resamples")
        return text.format(resamples=self.resamples)

    def estimates(
        self, point: FloatArray, draws: FloatArray, *, why: Sequence[str] = ()
    ) -> Estimates:
        """Return the point estimates with their percentile intervals.

        `why` says in English, by threshold, why a point may be missing.
        """
        why = tuple(why) or (NO_GROUP,) * point.shape[-1]
        low, high = percentile_interval(draws, confidence=self.confidence)
        return Estimates(point, low, high, np.isnan(draws).sum(axis=0), self, why)


@dataclass(frozen=True)
class Estimates:
    """Arrays of point estimates with limits, NaN where there are none, and why there are none."""

    point: FloatArray
    low: FloatArray
    high: FloatArray
    undefined: NDArray[np.intp]
    maker: Maker
    why: tuple[str, ...]

    def shifted(self, by: FloatArray, *, times: float) -> Estimates:
        """Return the estimates of ``times * (x - by)``, for times > 0."""
        point, low, high = (times * (part - by) for part in (self.point, self.low, self.high))
        return Estimates(point, low, high, self.undefined, self.maker, self.why)

    def __getitem__(self, place: tuple[int, ...]) -> Estimate:
        point, low, high = (float(part[place]) for part in (self.point, self.low, self.high))
        if np.isnan(point):
            return Estimate.missing(_(self.why[place[-1]]))
        reason = undefined_in(int(self.undefined[place]), self.maker.resamples)
        if np.isnan(low):
            return Estimate(point, reason=reason)
        return Estimate(point, low, high, self.maker.confidence, self.maker.method, reason)


def number(value: np.floating | FloatArray | float) -> float | None:
    """Return a float, None in place of NaN."""
    return None if np.isnan(value) else float(value)
