"""Findings on what a FRAME section could compare at all, and on features that are the groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.language import _
from reportgen.result import Finding
from reportgen.sections.frame.data import Attribute, Data
from reportgen.sections.frame.result import FrameResult
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.wording import listed, side
from reportgen.wording import quoted, sentences

LEAST_ROWS = 10
"""Rows of a group below which that a feature separates it may be chance."""


def required_not_assessed(settings: FrameSettings, reason: str) -> Iterator[Finding]:
    """Yield the finding that required groups are not estimable since nothing is.

    Parameters
    ----------
    settings : FrameSettings
    reason : str
        Why the section could not be assessed.
    """
    named = [
        side(attribute, group)
        for attribute, groups in settings.required.items()
        for group in dict.fromkeys(groups)
    ]
    if named:
        yield Finding(
            "FRM-008",
            "fail",
            _("Required groups are not estimable"),
            _("A release requires that {groups} can be estimated. Nothing can: {reason}.").format(
                groups=listed(named), reason=reason
            ),
            {_("required groups"): float(len(named))},
            _("Nothing is shown of these groups."),
        )


def nothing_compared(result: FrameResult, data: Data) -> Iterator[Finding]:
    """Yield the finding that there is no primary comparison, or none of an attribute."""
    alone = [one.name for one in data.attributes if one.single and not one.others]
    if not result.family_size:
        why = _single_group(alone) if alone else _("Only intersections are declared.")
        yield Finding(
            "FRM-023",
            "warn",
            _("Nothing was compared"),
            sentences(
                (
                    _(
                        "No primary comparison was made: nothing was compared, and no release "
                        "follows."
                    ),
                    why,
                    _("Next: declare attributes of two or more groups one by one."),
                )
            ),
            {_("primary comparisons"): 0.0},
            _("Nothing is shown of any gap."),
        )
    elif alone:
        yield Finding(
            "FRM-023",
            "warn",
            _("Nothing was compared by {attributes}").format(attributes=listed(alone, 3)),
            sentences((_single_group(alone), _("Nothing is said of other groups."))),
        )


def _single_group(names: list[str]) -> str:
    text = _("All rows are in one group of {attributes}.")
    return text.format(attributes=listed([quoted(name) for name in names]))


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
