"""Which side of a figure is the better one: the one table of it.

What is in no list has no better side: a prevalence, a selection rate, a slope of calibration. A
figure that is larger or smaller says nothing of the model there, or its best value lies between.
"""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.comparison.shape import Better, Scale

BETTER_DEFAULT = "better of treat all and treat none"
"""What a gain is against; asked of the section, it would load that section's statistics."""
HIGHER = frozenset(
    {
        "accuracy",
        "ap50",
        "ap50_95",
        "auc",
        "balanced_accuracy",
        "critical_radius",
        "demographic_parity_ratio",
        "diagnostic_odds_ratio",
        "equal_opportunity_ratio",
        "equalized_odds_ratio",
        "f1",
        "gain_over_zero",
        "image_sensitivity",
        "instance_sensitivity",
        "kappa",
        "label_agreement",
        "lift",
        "map50",
        "map50_95",
        "map75",
        "mcc",
        "net_benefit",
        "net_benefit_gain",
        "npv",
        "pipeline_specificity",
        "positive_likelihood_ratio",
        "precision",
        "r2",
        "sensitivity",
        "specificity",
        "youden",
    }
)
LOWER = frozenset(
    {
        "brier",
        "calibration_intercept",
        "demographic_parity",
        "demographic_parity_overall",
        "equal_opportunity",
        "equalized_odds",
        "equalized_odds_mean",
        "leaked_share",
        "mae",
        "near_duplicate_share",
        "negative_likelihood_ratio",
        "out_of_domain_accepted",
        "wrong_name_share",
    }
)
SIGNED = frozenset({"calibration_intercept"})
"""Best at 0, with values on both sides of it."""
RATIOS = frozenset(
    {
        "demographic_parity_ratio",
        "diagnostic_odds_ratio",
        "equal_opportunity_ratio",
        "equalized_odds_ratio",
        "lift",
        "negative_likelihood_ratio",
        "positive_likelihood_ratio",
    }
)
"""Compared as new over old, on the log scale."""
GAP = "_gap"
GAIN = "net_benefit_gain"
WORST = ("_found", "_certified")
RADIUS = "_critical_radius"
OF_THE_DATA = frozenset({"prevalence_gap"})
"""Gaps of what the model did not make."""
WITHOUT_THRESHOLD = frozenset(
    {"auc", "brier", "calibration_intercept", "calibration_slope", "coverage", "coverage_deficit"}
    | {"domain_auc", "prevalence"}
)
"""Figures of a section with a threshold that do not depend on it."""


def _stem(metric: str) -> str:
    """Return the figure of which a worst case was found or certified."""
    for end in WORST:
        metric = metric.removesuffix(end)
    return metric


def better(metric: str, keys: Mapping[str, object] | None = None) -> Better | None:
    """Return which side of a figure is the better one; None where neither is.

    Of a gap between two groups and of other figures that are best at 0, *lower* is of the size. The
    gain of one model over another has no better side: either of the two may have changed.

    Parameters
    ----------
    metric : str
    keys : mapping, optional
        What else tells the figure, as its row holds it.
    """
    stem = _stem(metric)
    if stem == GAIN and (keys or {}).get("against") != BETTER_DEFAULT:
        return None
    if stem.endswith(RADIUS):
        return "higher"
    if stem.endswith(GAP):
        return None if stem in OF_THE_DATA else "lower"
    if stem in HIGHER:
        return "higher"
    return "lower" if stem in LOWER else None


def has_threshold(metric: str) -> bool:
    """Return whether a figure depends on the threshold of its section."""
    return metric.removesuffix(GAP) not in WITHOUT_THRESHOLD


def scale(metric: str) -> Scale:
    """Return how two values of a figure are set against each other."""
    stem = _stem(metric)
    if stem.endswith(GAP) or stem in SIGNED:
        return "size"
    return "ratio" if stem in RATIOS else "difference"
