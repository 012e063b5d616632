"""Charts of a comparison: the differences with their intervals, one chart a unit of measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from reportgen.language import _, mark, n_
from reportgen.render.chart_data import ALL_STYLE, Axis, Rule, Style, style_of, wrapped
from reportgen.render.charts import panels
from reportgen.render.pages.comparison_words import (
    change_named,
    difference_written,
    name_of,
    paired_named,
    ranked,
)
from reportgen.render.row_chart import LABEL_WIDTH, KeyItem, LabelledRow, Look, Mark, row_chart
from reportgen.render.view import FigureView, Plain
from reportgen.wording import clauses, sentences, separated

MOST_ROWS, MOST_LINES = 14, 36
"""Figures that a chart shows, and lines of their labels: on a page of the PDF more would be made
smaller than letters may be. The table has the others."""
UNITS: Mapping[str, tuple[str, str]] = {
    "share": (
        mark("Differences of shares, areas and gaps"),
        mark("newer less older (on the scale from 0 to 1)"),
    ),
    "net_benefit": (
        mark("Differences of net benefit"),
        mark("newer less older (net true positives per row)"),
    ),
    "per_1000": (mark("Differences of counts per 1,000"), mark("newer less older (per 1,000)")),
    "per_100": (mark("Differences of counts per 100"), mark("newer less older (per 100)")),
    "ratio": (mark("Ratios of figures"), mark("newer over older (logarithmic)")),
}
"""Title and axis of the chart of each unit of measure."""
NET_BENEFIT = ("net_benefit", "net_benefit_gain", "evpi")
OWN_UNIT = ("calibration_intercept", "calibration_slope", "mae", "r2", "gain_over_zero")
LOOKS: Mapping[str, tuple[Look, Style]] = {
    "worse": ("dot", style_of(1)),
    "better": ("dot", style_of(0)),
    "changed": ("dot", style_of(3)),
    "not shown": ("open", ALL_STYLE),
    "same": ("open", ALL_STYLE),
}
KEYS: tuple[tuple[str, str], ...] = (
    ("worse", mark("worse")),
    ("better", mark("better")),
    ("changed", mark("differs, neither side better")),
    ("not shown", mark("no change shown")),
)


def figures(section: Plain) -> list[FigureView]:
    """Return a chart of each unit of measure in which a difference has an interval."""
    rows = [row for row in section["result"]["figures"] if _drawable(row)]
    by_unit: dict[str, list[Plain]] = {unit: [] for unit in UNITS}
    for row in rows:
        if (unit := unit_of(row)) in by_unit:
            by_unit[unit].append(row)
    return [_chart(unit, own) for unit, own in by_unit.items() if own]


def _drawable(row: Plain) -> bool:
    return row["change"] in LOOKS and row["difference"].get("low") is not None


def unit_of(row: Plain) -> str:
    """Return the unit of measure of a figure: a key of `UNITS`, or "own" for one of its own."""
    metric = row["metric"]
    if row["scale"] == "ratio":
        return "ratio"
    if metric.removesuffix("_gap") in NET_BENEFIT:
        return "net_benefit"
    for unit in ("per_1000", "per_100"):
        if metric.removesuffix("_gap").endswith(f"_{unit}"):
            return unit
    values = [row[side]["estimate"] for side in ("old", "new")]
    within = all(value is not None and abs(value) <= 1 for value in values)
    own = metric.removesuffix("_gap") in OWN_UNIT or metric.endswith("critical_radius")
    return "share" if within and not own else "own"


def _chart(unit: str, rows: Sequence[Plain]) -> FigureView:
    shown = _fitting(ranked(rows))
    title, axis = UNITS[unit]
    plot = row_chart(
        [_row(row) for row in shown],
        x=_axis(_(axis), shown, log=unit == "ratio"),
        key=[KeyItem(_(text), *LOOKS[change]) for change, text in KEYS if _any(shown, change)],
        rules=[Rule(1.0 if unit == "ratio" else 0.0, _("no change"))],
    )
    return FigureView(
        key=f"differences_{unit}",
        title=_(title),
        caption=_caption(shown, len(rows)),
        alt=_alt(shown, rows),
        chart=panels([plot]),
    )


def _fitting(rows: Sequence[Plain]) -> list[Plain]:
    """Return the first rows that a page holds, one at least."""
    lines = accumulate(len(wrapped(name_of(row), LABEL_WIDTH)) + 1.6 for row in rows)
    fitting = sum(so_far <= MOST_LINES for so_far in lines)
    return list(rows[: max(1, min(fitting, MOST_ROWS))])


def _any(rows: Sequence[Plain], change: str) -> bool:
    return any(LOOKS[row["change"]] == LOOKS[change] for row in rows)


def _row(row: Plain) -> LabelledRow:
    look, style = LOOKS[row["change"]]
    found = row["difference"]
    place = separated((row["section"], paired_named(row)))
    marks = [Mark(look, style, found["estimate"], found["low"], found["high"])]
    return LabelledRow(name_of(row), place, marks)


def _axis(title: str, rows: Sequence[Plain], *, log: bool) -> Axis:
    """Return the axis over all intervals, with no change within."""
    none = 1.0 if log else 0.0
    ends = [none, *(row["difference"][end] for row in rows for end in ("low", "high"))]
    low, high = min(ends), max(ends)
    if log:
        return Axis(title, low * 0.95, high * 1.05, log=True)
    room = 0.04 * (high - low) or 0.01
    return Axis(title, low - room, high + room)


def _caption(shown: Sequence[Plain], n: int) -> str:
    left = n - len(shown)
    more = n_(
        "{n} more is in the table; those shown to differ stand first.",
        "{n} more are in the table; those shown to differ stand first.",
        left,
    )
    return sentences(
        (
            _("Each figure's change from the older to the newer dossier, with its interval."),
            _(
                "Whether higher is better depends on the figure; the mark says which it is. Worse "
                "and better are told by the interval of one figure alone."
            ),
            more.format(n=left) if left else "",
        )
    )


def _alt(shown: Sequence[Plain], rows: Sequence[Plain]) -> str:
    text = _("Of {n} figures {worse} are shown to be worse and {better} better. {figures}.")
    return text.format(
        n=len(rows),
        worse=sum(row["change"] == "worse" for row in rows),
        better=sum(row["change"] == "better" for row in rows),
        figures=clauses(_told(shown)),
    )


def _told(rows: Sequence[Plain]) -> Iterator[str]:
    for row in rows:
        text = _("{figure}: {difference}, {change}")
        yield text.format(
            figure=name_of(row),
            difference=difference_written(row),
            change=change_named(row["change"]),
        )
