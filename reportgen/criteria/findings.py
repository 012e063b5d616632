"""What the criteria say, as findings that enter the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen import wording
from reportgen.criteria.verdicts import Judged, Verdict
from reportgen.result import Estimate, Finding, Severity
from reportgen.section import Code

SECTION = "criteria"
"""Where findings about criteria stand; no section of a manifest may be called so."""

CODES: tuple[Code, ...] = (
    Code(
        "CRI-001",
        ("pass", "note"),
        "Met: the figure keeps its bound, with the whole of its interval unless the manifest "
        "bounds the estimate. A note where no plan is pinned by its digest: what was not fixed "
        "before the run cannot confirm.",
    ),
    Code(
        "CRI-002",
        ("fail",),
        "Not met: the figure breaks its bound, with the whole of its interval unless the manifest "
        "bounds the estimate. A fail whether or not a plan is pinned.",
    ),
    Code(
        "CRI-003",
        ("warn",),
        "Undecided: the bound lies inside the interval, so that the data allow both; or the figure "
        "is itself only a bound (a certified worst case, a count that may be too low) that cannot "
        "show this one to be kept or broken.",
    ),
    Code(
        "CRI-004",
        ("fail", "warn"),
        "Not assessable: there is no such figure, it is not estimable, it has no interval, or the "
        "criterion names several. A fail, for a stated requirement is not shown to be met; a "
        "warning where the section was left out of the run.",
    ),
)
CODE_OF: Mapping[Verdict, str] = {
    "pass": "CRI-001",
    "fail": "CRI-002",
    "undecided": "CRI-003",
    "not assessable": "CRI-004",
}
TITLES: Mapping[Verdict, str] = {
    "pass": "criterion met",
    "fail": "criterion not met",
    "undecided": "criterion undecided",
    "not assessable": "criterion not assessable",
}
NAMES: Mapping[str, str] = {
    "auc": "AUC",
    "auc_gap": "AUC gap",
    "npv": "negative predictive value",
    "f1": "F1",
    "mcc": "MCC",
    "mae": "mean absolute error",
    "r2": "R²",
    "map50": "mAP@.5",
    "map75": "mAP@.75",
    "map50_95": "mAP@.5:.95",
    "ap50": "AP@.5",
    "ap50_95": "AP@.5:.95",
    "map50_change": "mAP@.5 change",
    "map50_95_change": "mAP@.5:.95 change",
}
PRE_SPECIFIED = (
    "The plan is pinned by its digest; whether it states this bound is for the reader to check. "
)
EXPLORATORY = (
    "No plan is pinned by its digest: that the bound was fixed before the run is not shown. "
)
ONE_AT_A_TIME = "Each criterion stands alone: intervals are not widened for their number."


def criteria_findings(rows: Sequence[Judged]) -> list[Finding]:
    """Return one finding a criterion, in the same order."""
    return [_finding(row) for row in rows]


def _finding(row: Judged) -> Finding:
    return Finding(
        CODE_OF[row.verdict],
        severity(row),
        f"{figure_named(row)}: {TITLES[row.verdict]}",
        _statement(row),
        _evidence(row),
        (PRE_SPECIFIED if row.status == "pre-specified" else EXPLORATORY) + ONE_AT_A_TIME,
        _summary(row),
    )


def severity(row: Judged) -> Severity:
    """Return what a verdict weighs in the decision."""
    if row.verdict == "pass":
        return "pass" if row.status == "pre-specified" else "note"
    if row.verdict == "undecided" or row.left_out:
        return "warn"
    return "fail"


def figure_named(row: Judged) -> str:
    """Return a figure in words: "sensitivity, logistic, sex 2, threshold 0.3"."""
    told = dict(row.selectors)
    parts = [_metric_named(row.metric)]
    attribute, group = told.pop("attribute", None), told.pop("group", None)
    if "score" in told:
        parts.append(str(told.pop("score")))
    if attribute is not None or group is not None:
        parts.append(" ".join(str(one) for one in (attribute, group) if one is not None))
    for name, value in told.items():
        written = wording.typed(value) if isinstance(value, float) else str(value)
        parts.append(f"{name.replace('_', ' ')} {written}")
    return ", ".join(parts)


def _metric_named(metric: str) -> str:
    if metric.endswith("_worst"):
        stem = metric.removesuffix("_worst").replace("_", " ")
        return f"worst {stem}" + ("" if stem.endswith("ratio") else " gap")
    return NAMES.get(metric, metric.replace("_", " "))


def bound_named(row: Judged) -> str:
    """Return the requirement in words: "at least 0.8"."""
    return f"{row.direction} {wording.typed(row.bound)}"


def value_named(row: Judged) -> str:
    """Return a figure with its interval, with so many digits that its side of the bound shows."""
    value = row.value
    if not isinstance(value, Mapping):
        return "no figure" if value is None else _beside(value, row.bound, 0)
    if value["estimate"] is None:
        return f"not estimable ({value['reason']})"
    if value["low"] is None or value["high"] is None:
        return f"{_beside(value['estimate'], row.bound, 0)} (no interval: {value['reason']})"
    least = wording.shown_decimals(value["low"], value["high"]) or 0
    shown = [_beside(value[key], row.bound, least) for key in ("estimate", "low", "high")]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"


def _beside(value: float, bound: float, least: int) -> str:
    """Return a number written so that it lies on its own side of the bound."""
    if not least:
        text = wording.number(value)
        least = len(text.partition(".")[2]) if "e" not in text else wording.MOST_DECIMALS
    for decimals in range(least, wording.MOST_DECIMALS + 1):
        rounded = round(value, decimals)
        if (rounded < bound) == (value < bound) and (rounded > bound) == (value > bound):
            return wording.fixed(value, decimals)
    return wording.fixed(value, wording.MOST_DECIMALS)


def _summary(row: Judged) -> str:
    if row.verdict == "not assessable":
        return f"Required {bound_named(row)}: {row.reason}."
    on = " (on the estimate)" if row.bound_on == "estimate" else ""
    return f"{value_named(row)}; required {bound_named(row)}{on}."


def _statement(row: Judged) -> str:
    required = f"{_capital(figure_named(row))}: {bound_named(row)} is required"
    required += " of the estimate" if row.bound_on == "estimate" else " of the whole interval"
    source = f" ({row.source})" if row.source else ""
    if row.verdict == "not assessable":
        return f"{required}{source}. It is not assessable: {row.reason}."
    method = row.value.get("method") if isinstance(row.value, Mapping) else None
    how = f"; {method}" if method else ""
    ends = {
        "pass": "The bound is kept",
        "fail": "The bound is broken",
        "undecided": f"That decides nothing: {row.reason}",
    }
    return f"{required}{source}; found is {value_named(row)}{how}. {ends[row.verdict]}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text[1:2].islower() else text


def _evidence(row: Judged) -> dict[str, float | str | Estimate]:
    found: dict[str, float | str | Estimate] = {"bound": row.bound, "status": row.status}
    if isinstance(row.value, Mapping):
        keys = ("estimate", "low", "high", "confidence", "method", "reason")
        found["figure"] = Estimate(**{key: row.value.get(key) for key in keys})
    elif isinstance(row.value, int | float):
        found["figure"] = float(row.value)
    return found
