"""Small static fonts cut from large ones: few characters, one weight, the same bytes each time."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from typing import Any

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from reportgen.render.other_scripts import Face, opened

YEAR_1970 = 2_082_844_800
"""In seconds since 1904, from which fonts count; earlier dates are taken for mistaken ones."""
# Pango draws a space, and what has no mark of its own, with the font of the letter before it.
SPACES = "\N{SPACE}\N{NO-BREAK SPACE}\u2002\u2003\u2009\u200a\u202f"
SILENT = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"


@functools.lru_cache(maxsize=32)
def cut(face: Face, weight: float, characters: frozenset[str]) -> bytes:
    """Return an OpenType font of `face` at `weight` that holds `characters` and spaces alone.

    Parameters
    ----------
    face : Face
        Where the glyphs come from.
    weight : float
        What it can be drawn in, as `Face.nearest` gives it.
    characters : frozenset of str
        Single characters that the face has.
    """
    if "CFF2" in opened(face.path, face.number):
        return _rebuilt(face, weight, sorted(characters))
    return _subset(face, weight, characters)


@functools.lru_cache(maxsize=32)
def cut_for_web(face: Face, weight: float, characters: frozenset[str]) -> bytes:
    """Return what `cut` does, compressed as WOFF2."""
    with TTFont(io.BytesIO(cut(face, weight, characters)), recalcTimestamp=False) as font:
        font.flavor = "woff2"
        return _saved(font)


def _subset(face: Face, weight: float, characters: frozenset[str]) -> bytes:
    """Return the cut with the rules by which its script joins and places letters."""
    options = Options(
        layout_features=["*"],
        name_IDs=[1, 2],
        hinting=False,
        notdef_outline=True,
        glyph_names=False,
        recalc_timestamp=False,
    )
    with TTFont(face.path, fontNumber=face.number, recalcTimestamp=False, lazy=True) as font:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=sorted(map(ord, characters | set(SPACES + SILENT))))
        subsetter.subset(font)
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap = _with_spaces(table.cmap)
        if "fvar" not in font:
            return _saved(font)
        limits: dict[str, Any] = {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes}
        if "wght" in limits:
            limits["wght"] = weight
        return _saved(instancer.instantiateVariableFont(font, limits))


def _rebuilt(face: Face, weight: float, characters: Sequence[str]) -> bytes:
    """Return the cut of a CFF2 font, which a PDF cannot hold, as a CFF font.

    Only outlines and widths are kept, which is all that Chinese, Japanese and Korean text in lines
    needs.
    """
    source = opened(face.path, face.number)
    cmap = source.getBestCmap()
    names = {
        ord(one): cmap[ord(one)] for one in (*characters, *SPACES, *SILENT) if ord(one) in cmap
    }
    names = dict(sorted(_with_spaces(names).items()))
    order = [".notdef", *dict.fromkeys(name for name in names.values() if name != ".notdef")]
    drawn = {name: _glyph(face, weight, name) for name in order}
    label = "".join(letter for letter in face.family if letter.isascii() and letter.isalnum())
    head, os2 = source["hhea"], source["OS/2"]
    made = FontBuilder(source["head"].unitsPerEm, isTTF=False)
    made.font.recalcTimestamp = False
    made.updateHead(created=YEAR_1970, modified=YEAR_1970)  # else the moment of the cut
    made.setupGlyphOrder(order)
    made.setupCharacterMap(names)
    made.setupCFF(label, {}, {name: glyph[0] for name, glyph in drawn.items()}, {})
    made.setupHorizontalMetrics({name: glyph[1:] for name, glyph in drawn.items()})
    made.setupHorizontalHeader(ascent=head.ascent, descent=head.descent)
    style = "Regular" if weight < 550 else "Bold"
    made.setupNameTable({"familyName": face.family, "styleName": style}, mac=False)
    made.setupOS2(
        sTypoAscender=os2.sTypoAscender,
        sTypoDescender=os2.sTypoDescender,
        usWinAscent=os2.usWinAscent,
        usWinDescent=os2.usWinDescent,
        usWeightClass=round(weight),
        fsType=os2.fsType,
    )
    made.setupPost(keepGlyphNames=False)
    return _saved(made.font)


def _with_spaces(names: dict[int, str]) -> dict[int, str]:
    """Return glyphs by character, the spaces that the font lacks drawn as its plain one."""
    space = names.get(ord(" "))
    return names if space is None else {**dict.fromkeys(map(ord, SPACES), space), **names}


@functools.lru_cache(maxsize=20_000)
def _glyph(face: Face, weight: float, name: str) -> tuple[Any, int, int]:
    """Return outline, width and left side bearing of a glyph, in units of the font."""
    glyphs = _glyphs(face, weight)
    width = round(glyphs[name].width)
    pen, bounds = T2CharStringPen(width, glyphs), BoundsPen(glyphs)
    glyphs[name].draw(pen)
    glyphs[name].draw(bounds)
    left = 0 if bounds.bounds is None else round(bounds.bounds[0])
    return pen.getCharString(), width, left


@functools.lru_cache(maxsize=8)
def _glyphs(face: Face, weight: float) -> Any:
    return opened(face.path, face.number).getGlyphSet(location={"wght": weight})


def _saved(font: TTFont) -> bytes:
    target = io.BytesIO()
    font.save(target)
    return target.getvalue()
