"""A published test, and what prevalence sections give, for their tests."""

from __future__ import annotations

from typing import Any

from reportgen.result import Outcome
from reportgen.sections.prevalence import PrevalenceResult

PUBLISHED: dict[str, Any] = {
    "kind": "prevalence",
    "sensitivity": {"k": 31, "n": 34},
    "specificity": {"k": 32, "n": 44},
    "prevalences": [0.07],
}


def result_of(outcome: Outcome) -> PrevalenceResult:
    assert isinstance(outcome.result, PrevalenceResult)
    return outcome.result


def codes(outcome: Outcome) -> list[str]:
    return [finding.code for finding in outcome.findings]
