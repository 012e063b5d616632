"""A piece of a dossier's page as plain text, for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from html.parser import HTMLParser

WIDTH = 96
_BLOCKS = frozenset({"p", "h3", "h4", "li", "th", "td", "tr", "table", "ol", "ul"})
_SMALL = {"sub": "_", "sup": "^"}


class _Reader(HTMLParser):
    """Collects the blocks of text of a page, each with the element that holds it."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[tuple[str, str]] = []
        self.kind = ""
        self.text = ""
        self.small: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.close_block()
            formula = tag == "p" and dict(attrs).get("class") == "formula"
            self.kind = "formula" if formula else tag
        elif tag in _SMALL:
            self.small.append((_SMALL[tag], self.text))
            self.text = ""

    def handle_endtag(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.close_block()
        elif tag in _SMALL and self.small:
            sign, before = self.small.pop()
            held = self.text.strip()
            self.text = before + sign + (held if held.isalnum() else f"{{{held}}}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def close_block(self) -> None:
        """End the block that is open."""
        text = re.sub(r"\s+", " ", self.text).strip()
        if text:
            self.blocks.append((self.kind, text))
        self.kind, self.text = "p", ""


def blocks_of(html: str) -> list[tuple[str, str]]:
    """Return the blocks of a page: the element ("formula" of such a paragraph) and its text."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.close_block()
    return reader.blocks


def plain_text(html: str) -> str:
    """Return a page as text of at most 96 characters a line.

    Headings stand alone, formulas are set in, items of lists are numbered, of a table each row is a
    term and what it says. What is set low or high is written ``x_j``, ``x^2``.
    """
    return "\n".join(_lines(blocks_of(html))).strip("\n") + "\n"


def _lines(blocks: list[tuple[str, str]]) -> Iterator[str]:
    number, before = 0, ""
    for kind, text in blocks:
        number = number + 1 if kind == "li" else 0
        if kind in ("h3", "h4"):
            yield from ("", text, "-" * len(text))
        elif kind == "li":
            yield from wrapped(text, first=f"{number:>3}. ", rest="     ")
        elif kind == "th":
            yield from ("", *wrapped(text, first="  "))
        elif kind == "td":
            yield from wrapped(text, first="    ")
        else:
            apart = [""] if before not in ("h3", "h4", "") else []
            yield from (*apart, *wrapped(text, first="    " if kind == "formula" else ""))
        before = kind


def wrapped(text: str, *, first: str = "", rest: str | None = None) -> list[str]:
    """Return text in lines, the first after `first`, the others after `rest` or as deep."""
    deep = " " * len(first) if rest is None else rest
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=deep,
        break_long_words=False,
        break_on_hyphens=False,
    )
