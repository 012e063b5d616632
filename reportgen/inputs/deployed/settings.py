"""What the manifest says of a deployed application: its class map and its pipeline."""

from __future__ import annotations

from pydantic import Field, model_validator

from reportgen.inputs.settings import SHA256, Reading, Scalar
from reportgen.settings import Settings


class MapColumns(Settings):
    """The columns of a class map and their roles."""

    index: str = Field(description="class index of the model's output")
    shown: str = Field(description="name that is displayed")
    model: str | None = Field(default=None, description="the model's own name of the class")
    threshold: str | None = Field(default=None, description="score from which it is displayed")


class CopyFile(Settings):
    """Another deployed copy of the class map; columns are those of the map unless given."""

    name: str
    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    columns: MapColumns | None = None
    read: Reading | None = Field(default=None, description="as the map's if absent")


class Artefact(Settings):
    """Something else that names the classes: a checkpoint, a data file, a COCO file."""

    name: str
    path: str | None = Field(
        default=None, description="data.yaml, COCO JSON, JSON list or mapping, or one name a line"
    )
    sha256: str | None = Field(default=None, pattern=SHA256)
    classes: list[str] | None = Field(default=None, description="the names in order, written here")

    @model_validator(mode="after")
    def _one_of_both(self) -> Artefact:
        if (self.path is None) == (self.classes is None):
            raise ValueError("give either path or classes")
        return self


class ClassMapSettings(Settings):
    """One entry of ``class_maps``."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    columns: MapColumns
    copies: list[CopyFile] = Field(default_factory=list)
    artefacts: list[Artefact] = Field(default_factory=list)
    read: Reading = Reading()


class GateColumns(Settings):
    """The columns of a table of gates."""

    image: str
    accepted: str
    gate: str | None = Field(default=None, description="absent: there is one gate")
    domain: str | None = Field(default=None, description="which kind of image it is")


class GateFile(Settings):
    """What every gate decided on every image."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    columns: GateColumns
    order: list[str] = Field(
        default_factory=list, description="gates in the order met; of first appearance if absent"
    )
    accepted: Scalar | None = Field(
        default=None, description="value that means accepted; else 1, true, yes"
    )
    read: Reading = Reading()


class ShownColumns(Settings):
    """The columns of a table of displayed findings."""

    image: str
    name: str
    detection: str | None = None


class ShownFile(Settings):
    """What the application displayed."""

    path: str
    sha256: str | None = Field(default=None, pattern=SHA256)
    columns: ShownColumns
    read: Reading = Reading()


class PipelineSettings(Settings):
    """One entry of ``pipelines``."""

    gates: GateFile | None = None
    shown: ShownFile | None = None

    @model_validator(mode="after")
    def _something(self) -> PipelineSettings:
        if self.gates is None and self.shown is None:
            raise ValueError("give gates, shown or both")
        return self
