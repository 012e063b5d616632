"""Robust fairness: how far a gap between groups can be driven by allowed moves of the features."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.section import Section
from reportgen.sections.robust.checks import check, check_inputs
from reportgen.sections.robust.codes import CODES
from reportgen.sections.robust.compute import compute
from reportgen.sections.robust.result import RobustResult
from reportgen.sections.robust.settings import RobustSettings

__all__ = ["CODES", "SECTION", "RobustResult", "RobustSettings", "check", "check_inputs", "compute"]

SECTION = Section(
    kind="robust",
    title=mark("Robust fairness"),
    question=mark(
        "How far are the gaps between groups from their tolerance, and in which direction?"
    ),
    settings=RobustSettings,
    compute=compute,
    check=check,
    codes=CODES,
    check_inputs=check_inputs,
)
