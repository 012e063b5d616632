"""The tables of a FRAME section on gaps: verdicts, next steps, every gap, what could be shown."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.language import _
from reportgen.render import numbers
from reportgen.render.pages.frame_columns import (
    comparison_column,
    full,
    gap_named,
    metric_column,
    scored,
)
from reportgen.render.pages.frame_rows import (
    lacks_estimate,
    once,
    primary_gaps,
    printed_gaps,
    printed_worst,
)
from reportgen.render.pages.frame_words import (
    BEYOND,
    SAYS,
    VERDICTS,
    comparison,
    draws,
    level,
    margin,
    next_step,
)
from reportgen.render.pages.words import coverage, unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import clauses, sentences


def verdicts(section: str, result: Plain) -> list[TableView]:
    """Return the tables that the page opens with: verdicts, and what to do next."""
    made = (_verdicts(section, result), _next_steps(section, result))
    return [table for table in made if table is not None]


def made_from(section: str, result: Plain) -> list[TableView]:
    """Return the tables of a section's gaps, in the order of the page."""
    kinds = (_gaps, _power)
    made = (kind(section, result) for kind in kinds)
    return [table for table in made if table is not None]


def _verdicts(section: str, result: Plain) -> TableView | None:
    rows = primary_gaps(result)
    printed, note = printed_gaps(rows)
    return TableView(
        key="verdicts",
        caption=_(
            "Verdict on every primary comparison. Gap: group less reference, with {coverage} "
            "interval (MOVER); p adjusted by Holm over {family} comparisons; margin {margin}. The "
            "release follows from the verdict by the rule under Methods."
        ).format(
            coverage=coverage(result),
            family=numbers.count(result["family_size"]),
            margin=margin(result),
        ),
        columns=[
            comparison_column(),
            Column("gap", _("Gap"), "signed_estimate"),
            Column("p_adjusted_text", _("p, adjusted")),
            Column("verdict", _("Verdict")),
            Column("release", _("Release")),
        ],
        rows=[_judged(row, result) for row in rows],
        print_rows=None if printed is None else [_judged(row, result) for row in printed],
        csv=file_name(section, "gaps"),
        note=sentences((note, _why_not(rows), _in_favour(rows))),
    )


def _judged(row: Plain, result: Plain) -> Plain:
    """Return a primary comparison with its verdict and release in words."""
    said = {key: _(row[key]) for key in ("verdict", "release") if row[key]}
    return {**full(row, result), **said}


def _why_not(rows: Sequence[Plain]) -> str:
    """Return why the comparisons without a verdict have none, each reason once."""
    reasons = unique(row["reason"] for row in rows if lacks_estimate(row) and row["reason"])
    if not reasons:
        return ""
    text = _("Not estimable: {reasons}.")
    if len(reasons) > 6:
        text = _("Not estimable: {reasons}, and {n} more reasons.")
    return text.format(reasons=clauses(reasons[:6]), n=len(reasons) - 6)


def _in_favour(rows: Sequence[Plain]) -> str:
    """Return the gaps beyond the margin that do not bear on the release, since the group gains."""
    found = [row for row in rows if row["verdict"] in BEYOND and row["release"] == "release"]
    said = _some([comparison(row) for row in found])
    if not found:
        return ""
    text = _(
        "In the group's favour, so that the release is not held: {comparisons}. There the "
        "reference is the one worse off."
    )
    return text.format(comparisons=said)


def _next_steps(_section: str, result: Plain) -> TableView | None:
    rows = [
        {
            "verdict": _("{verdict} ({comparisons})").format(
                verdict=_(verdict),
                comparisons=_some([full(row, result)["name"] for row in found]),
            ),
            "says": _(SAYS[verdict]),
            "next": next_step(result, verdict),
        }
        for verdict in VERDICTS
        if (found := [row for row in primary_gaps(result) if row["verdict"] == verdict])
    ]
    if not rows:
        return None
    return TableView(
        key="next_steps",
        caption=_("What each verdict says, and what to do next."),
        columns=[
            Column("verdict", _("Verdict, and where")),
            Column("says", _("What it says")),
            Column("next", _("What to do next")),
        ],
        rows=rows,
    )


def _some(names: Sequence[str]) -> str:
    """Return a few names and how many more there are."""
    if len(names) <= 5:
        return clauses(names)
    return _("{names}; and {n} more").format(names=clauses(names[:4]), n=len(names) - 4)


def _gaps(section: str, result: Plain) -> TableView:
    rows = result["gaps"]
    printed, note = printed_worst(result)
    exploratory = _(
        "The others are exploratory, adjusted by Benjamini and Hochberg: a small p there is a "
        "question for new data, not a verdict."
    )
    caption = _(
        "Every gap. Group less reference with {coverage} interval (MOVER), beside it the "
        "percentile interval of {draws}. * primary: p adjusted by Holm over {family} comparisons."
    ).format(
        coverage=coverage(result),
        draws=draws(result),
        family=numbers.count(result["family_size"]),
    )
    others = "" if all(row["primary"] for row in rows) else exploratory
    return TableView(
        key="gaps",
        caption=sentences((caption, others)),
        columns=[
            comparison_column(),
            metric_column(),
            Column("gap", _("Gap"), "signed_estimate"),
            Column("percentile", _("Percentile interval")),
            Column("p_text", "p"),
            Column("p_adjusted_text", _("p, adjusted")),
        ],
        rows=[_gap(row, result) for row in rows],
        print_rows=None if printed is None else [_gap(row, result) for row in printed],
        csv=file_name(section, "gaps"),
        note=sentences((note, _tests(rows))),
        wide=True,
    )


def _gap(row: Plain, result: Plain) -> Plain:
    return {**gap_named(row), "name": scored(row, result)["name"]}


def _tests(rows: Sequence[Plain]) -> str:
    """Return which tests made the p values."""
    found = unique(row["test"] for row in rows if row["p"] is not None and row["test"])
    return _("Tests: {tests}.").format(tests=clauses(found)) if found else ""


def _power(section: str, result: Plain) -> TableView | None:
    rows = primary_gaps(result)
    if not rows:
        return None
    printed, note = printed_gaps(rows)
    return TableView(
        key="power",
        caption=_(
            "What these data could have shown. Minimum detectable gap: shown in four of five such "
            "samples, at the level of Holm's first step; units needed to detect a gap of the "
            "margin {margin} with the same mix. Equivalence interval: {level}, for two one-sided "
            "tests against the margin. p by row takes every row for independent, which it is not."
        ).format(margin=margin(result), level=level(result)),
        columns=[
            comparison_column(),
            Column("minimum_detectable_gap", _("Detectable gap"), "number"),
            Column("units_needed", _("Units needed"), "count"),
            Column("equivalence", _("Equivalence interval")),
            Column("p_text", "p"),
            Column("p_row_text", _("p by row")),
            Column("design_effect", _("Design effect"), "number"),
        ],
        rows=[full(row, result) for row in rows],
        print_rows=None if printed is None else [full(row, result) for row in printed],
        csv=file_name(section, "gaps"),
        note=sentences((note, _undefined(rows), _shared(rows))),
        wide=True,
    )


def _undefined(rows: Sequence[Plain]) -> str:
    """Return in which share of the draws a gap could not be had, where there are any."""
    most = max(rows, key=lambda row: row["undefined_share"] or 0.0)
    if not most["undefined_share"]:
        return _("Every gap is defined in every draw.")
    return _(
        "Draws in which a gap is undefined are kept in place and counted: at most {share} "
        "({comparison})."
    ).format(share=numbers.percent(most["undefined_share"]), comparison=comparison(most))


def _shared(rows: Sequence[Plain]) -> str:
    """Return how many units are in a group and in its reference, where there are any."""
    found = once(row for row in rows if row["units_in_both"])
    said = [
        _("{comparison} {count}").format(
            comparison=comparison(row), count=numbers.count(row["units_in_both"])
        )
        for row in found
    ]
    return _("Units in both groups: {counts}.").format(counts=_some(said)) if said else ""
