"""The SVG of a chart: clean, named, and the same whatever was drawn before."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import version
from typing import Any

import altair as alt
import pytest
import vl_convert

from reportgen.render import drawing
from reportgen.render.drawing import SVG, clean, draw
from reportgen.render.fonts import FAMILY, font_file

USER_TEXTS = [
    "<script>alert(1)</script>",
    "{{ 7*7 }}",
    '"><img src=x onerror=alert(1)>',
    "R&D",
    "auc:Q",
]


def chart(name: str = "a", opacity: float = 0.8) -> Any:
    altair: Any = alt
    values = [{"f0": i / 7, "f1": i * i / 49, "f2": name if i % 2 else "b"} for i in range(8)]
    line = alt.Chart(altair.Data(values=values)).mark_line(clip=True, opacity=opacity)
    return line.encode(x="f0:Q", y="f1:Q", color=alt.Color("f2:N", title=name))


def svg(**given: Any) -> str:
    return draw(chart(), **{"key": "dca-curve", "title": "T", "description": "D", **given})


def test_the_same_whatever_was_drawn_before() -> None:
    first = svg()
    draw(chart("other"), key="x", title="", description="")
    assert svg() == first


def test_registered_prefixes_of_other_libraries_change_nothing() -> None:
    first = svg()
    ET.register_namespace("", "http://www.w3.org/1999/xhtml")
    ET.register_namespace("svg", SVG)
    assert svg() == first
    assert first.startswith(f'<svg xmlns="{SVG}" ')


def test_ids_begin_with_the_key_and_every_reference_is_resolved() -> None:
    text = svg()
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert ids
    assert len(set(ids)) == len(ids)
    assert all(name.startswith("dca-curve-") for name in ids)
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)
    assert re.findall(r"url\(#([^)]+)\)", text)


def test_two_charts_share_no_id() -> None:
    ids = [set(re.findall(r'\bid="([^"]+)"', svg(key=key))) for key in ("a", "b")]
    assert not ids[0] & ids[1]


def test_title_and_description_come_first() -> None:
    root = ET.fromstring(svg(title="Curve", description="0.1 at 0.2"))
    assert [child.tag for child in root][:2] == [f"{{{SVG}}}title", f"{{{SVG}}}desc"]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{root[0].get('id')} {root[1].get('id')}"
    assert (root[0].text, root[1].text) == ("Curve", "0.1 at 0.2")


def test_no_element_opacity_but_that_of_its_paint() -> None:
    text = svg()
    assert " opacity=" not in text
    assert 'stroke-opacity="0.8"' in text


def test_numbers_have_two_decimals_at_most() -> None:
    root = ET.fromstring(svg())
    geometry = [
        value
        for element in root.iter()
        for name, value in element.attrib.items()
        if name in {"d", "transform", "x", "y", "width", "height", "viewBox"}
    ]
    assert geometry
    assert not [value for value in geometry if re.search(r"\.\d{3}|\de-", value)]


def test_rounding_moves_nothing_by_more_than_half_a_hundredth() -> None:
    raw = f'<svg xmlns="{SVG}"><path d="M1.23456,-0.004L1e-9,7.125" fill="#000"/></svg>'
    path = ET.fromstring(clean(raw, key="k", title="", description=""))[-1]
    x, y, tiny, last = map(float, re.findall(r"-?[\d.]+", path.get("d", "")))
    assert x == pytest.approx(1.23456, abs=0.005)
    assert (y, tiny) == (0, 0)
    assert last == pytest.approx(7.125, abs=0.005)


@pytest.mark.parametrize("text", USER_TEXTS)
def test_user_text_is_drawn_as_typed(text: str) -> None:
    root = ET.fromstring(draw(chart(text), key="k", title=text, description=text))
    drawn = [element.text for element in root.iter(f"{{{SVG}}}text")]
    assert text in drawn
    assert {element.tag.removeprefix(f"{{{SVG}}}") for element in root.iter()} <= {
        "svg", "title", "desc", "g", "path", "line", "rect", "text", "defs", "clipPath",
    }  # fmt: skip


def test_font_is_the_dossiers() -> None:
    assert set(re.findall(r'font-family="([^"]+)"', svg())) == {FAMILY}


def test_the_same_in_another_process() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_drawing import svg; "
        "sys.stdout.buffer.write(svg().encode())"
    )
    folder = __file__.rpartition("/")[0]
    environment = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PATH": "/usr/bin:/bin"}
    other = subprocess.run(
        [sys.executable, "-c", code, folder], env=environment, capture_output=True, check=True
    )
    assert other.stdout.decode() == svg()


def test_equal_charts_of_a_run_are_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever their keys and titles; another chart, engine or font is drawn anew."""
    drawn = []
    real = vl_convert.vegalite_to_svg

    def counting(specification: str) -> str:
        drawn.append(specification)
        return str(real(specification))

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", counting)
    drawing._drawn.cache_clear()
    first = draw(chart("cached"), key="a", title="A", description="1")
    second = draw(chart("cached"), key="b", title="B", description="2")
    assert len(drawn) == 1
    assert re.sub(r"\bb-", "a-", second).replace(">B<", ">A<").replace(">2<", ">1<") == first
    draw(chart("other"), key="c", title="", description="")
    assert len(drawn) == 2
    monkeypatch.setattr(drawing, "engine", lambda: "another version")
    draw(chart("cached"), key="a", title="A", description="1")
    assert len(drawn) == 3


def test_engine_names_the_version_and_each_font_file() -> None:
    known, *digests = drawing.engine().split()
    assert known == version("vl-convert-python")
    files = [font_file(style).read_bytes() for style in ("normal", "italic")]
    assert digests == [hashlib.sha256(one).hexdigest() for one in files]
