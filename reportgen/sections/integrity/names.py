"""Whether a displayed name means a class of the model: the same, declared, nearly so, or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.integrity.plain_names import plain_name

NEARLY = 0.85
"""Share of letters in common (Ratcliff and Obershelp) from which two spellings are near."""


@dataclass(frozen=True)
class NameBook:
    """Compares class names with displayed ones.

    Names are compared without capitals and with one blank for blanks, hyphens and underscores. What
    the manifest declares under ``same_names`` means the same. A near spelling with the same digits
    ("ulcer", "Ulcers") is perhaps the same, and only if the displayed name is not that of another
    class; nothing is claimed of it.

    Attributes
    ----------
    declared : mapping of text to text
        Class name: displayed name that means the same; both as typed.
    classes : sequence of text
        Every class name there is.
    """

    declared: Mapping[str, str] = field(default_factory=dict)
    classes: Sequence[str] = ()

    def same(self, model: str, shown: str) -> bool | None:
        """Return whether `shown` means the class `model`; None where it perhaps does."""
        own, other = plain_name(model), plain_name(shown)
        declared = {plain_name(name): plain_name(word) for name, word in self.declared.items()}
        if own in declared:
            return other in (own, declared[own])
        if own == other:
            return True
        known = {plain_name(name) for name in self.classes}
        if other in known or other in declared.values() or not near_spelling(own, other):
            return False
        return None

    def means(self, model: str, shown: str) -> bool:
        """Return whether `shown` is to be taken for the class `model`: also where it perhaps is."""
        return self.same(model, shown) is not False

    def means_each(self, model: str, shown: NDArray[np.object_]) -> NDArray[np.bool_]:
        """Return `means` for each of many displayed names, (f,)."""
        words, at = np.unique(shown.astype(str), return_inverse=True)
        right = np.array([self.means(model, str(word)) for word in words], dtype=np.bool_)
        return np.asarray(right[at])

    def position(self, model: str, shown: Sequence[str]) -> int | None:
        """Return which of the displayed names means the class; None if none or several do."""
        for certain in (True, None):
            found = [at for at, name in enumerate(shown) if self.same(model, name) is certain]
            if found:
                return found[0] if len({plain_name(shown[at]) for at in found}) == 1 else None
        return None


def near_spelling(first: str, second: str) -> bool:
    """Return whether two names differ by few letters and by no digit."""
    if re.findall(r"\d+", first) != re.findall(r"\d+", second) or not first or not second:
        return False
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= NEARLY
