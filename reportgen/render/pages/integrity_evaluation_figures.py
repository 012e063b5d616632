"""Charts on the evaluation: the removal of duplicates, and the figure under each convention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen.render import numbers
from reportgen.render.chart_data import ALL_STYLE, STYLES, Axis, Rule, Style
from reportgen.render.charts import panels
from reportgen.render.histogram_chart import Bar, histogram_chart
from reportgen.render.pages.integrity_evaluation_tables import most_telling, of_what
from reportgen.render.pages.integrity_words import EVERY_CLASS, convention, methods_of, metric
from reportgen.render.pages.words import coverage, limits, listed, unique
from reportgen.render.row_chart import KeyItem, LabelledRow, Look, Mark, row_chart
from reportgen.render.view import FigureView, Plain

MOST_DRAWN = 14
CHANGE = Style(STYLES[0].colour, (), "circle")
CONTROLS = Style(ALL_STYLE.colour, (), "")
BARS = Style(STYLES[0].colour)
BAR_LOOKS: Mapping[str, Look] = {"map50": "dark", "map50_95": "light"}


def removal_effect(found: Plain, result: Plain) -> Iterator[FigureView]:
    """Yield the forest of changes, then a histogram of the control changes of each mean."""
    drawn, rule = _drawn(found["rows"])
    known = [row for row in drawn if row["change"].get("estimate") is not None]
    if known:
        yield _forest(found, drawn, rule, result)
    for place, key in enumerate(unique(row["metric"] for row in found["controls_histogram"])):
        bins = [row for row in found["controls_histogram"] if row["metric"] == key]
        yield _controls(f"controls_{place + 1}", key, bins, found["rows"])


def _drawn(rows: Sequence[Plain]) -> tuple[list[Plain], str]:
    """Return the rows of the forest, and which are left out if there are many."""
    if len(rows) <= MOST_DRAWN:
        return list(rows), ""
    return most_telling(rows, MOST_DRAWN), (
        f" Drawn: the means, then classes with an interval, then the largest changes, {MOST_DRAWN} "
        f"of {numbers.count(len(rows))}; the table has all."
    )


def _forest(found: Plain, rows: Sequence[Plain], rule: str, result: Plain) -> FigureView:
    low, high = _extent(
        value
        for row in rows
        for value in (
            *(row["change"].get(end) for end in ("estimate", "low", "high")),
            row["control_low"],
            row["control_high"],
        )
    )
    covered = coverage(result)
    key = [
        KeyItem(f"change with its {covered} interval", "dot", CHANGE),
        KeyItem(f"{covered} of control removals", "dark", CONTROLS),
    ]
    chart = row_chart(
        [_forest_row(row) for row in rows],
        x=Axis("Change of the figure: without duplicates minus all images", low, high),
        key=key,
        rules=[Rule(0.0)],
    )
    return FigureView(
        key="removal",
        title="What the figures become without the duplicates",
        caption=(
            f"{_counts(found)}Dot: change, with the {covered} interval of the cluster bootstrap. "
            f"Box: the central {covered} of the changes when as many other images leave, matched "
            "by stratum. A dot in its box is what a removal of any such images does. "
            f"{methods_of([row['change'] for row in rows])}{rule}"
        ),
        alt=f"{_forest_said(rows)}{rule}",
        chart=panels([chart]),
    )


def _forest_row(row: Plain) -> LabelledRow:
    change = row["change"]
    box = Mark("dark", CONTROLS, low=row["control_low"], high=row["control_high"])
    dot = Mark(
        "dot",
        CHANGE,
        change.get("estimate"),
        change.get("low"),
        change.get("high"),
        remark=f"not estimable: {change.get('reason', '')}",
    )
    both = (row["all_images"], row["without"])
    detail = "" if None in both else " → ".join(numbers.probability(value) for value in both)
    label = metric(row["metric"], row["class"])
    return LabelledRow(label, detail, [box, dot], strong=row["class"] == EVERY_CLASS)


def _forest_said(rows: Sequence[Plain]) -> str:
    said = []
    for row in [row for row in rows if row["class"] == EVERY_CLASS] or rows[:3]:
        controls = limits({"low": row["control_low"], "high": row["control_high"]})
        said.append(
            f"{metric(row['metric'], row['class'])} changes by "
            f"{numbers.signed_estimate(row['change'])}"
            + (f", control removals by {controls}" if controls else "")
        )
    return f"{'; '.join(said)}."


def _counts(found: Plain) -> str:
    if found["duplicates"] is None or found["images"] is None:
        return ""
    return (
        f"{numbers.count(found['duplicates'])} duplicates among {numbers.count(found['images'])} "
        "images. "
    )


def _controls(key: str, name: str, bins: Sequence[Plain], rows: Sequence[Plain]) -> FigureView:
    row = next((one for one in rows if one["metric"] == name and one["class"] == EVERY_CLASS), None)
    change = None if row is None else row["change"].get("estimate")
    total = sum(one["k"] for one in bins)
    ends = [min(one["from"] for one in bins), max(one["to"] for one in bins)]
    low, high = _extent([*ends, change, 0.0])
    said = f"{numbers.count(total)} control removals change {metric(name)} by "
    said += f"{numbers.signed(ends[0])} to {numbers.signed(ends[1])}"
    if change is not None:
        said += f"; the duplicates’ own removal by {numbers.signed(change)}"
    if row is not None and row["p"] is not None:
        said += f" (two-sided p {numbers.probability(row['p'])})"
    rules = [] if change is None else [Rule(change, f"duplicates {numbers.signed(change)}")]
    chart = histogram_chart(
        [Bar(one["from"], one["to"], one["k"], "light") for one in bins],
        x=Axis(f"Change of {metric(name)}", low, high),
        y="Control removals",
        names={},
        rules=rules,
        height=130,
    )
    return FigureView(
        key=key,
        title=f"Control removals, {metric(name)}",
        caption=(
            f"{said}. Bars: sets of images matched by stratum, each left out once; dashed line: "
            "the duplicates."
        ),
        alt=f"{said}.",
        chart=panels([chart]),
    )


def _extent(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the span of the values that are known, zero in it, with a little room."""
    known = [value for value in values if value is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    room = 0.06 * ((high - low) or 0.01)
    return low - room, high + room


def evaluator(found: Plain) -> Iterator[FigureView]:
    """Yield the bars of mean average precision, two a convention."""
    means = [row for row in found["rows"] if row["class"] == EVERY_CLASS]
    drawn = [one for one in BAR_LOOKS if any(row["metric"] == one for row in means)]
    values = [row["value"] for row in means if row["metric"] in drawn and row["value"] is not None]
    if not values:
        return
    rows = [
        _bars(key, [row for row in means if row["convention"] == key], drawn)
        for key in unique(row["convention"] for row in means)
    ]
    key = [KeyItem(metric(name), BAR_LOOKS[name], BARS) for name in drawn]
    said = _bars_said(means, drawn)
    yield FigureView(
        key="conventions",
        title="The same matches under every convention",
        caption=(
            f"Bars from 0: mean average precision, 0 to 1; {of_what(found, means)} The same "
            "predictions, boxes and, but for inclusive pixels, the same matches: what differs is "
            f"the sum over recall. {said}"
        ),
        alt=said,
        chart=panels([row_chart(rows, x=Axis("Mean average precision (mAP)", 0.0, 1.0), key=key)]),
    )


def _bars(key: str, rows: Sequence[Plain], drawn: Sequence[str]) -> LabelledRow:
    values = {row["metric"]: row for row in rows}
    marks, told = [], []
    for lane, name in enumerate(drawn):
        row = values.get(name)
        value = None if row is None else row["value"]
        if value is None:
            reason = "not computed" if row is None else row["reason"] or "undefined"
            marks.append(Mark("tick", BARS, lane=lane, remark=f"not estimable: {reason}"))
            continue
        marks.append(Mark(BAR_LOOKS[name], BARS, low=0.0, high=value, lane=lane))
        told.append(numbers.probability(value))
    return LabelledRow(convention(key), " and ".join(told), marks)


def _bars_said(means: Sequence[Plain], drawn: Sequence[str]) -> str:
    """Return the least and the greatest figure with their conventions."""
    said = []
    for name in drawn:
        known = [row for row in means if row["metric"] == name and row["value"] is not None]
        if not known:
            continue
        low, high = (pick(known, key=lambda row: row["value"]) for pick in (min, max))
        said.append(
            f"{metric(name)} reads {numbers.probability(low['value'])} "
            f"({convention(low['convention'])}) to {numbers.probability(high['value'])} "
            f"({convention(high['convention'])})"
        )
    return f"{listed(said)}."
