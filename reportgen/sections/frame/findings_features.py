"""Findings on features: what of them was not used, and which are the groups by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.language import _
from reportgen.result import Finding
from reportgen.sections.frame.data import Attribute, Data
from reportgen.sections.frame.evidence import Clustered, Evidence
from reportgen.sections.frame.result import FrameResult
from reportgen.sections.frame.told import told
from reportgen.sections.frame.wording import group_quoted, listed, side
from reportgen.wording import clauses, quoted, sentences

LEAST_ROWS = 10
"""Rows of a group below which that a feature separates it may be chance."""


def features_left_out(evidence: Evidence, clustered: Clustered, data: Data) -> Iterator[Finding]:
    """Yield the finding on features, and rows without one, that an examination did without."""
    where: dict[str, dict[str, None]] = {}
    for (name, group, _score), one in evidence.found.items():
        level = data.attributes_by_name[name].levels[group]
        for note in one.shift.notes:
            where.setdefault(told(note), {})[side(name, level)] = None
    compared = clauses(_left_out_of(note, [*groups]) for note, groups in where.items())
    text = _("Not used where groups are compared by their features: {features}.")
    parts = ([text.format(features=compared)] if where else []) + list(clustered.left_out)
    if parts:
        yield Finding(
            "FRM-025",
            "note",
            _("Features or rows left out of the examination of features"),
            sentences(parts),
            limits=_("Nothing is said of what was left out."),
        )


def _left_out_of(note: str, groups: Sequence[str]) -> str:
    return _("{note} ({groups})").format(note=note, groups=listed(groups, 3))


def coverage_not_assessed(result: FrameResult) -> Iterator[Finding]:
    """Yield the finding on groups whose coverage by the reference cannot be estimated."""
    lacking = {
        (row.attribute, row.group, row.reference): row.coverage_deficit.reason
        for row in result.representation
        if row.features and row.coverage_deficit.estimate is None
    }
    if lacking:
        text = _("{group} against {reference}: {reason}")
        yield Finding(
            "FRM-026",
            "note",
            _("Coverage not estimable"),
            _(
                "How far the reference covers a group by its features is not estimable: {groups}."
            ).format(
                groups=clauses(
                    text.format(
                        group=side(attribute, group), reference=group_quoted(other), reason=reason
                    )
                    for (attribute, group, other), reason in lacking.items()
                )
            ),
            {_("comparisons without coverage"): float(len(lacking))},
            _("A gap of these groups has no representational evidence for or against it."),
        )


def not_clustered(clustered: Clustered) -> Iterator[Finding]:
    """Yield the finding that errors were not searched for regions, with the reasons."""
    if clustered.not_searched:
        yield Finding(
            "FRM-027",
            "note",
            _("No search for failure clusters"),
            sentences(clustered.not_searched),
            limits=_("Regions with more errors may exist."),
        )


def determined_groups(data: Data) -> Iterator[Finding]:
    """Yield the finding that features separate the groups of an attribute without overlap."""
    if data.features is None:
        return
    told = [
        _("{feature} those of {attribute}").format(feature=quoted(name), attribute=quoted(one.name))
        for one in data.attributes
        if one.single
        for name, column in zip(data.feature_names, data.features.T, strict=True)
        if separates(column, one)
    ]
    if told:
        yield Finding(
            "FRM-024",
            "note",
            _("Features that tell the groups by themselves"),
            _(
                "One feature alone separates the groups without overlap: {features}. A domain AUC "
                "near 1 and low coverage follow from that, as from a column of the groups "
                "themselves; they say nothing of the model."
            ).format(features=listed(told)),
            {_("features"): float(len(told))},
        )


def separates(column: NDArray[np.float64], attribute: Attribute) -> bool:
    """Return whether a feature's values lie in one interval for each group, without overlap.

    Parameters
    ----------
    column : array of float, shape (rows,)
        NaN where it is missing.
    attribute : Attribute
        Rows without a value, and groups of fewer than ten rows with the feature, are passed over.
    """
    limits = []
    for group in range(len(attribute.levels)):
        values = column[(attribute.code == group) & np.isfinite(column)]
        if group != attribute.missing and len(values) >= LEAST_ROWS:
            limits.append((float(values.min()), float(values.max())))
    limits.sort()
    return len(limits) > 1 and all(below[1] < above[0] for below, above in pairwise(limits))
