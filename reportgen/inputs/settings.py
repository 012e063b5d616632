"""What the manifest says of a table: where it is and which column plays which role."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from reportgen.settings import Settings

Scalar = str | int | float | bool
"""A value as YAML gives it; compared with the file's text after one normalisation."""

SHA256 = r"^[0-9a-f]{64}$"


class BinaryLabel(Settings):
    """A binary outcome: the column, and which of its two values is the positive class."""

    column: str
    positive: Scalar
    negative: Scalar | None = None


class SurvivalLabel(Settings):
    """A time-to-event outcome with its horizon.

    What is neither `positive` nor `competing` is censored; where several such values occur, name
    the ones that mean so in `censored`.
    """

    time: str
    event: str
    positive: Scalar
    competing: list[Scalar] = Field(default_factory=list)
    censored: list[Scalar] = Field(default_factory=list)
    at: float = Field(gt=0)


class Reading(Settings):
    """How the file is written, where it is not plain UTF-8 with commas and decimal points."""

    delimiter: str | None = None
    decimal: Literal[".", ","] = "."
    encoding: str = "utf-8"


class Bins(Settings):
    """Declared bins of a continuous column that becomes a group attribute."""

    edges: list[float] = Field(min_length=2)
    closed: Literal["left", "right"] = "left"
    name: str | None = None


class TableSettings(Settings):
    """One entry of ``tables``."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    label: BinaryLabel | SurvivalLabel | None = None
    scores: dict[str, str] = Field(default_factory=dict)
    unit: str | None = None
    groups: list[str] = Field(default_factory=list)
    features: list[str] = Field(default_factory=list)
    scale: Literal["probability", "percent", "score"] = "probability"
    key: str | None = None
    missing: list[str] = Field(default_factory=lambda: [""])
    levels: dict[str, dict[str, list[Scalar]]] = Field(default_factory=dict)
    bins: dict[str, Bins] = Field(default_factory=dict)
    read: Reading = Reading()


class PinnedFile(Settings):
    """A file that is kept with the dossier but not read, with its optional digest."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
