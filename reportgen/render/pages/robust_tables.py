"""The tables of a robust section that decide: verdicts, risk list, base rates, rungs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.render import numbers
from reportgen.render.pages import robust_move_tables, robust_threat_tables
from reportgen.render.pages.robust_words import (
    RUNGS,
    VERDICTS,
    falls,
    label,
    labels,
    leading,
    multiples,
    next_step,
    open_radii,
    radius,
    says,
    worst,
)
from reportgen.render.pages.words import coverage, listed, unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

METRIC = Column("metric_name", "Metric")
PARITY = ("demographic_parity", "selection_rate")
RATIOS = "A ratio falls as a gap grows: its worst case is the smallest."


def made_from(section: Plain) -> list[TableView]:
    """Return every table that the result gives rise to, in the order of the page."""
    name, result = section["id"], section["result"]
    return [
        _verdicts(result),
        *_risk(name, result),
        *_groups(name, result),
        *robust_move_tables.allowed(name, result),
        *_rungs(name, result),
        *robust_move_tables.made_from(name, result),
        *robust_threat_tables.made_from(name, result),
    ]


def _verdicts(result: Plain) -> TableView:
    rows = result["risk_list"] or result["proxy"]
    return TableView(
        key="verdicts",
        caption="Verdict on each metric, what it says and what to do.",
        columns=[
            Column("where", "Verdict"),
            Column("says", "What it says"),
            Column("next", "What to do next"),
        ],
        rows=[
            {
                "where": f"{verdict}: {listed([label(row['metric']) for row in found])}",
                "says": says(result, verdict),
                "next": next_step(result, verdict, found),
            }
            for verdict in VERDICTS
            if (found := [row for row in rows if row["verdict"] == verdict])
        ],
        note=" ".join(
            f"{labels([row['metric'] for row in rows if row['reason'] == why])}: {why}."
            for why in unique(row["reason"] for row in rows if row["reason"])
        ),
    )


def _risk(section: str, result: Plain) -> Iterator[TableView]:
    rows = result["risk_list"]
    if not rows:
        return
    moved = bool(result["curve"])
    columns = [METRIC, Column("tolerance", "Tolerance", "threshold")]
    columns.append(Column("static", "Gap as the data stand", "estimate"))
    if moved:
        columns += [
            Column("worst", "Worst case"),
            Column("limit_text", "Limit"),
            Column("radius", "Critical radius"),
            Column("direction", f"Fragile direction by {result['sensitive']}"),
        ]
    yield TableView(
        key="risk_list",
        caption=(
            f"Risk list. Gap with {coverage(result)} interval (MOVER)"
            + (
                ", the worst gap within the allowed moves of each record on its own, the one-sided "
                f"{coverage(result)} limit of its certified value, and the critical radius: the "
                "size of the moves at which the gap passes the tolerance, where "
                f"{multiples(result)}."
                if moved
                else ". Without a model and allowed moves there is no worst case under moves."
            )
        ),
        columns=columns,
        rows=[*(_risk_row(row, result) for row in rows), *(_joint_rows(result) if moved else ())],
        csv=file_name(section, "risk_list"),
        note=" ".join(
            filter(
                None,
                (
                    _ratio_note(rows),
                    _joint_note(result),
                    open_radii([*rows, *result["joint"]]) if moved else "",
                ),
            )
        ),
    )


def _risk_row(row: Plain, result: Plain) -> dict[str, object]:
    own = [one for one in result["direction"] if one["metric"] == row["metric"]]
    exact = worst(row["metric"], row["worst_found"], row["worst_certified"], row["exact"])
    return {
        **row,
        "metric_name": label(row["metric"]),
        "worst": exact,
        "limit_text": _limit(row),
        "direction": leading(own),
        "radius": radius(row["critical_safe"], row["critical_unsafe"], row["critical_reason"]),
    }


def _limit(row: Plain) -> str:
    """Return the one-sided limit, or why there is none."""
    limit = row["limit"]
    if limit["estimate"] is None:
        return f"not estimable: {limit['reason']}"
    end = limit.get("low") if falls(row["metric"]) else limit.get("high")
    return numbers.number(limit["estimate"] if end is None else end)


def _joint_rows(result: Plain) -> Iterator[dict[str, object]]:
    """Yield the line of all metrics at once, where there are several."""
    if len(result["risk_list"]) < 2:
        return
    for row in result["joint"]:
        blank = dict.fromkeys(("tolerance", "static"))
        yield {
            **blank,
            "metric_name": "All at once",
            "worst": "",
            "limit_text": "",
            "radius": radius(row["critical_safe"], row["critical_unsafe"], row["reason"]),
            "direction": "",
        }


def _joint_note(result: Plain) -> str:
    """Return which metric binds, and the joint verdict."""
    said = [
        f"Joint verdict: {row['verdict']}"
        + (f"; binding: {label(row['binding_metric'])}." if row["binding_metric"] else ".")
        for row in result["joint"]
        if len(result["risk_list"]) > 1
    ]
    return " ".join(said)


def _ratio_note(rows: Sequence[Plain]) -> str:
    return RATIOS if any(falls(row["metric"]) for row in rows) else ""


def _groups(section: str, result: Plain) -> Iterator[TableView]:
    rows = result["groups"]
    if not rows:
        return
    labelled = any(row["n_positive"] is not None for row in rows)
    parity = any(metric.startswith(PARITY) for metric in result["metrics"])
    counts = [Column("n_rows", "Rows", "count"), Column("n_units", "Units", "count")]
    if labelled:
        counts.append(Column("n_positive", "Positive", "count"))
    rates = [Column("base_rate", "Base rate of the label", "percent_estimate")] if labelled else []
    chosen = (
        Column("selection_rate", "Selected", "percent_estimate")
        if result["decisions"] == "hard"
        else Column("mean_score", "Mean score", "estimate")
    )
    yield TableView(
        key="groups",
        caption=(
            f"Groups of {result['sensitive']}, and the base rate of their label. With "
            f"{coverage(result)} intervals."
        ),
        columns=[Column("group", "Group"), *counts, *rates, chosen],
        rows=rows,
        csv=file_name(section, "groups"),
        note=(
            "A gap in demographic parity is to be read beside the base rates: decisions that "
            "followed the label without error would show the gap of the base rates."
            if parity and labelled
            else ""
        ),
    )


def _rungs(section: str, result: Plain) -> Iterator[TableView]:
    rows = [row for row in result["gaps"] if row["rung"] is not None]
    if not rows:
        return
    raw = any(row["critical_unsafe_raw"] is not None for row in rows)
    left = unique(row["left_out"] for row in rows if row["left_out"])
    yield TableView(
        key="rungs",
        caption=(
            "Three rungs of moves. Found: attained by a move that the model scored again; "
            f"certified: no allowed move passes it; with {coverage(result)} interval where each "
            "record moves on its own. Critical radius in multiples of eps"
            + (" and in the unit all features share." if raw else ".")
        ),
        columns=[
            METRIC,
            Column("rung_name", "Moves"),
            Column("found_text", "Found"),
            Column("certified_text", "Certified"),
            Column("radius", "Critical radius"),
            *([Column("radius_raw", "In units")] if raw else []),
        ],
        rows=[_rung(row) for row in rows],
        csv=file_name(section, "gaps"),
        note=" ".join(
            (
                "The last rung of each metric decides; the others are milder and say what one "
                "drift of a whole group, or of all, could do.",
                *((f"Left out for want of the figure: {listed(left)}.",) if left else ()),
                *filter(None, (open_radii(rows),)),
            )
        ),
    )


def _rung(row: Plain) -> dict[str, object]:
    metric = row["metric"]
    return {
        **row,
        "metric_name": label(metric),
        "rung_name": RUNGS[row["rung"]],
        "found_text": _figure(row["found"]),
        "certified_text": "same: exact" if row["exact"] else _figure(row["certified"]),
        "radius": radius(row["critical_safe"], row["critical_unsafe"], row["critical_reason"]),
        "radius_raw": radius(row["critical_safe_raw"], row["critical_unsafe_raw"]),
    }


def _figure(value: Plain) -> str:
    """Return an estimate; one without an interval as its figure alone."""
    if value["estimate"] is not None and value.get("low") is None:
        return numbers.number(value["estimate"])
    return numbers.estimate(value)
