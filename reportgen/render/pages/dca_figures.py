"""The charts of a decision curve section."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.chart_data import (
    ALL_STYLE,
    NONE_STYLE,
    Axis,
    Point,
    Run,
    Series,
    Style,
    Tone,
    style_of,
)
from reportgen.render.charts import Chart, curve_chart, line_chart, panel_width, panels
from reportgen.render.pages.dca_rows import (
    BETTER_DEFAULT,
    TREAT_ALL,
    TREAT_NONE,
    curve_of,
    gains_of,
    middle,
    models,
    modes,
    pairs,
    runs_of,
)
from reportgen.render.pages.dca_words import basis, said_at, span, strategy
from reportgen.render.pages.words import coverage, listed, name_part
from reportgen.render.view import FigureView, Plain
from reportgen.wording import sentences

MOST_PAIRS = 6
TONES: dict[str, Tone] = {"supported": "dark", "undecided": "light", "not supported": "heavy"}


def made_from(result: Plain) -> list[FigureView]:
    """Return every chart that the result gives rise to, in the order of the page."""
    kinds: tuple[Callable[[Plain, str], FigureView | None], ...] = (
        _curve,
        _gain,
        _between,
        _avoided,
    )
    made = (kind(result, mode) for kind in kinds for mode in modes(result))
    return [figure for figure in made if figure is not None]


def _curve(result: Plain, mode: str) -> FigureView:
    names = [TREAT_ALL, TREAT_NONE, *models(result)]
    series = [_curve_series(result, name, mode) for name in names]
    highest = max(_most(one) for one in series)
    unit = max(highest, _prevalence(result))
    x = _thresholds(result)
    y = _vertical(series, _("Net benefit (net true positives per row)"), -0.3 * unit)
    caption = _(
        "Net benefit in net true positives per row against the threshold probability; the rule is "
        "{rule}. Lines are point estimates. Shaded: simultaneous {coverage} bands, each of which "
        "holds its whole curve at once; treating all varies from sample to sample too. Whether two "
        "bands overlap does not compare two strategies: the gain does."
    ).format(rule=_(result["rule"]), coverage=coverage(result))
    return FigureView(
        key=_key("curve", result, mode),
        title=said_at(_("Decision curve"), result, mode),
        caption=sentences((caption, _apart(result), _cut(series, y), basis(result))),
        alt=_curve_alt(result, names, mode),
        chart=curve_chart(series[:2], series[2:], x=x, y=y),
    )


def _curve_alt(result: Plain, names: Sequence[str], mode: str) -> str:
    rows = [middle(curve_of(result, name, mode)) for name in names if name != TREAT_NONE]
    figures = [
        _("{name} {figure}").format(
            name=strategy(row["model"]), figure=numbers.estimate(row["net_benefit"])
        )
        for row in rows
    ]
    return _(
        "Net benefit at threshold {threshold}, the middle of the range, with pointwise {coverage} "
        "limits: {figures}; treat none 0."
    ).format(
        threshold=numbers.threshold(rows[0]["threshold"]),
        coverage=coverage(result),
        figures=listed(figures),
    )


def _gain(result: Plain, mode: str) -> FigureView | None:
    names = [name for name in models(result) if gains_of(result, name, BETTER_DEFAULT, mode)]
    if not names:
        return None
    series = [
        _gain_series(result, (name, BETTER_DEFAULT), mode, models(result).index(name))
        for name in names
    ]
    y = _gain_axis(series, result, _("Gain in net benefit"))
    runs = [[_run(row) for row in runs_of(result, name, BETTER_DEFAULT, mode)] for name in names]
    caption = _(
        "Net benefit of each model less that of the better of treat all and treat none, in net "
        "true positives per row, against the threshold probability. Shaded: simultaneous "
        "{coverage} band of this paired difference; the black line is no gain. The strip above "
        "gives the verdict of each stretch of thresholds: dark, supported (S: the lower limit is "
        "above 0); white, undecided (U); orange with a heavy frame, not supported (N: the upper "
        "limit is below 0)."
    ).format(coverage=coverage(result))
    return FigureView(
        key=_key("gain", result, mode),
        title=said_at(_("Gain over the better default"), result, mode),
        caption=sentences((caption, _cut(series, y), basis(result))),
        alt=sentences(_gain_alt(result, name, mode) for name in names),
        chart=_gain_panels(series, runs, _thresholds(result), y),
    )


def _gain_panels(
    series: Sequence[Series], runs: Sequence[Sequence[Run]], x: Axis, y: Axis
) -> Chart:
    columns = min(2, len(series))
    zero = Series(strategy(TREAT_NONE), [Point(x.low, 0.0), Point(x.high, 0.0)], NONE_STYLE)
    return panels(
        [
            line_chart(
                [zero, one],
                x=x,
                y=y,
                width=panel_width(columns),
                height=210 if columns == 1 else 180,
                title=one.name,
                key=False,
                runs=stretch,
            )
            for one, stretch in zip(series, runs, strict=True)
        ],
        columns=columns,
    )


def _gain_alt(result: Plain, name: str, mode: str) -> str:
    row = middle(gains_of(result, name, BETTER_DEFAULT, mode))
    spans = [span(run) for run in runs_of(result, name, BETTER_DEFAULT, mode)]
    text = _("{name}: at threshold {threshold} the gain over the better default is {figure}.")
    if spans:
        text = _(
            "{name}: at threshold {threshold} the gain over the better default is {figure}; "
            "{verdicts}."
        )
    return text.format(
        name=name,
        threshold=numbers.threshold(row["threshold"]),
        figure=numbers.signed_estimate(row["gain"]),
        verdicts=listed(spans),
    )


def _between(result: Plain, mode: str) -> FigureView | None:
    compared = list(pairs(result))
    if not compared:
        return None
    series = [
        _gain_series(result, pair, mode, position)
        for position, pair in enumerate(compared[:MOST_PAIRS])
    ]
    y = _gain_axis(series, result, _("Difference in net benefit"))
    runs = [[_run(row) for row in runs_of(result, *pair, mode)] for pair in compared[:MOST_PAIRS]]
    caption = _(
        "Net benefit of the first-named model less that of the second, in net true positives per "
        "row, on the same rows. Shaded: simultaneous {coverage} band of the paired difference; "
        "above the black line the first-named model is ahead."
    ).format(coverage=coverage(result))
    few = _("The first {shown} of {all} pairs; the table has all.").format(
        shown=MOST_PAIRS, all=len(compared)
    )
    return FigureView(
        key=_key("between", result, mode),
        title=said_at(_("Gain of one model over another"), result, mode),
        caption=sentences(
            (
                caption,
                _("The strip gives the verdict on that.") if any(runs) else "",
                few if len(compared) > MOST_PAIRS else "",
                _cut(series, y),
                basis(result),
            )
        ),
        alt=sentences(_between_alt(result, pair, mode) for pair in compared[:MOST_PAIRS]),
        chart=_gain_panels(series, runs, _thresholds(result), y),
    )


def _between_alt(result: Plain, pair: tuple[str, str], mode: str) -> str:
    row = middle(gains_of(result, *pair, mode))
    return _(
        "{model} against {against}: at threshold {threshold} the difference in net benefit is "
        "{figure}."
    ).format(
        model=pair[0],
        against=pair[1],
        threshold=numbers.threshold(row["threshold"]),
        figure=numbers.signed_estimate(row["gain"]),
    )


def _avoided(result: Plain, mode: str) -> FigureView | None:
    names = [TREAT_NONE, *models(result)]
    series = [_avoided_series(result, name, mode) for name in names]
    if not any(point.y is not None for one in series for point in one.points):
        return None
    unit = max(_most(one) for one in series)
    y = _vertical(series, _("Interventions avoided (per 100 rows)"), -0.3 * unit)
    points = [Point(p.x, 0.0) for p in series[0].points]
    everyone = Series(strategy(TREAT_ALL), points, ALL_STYLE)
    caption = _(
        "Net interventions avoided per 100 rows against treating all: true negatives less the "
        "false negatives weighted by (1 − threshold) / threshold. Shaded: pointwise {coverage} "
        "intervals. Treat none is the other default."
    ).format(coverage=coverage(result))
    return FigureView(
        key=_key("avoided", result, mode),
        title=said_at(_("Interventions avoided"), result, mode),
        caption=sentences((caption, _apart(result), _cut(series, y), basis(result))),
        alt=_avoided_alt(result, mode),
        chart=curve_chart(
            [everyone, series[0]], series[1:], x=_thresholds(result), y=y, height=220
        ),
    )


def _avoided_alt(result: Plain, mode: str) -> str:
    rows = [middle(curve_of(result, name, mode)) for name in models(result)]
    figures = [
        _("{name} avoids {figure}").format(
            name=row["model"], figure=numbers.estimate(row["interventions_avoided_per_100"])
        )
        for row in rows
    ]
    return _(
        "At threshold {threshold}, against treating all, {figures} net interventions per 100 rows."
    ).format(threshold=numbers.threshold(rows[0]["threshold"]), figures=listed(figures))


def _key(kind: str, result: Plain, mode: str) -> str:
    return kind if len(modes(result)) == 1 else f"{kind}_{name_part(mode)}"


def _apart(result: Plain) -> str:
    several = len(models(result)) > 1
    return _("Above all models without bands, below each with its own.") if several else ""


def _thresholds(result: Plain) -> Axis:
    low, high = result["threshold_from"], result["threshold_to"]
    if low == high:  # one threshold still needs an axis
        return Axis(_("Threshold probability"), low - 0.01, high + 0.01, ticks=[low])
    return Axis(_("Threshold probability"), low, high)


def _point(row: Plain, key: str) -> Point:
    limits = row["simultaneous_low"], row["simultaneous_high"]
    return Point(row["threshold"], row[key]["estimate"], *limits)


def _curve_series(result: Plain, name: str, mode: str) -> Series:
    points = [_point(row, "net_benefit") for row in curve_of(result, name, mode)]
    if name == TREAT_NONE:
        return Series(strategy(name), points, NONE_STYLE).without_band()
    return Series(strategy(name), points, _style(result, name))


def _style(result: Plain, name: str) -> Style:
    return ALL_STYLE if name == TREAT_ALL else style_of(models(result).index(name))


def _gain_series(result: Plain, pair: tuple[str, str], mode: str, position: int) -> Series:
    points = [_point(row, "gain") for row in gains_of(result, *pair, mode)]
    name = pair[0]
    if pair[1] != BETTER_DEFAULT:
        name = _("{model} less {against}").format(model=pair[0], against=pair[1])
    return Series(name, points, style_of(position))


def _avoided_series(result: Plain, name: str, mode: str) -> Series:
    points = []
    for row in curve_of(result, name, mode):
        value = row["interventions_avoided_per_100"]
        points.append(
            Point(row["threshold"], value["estimate"], value.get("low"), value.get("high"))
        )
    if name == TREAT_NONE:
        return Series(strategy(name), points, NONE_STYLE).without_band()
    return Series(strategy(name), points, _style(result, name))


def _run(row: Plain) -> Run:
    return Run(row["from"], row["to"], _(row["verdict"]), TONES[row["verdict"]])


def _drawn(series: Series) -> list[float]:
    values = (v for point in series.points for v in (point.y, point.low, point.high))
    return [value for value in values if value is not None]


def _prevalence(result: Plain) -> float:
    """Return the prevalence at which the curves are drawn: the highest net benefit there can be."""
    return float(result["target_prevalence"] or result["prevalence"]["estimate"] or 0)


def _most(series: Series) -> float:
    return max((point.y for point in series.points if point.y is not None), default=0.0)


def _vertical(series: Sequence[Series], title: str, floor: float) -> Axis:
    """Return the axis over all that is drawn, cut below `floor` (the lines go to −∞ at 1).

    The cut lies lower where the best point of a model, with its limits, would else be lost.
    """
    values = [value for one in series for value in _drawn(one)]
    top = max([*values, 0.0])
    best = [_best_low(one) for one in series if one.style.shape]
    low = max(min([*values, 0.0]), min([floor, *best]))
    room = 0.04 * (top - low) or 0.01
    return Axis(title, low - room if low > floor or low in best else low, top + room)


def _best_low(series: Series) -> float:
    """Return the lower limit, or else the value, of the highest point of a series."""
    points = [point for point in series.points if point.y is not None]
    if not points:
        return 0.0
    best = max(points, key=lambda point: point.y or 0.0)
    return min(value for value in (best.y, best.low, 0.0) if value is not None)


def _gain_axis(series: Sequence[Series], result: Plain, title: str) -> Axis:
    """Return the axis of gains: as far down as twice as far up, or 0.3 prevalences."""
    top = max([value for one in series for value in _drawn(one)] + [0.0])
    return _vertical(series, title, -max(2 * top, 0.3 * _prevalence(result)))


def _cut(series: Sequence[Series], y: Axis) -> str:
    """Say where the vertical axis was cut and what lies below, if anything does."""
    lowest = [
        min((p for p in one.points if p.y is not None), key=lambda p: p.y or 0.0, default=None)
        for one in series
    ]
    below = [
        _("{name} falls to {figure} at {threshold}").format(
            name=one.name, figure=numbers.number(point.y), threshold=numbers.threshold(point.x)
        )
        for one, point in zip(series, lowest, strict=True)
        if point is not None and point.y is not None and point.y < y.low
    ]
    end = numbers.number(y.low)
    if below:
        text = _("The vertical axis is cut at {end}: {below}.")
        return text.format(end=end, below=listed(below))
    if any(value < y.low for one in series for value in _drawn(one)):
        return _("The vertical axis is cut at {end}, below which bands go on.").format(end=end)
    return ""
