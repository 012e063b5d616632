"""What the manifest says of a table: where it is and which column plays which role."""

from __future__ import annotations

from itertools import pairwise
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

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the bins: ``[40, 60)`` closed on the left, ``(40, 60]`` on the right."""
        form = "({}, {}]" if self.closed == "right" else "[{}, {})"
        # As few digits as tell an edge from every other: two bins never share a name.
        edges = [repr(edge).removesuffix(".0") for edge in self.edges]
        return tuple(form.format(low, high) for low, high in pairwise(edges))


class FeatureFile(Settings):
    """Feature vectors in a file of their own.

    An array (.npy, .npz) is aligned by row unless `key` names an array of row ids in it; columns
    (csv, tsv, parquet) are joined by `key`.
    """

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    array: str | None = Field(default=None, description="name of the array in a .npz")
    key: str | None = Field(default=None, description="row id, to join with the table's key")
    columns: list[str] | None = Field(default=None, description="all but the key if absent")
    read: Reading | None = Field(default=None, description="as the table's if absent")


class Train(Settings):
    """The rows a model was fitted on: what a group's features are compared with for coverage."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    features: list[str] | FeatureFile
    groups: list[str] = Field(default_factory=list)
    unit: str | None = None
    key: str | None = None
    read: Reading | None = Field(default=None, description="as the table's if absent")


class TableSettings(Settings):
    """One entry of ``tables``."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    label: BinaryLabel | SurvivalLabel | None = None
    scores: dict[str, str] = Field(default_factory=dict)
    unit: str | None = None
    unit_missing: Literal["own", "drop"] = Field(
        default="own",
        description="a row without its unit: own (a unit of its own, with a warning) or drop",
    )
    groups: list[str] = Field(default_factory=list)
    features: list[str] | FeatureFile = Field(default_factory=list)
    train: Train | None = None
    scale: Literal["probability", "percent", "score"] = "probability"
    key: str | None = None
    missing: list[str] = Field(default_factory=lambda: [""])
    levels: dict[str, dict[str, list[Scalar]]] = Field(default_factory=dict)
    bins: dict[str, Bins] = Field(default_factory=dict)
    read: Reading = Reading()

    @property
    def feature_columns(self) -> list[str]:
        """The columns of the table itself that are features."""
        return self.features if isinstance(self.features, list) else []

    @property
    def declared_levels(self) -> dict[str, tuple[str, ...]]:
        """The levels that merging or bins declare, by attribute."""
        binned = {name: bins.levels for name, bins in self.bins_by_name.items()}
        return {**{name: tuple(levels) for name, levels in self.levels.items()}, **binned}

    @property
    def bins_by_name(self) -> dict[str, Bins]:
        """The bins by the attribute that they make."""
        return {bins.name or column: bins for column, bins in self.bins.items()}


class PinnedFile(Settings):
    """A file that is kept with the dossier but not read, with its optional digest."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
