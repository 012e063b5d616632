"""Names of figures and thresholds as the pages of a prevalence section write them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.render import numbers
from reportgen.render.view import Plain

LABELS: Mapping[str, str] = {
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "false_positive_rate": "False positive rate",
    "false_negative_rate": "False negative rate",
    "auc": "Area under the ROC curve",
    "balanced_accuracy": "Balanced accuracy",
    "youden": "Youden's index",
    "positive_likelihood_ratio": "Positive likelihood ratio",
    "negative_likelihood_ratio": "Negative likelihood ratio",
    "diagnostic_odds_ratio": "Diagnostic odds ratio",
    "precision": "Precision (positive predictive value)",
    "npv": "Negative predictive value",
    "accuracy": "Accuracy",
    "f1": "F1",
    "mcc": "Matthews correlation coefficient",
    "kappa": "Cohen's kappa",
    "lift": "Lift",
    "average_precision": "Average precision",
    "brier": "Brier score",
    "log_loss": "Log loss",
    "calibration": "Calibration",
    "net_benefit": "Net benefit",
    "selection_rate": "Share flagged",
    "flagged_per_1000": "Flagged per 1,000",
    "true_positives_per_1000": "Rightly flagged per 1,000",
    "missed_per_1000": "Missed per 1,000",
    "false_alarms_per_1000": "Wrongly flagged per 1,000",
}


def label(metric: str) -> str:
    """Return the name of a figure as printed."""
    return LABELS.get(metric, metric.replace("_", " ").capitalize())


def share(prevalence: float) -> str:
    """Return a stated prevalence as it was meant: "10 %", "0.1 %"."""
    return numbers.threshold(float(f"{100 * prevalence:.6g}")) + numbers.PER_CENT


def at_threshold(threshold: float | None) -> str:
    """Return "threshold 0.3", or "as published" where none was stated."""
    if threshold is None:
        return "as published"
    return f"threshold {numbers.threshold(threshold)}"


def metric_rows(result: Plain, metric: str, threshold: float | None) -> list[Plain]:
    """Return the rows of one figure at one threshold, by prevalence as stated."""
    return [
        row for row in result["rows"] if row["metric"] == metric and row["threshold"] == threshold
    ]
