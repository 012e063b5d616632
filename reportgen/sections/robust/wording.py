"""How gaps, radii and directions are put into sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

from reportgen.result import Estimate
from reportgen.sections.robust.result import DirectionRow, JointRow, RiskRow, ThreatRow
from reportgen.wording import PER_CENT, estimate, level_named, number, percent, quoted, typed

MOST_FEATURES = 3
WORDS = {
    "demographic_parity": "demographic parity gap",
    "demographic_parity_ratio": "demographic parity ratio",
    "demographic_parity_overall": "demographic parity gap to all",
    "equal_opportunity": "equal opportunity gap",
    "equal_opportunity_ratio": "equal opportunity ratio",
    "equalized_odds": "equalized odds gap",
    "equalized_odds_mean": "mean equalized odds gap",
    "equalized_odds_ratio": "equalized odds ratio",
}

SIZES = {
    "flips": "{} of the records in the wrong group",
    "mix": "a mix shifted within groups by Γ = {}",
    "prevalence": "prevalences shifted by ±{}",
    "average": "moves of {} × eps on average",
}


def words_of(metric: str) -> str:
    """Return a metric as sentences name it: "demographic parity gap", "gap in sensitivity"."""
    return WORDS.get(metric, f"gap in {metric.replace('_', ' ')}")


def counted(k: int, noun: str) -> str:
    """Return a count with its noun: "1 row", "2,000 rows"."""
    return f"{k:,} {noun}{'' if k == 1 else 's'}"


def gap(value: float | None) -> str:
    """Return a gap with three digits, or that there is none."""
    return "not defined" if value is None else number(value)


def with_interval(one: Estimate) -> str:
    """Return a gap with its interval, with the digits that the interval warrants."""
    if one.estimate is None:
        return f"not defined ({one.reason})"
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
        moves = ", ".join(
            f"{level_named(attribute, row.group)}: {signed(row.move or 0)}" for row in own
        )
        told.append(
            f"{name} {percent(shares[name] or 0)} ({moves}{_unit(own[0].unit)})" if own else name
        )
    return "; ".join(told)


def signed(value: float) -> str:
    """Return a move with its sign."""
    return f"+{number(value)}" if value > 0 else number(value)


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def radius(row: RiskRow, raw_unsafe: float | None, unit: str) -> str:
    """Return the critical radius: in multiples of eps, and in the shared unit beside it."""
    if row.critical_reason:
        return f"there is no critical radius: {row.critical_reason}"
    safe, unsafe = row.critical_safe, row.critical_unsafe
    if unsafe == 0:
        return "the critical radius is 0"
    if safe is not None and unsafe is not None and math.isclose(safe, unsafe, rel_tol=1e-9):
        beside = "" if raw_unsafe is None else f", {number(raw_unsafe)}{_unit(unit)}"
        return f"the critical radius is {number(unsafe)} times the declared moves{beside}"
    low = "no size at all" if not safe else f"{number(safe)} times the declared moves"
    if unsafe is None:
        if safe is None:
            return "no size looked at passes the tolerance"
        return f"moves up to {low} keep the tolerance, and none larger was found to pass it"
    return (
        f"the critical radius lies between {typed(safe or 0) if not safe else number(safe)} and "
        f"{number(unsafe)} times the declared moves"
    )


def brief_radius(row: RiskRow) -> str:
    """Return the critical radius in a few words: "critical radius 0.766"; "" where there is none.

    A bracket gives both ends, and ">4.000" says that no larger size was looked at.
    """
    told = "" if row.critical_reason else radius_evidence(row).get("critical_radius", "")
    return (
        f"critical radius {told if isinstance(told, str) else number(told)}" if told != "" else ""
    )


def radius_evidence(row: RiskRow | JointRow) -> dict[str, float | str]:
    """Return the critical radius as evidence: a figure, or in words where it is a bracket."""
    safe, unsafe = row.critical_safe, row.critical_unsafe
    if safe is None and unsafe is None:
        return {}
    if unsafe is None:
        return {"critical_radius": f">{number(safe or 0)}"}
    if safe is None or unsafe == 0 or math.isclose(safe, unsafe, rel_tol=1e-9):
        return {"critical_radius": unsafe}
    return {"critical_radius": f"{number(safe)} to {number(unsafe)}"}


def sized(row: ThreatRow) -> str:
    """Return a threat with its size and unit: "5 % of the records in the wrong group"."""
    size = percent_typed(row.size) if row.threat == "flips" else typed(row.size)
    return SIZES[row.threat].format(size)


def percent_typed(share: float) -> str:
    """Return a share as people type it in per cent: 5 %, 0.5 %."""
    return f"{typed(100 * share)}{PER_CENT}"


def groups_named(row: RiskRow, attribute: str) -> str:
    """Return between which groups the worst gap is: "F above M"."""
    if row.highest_group and row.lowest_group:
        high, low = (level_named(attribute, g) for g in (row.highest_group, row.lowest_group))
        return f" ({quoted(high)} above {quoted(low)})"
    return ""
