"""The same drawing in fewer bytes and fewer marks.

A chart as it comes is a deep tree of groups that each move their content a little, with every
attribute repeated on every mark. Here shifts are added up, circles are circles, the grid lines of
an axis are one path, and what all marks of a group have in common is said once, on the group. The
picture is the same to a hundredth of a pixel. A page shrinks by half, and the layout of the PDF has
fewer elements to style.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET  # reads only what drawing.py has just written
from collections import Counter
from collections.abc import Iterable, Sequence

from reportgen.render.svg_clips import share_clips
from reportgen.render.svg_path import circle_of, moved, shortened

TEXT_ONLY = ("font-family", "font-size", "font-weight", "font-style", "text-anchor")
PAINT = (
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
)
INITIAL = {
    "fill-opacity": "1",
    "font-weight": "normal",
    "stroke-dasharray": "",
    "stroke-opacity": "1",
    "stroke-width": "1",
}
GROUND = "#fff"
"""Stays on each mark: a dark theme darkens it in shapes, and not in text."""
MARKS = frozenset({"circle", "line", "path", "rect", "text"})
_SHIFT = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")
_START = re.compile(r"M[-\d.]+[ -][\d.]+")
Shift = tuple[float, float]
HERE: Shift = (0.0, 0.0)


def compact(svg: str) -> str:
    """Return an SVG as :func:`reportgen.render.drawing.draw` makes it, with fewer bytes.

    Parameters
    ----------
    svg : str
        One ``svg`` element without prefixes.

    Returns
    -------
    str
        An element that draws the same.
    """
    root = ET.fromstring(svg)  # noqa: S314
    namespace = root.tag.partition("}")[0].removeprefix("{")
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        _drop_initial(element)
    _settle(root)
    _join_marks(root)
    share_clips(root)
    _hoist(root)
    _unwrap(root)
    for element in root.iter("path"):
        element.set("d", shortened(element.get("d", "")))
    root.attrib = {"xmlns": namespace, **root.attrib}
    return ET.tostring(root, encoding="unicode").replace(" />", "/>")


def _drop_initial(element: ET.Element) -> None:
    """Take away what is so without being said; no group of a chart says otherwise."""
    for name, value in INITIAL.items():
        if element.get(name) == value:
            del element.attrib[name]


def _settle(parent: ET.Element) -> None:
    """Move every shift down to the marks, and take away the groups that say nothing more."""
    settled: list[ET.Element] = []
    for child in list(parent):
        if child.tag == "g" and "clip-path" not in child.attrib:
            shift = _taken_shift(child)
            if shift is not None:
                for grandchild in child:
                    _move(grandchild, shift)
        elif child.tag in MARKS:
            _settle_mark(child)
        _settle(child)
        # Of several groups each may yet get attributes of its own.
        bare = child.tag == "g" and not child.attrib and parent.tag == "g" and len(parent) == 1
        settled += list(child) if bare else [child]
    parent[:] = settled


def _taken_shift(element: ET.Element) -> Shift | None:
    """Return the shift of an element, taken from it; None if it is turned or scaled too."""
    transform = element.get("transform", "")
    match = _SHIFT.match(transform)
    if match and not transform[match.end() :].strip():
        del element.attrib["transform"]
        return float(match[1]), float(match[2])
    return None if transform else HERE


def _move(element: ET.Element, shift: Shift) -> None:
    """Put a shift before an element's own transform."""
    if shift == HERE or element.tag not in MARKS | {"g"}:
        return
    own = element.get("transform", "")
    match = _SHIFT.match(own)
    x, y = shift
    if match:
        x, y, own = x + float(match[1]), y + float(match[2]), own[match.end() :].strip()
    element.set("transform", f"translate({number(x)},{number(y)}) {own}".strip())


def _settle_mark(mark: ET.Element) -> None:
    """Write a mark's shift into its coordinates, where it has any."""
    if mark.tag == "path" and (circle := circle_of(mark.get("d", ""))):
        mark.tag = "circle"
        del mark.attrib["d"]
        mark.set("r", circle)
    names = {"line": ("x1", "y1", "x2", "y2"), "circle": ("cx", "cy")}.get(mark.tag, ("x", "y"))
    if "clip-path" in mark.attrib or (shift := _taken_shift(mark)) is None:
        return
    if mark.tag == "path":
        _settle_path(mark, shift)
        return
    for place, name in enumerate(names):
        value = float(mark.get(name, "0")) + shift[place % 2]
        mark.attrib.pop(name, None)
        if value:
            mark.set(name, number(value))


def _settle_path(path: ET.Element, shift: Shift) -> None:
    """Write a path's shift into its places, where it has no curves."""
    d = moved(path.get("d", ""), shift)
    if d is not None:
        path.set("d", d)
    elif shift != HERE:
        path.set("transform", f"translate({number(shift[0])},{number(shift[1])})")


def _join_marks(parent: ET.Element) -> None:
    """Make one path of lines, or of signs of one shape, that follow each other and look alike."""
    joined: list[ET.Element] = []
    for child in parent:
        _join_marks(child)
        mark = _as_path(child) if child.tag == "line" else child
        may = _same_sign if child.tag == "path" else _may_join
        if child.tag in ("line", "path") and joined and may(joined[-1], mark):
            joined[-1].set("d", joined[-1].get("d", "") + mark.get("d", ""))
        else:
            joined.append(mark)
    parent[:] = joined


def _as_path(line: ET.Element) -> ET.Element:
    x1, y1, x2, y2 = (line.attrib.pop(name, "0") for name in ("x1", "y1", "x2", "y2"))
    return ET.Element("path", {"d": f"M{x1},{y1}L{x2},{y2}", **line.attrib})


def _may_join(path: ET.Element, line: ET.Element) -> bool:
    """Whether a path and a line look alike, and cover where they cross; neither is moved or cut."""
    looks = [
        {name: value for name, value in one.attrib.items() if name != "d"} for one in (path, line)
    ]
    apart = {"stroke-opacity", "transform", "clip-path"} & set(looks[0])
    open_line = path.tag == "path" and looks[0].get("fill", "none") == "none"
    return open_line and not apart and looks[0] == looks[1]


def _same_sign(path: ET.Element, sign: ET.Element) -> bool:
    """Whether `sign` is the last part of a path once more elsewhere, both filled and no more.

    Of one shape they turn the same way, so that nothing is cut out where they cross.
    """
    if path.tag != "path" or not _may_join_filled(path, sign):
        return False
    last = shortened("M" + path.get("d", "").rpartition("M")[2])
    return _shape(last) == _shape(shortened(sign.get("d", ""))) != ""


def _may_join_filled(path: ET.Element, sign: ET.Element) -> bool:
    looks = [
        {name: value for name, value in one.attrib.items() if name != "d"} for one in (path, sign)
    ]
    apart = {"fill-opacity", "stroke", "transform", "clip-path"} & set(looks[0])
    return looks[0].get("fill", "none") != "none" and not apart and looks[0] == looks[1]


def _shape(d: str) -> str:
    """Return what a path does after its first place, "" unless that is one closed line in steps."""
    start = _START.match(d)
    rest = d[start.end() :] if start else ""
    return rest if rest.endswith("z") and "M" not in rest and "L" not in rest else ""


def _hoist(parent: ET.Element) -> None:
    """Say on a group what its marks have in common, from the leaves up."""
    for child in parent:
        _hoist(child)
    if parent.tag != "g":
        return
    for name in TEXT_ONLY:
        _say_once(parent, name, [child for child in parent if _has_text(child)])
    for name in PAINT:
        _say_once(parent, name, list(parent))


def _has_text(element: ET.Element) -> bool:
    return element.tag == "text" or element.find(".//text") is not None


def _say_once(parent: ET.Element, name: str, children: Sequence[ET.Element]) -> None:
    """Move the most frequent value of an attribute to the group, if each child has one."""
    values = [child.get(name) for child in children]
    if not values or None in values or name in parent.attrib:
        return
    value = _most_frequent(str(value) for value in values)
    if value == GROUND:
        return
    parent.set(name, value)
    for child in children:
        if child.get(name) == value:
            del child.attrib[name]


def _most_frequent(values: Iterable[str]) -> str:
    return Counter(values).most_common(1)[0][0]  # of equals the first met


def _unwrap(parent: ET.Element) -> None:
    """Take away groups of one, and groups that say nothing."""
    kept: list[ET.Element] = []
    for child in parent:
        _unwrap(child)
        if child.tag == "g" and len(child) == 1 and _fits(child, child[0]):
            inner = child[0]
            inner.attrib = {**child.attrib, **inner.attrib}
            kept.append(inner)
        elif child.tag == "g" and not child.attrib:
            kept += list(child)
        else:
            kept.append(child)
    parent[:] = kept


def _fits(group: ET.Element, inner: ET.Element) -> bool:
    """Whether what a group says can be said by the one element in it."""
    placed = {"transform", "clip-path"} & set(group.attrib)
    return inner.tag in MARKS | {"g"} and not (
        placed and {"transform", "clip-path"} & set(inner.attrib)
    )


def number(value: float) -> str:
    """Return a length in at most two decimals, without idle zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    text = text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text
    return "0" if text in ("-0", "-", "") else text
