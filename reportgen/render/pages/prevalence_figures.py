"""The charts of a prevalence section."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.chart_data import Axis, Interval, Point, Rule, Series, style_of
from reportgen.render.charts import curve_chart, dot_interval_chart, panels
from reportgen.render.pages.prevalence_rows import (
    at_threshold,
    label,
    metric_rows,
    share,
    short_label,
)
from reportgen.render.pages.words import coverage, listed, unique
from reportgen.render.view import FigureView, Plain
from reportgen.wording import named, sentences, separated

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
        title=_("{figure} against prevalence").format(figure=name),
        caption=_(
            "{figure}, as a share from 0 to 1, against the prevalence on a logarithmic axis, at "
            "the sensitivity and specificity measured here. Shaded: pointwise {coverage} intervals "
            "({method}). Open markers: the stated prevalences. {basis}"
        ).format(
            figure=name,
            coverage=coverage(result),
            method=_method(result, metric),
            basis=basis(result),
        ),
        alt=_alt(result, metric, thresholds),
        chart=curve_chart(
            [],
            series,
            x=_prevalence_axis(series),
            y=Axis(
                _("{figure} (share)").format(figure=short_label(metric)), 0.0, 1.02, ticks=SHARES
            ),
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
    return Axis(
        _("Prevalence (logarithmic)"), low, high, log=True, percent=True, ticks=ticks or None
    )


def _method(result: Plain, metric: str) -> str:
    methods = unique(row[metric].get("method") for row in result["curve"])
    return listed([method for method in methods if method]) or _("none: published without counts")


def _alt(result: Plain, metric: str, thresholds: Sequence[float | None]) -> str:
    name = short_label(metric)
    said = []
    for threshold in thresholds:
        figures = [
            _("{figure} at a prevalence of {prevalence}").format(
                figure=numbers.estimate(row["value"]), prevalence=share(row["prevalence"])
            )
            for row in metric_rows(result, metric, threshold)
        ]
        said.append(
            _("{figure}, {threshold}: {figures}.").format(
                figure=name, threshold=at_threshold(threshold), figures=listed(figures)
            )
        )
    return sentences(said)


def basis(result: Plain) -> str:
    """Return what every figure rests on: rows, units and classes, or published counts."""
    positive, negative = result["n_positive"], result["n_negative"]
    if positive is None or negative is None:
        return _("Published without counts of both classes.")
    n = {"positive": numbers.count(positive), "negative": numbers.count(negative)}
    if result["n_rows"] is None:
        return _("Published counts: {positive} positive and {negative} negative.").format(**n)
    n |= {"rows": numbers.count(result["n_rows"]), "units": numbers.count(result["n_units"])}
    if result["n_units"] == result["n_rows"]:
        return _("n = {rows} rows, {positive} positive and {negative} negative.").format(**n)
    text = _("n = {rows} rows of {units} units, {positive} positive and {negative} negative.")
    return text.format(**n)


def _unlabelled(result: Plain) -> FigureView | None:
    rows = result["unlabelled"]
    if not rows:
        return None
    intervals = [_interval(row) for row in rows]
    sample = result["sample_prevalence"]
    rules = [] if sample is None else [Rule(sample, _labelled(sample))]
    x = _unlabelled_axis(intervals, sample or 0.0)
    rules += [Rule(end) for end in (0.0, 1.0) if x.low < end < x.high]
    return FigureView(
        key="unlabelled",
        title=_("Prevalence of the unlabelled table"),
        caption=_unlabelled_caption(result, x),
        alt=sentences(
            _("{name}: {figure}.").format(
                name=_name(row), figure=numbers.percent_estimate(row["prevalence"])
            )
            for row in rows
        ),
        chart=panels(
            [
                dot_interval_chart(intervals, x=x, rules=rules),
            ]
        ),
    )


def _labelled(sample: float) -> str:
    return named(_("labelled table"), numbers.percent(sample))


def _unlabelled_caption(result: Plain, x: Axis) -> str:
    first = result["unlabelled"][0]
    return sentences(
        (
            _(
                "Estimates with {coverage} intervals, which carry the uncertainty of sensitivity "
                "and specificity too. The dashed line is the prevalence of the labelled table. An "
                "estimate outside 0 to 1 is not identifiable. No limit is cut to the edge: one "
                "below 0 is consistent with a table without positives."
            ).format(coverage=coverage(result)),
            _marked_ends(x),
            _("n = {rows} unlabelled rows of {units} units.").format(
                rows=numbers.count(first["n_rows"]), units=numbers.count(first["n_units"])
            ),
        )
    )


def _unlabelled_axis(intervals: Sequence[Interval], sample: float) -> Axis:
    """Return an axis that holds every estimate and every limit, those below 0 and above 1 too."""
    drawn = [v for one in intervals for v in (one.estimate, one.low, one.high) if v is not None]
    low, high = min([0.0, *drawn]), max([sample, *drawn])
    room = 0.1 * (high - low) or 1.0
    return Axis(
        _("Prevalence"),
        low - room if low < 0 else 0.0,
        high + room if high > 1 else min(1.0, high + room),
        percent=True,
    )


def _marked_ends(x: Axis) -> str:
    """Say which ends of the possible range are marked, if the axis goes beyond them."""
    ends = [name for end, name in ((0.0, "0"), (1.0, "1")) if x.low < end < x.high]
    text = _("The dashed line without words marks {ends}.")
    return text.format(ends=listed(ends)) if ends else ""


def _interval(row: Plain) -> Interval:
    value = row["prevalence"]
    remark = ""
    if value["estimate"] is None:
        remark = value["reason"].partition(named("", "").strip())[0]
    return Interval(_name(row), value["estimate"], value.get("low"), value.get("high"), remark)


def _name(row: Plain) -> str:
    if row["threshold"] is None:
        return str(row["method"])
    return separated((row["method"], at_threshold(row["threshold"])))
