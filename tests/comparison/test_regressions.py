"""What got worse, and what the newer dossier's findings say of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.comparison import CODES, FigureChange, comparison_findings, matched, no_base
from reportgen.comparison.changes import figure_changes
from reportgen.comparison.outcome import MOST
from reportgen.comparison.regressions import is_regression, regressions
from reportgen.result import Estimate
from tests.support.comparison import sample

SAMPLE = sample()
Z = float(norm.isf(0.025))
NORMAL = norm.ppf((np.arange(400) + 0.5) / 400)


def a_figure(at: int, p: float, *, change: str = "worse") -> FigureChange:
    fresh = SAMPLE.figures[1]
    return replace(fresh, keys={**fresh.keys, "group": str(at)}, of=f"group {at}", p_adjusted=p,
                   change=change)  # type: ignore[arg-type]  # fmt: skip


def test_the_sample_lists_what_the_rule_finds() -> None:
    made = list(regressions(SAMPLE.decision, SAMPLE.findings, SAMPLE.figures))
    assert [(one.kind, one.section) for one in made] == [
        (one.kind, one.section) for one in SAMPLE.regressions
    ]
    assert made[3].statement == (
        "Sensitivity, logistic, sex F, threshold 0.5: 0.81 before, 0.62 now; "
        "difference −0.19 (−0.27 to −0.11), paired."
    )


def test_a_figure_counts_only_after_all_were_taken_into_account() -> None:
    assert is_regression(a_figure(1, 0.05))
    assert not is_regression(a_figure(1, 0.0501))
    assert not is_regression(a_figure(1, 0.001, change="better"))
    assert not is_regression(a_figure(1, 0.001, change="changed"))
    assert not is_regression(replace(a_figure(1, 0.0), p_adjusted=None))


def test_findings_name_the_group_and_figure_and_count_the_rest() -> None:
    figures = tuple(a_figure(at, 0.001 * (at + 1)) for at in range(MOST + 2))
    found = comparison_findings(replace(SAMPLE, figures=figures))
    (told,) = (one for one in found if one.code == "CMP-003")
    assert told.severity == "warn"
    assert told.title == "frame: 7 figures are worse"
    assert "Compared with diabetes-progression 2.1.0, revision 1 of 2026-05-30." in told.statement
    assert "Sensitivity, group 0: 0.81 before, 0.62 now" in told.statement
    assert told.statement.endswith("2 more are in the comparison.")
    assert list(told.evidence) == [f"sensitivity, group {at}" for at in range(MOST)]


def test_regressions_warn_and_never_fail_and_their_codes_are_documented() -> None:
    known = {code.code: code.severities for code in CODES}
    everything = comparison_findings(SAMPLE)
    assert {one.code for one in everything} == {"CMP-001", "CMP-002", "CMP-003", "CMP-004"}
    calm = replace(
        SAMPLE,
        decision=replace(SAMPLE.decision, new="conditional", change="same"),
        findings=(),
        figures=SAMPLE.figures[:1],
        regressions=(),
        pairing=(),
    )
    nothing = comparison_findings(calm)
    assert [(one.code, one.severity) for one in nothing] == [("CMP-005", "note")]
    assert "nothing is shown to be worse" in nothing[0].statement
    for one in (*everything, *nothing, no_base()):
        assert one.severity in known[one.code]
        assert one.severity != "fail"
        assert one.limits


def test_of_many_unchanged_figures_few_are_regressions() -> None:
    """Benjamini-Hochberg: with nothing changed, one in twenty comparisons has a regression."""
    rows = [{"metric": "npv", "prevalence": (at + 1) / 1000, "threshold": 0.3} for at in range(400)]

    def section(shift: float) -> dict[str, Any]:
        made = []
        for at, row in enumerate(rows):
            # Of 400 differences spread as chance spreads them, 20 intervals exclude no change.
            value = 0.5 + shift * NORMAL[at]
            made.append({**row, "value": {"estimate": value, "low": value - 0.02 * Z,
                         "high": value + 0.02 * Z, "confidence": 0.95, "method": "m"}})  # fmt: skip
        return {"id": "p", "kind": "prevalence", "parameters": {"score": "s"},
                "result": {"score": "s", "rows": made}}  # fmt: skip

    changes = figure_changes(matched([section(0.0)], [section(0.02 * 2**0.5)]), {})
    worse = [one for one in changes if one.change == "worse"]
    assert len(worse) == 10  # 2.5 % of 400
    assert not any(map(is_regression, changes))


def test_figures_under_declared_moves_drift() -> None:
    def robust(found: float, radius: float) -> dict[str, Any]:
        interval = {"low": 0.0, "high": 0.3, "confidence": 0.95, "method": "m"}
        row = {
            "metric": "equalized_odds",
            "rung": "record",
            "base": {"estimate": 0.1, **interval},
            "found": {"estimate": found, **interval},
            "certified": {"estimate": None, "reason": "the node budget was spent"},
            "critical_safe": radius,
            "critical_reason": "",
        }
        return {
            "id": "r",
            "kind": "robust",
            "parameters": {"score": "s"},
            "result": {"score": "s", "sensitive": "sex", "threshold": 0.5, "gaps": [row]},
        }

    changes = {
        one.metric: one
        for one in figure_changes(matched([robust(0.15, 2.0)], [robust(0.2, 0.5)]), {})
    }
    assert changes["equalized_odds_found"].difference.estimate == pytest.approx(0.05)
    assert changes["equalized_odds_found"].change == "not shown"
    radius = changes["equalized_odds_critical_radius"]
    assert (radius.change, radius.better) == ("changed", "higher")
    assert radius.old == Estimate(2.0, reason="it is given without an interval")
    assert changes["equalized_odds_certified"].change == "same"  # it has no value in either
    assert changes["equalized_odds_found"].of == "s, sex, rung record, threshold 0.5"
