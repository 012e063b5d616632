"""Every character of the pages gets a font that draws it, or the build stops and names it.

A page uses the dossier's font; characters that it lacks are drawn by a small cut of another font,
which the page carries with it. A fall-back to whatever the reader's system has would show each
reader something else.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Literal
from unicodedata import name as unicode_name

from fontTools.ttLib import TTFont

from reportgen.errors import Fault, Key, ReportgenError
from reportgen.render.font_cutting import cut, cut_for_web
from reportgen.render.fonts import FAMILY, missing_characters
from reportgen.render.other_scripts import (
    BOLD,
    INSTALL,
    REGULAR,
    TURNING,
    Face,
    families,
    package_font,
    undrawable,
)

CSS_FAMILIES = f'"{FAMILY}", sans-serif'
"""How the style sheets name the font."""
FEW = 8
_RUNS = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>|([^<]+)", re.DOTALL)
_HEADING = re.compile(r"<h[1-4]\b[^>]*>(.*?)</h[1-4]>", re.DOTALL)
_ALT = re.compile(r'\b(?:alt|aria-label)="([^"]*)"')
_SVG_DATA = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
_SVG_TITLE = re.compile(r"<title\b[^>]*>(.*?)</title>", re.DOTALL)
_TAGS = re.compile(r"<[^>]*>")
_FONT_DATA = re.compile(r"data:font/[a-z0-9]+;base64,([A-Za-z0-9+/=]+)")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")


@dataclass(frozen=True)
class Stretch:
    """A stretch of text, and where it stands: the heading or chart, or the key of the manifest."""

    text: str
    place: str
    key: Key | None = None


def stretches(page: str) -> Iterator[Stretch]:
    """Yield the text of a page in its order, then that of its charts and of its images' texts."""
    headings = [(match.start(), _plain(match[1])) for match in _HEADING.finditer(page)]
    passed, place = 0, ""
    for match in _RUNS.finditer(page):
        while passed < len(headings) and headings[passed][0] < match.start():
            place = f"under “{headings[passed][1]}”"
            passed += 1
        if match[2] and match[2].strip():
            yield Stretch(unescape(match[2]), place)
    for alt in _ALT.findall(page):
        yield Stretch(unescape(alt), "in a text for screen readers")
    for data in _SVG_DATA.findall(page):
        svg = base64.b64decode(data).decode()
        title = _SVG_TITLE.search(svg)
        chart = f"in the chart “{_plain(title[1])}”" if title else "in a chart"
        for match in _RUNS.finditer(svg):
            if match[2] and match[2].strip():
                yield Stretch(unescape(match[2]), chart)


def text_of(page: str) -> str:
    """Return all text of a page, that of its charts with it."""
    return "".join(stretch.text for stretch in stretches(page))


def refuse_undrawable(page: str, *, file: str) -> None:
    """Raise if a page holds characters that no font draws, saying where each stands first.

    A font that the page carries with it counts, any other does not.

    Raises
    ------
    ReportgenError
        With a fault for each text that holds some; what the extra ``zh`` would draw is one fault.
    """
    texts = list(stretches(page))
    missing = missing_characters("".join(stretch.text for stretch in texts))
    if missing:
        _refuse(_faults([one for one in missing if one not in _carried(page)], texts, file))


def with_other_scripts(page: str, text: str, medium: Literal["screen", "print"]) -> str:
    """Return a page that carries what draws the characters of `text` its own font lacks.

    Parameters
    ----------
    page : str
        A whole page, its style sheet in it.
    text : str
        What the page and its charts hold; both media are given the same, so that each font is cut
        once.
    medium : {"screen", "print"}
        The form of the font: WOFF2, or plain OpenType for the PDF.
    """
    needed = families(text)
    if not needed:
        return page
    rules = []
    for family, characters in needed.items():
        rules.append(_rule(family.label, family.regular, REGULAR, characters, medium))
        if family.bold is not None:
            rules.append(_rule(family.label, family.bold, BOLD, characters, medium))
    labels = "".join(f'"{family.label}", ' for family in needed)
    page = page.replace(CSS_FAMILIES, f'"{FAMILY}", {labels}sans-serif')
    return page.replace("<style>", "<style>" + "\n".join(rules) + "\n", 1)


def refuse_missing_fonts(pages: Iterable[str], *, file: str) -> None:
    """Raise as `refuse_undrawable` does, for pages that do not carry their fonts yet."""
    _refuse(font_faults([one for page in pages for one in stretches(page)], file))


def font_faults(texts: Sequence[Stretch], file: str = "") -> list[Fault]:
    """Return a fault for each of `texts` with characters that no font there is can draw.

    What the extra ``zh`` would draw is one fault for all.
    """
    missing = undrawable("".join(stretch.text for stretch in texts))
    return _faults(missing, texts, file) if missing else []


def _rule(label: str, face: Face, weight: int, characters: frozenset[str], medium: str) -> str:
    nearest = face.nearest(weight)
    # WeasyPrint knows no ranges of weights; browsers would else embolden the bold once more.
    weights, content, kind = (
        (str(weight), cut(face, nearest, characters), ("ttf", "opentype"))
        if medium == "print"
        else (
            "600 900" if weight == BOLD else "100 500",
            cut_for_web(face, nearest, characters),
            ("woff2", "woff2"),
        )
    )
    data = base64.b64encode(content).decode()
    return (
        f'@font-face{{font-family:"{label}";font-weight:{weights};'
        f'src:url("data:font/{kind[0]};base64,{data}") format("{kind[1]}")}}'
    )


def _carried(page: str) -> frozenset[str]:
    """Return the characters of the fonts that a page carries with it."""
    found: set[str] = set()
    for data in _FONT_DATA.findall(page):
        with TTFont(io.BytesIO(base64.b64decode(data))) as font:
            found.update(map(chr, font.getBestCmap()))
    return frozenset(found)


def _refuse(faults: Sequence[Fault]) -> None:
    if faults:
        raise ReportgenError(faults)


def _faults(missing: Sequence[str], texts: Sequence[Stretch], file: str) -> list[Fault]:
    """Return one fault for all that the extra's scripts need, else one a text."""
    absent = package_font() is None
    chinese = [one for one in missing if absent and _CJK.match(one)]
    together: dict[str, list[str]] = {}
    for one in missing:
        if one not in chinese:
            first = next(stretch.text for stretch in texts if one in stretch.text)
            together.setdefault(first, []).append(one)
    faults = [_fault(some, texts, file, absent=absent) for some in together.values()]
    if chinese:
        faults.insert(0, _fault(chinese, texts, file, absent=True))
    return faults


def _fault(characters: list[str], texts: Sequence[Stretch], file: str, *, absent: bool) -> Fault:
    stretch = next(one for one in texts if characters[0] in one.text)
    at = stretch.text.index(characters[0])
    around = " ".join(stretch.text[max(0, at - 30) : at + 30].split())
    where = ", ".join(part for part in (file, stretch.place, f"near “{around}”") if part)
    named = ", ".join(map(_named, characters[:FEW]))
    more = f" and {len(characters) - FEW} more" if len(characters) > FEW else ""
    mend = "name a folder with a font that has it (dossier: {font_dirs: [fonts]}), or write it in "
    mend += "other letters (levels: and scores: of the manifest rename groups and models)"
    if characters[0] in TURNING:
        mend = "delete it: it shows nothing and turns the text after it round"
    if absent and _CJK.match(characters[0]):
        mend = f"install the fonts for Chinese: {INSTALL}; or {mend}"
    return Fault(where, f"the dossier's fonts cannot draw {named}{more}", mend, stretch.key)


def _named(character: str) -> str:
    words = unicode_name(character, "").lower()
    told = f", {words}" if words and not _CJK.match(character) else ""
    return f"“{character}” (U+{ord(character):04X}{told})"


def _plain(markup: str) -> str:
    return " ".join(unescape(_TAGS.sub("", markup)).split())
