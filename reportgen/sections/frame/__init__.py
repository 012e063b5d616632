"""FRAME: gaps between groups, told apart from sampling variation, with evidence of their cause."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.section import Section
from reportgen.sections.frame.codes import CODES
from reportgen.sections.frame.compute import compute
from reportgen.sections.frame.result import FrameResult
from reportgen.sections.frame.settings import FrameSettings, check, check_inputs

__all__ = ["CODES", "SECTION", "FrameResult", "FrameSettings", "check", "check_inputs", "compute"]

SECTION = Section(
    kind="frame",
    title=mark("Subgroup gaps"),
    question=mark("Is a gap between groups sampling variation, or is there evidence of its cause?"),
    settings=FrameSettings,
    compute=compute,
    check=check,
    codes=CODES,
    check_inputs=check_inputs,
)
