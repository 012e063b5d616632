"""Benchmark integrity: partitions, labels, evaluator, pipeline, each held to what it claims."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.errors import Key
from reportgen.language import mark
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
    """Name the reviewers' verdicts and the list of duplicates."""
    near, removal = settings.near_duplicates, settings.removal_effect
    lists: dict[Key, str] = {}
    if near is not None and near.verdicts is not None:
        lists["near_duplicates", "verdicts"] = near.verdicts
    if removal is not None and removal.duplicates is not None:
        lists["removal_effect", "duplicates"] = removal.duplicates
    return lists


SECTION = Section(
    kind="integrity",
    title=mark("Benchmark integrity"),
    question=mark(
        "Are partitions, labels, evaluator and pipeline what the benchmark number claims?"
    ),
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
