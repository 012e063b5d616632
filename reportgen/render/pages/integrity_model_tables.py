"""Tables on models that may decide or count nothing: classifiers and counting heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.render import numbers
from reportgen.render.pages.integrity_words import EVERY_CLASS, methods_of, metric
from reportgen.render.pages.words import coverage, listed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Format, Plain, TableView

SPLITS_BESIDE = 3
ESTIMATED = (
    "base_rate",
    "accuracy",
    "balanced_accuracy",
    "sensitivity",
    "specificity",
    "precision",
    "f1",
    "kappa",
    "mcc",
    "auc",
)
PER_CENT = ("base_rate", "accuracy", "balanced_accuracy", "sensitivity", "specificity", "precision")
UNDEFINED = "undefined (0/0)"


def classifier(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield the decisions by split and every figure with its interval."""
    rows = found["rows"]
    if len(rows) > 1:
        yield _decisions(name, rows)
    for start in range(0, len(rows), SPLITS_BESIDE):
        part = rows[start : start + SPLITS_BESIDE]
        key = "classifier_figures" + (f"_{start // SPLITS_BESIDE + 1}" if start else "")
        yield _figures(name, key, part, coverage(result))


def _decisions(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {
            **row,
            "split": "all rows" if row["split"] == EVERY_CLASS else row["split"],
            "range": _range(row["score_min"], row["score_max"]),
            "problems_text": listed(_bare(row)) or "none",
        }
        for row in found
    ]
    return TableView(
        key="classifier",
        caption="What the classifier decides, by split.",
        columns=[
            Column("split", "Split"),
            Column("n", "Rows", "count"),
            Column("n_positive", "Positive", "count"),
            Column("n_called_positive", "Called positive", "count"),
            Column("range", "Scores, least to greatest"),
            Column("distinct_scores", "Distinct scores", "count"),
            Column("threshold", "Threshold", "threshold"),
            Column("problems_text", "Problems"),
        ],
        rows=rows,
        csv=file_name(name, "classifier", "rows"),
    )


def _bare(row: Plain) -> list[str]:
    """Return the problems of a split without its name, which heads their row."""
    where = f" on split {wording.quoted(row['split'])}"
    return [problem.removesuffix(where) for problem in row["problems"]]


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "–"
    return f"{numbers.number(low)} to {numbers.number(high)}"


def _figures(name: str, key: str, found: Sequence[Plain], covered: str) -> TableView:
    columns = [
        Column(f"s_{place}", "All rows" if row["split"] == EVERY_CLASS else f"Split {row['split']}")
        for place, row in enumerate(found)
    ]
    rows = [
        {
            "figure": metric(one),
            **{f"s_{place}": _figure(one, row[one]) for place, row in enumerate(found)},
        }
        for one in ESTIMATED
    ]
    return TableView(
        key=key,
        caption=(
            f"Figures of the classifier with {covered} intervals. “Undefined (0/0)” is a quotient "
            "without a denominator: it is no 0, whatever software prints."
        ),
        columns=[Column("figure", "Figure"), *columns],
        rows=rows,
        csv=file_name(name, "classifier", "rows"),
        note=_why(found),
    )


def _figure(name: str, value: Plain) -> str:
    """Return a figure with its interval; an undefined one as such, its reason stands below."""
    reason = value.get("reason") or ""
    if value["estimate"] is None and reason.startswith(UNDEFINED):
        return UNDEFINED
    if value["estimate"] is not None and value.get("low") is None:
        plain: Format = "percent" if name in PER_CENT else "number"
        return f"{numbers.FORMATS[plain](value['estimate'])} (no interval)"
    write = numbers.percent_estimate if name in PER_CENT else numbers.estimate
    return write(value)


def _why(found: Sequence[Plain]) -> str:
    """Return why figures are undefined or without an interval, each reason once."""
    reasons: dict[str, list[str]] = {}
    for row in found:
        for one in ESTIMATED:
            reason = row[one].get("reason")
            bare = row[one]["estimate"] is not None or str(reason).startswith(UNDEFINED)
            if reason and bare:
                named = reasons.setdefault(reason, [])
                named += [metric(one)] if metric(one) not in named else []
    said = " ".join(f"{listed(named)}: {reason}." for reason, named in reasons.items())
    return f"{said} {methods_of([row[one] for row in found for one in ESTIMATED])}".strip()


def counting_heads(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield counting heads, a few a table, against two that do not look at the image."""
    for start in range(0, len(found["rows"]), SPLITS_BESIDE):
        part = found["rows"][start : start + SPLITS_BESIDE]
        key = "heads" + (f"_{start // SPLITS_BESIDE + 1}" if start else "")
        yield _heads(name, key, part, found["rounding_rule"], coverage(result))


def _heads(name: str, key: str, found: Sequence[Plain], rounding: str, covered: str) -> TableView:
    written = [_head(row) for row in found]
    places = range(len(found))
    shares = [row[one] for row in found for one in ("mae", "r2", "share_zero", "true_zero")]
    return TableView(
        key=key,
        caption=(
            "Counting heads against two that do not look. One always says zero, the other the "
            "mean. Mean absolute error (MAE) in counts; gain: MAE of zero minus that of the head; "
            f"with {covered} intervals."
        ),
        columns=[
            Column("figure", "Figure"),
            *[Column(f"h_{at}", row["head"]) for at, row in zip(places, found, strict=True)],
        ],
        rows=[
            {"figure": figure, **{f"h_{at}": written[at][figure] for at in places}}
            for figure in written[0]
        ],
        csv=file_name(name, "counting_heads", "rows"),
        note=f"{methods_of(shares)} Rounding: {rounding}." if rounding else methods_of(shares),
    )


def _head(row: Plain) -> dict[str, str]:
    return {
        "Rows": numbers.count(row["n"]),
        "True counts, mean": numbers.number(row["true_mean"]),
        "True counts that are zero": numbers.percent_estimate(row["true_zero"]),
        "Predictions, least to greatest": _range(row["min"], row["max"]),
        "Predictions that round to zero": numbers.percent_estimate(row["share_zero"]),
        "MAE": numbers.estimate(row["mae"]),
        "MAE of the constant zero": numbers.estimate(row["mae_zero"]),
        "MAE of the mean": numbers.estimate(row["mae_mean"]),
        "Gain over zero": numbers.signed_estimate(row["gain_over_zero"]),
        "R²": numbers.estimate(row["r2"]),
        "Problems": listed(
            [one.removesuffix(f": {wording.quoted(row['head'])}") for one in row["problems"]]
        )
        or "none found",
    }
