"""What pydantic found in a model file, in our own words: each mistake with its place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from reportgen.errors import Key, choose_from, key_text
from reportgen.inputs.trouble import At, FileFaults, counted
from reportgen.settings import Settings

NAMED = ("coefficients", "scaling", "source")
"""Mappings whose keys are the model's own names."""
WANTED = {
    "float": "a number",
    "int": "a whole number",
    "string": "text",
    "bool": "true or false",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping of the keys of the format",
}
SHOWN = 60


def note(
    error: ValidationError, data: Any, shape: type[Settings], kind: str, faults: FileFaults
) -> None:
    """Note what is wrong with plain data; one mistake of many entries takes three lines.

    Parameters
    ----------
    error : ValidationError
        From validating `data`.
    data : Any
        Plain data, as JSON gives it.
    shape : type of Settings
        What was validated against.
    kind : str
        "linear", "trees" or "mlp".
    faults : FileFaults
        Takes the mistakes.
    """
    order = {
        name: {str(key): at for at, key in enumerate(data[name], start=1)}
        for name in NAMED
        if isinstance(data, dict) and isinstance(data.get(name), dict)
    }
    for entry in error.errors(include_url=False):
        key: Key = entry["loc"]
        problem, context = entry["type"], entry.get("ctx", {})
        place = f": {key_text(key)}" if key else ""
        if problem == "extra_forbidden":
            names = shape.model_fields if len(key) == 1 else ()
            mend = choose_from(names, str(key[-1])) if names else "take it out"
            what = "unknown key"
        elif problem == "missing":
            what, mend = "this key is missing", f"add it: a {kind} model needs it"
        elif problem == "value_error":
            what, _, mend = str(context["error"]).partition("; ")
        else:
            what, mend = _worded(problem, entry["input"], context)
        field = key_text(tuple(one for one in _fields(key)))
        at = _place(key, order)
        faults.add(place, what, mend, kind=(f": {field}", problem) if at else None, at=at)


def _fields(key: Key) -> Key:
    """Return a key without positions in lists and without the model's own names."""
    named = key[:1] + key[2:] if key and key[0] in NAMED else key
    return tuple(one for one in named if isinstance(one, str))


def _place(key: Key, order: Mapping[str, Mapping[str, int]]) -> At | None:
    """Return where in its list or mapping an entry is, as a place that can be counted."""
    if len(key) > 1 and key[0] in order:
        return At("entry", order[str(key[0])].get(str(key[1]), 0))
    for at in reversed(range(len(key))):
        part = key[at]
        if isinstance(part, int):
            return At(key_text(key[:at]), part)
    return None


def _worded(problem: str, met: Any, context: Mapping[str, Any]) -> tuple[str, str]:
    what = f"{shown(met)} cannot stand here"
    wanted = WANTED.get(problem.partition("_")[0])
    if problem == "int_from_float":
        return what, "write a whole number"
    if problem == "finite_number":
        return what, "write a finite number"
    if problem == "literal_error":
        known = str(context["expected"]).replace(" or ", ", ").replace("'", "")
        return what, f"known here: {known}"
    if problem == "string_too_short":
        return "the name is empty", "write a name"
    if problem in ("too_short", "too_long"):
        least = problem == "too_short"
        bound = context["min_length" if least else "max_length"]
        met_count = counted(len(met), "entry").replace("entrys", "entries")
        return met_count, f"write at {'least' if least else 'most'} {bound}"
    return what, f"write {wanted}" if wanted else "write what an exporter writes"


def shown(value: Any) -> str:
    """Return a value as the file writes it, shortened."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a mapping"
    if isinstance(value, int) and abs(value) > 10**30:
        return "a number of more than 30 digits"
    if isinstance(value, float) and math.isinf(value):
        return "a number beyond 1.8e308"
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
