"""Differences of figures between the same units: for which figures they can be had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportgen.against.alignment import Aligned, aligned
from reportgen.against.book import Rows
from reportgen.against.estimates import is_stored, paired_estimate
from reportgen.against.recipes import MAKERS, recipe_of
from reportgen.against.sides import AtHand, Side, table_at_hand
from reportgen.comparison import Match, Pairing
from reportgen.comparison.direction import scale
from reportgen.comparison.figures import scores_of, without_values
from reportgen.computing import section_generator
from reportgen.language import _, n_
from reportgen.result import Estimate
from reportgen.stats.paired import Recipe, Tally, paired_differences
from reportgen.wording import clauses

Plain = Mapping[str, Any]


class _Tables:
    """The tables of a dossier, each read once."""

    def __init__(self, side: Side) -> None:
        self._side, self._read = side, dict[str, AtHand | str]()

    def get(self, name: str) -> AtHand | str:
        if name not in self._read:
            self._read[name] = table_at_hand(self._side, name)
        return self._read[name]


@dataclass
class _Told:
    """What became of a table of the newer dossier, over all sections on it."""

    n_units: int | None = None
    reasons: list[str] = field(default_factory=list)

    def pairing(self, name: str) -> Pairing:
        reasons = clauses(dict.fromkeys(self.reasons)) or None
        return Pairing(name, self.n_units is not None, self.n_units, reasons)


@dataclass(frozen=True)
class _Section:
    """A section that both dossiers have, with its figures by their place among all matches."""

    old: Plain
    new: Plain
    figures: Mapping[int, Match]

    @property
    def tables(self) -> tuple[str | None, str | None]:
        """Names of the tables it is on."""
        return self.old["parameters"].get("table"), self.new["parameters"].get("table")


def paired_figures(
    old: Side, new: Side, matches: Sequence[Match]
) -> tuple[dict[int, Estimate], list[Pairing]]:
    """Return the differences that can be paired, and what became of each table.

    Parameters
    ----------
    old, new : Side
    matches : sequence of Match
        The figures of both.

    Returns
    -------
    differences : mapping of int to Estimate
        By place among the matches.
    pairing : list of Pairing
        One a table of the newer dossier with a figure that stands in both and could be paired.
    """
    tables = _Tables(old), _Tables(new)
    told: dict[str, _Told] = {}
    found: dict[int, Estimate] = {}
    for section in _sections(old.data, new.data, matches):
        before, after = section.tables
        if before is None or after is None:
            continue  # published figures: there is no table
        about = told.setdefault(after, _Told())
        at_hand = _at_hand(tables, before, after)
        rows = at_hand if isinstance(at_hand, str) else _rows(at_hand, section)
        if isinstance(at_hand, str) or isinstance(rows, str):
            about.reasons.append(str(rows))
            continue
        made = _differences(at_hand, rows, section, new.data["defaults"])
        found |= made
        about.n_units = max(about.n_units or 0, rows.n_units)
        about.reasons += _left_out(section, len(section.figures) - len(made))
    return found, [one.pairing(name) for name, one in told.items()]


def _sections(old: Plain, new: Plain, matches: Sequence[Match]) -> list[_Section]:
    before = {one["id"]: one for one in old["sections"]}
    figures: dict[str, dict[int, Match]] = {}
    for at, match in enumerate(matches):
        if match.held.kind in MAKERS and not without_values(match):
            figures.setdefault(match.held.section, {})[at] = match
    return [
        _Section(before[one["id"]], one, figures[one["id"]])
        for one in new["sections"]
        if one["id"] in figures
    ]


def _at_hand(
    tables: tuple[_Tables, _Tables], before: str, after: str
) -> tuple[AtHand, AtHand] | str:
    old, new = tables[0].get(before), tables[1].get(after)
    if isinstance(old, str):
        return _("an input of the older dossier is not at hand: {reason}").format(reason=old)
    if isinstance(new, str):
        return _("an input of the newer dossier is not at hand: {reason}").format(reason=new)
    return old, new


def _rows(at_hand: tuple[AtHand, AtHand], section: _Section) -> Aligned | str:
    old, new = (scores_of(one) for one in (section.old, section.new))
    return aligned(*at_hand, (old, new))


def _left_out(section: _Section, k: int) -> list[str]:
    text = n_(
        "{k} figure of {section} is not paired, for it is more than counts and ranks of rows",
        "{k} figures of {section} are not paired, for they are more than counts and ranks of rows",
        k,
    )
    return [text.format(k=k, section=section.new["id"])] if k else []


def _differences(
    at_hand: tuple[AtHand, AtHand], rows: Aligned, section: _Section, defaults: Plain
) -> dict[int, Estimate]:
    """Return the differences of a section's figures, all from the same draws of units.

    The draws follow from the newer manifest's seed and the section's id alone: no figure moves with
    which others there are. A figure that comes out other than its dossier holds it is left out.
    """
    tally = Tally(rows.unit)
    old = Rows(at_hand[0].table, rows.old, tally)
    new = Rows(at_hand[1].table, rows.new, tally)
    recipes: dict[int, tuple[Recipe, Recipe]] = {}
    for at, match in section.figures.items():
        if match.old is None or match.new is None:
            continue
        before = recipe_of(match.old, section.old, old)
        after = recipe_of(match.new, section.new, new)
        if before is not None and after is not None:
            recipes[at] = before, after
    scales = {at: scale(section.figures[at].held.metric) for at in recipes}
    found = paired_differences(
        tally,
        [(*recipes[at], scales[at]) for at in recipes],
        section_generator(defaults["seed"], f"comparison/{section.new['id']}"),
        resamples=defaults["resamples"],
        confidence=defaults["confidence"],
    )
    made: dict[int, Estimate] = {}
    for at, one in zip(recipes, found, strict=True):
        match = section.figures[at]
        if match.old is None or match.new is None:
            continue
        stored = match.old.value, match.new.value
        if is_stored(one.old, stored[0]) and is_stored(one.new, stored[1]):
            made[at] = paired_estimate(
                one,
                *stored,
                scales[at],
                n_units=rows.n_units,
                resamples=defaults["resamples"],
                confidence=defaults["confidence"],
            )
    return made
