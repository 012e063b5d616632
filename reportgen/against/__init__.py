"""A dossier against an earlier one: what both hold, set side by side, paired where it can be."""

from __future__ import annotations

from reportgen.against.pairs import paired_figures
from reportgen.against.sides import Side, folders_above
from reportgen.comparison import Comparison, compared, matched

__all__ = ["Side", "folders_above", "set_against"]


def set_against(old: Side, new: Side) -> Comparison:
    """Return the comparison of two dossiers, with paired differences where inputs are at hand.

    Parameters
    ----------
    old, new : Side
        Texts are in the current language.
    """
    matches = matched(old.data["sections"], new.data["sections"])
    paired, pairing = paired_figures(old, new, matches)
    return compared(old.data, new.data, matches, paired=paired, pairing=pairing)
