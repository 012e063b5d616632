"""One finding a primary comparison: its verdict in one paragraph, its figures, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.result import Estimate, Finding, Severity
from reportgen.sections.frame.alternatives import CASE_MIX, THRESHOLD
from reportgen.sections.frame.codes import LINK, SAMPLING
from reportgen.sections.frame.metrics import METRICS
from reportgen.sections.frame.result import (
    BELOW_MARGIN,
    NO_GAP,
    NOT_ASSESSED,
    NOT_ESTIMABLE,
    NOT_EXCLUDED,
    WITH_EVIDENCE,
    WITHOUT_EVIDENCE,
    AlternativeRow,
    FrameResult,
    GapRow,
    GroupRow,
    RepresentationRow,
)
from reportgen.sections.frame.verdicts import turned
from reportgen.sections.frame.wording import (
    before_after,
    counted,
    listed,
    p_value,
    recalibration_reading,
    side,
    signed,
    signed_interval,
)
from reportgen.wording import coverage, estimate, fixed, quoted, typed

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
        if row in lacking.get(row.attribute, ()):
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
        if row.verdict == NOT_ESTIMABLE and row.release != "hold":
            found.setdefault(row.attribute, []).append(row)
    return {name: rows for name, rows in found.items() if len(rows) > 1}


def _not_estimable(result: FrameResult, attribute: str, rows: Sequence[GapRow]) -> Finding:
    compared = [row for row in result.gaps if row.primary and row.attribute == attribute]
    lacking, all_groups = ({row.group for row in some} for some in (rows, compared))
    told = f"{len(lacking)} of {counted(len(all_groups), 'group')} of {attribute}"
    of_all = ""
    if (len(rows), len(compared)) != (len(lacking), len(all_groups)):
        of_all = f", in {len(rows)} of {counted(len(compared), 'primary comparison')}"
    named = [quoted(name) for name in dict.fromkeys(row.group for row in rows)]
    return Finding(
        CODE[NOT_ESTIMABLE],
        "warn",
        f"{told} not estimable",
        f"{told} are not estimable against {quoted(rows[0].reference)}{of_all}: "
        f"{listed(named, 5)}; the "
        f"table of verdicts has each, with reasons. There is no verdict, and p counts as 1. Next: "
        f"collect patients{_until(result)}, or join groups that belong together.",
        {"groups not estimable": float(len(lacking)), "groups": float(len(all_groups))},
        "Nothing is shown of these groups.",
        summary=f"{len(rows)} of {counted(len(compared), 'primary comparison')} without a verdict.",
    )


def _finding(
    result: FrameResult,
    row: GapRow,
    own: GroupRow,
    other: GroupRow,
    found: RepresentationRow | None,
) -> Finding:
    verdict = row.verdict or NOT_ESTIMABLE
    where = [METRICS[row.metric].words] if len(result.primary) > 1 else []
    where += [row.score] if len(result.scores) > 1 else []
    title = f"{row.attribute}: {row.group} against {row.reference}"
    title += f" ({', '.join(where)})" if where else ""
    parts = [_figures(row, own, other), *_by_rows(result, row), *_meaning(result, row, found)]
    return Finding(
        CODE[verdict],
        "pass" if verdict == NO_GAP else SEVERITY[row.release],
        f"{title}: {verdict}",
        " ".join(parts),
        _evidence(row, found),
        SAMPLING + (LINK if verdict in (WITH_EVIDENCE, WITHOUT_EVIDENCE) else ""),
        summary=_summary(result, row),
    )


def _summary(result: FrameResult, row: GapRow) -> str:
    words = METRICS[row.metric].words
    if row.verdict == NOT_ESTIMABLE:
        return f"No verdict: {row.reason}."
    gap = f"{words} gap {signed_interval(row.gap)}, Holm {p_value(row.p_adjusted)}"
    said = f"{gap[0].upper()}{gap[1:]}; margin {typed(result.margin)}."
    return " ".join(filter(None, (said, _worse_reference(row))))


def _figures(row: GapRow, own: GroupRow, other: GroupRow) -> str:
    words = METRICS[row.metric].words
    sides = [
        f"{estimate(getattr(one, row.metric))} in {side(row.attribute, one.group)} "
        f"({counted(one.n_units, 'patient')}, {one.n_positive_units:,} positive)"
        for one in (own, other)
    ]
    p = ""
    if row.verdict != NOT_ESTIMABLE and row.p is not None:
        p = f", {p_value(row.p)}, Holm {p_value(row.p_adjusted)}"
    return (
        f"{words[0].upper()}{words[1:]} of {quoted(row.score)}: {sides[0]}, {sides[1]}; gap "
        f"{signed_interval(row.gap)}{p}."
    )


def _by_rows(result: FrameResult, row: GapRow) -> Iterator[str]:
    """Yield what counting rows as patients would give, where it turns the answer."""
    if row.verdict == NOT_ESTIMABLE or row.p is None or row.image_level_p is None:
        return
    if (row.image_level_p <= result.alpha) != (row.p <= result.alpha):
        yield f"Counting every row as a patient would give {p_value(row.image_level_p)}."


def _meaning(result: FrameResult, row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    margin = f"the margin of {typed(result.margin)}"
    if row.verdict == NOT_ESTIMABLE:
        yield f"There is no verdict, and p counts as 1: {row.reason}."
        yield f"Next: collect patients{_until(result)}."
    elif row.verdict == NO_GAP:
        yield (
            f"Two one-sided tests exclude a gap of {margin} or more: "
            f"{coverage(1 - 2 * result.alpha)} interval "
            f"{_limit(row.equivalence_low)} to {_limit(row.equivalence_high)}."
        )
    elif row.verdict == NOT_EXCLUDED:
        yield (
            "Consistent with sampling variation alone, and with a true gap beyond "
            f"{margin}: inconclusive, and no pass."
        )
        yield from _needed(result, row)
    elif row.verdict == BELOW_MARGIN:
        yield f"A gap is shown, and the whole interval lies inside {margin}."
        yield "Next: record it and watch it in use."
    else:
        yield from _shown(result, row, found)


def _until(result: FrameResult) -> str:
    return (
        f" (at least {result.minimum_positive_units} positive and "
        f"{result.minimum_negative_units} negative each)"
    )


def _limit(value: float | None) -> str:
    return "an unknown limit" if value is None else signed(value)


def _needed(result: FrameResult, row: GapRow) -> Iterator[str]:
    if row.minimum_detectable_gap is None or row.units_needed is None:
        yield "Next: collect more patients; how many cannot be estimated from these."
        return
    yield (
        f"80 % of such studies would show a true gap of {fixed(row.minimum_detectable_gap, 3)}; to "
        f"show one of {typed(result.margin)} as often takes about "
        f"{counted(row.units_needed, 'patient')} of both groups."
    )


def _shown(result: FrameResult, row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    margin = f"the margin of {typed(result.margin)}"
    worse = _worse_reference(row)
    if worse:
        yield worse
    elif row.release == "hold":
        yield f"The interval lies wholly beyond {margin} against the group."
    else:
        yield f"The interval does not lie wholly beyond {margin}."
    yield from _features(row, found)
    yield from _checked(result, row)
    yield _next(row)


def _worse_reference(row: GapRow) -> str:
    """Return that the reference is the one worse off, or "" where no such gap is shown."""
    other = turned(row) if row.verdict in SHOWN else None
    if other is None:
        return ""
    return (
        "The gap is in the group's favour: the reference, "
        f"{quoted(row.reference)}, is the one worse off, by {_size(row.gap)}; with "
        f"{quoted(row.group)} as the reference this would be {other}."
    )


def _size(gap: Estimate) -> str:
    """Return the size of a gap with its limits, without signs where all have the same."""
    if gap.estimate is None or gap.low is None or gap.high is None:
        return signed_interval(gap)
    limits = (gap.low, gap.high) if gap.estimate > 0 else (-gap.high, -gap.low)
    return estimate(replace(gap, estimate=abs(gap.estimate), low=limits[0], high=limits[1]))


def _features(row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    if row.verdict == NOT_ASSESSED or found is None:
        yield f"Representational evidence was not assessed: {row.reason}."
        return
    figures = (
        f"domain AUC {_area(found.domain_auc)}; the {found.covered_by} covers "
        f"{_share(found.coverage)} of the group, {_share(found.reference_coverage)} of the "
        f"reference ({p_value(found.coverage_p)}); link of loss and distance {_z(found)}"
    )
    if row.verdict == WITH_EVIDENCE:
        yield f"This is consistent with a representational cause: {figures}."
    else:
        yield f"No representational evidence: {row.reason} ({figures})."


def _area(one: Estimate) -> str:
    return "not estimable" if one.estimate is None else fixed(one.estimate, 3)


def _share(one: Estimate) -> str:
    return "an unknown share" if one.estimate is None else f"{100 * one.estimate:.0f} %"


def _z(found: RepresentationRow) -> str:
    if found.link_z is None:
        return "not tested"
    return f"z = {fixed(found.link_z, 2)} (one-sided {p_value(found.link_p)})"


def _checked(result: FrameResult, row: GapRow) -> Iterator[str]:
    """Yield the gap before and after the checks of other explanations that could be made."""
    own = [
        one
        for one in result.alternatives
        if (one.score, one.attribute, one.group) == (row.score, row.attribute, row.group)
        and one.gap.estimate is not None
        and one.gap_before is not None
    ]
    mix = [one for one in own if one.alternative == CASE_MIX and one.metric == row.metric]
    cut = [one for one in own if one.alternative == THRESHOLD]
    if mix:
        more = f" and {len(mix) - 1} more in the table" if len(mix) > 1 else ""
        yield f"Gap {mix[0].check}: {_before_after(mix[0])}{more}."
    if cut and METRICS[row.metric].at_threshold:
        told = [f"{METRICS[one.metric].words} {_before_after(one)}" for one in cut]
        yield f"Gap after each group is recalibrated: {', '.join(told)}."
    elif cut:
        moved = [
            (METRICS[one.metric].words, one.gap_before or 0.0, one.gap.estimate or 0.0)
            for one in cut
        ]
        reading = recalibration_reading(moved)
        yield f"{reading[0].upper()}{reading[1:]}."


def _before_after(one: AlternativeRow) -> str:
    return before_after(one.gap_before or 0.0, one.gap.estimate or 0.0)


def _next(row: GapRow) -> str:
    if row.verdict == WITH_EVIDENCE:
        return (
            "Next: add the like of the rows farthest from the reference to the training data; test "
            "again on new patients."
        )
    if row.verdict == WITHOUT_EVIDENCE:
        return (
            "Next: audit the labels of both groups, case mix, calibration, threshold and "
            "acquisition."
        )
    return (
        "Next: give the section the model's features; meanwhile audit labels, case mix, "
        "calibration and acquisition."
    )


def _evidence(row: GapRow, found: RepresentationRow | None) -> dict[str, float | str | Estimate]:
    """Return the figures a verdict rests on; all others stand in the tables."""
    numbers = {
        "p adjusted": row.p_adjusted,
        "margin": row.margin,
        "minimum detectable gap": row.minimum_detectable_gap,
        "patients needed": None if row.units_needed is None else float(row.units_needed),
    }
    figures: dict[str, float | str | Estimate] = {"gap": row.gap}
    figures |= {name: value for name, value in numbers.items() if value is not None}
    if found is not None and row.verdict in (WITH_EVIDENCE, WITHOUT_EVIDENCE):
        figures |= {
            "coverage": found.coverage,
            "coverage of the reference": found.reference_coverage,
        }
        figures |= {} if found.link_z is None else {"link z": found.link_z}
    return figures if row.release is None else {**figures, "means for the release": row.release}
