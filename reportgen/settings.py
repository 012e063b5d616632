"""The strict base of all settings, and the few kinds of value that several of them share."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema


class Settings(BaseModel):
    """Base of everything a manifest can say: strict types, no unknown keys, no changes later."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True
    )


class Defaults(Settings):
    """What every section uses unless it says otherwise."""

    seed: int = Field(default=20261130, ge=0, description="start of every random sequence")
    resamples: int = Field(default=2000, ge=100, le=100_000, description="bootstrap resamples")
    confidence: float = Field(default=0.95, ge=0.5, le=0.999, description="of every interval")


class SectionSettings(Settings):
    """Keys that every section understands; a section's own settings extend this."""

    kind: str
    id: str | None = Field(
        default=None,
        pattern=r"^[a-z][a-z0-9-]{0,39}$",
        description="name of this section in results.json; defaults to its kind",
    )
    title: str | None = Field(default=None, description="overrides the heading")

    @property
    def name(self) -> str:
        """The id of the section: as given, else its kind."""
        return self.id or self.kind


class CountOf(Settings):
    """A published proportion with its counts: `k` of `n`."""

    k: int = Field(ge=0)
    n: int = Field(ge=1)


RATIO_HINT = (
    "a ratio is written both ways; write a number in (0, 1) or {positives: 9, negatives: 1}"
)
EDGE = 1e-12
"""The least distance of a prevalence from 0 and from 1: results are kept to twelve digits."""


def _prevalence(value: Any) -> Any:
    if isinstance(value, str):
        if ":" in value or "/" in value:
            raise ValueError(f"{value!r} is a ratio: {RATIO_HINT}")
        raise ValueError(f"{value!r} is text: write a number in (0, 1)")
    if isinstance(value, dict):
        if set(value) != {"positives", "negatives"}:
            raise ValueError("write {positives: 9, negatives: 1} or a number in (0, 1)")
        for name, part in value.items():
            if isinstance(part, bool) or not isinstance(part, int | float):
                raise ValueError(f"{name} must be a number above 0, not {part!r}")
            if not 0 < part < math.inf:
                raise ValueError(f"{name} must be a number above 0, not {part!r}")
        return _within(_of_ratio(value["positives"], value["negatives"]))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("write a number in (0, 1) or {positives: 9, negatives: 1}")
    if not 0 < value < 1:
        percent = f"; {value} % is {value / 100:g}" if 1 < value < 100 else ""
        raise ValueError(f"{value} does not lie between 0 and 1, both excluded{percent}")
    return _within(float(value))


def _of_ratio(positives: float, negatives: float) -> float:
    """Return the share of the positives; parts of any size, for they are not added as floats."""
    share = Fraction(positives)
    return float(share / (share + Fraction(negatives)))


def _within(prevalence: float) -> float:
    """Return a prevalence that no figure takes for 0 or 1, or raise."""
    if EDGE <= prevalence <= 1 - EDGE:
        return prevalence
    what = f"a prevalence of {prevalence:.17g} does not lie between 0 and 1 in twelve digits"
    raise ValueError(f"{what}; write one from {EDGE:g} to 1 − {EDGE:g}")


Prevalence = Annotated[
    float,
    BeforeValidator(_prevalence),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
                {
                    "type": "object",
                    "properties": {
                        "positives": {"type": "number", "exclusiveMinimum": 0},
                        "negatives": {"type": "number", "exclusiveMinimum": 0},
                    },
                    "required": ["positives", "negatives"],
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
"""A class mix: a number in (0, 1), or ``{positives: 9, negatives: 1}``; held as the number."""


def _decimal(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError(f"write a number, not {value!r}")
    made = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return made or abs(made)  # of zero there is one, without a sign


DecimalNumber = Annotated[Decimal, BeforeValidator(_decimal), WithJsonSchema({"type": "number"})]
"""A number kept as the decimal that was typed: 0.1 is one tenth, so that 0.1 + 0.2 is 0.3."""
