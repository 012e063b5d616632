"""Small fonts made for tests."""

from __future__ import annotations

from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen


def save_font(path: Path, name: str, text: str, *, weight: int = 400, kind: int = 0) -> None:
    """Save a font in which every character of `text` is a wedge of half an em."""
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    pen.lineTo((0, 500))
    pen.lineTo((500, 500))
    pen.closePath()
    wedge = pen.glyph()
    glyphs = {f"g{place}": letter for place, letter in enumerate(text)}
    order = [".notdef", "space", *glyphs]
    made = FontBuilder(1000, isTTF=True)
    made.setupGlyphOrder(order)
    made.setupCharacterMap({32: "space", **{ord(c): glyph for glyph, c in glyphs.items()}})
    made.setupGlyf(dict.fromkeys(order, wedge))
    made.setupHorizontalMetrics(dict.fromkeys(order, (500, 0)))
    made.setupHorizontalHeader(ascent=800, descent=-200)
    made.setupNameTable({"familyName": name, "styleName": "Regular"}, mac=False)
    made.setupOS2(usWeightClass=weight, fsType=kind)
    made.setupPost()
    made.save(path)
