"""The minimum of patients: for a verdict as declared, for a worst pair two of each class."""

from __future__ import annotations

from typing import Literal

from reportgen.language import _, mark, n_
from reportgen.sections.frame.settings import FrameSettings
from reportgen.sections.frame.wording import level_shown
from reportgen.stats.subgroups.metrics import GroupSize

FEWEST = 2
"""Patients below which a group's rate takes no part in a worst pair: one alone has no spread."""


def shortfall(size: GroupSize, name: str, settings: FrameSettings) -> str:
    """Return which group has too few patients for a verdict and why, "" if it has enough."""
    why = lack(size, settings)
    return _("{name}: {text}").format(name=level_shown(name), text=why) if why else ""


def lack(size: GroupSize, settings: FrameSettings) -> str:
    """Return why a group has too few patients for a verdict, "" if it has enough."""
    if not size.images:
        return _("no rows")
    have, need = size.positive_patients, settings.minimum.positive_units
    positive = n_(
        "{n} positive patient, fewer than {need}",
        "{n} positive patients, fewer than {need}",
        have,
    ).format(n=have, need=need)
    few_positive = have < need
    have, need = size.negative_patients, settings.minimum.negative_units
    negative = n_(
        "{n} negative patient, fewer than {need}",
        "{n} negative patients, fewer than {need}",
        have,
    ).format(n=have, need=need)
    if few_positive and have < need:
        return _("{positive}, and {negative}").format(positive=positive, negative=negative)
    return positive if few_positive else negative if have < need else ""


_NOBODY = {
    "": mark("no patients"),
    "positive": mark("no positive patients"),
    "negative": mark("no negative patients"),
}
_ONE_ALONE = {
    "": mark("1 patient"),
    "positive": mark("1 positive patient"),
    "negative": mark("1 negative patient"),
}


def too_few(patients: int, kind: Literal["", "positive", "negative"] = "") -> str:
    """Return why a rate takes no part in a worst pair, "" if it does.

    Parameters
    ----------
    patients : int
        Patients behind the rate's denominator.
    kind : str
        "positive" or "negative", where only those count.
    """
    if patients >= FEWEST:
        return ""
    return _(_ONE_ALONE[kind] if patients == 1 else _NOBODY[kind])
