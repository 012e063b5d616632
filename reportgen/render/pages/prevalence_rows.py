"""Names of figures and thresholds as the pages of a prevalence section write them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen import wording
from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.view import Plain

LABELS: Mapping[str, str] = {
    "sensitivity": mark("Sensitivity"),
    "specificity": mark("Specificity"),
    "false_positive_rate": mark("False positive rate"),
    "false_negative_rate": mark("False negative rate"),
    "auc": mark("Area under the ROC curve"),
    "balanced_accuracy": mark("Balanced accuracy"),
    "youden": mark("Youden's index"),
    "positive_likelihood_ratio": mark("Positive likelihood ratio"),
    "negative_likelihood_ratio": mark("Negative likelihood ratio"),
    "diagnostic_odds_ratio": mark("Diagnostic odds ratio"),
    "precision": mark("Precision (positive predictive value)"),
    "npv": mark("Negative predictive value"),
    "accuracy": mark("Accuracy"),
    "f1": mark("F1"),
    "mcc": mark("Matthews correlation coefficient"),
    "kappa": mark("Cohen's kappa"),
    "lift": mark("Lift"),
    "average_precision": mark("Average precision"),
    "brier": mark("Brier score"),
    "log_loss": mark("Log loss"),
    "calibration": mark("Calibration"),
    "net_benefit": mark("Net benefit"),
    "selection_rate": mark("Share flagged"),
    "flagged_per_1000": mark("Flagged per 1,000"),
    "true_positives_per_1000": mark("Rightly flagged per 1,000"),
    "missed_per_1000": mark("Missed per 1,000"),
    "false_alarms_per_1000": mark("Wrongly flagged per 1,000"),
    "true_positives": mark("True positives"),
    "false_negatives": mark("False negatives"),
    "false_positives": mark("False positives"),
    "true_negatives": mark("True negatives"),
}


def label(metric: str) -> str:
    """Return the name of a figure as printed."""
    known = LABELS.get(metric)
    return metric.replace("_", " ").capitalize() if known is None else _(known)


def short_label(metric: str) -> str:
    """Return the name of a figure as printed, without the other name in brackets."""
    return _("Precision") if metric == "precision" else label(metric)


def share(prevalence: float) -> str:
    """Return a stated prevalence as it was meant: "10 %", "0.1 %"."""
    return numbers.threshold(float(f"{100 * prevalence:.6g}")) + wording.per_cent()


def at_threshold(threshold: float | None) -> str:
    """Return "threshold 0.3", or "as published" where none was stated."""
    if threshold is None:
        return _("as published")
    return _("threshold {threshold}").format(threshold=numbers.threshold(threshold))


def headed(threshold: float | None) -> str:
    """Return the same as a heading: "Threshold 0.3", "As published"."""
    if threshold is None:
        return _("As published")
    return _("Threshold {threshold}").format(threshold=numbers.threshold(threshold))


def metric_rows(result: Plain, metric: str, threshold: float | None) -> list[Plain]:
    """Return the rows of one figure at one threshold, by prevalence as stated."""
    return [
        row for row in result["rows"] if row["metric"] == metric and row["threshold"] == threshold
    ]
