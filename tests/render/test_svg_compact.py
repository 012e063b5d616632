"""A compacted chart draws the same and says everything once."""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
import vl_convert
from PIL import Image

from reportgen.render.drawing import SVG
from reportgen.render.html import Pages
from reportgen.render.svg_compact import compact
from reportgen.render.svg_path import circle_of, shortened

STEP = re.compile(r"([MLHVhvlz])([^MLHVhvlz]*)")
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")


def points(d: str) -> list[tuple[float, float]]:
    """Return the places of a path, read by the rules of SVG 2, section 9.3."""
    x = y = 0.0
    start = (x, y)
    found = []
    for letter, text in STEP.findall(d):
        values = [float(one) for one in NUMBER.findall(text)]
        if letter == "z":
            x, y = start
        pairs = list(zip(values[::2], values[1::2], strict=False))
        moves = {"h": [(v, 0.0) for v in values], "v": [(0.0, v) for v in values]}
        for place, (a, b) in enumerate(moves.get(letter, pairs)):
            x, y = (a, b) if letter in "ML" else (x + a, y + b)
            start = (x, y) if letter == "M" and place == 0 else start
            found.append((x, y))
    return found


def pixels(svg: str) -> np.ndarray:
    drawn = Image.open(io.BytesIO(vl_convert.svg_to_png(svg, scale=2)))
    return np.asarray(drawn.convert("RGB"), dtype=int)


def svg(inside: str) -> str:
    return (
        f'<svg xmlns="{SVG}" width="90" height="60" viewBox="0 0 90 60">'
        f'<rect width="90" height="60" fill="#fff"/>{inside}</svg>'
    )


DRAWINGS = [
    '<g fill="none" transform="translate(5,5)"><g transform="translate(10,3.5)">'
    '<line x2="50" y2="0" stroke="#d00" transform="translate(0,7)" stroke-width="3"/>'
    '<line x2="0" y2="20" stroke="#d00" transform="translate(9,0)" stroke-width="3"/>'
    '<line x2="0" y2="20" stroke="#00d" transform="translate(20,0)" stroke-width="3"/></g></g>',
    # A turned group keeps its turn, and what is in it.
    '<g transform="translate(30,30) rotate(45)"><rect width="20" height="9" fill="#080"/>'
    '<rect width="5" height="9" x="3" fill="#800"/></g>',
    # Painted one over the other: the order stays.
    '<g><rect width="30" height="30" fill="#080"/><circle cx="20" cy="20" r="12" fill="#fc0"/>'
    '<g><rect width="30" height="9" fill="#008"/></g></g>',
    # Lines that let light through are darker where they cross: they are not joined.
    '<g><line x1="5" y1="5" x2="50" y2="50" stroke="#000" stroke-width="9" stroke-opacity="0.5"/>'
    '<line x1="50" y1="5" x2="5" y2="50" stroke="#000" stroke-width="9" stroke-opacity="0.5"/></g>',
    # What is cut off stays cut off, in the place of its own coordinates.
    '<defs><clipPath id="c"><rect width="20" height="20"/></clipPath></defs>'
    '<g transform="translate(9,9)"><g clip-path="url(#c)" transform="translate(4,0)">'
    '<rect width="60" height="9" fill="#000"/></g></g>',
    '<g clip-path="url(#c)" transform="translate(9,0)"><g transform="translate(3,3)">'
    '<path d="M0,0L50,9L9,30Z" fill="#456" transform="translate(1,1)"/></g></g>'
    '<defs><clipPath id="c"><rect width="20" height="20"/></clipPath></defs>',
    # A group's paint is for those that say none; those that do keep theirs.
    '<g fill="#c00"><rect width="9" height="9"/><g><rect x="20" width="9" height="9" fill="#00c"/>'
    '<rect x="40" width="9" height="9" fill="#00c"/></g><g fill="#0c0"><rect x="60" width="9" '
    'height="9"/></g></g>',
    '<g stroke="#000" fill="none"><path transform="translate(40,30)" '
    'd="M9.5,0A9.5,9.5,0,1,1,-9.5,0A9.5,9.5,0,1,1,9.5,0"/></g>',
]  # fmt: skip


@pytest.mark.parametrize("inside", DRAWINGS)
def test_drawing_is_the_same(inside: str) -> None:
    """vl-convert's own rasteriser sees no difference but rounding at edges."""
    before = pixels(svg(inside))
    assert len(np.unique(before)) > 1
    assert np.abs(before - pixels(compact(svg(inside)))).max() <= 24


def test_charts_of_the_sample_are_drawn_the_same_and_shorter(pages: Pages) -> None:
    assert len(pages.figures) > 3
    for name, text in pages.figures.items():
        again = compact(text)
        assert len(again) <= len(text), name
        assert np.abs(pixels(text) - pixels(again)).max() <= 24, name


def test_lines_alike_are_one_mark_and_attributes_are_said_once() -> None:
    inside = "".join(
        f'<line x2="9" y2="0" stroke="#ddd" stroke-width="0.6" transform="translate(0,{at})"/>'
        for at in (1, 2, 3)
    ) + "".join(f'<text font-size="12px" fill="#000" x="{at}">t</text>' for at in (1, 2))
    _, group = ET.fromstring(compact(svg(f"<g><g>{inside}</g></g>")))
    path, *texts = group
    assert points(path.get("d", "")) == [(0, 1), (9, 1), (0, 2), (9, 2), (0, 3), (9, 3)]
    assert group.get("font-size") == "12px"
    assert not [text for text in texts if text.get("font-size")]


def test_steps_end_where_places_do() -> None:
    """A long path in steps is nowhere off by more than the rounding of one place."""
    wave = [(i / 7, 50 * math.sin(i / 9)) for i in range(900)]
    d = "M" + "L".join(f"{x},{y}" for x, y in wave)
    short = shortened(d)
    assert len(short) < 0.5 * len(d)
    for (x, y), (again_x, again_y) in zip(wave, points(short), strict=True):
        assert again_x == pytest.approx(x, abs=0.00501)
        assert again_y == pytest.approx(y, abs=0.00501)


@pytest.mark.parametrize(
    ("d", "expected"),
    [
        ("M0,0L10,0L10,5Z", [(0, 0), (10, 0), (10, 5)]),
        ("M1,1h5v5h-5Z", [(1, 1), (6, 1), (6, 6), (1, 6)]),
        ("M1,2L3,4M5,5L7,5", [(1, 2), (3, 4), (5, 5), (7, 5)]),
        ("M-0.5,-0.25L-0.75,0", [(-0.5, -0.25), (-0.75, 0)]),
        ("M1e-9,7H3V2", [(0, 7), (3, 7), (3, 2)]),
    ],
)
def test_paths_go_to_the_same_places(d: str, expected: list[tuple[float, float]]) -> None:
    assert np.allclose(points(shortened(d)), expected)


def test_after_closing_a_path_starts_where_it_began() -> None:
    assert shortened("M1,1L4,1L4,5ZM9,9L9,12") == "M1 1h3v4zM9 9v3"
    assert shortened("M1,1L4,1L4,5ZL9,9") == "M1 1h3v4zl8 8"


@pytest.mark.parametrize("d", ["M0,0C1,1,2,2,3,3", "M0,0A1,2,0,1,1,3,0", ""])
def test_curves_are_left_alone(d: str) -> None:
    assert shortened(d) == d


def test_circles() -> None:
    assert circle_of("M3.5,0A3.5,3.5,0,1,1,-3.5,0A3.5,3.5,0,1,1,3.5,0") == "3.5"
    assert circle_of("M3.5,0A3.5,2,0,1,1,-3.5,0A3.5,3.5,0,1,1,3.5,0") is None
