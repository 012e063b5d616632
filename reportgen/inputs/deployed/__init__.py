"""The deployed application as files: class maps, their copies, gates and what was displayed."""

from __future__ import annotations

from reportgen.inputs.deployed.content import (
    ClassMap,
    Gates,
    NamedClasses,
    Pipeline,
    Shown,
    ShownClasses,
)
from reportgen.inputs.deployed.settings import ClassMapSettings, PipelineSettings

__all__ = [
    "ClassMap",
    "ClassMapSettings",
    "Gates",
    "NamedClasses",
    "Pipeline",
    "PipelineSettings",
    "Shown",
    "ShownClasses",
]
