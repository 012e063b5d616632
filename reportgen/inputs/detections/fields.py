"""One mapping of a COCO file and its fields, each checked as it is read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportgen.inputs.detections.raw import Id
from reportgen.inputs.trouble import At, FileFaults

MISSING = object()
SHOWN = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a list of a COCO file.

    Attributes
    ----------
    data : mapping
    place : str
        Where it is: ``: annotations[3]``.
    found : FileFaults
        Takes its mistakes.
    at : At
        Its place in the list.
    """

    data: Mapping[str, Any]
    place: str
    found: FileFaults
    at: At

    def refuse(self, name: str, what: str, mend: str) -> None:
        """Note a mistake of a field."""
        within = f": field {name!r}"
        self.found.add(f"{self.place}{within}", what, mend, kind=(within, mend), at=self.at)

    def id(self, name: str) -> Id | None:
        """Return an identifier, or None after noting why there is none."""
        value = self.data.get(name, MISSING)
        if value is MISSING:
            self.refuse(name, "it is missing", "every entry needs it")
        elif isinstance(value, str) and value.strip():
            return Id(value, False)
        elif isinstance(value, int) and not isinstance(value, bool):
            return Id(str(value), True)
        elif isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            return Id(str(int(value)), True)
        else:
            self.refuse(name, f"{shown(value)} is no id", "write a whole number or text")
        return None

    def number(self, name: str, *, optional: bool = False) -> float:
        """Return a finite number; NaN where it is absent, which is a mistake unless optional."""
        value = self.data.get(name, MISSING)
        if value is MISSING:
            if not optional:
                self.refuse(name, "it is missing", "every entry needs it")
            return math.nan
        made = finite(value)
        if made is None:
            self.refuse(name, f"{shown(value)} is no finite number", "write a number")
            return math.nan
        return made

    def flag(self, name: str) -> bool:
        """Return a truth value, false where it is absent."""
        value = self.data.get(name, 0)
        if value not in (0, 1) or not isinstance(value, int):
            self.refuse(name, f"{shown(value)} is neither 0 nor 1", "write 0 or 1")
            return False
        return bool(value)

    def box(self) -> list[float]:
        """Return the four numbers of ``bbox``, NaN after noting what is wrong with them."""
        value = self.data.get("bbox", MISSING)
        if value is MISSING:
            mask = "; its mask is not read" if "segmentation" in self.data else ""
            self.refuse("bbox", f"it is missing{mask}", "write the box: [left, top, width, height]")
        elif not isinstance(value, list) or len(value) != 4:
            self.refuse("bbox", f"{shown(value)} is no box", "write four numbers in a list")
        else:
            numbers = [finite(one) for one in value]
            if None not in numbers:
                return [one for one in numbers if one is not None]
            bad = next(one for one, number in zip(value, numbers, strict=True) if number is None)
            self.refuse("bbox", f"{shown(bad)} is no finite number", "write four numbers")
        return [math.nan] * 4

    def text(self, name: str) -> str | None:
        """Return a text that is not blank, or None after noting why there is none."""
        value = self.data.get(name, MISSING)
        if isinstance(value, str) and value.strip():
            return value.strip()
        what = "it is missing" if value is MISSING else f"{shown(value)} is no text"
        self.refuse(name, what, "write a name")
        return None


def finite(value: Any) -> float | None:
    """Return a JSON number as a finite float, None if it is none."""
    if type(value) not in (float, int):  # nor bool, which is an int
        return None
    try:
        made = float(value)
    except OverflowError:
        return None
    return made if math.isfinite(made) else None


def shown(value: Any) -> str:
    """Return a value as the file writes it, shortened."""
    import json

    if isinstance(value, int) and abs(value) > 10**30:
        return "a number of more than 30 digits"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
