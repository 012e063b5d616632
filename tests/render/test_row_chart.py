"""Charts of labelled rows and maps of points: marks where they belong, names whole and as typed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import pytest
import vl_convert

from reportgen.render.chart_data import STYLES, Axis, Point, Rule, text_width
from reportgen.render.charts import panels
from reportgen.render.drawing import SVG, draw
from reportgen.render.row_chart import LABEL_WIDTH, KeyItem, LabelledRow, Mark, row_chart
from reportgen.render.scatter_chart import Cloud, scatter_chart

X = Axis("Gap", -0.1, 0.1)
WIDTH = 400.0
ONE, TWO = STYLES[:2]
AWKWARD = ["auc:Q", "a.b", "<script>alert(1)</script>", "datum['f0']", "{{ 7*7 }}"]


def drawn(chart: Any) -> ET.Element:
    return ET.fromstring(draw(panels([chart]), key="k", title="T", description="D"))


def texts(root: ET.Element) -> list[str]:
    return ["".join(element.itertext()) for element in root.iter(f"{{{SVG}}}text")]


def bars(root: ET.Element, colour: str) -> list[float]:
    """Lengths of the level lines of a colour."""
    lines = (e for e in root.iter(f"{{{SVG}}}line") if e.get("stroke") == colour)
    return [abs(float(line.get("x2", "0"))) for line in lines]


def dots(root: ET.Element, colour: str) -> int:
    return sum(e.get("fill") == colour for e in root.iter(f"{{{SVG}}}path"))


def a_row(*marks: Mark, label: str = "a", detail: str = "") -> LabelledRow:
    return LabelledRow(label, detail, marks)


def test_a_bar_is_as_long_as_its_interval() -> None:
    root = drawn(row_chart([a_row(Mark("dot", ONE, 0.0, -0.05, 0.02))], x=X, width=WIDTH))
    # 0.07 of an axis of 0.2 that is 400 pixels wide
    assert bars(root, ONE.colour) == [pytest.approx(400 * 0.07 / 0.2, abs=0.02)]
    assert dots(root, ONE.colour) == 1


def test_what_lies_outside_the_axis_gets_no_dot() -> None:
    root = drawn(row_chart([a_row(Mark("dot", ONE, 0.3, 0.2, 0.4))], x=X))
    assert dots(root, ONE.colour) == 0


def test_a_band_ends_at_the_axis() -> None:
    chart = row_chart([a_row(Mark("dot", ONE, 0.0))], x=X, width=WIDTH, band=(-0.05, 9.0))
    shaded = next(e for e in drawn(chart).iter() if e.get("fill-opacity") == "0.2")
    numbers = [float(n) for n in re.findall(r"-?[\d.]+", shaded.get("d", ""))]
    # from a quarter of the axis to its end
    assert max(numbers[::2]) == pytest.approx(300, abs=0.02)


def test_a_missing_estimate_is_said() -> None:
    missing = Mark("dot", ONE, None, remark="not estimable")
    assert "not estimable" in texts(drawn(row_chart([a_row(missing)], x=X)))


def test_lanes_and_rows_do_not_meet() -> None:
    rows = [a_row(*(Mark("dot", ONE, 0.0, lane=i) for i in range(5))) for _ in range(4)]
    chart = row_chart(rows, x=X)
    levels = [
        row["f1"]
        for part in chart["layer"]
        if part["mark"]["type"] == "point"
        for row in part["data"]["values"]
    ]
    steps = [b - a for a, b in pairwise(levels)]
    assert len(levels) == 20
    assert min(steps) >= 12
    assert 0 < levels[0] < levels[-1] < chart["height"]


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_names_are_drawn_as_typed(name: str) -> None:
    key = [KeyItem(name, "dot", ONE)]
    chart = row_chart([a_row(Mark("dot", ONE, 0.0), label=name)], x=X, key=key, title=name)
    assert texts(drawn(chart)).count(name) == 3
    assert "transform" not in str(chart)


def test_long_labels_are_broken_and_never_cut() -> None:
    name = "a site with a very long name indeed against the reference of all the others"
    root = drawn(row_chart([a_row(Mark("dot", ONE, 0.0), label=f"{name}\nsecond line")], x=X))
    lines = [text for text in texts(root) if re.search("[a-z]{3}", text)]
    assert " ".join(lines[:-1]) == name
    assert all(text_width(line) <= LABEL_WIDTH for line in lines)
    assert "second line" in lines


def test_a_key_names_every_look() -> None:
    key = [
        KeyItem("dot", "dot", ONE),
        KeyItem("open", "open", ONE),
        KeyItem("thin", "bar", ONE),
        KeyItem("stroke", "tick", ONE),
        KeyItem("half", "dark", ONE),
        KeyItem("most", "light", ONE),
        KeyItem("margin", "band", TWO),
    ]
    root = drawn(row_chart([a_row(Mark("dot", ONE, 0.0))], x=X, key=key, rules=[Rule(0.0, "none")]))
    assert {item.name for item in key} <= set(texts(root))
    opacities = {e.get("fill-opacity") for e in root.iter()}
    assert {"0.2", "0.22", "0.5"} <= opacities


def test_layers_do_not_grow_with_the_rows() -> None:
    def layers(n: int) -> int:
        rows = [a_row(Mark("dot", ONE, 0.0, -0.1, 0.1), detail="n = 1") for _ in range(n)]
        return len(row_chart(rows, x=X)["layer"])

    assert layers(40) == layers(1)


def test_a_chart_without_rows_has_its_axis() -> None:
    assert "Gap" in texts(drawn(row_chart([], x=X)))


def test_a_map_fills_what_is_marked() -> None:
    plain, failed = [Point(i / 10, 0.1) for i in range(5)], [Point(0.9, 0.9)] * 2
    clouds = [Cloud("a:Q", ONE, plain, failed), Cloud("b", TWO, plain, [])]
    axis = Axis("First component", 0.0, 1.0)
    root = drawn(scatter_chart(clouds, x=axis, y=axis, marked="decided wrongly", title="sex"))
    assert dots(root, ONE.colour) == 2
    assert dots(root, TWO.colour) == 0
    open_ones = [e for e in root.iter(f"{{{SVG}}}path") if e.get("stroke") == TWO.colour]
    assert len(open_ones) == 5 + 1  # and the sample in the key
    assert {"a:Q", "b", "sex", "filled: decided wrongly"} <= set(texts(root))


def test_no_element_has_an_opacity() -> None:
    marks = [Mark("light", ONE, None, -0.1, 0.1), Mark("dark", ONE, None, -0.05, 0.05)]
    chart = row_chart([a_row(*marks, Mark("open", TWO, 0.0, -0.01, 0.01))], x=X, band=(-0.05, 0.05))
    raw = ET.fromstring(vl_convert.vegalite_to_svg(panels([chart]).to_dict()))
    assert {e.get("opacity", "1") for e in raw.iter()} == {"1"}
