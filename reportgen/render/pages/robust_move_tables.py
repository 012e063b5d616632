"""The tables of a robust section on moves: their direction, what they flip, what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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

METRIC = Column("metric_name", "Metric")
MARGIN = "shares of the movement of the margin"
"""How the shares of a linear score are made, as the result names it."""
NOT_REACHED = "not reached"
FLIPPED = ("group", "label", "n_rows", "selected", "deselected")
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
    left = f"The print shows {MOST_PRINTED} of {len(rows)} rows." if printed else ""
    return TableView(
        key="direction",
        caption=(
            "The worst move, feature by feature. Mean move of each group, in the unit of the "
            f"feature ({MEAN_MOVE}); its share in what the move does to the gap; and how far the "
            "feature would have to move alone to take the gap past the tolerance."
        ),
        columns=[
            METRIC,
            Column("feature", "Feature"),
            Column("moves", "Mean move by group"),
            Column("share_text", "Share"),
            Column("alone", "Alone, critical"),
        ],
        rows=rows,
        print_rows=printed,
        csv=file_name(section, "direction"),
        note=" ".join(filter(None, (left, *_attributions(result), *_searched(rows)))),
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
        "share_text": f"{share} (SE {numbers.percent(error)})" if error else share,
        "alone": _alone(first, result),
    }


def _alone(row: Plain, result: Plain) -> str:
    """Return the stand-alone move; a search gives one that suffices, not the least."""
    sign = "" if _closed_form(result, row["metric"]) else "≤"
    if row["move_alone"] is not None:
        return f"{sign}{amount(row['move_alone'], row['unit'])}"
    eps = next((m["eps"] for m in result["perturbation"] if m["feature"] == row["feature"]), None)
    if sign and eps is not None and row["move_alone_reason"] == NOT_REACHED:
        return f"none up to {amount(SEARCH_STOPS * eps, row['unit'])}"
    return row["move_alone_reason"] or numbers.NOTHING


def _closed_form(result: Plain, metric: str) -> bool:
    """Return whether the model is linear: then the moves of a metric are solved, not searched."""
    made = [row["method"] for row in result["attribution"] if row["metric"] == metric]
    return all(method.startswith(MARGIN) for method in made)


def _searched(rows: Sequence[Plain]) -> list[str]:
    if not any(row["alone"].startswith("≤") for row in rows):
        return []
    return ["“≤”: a move of this size was found; a smaller one may do."]


def _attributions(result: Plain) -> Iterator[str]:
    """Yield how shares were made and whether they add up, metrics that agree together."""
    metrics: dict[str, list[str]] = {}
    for row in result["attribution"]:
        metrics.setdefault(_attribution(row, result), []).append(row["metric"])
    for said, own in metrics.items():
        yield f"{labels(own)}: {said}."


def _attribution(row: Plain, result: Plain) -> str:
    if row["reason"]:
        return f"no shares ({row['reason']})"
    if row["sum_of_values"] is None or row["change"] is None:
        own = [r for r in result["direction"] if r["metric"] == row["metric"]]
        shares = [r["share"] for r in own if r["group"] == own[0]["group"]]
        total = sum(share for share in shares if share is not None)
        # Rounded, so that the last bits of a sum do not read as less than all of it.
        return f"{row['method']}; they sum to {numbers.percent(round(total, 9))}"
    total, change = numbers.number(row["sum_of_values"]), numbers.number(row["change"])
    return f"{row['method']}; values sum to {total}, the gap changes by {change}"


def _flips(section: str, result: Plain) -> TableView:
    rows = [
        {**row, "metric_name": labels(metrics)}
        for metrics, own in together(result["flips"], FLIPPED)
        for row in own
    ]
    changed = [row for row in rows if row["selected"] or row["deselected"]]
    return TableView(
        key="flips",
        caption=(
            "Decisions that the worst move changes. Records of each group and label, at threshold "
            f"{numbers.threshold(result['threshold'])}."
            if result["threshold"] is not None
            else "Decisions that the worst move changes. Records of each group and label."
        ),
        columns=[
            METRIC,
            Column("group", "Group"),
            Column("label", "Label"),
            Column("n_rows", "Rows", "count"),
            Column("selected", "Become selected", "count"),
            Column("deselected", "Cease to be selected", "count"),
        ],
        rows=rows,
        print_rows=changed if 0 < len(changed) < len(rows) else None,
        csv=file_name(section, "flips"),
        note=" ".join((*_near(result), *_unchanged(rows, changed))),
    )


def _near(result: Plain) -> list[str]:
    near = result["n_near_boundary"]
    if near is None:
        return []
    of = f"{numbers.count(near)} of {numbers.count(result['n_rows'])} records"
    return [f"{of} change their decision within half of the allowed move."]


def _unchanged(rows: Sequence[Plain], changed: Sequence[Plain]) -> list[str]:
    if len(changed) in (0, len(rows)):
        return []
    return ["The print leaves out groups and labels in which no decision changes."]


def allowed(section: str, result: Plain) -> Iterator[TableView]:
    """Yield the table of the moves that were declared, if any were."""
    if not result["perturbation"]:
        return
    fixed, derived = result["immutable"], result["derived"]
    kinds = unique(row["kind"] for row in result["perturbation"])
    notes = [f"Do not move: {listed(fixed[:12])}{_more(fixed, 12)}."] if fixed else []
    if derived:
        said = [f"{row['feature']} = {row['expression']}" for row in derived]
        notes.append(f"Computed anew from what moves: {'; '.join(said)}.")
    yield TableView(
        key="moves",
        caption=(
            "Allowed moves. Eps is how far a feature may move alone, in its unit; together the "
            f"moves over their eps are held by the {NORMS.get(result['norm'], result['norm'])}. "
            "The basis says where the eps comes from."
        ),
        columns=[
            Column("feature", "Feature"),
            *([Column("kind", "Kind")] if kinds != ["continuous"] else []),
            Column("size", "Eps"),
            Column("bounds", "Bounds"),
            Column("direction", "Direction"),
            Column("basis", "Basis"),
        ],
        rows=[_move(row) for row in result["perturbation"]],
        csv=file_name(section, "perturbation"),
        note=" ".join(notes),
    )


def _more(names: Sequence[str], shown: int) -> str:
    more = len(names) - shown
    return f" and {more} more" if more > 0 else ""


def _move(row: Plain) -> Plain:
    size = f"{numbers.threshold(row['eps'])} {row['unit']}".rstrip()
    if row["eps_sd"] is not None:
        size = f"{amount(row['eps'], row['unit'])} ({numbers.threshold(row['eps_sd'])} SD)"
    ends = (
        numbers.threshold(end) if end is not None else "" for end in (row["lower"], row["upper"])
    )
    low, high = ends
    bounds = f"{low} to {high}" if low and high else f"from {low}" if low else f"to {high}"
    return {**row, "size": size, "bounds": bounds if low or high else "none"}
