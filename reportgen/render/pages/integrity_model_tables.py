"""Tables on models that may decide or count nothing: classifiers and counting heads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen import wording
from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.integrity_words import EVERY_CLASS, methods_of, metric
from reportgen.render.pages.words import coverage, listed
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Format, Plain, TableView

MOST_BESIDE = 3
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
UNDEFINED = mark("undefined (0/0)")


def classifier(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield the decisions by split and every figure with its interval."""
    rows = found["rows"]
    if len(rows) > 1:
        yield _decisions(name, rows)
    for key, part in _beside("classifier_figures", rows):
        yield _figures(name, key, part, coverage(result))
    if found["calibration_bins"]:
        yield _calibration(name, found["calibration_bins"], coverage(result))


def _beside(key: str, found: Sequence[Plain]) -> Iterator[tuple[str, Sequence[Plain]]]:
    """Yield as many rows as stand beside each other in one table, with a key for each table."""
    for place, start in enumerate(range(0, len(found), MOST_BESIDE), start=1):
        yield key if place == 1 else f"{key}_{place}", found[start : start + MOST_BESIDE]


def _decisions(name: str, found: Sequence[Plain]) -> TableView:
    rows = [
        {
            **row,
            "split": _("all rows") if row["split"] == EVERY_CLASS else row["split"],
            "range": _range(row["score_min"], row["score_max"]),
            "problems_text": listed(_bare(row)) or _("none"),
        }
        for row in found
    ]
    return TableView(
        key="classifier",
        caption=_("What the classifier decides, by split."),
        columns=[
            Column("split", _("Split")),
            Column("n", _("Rows"), "count"),
            Column("n_positive", _("Positive"), "count"),
            Column("n_called_positive", _("Called positive"), "count"),
            Column("range", _("Scores, least to greatest")),
            Column("distinct_scores", _("Distinct scores"), "count"),
            Column("threshold", _("Threshold"), "threshold"),
            Column("problems_text", _("Problems")),
        ],
        rows=rows,
        csv=file_name(name, "classifier", "rows"),
    )


def _bare(row: Plain) -> list[str]:
    """Return the problems of a split without its name, which heads their row."""
    where = _(" on split {split}").format(split=wording.quoted(row["split"]))
    return [problem.removesuffix(where) for problem in row["problems"]]


def _range(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "–"
    return wording.between(numbers.number(low), numbers.number(high))


def _split(name: str) -> str:
    return _("All rows") if name == EVERY_CLASS else _("Split {split}").format(split=name)


def _figures(name: str, key: str, found: Sequence[Plain], covered: str) -> TableView:
    columns = [Column(f"s_{place}", _split(row["split"])) for place, row in enumerate(found)]
    rows = [
        {
            "figure": metric(one),
            **{f"s_{place}": _figure(one, row[one]) for place, row in enumerate(found)},
        }
        for one in ESTIMATED
    ]
    return TableView(
        key=key,
        caption=_(
            "Figures of the classifier with {coverage} intervals. “Undefined (0/0)” is a quotient"
            " without a denominator: it is no 0, whatever software prints."
        ).format(coverage=covered),
        columns=[Column("figure", _("Figure")), *columns],
        rows=rows,
        csv=file_name(name, "classifier", "rows"),
        note=_why(found),
    )


def _calibration(name: str, found: Sequence[Plain], covered: str) -> TableView:
    rows = [
        {**row, "range": _range(row["low"], row["high"])}
        for row in found
        if row["split"] == EVERY_CLASS and row["n"]
    ]
    return TableView(
        key="calibration",
        caption=_(
            "Scores and observed rates of all rows, in bins of the scores; a bin holds its upper"
            " limit. Rates with {coverage} intervals; bins without rows are left out here."
        ).format(coverage=covered),
        columns=[
            Column("range", _("Scores")),
            Column("n", _("Rows"), "count"),
            Column("mean_score", _("Mean score"), "number"),
            Column("rate", _("Observed rate"), "estimate"),
        ],
        rows=rows,
        csv=file_name(name, "classifier", "calibration_bins"),
    )


def _figure(name: str, value: Plain) -> str:
    """Return a figure with its interval; an undefined one as such, its reason stands below."""
    reason = value.get("reason") or ""
    if value["estimate"] is None and reason.startswith(_(UNDEFINED)):
        return _(UNDEFINED)
    if value["estimate"] is not None and value.get("low") is None:
        plain: Format = "percent" if name in PER_CENT else "number"
        figure = numbers.FORMATS[plain](value["estimate"])
        return _(numbers.NO_INTERVAL_HERE).format(figure=figure)
    write = numbers.percent_estimate if name in PER_CENT else numbers.estimate
    return write(value)


def _why(found: Sequence[Plain]) -> str:
    """Return why figures are undefined or without an interval, each reason once."""
    reasons: dict[str, list[str]] = {}
    for row in found:
        for one in ESTIMATED:
            reason = row[one].get("reason")
            bare = row[one]["estimate"] is not None or str(reason).startswith(_(UNDEFINED))
            if reason and bare:
                named = reasons.setdefault(reason, [])
                named += [metric(one)] if metric(one) not in named else []
    said = [
        _("{figures}: {reason}.").format(figures=listed(named), reason=reason)
        for reason, named in reasons.items()
    ]
    methods = methods_of(found, *ESTIMATED)
    return wording.sentences([*said, methods])


def counting_heads(name: str, found: Plain, result: Plain) -> Iterator[TableView]:
    """Yield counting heads, a few a table, against two that do not look at the image."""
    for key, part in _beside("heads", found["rows"]):
        yield _heads(name, key, part, found["rounding_rule"], coverage(result))


def _heads(name: str, key: str, found: Sequence[Plain], rounding: str, covered: str) -> TableView:
    written = [_head(row) for row in found]
    places = range(len(found))
    return TableView(
        key=key,
        caption=_(
            "Counting heads against two that do not look. One always says zero, the other the"
            " mean. Mean absolute error (MAE) in counts; gain: MAE of zero minus that of the head;"
            " with {coverage} intervals."
        ).format(coverage=covered),
        columns=[
            Column("figure", _("Figure")),
            *[Column(f"h_{at}", row["head"]) for at, row in zip(places, found, strict=True)],
        ],
        rows=[
            {"figure": figure, **{f"h_{at}": written[at][figure] for at in places}}
            for figure in written[0]
        ],
        csv=file_name(name, "counting_heads", "rows"),
        note=wording.sentences(
            [
                methods_of(found, "mae", "r2", "share_zero", "true_zero"),
                _("Rounding: {rule}.").format(rule=rounding) if rounding else "",
            ]
        ),
    )


def _head(row: Plain) -> dict[str, str]:
    return {
        _("Rows"): numbers.count(row["n"]),
        _("True counts, mean"): numbers.number(row["true_mean"]),
        _("True counts that are zero"): numbers.percent_estimate(row["true_zero"]),
        _("Predictions, least to greatest"): _range(row["min"], row["max"]),
        _("Predictions that round to zero"): numbers.percent_estimate(row["share_zero"]),
        _("MAE"): numbers.estimate(row["mae"]),
        _("MAE of the constant zero"): numbers.estimate(row["mae_zero"]),
        _("MAE of the mean"): numbers.estimate(row["mae_mean"]),
        _("Gain over zero"): numbers.signed_estimate(row["gain_over_zero"]),
        _("R²"): numbers.estimate(row["r2"]),
        _("Problems"): listed(
            [
                one.removesuffix(wording.named("", wording.quoted(row["head"])))
                for one in row["problems"]
            ]
        )
        or _("none found"),
    }
