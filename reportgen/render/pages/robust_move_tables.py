"""The tables of a robust section on moves: their direction, what they flip, what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.render import numbers
from reportgen.render.pages.robust_words import (
    MEAN_MOVE,
    NORMS,
    SEARCH_STOPS,
    THREATS,
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
    if result["other_threats"]:
        yield _threats(section, result)
    if result["proxy"]:
        yield _proxy(section, result)


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
        note=" ".join(filter(None, (left, *_attributions(result), *_searched(result, rows)))),
    )


def _feature(rows: Sequence[Plain], result: Plain) -> dict[str, str]:
    """Return the line of one feature, all groups in it."""
    first = rows[0]
    error = first["share_error"]
    share = numbers.percent(first["share"])
    return {
        "metric_name": label(first["metric"]),
        "feature": first["feature"],
        "moves": by_group(rows),
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


def _searched(result: Plain, rows: Sequence[Plain]) -> list[str]:
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
        return f"{row['method']}; they sum to {numbers.percent(total)}"
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


def _threats(section: str, result: Plain) -> TableView:
    rows = result["other_threats"]
    return TableView(
        key="threats",
        caption=(
            f"Other threats{_needs(rows)}. The worst gap for each stated size, and the critical "
            "size at which the gap passes the tolerance."
        ),
        columns=[
            METRIC,
            Column("name", "Threat"),
            Column("size_text", "Size"),
            Column("worst", "Worst gap"),
            Column("critical_text", "Critical size"),
        ],
        rows=[_threat(row, result["n_rows"]) for row in rows],
        csv=file_name(section, "other_threats"),
        note=" ".join(
            f"{labels(unique(row['metric'] for row in rows if row['critical_reason'] == why))}: "
            f"{why}."
            for why in unique(row["critical_reason"] for row in rows if row["critical_reason"])
        ),
    )


def _needs(rows: Sequence[Plain]) -> str:
    """Return what threats rest on: only the one of moves needs a model and declared moves."""
    moved = [row["threat"] == "average" for row in rows]
    if not any(moved):
        return ", which need no model"
    name = THREATS["average"][0]
    if all(moved):
        return f". {name}: this rests on the model and the declared moves"
    return f". {name} rest on the model and the declared moves; the others need no model"


def _threat(row: Plain, n_rows: int) -> dict[str, str]:
    return {
        "metric_name": label(row["metric"]),
        "name": THREATS[row["threat"]][0],
        "size_text": (
            f"{numbers.threshold(100 * row['size'])}{numbers.PER_CENT} of all"
            if row["threat"] == "flips"
            else THREATS[row["threat"]][1].format(numbers.threshold(row["size"]))
        ),
        "worst": _worst_gap(row),
        "critical_text": _critical(row, n_rows),
    }


def _worst_gap(row: Plain) -> str:
    if row["reason"]:
        return f"not estimable: {row['reason']}"
    ends = (row["found"], row["certified"])
    known = unique(numbers.number(end) for end in ends if end is not None)
    return " to ".join(known) or numbers.NOTHING


def _critical(row: Plain, n_rows: int) -> str:
    """Return the critical size, as a bracket where it is one."""
    if row["reason"]:
        return numbers.NOTHING
    if row["critical_reason"]:
        return "none is safe"
    if row["critical"] is None:
        return "no size does it"
    if row["threat"] == "flips":
        return _records(row, n_rows)
    ends = (row["critical_safe"], row["critical"])
    known = unique(numbers.number(end) for end in ends if end is not None)
    return THREATS[row["threat"]][1].format(" to ".join(known))


def _records(row: Plain, n_rows: int) -> str:
    """Return how many records in the wrong group it takes; a bracket where that is not exact."""
    most = round(row["critical"] * n_rows)
    safe = row["critical_safe"]
    least = most if safe is None else min(round(safe * n_rows) + 1, most)
    count = numbers.count(most) if least == most else f"{numbers.count(least)} to {most:,}"
    return f"{count} {'record' if most == 1 else 'records'} ({numbers.percent(row['critical'])})"


def _proxy(section: str, result: Plain) -> TableView:
    return TableView(
        key="proxy",
        caption=(
            "Gap where membership is known only by a probability. Bounds on members less others "
            "without further assumptions; the weighted estimate takes decision and membership to "
            "be independent given the probability."
        ),
        columns=[
            METRIC,
            Column("bounds", "Bounds"),
            Column("tolerance", "Tolerance", "threshold"),
            Column("weighted", "Weighted", "signed"),
            Column("thresholded", "Cut at 0.5*", "signed"),
            Column("verdict", "Verdict"),
        ],
        rows=[_proxy_row(row) for row in result["proxy"]],
        csv=file_name(section, "proxy"),
        note=(
            "* Members taken to be those with a probability of at least 0.5: this bounds nothing, "
            "and can exaggerate or hide a gap. Sampling error is not in the bounds. Bounds on both "
            "sides of the tolerance leave the verdict undetermined."
        ),
    )


def _proxy_row(row: Plain) -> Plain:
    bounds = f"not estimable: {row['reason']}"
    if row["low"] is not None and row["high"] is not None:
        bounds = f"{numbers.signed(row['low'])} to {numbers.signed(row['high'])}"
    return {**row, "metric_name": label(row["metric"]), "bounds": bounds}
