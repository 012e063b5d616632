"""The verdicts of a robust audit as sentences with their figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.result import Estimate, Finding, Severity
from reportgen.sections.robust.audit import Audit, MetricAudit
from reportgen.sections.robust.codes import CODE, LIMITS, PROXY_LIMITS, STATIC_LIMITS
from reportgen.sections.robust.result import ProxyRow, RiskRow, RobustResult, Verdict
from reportgen.sections.robust.settings import RobustSettings
from reportgen.sections.robust.wording import (
    brief_radius,
    gap,
    groups_named,
    radius,
    radius_evidence,
    with_interval,
    words_of,
)
from reportgen.wording import quoted, typed

BOUNDS = ("least", "worst", "low", "high")
"""The figures of a proxy that a verdict may rest on; estimates stand in a finding of their own."""
TITLES = {
    "robust": "robust within the declared moves",
    "undetermined": "undetermined",
    "static fail": "static fail",
    "fragile": "fragile",
    "not assessable": "not assessable",
}


def verdict_findings(
    result: RobustResult, audit: Audit | None, settings: RobustSettings
) -> Iterator[Finding]:
    """Yield the verdict of every metric."""
    audited = {} if audit is None else {one.measure.name: one for one in audit.metrics}
    for row in result.risk_list:
        severity = _severity(row.verdict, audited[row.metric], result, settings)
        yield Finding(
            CODE[row.verdict],
            severity,
            f"{result.score}: {words_of(row.metric)}, {TITLES[row.verdict]}",
            _sentence(row, result),
            _evidence(row),
            LIMITS if result.model else STATIC_LIMITS,
            summary=_summary(row),
        )


def _severity(
    verdict: Verdict, one: MetricAudit, result: RobustResult, settings: RobustSettings
) -> Severity:
    if verdict == "robust":
        return "pass"
    if verdict == "undetermined":
        return "warn"
    if verdict != "not assessable" or settings.required is None:
        return "fail"
    names = [row.group for row in result.groups]
    concerned = [names[g] for g in one.lacking]
    free = concerned and not any(name in settings.required for name in concerned)
    return "warn" if free else "fail"


def _sentence(row: RiskRow, result: RobustResult) -> str:
    head = (
        f"The {words_of(row.metric)} of {quoted(result.score)} by {result.sensitive} is "
        f"{with_interval(row.static)} as it stands{groups_named(row, result.sensitive)}, "
    )
    side = "within" if row.verdict != "static fail" else "past"
    head += f"{side} the tolerance of {typed(row.tolerance)}"
    if row.verdict == "not assessable":
        return f"The {words_of(row.metric)} cannot be assessed: {row.reason}."
    if row.worst_found is None:
        because = f": {row.reason}" if row.reason else ""
        return f"{head}{because}."
    worst = f"Under the declared moves it is {_worst(row, result)}"
    tail = {
        "static fail": f"{worst}; {_radius(row, result)}.",
        "fragile": f"{worst}, past the tolerance; {_radius(row, result)}.",
        "robust": f"{worst}; {_limit(row)}; {_radius(row, result)}.",
        "undetermined": f"{worst}; {row.reason}{_limit_told(row)}; {_radius(row, result)}.",
    }[row.verdict]
    return f"{head}. {tail}"


def _summary(row: RiskRow) -> str:
    """Return a verdict in a line: "0.154 as it stands, 0.235 at worst; tolerance 0.2; …"."""
    if row.verdict == "not assessable":
        return f"Cannot be assessed: {row.reason}."
    parts = [f"{gap(row.static.estimate)} as it stands"]
    if row.worst_found is not None:
        between = row.worst_certified is not None and not row.exact
        worst = gap(row.worst_found) + (f" to {gap(row.worst_certified)}" if between else "")
        parts[0] += f", {worst} at worst"
    parts.append(f"tolerance {typed(row.tolerance)}")
    if row.worst_found is not None:
        parts.append(brief_radius(row))
    return f"{'; '.join(filter(None, parts))}."


def _worst(row: RiskRow, result: RobustResult) -> str:
    worst, least = ("at most", "at least") if _falls(row) else ("at least", "at most")
    if row.exact:
        return f"{gap(row.worst_found)} at worst (found and certified are one)"
    if row.limit.estimate is None and result.model and not result.model[0].certifiable:
        return f"{worst} {gap(row.worst_found)} at worst (found; nothing is certified)"
    return (
        f"{worst} {gap(row.worst_found)} (found) and {least} {gap(row.worst_certified)} "
        "(certified) at worst"
    )


def _falls(row: RiskRow) -> bool:
    return row.metric.endswith("_ratio")


def _limit(row: RiskRow) -> str:
    if row.limit.estimate is None:
        return f"it has no limit for sampling ({row.limit.reason})"
    side = "lower" if _falls(row) else "upper"
    return f"its one-sided {side} limit for sampling is {gap(row.limit.estimate)}"


def _limit_told(row: RiskRow) -> str:
    return "" if row.limit.estimate is None else f" ({gap(row.limit.estimate)})"


def _radius(row: RiskRow, result: RobustResult) -> str:
    own = [g for g in result.gaps if g.metric == row.metric and g.rung == "record"]
    beside = own[0].critical_unsafe_raw if own else None
    units = {move.unit for move in result.perturbation if move.eps > 0}
    return radius(row, beside, units.pop() if len(units) == 1 else "")


def _evidence(row: RiskRow) -> dict[str, float | str | Estimate]:
    found: dict[str, float | str | Estimate] = {
        "metric": row.metric,
        "static": row.static,
        "tolerance": row.tolerance,
    }
    if row.exact and row.worst_found is not None:
        found["worst"] = row.worst_found
    else:
        ends = {"worst_found": row.worst_found, "worst_certified": row.worst_certified}
        found.update({name: value for name, value in ends.items() if value is not None})
    if not row.critical_reason:
        found.update(radius_evidence(row))
    if row.limit.estimate is not None:
        found["one_sided_limit"] = row.limit.estimate
    return found


def proxy_verdicts(result: RobustResult, settings: RobustSettings) -> Iterator[Finding]:
    """Yield the verdict of every metric where membership is a probability alone."""
    if settings.sensitive is not None:
        return
    for row in result.proxy:
        severity: Severity = "warn" if row.verdict == "undetermined" else "fail"
        yield Finding(
            CODE[row.verdict],
            severity,
            f"{result.score}: {words_of(row.metric)}, {TITLES[row.verdict]}",
            f"Membership is known by {quoted(result.sensitive)} alone, and the "
            f"{words_of(row.metric)} of {quoted(result.score)} lies between {gap(row.least)} and "
            f"{gap(row.worst)}, against a tolerance of {typed(row.tolerance)}: {row.reason}.",
            {"metric": row.metric, **known_figures(row, BOUNDS)},
            PROXY_LIMITS,
            summary=(
                f"Between {gap(row.least)} and {gap(row.worst)} without assumptions; tolerance "
                f"{typed(row.tolerance)}."
            ),
        )


def known_figures(row: ProxyRow, names: Sequence[str]) -> dict[str, float]:
    """Return the figures of a proxy that there are, by name."""
    return {name: value for name in names if (value := getattr(row, name)) is not None}
