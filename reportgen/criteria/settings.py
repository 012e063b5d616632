"""An acceptance criterion as the manifest states it: a figure of the run and its bound."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reportgen.inputs.codes import scalar_text
from reportgen.inputs.settings import Scalar
from reportgen.settings import Prevalence, Settings

CROSSED = " × "
"""What stands between the attributes, and between the groups, of an intersection."""


class Criterion(Settings):
    """One entry of ``criteria``: which figure, and the bound."""

    id: str | None = Field(default=None, pattern=r"^[a-z][a-z0-9-]{0,39}$")
    metric: str = Field(description="name of the figure, such as sensitivity or net_benefit_gain")
    section: str | None = Field(default=None, description="id of the section that computes it")
    score: str | None = None
    attribute: str | list[str] | None = Field(
        default=None,
        description="attribute of the groups, a list for an intersection; "
        "without `group`, every group of it must keep the bound",
    )
    group: Scalar | list[Scalar] | None = None
    against: Scalar | None = Field(default=None, description="what a gap or a gain is against")
    threshold: float | None = None
    prevalence: Prevalence | None = None
    probabilities: Literal["as deployed", "recalibrated"] | None = None
    class_: str | None = Field(default=None, alias="class")
    convention: str | None = None
    split: str | None = None
    twin_split: str | None = None
    detector: str | None = None
    by: str | None = None
    head: str | None = None
    at_least: float | None = None
    at_most: float | None = None
    bound_on: Literal["interval", "estimate"] = Field(
        default="interval",
        description="interval: the whole interval must lie on the right side of the bound",
    )
    source: str | None = Field(default=None, description="where the bound comes from")
    reason: str | None = Field(default=None, description="why this bound")

    @property
    def selectors(self) -> dict[str, str | float]:
        """What narrows the figure down, by the name of the manifest's key."""
        given: dict[str, str | float | None] = {
            "score": self.score,
            "attribute": _crossed(self.attribute),
            "group": _crossed(self.group),
            "against": _crossed(self.against),
            "threshold": self.threshold,
            "prevalence": self.prevalence,
            "probabilities": self.probabilities,
            "class": self.class_,
            "convention": self.convention,
            "split": self.split,
            "twin_split": self.twin_split,
            "detector": self.detector,
            "by": self.by,
            "head": self.head,
        }
        return {name: value for name, value in given.items() if value is not None}

    @property
    def bound(self) -> float:
        """The bound, whichever side it is on."""
        bound = self.at_least if self.at_least is not None else self.at_most
        if bound is None:
            raise ValueError("a criterion without a bound")
        return bound

    @property
    def direction(self) -> Literal["at least", "at most"]:
        """The side of the bound on which the figure must lie."""
        return "at most" if self.at_least is None else "at least"


def _crossed(value: Scalar | list[Scalar] | list[str] | None) -> str | None:
    """Return the name of a group or attribute as results hold it: ``sex × age_band``."""
    if value is None:
        return None
    parts = value if isinstance(value, list) else [value]
    return CROSSED.join(scalar_text(part) for part in parts)
