"""Figures and what narrows them down, as findings on criteria name them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.language import _, mark

NAMES: Mapping[str, str] = {
    "auc": mark("AUC"),
    "auc_gap": mark("AUC gap"),
    "npv": mark("negative predictive value"),
    "f1": mark("F1"),
    "mcc": mark("MCC"),
    "mae": mark("mean absolute error"),
    "r2": mark("R²"),
    "map50": mark("mAP@.5"),
    "map75": mark("mAP@.75"),
    "map50_95": mark("mAP@.5:.95"),
    "ap50": mark("AP@.5"),
    "ap50_95": mark("AP@.5:.95"),
    "map50_change": mark("mAP@.5 change"),
    "map50_95_change": mark("mAP@.5:.95 change"),
}
WORDS = (
    *(mark("sensitivity"), mark("specificity"), mark("balanced accuracy"), mark("precision")),
    *(mark("selection rate"), mark("false positive rate"), mark("brier"), mark("prevalence")),
    *(mark("calibration intercept"), mark("calibration slope"), mark("npv"), mark("auc")),
    *(mark("accuracy"), mark("kappa"), mark("lift"), mark("youden")),
    *(mark("positive likelihood ratio"), mark("negative likelihood ratio")),
    *(mark("diagnostic odds ratio"), mark("flagged per 1000"), mark("false alarms per 1000")),
    *(mark("true positives per 1000"), mark("missed per 1000")),
    *(mark("demographic parity"), mark("equalized odds"), mark("equal opportunity")),
    *(mark("demographic parity ratio"), mark("equalized odds ratio")),
    *(mark("equal opportunity ratio"), mark("demographic parity overall")),
    *(mark("equalized odds mean"), mark("critical radius")),
    *(mark("net benefit"), mark("standardised net benefit"), mark("net benefit untreated")),
    *(mark("interventions avoided per 100"), mark("net benefit gain"), mark("recall change")),
    *(mark("gain over zero"), mark("near duplicate share"), mark("leaked share")),
    *(mark("label agreement"), mark("image sensitivity"), mark("instance sensitivity")),
    *(mark("pipeline specificity"), mark("out of domain accepted")),
)
"""Other figures, by their name in the catalogue with blanks."""
SELECTORS = (
    *(mark("section"), mark("score"), mark("attribute"), mark("group"), mark("against")),
    *(mark("threshold"), mark("prevalence"), mark("probabilities"), mark("class")),
    *(mark("convention"), mark("split"), mark("twin split"), mark("twin_split")),
    *(mark("detector"), mark("by"), mark("head")),
)
"""What narrows a figure down."""


def metric_named(metric: str) -> str:
    """Return the name of a figure in words: "sensitivity", "worst demographic parity gap"."""
    if metric.endswith("_worst"):
        stem = metric.removesuffix("_worst").replace("_", " ")
        worst = _("worst {figure}") if stem.endswith("ratio") else _("worst {figure} gap")
        return worst.format(figure=_(stem))
    if metric.endswith("_gap") and metric not in NAMES:
        stem = metric.removesuffix("_gap").replace("_", " ")
        return _("{figure} gap").format(figure=_(stem))
    words = NAMES.get(metric, metric.replace("_", " "))
    return _(words)


def narrowed(name: str, value: object) -> str:
    """Return what narrows a figure down with its value: "threshold 0.3"."""
    return _("{name} {value}").format(name=_(name), value=value)
