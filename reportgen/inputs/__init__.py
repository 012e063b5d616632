"""What the audit was given: files read as text, converted by declared role, counted and digested."""

from __future__ import annotations

from reportgen.inputs.settings import SurvivalLabel, TableSettings
from reportgen.inputs.table import Inputs, InputRecord, Selection, Survival, Table

__all__ = [
    "InputRecord",
    "Inputs",
    "Selection",
    "Survival",
    "SurvivalLabel",
    "Table",
    "TableSettings",
]
