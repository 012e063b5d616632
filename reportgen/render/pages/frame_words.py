"""Names, verdicts and next steps as the pages of a FRAME section write them."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.render import numbers
from reportgen.render.chart_data import text_width
from reportgen.render.row_chart import LABEL_WIDTH
from reportgen.render.view import Plain

OVERALL, ALL = "overall", "all"
NOT_ESTIMABLE = "not estimable"
NO_GAP = "no gap beyond margin"
NOT_EXCLUDED = "sampling variation not excluded"
BELOW_MARGIN = "gap shown, below margin"
WITH_EVIDENCE = "gap shown, with representational evidence"
WITHOUT_EVIDENCE = "gap shown, without representational evidence"
NOT_ASSESSED = "gap shown, evidence not assessed"
SHOWN = (BELOW_MARGIN, WITH_EVIDENCE, WITHOUT_EVIDENCE, NOT_ASSESSED)
BEYOND = (WITH_EVIDENCE, WITHOUT_EVIDENCE, NOT_ASSESSED)
VERDICTS = (NOT_ESTIMABLE, NO_GAP, NOT_EXCLUDED, *SHOWN)

LABELS: Mapping[str, str] = {
    "auc": "AUC",
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "balanced_accuracy": "Balanced accuracy",
    "precision": "Precision",
    "npv": "NPV",
    "selection_rate": "Selection rate",
    "false_positive_rate": "False positive rate",
    "prevalence": "Prevalence",
    "brier": "Brier score",
    "calibration_intercept": "Calibration intercept",
    "calibration_slope": "Calibration slope",
    "demographic_parity": "Demographic parity, difference",
    "demographic_parity_ratio": "Demographic parity, ratio",
    "equalized_odds": "Equalized odds, difference",
    "equalized_odds_ratio": "Equalized odds, ratio",
    "equal_opportunity": "Equal opportunity, difference",
    "equal_opportunity_ratio": "Equal opportunity, ratio",
}

SAYS: Mapping[str, str] = {
    NOT_ESTIMABLE: (
        "Too few units of one class stand behind the group or its reference. Nothing is said for "
        "or against a gap."
    ),
    NO_GAP: (
        "No difference is shown, and the data are enough to say that one as large as the margin "
        "is unlikely here."
    ),
    NOT_EXCLUDED: (
        "Chance alone can explain what is seen, but a gap beyond the margin cannot be ruled out. "
        "This is an open question, not a pass."
    ),
    BELOW_MARGIN: "A difference beyond chance is shown, and it is smaller than the margin.",
    WITH_EVIDENCE: (
        "A difference beyond chance is shown. The group lies farther from its reference, and its "
        "images that lie farther away fare worse than their scores explain: consistent with a "
        "representational cause."
    ),
    WITHOUT_EVIDENCE: (
        "A difference beyond chance is shown. That the group's place in the feature space has to "
        "do with it is not shown, which is no evidence that it has not."
    ),
    NOT_ASSESSED: (
        "A difference beyond chance is shown. Without features, or with too few units, whether a "
        "representational cause fits was not assessed."
    ),
}

_CHECKS = (
    "have a sample of labels read again, blind to the group; compare prevalence, severity and "
    "case mix; look at calibration and the threshold by group; ask how images or values were "
    "acquired"
)
NEXT: Mapping[str, str] = {
    NOT_ESTIMABLE: (
        "Collect units of the group until {minimum}, or take the group out of the intended use "
        "in writing."
    ),
    NO_GAP: (
        "Nothing for this gap. Repeat the audit at the next version, and where the population "
        "changes."
    ),
    NOT_EXCLUDED: (
        "Name an owner, a plan and a date, and collect the units that the table of detectable "
        "gaps asks for. Until then release only under that condition."
    ),
    BELOW_MARGIN: "Record the gap and follow it in use. Confirm that the margin still holds.",
    WITH_EVIDENCE: (
        "Look at the regions with more errors; collect or weight training data of the group "
        "there, train anew, and audit the new version on units that were not used for it. Keep "
        "the alternatives open until then."
    ),
    WITHOUT_EVIDENCE: f"Look for other causes first: {_CHECKS}.",
    NOT_ASSESSED: (
        f"Supply features (such as an embedding) and run the audit again. Meanwhile {_CHECKS}."
    ),
}


def label(metric: str) -> str:
    """Return the name of a metric as printed."""
    return LABELS.get(metric, metric.replace("_", " ").capitalize())


def next_step(result: Plain, verdict: str) -> str:
    """Return what to do after a verdict."""
    minimum = (
        f"{result['minimum_positive_units']} have a positive and "
        f"{result['minimum_negative_units']} a negative row"
    )
    return NEXT[verdict].format(minimum=minimum)


def group_name(row: Plain) -> str:
    """Return "sex: F", or "all rows" for the whole table."""
    if row["attribute"] == OVERALL:
        return "all rows"
    return f"{row['attribute']}: {row['group']}"


def comparison(row: Plain) -> str:
    """Return "sex: M against F"."""
    return f"{row['attribute']}: {row['group']} against {row['reference']}"


def label_of(row: Plain) -> str:
    """Return a comparison in one line of a chart's label, or in two if it is long."""
    name = comparison(row)
    if text_width(name) <= LABEL_WIDTH:
        return name
    return f"{row['attribute']}: {row['group']}\nagainst {row['reference']}"


def margin(result: Plain) -> str:
    """Return the margin as typed: "±0.05"."""
    return f"±{numbers.threshold(result['margin'])}"


def level(result: Plain) -> str:
    """Return the coverage of the interval of two one-sided tests: "90 %"."""
    return f"{100 * (1 - 2 * result['alpha']):g}{numbers.PER_CENT}"


def basis(result: Plain) -> str:
    """Return what every figure rests on: rows, units, resamples."""
    rows = f"n = {numbers.count(result['n_rows'])} rows"
    if result["n_units"] != result["n_rows"]:
        rows += f" of {numbers.count(result['n_units'])} units"
    return f"{rows}, {numbers.count(result['n_positive'])} of the rows positive."


def sizes(row: Plain) -> str:
    """Return how much stands behind a group: "1,234 units, 310 positive"."""
    units, positive = (numbers.count(row[key]) for key in ("n_units", "n_positive_units"))
    return f"{units} units, {positive} positive"


def p_value(p: float | None) -> str:
    """Return a p value with three decimals: "0.011", "<0.001"."""
    if p is None:
        return numbers.NOTHING
    return "<0.001" if p < 0.001 else f"{p:.3f}"
