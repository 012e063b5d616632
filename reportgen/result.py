"""The few shapes that all results are made of, and how they become plain data.

An :class:`Estimate` holds a value with its interval or the reason why there is none. A
:class:`Finding` is one sentence a reader must see. An :class:`Outcome` is what a section returns.
:func:`plain` turns any of them into what ``results.json`` holds: text, finite numbers, true, false,
null, lists and mappings; it refuses NaN and infinities.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

import numpy as np

Severity = Literal["pass", "note", "warn", "fail"]
SEVERITIES: tuple[Severity, ...] = ("fail", "warn", "note", "pass")
SIGNIFICANT_DIGITS = 12


def _finite(name: str, value: float | None) -> None:
    if value is not None and not math.isfinite(value):
        raise ValueError(f"{name} must be finite or None with a reason, not {value!r}")


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval, or the reason why there is none.

    Parameters
    ----------
    estimate : float or None
        The point estimate; None if it cannot be had, with the reason in `reason`.
    low, high : float or None
        Limits of the interval; None if there is none, with the reason in `reason`.
    confidence : float or None
        Coverage of the interval, 0 < confidence < 1.
    method : str or None
        How the interval was made, as printed: "Wilson score".
    reason : str or None
        Why the estimate or its interval is missing.

    Raises
    ------
    ValueError
        If a number is not finite, or something is missing without a reason.
    """

    estimate: float | None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    method: str | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        for name in ("estimate", "low", "high", "confidence"):
            _finite(name, getattr(self, name))
        missing = self.estimate is None or self.low is None or self.high is None
        if missing and not self.reason:
            raise ValueError("an estimate or interval that is missing needs its reason")
        if self.estimate is None and (self.low is not None or self.high is not None):
            raise ValueError("limits without an estimate")

    @classmethod
    def missing(cls, reason: str) -> Estimate:
        """Return the estimate that cannot be had, because of `reason`."""
        return cls(None, reason=reason)


@dataclass(frozen=True)
class LeftOut:
    """Rows that a figure does not rest on: how many, and why."""

    reason: str
    k: int


@dataclass(frozen=True)
class Finding:
    """One sentence that a reader of the dossier must see.

    Parameters
    ----------
    code : str
        Stable code of the kind of finding, such as "DCA-001"; documented in the section's CODES.
    severity : {"pass", "note", "warn", "fail"}
        *fail* puts the release on hold, *warn* makes it conditional.
    title : str
        A few words.
    statement : str
        The sentence, with its figures.
    evidence : mapping
        Name to number, text or Estimate.
    limits : str
        What this finding cannot show.
    summary : str
        The statement in one line, for the list of all findings; "" if the statement is short.
    """

    code: str
    severity: Severity
    title: str
    statement: str
    evidence: Mapping[str, float | str | Estimate] = field(default_factory=dict)
    limits: str = ""
    summary: str = ""


@dataclass(frozen=True)
class NotApplicable:
    """The result of a section that could not be assessed at all, with the reason."""

    reason: str


@dataclass(frozen=True)
class Outcome:
    """What a section returns: its result (a frozen dataclass) and its findings.

    `pictures` holds the PNG images that the result names, by the SHA-256 of their bytes.
    """

    result: Any
    findings: tuple[Finding, ...] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict, repr=False)


def plain(value: Any) -> Any:
    """Return `value` as plain data for ``results.json``.

    Dataclasses become mappings (a trailing underscore of a field name is dropped, so ``from_`` is
    written ``from``), tuples become lists, numpy scalars and arrays become numbers and lists.
    Numbers are rounded to twelve significant digits, so that the last bits of a sum do not differ
    between machines.

    Raises
    ------
    ValueError
        If a number is NaN or infinite.
    TypeError
        If a value has no plain form.
    """
    if isinstance(value, Estimate):
        return _plain_estimate(value)
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        _finite("a number in the results", value)
        return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name.rstrip("_"): plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    raise TypeError(f"no plain form for {type(value).__name__}")


def _plain_estimate(value: Estimate) -> dict[str, Any]:
    if value.estimate is None:
        return {"estimate": None, "reason": value.reason}
    data = {
        name: plain(getattr(value, name))
        for name in ("estimate", "low", "high", "confidence", "method")
    }
    return data if value.reason is None else {**data, "reason": value.reason}
