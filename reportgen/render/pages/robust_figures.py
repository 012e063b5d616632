"""The charts of a robust section: the gap against the size of moves, all metrics, the direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from reportgen.language import _, mark, p_
from reportgen.render import chart_layers as make
from reportgen.render import numbers
from reportgen.render.chart_data import (
    FULL_WIDTH,
    INK,
    KEY_LINE_HEIGHT,
    Y_AXIS_SPACE,
    Axis,
    Point,
    Rule,
    Series,
    Style,
    style_of,
)
from reportgen.render.chart_layers import Layer
from reportgen.render.charts import line_chart, panel_width, panels
from reportgen.render.pages.robust_words import (
    MEAN_MOVE,
    basis,
    by_group,
    falls,
    features_of,
    label,
    labels,
    multiples,
    radius,
    together,
    worst,
)
from reportgen.render.pages.words import listed, unique
from reportgen.render.row_chart import LABEL_SPACE, KeyItem, LabelledRow, Mark, legend, row_chart
from reportgen.render.view import FigureView, Plain
from reportgen.wording import sentences, separated

MOST_FEATURES = 8
MOST_PANELS = 4
"""Panels of a figure, so that it fits a page."""
MOST_TIMES = 5.0
"""Tolerances that the axis of the normalised plot shows at most."""
DASHED = Style(INK, (6, 3), "", 1.3)
SIZE = mark("Size of the moves, × eps")


def made_from(result: Plain) -> list[FigureView]:
    """Return every chart that the result gives rise to, in the order of the page."""
    return [*_curve(result), *_joint(result), *_direction(result)]


def _curve(result: Plain) -> Iterator[FigureView]:
    found = unique(row["metric"] for row in result["curve"] if row["found"] is not None)
    for key, metrics in _parts("curve", found):
        columns = min(2, len(metrics))
        yield FigureView(
            key=key,
            title=_("Worst gap against the size of the moves"),
            caption=sentences(
                (
                    _(
                        "Each record moves on its own. Line: found, so that the worst gap is at"
                        " least this; far edge of the band: certified, so that it is at most this."
                        " Size: {multiples}. Upright: the critical radius, from the largest size"
                        " certified safe to the smallest found unsafe. Dots: found at the computed"
                        " sizes."
                    ).format(multiples=multiples(result)),
                    *_agreed(result),
                    _between(result),
                    *_falling(metrics),
                    basis(result),
                )
            ),
            alt=sentences(_curve_alt(result, metric) for metric in metrics),
            chart=panels(
                [_curve_plot(result, metric, columns) for metric in metrics], columns=columns
            ),
        )


def _agreed(result: Plain) -> list[str]:
    """Return where found and certified are one: at the dots, and with soft decisions between."""
    exact = [row["exact"] for row in result["curve"] if row["exact"] is not None]
    if result["decisions"] == "soft":
        return [_("Without a band both agree.")]
    if all(exact):
        return [_("At each dot found and certified agree.")]
    text = _("They agree at {k} of {n} dots.")
    return [text.format(k=sum(exact), n=len(exact))] if exact else []


def _between(result: Plain) -> str:
    """Return what the drawing claims between the sizes that were computed."""
    if result["decisions"] == "hard":
        return _(
            "Between dots the worst gap can only get worse with the size: what was found holds to "
            "the next dot on the right, what is certified to the next on the left."
        )
    return _("Between the computed sizes the line is drawn straight.")


def _parts(key: str, items: Sequence[Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield a few of `items` for each figure, with its key: "curve", then "curve_2"."""
    for start in range(0, len(items), MOST_PANELS):
        place = start // MOST_PANELS
        yield f"{key}_{place + 1}" if place else key, items[start : start + MOST_PANELS]


def _falling(metrics: Sequence[str]) -> list[str]:
    return [_("A ratio falls as it gets worse.")] if any(map(falls, metrics)) else []


def _curve_plot(result: Plain, metric: str, columns: int) -> dict[str, Any]:
    rows = _curve_of(result, metric)
    x, level, width = _sizes(rows), rows[0]["tolerance"], panel_width(columns)
    exact = all(row["exact"] for row in rows if row["exact"] is not None)
    tolerance = Series(
        _("tolerance {tolerance}").format(tolerance=numbers.threshold(level)),
        [Point(x.low, level), Point(x.high, level)],
        DASHED,
    )
    banded = result["decisions"] == "hard" or not exact
    found = Series(
        p_("attained by a move", "found") if banded else _("found = certified"),
        _drawn(result, rows, "found", "certified"),
        style_of(0),
    )
    plot = line_chart(
        [tolerance, found],
        x=x if columns == 1 else x.short(),
        y=_heights(rows),
        width=width,
        height=200 if columns == 1 else 160,
        key=False,
        marked=[(), _dots(rows, "found")],
        rules=_brackets(_risk_of(result, metric), x),
    )
    plot["layer"] += _heading([found, tolerance], width, label(metric), banded=banded)
    return plot


def _drawn(result: Plain, rows: Sequence[Plain], found: str, certified: str) -> list[Point]:
    """Return the line of what was found, with a band up to what is certified.

    Hard decisions change record by record, so between two computed sizes nothing is known but that
    the worst gap only grows: the found end of the smaller one and the certified end of the larger.
    """
    if result["decisions"] == "hard":
        return _steps(rows, found, certified)
    if all(row["exact"] for row in rows if row["exact"] is not None):
        return _dots(rows, found)
    return [Point(row["multiple"], row[found], row[found], row[certified]) for row in rows]


def _steps(rows: Sequence[Plain], found: str, certified: str) -> list[Point]:
    points = []
    for row, after in pairwise(rows):
        ends = (row[found], row[found], after[certified])
        points += [Point(row["multiple"], *ends), Point(after["multiple"], *ends)]
    last = rows[-1]
    return [*points, Point(last["multiple"], last[found], last[found], last[certified])]


def _dots(rows: Sequence[Plain], found: str) -> list[Point]:
    return [Point(row["multiple"], row[found]) for row in rows]


def _heading(series: Sequence[Series], width: float, title: str, *, banded: bool) -> list[Layer]:
    """Return the title and the key of a plot, above the words of its critical radius."""
    level = -12.0 - KEY_LINE_HEIGHT
    parts: list[Layer] = []
    if banded:
        parts += legend([KeyItem(_("up to certified"), "band", style_of(0))], width, bottom=level)
        level -= KEY_LINE_HEIGHT
    for one in reversed(series):
        parts += make.key([one], width, bottom=level)
        level -= KEY_LINE_HEIGHT
    return [*parts, *legend([], width, bottom=level, title=title)]


def _brackets(risk: Plain | None, x: Axis) -> list[Rule]:
    """Return the ends of the critical bracket that lie on the axis, with one text."""
    if risk is None or risk["critical_reason"]:
        return []
    safe, unsafe = risk["critical_safe"], risk["critical_unsafe"]
    held = unique(end for end in (safe, unsafe) if x.inside(end))
    if not held:
        return []
    told = _("critical {radius}").format(radius=radius(safe, unsafe))
    return [*(Rule(end) for end in held[:-1]), Rule(held[-1], told)]


def _curve_of(result: Plain, metric: str) -> list[Plain]:
    rows = [row for row in result["curve"] if row["metric"] == metric]
    return sorted(rows, key=lambda row: row["multiple"])


def _risk_of(result: Plain, metric: str) -> Plain | None:
    return next((row for row in result["risk_list"] if row["metric"] == metric), None)


def _sizes(rows: Sequence[Plain]) -> Axis:
    return Axis(_(SIZE), 0.0, max(row["multiple"] for row in rows) or 1.0)


def _heights(rows: Sequence[Plain]) -> Axis:
    held = [row[key] for row in rows for key in ("base", "found", "certified", "tolerance")]
    known = [value for value in held if value is not None]
    low, high = min(known), max(known)
    room = 0.12 * (high - low) or 0.05
    return Axis(_("Gap"), max(0.0, low - room), min(1.0, high + room))


def _curve_alt(result: Plain, metric: str) -> str:
    rows, risk = _curve_of(result, metric), _risk_of(result, metric)
    said = [
        _("at {multiple} eps {worst}").format(
            multiple=numbers.threshold(row["multiple"]),
            worst=worst(metric, row["found"], row["certified"], row["exact"]),
        )
        for row in (rows[0], rows[-1])
    ]
    text, critical = _("{metric}: {said}; tolerance {tolerance}."), ""
    if risk is not None and not risk["critical_reason"]:
        text = _("{metric}: {said}; tolerance {tolerance}; critical radius {radius} eps.")
        critical = radius(risk["critical_safe"], risk["critical_unsafe"])
    return text.format(
        metric=label(metric),
        said=separated(said),
        tolerance=numbers.threshold(rows[0]["tolerance"]),
        radius=critical,
    )


def _joint(result: Plain) -> Iterator[FigureView]:
    metrics = unique(row["metric"] for row in result["curve"])
    joint = next(iter(result["joint"]), None)
    if len(metrics) < 2 or joint is None:
        return
    series = [_normalised(result, metric, place) for place, metric in enumerate(metrics)]
    x = _sizes(result["curve"])
    y, cut = _times(series)
    tolerance = Series(_("tolerance"), [Point(x.low, 1.0), Point(x.high, 1.0)], DASHED)
    yield FigureView(
        key="joint",
        title=_("All metrics at once"),
        caption=sentences(
            (
                _(
                    "Worst gap of each metric as a multiple of its tolerance: above 1 it is past"
                    " it. Lines, bands and dots as in the figure before."
                ),
                _joint_words(joint),
                _("There is no averaging over metrics."),
                *cut,
                basis(result),
            )
        ),
        alt=_joint_words(joint),
        chart=panels(
            [
                line_chart(
                    [tolerance, *series],
                    x=x,
                    y=y,
                    width=FULL_WIDTH - Y_AXIS_SPACE,
                    height=130,
                    marked=[
                        (),
                        *(_dots(_curve_of(result, m), "normalised_found") for m in metrics),
                    ],
                    rules=[Rule(rule.at) for rule in _brackets(_as_risk(joint), x)],
                )
            ]
        ),
    )


def _as_risk(joint: Plain) -> Plain:
    return {**joint, "critical_reason": joint["reason"]}


def _normalised(result: Plain, metric: str, place: int) -> Series:
    rows = _curve_of(result, metric)
    points = _drawn(result, rows, "normalised_found", "normalised_certified")
    return Series(label(metric), points, style_of(place))


def _times(series: Sequence[Series]) -> tuple[Axis, list[str]]:
    """Return the axis of multiples of the tolerance, and in words what lies beyond it."""
    held = [end for one in series for p in one.points for end in (p.y, p.high) if end is not None]
    least, most = min([1.0, *held]), max([1.0, *held])
    room = 0.12 * (most - least) or 0.1
    high = min(most + room, MOST_TIMES)
    cut = _("Cut at {high}; the largest is {most}.").format(
        high=numbers.number(high), most=numbers.number(most)
    )
    return Axis(_("Gap / tolerance"), max(0.0, least - room), high), [cut] if most > high else []


def _joint_words(joint: Plain) -> str:
    if joint["reason"]:
        text = _("There is no joint critical radius: {reason}.")
        return text.format(reason=joint["reason"])
    where = radius(joint["critical_safe"], joint["critical_unsafe"])
    if not joint["binding_metric"]:
        text = _("Joint critical radius, in multiples of eps: {radius}.")
        return text.format(radius=where)
    text = _("Joint critical radius, in multiples of eps: {radius}, set by {metric}.")
    return text.format(radius=where, metric=label(joint["binding_metric"]))


def _direction(result: Plain) -> Iterator[FigureView]:
    known = [row for row in result["direction"] if row["share"] is not None]
    shares = [row["share"] for row in known]
    for key, parts in _parts("direction", together(known, ("feature", "group", "move", "share"))):
        columns = min(2, len(parts))
        x = _shares(shares, columns)
        plots = [_direction_plot(metrics, rows, x, columns) for metrics, rows in parts]
        yield FigureView(
            key=key,
            title=_("Direction of the worst move"),
            caption=sentences(
                (
                    _(
                        "Bar: share of the feature in what the worst move does to the gap. Below"
                        " its name: the mean move of each group of {attribute}, in the feature's"
                        " unit ({mean})."
                    ).format(attribute=result["sensitive"], mean=_(MEAN_MOVE)),
                    *_few(parts),
                    basis(result),
                )
            ),
            alt=sentences(_direction_alt(metrics, rows) for metrics, rows in parts),
            chart=panels(plots, columns=columns),
        )


def _shares(shares: Sequence[float], columns: int) -> Axis:
    """Return the axis of the bars; the plots beside each other have room for few ticks."""
    low, high = min([0.0, *shares]), 1.1 * max([0.1, *shares])
    if columns == 1:
        return Axis(_("Share in what the worst move does to the gap"), low, high, percent=True)
    ticks = (0.0, 0.5, 1.0) if high > 0.6 else (0.0, 0.2, 0.4)
    inside = [tick for tick in ticks if tick <= high]
    return Axis(_("Share"), low, high, percent=True, ticks=inside)


def _few(parts: Sequence[tuple[Sequence[str], Sequence[Plain]]]) -> list[str]:
    most = max(len(features_of(rows)) for _metrics, rows in parts)
    if most <= MOST_FEATURES:
        return []
    text = _("Drawn: the {few} features with the largest shares of {most}.")
    return [text.format(few=MOST_FEATURES, most=most)]


def _direction_plot(
    metrics: Sequence[str], rows: Sequence[Plain], x: Axis, columns: int
) -> dict[str, Any]:
    return row_chart(
        [
            _direction_row([row for row in rows if row["feature"] == name])
            for name in features_of(rows)[:MOST_FEATURES]
        ],
        x=x,
        width=FULL_WIDTH / columns - LABEL_SPACE - 24,
        title=labels(metrics),
        rules=[Rule(0.0)] if x.low < 0 else [],
    )


def _direction_row(rows: Sequence[Plain]) -> LabelledRow:
    share = rows[0]["share"]
    ends = (None, None) if share is None else (min(0.0, share), max(0.0, share))
    marks = [Mark("dark", style_of(0), None, *ends)]
    return LabelledRow(rows[0]["feature"], by_group(rows), marks)


def _direction_alt(metrics: Sequence[str], rows: Sequence[Plain]) -> str:
    said = []
    for name in features_of(rows)[:MOST_FEATURES]:
        own = [row for row in rows if row["feature"] == name]
        text = _("{feature} {share} ({moves})")
        share = numbers.percent(own[0]["share"])
        said.append(text.format(feature=name, share=share, moves=by_group(own)))
    return _("{name}: {figure}.").format(name=labels(metrics), figure=listed(said))
