"""One line of the risk list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Plain = Mapping[str, Any]


@dataclass(frozen=True)
class Risk:
    """One line of the risk list.

    Attributes
    ----------
    section : str
        Id of the section.
    kind : str
    figure : str
        What is looked at: "AUC gap, sex 2 against 1, logistic".
    static : mapping, float or None
        The figure as it stands: an estimate as results.json holds it, a number, or None.
    robust : mapping, float or None
        The figure at worst, by what the section can bound.
    robust_is : str
        What "at worst" means here: "certified under the declared moves".
    direction : str
        Where it gives: the group, the move, the prevalence, the threshold.
    finding : str or None
        Id of the finding that says so.
    """

    section: str
    kind: str
    figure: str
    static: Any
    robust: Any
    robust_is: str
    direction: str
    finding: str | None
