"""The tables of a robust section on moves: their direction, what they flip, what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.robust_words import (
    MEAN_MOVE,
    NORMS,
    SEARCH_STOPS,
    amount,
    by_group,
    features_of,
    label,
    labels,
    together,
)
from reportgen.render.pages.words import listed, unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import between, clauses, sentences

MARGIN = mark("shares of the movement of the margin")
"""How the shares of a linear score are made, as the result names it."""
NOT_REACHED = mark("not reached")
NO_BASIS = mark("no basis given")
CODES = (
    mark("both"),
    mark("up"),
    mark("down"),
    mark("continuous"),
    mark("integer"),
    mark("ordinal"),
    mark("binary"),
    mark("category"),
    mark("positive"),
    mark("negative"),
    mark("all"),
)
"""Directions, kinds and labels as the result has them; each is translated where it is shown."""
FLIPPED = ("group", "label", "n_rows", "selected", "deselected")
MOST_NAMED = 12
"""Features that do not move which a note names."""
MOST_PRINTED = 24
"""Rows of features that the print shows of each table."""


def made_from(section: str, result: Plain) -> Iterator[TableView]:
    """Yield the tables on what moves, in the order of the page, those that have rows."""
    if result["flips"]:
        yield _flips(section, result)
    if result["direction"]:
        yield _direction(section, result)


def _direction(section: str, result: Plain) -> TableView:
    rows = [
        _feature(
            [r for r in result["direction"] if (r["metric"], r["feature"]) == (metric, name)],
            result,
        )
        for metric in unique(row["metric"] for row in result["direction"])
        for name in features_of(r for r in result["direction"] if r["metric"] == metric)
    ]
    printed = rows[:MOST_PRINTED] if len(rows) > MOST_PRINTED else None
    left = _("The print shows {k} of {n} rows.").format(k=MOST_PRINTED, n=len(rows))
    return TableView(
        key="direction",
        caption=_(
            "The worst move, feature by feature. Mean move of each group, in the unit of the "
            "feature ({mean}); its share in what the move does to the gap; and how far the "
            "feature would have to move alone to take the gap past the tolerance."
        ).format(mean=_(MEAN_MOVE)),
        columns=[
            Column("metric_name", _("Metric")),
            Column("feature", _("Feature")),
            Column("moves", _("Mean move by group")),
            Column("share_text", _("Share")),
            Column("alone", _("Alone, critical")),
        ],
        rows=rows,
        print_rows=printed,
        csv=file_name(section, "direction"),
        note=sentences((left if printed else "", *_attributions(result), *_searched(rows))),
    )


def _feature(rows: Sequence[Plain], result: Plain) -> dict[str, str]:
    """Return the line of one feature, all groups in it."""
    first = rows[0]
    error = first["share_error"]
    share = numbers.percent(first["share"])
    return {
        "metric_name": label(first["metric"]),
        "feature": first["feature"],
        "moves": by_group(rows, result["sensitive"]),
        "share_text": _("{share} (SE {error})").format(share=share, error=numbers.percent(error))
        if error
        else share,
        "alone": _alone(first, result),
    }


def _alone(row: Plain, result: Plain) -> str:
    """Return the stand-alone move; a search gives one that suffices, not the least."""
    sign = "" if _closed_form(result, row["metric"]) else "≤"
    if row["move_alone"] is not None:
        return f"{sign}{amount(row['move_alone'], row['unit'])}"
    eps = next((m["eps"] for m in result["perturbation"] if m["feature"] == row["feature"]), None)
    if sign and eps is not None and row["move_alone_reason"] == NOT_REACHED:
        text = _("none up to {amount}")
        return text.format(amount=amount(SEARCH_STOPS * eps, row["unit"]))
    return _(row["move_alone_reason"]) or numbers.NOTHING


def _closed_form(result: Plain, metric: str) -> bool:
    """Return whether the model is linear: then the moves of a metric are solved, not searched."""
    made = [row["method"] for row in result["attribution"] if row["metric"] == metric]
    return all(method.startswith(MARGIN) for method in made)


def _searched(rows: Sequence[Plain]) -> list[str]:
    if not any(row["alone"].startswith("≤") for row in rows):
        return []
    return [_("“≤”: a move of this size was found; a smaller one may do.")]


def _attributions(result: Plain) -> Iterator[str]:
    """Yield how shares were made and whether they add up, metrics that agree together."""
    metrics: dict[str, list[str]] = {}
    for row in result["attribution"]:
        metrics.setdefault(_attribution(row, result), []).append(row["metric"])
    for said, own in metrics.items():
        yield _("{name}: {figure}.").format(name=labels(own), figure=said)


def _attribution(row: Plain, result: Plain) -> str:
    if row["reason"]:
        return _("no shares ({reason})").format(reason=row["reason"])
    if row["sum_of_values"] is None or row["change"] is None:
        own = [r for r in result["direction"] if r["metric"] == row["metric"]]
        shares = [r["share"] for r in own if r["group"] == own[0]["group"]]
        total = sum(share for share in shares if share is not None)
        # Rounded, so that the last bits of a sum do not read as less than all of it.
        text = _("{method}; they sum to {total}")
        return text.format(method=_(row["method"]), total=numbers.percent(round(total, 9)))
    total, change = numbers.number(row["sum_of_values"]), numbers.number(row["change"])
    text = _("{method}; values sum to {total}, the gap changes by {change}")
    return text.format(method=_(row["method"]), total=total, change=change)


def _flips(section: str, result: Plain) -> TableView:
    rows = [
        {**row, "metric_name": labels(metrics), "label": _(row["label"])}
        for metrics, own in together(result["flips"], FLIPPED)
        for row in own
    ]
    changed = [row for row in rows if row["selected"] or row["deselected"]]
    return TableView(
        key="flips",
        caption=_(
            "Decisions that the worst move changes. Records of each group and label, at threshold "
            "{threshold}."
        ).format(threshold=numbers.threshold(result["threshold"]))
        if result["threshold"] is not None
        else _("Decisions that the worst move changes. Records of each group and label."),
        columns=[
            Column("metric_name", _("Metric")),
            Column("group", _("Group")),
            Column("label", _("Label")),
            Column("n_rows", _("Rows"), "count"),
            Column("selected", _("Become selected"), "count"),
            Column("deselected", _("Cease to be selected"), "count"),
        ],
        rows=rows,
        print_rows=changed if 0 < len(changed) < len(rows) else None,
        csv=file_name(section, "flips"),
        note=sentences((*_near(result), *_unchanged(rows, changed))),
    )


def _near(result: Plain) -> list[str]:
    near = result["n_near_boundary"]
    if near is None:
        return []
    text = _("{k} of {n} records change their decision within half of the allowed move.")
    return [text.format(k=numbers.count(near), n=numbers.count(result["n_rows"]))]


def _unchanged(rows: Sequence[Plain], changed: Sequence[Plain]) -> list[str]:
    if len(changed) in (0, len(rows)):
        return []
    return [_("The print leaves out groups and labels in which no decision changes.")]


def allowed(section: str, result: Plain) -> Iterator[TableView]:
    """Yield the table of the moves that were declared, if any were."""
    if not result["perturbation"]:
        return
    fixed, derived = result["immutable"], result["derived"]
    kinds = unique(row["kind"] for row in result["perturbation"])
    notes = [_still(fixed)] if fixed else []
    if derived:
        said = clauses(f"{row['feature']} = {row['expression']}" for row in derived)
        notes.append(_("Computed anew from what moves: {columns}.").format(columns=said))
    yield TableView(
        key="moves",
        caption=_(
            "Allowed moves. Eps is how far a feature may move alone, in its unit; together the "
            "moves over their eps are held by the {norm}. The basis says where the eps comes from."
        ).format(norm=_(NORMS[result["norm"]])),
        columns=[
            Column("feature", _("Feature")),
            *([Column("kind", _("Kind"))] if kinds != ["continuous"] else []),
            Column("size", _("Eps")),
            Column("bounds", _("Bounds")),
            Column("direction", _("Direction")),
            Column("basis", _("Basis")),
        ],
        rows=[_move(row) for row in result["perturbation"]],
        csv=file_name(section, "perturbation"),
        note=sentences(notes),
    )


def _still(names: Sequence[str]) -> str:
    """Return which features do not move, a dozen by name."""
    more = len(names) - MOST_NAMED
    if more <= 0:
        return _("Do not move: {features}.").format(features=listed(names))
    text = _("Do not move: {features} and {more} more.")
    return text.format(features=listed(names[:MOST_NAMED]), more=more)


def _move(row: Plain) -> Plain:
    size = f"{numbers.threshold(row['eps'])} {row['unit']}".rstrip()
    if row["eps_sd"] is not None:
        size = _("{amount} ({deviations} SD)").format(
            amount=amount(row["eps"], row["unit"]), deviations=numbers.threshold(row["eps_sd"])
        )
    ends = (
        numbers.threshold(end) if end is not None else "" for end in (row["lower"], row["upper"])
    )
    low, high = ends
    return {
        **row,
        "kind": _(row["kind"]),
        "size": size,
        "bounds": _bounds(low, high),
        "direction": _(row["direction"]),
        "basis": _(NO_BASIS) if row["basis"] == NO_BASIS else row["basis"],
    }


def _bounds(low: str, high: str) -> str:
    """Return the bounds of a feature as written, one of which may be absent."""
    if low and high:
        return between(low, high)
    if low:
        return _("from {low}").format(low=low)
    return _("to {high}").format(high=high) if high else _("none")
