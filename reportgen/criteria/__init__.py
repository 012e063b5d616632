"""Acceptance criteria: bounds on figures of the run, stated in the manifest, judged afterwards."""

from __future__ import annotations

from reportgen.criteria.checks import check_criterion
from reportgen.criteria.findings import (
    CODES,
    SECTION,
    bound_named,
    criteria_findings,
    figure_named,
    value_named,
)
from reportgen.criteria.settings import Criterion
from reportgen.criteria.verdicts import Judged, judge

__all__ = [
    "CODES",
    "SECTION",
    "Criterion",
    "Judged",
    "bound_named",
    "check_criterion",
    "criteria_findings",
    "figure_named",
    "judge",
    "value_named",
]
