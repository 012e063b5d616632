"""A sensitive attribute known by a probability alone: what can be said of its gaps."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from reportgen.language import _, mark
from reportgen.sections.robust.data import Data
from reportgen.sections.robust.reasons import told
from reportgen.sections.robust.result import ProxyRow, Verdict
from reportgen.sections.robust.rows import number
from reportgen.sections.robust.settings import RobustSettings
from reportgen.stats.robust.gaps import MEASURES
from reportgen.stats.robust.metrics import AuditSample
from reportgen.stats.robust.proxy import ProxyGap, proxy_cells, proxy_gap

STRADDLES = mark("the bounds lie on both sides of the tolerance")
UNCERTIFIED = mark("the bounds keep the tolerance, without moves and without sampling error")
BEYOND = mark("even the least gap that the probabilities allow passes the tolerance")
LABEL = {"selection_rate": None, "sensitivity": True, "false_positive_rate": False}


def proxy_rows(data: Data, sample: AuditSample, settings: RobustSettings) -> Iterator[ProxyRow]:
    """Yield the bounds of every metric that has them, one row a metric.

    A measure of several rates has the worst of their bounds, and of each estimate the one that is
    farthest from 0: each may come from another rate.
    """
    if data.probability is None:
        return
    for name in settings.metrics:
        measure = MEASURES[name]
        if measure.form != "difference" or any(m not in LABEL for m in measure.metrics):
            continue
        parts = [_part(metric, data, sample) for metric in measure.metrics]
        yield _row(name, parts, settings.tolerance_of(name))


def _part(metric: str, data: Data, sample: AuditSample) -> ProxyGap:
    rows = np.ones(len(sample.score), dtype=np.bool_)
    label = LABEL[metric]
    if label is not None and data.positive is not None:
        rows = data.positive == label
    if data.probability is None or not rows.any():
        nan = math.nan
        return ProxyGap(nan, nan, nan, nan, nan, nan, 0, "no rows")
    probability = data.probability[rows]
    return proxy_gap(sample.flags(sample.score)[rows], probability, proxy_cells(probability))


def _row(name: str, parts: list[ProxyGap], tolerance: float) -> ProxyRow:
    missing = next((part.reason for part in parts if part.reason), "")
    leading = parts[0] if missing else max(parts, key=lambda part: part.worst)
    least = math.nan if missing else max(part.least for part in parts)
    judged, reason = _judged(least, leading.worst, tolerance, missing)
    return ProxyRow(
        metric=name,
        low=None if missing else number(leading.low),
        high=None if missing else number(leading.high),
        least=number(least),
        worst=None if missing else number(leading.worst),
        weighted=None if missing else number(_farthest([part.weighted for part in parts])),
        thresholded=None if missing else number(_farthest([part.thresholded for part in parts])),
        cells=leading.cells,
        tolerance=tolerance,
        verdict=judged,
        reason=reason,
    )


def _farthest(values: list[float]) -> float:
    """Return the value farthest from 0; NaN if one is, for it could be the farthest."""
    return math.nan if any(map(math.isnan, values)) else max(values, key=abs)


def _judged(least: float, worst: float, tolerance: float, missing: str) -> tuple[Verdict, str]:
    """Return a verdict that assumes nothing; bounds alone never make a model robust."""
    if missing:
        return "not assessable", told(missing)
    if least > tolerance + 1e-12:
        return "static fail", _(BEYOND)
    return "undetermined", _(STRADDLES) if worst > tolerance + 1e-12 else _(UNCERTIFIED)
