"""Which side of a figure is the better one: every figure that is compared has been thought of."""

from __future__ import annotations

import pytest

from reportgen.comparison.direction import GAP, HIGHER, LOWER, better, has_threshold, scale
from reportgen.comparison.shape import Better, Scale
from reportgen.comparison.sources import sources
from reportgen.sections import SECTIONS

NEUTRAL = {
    *("calibration_slope", "coverage", "coverage_deficit", "domain_auc", "prevalence"),
    *("label_agreement_kappa", "misses_never_analysed", "selection_rate"),
    *("map50_change", "map50_95_change", "recall_change"),
}
"""Figures without a better side: of the data, best at a value in between, or of an experiment."""


def stem(metric: str) -> str:
    for ending in (GAP, "_found", "_certified", "_critical_radius"):
        metric = metric.removesuffix(ending) if metric != "critical_radius" else metric
    return metric


def test_every_figure_is_known_to_have_a_better_side_or_none() -> None:
    named = {stem(m) for s in SECTIONS for one in sources(s.kind) for m in one.names}
    assert not HIGHER & LOWER
    assert not (HIGHER | LOWER) & NEUTRAL
    assert named <= HIGHER | LOWER | NEUTRAL
    assert not (HIGHER | LOWER) - named


@pytest.mark.parametrize(
    ("metric", "side", "how"),
    [
        ("auc", "higher", "difference"),
        ("auc_gap", "lower", "size"),
        ("brier", "lower", "difference"),
        ("brier_gap", "lower", "size"),
        ("prevalence_gap", None, "size"),
        ("calibration_intercept", "lower", "size"),
        ("selection_rate", None, "difference"),
        ("diagnostic_odds_ratio", "higher", "ratio"),
        ("negative_likelihood_ratio", "lower", "ratio"),
        ("equalized_odds", "lower", "difference"),
        ("equalized_odds_certified", "lower", "difference"),
        ("equalized_odds_ratio_found", "higher", "ratio"),
        ("equalized_odds_critical_radius", "higher", "difference"),
        ("near_duplicate_share", "lower", "difference"),
    ],
)
def test_sides_and_scales(metric: str, side: Better | None, how: Scale) -> None:
    assert (better(metric), scale(metric)) == (side, how)


def test_a_gain_over_another_model_has_no_better_side() -> None:
    default = {"against": "better of treat all and treat none"}
    assert better("net_benefit_gain", default) == "higher"
    assert better("net_benefit_gain", {"against": "forest"}) is None


def test_what_depends_on_the_threshold() -> None:
    assert has_threshold("sensitivity_gap")
    assert not has_threshold("auc_gap")
