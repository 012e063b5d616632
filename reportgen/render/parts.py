"""The numbered parts of a dossier in the order in which a busy reviewer reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from reportgen.language import _, mark
from reportgen.render.pages import data_received, pages_of
from reportgen.render.placing import Figure, WrittenTable, placed_figures, placed_tables
from reportgen.render.view import Plain
from reportgen.result import SEVERITIES

MOST_TOLD = 8
"""Findings of a section that stand in full whatever they say."""
NOT_TESTABLE = mark("Not testable: ")
BEFORE: tuple[tuple[str, str, str], ...] = (
    ("decision", mark("Decision"), "decision"),
    ("risk-list", mark("Risk list"), "risks"),
    ("intended-use", mark("Intended use"), "intended_use"),
    ("data-received", mark("Data received"), "data_received"),
    ("findings", mark("All findings"), "findings"),
    ("reading", mark("How to read this dossier"), "reading"),
)
"""Anchor, title and template of what stands before the sections."""
AFTER: tuple[tuple[str, str, str], ...] = (
    ("methods", mark("Methods and references"), "methods"),
    ("inputs", mark("Inputs"), "inputs"),
    ("environment", mark("Settings and environment"), "environment"),
    ("glossary", mark("Glossary"), "glossary"),
    ("crosswalks", mark("Crosswalks to regulation and guidelines"), "crosswalks"),
    ("sign-off", mark("Sign-off"), "signoff"),
)
"""The same of what stands behind them."""
CONTENTS_AFTER = "risk-list"
"""The part that the printed contents stand behind."""


@dataclass(frozen=True)
class Part:
    """A numbered part of the dossier, with a heading of its own and an entry in the contents.

    `kind` is "section" for the sections of the run, else the name of the template.
    """

    number: int
    anchor: str
    title: str
    kind: str
    section: Plain | None = None
    findings: tuple[Plain, ...] = ()
    figures: Mapping[str, Figure] | None = None
    tables: Mapping[str, WrittenTable] | None = None

    @property
    def told(self) -> tuple[Plain, ...]:
        """The findings that stand in full."""
        return tuple(one for one in self.findings if one not in self.brief)

    @property
    def brief(self) -> tuple[Plain, ...]:
        """The findings of which a line is enough: checks that came to nothing, among many."""
        if len(self.findings) <= MOST_TOLD:
            return ()
        return tuple(one for one in self.findings if _came_to_nothing(one))

    @property
    def not_applicable(self) -> str | None:
        """Why the section could not be assessed, or None if it was."""
        reason = (self.section or {}).get("result", {}).get("not_applicable")
        return None if reason is None else str(reason)


def _came_to_nothing(finding: Plain) -> bool:
    return bool(finding["severity"] == "pass" or finding["statement"].startswith(_(NOT_TESTABLE)))


def numbered_parts(results: Plain, pictures: Mapping[str, bytes]) -> Iterator[Part]:
    """Yield the numbered parts: what decides, the sections, and what stands behind them."""
    numbers, figure_numbers, table_numbers = count(1), count(1), count(1)
    for anchor, title, kind in BEFORE:
        part = Part(next(numbers), anchor, _(title), kind)
        if anchor == data_received.ANCHOR:
            views = data_received.tables(results["inputs"])
            part = replace(part, tables=placed_tables(views, anchor, table_numbers))
        yield part
    for section in shown_sections(results):
        part = Part(
            number=next(numbers),
            anchor=f"section-{section['id']}",
            title=section["title"],
            kind="section",
            section=section,
            findings=_gravest_first(results, section["id"]),
        )
        yield (
            part if part.not_applicable else _filled(part, figure_numbers, table_numbers, pictures)
        )
    for anchor, title, kind in AFTER:
        yield Part(next(numbers), anchor, _(title), kind)


def _gravest_first(results: Plain, section: str) -> tuple[Plain, ...]:
    """Return the findings of a section: what answers its question comes first."""
    own = (one for one in results["findings"] if one["section"] == section)
    return tuple(sorted(own, key=lambda one: SEVERITIES.index(one["severity"])))


def comparison_parts(compared: Plain) -> list[Part]:
    """Return the parts of a page that holds nothing but a comparison: it, and its methods."""
    section = pages_of("comparison").section_of(compared)
    part = Part(1, f"section-{section['id']}", section["title"], "section", section=section)
    anchor, title, kind = next(one for one in AFTER if one[0] == "methods")
    return [_filled(part, count(1), count(1), {}), Part(2, anchor, _(title), kind)]


def shown_sections(results: Plain) -> list[Plain]:
    """Return the sections of a dossier, led by what changed since another one if it says so."""
    compared = results.get("comparison")
    before = [pages_of("comparison").section_of(compared)] if compared else []
    return [*before, *results["sections"]]


def _filled(
    part: Part,
    figure_numbers: Iterator[int],
    table_numbers: Iterator[int],
    pictures: Mapping[str, bytes],
) -> Part:
    """Return a section's part with its figures drawn and its tables written."""
    section = part.section or {}
    pages = pages_of(section["kind"])
    return replace(
        part,
        figures=placed_figures(pages.figures(section), section["id"], figure_numbers, pictures),
        tables=placed_tables(pages.tables(section), section["id"], table_numbers),
    )
