"""Names, verdicts and next steps as the pages of a FRAME section write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportgen import wording
from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.chart_data import text_width
from reportgen.render.row_chart import LABEL_WIDTH
from reportgen.render.view import Plain

OVERALL, ALL = "overall", "all"
BETWEEN = " × "
"""Between the parts of an intersection."""
BLANK = (mark("missing"), mark("missing (no value)"))
"""Names of the rows without a value."""
NOT_ESTIMABLE = mark("not estimable")
NO_GAP = mark("no gap beyond margin")
NOT_EXCLUDED = mark("sampling variation not excluded")
BELOW_MARGIN = mark("gap shown, below margin")
WITH_EVIDENCE = mark("gap shown, with representational evidence")
WITHOUT_EVIDENCE = mark("gap shown, without representational evidence")
NOT_ASSESSED = mark("gap shown, evidence not assessed")
SHOWN = (BELOW_MARGIN, WITH_EVIDENCE, WITHOUT_EVIDENCE, NOT_ASSESSED)
BEYOND = (WITH_EVIDENCE, WITHOUT_EVIDENCE, NOT_ASSESSED)
VERDICTS = (NOT_ESTIMABLE, NO_GAP, NOT_EXCLUDED, *SHOWN)

LABELS: Mapping[str, str] = {
    "auc": mark("AUC"),
    "sensitivity": mark("Sensitivity"),
    "specificity": mark("Specificity"),
    "balanced_accuracy": mark("Balanced accuracy"),
    "precision": mark("Precision"),
    "npv": mark("NPV"),
    "selection_rate": mark("Selection rate"),
    "false_positive_rate": mark("False positive rate"),
    "prevalence": mark("Prevalence"),
    "brier": mark("Brier score"),
    "calibration_intercept": mark("Calibration intercept"),
    "calibration_slope": mark("Calibration slope"),
    "demographic_parity": mark("Demographic parity, difference"),
    "demographic_parity_ratio": mark("Demographic parity, ratio"),
    "equalized_odds": mark("Equalized odds, difference"),
    "equalized_odds_ratio": mark("Equalized odds, ratio"),
    "equal_opportunity": mark("Equal opportunity, difference"),
    "equal_opportunity_ratio": mark("Equal opportunity, ratio"),
}

WITHIN: Mapping[str, str] = {
    "auc": mark("AUC"),
    "sensitivity": mark("sensitivity"),
    "specificity": mark("specificity"),
    "balanced_accuracy": mark("balanced accuracy"),
    "precision": mark("precision"),
    "npv": mark("NPV"),
    "selection_rate": mark("selection rate"),
    "false_positive_rate": mark("false positive rate"),
}
"""The metrics that may be primary, as within a sentence."""
CODES = (mark("npv"),)
"""Names of metrics that the template shows as results.json has them, beside those of WITHIN."""

SAYS: Mapping[str, str] = {
    NOT_ESTIMABLE: (
        mark(
            "Too few units of one class stand behind the group or its reference. "
            "Nothing is said for or against a gap."
        )
    ),
    NO_GAP: (
        mark(
            "No difference is shown, and the data are enough to say that one as large "
            "as the margin is unlikely here."
        )
    ),
    NOT_EXCLUDED: (
        mark(
            "Chance alone can explain what is seen, but a gap beyond the margin cannot "
            "be ruled out. This is an open question, not a pass."
        )
    ),
    BELOW_MARGIN: mark("A difference beyond chance is shown, and it is smaller than the margin."),
    WITH_EVIDENCE: (
        mark(
            "A difference beyond chance is shown. The group lies farther from its "
            "reference, and its images that lie farther away fare worse than their "
            "scores explain: consistent with a representational cause."
        )
    ),
    WITHOUT_EVIDENCE: (
        mark(
            "A difference beyond chance is shown. That the group's place in the "
            "feature space has to do with it is not shown, which is no evidence that "
            "it has not."
        )
    ),
    NOT_ASSESSED: (
        mark(
            "A difference beyond chance is shown. Without features, or with too few "
            "units, whether a representational cause fits was not assessed."
        )
    ),
}

NEXT: Mapping[str, str] = {
    NOT_ESTIMABLE: (
        mark(
            "Collect units of the group until {minimum}, or take the group out of the "
            "intended use in writing."
        )
    ),
    NO_GAP: (
        mark(
            "Nothing for this gap. Repeat the audit at the next version, and where the "
            "population changes."
        )
    ),
    NOT_EXCLUDED: (
        mark(
            "Name an owner, a plan and a date, and collect the units that the table of "
            "detectable gaps asks for. Until then release only under that condition."
        )
    ),
    BELOW_MARGIN: mark("Record the gap and follow it in use. Confirm that the margin still holds."),
    WITH_EVIDENCE: (
        mark(
            "Look at the regions with more errors; collect or weight training data of "
            "the group there, train anew, and audit the new version on units that were "
            "not used for it. Keep the alternatives open until then."
        )
    ),
    WITHOUT_EVIDENCE: mark(
        "Look for other causes first: have a sample of labels read again, blind to the group; "
        "compare prevalence, severity and case mix; look at calibration and the threshold by "
        "group; ask how images or values were acquired."
    ),
    NOT_ASSESSED: mark(
        "Supply features (such as an embedding) and run the audit again. Meanwhile have a sample "
        "of labels read again, blind to the group; compare prevalence, severity and case mix; look "
        "at calibration and the threshold by group; ask how images or values were acquired."
    ),
}


def label(metric: str) -> str:
    """Return the name of a metric as printed."""
    return _(LABELS[metric]) if metric in LABELS else metric.replace("_", " ").capitalize()


def label_within(metric: str) -> str:
    """Return the name of a metric that may be primary, as within a sentence."""
    return _(WITHIN[metric]) if metric in WITHIN else label(metric).lower()


def next_step(result: Plain, verdict: str) -> str:
    """Return what to do after a verdict."""
    minimum = _("{positive} have a positive and {negative} a negative row").format(
        positive=result["minimum_positive_units"], negative=result["minimum_negative_units"]
    )
    return _(NEXT[verdict]).format(minimum=minimum)


def group_name(row: Plain) -> str:
    """Return "sex: F", or "all rows" for the whole table."""
    if row["attribute"] == OVERALL:
        return _("all rows")
    return wording.named(row["attribute"], level_shown(row["group"]))


def comparison(row: Plain) -> str:
    """Return "sex: M against F"."""
    return _("{attribute}: {group} against {reference}").format(**_sides(row))


def label_of(row: Plain) -> str:
    """Return a comparison in one line of a chart's label, or in two if it is long."""
    name = comparison(row)
    if text_width(name) <= LABEL_WIDTH:
        return name
    return _("{attribute}: {group}\nagainst {reference}").format(**_sides(row))


def _sides(row: Plain) -> dict[str, str]:
    return {
        "attribute": row["attribute"],
        "group": level_shown(row["group"]),
        "reference": level_shown(row["reference"]),
    }


def level_shown(group: str) -> str:
    """Return a group as it is shown: the rows without a value in words, user text as it is."""
    parts = group.split(BETWEEN)
    if not any(part in BLANK for part in parts):
        return group
    return BETWEEN.join(_(part) if part in BLANK else part for part in parts)


def margin(result: Plain) -> str:
    """Return the margin as typed: "±0.05"."""
    return f"±{numbers.threshold(result['margin'])}"


def level(result: Plain) -> str:
    """Return the coverage of the interval of two one-sided tests: "90 %"."""
    return f"{100 * (1 - 2 * result['alpha']):g}{wording.per_cent()}"


def basis(result: Plain) -> str:
    """Return what every figure rests on: rows, units, resamples."""
    text = _("n = {rows} rows, {positive} of the rows positive.")
    if result["n_units"] != result["n_rows"]:
        text = _("n = {rows} rows of {units} units, {positive} of the rows positive.")
    rows, units, positive = (
        numbers.count(result[key]) for key in ("n_rows", "n_units", "n_positive")
    )
    return text.format(rows=rows, units=units, positive=positive)


def draws(result: Plain) -> str:
    """Return how many draws there are, and of what: "2,000 joint draws of units"."""
    text = _("{n} joint draws of units")
    if result["resampled"] == "rows":
        text = _("{n} joint draws of rows")
    return text.format(n=numbers.count(result["resamples"]))


def sizes(row: Plain) -> str:
    """Return how much stands behind a group: "1,234 units, 310 positive"."""
    units, positive = (numbers.count(row[key]) for key in ("n_units", "n_positive_units"))
    return _("{units} units, {positive} positive").format(units=units, positive=positive)


def p_value(p: float | None) -> str:
    """Return a p value with three decimals: "0.011", "<0.001"."""
    if p is None:
        return numbers.NOTHING
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def interval_methods(estimates: Iterable[Plain | None]) -> str:
    """Return by which methods the intervals of estimates were made; empty if none has one."""
    made = (one["method"] for one in estimates if one and one.get("low") is not None)
    methods = list(dict.fromkeys(made))
    return _("Intervals. {methods}.").format(methods=wording.clauses(methods)) if methods else ""
