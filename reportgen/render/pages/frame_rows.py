"""What the figures and the tables of a FRAME section choose from its rows, and in which order."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.pages.frame_words import NOT_ESTIMABLE, OVERALL, SHOWN
from reportgen.render.pages.words import unique
from reportgen.render.view import Plain, TableView
from reportgen.wording import sentences

MOST_PRINTED = 60
"""Rows that a table prints; of more, only KEPT."""
KEPT = 30
MOST_NOT_ESTIMABLE = 7
MOST_GAPS = 24


def rule() -> str:
    """Return which gaps come first, in words."""
    text = _(
        "those that decide come first: on hold, gap shown, primary, smallest p; at most {most} are "
        "not estimable"
    )
    return text.format(most=MOST_NOT_ESTIMABLE)


def several_scores(result: Plain) -> bool:
    """Return whether more than one score was audited."""
    return len(result["scores"]) > 1


def attributes(result: Plain) -> list[str]:
    """Return the attributes in the order of the results, without the whole table."""
    names = unique(row["attribute"] for row in result["groups"])
    return [name for name in names if name != OVERALL]


def group_row(result: Plain, score: str, attribute: str, group: str) -> Plain | None:
    """Return the figures of a group, or None if there are none."""
    wanted = (score, attribute, group)
    rows = (r for r in result["groups"] if (r["score"], r["attribute"], r["group"]) == wanted)
    return next(rows, None)


def reference_of(result: Plain, attribute: str) -> str | None:
    """Return the group that the others of an attribute are compared with."""
    return next((r["reference"] for r in result["gaps"] if r["attribute"] == attribute), None)


def primary_gaps(result: Plain) -> list[Plain]:
    """Return the comparisons of the declared family."""
    return [row for row in result["gaps"] if row["primary"]]


def main_gaps(result: Plain, metric: str, score: str) -> list[Plain]:
    """Return every comparison of a metric of a score, intersections among them."""
    return [row for row in result["gaps"] if (row["metric"], row["score"]) == (metric, score)]


def weight(row: Plain) -> tuple[int, float]:
    """Return how early a gap is named where there is no room for all; the least comes first.

    The second figure is infinite for a gap that could not be judged, unless it holds the release.
    """
    p = row["p_adjusted"] if row["p_adjusted"] is not None else row["p"]
    if row["release"] == "hold":
        return 0, 1.0 if p is None else float(p)
    order = math.inf if lacks_estimate(row) or p is None else float(p)
    if row["verdict"] in SHOWN:
        return 1, order
    return (2 if row["primary"] else 3), order


def lacks_estimate(row: Plain) -> bool:
    """Return whether a gap could not be judged."""
    return row["verdict"] == NOT_ESTIMABLE or row["p"] is None


def deciding(rows: Sequence[Plain], kept: int = KEPT, at_most: int = MOST_PRINTED) -> list[Plain]:
    """Return the gaps that decide, `kept` of them if there are more than `at_most`."""
    if len(rows) <= at_most:
        return list(rows)
    ranked = sorted(rows, key=weight)
    unjudged = [row for row in ranked if weight(row)[1] == math.inf]
    spare = unjudged[: min(MOST_NOT_ESTIMABLE, kept // 4)]
    judged = [row for row in ranked if weight(row)[1] < math.inf][: kept - len(spare)]
    chosen = {id_of(row) for row in [*judged, *spare]}
    return [row for row in rows if id_of(row) in chosen]


def id_of(row: Plain) -> tuple[str, ...]:
    """Return what tells a gap from every other."""
    return tuple(row[key] for key in ("score", "attribute", "group", "reference", "metric"))


def printed_gaps(rows: Sequence[Plain]) -> tuple[list[Plain] | None, str]:
    """Return the gaps that the PDF prints (None: all), and the rule in words."""
    kept = deciding(rows)
    if len(kept) == len(rows):
        return None, ""
    shown = {id_of(row) for row in kept}
    left = [row for row in rows if id_of(row) not in shown]
    unjudged = sum(map(lacks_estimate, left))
    return kept, _(
        "The print shows {kept} of {all} comparisons; {rule}. Not shown: {left}, {unjudged} of "
        "them not estimable."
    ).format(
        kept=len(kept),
        all=numbers.count(len(rows)),
        rule=rule(),
        left=numbers.count(len(left)),
        unjudged=numbers.count(unjudged),
    )


def deciding_groups(
    result: Plain, rows: Sequence[Plain], kept: int = KEPT, at_most: int = MOST_PRINTED
) -> list[Plain]:
    """Return the groups whose comparisons decide, with the references, in their own order."""
    if len(rows) <= at_most:
        return list(rows)
    rank = _ranks(result)
    references = {attribute: reference_of(result, attribute) for attribute in attributes(result)}

    def order(row: Plain) -> tuple[int, float]:
        if row["attribute"] == OVERALL or references.get(row["attribute"]) == row["group"]:
            return -1, 0.0
        return rank.get((row["attribute"], row["group"]), (4, math.inf))

    ranked = sorted(range(len(rows)), key=lambda place: (order(rows[place]), place))
    unjudged = [place for place in ranked if order(rows[place])[1] == math.inf]
    spare = unjudged[: min(MOST_NOT_ESTIMABLE, kept // 4)]
    left = set(unjudged)
    judged = [place for place in ranked if place not in left][: kept - len(spare)]
    return [rows[place] for place in sorted([*judged, *spare])]


def _ranks(result: Plain) -> dict[tuple[Any, Any], tuple[int, float]]:
    """Return the least weight of the comparisons of each group in the primary metrics."""
    found: dict[tuple[Any, Any], tuple[int, float]] = {}
    for row in result["gaps"]:
        if row["metric"] not in result["primary"]:
            continue
        key, own = (row["attribute"], row["group"]), weight(row)
        found[key] = min(own, found.get(key, own))
    return found


def printed_worst(result: Plain) -> tuple[list[Plain] | None, str]:
    """Return the primary gaps and the exploratory ones that stand out, for the print."""
    rows = result["gaps"]
    standing = [
        row for row in rows if row["primary"] or (row["p_adjusted"] or 1.0) <= result["alpha"]
    ]
    kept = deciding(standing, MOST_GAPS, MOST_GAPS)
    if len(kept) == len(rows):
        return None, ""
    return kept, _(
        "The print shows {kept} of {all} comparisons: primary ones, and those whose adjusted p is "
        "at most {alpha}; of too many the first of these: {rule}."
    ).format(
        kept=len(kept),
        all=numbers.count(len(rows)),
        alpha=numbers.threshold(result["alpha"]),
        rule=rule(),
    )


def printed_groups(result: Plain, rows: Sequence[Plain]) -> tuple[list[Plain] | None, str]:
    """Return the groups that the PDF prints (None: all), the rule, and what is not shown."""
    kept = deciding_groups(result, rows)
    if len(kept) == len(rows):
        return None, ""
    shown = {place_of(row) for row in kept}
    left = [row for row in rows if place_of(row) not in shown]
    text = _("The print shows {kept} of {all} rows; of the groups {rule}.").format(
        kept=len(kept), all=numbers.count(len(rows)), rule=rule()
    )
    return kept, sentences((text, not_shown(left)))


def place_of(row: Plain) -> tuple[str, ...]:
    """Return what tells a group's row from every other."""
    return row["score"], row["attribute"], row["group"]


def not_shown(left: Sequence[Plain]) -> str:
    """Return how much is in the groups that are not shown."""
    first = [row for row in left if row["score"] == left[0]["score"]]
    rows, positive = (sum(row[key] for row in first) for key in ("n_rows", "n_positive"))
    return _(
        "Not shown: {groups} groups with {rows} rows, {positive} of them positive (a row counts "
        "once for each attribute)."
    ).format(
        groups=numbers.count(len(first)),
        rows=numbers.count(rows),
        positive=numbers.count(positive),
    )


def comparisons(rows: Iterable[Plain]) -> list[tuple[str, str, str]]:
    """Return (attribute, group, reference) of each comparison, each once."""
    return unique((row["attribute"], row["group"], row["reference"]) for row in rows)


def once(rows: Iterable[Plain]) -> list[Plain]:
    """Return the first row of each comparison, for what does not depend on the score."""
    found: dict[tuple[str, str, str], Plain] = {}
    for row in rows:
        found.setdefault((row["attribute"], row["group"], row["reference"]), row)
    return list(found.values())


def first_of(rows: Iterable[Plain], test: Callable[[Plain], bool]) -> Plain | None:
    """Return the first row that passes a test, or None."""
    return next((row for row in rows if test(row)), None)


def shortened(view: TableView, result: Plain) -> TableView:
    """Return a table of groups or comparisons that prints, of many rows, those that decide.

    A table that has chosen for itself is left as it is.
    """
    if view.print_rows is not None or len(view.rows) <= MOST_PRINTED:
        return view
    rank = _ranks(result)
    last = (4, math.inf)
    order = [rank.get((row.get("attribute"), row.get("group")), last) for row in view.rows]
    ranked = sorted(range(len(order)), key=lambda place: (order[place], place))[:KEPT]
    note = _(
        "The print shows {kept} of {all} rows: those whose groups decide come first (on hold, gap "
        "shown, primary, smallest p)."
    ).format(kept=KEPT, all=numbers.count(len(view.rows)))
    return replace(
        view,
        print_rows=[view.rows[place] for place in sorted(ranked)],
        note=sentences((note, view.note)),
    )


def picture_points(
    result: Plain, score: str, attribute: str, group: str, reference: str
) -> list[Plain]:
    """Return the quantiles of one comparison's picture, ascending."""
    wanted = (score, attribute, group, reference)
    keys = ("score", "attribute", "group", "reference")
    rows = [r for r in result["plain_picture"] if tuple(r[key] for key in keys) == wanted]
    return sorted(rows, key=lambda row: row["quantile"])
