"""Benchmark integrity: partitions, labels, evaluator, pipeline, each held to what it claims."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.errors import Key
from reportgen.section import Section
from reportgen.sections.integrity.checks import check, check_inputs
from reportgen.sections.integrity.codes import CODES
from reportgen.sections.integrity.compute import compute
from reportgen.sections.integrity.result import IntegrityResult
from reportgen.sections.integrity.settings import IntegritySettings

__all__ = [
    "CODES",
    "SECTION",
    "IntegrityResult",
    "IntegritySettings",
    "check",
    "check_inputs",
    "compute",
]


def _lists(settings: IntegritySettings) -> Mapping[Key, str]:
    """Name the reviewers' verdicts."""
    near = settings.near_duplicates
    if near is None or near.verdicts is None:
        return {}
    return {("near_duplicates", "verdicts"): near.verdicts}


SECTION = Section(
    kind="integrity",
    title="Benchmark integrity",
    question=("Are partitions, labels, evaluator and pipeline what the benchmark number claims?"),
    settings=IntegritySettings,
    compute=compute,
    check=check,
    codes=CODES,
    check_inputs=check_inputs,
    lists=_lists,
    names={
        "images": (("images",),),
        "detections": (("detections",), ("evaluator", "against")),
        "class_maps": (("class_map",),),
        "pipelines": (("pipeline",), ("pipeline", "of")),
        "tables": (
            ("duplicate_rows", "table"),
            ("leakage", "table"),
            ("classifier", "table"),
            ("counting_heads", "table"),
        ),
    },
)
