"""The tables of a robust section on what moves no inputs, and on an attribute known by proxy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, n_
from reportgen.render import numbers
from reportgen.render.pages.robust_words import THREATS, label, labels
from reportgen.render.pages.words import unique
from reportgen.render.tables import file_name
from reportgen.render.view import Column, Plain, TableView
from reportgen.wording import between, per_cent, sentences


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
        caption=sentences(
            (
                *_needs(rows),
                _(
                    "The worst gap for each stated size, and the critical size at which the gap"
                    " passes the tolerance."
                ),
            )
        ),
        columns=[
            Column("metric_name", _("Metric")),
            Column("name", _("Threat")),
            Column("size_text", _("Size")),
            Column("worst", _("Worst gap")),
            Column("critical_text", _("Critical size")),
        ],
        rows=[_threat(row, result["n_rows"]) for row in rows],
        csv=file_name(section, "other_threats"),
        note=sentences(
            _("{name}: {figure}.").format(
                name=labels(unique(row["metric"] for row in rows if row["critical_reason"] == why)),
                figure=why,
            )
            for why in unique(row["critical_reason"] for row in rows if row["critical_reason"])
        ),
    )


def _needs(rows: Sequence[Plain]) -> tuple[str, ...]:
    """Return the title, and that only the threat of moves needs a model and declared moves."""
    moved = [row["threat"] == "average" for row in rows]
    if not any(moved):
        return (_("Other threats, which need no model."),)
    title, name = _("Other threats."), _(THREATS["average"][0])
    if all(moved):
        text = _("{threat}: this rests on the model and the declared moves.")
    else:
        text = _("{threat} rest on the model and the declared moves; the others need no model.")
    return title, text.format(threat=name)


def _threat(row: Plain, n_rows: int) -> dict[str, str]:
    return {
        "metric_name": label(row["metric"]),
        "name": _(THREATS[row["threat"]][0]),
        "size_text": _sized(
            row["threat"],
            f"{numbers.threshold(100 * row['size'])}{per_cent()}"
            if row["threat"] == "flips"
            else numbers.threshold(row["size"]),
        ),
        "worst": _worst_gap(row),
        "critical_text": _critical(row, n_rows),
    }


def _sized(threat: str, size: str) -> str:
    """Return a written size of a threat as its kind of size is read: "Γ = 1.1", "±0.05"."""
    return _(THREATS[threat][1]).format(size=size)


def _worst_gap(row: Plain) -> str:
    if row["reason"]:
        return _("not estimable: {reason}").format(reason=row["reason"])
    return _range(row["found"], row["certified"])


def _range(*ends: float | None) -> str:
    """Return two ends as a range, one where they read alike, a dash where there is none."""
    known = unique(numbers.number(end) for end in ends if end is not None)
    return between(*known) if len(known) == 2 else "".join(known) or numbers.NOTHING


def _critical(row: Plain, n_rows: int) -> str:
    """Return the critical size, as a bracket where it is one."""
    if row["reason"]:
        return numbers.NOTHING
    if row["critical_reason"]:
        return _("none is safe")
    if row["critical"] is None:
        return _("no size does it")
    if row["threat"] == "flips":
        return _records(row, n_rows)
    return _sized(row["threat"], _range(row["critical_safe"], row["critical"]))


def _records(row: Plain, n_rows: int) -> str:
    """Return how many records in the wrong group it takes; a bracket where that is not exact."""
    most = round(row["critical"] * n_rows)
    safe = row["critical_safe"]
    least = most if safe is None else min(round(safe * n_rows) + 1, most)
    count = numbers.count(most)
    text = n_("{count} record ({share})", "{count} records ({share})", most)
    return text.format(
        count=count if least == most else between(numbers.count(least), count),
        share=numbers.percent(row["critical"]),
    )


def _proxy(section: str, result: Plain) -> TableView:
    return TableView(
        key="proxy",
        caption=_(
            "Gap where membership is known only by a probability. Bounds on members less others "
            "without further assumptions; the weighted estimate takes decision and membership to "
            "be independent given the probability."
        ),
        columns=[
            Column("metric_name", _("Metric")),
            Column("bounds", _("Bounds")),
            Column("tolerance", _("Tolerance"), "threshold"),
            Column("weighted", _("Weighted"), "signed"),
            Column("thresholded", _("Cut at 0.5*"), "signed"),
            Column("verdict", _("Verdict")),
        ],
        rows=[_proxy_row(row) for row in result["proxy"]],
        csv=file_name(section, "proxy"),
        note=sentences(
            (
                _several(result["proxy"]),
                _(
                    "* Members taken to be those with a probability of at least 0.5: this bounds"
                    " nothing, and can exaggerate or hide a gap. Sampling error is not in the"
                    " bounds. Bounds on both sides of the tolerance leave the verdict undetermined."
                ),
            )
        ),
    )


def _several(rows: Sequence[Plain]) -> str:
    odds = [row["metric"] for row in rows if row["metric"].startswith("equalized_odds")]
    if not odds:
        return ""
    text = _("{metrics}: the worst of its two rates, in each column.")
    return text.format(metrics=labels(odds))


def _proxy_row(row: Plain) -> Plain:
    bounds = _("not estimable: {reason}").format(reason=row["reason"])
    if row["low"] is not None and row["high"] is not None:
        bounds = between(numbers.signed(row["low"]), numbers.signed(row["high"]))
    named = {"metric_name": label(row["metric"]), "verdict": _(row["verdict"])}
    return {**row, **named, "bounds": bounds}
