"""Models: plain data by default, code only where the user opened that door and pinned the file."""

from __future__ import annotations

from reportgen.inputs.models.content import ModelContent, parse_model
from reportgen.inputs.models.reading import Doors, ReadModel, read_model
from reportgen.inputs.models.settings import ModelSettings

__all__ = ["Doors", "ModelContent", "ModelSettings", "ReadModel", "parse_model", "read_model"]
