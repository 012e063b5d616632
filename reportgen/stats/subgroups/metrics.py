"""All figures of one group, each with its patient-level variance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.stats.roc import area_components
from reportgen.stats.subgroups.calibration import calibration
from reportgen.stats.subgroups.estimate import GroupEstimate, missing
from reportgen.stats.subgroups.rates import mean_by_patient, mean_of_rates, rate
from reportgen.stats.subgroups.resampling import row_terms
from reportgen.stats.subgroups.study import BoolArray, FloatArray, Study

LOGIT_T = "logit t, Obuchowski variance"
FIGURES = (
    "auc",
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "ppv",
    "npv",
    "selection_rate",
    "prevalence",
    "brier",
    "calibration_intercept",
    "calibration_slope",
)
"""Names of the figures of a group, in the order of `group_figures`."""

NOT_PROBABILITY = "the scores are no probabilities"


@dataclass(frozen=True)
class GroupSize:
    """How much there is of a group.

    Attributes
    ----------
    patients, images, positives, negatives : int
        Patients; rows of either class and together.
    positive_patients, negative_patients : int
        Patients with a row of the class.
    """

    patients: int
    images: int
    positives: int
    negatives: int
    positive_patients: int
    negative_patients: int


def group_size(study: Study, level: int | None) -> GroupSize:
    """Count the rows and patients of a group; of all rows where `level` is None."""
    rows = study.rows(level)
    y, patient = study.positive[rows], study.patient[rows]
    positives = int(np.count_nonzero(y))
    return GroupSize(
        len(np.unique(patient)),
        len(rows),
        positives,
        len(rows) - positives,
        len(np.unique(patient[y])),
        len(np.unique(patient[~y])),
    )


def group_figures(
    study: Study,
    level: int | None,
    *,
    model: int = 0,
    threshold: float,
    probability: bool = True,
) -> dict[str, GroupEstimate]:
    """Return every figure of a group; one that cannot be had carries its reason.

    Parameters
    ----------
    study : Study
    level : int or None
        The group; None for all rows together.
    model : int
    threshold : float
        A row is selected where score >= threshold.
    probability : bool
        Whether the scores are probabilities; else Brier score and calibration cannot be had.

    Returns
    -------
    dict
        Keys are FIGURES, in their order.
    """
    rows = study.rows(level)
    if not len(rows):
        return {name: missing("no rows") for name in FIGURES}
    terms = row_terms(study, rows, model=model, threshold=threshold, probability=probability)
    patients, unit = np.unique(study.patient[rows], return_inverse=True)
    pos, neg, tp, fp, squared = (
        np.bincount(unit, column, minlength=len(patients)).astype(np.float64) for column in terms.T
    )
    sensitivity = rate(tp, pos, patients, empty="no positives")
    specificity = rate(neg - fp, neg, patients, empty="no negatives")
    fourth = np.bincount(unit, terms[:, 4] ** 2, minlength=len(patients)).astype(np.float64)
    fit = calibration(study.positive[rows], study.scores[model, rows], study.patient[rows])
    not_scored = missing(NOT_PROBABILITY)
    return {
        "auc": area(study, level, model=model),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "balanced_accuracy": mean_of_rates(sensitivity, specificity),
        "ppv": rate(tp, tp + fp, patients, empty="no row is selected"),
        "npv": rate(neg - fp, pos + neg - tp - fp, patients, empty="every row is selected"),
        "selection_rate": rate(tp + fp, pos + neg, patients, empty="no rows"),
        "prevalence": rate(pos, pos + neg, patients, empty="no rows"),
        "brier": mean_by_patient(squared, fourth, pos + neg, patients)
        if probability
        else not_scored,
        "calibration_intercept": fit.intercept if probability else not_scored,
        "calibration_slope": fit.slope if probability else not_scored,
    }


def area(study: Study, level: int | None, *, model: int = 0) -> GroupEstimate:
    """Return the area under the ROC curve of a group with Obuchowski's variance.

    The interval is by t on the logit scale; the degrees of freedom are Satterthwaite's, of the
    terms of positive and of negative patients. At an area of 0 or 1 it is an exact one-sided bound
    on the patients of the scarcer class.

    References
    ----------
    Obuchowski (1997), Biometrics 53:567; Pepe (2003), section 5.2 (logit scale).
    """
    rows = study.rows(level)
    y, score = study.positive[rows], study.scores[model, rows]
    for kind, chosen in (("positives", y), ("negatives", ~y)):
        if not chosen.any():
            return missing(f"no {kind}")
    patients, unit = np.unique(study.patient[rows], return_inverse=True)
    parts = area_components(y, score, unit.astype(np.intp))
    scarcer = min(parts.units_positive, parts.units_negative)
    if scarcer < 2:
        kind = "positives" if parts.units_positive < 2 else "negatives"
        reason = f"{kind} of one patient only"
        return GroupEstimate(
            parts.area, patients=patients, influence=parts.influence, reason=reason
        )
    return GroupEstimate(
        parts.area,
        parts.variance,
        _image_variance(y, score),
        (
            (parts.from_positives, parts.units_positive - 1),
            (parts.from_negatives, parts.units_negative - 1),
        ),
        patients,
        parts.influence,
        "logit",
        LOGIT_T,
        float(len(rows)),
        bound_on=scarcer,
    )


def _image_variance(y: BoolArray, score: FloatArray) -> float:
    """Return DeLong's variance: every row a patient of its own."""
    if min(np.count_nonzero(y), np.count_nonzero(~y)) < 2:
        return math.nan
    return area_components(y, score, np.arange(len(y))).variance
