"""What a section says of its model: one format, one file, and what that file does not know."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from reportgen.inputs.settings import SHA256, Scalar
from reportgen.settings import Settings

Kind = Literal["linear", "trees", "mlp", "onnx", "skops", "pickle", "callable"]
KINDS: tuple[Kind, ...] = ("linear", "trees", "mlp", "onnx", "skops", "pickle", "callable")
PLAIN: tuple[Kind, ...] = ("linear", "trees", "mlp")
"""Formats that are data alone and whose scores can be certified."""


class ModelSettings(Settings):
    """The ``model`` key: exactly one of the formats, never another one in its place."""

    linear: str | None = Field(default=None, description="coefficients, .json or .csv")
    trees: str | None = Field(default=None, description="a tree ensemble, .json")
    mlp: str | None = Field(default=None, description="a small network, .json")
    onnx: str | None = Field(default=None, description="an ONNX graph, .onnx; scores alone")
    skops: str | None = Field(default=None, description="a skops file, .skops; scores alone")
    pickle: str | None = Field(
        default=None, description="needs --allow-pickle and sha256; scores alone"
    )
    callable: str | None = Field(
        default=None, description="module:function; needs --allow-code; scores alone"
    )
    sha256: str | None = Field(default=None, pattern=SHA256)
    features: list[str] | None = Field(
        default=None, description="columns in the model's order, where it does not name them"
    )
    link: Literal["logit", "identity"] | None = Field(
        default=None, description="of coefficients in a .csv; logit if absent"
    )
    positive: Scalar | None = Field(
        default=None, description="class whose probability counts, where the model names classes"
    )

    @model_validator(mode="after")
    def _one_format(self) -> ModelSettings:
        given = [kind for kind in KINDS if getattr(self, kind) is not None]
        if len(given) != 1:
            met = " and ".join(given) or "none"
            raise ValueError(f"{met} of the formats is given; name exactly one: {', '.join(KINDS)}")
        return self

    @property
    def kind(self) -> Kind:
        """The format that is given."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def path(self) -> str:
        """The file as given; for a callable, module:function."""
        return str(getattr(self, self.kind))
