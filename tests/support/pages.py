"""What a page is made of, read without a browser."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote

MARKS = ("path", "line", "circle", "rect", "text", "image", "polygon", "polyline", "ellipse")
EMPTY = (
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "wbr",
)
CLOSES: dict[str, tuple[str, ...]] = {
    "td": ("td", "th"),
    "th": ("td", "th"),
    "tr": ("td", "th", "tr"),
    "tbody": ("td", "th", "tr", "thead", "tbody"),
    "li": ("li",),
}
"""What a start tag ends whose own end tag was left out: HTML, section 13.1.2.4."""
WITHIN = ("tr", "tbody", "thead", "table", "ul", "ol")
"""What ends, with its end tag, cells, rows, bodies and items that are still open in it."""


def close_implied(open_: list[str], tag: str, *, end: bool = False) -> None:
    """Take from the open elements those whose end tag a start tag, or an end tag, stands for."""
    ended = ("td", "th", "tr", "thead", "tbody", "li") if end else CLOSES.get(tag, ())
    if end and tag not in WITHIN:
        return
    while open_ and open_[-1] in ended and open_[-1] != (tag if end else ""):
        open_.pop()


class Page(HTMLParser):
    """Ids, links, pieces and the marks of each chart of a page.

    Attributes
    ----------
    ids, links : list of str
        Every id, and the target of every link and every reference by id.
    addresses : list of str
        What the page would fetch: ``src``, ``href`` of anything but a link, ``url()`` of its style.
    tags : Counter
        How often each element stands there.
    marks : list of int
        Marks of each chart, one after the other.
    rows : list of int
        Rows of each table's body.
    opaque : list of str
        Elements with an ``opacity`` of their own.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.addresses: list[str] = re.findall(r"url\(\s*[\"']?([^\"')]+)", html)
        self.tags: Counter[str] = Counter()
        self.marks: list[int] = []
        self.rows: list[int] = []
        self.opaque: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.links += [one[1:] for one in self.addresses if one.startswith("#")]
        self.addresses = [one for one in self.addresses if not one.startswith("#")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        close_implied(self._open, tag)
        self.tags[tag] += 1
        self.ids += [given["id"]] if "id" in given else []
        for name in ("aria-labelledby", "aria-describedby", "for", "headers"):
            self.links += given.get(name, "").split()
        href = given.get("href", "")
        if href.startswith("#"):
            self.links.append(unquote(href[1:]))
        elif href and tag != "a":
            self.addresses.append(href)
        self.addresses += [given["src"]] if "src" in given else []
        if "opacity" in given or re.search(r"(?<!-)\bopacity\s*:", given.get("style", "")):
            self.opaque.append(tag)
        self._count(tag)
        if tag not in EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in EMPTY:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        close_implied(self._open, tag, end=True)
        while self._open and self._open.pop() != tag:
            pass

    def _count(self, tag: str) -> None:
        if tag == "svg":
            self.marks.append(0)
        elif tag in MARKS and "svg" in self._open and "clippath" not in self._open:
            self.marks[-1] += 1
        elif tag == "table":
            self.rows.append(0)
        elif tag == "tr" and self._open[-1:] == ["tbody"]:
            self.rows[-1] += 1

    def duplicates(self) -> list[str]:
        """Return the ids that stand there more than once."""
        return sorted(name for name, count in Counter(self.ids).items() if count > 1)

    def dead(self) -> list[str]:
        """Return the targets that are not there; the top of a page is always there."""
        return sorted(set(self.links) - set(self.ids) - {"top", ""})


def in_bytes(*pieces: str) -> int:
    """Return how many bytes texts have in a file."""
    return sum(len(piece.encode()) for piece in pieces)
