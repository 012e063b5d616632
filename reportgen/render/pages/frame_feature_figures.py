"""The charts of a FRAME section on features: coverage and domain, and the map of their space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.chart_data import (
    AXIS_LINE,
    FULL_WIDTH,
    PANEL_GAP,
    Axis,
    Point,
    Rule,
    Style,
    style_of,
)
from reportgen.render.charts import panel_width, panels
from reportgen.render.pages.frame_rows import once
from reportgen.render.pages.frame_words import comparison, label_of, level_shown
from reportgen.render.pages.words import coverage, unique
from reportgen.render.row_chart import LABEL_SPACE, KeyItem, LabelledRow, Look, Mark, row_chart
from reportgen.render.scatter_chart import Cloud, scatter_chart
from reportgen.render.view import FigureView, Plain
from reportgen.wording import clauses, sentences, separated

MOST_ROWS = 14
MOST_NAMED = 10
MOST_CLOUDS = 5
MOST_POINTS, MOST_MAPS = 400, 4
OTHERS = Style(AXIS_LINE, (), "circle")
COVERED, OWN = style_of(0), style_of(2)
DOMAIN = (
    ("domain_auc", mark("all rows"), style_of(1)),
    ("domain_auc_in_negatives", mark("among negatives"), style_of(3)),
    ("domain_auc_in_positives", mark("among positives"), style_of(4)),
)


def made_from(result: Plain) -> list[FigureView]:
    """Return the charts of layer 3; none without features."""
    return [*_panels(result), *_maps(result)]


def _panels(result: Plain) -> Iterator[FigureView]:
    rows = once(result["representation"])
    shown = rows[:MOST_ROWS]
    if not shown:
        return
    few = ""
    if len(rows) > len(shown):
        few = _("Drawn: the first {n} of {all} comparisons; the table has all.")
    yield FigureView(
        key="features",
        title=_("Coverage, and how well the features tell the group"),
        caption=sentences(
            (
                _(
                    "Left: share of a group's rows that lie as near to the reference's units as "
                    "nine in ten of its own rows do, and the reference's own share (open). Right: "
                    "AUC of a classifier of the group by its features, on units it had not seen; "
                    "the dashed line at 0.5 is where the features say nothing of the group. "
                    "{coverage} intervals by unit. Both say that groups differ; neither says that "
                    "the model fails for it."
                ).format(coverage=coverage(result)),
                few.format(n=len(shown), all=len(rows)),
                _("{n} features.").format(n=numbers.count(len(result["features"]))),
            )
        ),
        alt=_panels_alt(rows),
        chart=panels(_pair(shown), columns=2),
    )


def _pair(rows: Sequence[Plain]) -> list[dict[str, object]]:
    width = (FULL_WIDTH - LABEL_SPACE - PANEL_GAP) / 2 - 16
    ticks = (0, 0.2, 0.4, 0.6, 0.8, 1)
    return [
        row_chart(
            [LabelledRow(label_of(row), "", _coverage_marks(row)) for row in rows],
            x=Axis(_("Share covered"), 0.0, 1.0, ticks=ticks),
            width=width,
            key=[
                KeyItem(_("group covered"), "dot", COVERED),
                KeyItem(_("reference’s own"), "open", OWN),
            ],
            title=_("Coverage"),
        ),
        row_chart(
            [LabelledRow(label_of(row), "", _domain_marks(row)) for row in rows],
            x=Axis(_("AUC of the group"), 0.0, 1.0, ticks=ticks),
            width=width,
            key=[KeyItem(_(name), "dot", style) for _key, name, style in DOMAIN],
            rules=[Rule(0.5)],
            labels=False,
            title=_("Domain classifier"),
        ),
    ]


def _coverage_marks(row: Plain) -> list[Mark]:
    # The third lane keeps the rows of both panels equally high.
    third = Mark("bar", OWN, lane=2)
    if row["coverage"]["estimate"] is None:
        return [Mark("dot", COVERED, lane=1, remark=_("not estimable")), third]
    own = row["reference_coverage"]
    return [_mark("dot", COVERED, row["coverage"], 0), _mark("open", OWN, own, 1), third]


def _domain_marks(row: Plain) -> list[Mark]:
    if all(row[key]["estimate"] is None for key, _name, _style in DOMAIN):
        remark = _("not estimable")
        return [Mark("dot", style_of(0), lane=1, remark=remark), Mark("bar", OWN, lane=2)]
    return [_mark("dot", style, row[key], lane) for lane, (key, _name, style) in enumerate(DOMAIN)]


def _mark(look: Look, style: Style, value: Plain, lane: int) -> Mark:
    ends = (value.get("low"), value.get("high"))
    return Mark(look, style, value["estimate"], *ends, lane)


def _panels_alt(rows: Sequence[Plain]) -> str:
    said = [
        _(
            "{comparison}: covered {share} against {own} of the reference itself, domain AUC {area}"
        ).format(
            comparison=comparison(row),
            share=numbers.percent_estimate(row["coverage"]),
            own=numbers.percent_estimate(row["reference_coverage"]),
            area=numbers.estimate(row["domain_auc"]),
        )
        for row in rows[:MOST_NAMED]
    ]
    more = len(rows) - MOST_NAMED
    text = _("{figures}; and {n} more in the table.") if more > 0 else _("{figures}.")
    return text.format(figures=clauses(said), n=more)


def _maps(result: Plain) -> Iterator[FigureView]:
    names = unique(row["attribute"] for row in result["map"])
    if not names:
        return
    shown = names[:MOST_MAPS]
    left = ""
    if len(names) > len(shown):
        left = _("Not drawn: {attributes}.").format(attributes=separated(names[MOST_MAPS:]))
    by_name = {name: [r for r in result["map"] if r["attribute"] == name] for name in shown}
    stands = max(sum(row["n_rows"] for row in rows) for rows in by_name.values())
    drawn = {name: _thinned(rows, MOST_POINTS // len(shown)) for name, rows in by_name.items()}
    yield FigureView(
        key="map",
        title=_("Map of the feature space"),
        caption=sentences(
            (
                _(
                    "The two directions in which the standardised features vary most, with their "
                    "share of the variance; groups by shape and colour, rows that were decided "
                    "wrongly filled. Distances on the map are not those that coverage is measured "
                    "by, which uses every feature. Each panel: {points} points for {rows} rows, "
                    "thinned evenly within each group with and without failure."
                ).format(points=numbers.count(len(drawn[shown[0]])), rows=numbers.count(stands)),
                left,
            )
        ),
        alt=sentences(_map_alt(name, rows) for name, rows in drawn.items()),
        chart=panels(_map_plots(result, drawn), columns=min(2, len(shown))),
    )


def _map_plots(result: Plain, drawn: Mapping[str, Sequence[Plain]]) -> list[dict[str, object]]:
    x, y = _components(result, [row for rows in drawn.values() for row in rows])
    columns = min(2, len(drawn))
    many = columns > 1
    failures = any(row["failure"] for rows in drawn.values() for row in rows)
    return [
        scatter_chart(
            _clouds(rows),
            x=x,
            y=y,
            marked=_("decided wrongly") if failures else "",
            width=panel_width(columns),
            height=180 if many else 320,
            title=name,
        )
        for name, rows in drawn.items()
    ]


def _map_alt(name: str, rows: Sequence[Plain]) -> str:
    failures = sum(row["failure"] for row in rows)
    text = _("{attribute}: {points} points, {failures} of them decided wrongly.").format(
        attribute=name, points=numbers.count(len(rows)), failures=numbers.count(failures)
    )
    return sentences((text, _spread(rows)))


def _thinned(rows: Sequence[Plain], at_most: int) -> list[Plain]:
    """Return at most so many rows, evenly along their order (group, failure, place)."""
    step = max(1, -(-len(rows) // at_most))
    return list(rows[::step])


def _components(result: Plain, rows: Sequence[Plain]) -> tuple[Axis, Axis]:
    axes = []
    for position, key in enumerate(("x", "y")):
        values = [row[key] for row in rows]
        room = 0.03 * (max(values) - min(values)) or 0.5
        title = (_("First component"), _("Second component"))[position]
        explained = result["explained_variance"][position : position + 1]
        if explained:
            title = _("{component}, {share}").format(
                component=title, share=numbers.percent(explained[0])
            )
        axes.append(Axis(title, min(values) - room, max(values) + room))
    return axes[0], axes[1]


def _clouds(rows: Sequence[Plain]) -> list[Cloud]:
    """Return the groups of most points, each with its look, and all others together."""
    names = unique(row["group"] for row in rows)
    named = names if len(names) <= MOST_CLOUDS + 1 else _largest(rows, names)
    clouds = [
        _cloud(level_shown(name), style_of(place), [row for row in rows if row["group"] == name])
        for place, name in enumerate(named)
    ]
    rest = [row for row in rows if row["group"] not in named]
    if not rest:
        return clouds
    others = _("{n} other groups").format(n=len(names) - len(named))
    return [_cloud(others, OTHERS, rest), *clouds]


def _largest(rows: Sequence[Plain], names: Sequence[str]) -> list[str]:
    size = {name: sum(row["group"] == name for row in rows) for name in names}
    return sorted(names, key=lambda name: -size[name])[:MOST_CLOUDS]


def _cloud(name: str, style: Style, rows: Sequence[Plain]) -> Cloud:
    plain, failed = (
        [Point(row["x"], row["y"]) for row in rows if row["failure"] == wrong]
        for wrong in (False, True)
    )
    return Cloud(name, style, plain, failed)


def _spread(rows: Sequence[Plain]) -> str:
    """Return where the middle of each group lies on the first component."""
    said = []
    for name in unique(row["group"] for row in rows)[:MOST_NAMED]:
        values = sorted(row["x"] for row in rows if row["group"] == name)
        said.append(f"{level_shown(name)} {numbers.signed(values[len(values) // 2])}")
    text = _("Middle point on the first component: {groups}.")
    return text.format(groups=separated(said))
