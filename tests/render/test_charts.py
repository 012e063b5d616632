"""Charts as they are drawn: user text as typed, marks whole, nothing lost in greyscale."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import pytest
import vl_convert
from altair.utils.schemapi import SchemaValidationError

from reportgen.render.chart_data import (
    ALL_STYLE,
    FULL_WIDTH,
    NONE_STYLE,
    STYLES,
    Axis,
    Interval,
    Point,
    Rule,
    Run,
    Series,
    style_of,
    wrapped,
)
from reportgen.render.charts import (
    curve_chart,
    dot_interval_chart,
    line_chart,
    panel_width,
    panels,
)
from reportgen.render.drawing import SVG, draw

AWKWARD = ["auc:Q", "a.b", "it's [x]", "<script>alert(1)</script>", "datum['f0']", "{{ 7*7 }}"]
X, Y = Axis("Threshold probability", 0.0, 1.0), Axis("Net benefit (per patient)", -0.1, 0.5)


def drawn(chart: Any) -> ET.Element:
    svg = draw(chart, key="k", title="T", description="D")
    return ET.fromstring(svg)


def texts(root: ET.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{{{SVG}}}text")]


def stroked(root: ET.Element, colour: str) -> list[ET.Element]:
    paths = (e for e in root.iter(f"{{{SVG}}}path") if e.get("stroke") == colour)
    return [path for path in paths if float(path.get("stroke-width", "1")) > 1]


def filled(root: ET.Element, colour: str) -> list[ET.Element]:
    return [e for e in root.iter(f"{{{SVG}}}path") if e.get("fill") == colour]


def a_line(name: str = "a", position: int = 0, *, band: float = 0.05) -> Series:
    points = [
        Point(i / 20, 0.4 - i / 50, 0.4 - i / 50 - band, 0.4 - i / 50 + band) for i in range(21)
    ]
    return Series(name, points, style_of(position))


def names_of_fields(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("field"), str):
            yield value["field"]
        for part in value.values():
            yield from names_of_fields(part)
    elif isinstance(value, list):
        for part in value:
            yield from names_of_fields(part)


@pytest.fixture(scope="module")
def plainly_named() -> ET.Element:
    return drawn(panels([line_chart([a_line("a")], x=X, y=Y)]))


@pytest.mark.parametrize("name", AWKWARD)
def test_an_awkward_name_keeps_its_marks_and_appears_as_typed(
    name: str, plainly_named: ET.Element
) -> None:
    awkward = drawn(panels([line_chart([a_line(name)], x=X, y=Y)]))
    count = len(list(plainly_named.iter(f"{{{SVG}}}path")))
    assert len(list(awkward.iter(f"{{{SVG}}}path"))) == count
    assert name in texts(awkward)
    assert len(stroked(awkward, STYLES[0].colour)) == 1


def test_user_text_is_never_a_field() -> None:
    series = [a_line(name, i) for i, name in enumerate(AWKWARD)]
    runs = [Run(0, 1, AWKWARD[3], "dark")]
    chart = panels([line_chart(series, x=X, y=Y, title=AWKWARD[0], runs=runs)])
    specification = chart.to_dict()
    fields = set(names_of_fields(specification))
    assert fields <= {"f0", "f1", "f2", "f3", "f8", "f9"}
    assert "transform" not in str(specification)


@pytest.fixture(scope="module")
def six_curves() -> Any:
    series = [a_line(name, i) for i, name in enumerate(AWKWARD)]
    none = Series("treat none", [Point(0, 0), Point(1, 0)], NONE_STYLE)
    return curve_chart([none], series, x=X, y=Y)


def test_many_curves_get_a_panel_each_with_their_names(six_curves: Any) -> None:
    root = drawn(six_curves)
    for name in AWKWARD:
        assert texts(root).count(name) == 2  # in the key and over its own panel
    for style in STYLES:  # the common plot, the sample in the key is a line, the own plot
        assert len(stroked(root, style.colour)) == 2
    assert texts(root).count("Threshold probability") == 1 + len(AWKWARD)


def test_few_curves_share_one_plot() -> None:
    root = drawn(curve_chart([], [a_line("a"), a_line("b", 1)], x=X, y=Y, overlaid=2))
    assert texts(root).count("Threshold probability") == 1
    assert sum(e.get("fill-opacity") == "0.16" for e in root.iter()) == 2


def test_a_gap_breaks_the_line_and_the_band() -> None:
    points = list(a_line().points)
    points[10] = Point(points[10].x, None)
    root = drawn(panels([line_chart([Series("a", points, STYLES[0])], x=X, y=Y)]))
    assert len(stroked(root, STYLES[0].colour)) == 2
    assert sum(e.get("fill-opacity") == "0.16" for e in root.iter()) == 2


def test_a_single_point_is_a_dot_with_a_bar() -> None:
    one = Series("a", [Point(0.5, 0.2, 0.1, 0.3)], STYLES[0])
    root = drawn(panels([line_chart([one], x=X, y=Y, key=False)]))
    assert len(filled(root, STYLES[0].colour)) == 1
    bars = [e for e in root.iter(f"{{{SVG}}}line") if e.get("stroke") == STYLES[0].colour]
    assert len(bars) == 1
    # 0.1 to 0.3 of an axis from −0.1 to 0.5 that is 260 pixels high
    assert abs(float(bars[0].get("y2", "0"))) == pytest.approx(260 * 0.2 / 0.6, abs=0.02)


def test_what_lies_outside_is_cut_off_and_gets_no_marker() -> None:
    falling = Series("a", [Point(i / 20, 0.4 - i / 10) for i in range(21)], STYLES[0])
    root = drawn(panels([line_chart([falling], x=X, y=Y, key=False)]))
    assert any("clip-path" in element.attrib for element in root.iter())
    inside = [point for point in falling.points if Y.inside(point.y)]
    assert len(inside) == 6
    assert len(filled(root, STYLES[0].colour)) <= len(inside)


def test_marked_points_replace_the_automatic_markers() -> None:
    marked = [[Point(0.25, 0.3), Point(0.5, 0.2), Point(0.75, 9.0)]]
    root = drawn(panels([line_chart([a_line()], x=X, y=Y, key=False, marked=marked)]))
    assert len([e for e in filled(root, "#fff") if e.get("stroke") == STYLES[0].colour]) == 2
    assert not filled(root, STYLES[0].colour)[1:]  # the band alone is filled with the colour


def test_a_strip_names_its_stretches_where_they_fit() -> None:
    runs = [Run(0.0, 0.5, "supported", "dark"), Run(0.55, 0.58, "undecided", "light")]
    runs.append(Run(0.6, 1.0, "not supported", "heavy"))
    root = drawn(panels([line_chart([a_line()], x=X, y=Y, runs=runs, key=False)]))
    words = texts(root)
    assert "supported" in words
    assert "not supported" in words
    assert "undecided" not in words
    assert "U" in words


def test_a_missing_estimate_is_shown_by_its_remark() -> None:
    intervals = [
        Interval("Rogan–Gladen", 0.12, 0.08, 0.2),
        Interval("a.b", None, None, None, "not identifiable"),
    ]
    axis = Axis("Prevalence", 0.0, 0.3, percent=True)
    root = drawn(panels([dot_interval_chart(intervals, x=axis, rules=[Rule(0.14, "sample")])]))
    assert {"Rogan–Gladen", "a.b", "not identifiable", "sample"} <= set(texts(root))
    assert "10\u00a0%" in texts(root)
    assert len(filled(root, STYLES[0].colour)) == 1


def test_nothing_but_missing_estimates_still_has_its_axis() -> None:
    axis = Axis("Prevalence", 0.0, 1.0, percent=True)
    only = [Interval("EM", None, None, None, "not identifiable")]
    root = drawn(panels([dot_interval_chart(only, x=axis)]))
    assert {"EM", "not identifiable", "Prevalence"} <= set(texts(root))


def test_a_log_axis_shows_the_stated_ticks_in_per_cent() -> None:
    axis = Axis("Prevalence", 0.0005, 0.9, log=True, percent=True, ticks=[0.001, 0.01, 0.1, 0.5])
    points = [Point(x, 0.2) for x in (0.0005, 0.01, 0.9)]
    root = drawn(panels([line_chart([Series("a", points, STYLES[0])], x=axis, y=Y, key=False)]))
    assert {"0.1\u00a0%", "1\u00a0%", "10\u00a0%", "50\u00a0%"} <= set(texts(root))


@pytest.mark.parametrize("columns", [1, 2])
def test_charts_fit_the_text_and_no_letter_is_smaller_than_9_pt(columns: int) -> None:
    charts = [
        line_chart([a_line(name)], x=X, y=Y, width=panel_width(columns), title=name)
        for name in AWKWARD[:columns]
    ]
    root = drawn(panels(charts, columns=columns))
    assert float(root.get("width", "0")) <= FULL_WIDTH + 8
    sizes = [
        float(e.get("font-size", "12px").removesuffix("px")) for e in root.iter(f"{{{SVG}}}text")
    ]
    assert min(sizes) >= 12


def test_no_element_has_an_opacity_and_marks_are_few(six_curves: Any) -> None:
    raw = ET.fromstring(vl_convert.vegalite_to_svg(six_curves.to_dict()))
    assert {e.get("opacity", "1") for e in raw.iter()} == {"1"}
    shapes = {f"{{{SVG}}}{tag}" for tag in ("path", "line", "text")}
    assert sum(element.tag in shapes for element in raw.iter()) <= 500  # before empty ones go


def test_twelve_series_differ_without_colour() -> None:
    looks = {(style_of(i).dash, style_of(i).shape) for i in range(12)}
    assert len(looks) == 12
    assert ALL_STYLE.dash != NONE_STYLE.dash


def luminance(colour: str) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("style", [*STYLES, ALL_STYLE])
def test_lines_stand_out_on_white_and_on_black(style: Any) -> None:
    assert 1.05 / (luminance(style.colour) + 0.05) >= 3
    assert (luminance(style.colour) + 0.05) / (luminance("#121212") + 0.05) >= 3


@pytest.mark.parametrize("name", ["short", "a long name " * 12, "x" * 200, "", "two  blanks"])
def test_wrapping_loses_nothing(name: str) -> None:
    lines = wrapped(name, 120)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", name)
    assert len(lines) > 1 or len(name) < 30


def test_no_plot_is_refused() -> None:
    with pytest.raises(ValueError, match="no plot"):
        panels([])


def test_altair_checks_a_chart_when_it_is_drawn() -> None:
    plot = line_chart([a_line()], x=X, y=Y)
    plot["layer"][0]["mark"]["type"] = "lnie"
    with pytest.raises(SchemaValidationError):
        panels([plot]).to_dict()
