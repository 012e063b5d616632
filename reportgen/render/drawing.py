"""From an Altair chart to a clean, deterministic SVG that can stand in a page with others.

What vl-convert writes depends on what it drew before (ids are counted through the process), holds
sixteen digits a number and has no accessible name. Here ids are counted anew and begin with the
figure's own key, numbers are cut to hundredths of a pixel, an element's opacity becomes that of its
fill and stroke (an element's opacity costs the PDF a transparency group each), and a title and a
description are put in.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
import xml.etree.ElementTree as ET  # reads only what vl-convert has just written
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert

from reportgen.render.fonts import FAMILY, STYLES, font_file
from reportgen.render.other_scripts import families, stack

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

# Attributes that hold lengths, so may be rounded.
_GEOMETRY = re.compile(
    r"[cr]?[xy][12]?|r|d|points|transform|viewBox|width|height|font-size"
    r"|stroke-(?:width|dasharray|dashoffset)"
)
# Attributes that say nothing on a static page; the accessible name stands on the root alone.
_NOISE = re.compile(r"aria-\w+|class|cursor|pointer-events|role|version")
_LONG_NUMBER = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_NOTHING_DRAWN = re.compile(r"M0,0h0v0h0Z|")


@functools.cache
def _register_fonts() -> None:
    vl_convert.register_font_directory(str(font_file("normal").parent))


@functools.cache
def _register_folder(folder: Path) -> None:
    vl_convert.register_font_directory(str(folder))


def draw(chart: Any, *, key: str, title: str, description: str) -> str:
    """Return `chart` as an SVG element.

    Parameters
    ----------
    chart : Altair chart
        With data of its own; it is drawn in the dossier's font.
    key : str
        Unique in the page, ``[a-z0-9-]+``; every id begins with it.
    title, description : str
        The accessible name and the finding in words; user text is allowed.

    Returns
    -------
    str
        One ``<svg>`` element without a declaration; equal charts give equal text, whatever was
        drawn before.
    """
    specification = chart.to_dict()
    config = specification.setdefault("config", {})
    config.setdefault("font", FAMILY)
    config["aria"] = False
    text = json.dumps(specification, ensure_ascii=False)
    others = tuple(family.regular.path for family in families(text))
    if others:
        # Measured by the fonts' own names, then shown by those that the page gives them.
        config["font"] = stack(text, own_names=True)
    drawn = _drawn(json.dumps(specification), engine(), others)
    if others:
        own, ours = (f'font-family="{stack(text, own_names=own)}"' for own in (True, False))
        drawn = drawn.replace(own, ours)
    return clean(drawn, key=key, title=title, description=description)


@functools.cache
def engine() -> str:
    """Return what a drawing depends on beside its chart: the engine's version, digests of fonts."""
    fonts = (hashlib.sha256(font_file(style).read_bytes()).hexdigest() for style in STYLES)
    return " ".join([version("vl-convert-python"), *fonts])


@functools.lru_cache(maxsize=256)
def _drawn(specification: str, engine: str, others: tuple[Path, ...]) -> str:  # noqa: ARG001 - part of the key
    """Return what vl-convert draws; equal charts of a run are drawn once, whatever their names."""
    _register_fonts()
    for path in others:
        _register_folder(path.parent)
    return str(vl_convert.vegalite_to_svg(specification))


def clean(svg: str, *, key: str, title: str, description: str) -> str:
    """Return the SVG of vl-convert as `draw` hands it out; see there for the parameters."""
    root = ET.fromstring(svg)  # noqa: S314
    for element in root.iter():
        _make_local(element)
    root.attrib = {"xmlns": SVG, **root.attrib}
    _drop_empty(root)
    new_ids = _number_ids(root, key)
    for element in root.iter():
        _tidy(element, new_ids)
    _name(root, key, title, description)
    return ET.tostring(root, encoding="unicode", short_empty_elements=True)


def _make_local(element: ET.Element) -> None:
    """Take the namespaces out of an element's names.

    The prefixes that ElementTree would write are a register of the whole process: other libraries
    change them.
    """
    element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    if f"{{{XLINK}}}href" in element.attrib:
        element.set("href", element.attrib.pop(f"{{{XLINK}}}href"))


def _drop_empty(parent: ET.Element) -> None:
    """Remove, from the leaves up, what draws nothing: empty groups and paths of no extent."""
    for child in list(parent):
        _drop_empty(child)
        empty_group = child.tag == "g" and not len(child)
        if empty_group or (child.tag == "path" and _draws_nothing(child)):
            parent.remove(child)


def _draws_nothing(path: ET.Element) -> bool:
    hidden = path.get("display") == "none"
    bare_ground = path.get("class") == "background" and not (path.get("fill") or path.get("stroke"))
    return hidden or bare_ground or bool(_NOTHING_DRAWN.fullmatch(path.get("d", "")))


def _number_ids(root: ET.Element, key: str) -> dict[str, str]:
    """Give every id a new name by its place in the document; return old names to new ones."""
    new_ids: dict[str, str] = {}
    for element in root.iter():
        old = element.get("id")
        if old is not None:
            new_ids[old] = f"{key}-k{len(new_ids) + 1}"
            element.set("id", new_ids[old])
    return new_ids


def _tidy(element: ET.Element, new_ids: dict[str, str]) -> None:
    opacity = element.attrib.pop("opacity", None)
    if opacity is not None and float(opacity) != 1:
        for paint in ("fill-opacity", "stroke-opacity"):
            own = float(element.get(paint, "1"))
            element.set(paint, _shorten(repr(own * float(opacity))))
    for name in list(element.attrib):
        value = element.attrib[name]
        if _NOISE.fullmatch(name):
            del element.attrib[name]
        elif _GEOMETRY.fullmatch(name):
            element.set(name, _LONG_NUMBER.sub(lambda match: _shorten(match[0]), value))
        elif name == "href" and value.startswith("#"):
            element.set(name, "#" + new_ids[value[1:]])
        elif "url(#" in value:
            element.set(name, _REFERENCE.sub(lambda match: f"url(#{new_ids[match[1]]})", value))


def _shorten(number: str) -> str:
    """Return a number of SVG with at most two decimals and no idle zeros."""
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _name(root: ET.Element, key: str, title: str, description: str) -> None:
    root.set("role", "img")
    root.set("aria-labelledby", f"{key}-title {key}-desc")
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": f"{key}-{tag}"})
        element.text = text
        root.insert(position, element)
