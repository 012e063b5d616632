"""The charts of a FRAME section on features: coverage and domain, and the map of their space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
from reportgen.render.pages.frame_words import comparison, label_of
from reportgen.render.pages.words import coverage, unique
from reportgen.render.row_chart import LABEL_SPACE, KeyItem, LabelledRow, Look, Mark, row_chart
from reportgen.render.scatter_chart import Cloud, scatter_chart
from reportgen.render.view import FigureView, Plain

MOST_ROWS = 20
MOST_NAMED = 10
MOST_CLOUDS = 5
MOST_POINTS, MOST_MAPS = 400, 4
OTHERS = Style(AXIS_LINE, (), "circle")
COVERED, OWN = style_of(0), style_of(2)
DOMAIN = (
    ("domain_auc", "all rows", style_of(1)),
    ("domain_auc_in_negatives", "among negatives", style_of(3)),
    ("domain_auc_in_positives", "among positives", style_of(4)),
)


def made_from(result: Plain) -> list[FigureView]:
    """Return the charts of layer 3; none without features."""
    return [*_panels(result), *_maps(result)]


def _panels(result: Plain) -> Iterator[FigureView]:
    rows = once(result["representation"])
    shown = rows[:MOST_ROWS]
    if not shown:
        return
    few = f"Drawn: the first {len(shown)} of {len(rows)} comparisons; the table has all."
    yield FigureView(
        key="features",
        title="Coverage, and how well the features tell the group",
        caption=" ".join(
            (
                "Left: share of a group's rows that lie as near to the reference's units as nine "
                "in ten of its own rows do, and the reference's own share (open). Right: AUC of a "
                "classifier of the group by its features, on units it had not seen; the dashed "
                "line at 0.5 is where the features say nothing of the group. "
                f"{coverage(result)} intervals by unit. Both say that groups differ; neither says "
                "that the model fails for it.",
                *((few,) if len(rows) > len(shown) else ()),
                f"{numbers.count(len(result['features']))} features.",
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
            x=Axis("Share covered", 0.0, 1.0, ticks=ticks),
            width=width,
            key=[
                KeyItem("group covered", "dot", COVERED),
                KeyItem("reference’s own", "open", OWN),
            ],
            title="Coverage",
        ),
        row_chart(
            [LabelledRow(label_of(row), "", _domain_marks(row)) for row in rows],
            x=Axis("AUC of the group", 0.0, 1.0, ticks=ticks),
            width=width,
            key=[KeyItem(name, "dot", style) for _, name, style in DOMAIN],
            rules=[Rule(0.5)],
            labels=False,
            title="Domain classifier",
        ),
    ]


def _coverage_marks(row: Plain) -> list[Mark]:
    # The third lane keeps the rows of both panels equally high.
    third = Mark("bar", OWN, lane=2)
    if row["coverage"]["estimate"] is None:
        return [Mark("dot", COVERED, lane=1, remark="not estimable"), third]
    own = row["reference_coverage"]
    return [_mark("dot", COVERED, row["coverage"], 0), _mark("open", OWN, own, 1), third]


def _domain_marks(row: Plain) -> list[Mark]:
    if all(row[key]["estimate"] is None for key, _, _ in DOMAIN):
        return [Mark("dot", style_of(0), lane=1, remark="not estimable"), Mark("bar", OWN, lane=2)]
    return [_mark("dot", style, row[key], lane) for lane, (key, _, style) in enumerate(DOMAIN)]


def _mark(look: Look, style: Style, value: Plain, lane: int) -> Mark:
    ends = (value.get("low"), value.get("high"))
    return Mark(look, style, value["estimate"], *ends, lane)


def _panels_alt(rows: Sequence[Plain]) -> str:
    said = [
        f"{comparison(row)}: covered {numbers.percent_estimate(row['coverage'])} against "
        f"{numbers.percent_estimate(row['reference_coverage'])} of the reference itself, domain "
        f"AUC {numbers.estimate(row['domain_auc'])}"
        for row in rows[:MOST_NAMED]
    ]
    more = len(rows) - MOST_NAMED
    return "; ".join(said) + (f"; and {more} more in the table." if more > 0 else ".")


def _maps(result: Plain) -> Iterator[FigureView]:
    names = unique(row["attribute"] for row in result["map"])
    if not names:
        return
    shown = names[:MOST_MAPS]
    left = f"Not drawn: {', '.join(names[MOST_MAPS:])}."
    by_name = {name: [r for r in result["map"] if r["attribute"] == name] for name in shown}
    stands = max(sum(row["n_rows"] for row in rows) for rows in by_name.values())
    drawn = {name: _thinned(rows, MOST_POINTS // len(shown)) for name, rows in by_name.items()}
    yield FigureView(
        key="map",
        title="Map of the feature space",
        caption=(
            "The two directions in which the standardised features vary most, with their share of "
            "the variance; groups by shape and colour, rows that were decided wrongly filled. "
            "Distances on the map are not those that coverage is measured by, which uses every "
            "feature. Each panel: "
            f"{numbers.count(len(drawn[shown[0]]))} points for {numbers.count(stands)} rows, "
            "thinned evenly within each group with and without failure."
            + (f" {left}" if len(names) > len(shown) else "")
        ),
        alt=" ".join(_map_alt(name, rows) for name, rows in drawn.items()),
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
            marked="decided wrongly" if failures else "",
            width=panel_width(columns),
            height=180 if many else 320,
            title=name,
        )
        for name, rows in drawn.items()
    ]


def _map_alt(name: str, rows: Sequence[Plain]) -> str:
    failures = sum(row["failure"] for row in rows)
    return (
        f"{name}: {numbers.count(len(rows))} points, {numbers.count(failures)} of them decided "
        f"wrongly. {_spread(rows)}"
    )


def _thinned(rows: Sequence[Plain], at_most: int) -> list[Plain]:
    """Return at most so many rows, evenly along their order (group, failure, place)."""
    step = max(1, -(-len(rows) // at_most))
    return list(rows[::step])


def _components(result: Plain, rows: Sequence[Plain]) -> tuple[Axis, Axis]:
    axes = []
    for position, key in enumerate(("x", "y")):
        values = [row[key] for row in rows]
        room = 0.03 * (max(values) - min(values)) or 0.5
        ordinal = ("First", "Second")[position]
        explained = result["explained_variance"][position : position + 1]
        share = f", {numbers.percent(explained[0])}" if explained else ""
        title = f"{ordinal} component{share}"
        axes.append(Axis(title, min(values) - room, max(values) + room))
    return axes[0], axes[1]


def _clouds(rows: Sequence[Plain]) -> list[Cloud]:
    """Return the groups of most points, each with its look, and all others together."""
    names = unique(row["group"] for row in rows)
    named = names if len(names) <= MOST_CLOUDS + 1 else _largest(rows, names)
    clouds = [
        _cloud(name, style_of(place), [row for row in rows if row["group"] == name])
        for place, name in enumerate(named)
    ]
    rest = [row for row in rows if row["group"] not in named]
    if not rest:
        return clouds
    return [_cloud(f"{len(names) - len(named)} other groups", OTHERS, rest), *clouds]


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
        said.append(f"{name} {numbers.signed(values[len(values) // 2])}")
    return f"Middle point on the first component: {', '.join(said)}."
