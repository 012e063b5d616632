"""Prevalence tables: which figures move with the class mix, and what they become elsewhere."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.section import Section
from reportgen.sections.prevalence.codes import CODES
from reportgen.sections.prevalence.compute import compute
from reportgen.sections.prevalence.result import (
    CurveRow,
    FrequencyRow,
    MetricRow,
    MovesRow,
    OperatingPoint,
    PrevalenceResult,
    SampleMixRow,
    UnlabelledRow,
)
from reportgen.sections.prevalence.settings import PrevalenceSettings, check

__all__ = [
    "CODES",
    "SECTION",
    "CurveRow",
    "FrequencyRow",
    "MetricRow",
    "MovesRow",
    "OperatingPoint",
    "PrevalenceResult",
    "PrevalenceSettings",
    "SampleMixRow",
    "UnlabelledRow",
    "check",
    "compute",
]

SECTION = Section(
    kind="prevalence",
    title=mark("Prevalence tables"),
    question=mark("Which figures move with the class mix, and what do they become elsewhere?"),
    settings=PrevalenceSettings,
    compute=compute,
    check=check,
    codes=CODES,
)
