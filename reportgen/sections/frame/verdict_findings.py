"""One finding a primary comparison: its verdict in one paragraph, its figures, what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.result import Estimate, Finding, Severity
from reportgen.sections.frame.alternatives import CASE_MIX, DIFFICULTY, LABELS, THRESHOLD
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
    FrameResult,
    GapRow,
    GroupRow,
    RepresentationRow,
)
from reportgen.sections.frame.verdicts import in_favour
from reportgen.sections.frame.wording import counted, p_value, side, signed, signed_interval
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
    """Yield the finding of every primary comparison, in the order of the rows."""
    groups = {(row.score, row.attribute, row.group): row for row in result.groups}
    features = {(row.score, row.attribute, row.group): row for row in result.representation}
    several = len(result.scores) > 1
    for row in result.gaps:
        if row.primary:
            own = groups[row.score, row.attribute, row.group]
            other = groups[row.score, row.attribute, row.reference]
            found = features.get((row.score, row.attribute, row.group))
            yield _finding(result, row, own, other, found, several)


def _finding(
    result: FrameResult,
    row: GapRow,
    own: GroupRow,
    other: GroupRow,
    found: RepresentationRow | None,
    several: bool,
) -> Finding:
    verdict = row.verdict or NOT_ESTIMABLE
    where = [METRICS[row.metric].words] if len(result.primary) > 1 else []
    where += [row.score] if several else []
    title = f"{row.attribute}: {row.group} against {row.reference}"
    title += f" ({', '.join(where)})" if where else ""
    parts = [_figures(row, own, other), *_tested(result, row), *_meaning(result, row, found)]
    return Finding(
        CODE[verdict],
        "pass" if verdict == NO_GAP else SEVERITY[row.release],
        f"{title}: {verdict}",
        " ".join(parts),
        _evidence(row, found),
        SAMPLING + (LINK if verdict in (WITH_EVIDENCE, WITHOUT_EVIDENCE) else ""),
    )


def _figures(row: GapRow, own: GroupRow, other: GroupRow) -> str:
    words = METRICS[row.metric].words
    sides = [
        f"{estimate(getattr(one, row.metric))} in {side(row.attribute, one.group)} "
        f"({counted(one.n_units, 'patient')}, {one.n_positive_units:,} of them positive, "
        f"{counted(one.n_rows, 'row')})"
        for one in (own, other)
    ]
    return (
        f"The {words} of {quoted(row.score)} is {sides[0]} and {sides[1]}: the gap is "
        f"{signed_interval(row.gap)}."
    )


def _tested(result: FrameResult, row: GapRow) -> Iterator[str]:
    if row.gap.low is not None:
        yield f"Interval: {coverage(result.confidence)}, {row.gap.method}."
    if row.verdict == NOT_ESTIMABLE or row.p is None:
        return
    adjusted = f"after Holm over {counted(result.family_size, 'comparison')} "
    yield f"By {row.test}, {p_value(row.p)}; {adjusted}{p_value(row.p_adjusted)}."
    if row.image_level_p is not None and (row.design_effect or 1) > 1.05:
        yield (
            f"Counting every row as a patient would give {p_value(row.image_level_p)}: the "
            f"variance between patients is {row.design_effect:.1f} times that."
        )


def _meaning(result: FrameResult, row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    margin = f"the margin of {typed(result.margin)}"
    if row.verdict == NOT_ESTIMABLE:
        yield f"There is no verdict: {row.reason}."
        yield f"Next: collect patients{_until(result)}; until then nothing is shown."
    elif row.verdict == NO_GAP:
        yield (
            f"Two one-sided tests at {coverage(result.alpha)} exclude a gap of {margin} or more: "
            f"the {coverage(1 - 2 * result.alpha)} interval runs from "
            f"{_limit(row.equivalence_low)} to {_limit(row.equivalence_high)}."
        )
        yield "Next: watch the groups in use; no other step follows."
    elif row.verdict == NOT_EXCLUDED:
        yield (
            "Sampling variation alone is consistent with this gap, and so is a true gap beyond "
            f"{margin}: this is inconclusive and no pass."
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
    level = f"{typed(result.alpha)} / {result.family_size}"
    yield (
        f"With these patients a true gap of {fixed(row.minimum_detectable_gap, 3)} would be shown "
        f"in 80 % of studies (level {level}). Next: about "
        f"{counted(row.units_needed, 'patient')} of both groups together, in today's mix, would "
        f"show a gap of {typed(result.margin)} as often; "
        "name an owner and a date."
    )


def _shown(result: FrameResult, row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    direction, margin = METRICS[row.metric].direction, f"the margin of {typed(result.margin)}"
    if row.gap.estimate is not None and in_favour(row.gap.estimate, direction):
        yield "The gap is in the group's favour."
    elif row.release == "hold":
        yield f"The interval lies wholly beyond {margin} against the group."
    else:
        yield f"The interval does not lie wholly beyond {margin}."
    yield from _features(row, found)
    yield from _alternatives(result, row)
    yield _next(row)


def _features(row: GapRow, found: RepresentationRow | None) -> Iterator[str]:
    if row.verdict == NOT_ASSESSED or found is None:
        yield f"Representational evidence was not assessed: {row.reason}."
        return
    separable = (
        f"a classifier tells the groups apart with an area of {fixed(found.domain_auc.estimate, 3)}"
        if found.domain_auc.estimate is not None
        else "how separable the groups are is not estimable"
    )
    yield (
        f"In the features {separable}; the {found.covered_by} covers "
        f"{_share(found.coverage)} of the group and {_share(found.reference_coverage)} of the "
        f"reference ({p_value(found.coverage_p)}); the link of loss and distance within the group "
        f"has {_z(found)}."
    )
    if row.verdict == WITH_EVIDENCE:
        yield (
            "The group is covered less, and its images far from the reference are lost more often "
            "than their scores explain: consistent with a representational cause."
        )
    else:
        yield (
            f"So there is no representational evidence: {row.reason}. Groups that can be told "
            "apart, or lie apart, are no cause by themselves: a shift that the model does not "
            "care about looks the same."
        )


def _share(one: Estimate) -> str:
    return "an unknown share" if one.estimate is None else f"{100 * one.estimate:.0f} %"


def _z(found: RepresentationRow) -> str:
    if found.link_z is None:
        return "no test"
    return f"z = {fixed(found.link_z, 2)} (one-sided {p_value(found.link_p)})"


def _alternatives(result: FrameResult, row: GapRow) -> Iterator[str]:
    own = [
        one
        for one in result.alternatives
        if (one.score, one.attribute, one.group) == (row.score, row.attribute, row.group)
        and one.gap.estimate is not None
    ]
    mix = [one for one in own if one.alternative == CASE_MIX and one.metric == row.metric]
    cut = [one for one in own if one.alternative == THRESHOLD]
    yield (
        f"Other explanations that the data cannot exclude: {DIFFICULTY} and {CASE_MIX}, {LABELS}, "
        f"{THRESHOLD}."
    )
    if mix:
        checked = [f"{one.check} it is {signed_interval(one.gap)}" for one in mix]
        yield f"Checked: {'; '.join(checked)}."
    if cut:
        told = [f"{METRICS[one.metric].words} {signed_interval(one.gap)}" for one in cut]
        yield f"After recalibrating each group the gap at the threshold is: {'; '.join(told)}."


def _next(row: GapRow) -> str:
    if row.verdict == WITH_EVIDENCE:
        return (
            "Next: look at the images that lie farthest from the reference, add their like to the "
            "training data, and test again on new patients."
        )
    if row.verdict == WITHOUT_EVIDENCE:
        return (
            "Next: audit the labels of both groups, compare prevalence and case mix, look at "
            "calibration and threshold by group, and at how the images were acquired."
        )
    return (
        "Next: give the section the model's features, so that coverage and its link with the loss "
        "can be assessed; meanwhile audit labels, case mix, calibration and acquisition."
    )


def _evidence(row: GapRow, found: RepresentationRow | None) -> dict[str, float | str | Estimate]:
    numbers = {
        "p": row.p,
        "p adjusted": row.p_adjusted,
        "margin": row.margin,
        "minimum detectable gap": row.minimum_detectable_gap,
        "patients needed": None if row.units_needed is None else float(row.units_needed),
        "design effect": row.design_effect,
        "link z": None if found is None else found.link_z,
    }
    estimates = {"gap": row.gap, "gap, percentile": row.gap_percentile}
    if found is not None:
        estimates |= {
            "domain AUC": found.domain_auc,
            "coverage": found.coverage,
            "coverage of the reference": found.reference_coverage,
        }
    kept = {name: value for name, value in numbers.items() if value is not None}
    release = {} if row.release is None else {"means for the release": row.release}
    return {**estimates, **kept, **release}
