"""Charts on the evaluation: the removal of duplicates, and the figure under each convention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from reportgen import wording
from reportgen.language import _
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
    text = _(
        "Drawn: the means, then classes with an interval, then the largest changes, {drawn} of"
        " {total}; the table has all."
    )
    return most_telling(rows, MOST_DRAWN), text.format(
        drawn=MOST_DRAWN, total=numbers.count(len(rows))
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
        KeyItem(_("change with its {coverage} interval").format(coverage=covered), "dot", CHANGE),
        KeyItem(_("{coverage} of control removals").format(coverage=covered), "dark", CONTROLS),
    ]
    chart = row_chart(
        [_forest_row(row) for row in rows],
        x=Axis(_("Change of the figure: without duplicates minus all images"), low, high),
        key=key,
        rules=[Rule(0.0)],
    )
    return FigureView(
        key="removal",
        title=_("What the figures become without the duplicates"),
        caption=wording.sentences(
            [
                _counts(found),
                _(
                    "Dot: change, with the {coverage} interval of the cluster bootstrap. Box: the"
                    " central {coverage} of the changes when as many other images leave, matched"
                    " by stratum. A dot in its box is what a removal of any such images does."
                ).format(coverage=covered),
                methods_of(rows, "change"),
                rule,
            ]
        ),
        alt=wording.sentences([_forest_said(rows), rule]),
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
        remark=_(numbers.NOT_ESTIMABLE).format(reason=change.get("reason", "")),
    )
    both = (row["all_images"], row["without"])
    detail = "" if None in both else " → ".join(numbers.probability(value) for value in both)
    label = metric(row["metric"], row["class"])
    return LabelledRow(label, detail, [box, dot], strong=row["class"] == EVERY_CLASS)


def _forest_said(rows: Sequence[Plain]) -> str:
    said = []
    for row in [row for row in rows if row["class"] == EVERY_CLASS] or rows[:3]:
        controls = limits({"low": row["control_low"], "high": row["control_high"]})
        text = _("{metric} changes by {change}")
        if controls:
            text = _("{metric} changes by {change}, control removals by {controls}")
        said.append(
            text.format(
                metric=metric(row["metric"], row["class"]),
                change=numbers.signed_estimate(row["change"]),
                controls=controls,
            )
        )
    return _("{text}.").format(text=wording.clauses(said))


def _counts(found: Plain) -> str:
    if found["duplicates"] is None or found["images"] is None:
        return ""
    return _("{k} duplicates among {n} images.").format(
        k=numbers.count(found["duplicates"]), n=numbers.count(found["images"])
    )


def _controls(key: str, name: str, bins: Sequence[Plain], rows: Sequence[Plain]) -> FigureView:
    row = next((one for one in rows if one["metric"] == name and one["class"] == EVERY_CLASS), None)
    change = None if row is None else row["change"].get("estimate")
    total = sum(one["k"] for one in bins)
    ends = [min(one["from"] for one in bins), max(one["to"] for one in bins)]
    low, high = _extent([*ends, change, 0.0])
    said = _controls_said(total, name, ends, row)
    rules = []
    if change is not None:
        rules = [Rule(change, _("duplicates {change}").format(change=numbers.signed(change)))]
    chart = histogram_chart(
        [Bar(one["from"], one["to"], one["k"], "light") for one in bins],
        x=Axis(_("Change of {metric}").format(metric=metric(name)), low, high),
        y=_("Control removals"),
        names={},
        rules=rules,
        height=130,
    )
    return FigureView(
        key=key,
        title=_("Control removals, {metric}").format(metric=metric(name)),
        caption=wording.sentences(
            [
                said,
                _(
                    "Bars: sets of images matched by stratum, each left out once; dashed line: the"
                    " duplicates."
                ),
            ]
        ),
        alt=said,
        chart=panels([chart]),
    )


def _controls_said(total: int, name: str, ends: Sequence[float], row: Plain | None) -> str:
    """Return what the control removals and the duplicates' own removal do to a mean."""
    change = None if row is None else row["change"].get("estimate")
    p = None if row is None else row["p"]
    texts = {
        (False, False): _("{n} control removals change {metric} by {low} to {high}."),
        (False, True): _(
            "{n} control removals change {metric} by {low} to {high} (two-sided p {p})."
        ),
        (True, False): _(
            "{n} control removals change {metric} by {low} to {high}; the duplicates’ own removal"
            " by {change}."
        ),
        (True, True): _(
            "{n} control removals change {metric} by {low} to {high}; the duplicates’ own removal"
            " by {change} (two-sided p {p})."
        ),
    }
    return texts[change is not None, p is not None].format(
        n=numbers.count(total),
        metric=metric(name),
        low=numbers.signed(ends[0]),
        high=numbers.signed(ends[1]),
        change=numbers.signed(change),
        p=numbers.probability(p),
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
        title=_("The same matches under every convention"),
        caption=wording.sentences(
            [
                _("Bars from 0: mean average precision, 0 to 1; {of_what}").format(
                    of_what=of_what(found, means)
                ),
                _(
                    "The same predictions, boxes and, but for inclusive pixels, the same matches:"
                    " what differs is the sum over recall."
                ),
                said,
            ]
        ),
        alt=said,
        chart=panels(
            [row_chart(rows, x=Axis(_("Mean average precision (mAP)"), 0.0, 1.0), key=key)]
        ),
    )


def _bars(key: str, rows: Sequence[Plain], drawn: Sequence[str]) -> LabelledRow:
    values = {row["metric"]: row for row in rows}
    marks, told = [], []
    for lane, name in enumerate(drawn):
        row = values.get(name)
        value = None if row is None else row["value"]
        if value is None:
            reason = _("not computed") if row is None else row["reason"] or _("undefined")
            marks.append(
                Mark("tick", BARS, lane=lane, remark=_(numbers.NOT_ESTIMABLE).format(reason=reason))
            )
            continue
        marks.append(Mark(BAR_LOOKS[name], BARS, low=0.0, high=value, lane=lane))
        told.append(numbers.probability(value))
    return LabelledRow(convention(key), listed(told), marks)


def _bars_said(means: Sequence[Plain], drawn: Sequence[str]) -> str:
    """Return the least and the greatest figure with their conventions."""
    said = []
    for name in drawn:
        known = [row for row in means if row["metric"] == name and row["value"] is not None]
        if not known:
            continue
        low, high = (pick(known, key=lambda row: row["value"]) for pick in (min, max))
        text = _("{metric} reads {low} ({low_convention}) to {high} ({high_convention})")
        said.append(
            text.format(
                metric=metric(name),
                low=numbers.probability(low["value"]),
                low_convention=convention(low["convention"]),
                high=numbers.probability(high["value"]),
                high_convention=convention(high["convention"]),
            )
        )
    return _("{text}.").format(text=listed(said))
