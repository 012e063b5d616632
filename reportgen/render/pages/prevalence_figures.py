"""The charts of a prevalence section."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.render import numbers
from reportgen.render.chart_data import Axis, Interval, Point, Rule, Series, style_of
from reportgen.render.charts import curve_chart, dot_interval_chart, panels
from reportgen.render.pages.prevalence_rows import at_threshold, label, metric_rows, share
from reportgen.render.pages.words import coverage, listed, unique
from reportgen.render.view import FigureView, Plain

TICKS = (1e-6, 1e-5, 1e-4, 1e-3, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.9)
DECADES = (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 0.5)
MANY_TICKS = 10
SHARES = (0, 0.2, 0.4, 0.6, 0.8, 1)


def made_from(result: Plain) -> list[FigureView]:
    """Return every chart that the result gives rise to, in the order of the page."""
    made = [_against_prevalence(result, metric) for metric in ("precision", "npv")]
    made.append(_unlabelled(result))
    return [figure for figure in made if figure is not None]


def _against_prevalence(result: Plain, metric: str) -> FigureView | None:
    thresholds = [
        threshold
        for threshold in unique(row["threshold"] for row in result["curve"])
        if any(point.y is not None for point in _points(result, metric, threshold))
    ]
    if not thresholds:
        return None
    series = [
        Series(at_threshold(one), _points(result, metric, one), style_of(position))
        for position, one in enumerate(thresholds)
    ]
    name = label(metric)
    return FigureView(
        key=metric,
        title=f"{name} against prevalence",
        caption=(
            f"{name}, as a share from 0 to 1, against the prevalence on a logarithmic axis, at the "
            f"sensitivity and specificity measured here. Shaded: pointwise {coverage(result)} "
            f"intervals ({_method(result, metric)}). Open markers: the stated prevalences. "
            f"{basis(result)}"
        ),
        alt=_alt(result, metric, thresholds),
        chart=curve_chart(
            [],
            series,
            x=_prevalence_axis(series),
            y=Axis(f"{name.partition(' (')[0]} (share)", 0.0, 1.02, ticks=SHARES),
            height=230,
            overlaid=2,
            key=len(series) > 1 or thresholds[0] is not None,
            marked=[_marked(result, metric, one) for one in thresholds],
        ),
    )


def _points(result: Plain, metric: str, threshold: float | None) -> list[Point]:
    rows = [row for row in result["curve"] if row["threshold"] == threshold]
    return [
        _point(row["prevalence"], row[metric])
        for row in sorted(rows, key=lambda row: row["prevalence"])
    ]


def _marked(result: Plain, metric: str, threshold: float | None) -> list[Point]:
    return [
        _point(row["prevalence"], row["value"]) for row in metric_rows(result, metric, threshold)
    ]


def _point(prevalence: float, value: Plain) -> Point:
    return Point(prevalence, value["estimate"], value.get("low"), value.get("high"))


def _prevalence_axis(series: Sequence[Series]) -> Axis:
    values = [point.x for one in series for point in one.points]
    low, high = min(values), max(values)
    ticks = [tick for tick in TICKS if low <= tick <= high]
    if len(ticks) > MANY_TICKS:
        ticks = [tick for tick in DECADES if low <= tick <= high]
    return Axis("Prevalence (logarithmic)", low, high, log=True, percent=True, ticks=ticks or None)


def _method(result: Plain, metric: str) -> str:
    methods = unique(row[metric].get("method") for row in result["curve"])
    return listed([method for method in methods if method]) or "none: published without counts"


def _alt(result: Plain, metric: str, thresholds: Sequence[float | None]) -> str:
    name = label(metric).partition(" (")[0]
    sentences = []
    for threshold in thresholds:
        figures = [
            f"{numbers.estimate(row['value'])} at a prevalence of {share(row['prevalence'])}"
            for row in metric_rows(result, metric, threshold)
        ]
        sentences.append(f"{name}, {at_threshold(threshold)}: {listed(figures)}.")
    return " ".join(sentences)


def basis(result: Plain) -> str:
    """Return what every figure rests on: rows, units and classes, or published counts."""
    positive, negative = result["n_positive"], result["n_negative"]
    if positive is None or negative is None:
        return "Published without counts of both classes."
    classes = f"{numbers.count(positive)} positive and {numbers.count(negative)} negative"
    if result["n_rows"] is None:
        return f"Published counts: {classes}."
    units = ""
    if result["n_units"] != result["n_rows"]:
        units = f" of {numbers.count(result['n_units'])} units"
    return f"n = {numbers.count(result['n_rows'])} rows{units}, {classes}."


def _unlabelled(result: Plain) -> FigureView | None:
    rows = result["unlabelled"]
    if not rows:
        return None
    intervals = [_interval(row) for row in rows]
    sample = result["sample_prevalence"]
    rules = [] if sample is None else [Rule(sample, f"labelled table: {numbers.percent(sample)}")]
    x = _unlabelled_axis(intervals, sample or 0.0)
    rules += [Rule(end) for end in (0.0, 1.0) if x.low < end < x.high]
    return FigureView(
        key="unlabelled",
        title="Prevalence of the unlabelled table",
        caption=(
            f"Estimates with {coverage(result)} intervals, which carry the uncertainty of "
            "sensitivity and specificity too. The dashed line is the prevalence of the labelled "
            "table. An estimate outside 0 to 1 is not identifiable. No limit is cut to the edge: "
            "one below 0 is consistent with a table without positives. "
            f"{_marked_ends(x)}"
            f"n = {numbers.count(rows[0]['n_rows'])} unlabelled rows of "
            f"{numbers.count(rows[0]['n_units'])} units."
        ),
        alt=" ".join(
            f"{_name(row)}: {numbers.percent_estimate(row['prevalence'])}." for row in rows
        ),
        chart=panels(
            [
                dot_interval_chart(intervals, x=x, rules=rules),
            ]
        ),
    )


def _unlabelled_axis(intervals: Sequence[Interval], sample: float) -> Axis:
    """Return an axis that holds every estimate and every limit, those below 0 and above 1 too."""
    drawn = [v for one in intervals for v in (one.estimate, one.low, one.high) if v is not None]
    low, high = min([0.0, *drawn]), max([sample, *drawn])
    room = 0.1 * (high - low) or 1.0
    return Axis(
        "Prevalence",
        low - room if low < 0 else 0.0,
        high + room if high > 1 else min(1.0, high + room),
        percent=True,
    )


def _marked_ends(x: Axis) -> str:
    """Say which ends of the possible range are marked, if the axis goes beyond them."""
    ends = [name for end, name in ((0.0, "0"), (1.0, "1")) if x.low < end < x.high]
    return f"The dashed line without words marks {' and '.join(ends)}. " if ends else ""


def _interval(row: Plain) -> Interval:
    value = row["prevalence"]
    remark = ""
    if value["estimate"] is None:
        remark = value["reason"].partition(":")[0]
    return Interval(_name(row), value["estimate"], value.get("low"), value.get("high"), remark)


def _name(row: Plain) -> str:
    where = "" if row["threshold"] is None else f", {at_threshold(row['threshold'])}"
    return f"{row['method']}{where}"
