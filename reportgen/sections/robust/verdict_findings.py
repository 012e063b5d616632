"""The verdicts of a robust audit as sentences with their figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.language import _, mark
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
from reportgen.wording import between, clauses, quoted, sentences, typed

BOUNDS = ("least", "worst", "low", "high")
"""The figures of a proxy that a verdict may rest on; estimates stand in a finding of their own."""
TITLES = {
    "robust": mark("robust within the declared moves"),
    "undetermined": mark("undetermined"),
    "static fail": mark("static fail"),
    "fragile": mark("fragile"),
    "not assessable": mark("not assessable"),
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
            _title(row, result),
            _sentence(row, result),
            _evidence(row),
            _(LIMITS) if result.model else _(STATIC_LIMITS),
            summary=_summary(row),
        )


def _title(row: RiskRow | ProxyRow, result: RobustResult) -> str:
    text = _("{score}: {metric}, {verdict}")
    verdict = _(TITLES[row.verdict])
    return text.format(score=result.score, metric=words_of(row.metric), verdict=verdict)


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
    metric = words_of(row.metric)
    if row.verdict == "not assessable":
        text = _("The {metric} cannot be assessed: {reason}.")
        said = text.format(metric=metric, reason=row.reason)
        if row.static.estimate is None or not row.left_out:
            return said
        text = _("Of the other groups it is {gap} as it stands{groups}.")
        others = text.format(
            gap=with_interval(row.static), groups=groups_named(row, result.sensitive)
        )
        return sentences((said, others))
    head = (
        _(
            "The {metric} of {score} by {attribute} is {gap} as it stands{groups}, past the"
            " tolerance of {tolerance}"
        )
        if row.verdict == "static fail"
        else _(
            "The {metric} of {score} by {attribute} is {gap} as it stands{groups}, within the"
            " tolerance of {tolerance}"
        )
    ).format(
        metric=metric,
        score=quoted(result.score),
        attribute=result.sensitive,
        gap=with_interval(row.static),
        groups=groups_named(row, result.sensitive),
        tolerance=typed(row.tolerance),
    )
    if row.worst_found is None and row.reason:
        return _("{statement}: {reason}.").format(statement=head, reason=row.reason)
    said = _("{statement}.").format(statement=head)
    return said if row.worst_found is None else sentences((said, _moved(row, result)))


def _moved(row: RiskRow, result: RobustResult) -> str:
    """Return the sentence on the worst case under the declared moves."""
    text = {
        "static fail": _("Under the declared moves it is {worst}; {radius}."),
        "fragile": _("Under the declared moves it is {worst}, past the tolerance; {radius}."),
        "robust": _("Under the declared moves it is {worst}; {limit}; {radius}."),
        "undetermined": _("Under the declared moves it is {worst}; {reason}{figure}; {radius}."),
    }[row.verdict]
    return text.format(
        worst=_worst(row, result),
        limit=_limit(row),
        reason=row.reason,
        figure=_limit_told(row),
        radius=_radius(row, result),
    )


def _summary(row: RiskRow) -> str:
    """Return a verdict in a line: "0.154 as it stands, 0.235 at worst; tolerance 0.2; …"."""
    if row.verdict == "not assessable":
        return _("Cannot be assessed: {reason}.").format(reason=row.reason)
    tolerance = _("tolerance {tolerance}").format(tolerance=typed(row.tolerance))
    if row.worst_found is None:
        stands = _("{gap} as it stands").format(gap=gap(row.static.estimate))
        return _("{statement}.").format(statement=clauses((stands, tolerance)))
    worst = gap(row.worst_found)
    if row.worst_certified is not None and not row.exact:
        worst = between(worst, gap(row.worst_certified))
    text = _("{gap} as it stands, {worst} at worst")
    stands = text.format(gap=gap(row.static.estimate), worst=worst)
    parts = clauses(filter(None, (stands, tolerance, brief_radius(row))))
    return _("{statement}.").format(statement=parts)


def _worst(row: RiskRow, result: RobustResult) -> str:
    found, certified = gap(row.worst_found), gap(row.worst_certified)
    if row.exact:
        return _("{found} at worst (found and certified are one)").format(found=found)
    if row.limit.estimate is None and result.model and not result.model[0].certifiable:
        text = (
            _("at most {found} at worst (found; nothing is certified)")
            if _falls(row)
            else _("at least {found} at worst (found; nothing is certified)")
        )
    elif _falls(row):
        text = _("at most {found} (found) and at least {certified} (certified) at worst")
    else:
        text = _("at least {found} (found) and at most {certified} (certified) at worst")
    return text.format(found=found, certified=certified)


def _falls(row: RiskRow) -> bool:
    return row.metric.endswith("_ratio")


def _limit(row: RiskRow) -> str:
    if row.limit.estimate is None:
        text = _("it has no limit for sampling ({reason})")
        return text.format(reason=row.limit.reason)
    text = (
        _("its one-sided lower limit for sampling is {limit}")
        if _falls(row)
        else _("its one-sided upper limit for sampling is {limit}")
    )
    return text.format(limit=gap(row.limit.estimate))


def _limit_told(row: RiskRow) -> str:
    if row.limit.estimate is None:
        return ""
    return _(" ({limit})").format(limit=gap(row.limit.estimate))


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
        statement = _(
            "Membership is known by {column} alone, and the {metric} of {score} lies between"
            " {least} and {worst}, against a tolerance of {tolerance}: {reason}."
        )
        summary = _("Between {least} and {worst} without assumptions; tolerance {tolerance}.")
        figures = {
            "least": gap(row.least),
            "worst": gap(row.worst),
            "tolerance": typed(row.tolerance),
        }
        yield Finding(
            CODE[row.verdict],
            severity,
            _title(row, result),
            statement.format(
                column=quoted(result.sensitive),
                metric=words_of(row.metric),
                score=quoted(result.score),
                reason=row.reason,
                **figures,
            ),
            {"metric": row.metric, **known_figures(row, BOUNDS)},
            _(PROXY_LIMITS),
            summary=summary.format(**figures),
        )


def known_figures(row: ProxyRow, names: Sequence[str]) -> dict[str, float]:
    """Return the figures of a proxy that there are, by name."""
    return {name: value for name in names if (value := getattr(row, name)) is not None}
