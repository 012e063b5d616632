"""Findings on what a FRAME section could compare at all."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.language import _
from reportgen.result import Finding
from reportgen.sections.frame.data import Data
from reportgen.sections.frame.result import FrameResult
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.wording import listed, side
from reportgen.wording import quoted, sentences


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


def one_class(result: FrameResult) -> Iterator[Finding]:
    """Yield the finding that every label is the same, so that most figures are not defined."""
    if result.n_positive and result.n_negative:
        return
    reason = _("every label is positive") if result.n_positive else _("every label is negative")
    statement = _(
        "What needs rows of both classes, or of the other one, is not defined: {reason}. Rates of "
        "this class and selection rates stand."
    )
    title = _("Not defined: one class only")
    yield Finding("FRM-020", "warn", title, statement.format(reason=reason))


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
