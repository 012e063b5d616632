"""What pydantic found, in our own words: one fault a mistake, at the key where it was made.

Where a value may have several shapes (a label with or without time, a grid or a list), pydantic
reports on each shape; only the shape that the keys present point to is kept.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from reportgen.errors import Key, KeyFault, choose_from
from reportgen.inputs.settings import SHA256
from reportgen.manifest import TABLE_NAME

MISSING = object()
WANTED = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list",
    "dict": "a mapping",
    "model": "a mapping",
}
BOUNDS = {
    "greater_than": ("gt", "above {:g}"),
    "greater_than_equal": ("ge", "of at least {:g}"),
    "less_than": ("lt", "below {:g}"),
    "less_than_equal": ("le", "of at most {:g}"),
}
PATTERNS = {
    SHA256: "write the 64 lower-case hexadecimal digits that sha256sum prints",
    TABLE_NAME: "write a letter, then letters, digits, '_' or '-', at most 40",
    r"^[a-z][a-z0-9-]{0,39}$": "write small letters, digits or '-', a letter first, at most 40",
}


@dataclass(frozen=True)
class Finding:
    """One error of pydantic: its key and, where it lies in one shape of several, which and where.

    Attributes
    ----------
    key : Key
        Where it is, without the names of shapes; for a missing key, the key that is missing.
    shapes : tuple of (Key, text)
        Places with several shapes above or at the key, and the shape reported on.
    kind, message : str
        Type and text of the error.
    context : mapping
        Limits, patterns and the like.
    of_key : bool
        Whether it is about the key of a mapping, not about the value there.
    """

    key: Key
    shapes: tuple[tuple[Key, str], ...]
    kind: str
    message: str
    context: Mapping[str, Any]
    of_key: bool = False


def word(
    error: ValidationError, data: Any, typed: Mapping[Key, str], root: Any
) -> Iterator[KeyFault]:
    """Yield one fault a mistake, in the order in which pydantic met them.

    Parameters
    ----------
    error : ValidationError
        From validating `data` as JSON.
    data : Any
        The plain data.
    typed : mapping of Key to text
        Plain scalars as typed.
    root : type
        The settings that were validated against.
    """
    findings = [
        _finding(entry["loc"], entry["type"], entry["msg"], entry.get("ctx", {}), data)
        for entry in error.errors(include_url=False)
    ]
    for finding in _one_shape(findings):
        yield _fault(finding, data, typed, root)


def at(data: Any, key: Key) -> Any:
    """Return the value of `data` at `key`, or MISSING."""
    for part in key:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return data


def _finding(
    loc: tuple[int | str, ...], kind: str, message: str, context: Mapping[str, Any], data: Any
) -> Finding:
    key: Key = ()
    shapes: list[tuple[Key, str]] = []
    for position, part in enumerate(loc):
        last = position == len(loc) - 1
        if part == "[key]" or (loc[0] == "sections" and position == 2):
            continue  # the pattern of a key, and the kind of a section
        if at(data, (*key, part)) is not MISSING or (last and kind == "missing"):
            key = (*key, part)
        else:
            shapes.append((key, str(part)))
    return Finding(key, tuple(shapes), kind, message, context, of_key=loc[-1] == "[key]")


def _one_shape(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings outside shapes and, for each place with shapes, those of one shape."""
    places: dict[Key, dict[str, list[Finding]]] = {}
    for finding in findings:
        if not finding.shapes:
            yield finding
            continue
        place, shape = finding.shapes[0]
        inner = replace(finding, shapes=finding.shapes[1:])
        places.setdefault(place, {}).setdefault(shape, []).append(inner)
    for place, by_shape in places.items():
        # A list that may be the word "all" too is taken for a list; a word is not.
        of_type = _fitting(by_shape, place, ("_type",))
        fitting = _fitting(of_type, place, ("literal_error",)) or of_type
        if fitting:
            shape = min(fitting, key=lambda name: _distance(fitting[name]))
            for finding in _one_shape(fitting[shape]):
                yield replace(finding, shapes=((place, shape), *finding.shapes))
        else:
            wanted = [_wanted(f) for inner in by_shape.values() for f in inner if f.key == place]
            yield Finding(place, (), "no_shape", " or ".join(_fewest(wanted)), {})


def _fitting(
    by_shape: Mapping[str, list[Finding]], place: Key, unfit: tuple[str, ...]
) -> dict[str, list[Finding]]:
    """Return the shapes that the value at `place` has, whatever is wrong inside it."""
    return {
        shape: inner
        for shape, inner in by_shape.items()
        if not any(f.key == place and f.kind.endswith(unfit) for f in inner)
    }


def _distance(findings: Sequence[Finding]) -> tuple[int, int]:
    """Return how far a shape is from the keys present: keys too many or too few, then the rest."""
    keys = sum(finding.kind in ("extra_forbidden", "missing") for finding in findings)
    return keys, len(findings)


def _wanted(finding: Finding) -> str:
    return WANTED.get(finding.kind.removesuffix("_type"), "something else")


def _fewest(wanted: Sequence[str]) -> list[str]:
    unique = list(dict.fromkeys(wanted))
    return [name for name in unique if name != "a whole number" or "a number" not in unique]


def _fault(finding: Finding, data: Any, typed: Mapping[Key, str], root: Any) -> KeyFault:
    key, kind, context = finding.key, finding.kind, finding.context
    value = at(data, key)
    shown = typed.get(key, json.dumps(value, ensure_ascii=False, default=str))
    if kind == "missing":
        return KeyFault(key, "this key is missing", _describe(root, data, finding))
    if kind == "extra_forbidden":
        known = _known_keys(root, data, key[:-1], finding)
        return KeyFault(key, "unknown key", choose_from(known, str(key[-1])))
    if kind.startswith("union_tag"):
        return _unknown_kind(key, data, context)
    if kind == "literal_error" and finding.of_key:
        known = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        return KeyFault(key, f"{key[-1]} is not known here", choose_from(known, str(key[-1])))
    if kind == "literal_error":
        return _not_listed(key, value, shown, root, data, finding)
    if kind == "value_error":
        return _own_words(key, str(context["error"]), shown)
    if kind == "no_shape" or kind.endswith("_type"):
        wanted = finding.message if kind == "no_shape" else _wanted(finding)
        models = _models_at(root, data, key, finding)
        return _wrong_type(key, value, shown, _with_keys(wanted, models))
    return _out_of_range(key, value, shown, finding)


def _with_keys(wanted: str, models: Sequence[type[BaseModel]]) -> str:
    """Say what keys the wanted mapping has: ``{k: …, n: …}``."""
    forms = []
    for model in models:
        fields = {info.alias or name: info for name, info in model.model_fields.items()}
        needed = [name for name, info in fields.items() if info.is_required()] or list(fields)[:3]
        forms.append("{" + ", ".join(f"{name}: …" for name in needed) + "}")
    return wanted.replace("a mapping", " or ".join(forms)) if forms else wanted


def _unknown_kind(key: Key, data: Any, context: Mapping[str, Any]) -> KeyFault:
    kinds = str(context.get("expected_tags", "")).replace("'", "").split(", ")
    value = at(data, (*key, "kind"))
    if value is MISSING:
        return KeyFault((*key, "kind"), "this key is missing", "name the kind of section")
    mend = choose_from([kind for kind in kinds if kind], str(value))
    return KeyFault((*key, "kind"), f"there is no section {value!r}", mend)


def _not_listed(
    key: Key, value: Any, shown: str, root: Any, data: Any, finding: Finding
) -> KeyFault:
    known = [
        str(name)
        for shape in _shapes_at(root, data, key, finding)
        if get_origin(shape) is Literal
        for name in get_args(shape)
    ]
    mend = choose_from(known, str(value)) if known else finding.message
    return KeyFault(key, f"{shown} is not known here", mend)


def _own_words(key: Key, message: str, shown: str) -> KeyFault:
    if message.startswith("write "):
        return KeyFault(key, f"{shown} cannot stand here", message)
    for mark in ("; ", ": "):
        what, found, mend = message.partition(mark)
        if found:
            return KeyFault(key, what, mend)
    return KeyFault(key, f"{shown} does not do", message)


def _wrong_type(key: Key, value: Any, shown: str, wanted: str) -> KeyFault:
    scalar = isinstance(value, bool | int | float)
    if scalar and wanted == "text":
        kind = "true or false" if isinstance(value, bool) else "a number"
        return KeyFault(key, f"{shown} is read as {kind}", f'put it in quotes: "{shown}"')
    if value is None:
        return KeyFault(key, "nothing stands here", f"write {wanted}, or delete the key")
    if isinstance(value, list | dict):
        met = "a list" if isinstance(value, list) else "a mapping"
        return KeyFault(key, f"{met} stands here", f"write {wanted}")
    if wanted == "a list":
        return KeyFault(key, f"{shown} is no list", f"write [{shown}]")
    met = "text" if isinstance(value, str) else "true or false" if isinstance(value, bool) else ""
    what = f"{shown} is {met or 'a number'}"
    unquote = " without quotes" if isinstance(value, str) and "number" in wanted else ""
    return KeyFault(key, what, f"write {wanted}{unquote}")


def _out_of_range(key: Key, value: Any, shown: str, finding: Finding) -> KeyFault:
    kind, context = finding.kind, finding.context
    if kind in BOUNDS:
        name, text = BOUNDS[kind]
        return KeyFault(
            key, f"{shown} is out of range", f"write a number {text}".format(context[name])
        )
    if kind == "string_pattern_mismatch":
        met = key[-1] if finding.of_key else shown
        mend = PATTERNS.get(context["pattern"], f"it must match {context['pattern']}")
        return KeyFault(key, f"{met} cannot stand here", mend)
    if kind == "too_short":
        entries = f"write at least {context['min_length']}"
        return KeyFault(key, f"there are {context['actual_length']} entries", entries)
    if kind == "string_too_long":
        mend = f"write at most {context['max_length']}"
        return KeyFault(key, f"there are {len(value)} characters", mend)
    if kind == "int_from_float":
        return KeyFault(key, f"{shown} is no whole number", "write a whole number")
    return KeyFault(key, f"{shown} does not do", finding.message)


def _describe(root: Any, data: Any, finding: Finding) -> str:
    for model in _models_at(root, data, finding.key[:-1], finding):
        for name, info in model.model_fields.items():
            if (info.alias or name) == finding.key[-1] and info.description:
                return f"add it: {info.description}"
    return "add it"


def _known_keys(root: Any, data: Any, key: Key, finding: Finding) -> list[str]:
    models = _models_at(root, data, key, finding)
    return [info.alias or name for m in models for name, info in m.model_fields.items()]


def _models_at(root: Any, data: Any, key: Key, finding: Finding) -> list[type[BaseModel]]:
    shapes = _shapes_at(root, data, key, finding)
    return [s for s in shapes if isinstance(s, type) and issubclass(s, BaseModel)]


def _shapes_at(root: Any, data: Any, key: Key, finding: Finding) -> list[Any]:
    """Return the types that the value at `key` may have, in the shapes that were chosen."""
    chosen = dict(finding.shapes)
    shapes = _alternatives(root)
    for end, part in enumerate(key, start=1):
        below = [alternative for shape in shapes for alternative in _step(shape, part)]
        kind, shape = at(data, (*key[:end], "kind")), chosen.get(key[:end])
        shapes = [s for s in below if _is_kind(s, kind) and _is_shape(s, shape)]
    return shapes


def _alternatives(annotation: Any) -> list[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _alternatives(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return [leaf for one in get_args(annotation) for leaf in _alternatives(one)]
    return [annotation]


def _step(shape: Any, part: str | int) -> list[Any]:
    if isinstance(shape, type) and issubclass(shape, BaseModel):
        for name, info in shape.model_fields.items():
            if (info.alias or name) == part:
                return _alternatives(info.annotation)
    if get_origin(shape) is dict and isinstance(part, str):
        return _alternatives(get_args(shape)[1])
    if get_origin(shape) is list and isinstance(part, int):
        return _alternatives(get_args(shape)[0])
    return []


def _is_kind(shape: Any, kind: Any) -> bool:
    if not (isinstance(shape, type) and issubclass(shape, BaseModel)) or kind is MISSING:
        return True
    field = shape.model_fields.get("kind")
    return field is None or kind in get_args(field.annotation)


def _is_shape(shape: Any, name: str | None) -> bool:
    model = isinstance(shape, type) and issubclass(shape, BaseModel)
    return name is None or not model or shape.__name__ == name
