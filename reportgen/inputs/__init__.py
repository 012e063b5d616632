"""What the audit was given: files read as text, converted by declared role, counted, digested."""

from __future__ import annotations

from reportgen.inputs.reading import Outline, gather_inputs, read_inputs
from reportgen.inputs.settings import BinaryLabel, PinnedFile, SurvivalLabel, TableSettings
from reportgen.inputs.table import InputRecord, Inputs, Selection, Survival, Table

__all__ = [
    "BinaryLabel",
    "InputRecord",
    "Inputs",
    "Outline",
    "PinnedFile",
    "Selection",
    "Survival",
    "SurvivalLabel",
    "Table",
    "TableSettings",
    "gather_inputs",
    "read_inputs",
]
