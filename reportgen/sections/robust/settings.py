"""Settings of a robust audit."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from reportgen.inputs.models import ModelSettings
from reportgen.settings import SectionSettings, Settings

Norm = Literal["l1", "l2", "linf"]
Kind = Literal["continuous", "integer", "ordinal", "binary", "category"]

DEFAULT_CURVE = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
ONE_EPS = (
    "one eps for all features would mean years in one and cents in another; give each feature its "
    "own eps, or eps_sd in standard deviations, under features"
)


class Move(Settings):
    """How far one feature may move, in its own unit, and why so far."""

    eps: float | None = Field(default=None, description="largest move, in the feature's unit")
    eps_sd: float | None = Field(default=None, description="the same in standard deviations")
    unit: str | None = None
    basis: str | None = Field(default=None, description="where eps comes from; printed")
    bounds: list[float] | None = Field(default=None, min_length=2, max_length=2)
    direction: Literal["both", "up", "down"] = "both"
    kind: Kind = "continuous"
    columns: list[str] | None = Field(default=None, description="the one-hot columns of a category")


class Perturbation(Settings):
    """The moves that are allowed; features that are not named do not move."""

    norm: Norm = Field(default="l2", description="of the moves divided by their eps")
    features: dict[str, Move] = Field(min_length=1)
    derived: dict[str, str] = Field(
        default_factory=dict, description="column: expression in other columns"
    )

    @model_validator(mode="before")
    @classmethod
    def _own_eps(cls, data: Any) -> Any:
        if isinstance(data, dict) and {"eps", "eps_sd"} & set(data):
            raise ValueError(ONE_EPS)
        return data


class OtherThreats(Settings):
    """What else may be wrong, each with the sizes to be looked at."""

    flips: list[float] = Field(
        default_factory=list, description="shares of records in the wrong group, 0 to 1"
    )
    mix: list[float] = Field(
        default_factory=list, description="largest change of a record's weight, 1 or more"
    )
    prevalence: list[float] = Field(
        default_factory=list, description="largest change of a group's prevalence, 0 to 1"
    )
    average: list[float] = Field(
        default_factory=list, description="largest mean move, in multiples of eps, 0 or more"
    )


class Proxy(Settings):
    """Stands in for a sensitive attribute that is missing."""

    column: str = Field(description="probability of membership; among the table's features")


class RobustSettings(SectionSettings):
    """Settings of a ``robust`` section."""

    kind: Literal["robust"]
    table: str
    score: str | None = Field(default=None, description="shown name; may be absent if there is one")
    model: ModelSettings | None = None
    sensitive: str | None = Field(default=None, description="attribute; or give proxy")
    metrics: list[str] = Field(default_factory=lambda: ["demographic_parity"])
    decisions: Literal["hard", "soft"] = Field(
        default="hard", description="hard: score >= threshold; soft: mean score"
    )
    threshold: float | None = None
    tolerance: float | dict[str, float] | None = Field(
        default=None, description="largest gap that passes (a ratio: the smallest); or by metric"
    )
    perturbation: Perturbation | None = None
    other_threats: OtherThreats = OtherThreats()
    proxy: Proxy | None = None
    required: list[str] | None = Field(
        default=None, description="groups that must be measurable for a release; all if absent"
    )
    minimum: int = Field(
        default=10, ge=2, description="patients of either class that a group needs"
    )
    node_budget: int = Field(
        default=300, ge=1, le=100_000, description="boxes split for one record and side"
    )
    curve: list[float] = Field(
        default_factory=lambda: list(DEFAULT_CURVE), description="multiples of eps to draw"
    )

    def tolerance_of(self, metric: str) -> float:
        """Return the tolerance of a metric; `check` refuses a section without one."""
        given = self.tolerance
        value = given.get(metric) if isinstance(given, dict) else given
        if value is None:
            raise ValueError("check() refuses a metric without a tolerance")
        return value

    def score_name(self, known: tuple[str, ...]) -> str:
        """Return the score in use; `check` refuses a choice among several."""
        return self.score if self.score is not None else known[0]
