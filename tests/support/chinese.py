"""Builds dossiers in Chinese and finds what is still English in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from html.parser import HTMLParser

from tests.support.messages import ROOMS, extracted

SAID = {"alt", "aria-label", "title", "content"}
"""Attributes that are read out."""
SILENT = {"script", "style", "defs"}
ENGLISH = re.compile(r"[A-Za-z][a-z'’-]+(?:[ ,;:]+[A-Za-z][a-z'’-]*){2,}")
"""Three words of Latin letters, one after another."""


class Texts(HTMLParser):
    """Every text of an HTML page, those of spoken attributes too; references are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._shut: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in SILENT or "references" in (given.get("class") or "") or self._shut:
            if tag not in ("br", "img", "meta", "link"):
                self._shut.append(tag)
            return
        self.found += [given[name] or "" for name in given if name in SAID]

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        if self._shut:
            self._shut.pop()

    def handle_data(self, data: str) -> None:
        if not self._shut:
            self.found.append(" ".join(data.split()))


def texts(html: str) -> list[str]:
    """Return the texts of a page or of a part of it."""
    parser = Texts()
    parser.feed(html)
    return [text for text in parser.found if text]


def english(html: str, *, allowed: Iterable[str] = ()) -> list[str]:
    """Return the texts that hold three Latin words in a row, once `allowed` is taken out of them.

    Parameters
    ----------
    html : str
        A page or a part of it.
    allowed : iterable of str
        What the user wrote, and names.
    """
    found = []
    for text in texts(html):
        left = text
        for one in allowed:
            left = left.replace(one, "")
        if ENGLISH.search(left):
            found.append(text)
    return found


def ours(found: Iterable[str]) -> list[str]:
    """Return the texts that hold four Latin words in a row that stand so in a message of our own.

    What the user wrote is passed over, and so are names and references.
    """
    own = _own_runs()
    return [text for text in found if own.intersection(_runs(text))]


@cache
def _own_runs() -> frozenset[tuple[str, ...]]:
    """Return every four words in a row of every English message."""
    found: set[tuple[str, ...]] = set()
    for room in ROOMS:
        for message in extracted(room):
            ids = (message.id,) if isinstance(message.id, str) else message.id
            found.update(run for text in ids for run in _runs(text))
    return frozenset(found)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    for stretch in re.findall(r"[A-Za-z][A-Za-z'’-]*(?:[ ,]+[A-Za-z][A-Za-z'’-]*){3,}", text):
        words = re.findall(r"[A-Za-z'’-]+", stretch.lower())
        yield from zip(words, words[1:], words[2:], words[3:], strict=False)


def part(html: str, anchor: str) -> str:
    """Return the section element of a page that has this id, with all that is in it."""
    start = html.index(f'id="{anchor}"')
    start = html.rindex("<", 0, start)
    depth = 0
    for tag in re.finditer(r"<(/?)section\b", html[start:]):
        depth += -1 if tag[1] else 1
        if not depth:
            return html[start : start + tag.end()]
    raise ValueError(f"no end of section {anchor}")
