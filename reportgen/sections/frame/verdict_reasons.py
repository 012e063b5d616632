"""What a verdict's finding says of features and of other explanations, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.language import _
from reportgen.result import Estimate
from reportgen.sections.frame.alternatives import CASE_MIX, THRESHOLD
from reportgen.sections.frame.metrics import METRICS, words_of
from reportgen.sections.frame.result import (
    NOT_ASSESSED,
    WITH_EVIDENCE,
    WITHOUT_EVIDENCE,
    AlternativeRow,
    FrameResult,
    GapRow,
    RepresentationRow,
)
from reportgen.sections.frame.wording import before_after, recalibration_reading
from reportgen.wording import fixed, p_value, separated


def features_said(row: GapRow, found: RepresentationRow | None) -> str:
    """Return what the features say of the cause of a gap."""
    if row.verdict == NOT_ASSESSED or found is None:
        text = _("Representational evidence was not assessed: {reason}.")
        return text.format(reason=row.reason)
    figures = (
        _(
            "domain AUC {area}; the training set covers {own} of the group, {other} of the "
            "reference ({p}); link of loss and distance {link}"
        )
        if found.covered_by == "training set"
        else _(
            "domain AUC {area}; the reference covers {own} of the group, {other} of the "
            "reference ({p}); link of loss and distance {link}"
        )
    ).format(
        area=_area(found.domain_auc),
        own=_share(found.coverage),
        other=_share(found.reference_coverage),
        p=p_value(found.coverage_p),
        link=_z(found),
    )
    if row.verdict == WITH_EVIDENCE:
        text = _("This is consistent with a representational cause: {figures}.")
        return text.format(figures=figures)
    text = _("No representational evidence: {reason} ({figures}).")
    return text.format(reason=row.reason, figures=figures)


def _area(one: Estimate) -> str:
    return _("not estimable") if one.estimate is None else fixed(one.estimate, 3)


def _share(one: Estimate) -> str:
    if one.estimate is None:
        return _("an unknown share")
    return f"{100 * one.estimate:.0f} %"


def _z(found: RepresentationRow) -> str:
    if found.link_z is None:
        return _("not tested")
    text = _("z = {z} (one-sided {p})")
    return text.format(z=fixed(found.link_z, 2), p=p_value(found.link_p))


def checks_said(result: FrameResult, row: GapRow) -> Iterator[str]:
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
        text = _("Gap {check}: {figures}.")
        if len(mix) > 1:
            text = _("Gap {check}: {figures} and {n} more in the table.")
        yield text.format(check=mix[0].check, figures=_before_after(mix[0]), n=len(mix) - 1)
    if cut and METRICS[row.metric].at_threshold:
        told = separated(f"{words_of(one.metric)} {_before_after(one)}" for one in cut)
        yield _("Gap after each group is recalibrated: {figures}.").format(figures=told)
    elif cut:
        moved = [
            (words_of(one.metric), one.gap_before or 0.0, one.gap.estimate or 0.0) for one in cut
        ]
        yield recalibration_reading(moved, sentence=True)


def _before_after(one: AlternativeRow) -> str:
    return before_after(one.gap_before or 0.0, one.gap.estimate or 0.0)


def next_said(row: GapRow) -> str:
    """Return what to do next about a gap that is shown beyond the margin."""
    if row.verdict == WITH_EVIDENCE:
        return _(
            "Next: add the like of the rows farthest from the reference to the training data; test "
            "again on new patients."
        )
    if row.verdict == WITHOUT_EVIDENCE:
        return _(
            "Next: audit the labels of both groups, case mix, calibration, threshold and "
            "acquisition."
        )
    return _(
        "Next: give the section the model's features; meanwhile audit labels, case mix, "
        "calibration and acquisition."
    )


def evidence(row: GapRow, found: RepresentationRow | None) -> dict[str, float | str | Estimate]:
    """Return the figures a verdict rests on; all others stand in the tables."""
    numbers = {
        _("p adjusted"): row.p_adjusted,
        _("margin"): row.margin,
        _("minimum detectable gap"): row.minimum_detectable_gap,
        _("patients needed"): None if row.units_needed is None else float(row.units_needed),
    }
    figures: dict[str, float | str | Estimate] = {_("gap"): row.gap}
    figures |= {name: value for name, value in numbers.items() if value is not None}
    if found is not None and row.verdict in (WITH_EVIDENCE, WITHOUT_EVIDENCE):
        figures |= {
            _("coverage"): found.coverage,
            _("coverage of the reference"): found.reference_coverage,
        }
        figures |= {} if found.link_z is None else {_("link z"): found.link_z}
    if row.release is None:
        return figures
    return {**figures, _("means for the release"): _(row.release)}
