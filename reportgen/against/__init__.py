"""A dossier against an earlier one: what both hold, set side by side, paired where it can be."""

from __future__ import annotations

from reportgen.against.base import Base, compared_to_base, named_base, set_against
from reportgen.against.sides import Side, folders_above

__all__ = ["Base", "Side", "compared_to_base", "folders_above", "named_base", "set_against"]
