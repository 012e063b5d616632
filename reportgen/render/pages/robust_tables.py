"""The tables of a robust section that decide: verdicts, risk list, base rates, rungs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reportgen.language import _, mark, p_
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
from reportgen.wording import BLANK, clauses, named, sentences

PARITY = ("demographic_parity", "selection_rate")
RATIOS = mark("A ratio falls as a gap grows: its worst case is the smallest.")


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
        caption=_("Verdict on each metric, what it says and what to do."),
        columns=[
            Column("where", _("Verdict")),
            Column("says", _("What it says")),
            Column("next", _("What to do next")),
        ],
        rows=[
            {
                "where": named(_(verdict), labels([row["metric"] for row in found])),
                "says": says(result, verdict),
                "next": next_step(result, verdict, found),
            }
            for verdict in VERDICTS
            if (found := [row for row in rows if row["verdict"] == verdict])
        ],
        note=sentences(
            _("{name}: {figure}.").format(
                name=labels([row["metric"] for row in rows if row["reason"] == why]), figure=why
            )
            for why in unique(row["reason"] for row in rows if row["reason"])
        ),
    )


def _risk(section: str, result: Plain) -> Iterator[TableView]:
    rows = result["risk_list"]
    if not rows:
        return
    moved = bool(result["curve"])
    columns = [_metric(), Column("tolerance", _("Tolerance"), "threshold")]
    columns.append(Column("static", _("Gap as the data stand"), "estimate"))
    if moved:
        direction = _("Fragile direction by {attribute}").format(attribute=result["sensitive"])
        columns += [
            Column("worst", _("Worst case")),
            Column("limit_text", _("Limit")),
            Column("radius", _("Critical radius")),
            Column("direction", direction),
        ]
    yield TableView(
        key="risk_list",
        caption=_risk_caption(result, moved=moved),
        columns=columns,
        rows=[*(_risk_row(row, result) for row in rows), *(_joint_rows(result) if moved else ())],
        csv=file_name(section, "risk_list"),
        note=sentences(
            (
                _ratio_note(rows),
                _joint_note(result),
                open_radii([*rows, *result["joint"]]) if moved else "",
            )
        ),
    )


def _metric() -> Column:
    return Column("metric_name", _("Metric"))


def _risk_caption(result: Plain, *, moved: bool) -> str:
    if moved:
        text = _(
            "Risk list. Gap with {coverage} interval (MOVER), the worst gap within the allowed"
            " moves of each record on its own, the one-sided {coverage} limit of its certified"
            " value, and the critical radius: the size of the moves at which the gap passes the"
            " tolerance, where {multiples}."
        )
    else:
        text = _(
            "Risk list. Gap with {coverage} interval (MOVER). Without a model and allowed moves"
            " there is no worst case under moves."
        )
    return text.format(coverage=coverage(result), multiples=multiples(result))


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
        return _("not estimable: {reason}").format(reason=limit["reason"])
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
            "metric_name": _("All at once"),
            "worst": "",
            "limit_text": "",
            "radius": radius(row["critical_safe"], row["critical_unsafe"], row["reason"]),
            "direction": "",
        }


def _joint_note(result: Plain) -> str:
    """Return which metric binds, and the joint verdict."""
    if len(result["risk_list"]) < 2:
        return ""
    return sentences(
        _("Joint verdict: {verdict}; binding: {metric}.").format(
            verdict=_(row["verdict"]), metric=label(row["binding_metric"])
        )
        if row["binding_metric"]
        else _("Joint verdict: {verdict}.").format(verdict=_(row["verdict"]))
        for row in result["joint"]
    )


def _ratio_note(rows: Sequence[Plain]) -> str:
    return _(RATIOS) if any(falls(row["metric"]) for row in rows) else ""


def _groups(section: str, result: Plain) -> Iterator[TableView]:
    rows = result["groups"]
    if not rows:
        return
    labelled = any(row["n_positive"] is not None for row in rows)
    parity = any(metric.startswith(PARITY) for metric in result["metrics"])
    counts = [Column("n_rows", _("Rows"), "count"), Column("n_units", _("Units"), "count")]
    if labelled:
        counts.append(Column("n_positive", _("Positive"), "count"))
    base = Column("base_rate", _("Base rate of the label"), "percent_estimate")
    chosen = (
        Column("selection_rate", _("Selected"), "percent_estimate")
        if result["decisions"] == "hard"
        else Column("mean_score", _("Mean score"), "estimate")
    )
    yield TableView(
        key="groups",
        caption=_(
            "Groups of {attribute}, and the base rate of their label. With {coverage} intervals."
        ).format(attribute=result["sensitive"], coverage=coverage(result)),
        columns=[
            Column("group", _("Group")),
            *counts,
            *([base] if labelled else []),
            chosen,
        ],
        rows=[{**row, "group": _shown(row["group"])} for row in rows],
        csv=file_name(section, "groups"),
        note=sentences(
            (
                _methods(row[key] for row in rows for key in ("base_rate", chosen.key)),
                _(
                    "A gap in demographic parity is to be read beside the base rates: decisions"
                    " that followed the label without error would show the gap of the base rates."
                )
                if parity and labelled
                else "",
            )
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
        caption=sentences(
            (
                _(
                    "Three rungs of moves. Found: attained by a move that the model scored again;"
                    " certified: no allowed move passes it; with {coverage} interval where each"
                    " record moves on its own."
                ).format(coverage=coverage(result)),
                _("Critical radius in multiples of eps and in the unit all features share.")
                if raw
                else _("Critical radius in multiples of eps."),
            )
        ),
        columns=[
            _metric(),
            Column("rung_name", _("Moves")),
            Column("found_text", p_("attained by a move", "Found")),
            Column("certified_text", _("Certified")),
            Column("radius", _("Critical radius")),
            *([Column("radius_raw", _("In units"))] if raw else []),
        ],
        rows=[_rung(row) for row in rows],
        csv=file_name(section, "gaps"),
        note=sentences(
            (
                _(
                    "The last rung of each metric decides; the others are milder and say what one"
                    " drift of a whole group, or of all, could do."
                ),
                _methods(row["found"] for row in rows),
                _left_out(left),
                open_radii(rows),
            )
        ),
    )


def _shown(group: str) -> str:
    return _(group) if group in BLANK else group


def _methods(estimates: Iterable[Plain | None]) -> str:
    """Return by which methods the intervals of estimates were made; empty if none has one."""
    made = (one["method"] for one in estimates if one and one.get("low") is not None)
    methods = unique(made)
    return _("Intervals: {methods}.").format(methods=clauses(methods)) if methods else ""


def _left_out(groups: Sequence[str]) -> str:
    if not groups:
        return ""
    return _("Left out, too small or without the figure: {groups}.").format(groups=listed(groups))


def _rung(row: Plain) -> dict[str, object]:
    metric = row["metric"]
    return {
        **row,
        "metric_name": label(metric),
        "rung_name": _(RUNGS[row["rung"]]),
        "found_text": _figure(row["found"]),
        "certified_text": _("same: exact") if row["exact"] else _figure(row["certified"]),
        "radius": radius(row["critical_safe"], row["critical_unsafe"], row["critical_reason"]),
        "radius_raw": radius(row["critical_safe_raw"], row["critical_unsafe_raw"]),
    }


def _figure(value: Plain) -> str:
    """Return an estimate; one without an interval as its figure alone."""
    if value["estimate"] is not None and value.get("low") is None:
        return numbers.number(value["estimate"])
    return numbers.estimate(value)
