"""What stands around a value in a Chinese sentence: a space beside Latin letters, none beside Han.

A message with ``{metric}`` cannot know whether "AUC" or "灵敏度" comes in, and Chinese sets a space
between Chinese characters and Latin letters or figures ("AUC 的差距"), none between Chinese
characters ("灵敏度的差距"). So the space at both sides of a value is decided when the value is
filled in. Only spaces of the message itself change: a value stands as it was given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter
from typing import Any

SPACED = frozenset({"zh"})
"""Languages that are written so."""
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u9fff\uf900-\ufaff"
_WIDE = re.compile(rf"[{_HAN}\u3001-\u3004\u3008-\u303f\uff00-\uffef]")
_NARROW = re.compile(r"[^\W_]|[+−±<>≤≥=%(\[)\]]")
_IS_HAN = re.compile(f"[{_HAN}]")
_TAGS, _QUOTES = "(?:<[^<>]*>)*", "[“”‘’\"']*"
_TEXT_END = re.compile(rf"(.)( ?)({_TAGS})$", re.DOTALL)
_TEXT_START = re.compile(rf"({_TAGS})( ?)(.)", re.DOTALL)
_VALUE_START = re.compile(rf"{_TAGS}{_QUOTES}{_TAGS}(.)", re.DOTALL)
_VALUE_END = re.compile(rf"(.){_TAGS}{_QUOTES}{_TAGS}$", re.DOTALL)


class Spaced(str):
    """A message whose ``format`` sets the spaces around its values as Chinese does."""

    __slots__ = ()

    def format(self, *values: Any, **named: Any) -> str:
        """Return the message with its values, which it names: see `str.format`."""
        pieces: list[str] = []
        for text, field, spec, conversion in Formatter().parse(self):
            pieces.append(text)
            if field is not None:
                how = (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
                pieces.append(str.format(f"{{{field}{how}}}", *values, **named))
        return joined(pieces)


def joined(pieces: Sequence[str]) -> str:
    """Return a message's text and its values, which take turns, text first, as one text."""
    texts, values = list(pieces[::2]), pieces[1::2]
    for place, value in enumerate(values):
        texts[place] = _before(texts[place], value)
        if place + 1 < len(texts):
            texts[place + 1] = _after(value, texts[place + 1])
    filled = zip(texts, [*values, ""][: len(texts)], strict=True)
    return "".join(text + value for text, value in filled)


def _before(text: str, value: str) -> str:
    """Return the text before a value with the space that it needs at its end."""
    end, start = _TEXT_END.search(text), _VALUE_START.match(value)
    if end is None or start is None:
        return text
    return text[: end.start(2)] + _space(end[1], end[2], start[1]) + end[3]


def _after(value: str, text: str) -> str:
    """Return the text after a value with the space that it needs at its start."""
    end, start = _VALUE_END.search(value), _TEXT_START.match(text)
    if end is None or start is None:
        return text
    return start[1] + _space(start[3], start[2], end[1]) + text[start.end(2) :]


def _space(text: str, between: str, value: str) -> str:
    """Return what belongs between a letter of the message and one of a value."""
    if _WIDE.match(value):
        return "" if _WIDE.match(text) else between
    return " " if not between and _IS_HAN.match(text) and _NARROW.match(value) else between
