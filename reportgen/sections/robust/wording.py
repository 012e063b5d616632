"""How gaps, radii and directions are put into sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reportgen.language import _, mark
from reportgen.result import Estimate
from reportgen.sections.robust.result import DirectionRow, JointRow, RiskRow, ThreatRow
from reportgen.wording import (
    between,
    clauses,
    estimate,
    fixed,
    level_named,
    named,
    number,
    per_cent,
    percent,
    quoted,
    separated,
    typed,
)

MOST_FEATURES = 3
WORDS = {
    "demographic_parity": mark("demographic parity gap"),
    "demographic_parity_ratio": mark("demographic parity ratio"),
    "demographic_parity_overall": mark("demographic parity gap to all"),
    "equal_opportunity": mark("equal opportunity gap"),
    "equal_opportunity_ratio": mark("equal opportunity ratio"),
    "equalized_odds": mark("equalized odds gap"),
    "equalized_odds_mean": mark("mean equalized odds gap"),
    "equalized_odds_ratio": mark("equalized odds ratio"),
    "selection_rate": mark("gap in selection rate"),
    "sensitivity": mark("gap in sensitivity"),
    "false_positive_rate": mark("gap in false positive rate"),
    "accuracy": mark("gap in accuracy"),
    "balanced_accuracy": mark("gap in balanced accuracy"),
    "precision": mark("gap in precision"),
    "npv": mark("gap in npv"),
    "f1": mark("gap in f1"),
    "auc": mark("gap in auc"),
    "brier": mark("gap in brier"),
}

SIZES = {
    "flips": mark("{size} of the records in the wrong group"),
    "mix": mark("a mix shifted within groups by Γ = {size}"),
    "prevalence": mark("prevalences shifted by ±{size}"),
    "average": mark("moves of {size} × eps on average"),
}


def words_of(metric: str) -> str:
    """Return a metric as sentences name it: "demographic parity gap", "gap in sensitivity"."""
    known = WORDS.get(metric)
    if known is None:
        return _("gap in {metric}").format(metric=metric.replace("_", " "))
    return _(known)


def gap(value: float | None) -> str:
    """Return a gap with three digits, or that there is none."""
    return _("not defined") if value is None else number(value)


def with_interval(one: Estimate) -> str:
    """Return a gap with its interval, with the digits that the interval warrants."""
    if one.estimate is None:
        return _("not defined ({reason})").format(reason=one.reason)
    if one.low is None or one.high is None:
        return number(one.estimate)
    return estimate(one)


def direction_words(
    rows: Sequence[DirectionRow], *, most: int = MOST_FEATURES, attribute: str = ""
) -> str:
    """Return the features that explain most of a worst move, with the move of each group."""
    shares = {row.feature: row.share for row in rows if row.share is not None}
    leading = sorted((name for name in shares if shares[name]), key=lambda n: -abs(shares[n] or 0))
    told = []
    for name in leading[:most]:
        own = [row for row in rows if row.feature == name and row.move]
        moves = separated(
            named(level_named(attribute, row.group), signed(row.move or 0)) for row in own
        )
        text = _("{feature} {share} ({moves})") if own else "{feature}"
        told.append(
            text.format(
                feature=name,
                share=percent(shares[name] or 0),
                moves=f"{moves}{_unit(own[0].unit)}" if own else "",
            )
        )
    return clauses(told)


def signed(value: float) -> str:
    """Return a move with its sign."""
    return f"+{number(value)}" if value > 0 else number(value)


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def radius(row: RiskRow, raw_unsafe: float | None, unit: str) -> str:
    """Return the critical radius: in multiples of eps, and in the shared unit beside it."""
    if row.critical_reason:
        text = _("there is no critical radius: {reason}")
        return text.format(reason=row.critical_reason)
    safe, unsafe = row.critical_safe, row.critical_unsafe
    if unsafe == 0:
        return _("the critical radius is 0")
    if safe is not None and unsafe is not None and math.isclose(safe, unsafe, rel_tol=1e-9):
        if raw_unsafe is None:
            text = _("the critical radius is {times} times the declared moves")
            return text.format(times=number(unsafe))
        text = _("the critical radius is {times} times the declared moves, {amount}")
        amount = f"{number(raw_unsafe)}{_unit(unit)}"
        return text.format(times=number(unsafe), amount=amount)
    if unsafe is None:
        return _never(safe)
    text = _("the critical radius lies between {safe} and {unsafe} times the declared moves")
    near = number(safe) if safe else typed(safe or 0)
    return text.format(safe=near, unsafe=number(unsafe))


def _never(safe: float | None) -> str:
    """Return that no move passes the tolerance; `safe` is the largest size that was looked at."""
    if safe is None:
        return _("no size looked at passes the tolerance")
    if safe == 0:
        return _(
            "moves up to no size at all keep the tolerance, and none larger was found to pass it"
        )
    return _(
        "moves up to {times} times the declared moves keep the tolerance, and none larger was"
        " found to pass it"
    ).format(times=number(safe))


def brief_radius(row: RiskRow) -> str:
    """Return the critical radius in a few words: "critical radius 0.766"; "" where there is none.

    A bracket gives both ends, and ">4.000" says that no larger size was looked at.
    """
    told = "" if row.critical_reason else radius_evidence(row).get("critical_radius", "")
    if told == "":
        return ""
    text = _("critical radius {figure}")
    return text.format(figure=told if isinstance(told, str) else number(told))


def radius_evidence(row: RiskRow | JointRow) -> dict[str, float | str]:
    """Return the critical radius as evidence: a figure, or in words where it is a bracket."""
    safe, unsafe = row.critical_safe, row.critical_unsafe
    if safe is None and unsafe is None:
        return {}
    if unsafe is None:
        return {"critical_radius": f">{number(safe or 0)}"}
    if safe is None or unsafe == 0 or math.isclose(safe, unsafe, rel_tol=1e-9):
        return {"critical_radius": unsafe}
    return {"critical_radius": between(number(safe), number(unsafe))}


def sized(row: ThreatRow) -> str:
    """Return a threat with its size and unit: "5 % of the records in the wrong group"."""
    size = percent_typed(row.size) if row.threat == "flips" else typed(row.size)
    return _(SIZES[row.threat]).format(size=size)


def percent_typed(share: float) -> str:
    """Return a share as people type it in per cent: 5 %, 0.5 %."""
    return f"{typed(100 * share)}{per_cent()}"


def groups_named(row: RiskRow, attribute: str) -> str:
    """Return between which groups the worst gap is: " (“F” above “M”, n = 30 and 20)".

    More than two groups have several gaps, the largest of which is large by chance too.
    """
    named = []
    if row.highest_group and row.lowest_group:
        high, low = (level_named(attribute, g) for g in (row.highest_group, row.lowest_group))
        text = _("{high} above {low}, n = {above} and {below}")
        named.append(
            text.format(
                high=quoted(high),
                low=quoted(low),
                above=row.highest_units,
                below=row.lowest_units,
            )
        )
    if row.compared > 2:
        named.append(_among(row))
    if row.left_out:
        named.append(_("left out: {groups}").format(groups=row.left_out))
    return _(" ({limit})").format(limit=clauses(named)) if named else ""


def _among(row: RiskRow) -> str:
    k = row.compared
    if row.metric.endswith("_overall"):
        return _("the largest of {k} distances to all").format(k=fixed(k, 0))
    pairs = k * (k - 1) // 2 * (2 if row.metric.startswith("equalized_odds") else 1)
    text = _("the largest of {m} differences among {k} groups")
    if row.metric.endswith("_ratio"):
        text = _("the smallest of {m} ratios among {k} groups")
    return text.format(m=fixed(pairs, 0), k=fixed(k, 0))
