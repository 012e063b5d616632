"""The one font family of the dossier: where its files are and how pages and charts get at them.

The files come from a font package, never from the system, so that a dossier looks the same on every
machine and its bytes do not depend on what happens to be installed.
"""

from __future__ import annotations

import base64
import functools
import io
import re
from html import unescape
from pathlib import Path

import fontpkg
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from reportgen.errors import Fault, MissingSoftwareError

FAMILY = "IBM Plex Sans"
INSTALL = "pip install --force-reinstall fontpkg-ibm-plex-sans"
SCHEME = "reportgen-font"
STYLES = ("normal", "italic")
WEIGHTS = (400, 700)
# What a page may need beyond the characters that stand in it: its marks drawn by CSS.
ALWAYS = "".join(map(chr, range(0x20, 0x7F))) + "×✓…–·\N{NO-BREAK SPACE}"
_ITALIC = re.compile(r"<(em|i|var|cite|dfn)\b[^>]*>(.*?)</\1>", re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")
# Characters that leave no mark of their own: white space, joiners, marks of direction.
_INVISIBLE = frozenset("\n\t\r\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff")


@functools.cache
def font_file(style: str) -> Path:
    """Return the variable font file of `style`, "normal" or "italic".

    Raises
    ------
    MissingSoftwareError
        If it is not there or cannot be read; its one fault installs it.
    """
    try:
        path = Path(fontpkg.path(FAMILY, style=style))
        with path.open("rb"):
            return path
    except (OSError, ImportError, LookupError, ValueError) as error:
        what = f"the dossier's font {FAMILY} ({style}) cannot be read ({error})"
        raise MissingSoftwareError([Fault("fonts", what, f"install it again: {INSTALL}")]) from None


@functools.cache
def _covered() -> frozenset[str]:
    with TTFont(font_file("normal"), lazy=True) as font:
        return frozenset(map(chr, font.getBestCmap()))


def missing_characters(text: str) -> list[str]:
    """Return the characters of `text` that the font cannot draw, sorted, each once."""
    return sorted(set(text) - _covered() - _INVISIBLE)


def linked_faces() -> str:
    """Return the ``@font-face`` rules of the PDF: by a name that only its fetcher resolves."""
    # No weight is named: WeasyPrint takes them from the variable file and knows no ranges.
    return "\n".join(_face(style, "", f"{SCHEME}:{style}", "truetype") for style in STYLES)


def embedded_faces(html: str) -> str:
    """Return the ``@font-face`` rules of a page that carries its fonts with it.

    The upright style holds weights 400 to 700 and the characters that stand in `html`, the italic
    one weight 400 and the characters that stand in italics. The same `html` gives the same bytes
    (no time stamp is written).
    """
    slanted = "".join(unescape(_TAGS.sub("", inner)) for _tag, inner in _ITALIC.findall(html))
    characters = {
        "normal": frozenset(html) | frozenset(ALWAYS),
        "italic": frozenset(slanted) | frozenset(" " if slanted else ""),
    }
    return "\n".join(
        _face(
            style,
            "400" if style == "italic" else f"{WEIGHTS[0]} {WEIGHTS[1]}",
            "data:font/woff2;base64,"
            + base64.b64encode(_subset(style, characters[style])).decode(),
            "woff2",
        )
        for style in STYLES
        if characters[style]
    )


def _face(style: str, weights: str, url: str, form: str) -> str:
    weight = f"font-weight:{weights};" if weights else ""
    return (
        f'@font-face{{font-family:"{FAMILY}";font-style:{style};{weight}'
        f'src:url("{url}") format("{form}")}}'
    )


@functools.lru_cache(maxsize=8)
def _subset(style: str, characters: frozenset[str]) -> bytes:
    """Return a WOFF2 file with `characters` of `style`."""
    options = Options(
        layout_features=["ccmp", "kern", "mark"],
        name_IDs=[1, 2],
        hinting=False,
        notdef_outline=True,
        glyph_names=False,
        recalc_timestamp=False,
    )
    with TTFont(font_file(style), recalcTimestamp=False) as font:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=sorted(map(ord, characters)))
        subsetter.subset(font)
        limits = {"wdth": 100, "wght": 400 if style == "italic" else WEIGHTS}
        smaller = instancer.instantiateVariableFont(font, limits)
        smaller.flavor = "woff2"
        target = io.BytesIO()
        smaller.save(target)
    return target.getvalue()
