"""Several measures audited at once: no averaging, the worst of them decides."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.stats.robust.critical import CriticalRadius
from reportgen.stats.robust.gaps import Measure


@dataclass(frozen=True)
class JointRadius:
    """The radius at which the first of several measures passes its tolerance.

    Attributes
    ----------
    safe, unsafe : float
        The smallest of the measures' brackets, in multiples of eps; NaN where `reason` says why.
    binding : str
        The measure that gives `unsafe`, the first of several; "" if none is ever passed.
    exact : bool
        Whether safe and unsafe are one and every bracket behind them is exact.
    reason : str
        Why there is none; "" if there is one.
    """

    safe: float
    unsafe: float
    binding: str
    exact: bool
    reason: str = ""


def joint_critical(radii: Mapping[str, CriticalRadius]) -> JointRadius:
    """Return the joint critical radius.

    Each measure's worst case may be another move; the joint set of safe moves ends where the first
    measure's does, so the smallest radius is exact for all of them together. Measures without a
    radius (no group has the figure) are passed over and must be reported by the caller.

    Parameters
    ----------
    radii : mapping of str to CriticalRadius
        By measure.
    """
    known = {name: one for name, one in radii.items() if not one.reason}
    if not known:
        return JointRadius(math.nan, math.nan, "", False, "no measure has a critical radius")
    safe = min(one.safe for one in known.values())
    unsafe = min(one.unsafe for one in known.values())
    binding = next((name for name, one in known.items() if one.unsafe == unsafe), "")
    exact = safe == unsafe and all(one.exact for one in known.values())
    return JointRadius(safe, unsafe, binding if math.isfinite(unsafe) else "", exact)


def normalised(measure: Measure, value: float, tolerance: float) -> float:
    """Return a gap as a multiple of its tolerance: 1 is the tolerance, more is past it.

    Ratios count by their distance from 1. Infinite where the tolerance allows no gap at all.
    """
    gap, allowed = (1 - value, 1 - tolerance) if measure.falls else (value, tolerance)
    if allowed > 0:
        return gap / allowed
    return math.inf if gap > 0 else 1.0
