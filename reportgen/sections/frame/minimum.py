"""The minimum of patients: for a verdict as declared, for a worst pair two of each class."""

from __future__ import annotations

from reportgen.sections.frame.settings import FrameSettings
from reportgen.stats.subgroups.metrics import GroupSize

FEWEST = 2
"""Patients below which a group's rate takes no part in a worst pair: one alone has no spread."""


def shortfall(size: GroupSize, name: str, settings: FrameSettings) -> str:
    """Return why a group has too few patients for a verdict, "" if it has enough."""
    if not size.images:
        return f"{name}: no rows"
    lacking = [
        f"{have} {kind} patient{'' if have == 1 else 's'}, fewer than {need}"
        for have, need, kind in (
            (size.positive_patients, settings.minimum.positive_units, "positive"),
            (size.negative_patients, settings.minimum.negative_units, "negative"),
        )
        if have < need
    ]
    return f"{name}: {', and '.join(lacking)}" if lacking else ""


def too_few(patients: int, kind: str = "") -> str:
    """Return why a rate takes no part in a worst pair, "" if it does.

    Parameters
    ----------
    patients : int
        Patients behind the rate's denominator.
    kind : str
        "positive" or "negative", where only those count.
    """
    named = f"{kind} patient" if kind else "patient"
    if patients >= FEWEST:
        return ""
    return f"1 {named}" if patients == 1 else f"no {named}s"
