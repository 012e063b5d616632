"""The tables of a robust section on what moves no inputs, and on an attribute known by proxy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.render import numbers
from reportgen.render.pages.robust_words import THREATS, label, labels
from reportgen.render.pages.words import unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView

METRIC = Column("metric_name", "Metric")


def made_from(section: str, result: Plain) -> Iterator[TableView]:
    """Yield the tables of other threats and of proxies, those that have rows."""
    if result["other_threats"]:
        yield _threats(section, result)
    if result["proxy"]:
        yield _proxy(section, result)


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
            f"{_several(result['proxy'])}* Members taken to be those with a probability of at "
            "least 0.5: this bounds nothing, and can exaggerate or hide a gap. Sampling error is "
            "not in the bounds. Bounds on both sides of the tolerance leave the verdict "
            "undetermined."
        ),
    )


def _several(rows: Sequence[Plain]) -> str:
    odds = [row["metric"] for row in rows if row["metric"].startswith("equalized_odds")]
    if not odds:
        return ""
    return f"{labels(odds)}: the worst of its two rates, in each column. "


def _proxy_row(row: Plain) -> Plain:
    bounds = f"not estimable: {row['reason']}"
    if row["low"] is not None and row["high"] is not None:
        bounds = f"{numbers.signed(row['low'])} to {numbers.signed(row['high'])}"
    return {**row, "metric_name": label(row["metric"]), "bounds": bounds}
