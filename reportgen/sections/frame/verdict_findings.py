"""One finding a primary comparison: its verdict in one paragraph, its figures, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.language import _, n_
from reportgen.result import Estimate, Finding, Severity
from reportgen.sections.frame.codes import LINK, SAMPLING
from reportgen.sections.frame.metrics import words_of
from reportgen.sections.frame.result import (
    BELOW_MARGIN,
    NO_GAP,
    NOT_ASSESSED,
    NOT_ESTIMABLE,
    NOT_EXCLUDED,
    WITH_EVIDENCE,
    WITHOUT_EVIDENCE,
    FrameResult,
    GapRow,
    GroupRow,
    RepresentationRow,
    Verdict,
)
from reportgen.sections.frame.verdict_reasons import (
    checks_said,
    evidence,
    features_said,
    next_said,
)
from reportgen.sections.frame.verdicts import turned
from reportgen.sections.frame.wording import (
    group_quoted,
    level_shown,
    listed,
    patients,
    side,
    signed,
    signed_interval,
)
from reportgen.wording import (
    between,
    coverage,
    estimate,
    fixed,
    p_value,
    quoted,
    sentences,
    separated,
    typed,
)

CODE = {
    NO_GAP: "FRM-001",
    NOT_EXCLUDED: "FRM-002",
    BELOW_MARGIN: "FRM-003",
    WITH_EVIDENCE: "FRM-004",
    WITHOUT_EVIDENCE: "FRM-005",
    NOT_ASSESSED: "FRM-006",
    NOT_ESTIMABLE: "FRM-007",
}
SHOWN = (WITH_EVIDENCE, WITHOUT_EVIDENCE, NOT_ASSESSED)
SEVERITY: dict[str | None, Severity] = {"hold": "fail", "conditional": "warn", "release": "note"}


def verdict_findings(result: FrameResult) -> Iterator[Finding]:
    """Yield the finding of every primary comparison, in the order of the rows.

    Comparisons of one attribute that are not estimable, and need not be, are one finding.
    """
    groups = {(row.score, row.attribute, row.group): row for row in result.groups}
    features = {(row.score, row.attribute, row.group): row for row in result.representation}
    lacking = _lacking(result)
    told: set[str] = set()
    for row in result.gaps:
        if not row.primary:
            continue
        if row.attribute in lacking and _may_lack(row):
            if row.attribute not in told:
                told.add(row.attribute)
                yield _not_estimable(result, row.attribute, lacking[row.attribute])
            continue
        own = groups[row.score, row.attribute, row.group]
        other = groups[row.score, row.attribute, row.reference]
        found = features.get((row.score, row.attribute, row.group))
        yield _finding(result, row, own, other, found)


def _lacking(result: FrameResult) -> dict[str, list[GapRow]]:
    """Return, by attribute, the comparisons not estimable that one finding names together."""
    found: dict[str, list[GapRow]] = {}
    for row in result.gaps:
        if _may_lack(row):
            found.setdefault(row.attribute, []).append(row)
    return {name: rows for name, rows in found.items() if len(rows) > 1}


def _may_lack(row: GapRow) -> bool:
    """Return whether a comparison is not estimable and need not be."""
    return row.verdict == NOT_ESTIMABLE and row.release != "hold"


def _not_estimable(result: FrameResult, attribute: str, rows: Sequence[GapRow]) -> Finding:
    compared = [row for row in result.gaps if row.primary and row.attribute == attribute]
    lacking, all_groups = ({row.group for row in some} for some in (rows, compared))
    told = n_(
        "{k} of {n} group of {attribute}", "{k} of {n} groups of {attribute}", len(all_groups)
    ).format(k=len(lacking), n=fixed(len(all_groups), 0), attribute=attribute)
    return Finding(
        CODE[NOT_ESTIMABLE],
        "warn",
        _("{groups} not estimable").format(groups=told),
        sentences(
            (
                _lacking_against(told, rows, compared),
                _("There is no verdict, and p counts as 1."),
                _(
                    "Next: collect patients (at least {positive} positive and {negative} negative "
                    "each), or join groups that belong together."
                ).format(**_minimum(result)),
            )
        ),
        {
            _("groups not estimable"): float(len(lacking)),
            _("groups"): float(len(all_groups)),
        },
        _("Nothing is shown of these groups."),
        summary=n_(
            "{k} of {n} primary comparison without a verdict.",
            "{k} of {n} primary comparisons without a verdict.",
            len(compared),
        ).format(k=len(rows), n=fixed(len(compared), 0)),
    )


def _lacking_against(told: str, rows: Sequence[GapRow], compared: Sequence[GapRow]) -> str:
    """Return which groups are not estimable, and in how many comparisons."""
    lacking, all_groups = ({row.group for row in some} for some in (rows, compared))
    text = _(
        "{told} are not estimable against {reference}: {groups}; the table of verdicts has each, "
        "with reasons."
    )
    of_all = ""
    if (len(rows), len(compared)) != (len(lacking), len(all_groups)):
        text = _(
            "{told} are not estimable against {reference}, in {of_all}: {groups}; the table of "
            "verdicts has each, with reasons."
        )
        of_all = n_(
            "{k} of {n} primary comparison", "{k} of {n} primary comparisons", len(compared)
        ).format(k=len(rows), n=fixed(len(compared), 0))
    named = [group_quoted(name) for name in dict.fromkeys(row.group for row in rows)]
    return text.format(
        told=told,
        reference=group_quoted(rows[0].reference),
        of_all=of_all,
        groups=listed(named, 5),
    )


def _finding(
    result: FrameResult,
    row: GapRow,
    own: GroupRow,
    other: GroupRow,
    found: RepresentationRow | None,
) -> Finding:
    verdict = row.verdict or NOT_ESTIMABLE
    parts = [_figures(row, own, other), *_by_rows(result, row), *_meaning(result, row, found)]
    link = _(LINK) if verdict in (WITH_EVIDENCE, WITHOUT_EVIDENCE) else ""
    return Finding(
        CODE[verdict],
        "pass" if verdict == NO_GAP else SEVERITY[row.release],
        _title(result, row, verdict),
        sentences(parts),
        evidence(row, found),
        sentences((_(SAMPLING), link)),
        summary=_summary(result, row),
    )


def _title(result: FrameResult, row: GapRow, verdict: Verdict) -> str:
    """Return what is compared and the verdict; with metric and score where there are several."""
    where = [words_of(row.metric)] if len(result.primary) > 1 else []
    where += [row.score] if len(result.scores) > 1 else []
    text = _("{attribute}: {group} against {reference}: {verdict}")
    if where:
        text = _("{attribute}: {group} against {reference} ({where}): {verdict}")
    return text.format(
        attribute=row.attribute,
        group=level_shown(row.group),
        reference=level_shown(row.reference),
        where=separated(where),
        verdict=_(verdict),
    )


def _summary(result: FrameResult, row: GapRow) -> str:
    if row.verdict == NOT_ESTIMABLE:
        return _("No verdict: {reason}.").format(reason=row.reason)
    said = _("{metric} gap {gap}, Holm {p}; margin {margin}.").format(
        metric=words_of(row.metric, head=True),
        gap=signed_interval(row.gap),
        p=p_value(row.p_adjusted),
        margin=typed(result.margin),
    )
    return sentences((said, _worse_reference(row)))


def _figures(row: GapRow, own: GroupRow, other: GroupRow) -> str:
    text = _("{metric} of {score}: {own}, {other}; gap {gap}.")
    if row.verdict != NOT_ESTIMABLE and row.p is not None:
        text = _("{metric} of {score}: {own}, {other}; gap {gap}, {p}, Holm {p_adjusted}.")
    return text.format(
        metric=words_of(row.metric, head=True),
        score=quoted(row.score),
        own=_figure_of(row, own),
        other=_figure_of(row, other),
        gap=signed_interval(row.gap),
        p=p_value(row.p),
        p_adjusted=p_value(row.p_adjusted),
    )


def _figure_of(row: GapRow, one: GroupRow) -> str:
    text = _("{figure} in {group} ({patients}, {positive} positive)")
    return text.format(
        figure=estimate(getattr(one, row.metric)),
        group=side(row.attribute, one.group),
        patients=patients(one.n_units),
        positive=fixed(one.n_positive_units, 0),
    )


def _by_rows(result: FrameResult, row: GapRow) -> Iterator[str]:
    """Yield what counting rows as patients would give, where it turns the answer."""
    if row.verdict == NOT_ESTIMABLE or row.p is None or row.image_level_p is None:
        return
    if (row.image_level_p <= result.alpha) != (row.p <= result.alpha):
        text = _("Counting every row as a patient would give {p}.")
        yield text.format(p=p_value(row.image_level_p))


def _meaning(result: FrameResult, row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    margin = typed(result.margin)
    if row.verdict == NOT_ESTIMABLE:
        text = _("There is no verdict, and p counts as 1: {reason}.")
        yield text.format(reason=row.reason)
        yield _(
            "Next: collect patients (at least {positive} positive and {negative} negative each)."
        ).format(**_minimum(result))
    elif row.verdict == NO_GAP:
        yield _(
            "Two one-sided tests exclude a gap of the margin of {margin} or more: {coverage} "
            "interval {interval}."
        ).format(
            margin=margin,
            coverage=coverage(1 - 2 * result.alpha),
            interval=between(_limit(row.equivalence_low), _limit(row.equivalence_high)),
        )
    elif row.verdict == NOT_EXCLUDED:
        yield _(
            "Consistent with sampling variation alone, and with a true gap beyond the margin of "
            "{margin}: inconclusive, and no pass."
        ).format(margin=margin)
        yield from _needed(result, row)
    elif row.verdict == BELOW_MARGIN:
        text = _("A gap is shown, and the whole interval lies inside the margin of {margin}.")
        yield text.format(margin=margin)
        yield _("Next: record it and watch it in use.")
    else:
        yield from _shown(result, row, found)


def _minimum(result: FrameResult) -> dict[str, int]:
    return {
        "positive": result.minimum_positive_units,
        "negative": result.minimum_negative_units,
    }


def _limit(value: float | None) -> str:
    return _("an unknown limit") if value is None else signed(value)


def _needed(result: FrameResult, row: GapRow) -> Iterator[str]:
    if row.minimum_detectable_gap is None or row.units_needed is None:
        yield _("Next: collect more patients; how many cannot be estimated from these.")
        return
    yield n_(
        "80 % of such studies would show a true gap of {gap}; to show one of {margin} as often "
        "takes about {n} patient of both groups.",
        "80 % of such studies would show a true gap of {gap}; to show one of {margin} as often "
        "takes about {n} patients of both groups.",
        row.units_needed,
    ).format(
        gap=fixed(row.minimum_detectable_gap, 3),
        margin=typed(result.margin),
        n=fixed(row.units_needed, 0),
    )


def _shown(result: FrameResult, row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    margin = typed(result.margin)
    worse = _worse_reference(row)
    if worse:
        yield worse
    elif row.release == "hold":
        text = _("The interval lies wholly beyond the margin of {margin} against the group.")
        yield text.format(margin=margin)
    else:
        text = _("The interval does not lie wholly beyond the margin of {margin}.")
        yield text.format(margin=margin)
    yield features_said(row, found)
    yield from checks_said(result, row)
    yield next_said(row)


def _worse_reference(row: GapRow) -> str:
    """Return that the reference is the one worse off, or "" where no such gap is shown."""
    other = turned(row) if row.verdict in SHOWN else None
    if other is None:
        return ""
    return _(
        "The gap is in the group's favour: the reference, {reference}, is the one worse off, by "
        "{size}; with {group} as the reference this would be {release}."
    ).format(
        reference=group_quoted(row.reference),
        size=_size(row.gap),
        group=group_quoted(row.group),
        release=_(other),
    )


def _size(gap: Estimate) -> str:
    """Return the size of a gap with its limits, without signs where all have the same."""
    if gap.estimate is None or gap.low is None or gap.high is None:
        return signed_interval(gap)
    limits = (gap.low, gap.high) if gap.estimate > 0 else (-gap.high, -gap.low)
    return estimate(replace(gap, estimate=abs(gap.estimate), low=limits[0], high=limits[1]))
