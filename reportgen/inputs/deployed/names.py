"""Class names of an artefact: YOLO's data file, COCO categories, a list, a mapping, lines."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from reportgen.inputs.opening import Digest, digest_file
from reportgen.inputs.pretenders import HEAD, refuse_pretender
from reportgen.inputs.strict_json import read_strict
from reportgen.inputs.trouble import At, FileFaults

MOST_BYTES = {".json": 512 * 1024 * 1024}
MOST_OTHERS = 4 * 1024 * 1024
SHAPES = "known: names: in YAML, COCO categories, a JSON list or mapping, or one name a line"

Names = tuple[tuple[str, ...], tuple[str, ...]]
"""Indices as text, and names, in the order of the index."""


def read_names(path: Path) -> tuple[Names, Digest]:
    """Return the class names that a file holds, with its digest.

    Parameters
    ----------
    path : pathlib.Path
        ``.yaml`` or ``.yml``: its ``names``, a list or a mapping of index to name (Ultralytics);
        ``.json``: COCO ``categories`` by id, ``names`` likewise, a list, or a mapping of index to
        name or of name to index; anything else: one name a line.

    Raises
    ------
    FileFaults
        If it is too large, not what its ending says, or a name is missing or comes twice.
    """
    digest = digest_file(path)
    ending = PurePath(path.name.lower()).suffix
    most = MOST_BYTES.get(ending, MOST_OTHERS)
    if digest.size > most:
        what = f"the file holds {digest.size} bytes; at most {most} are read for class names"
        raise FileFaults.one("", what, "write the names into a file of their own")
    content = path.read_bytes()
    refuse_pretender(content[:HEAD], "names")
    if ending in (".yaml", ".yml"):
        data = _yaml(content)
        if isinstance(data, dict) and "names" not in data:
            raise FileFaults.one("", "there is no key 'names' in it", SHAPES)
        pairs = _of_data(data)
    elif ending == ".json":
        mend = "export it anew"
        pairs = _of_data(read_strict(content, most=most, mend=mend, of="class names"))
    else:
        pairs = list(enumerate(_lines(content)))
    return _checked(pairs), digest


def _yaml(content: bytes) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return YAML(typ="safe", pure=True).load(io.BytesIO(content))
    except MarkedYAMLError as error:
        mark = error.problem_mark
        place = "" if mark is None else f":{mark.line + 1}"
        what = f"this is no YAML ({error.problem or error.context or 'broken'})"
        raise FileFaults.one(place, what, "export it anew") from None
    except (YAMLError, ValueError, RecursionError) as error:
        what = f"this is no YAML ({str(error).splitlines()[0]})"
        raise FileFaults.one("", what, "export it anew") from None


def _lines(content: bytes) -> list[str]:
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        what = f"byte {error.start + 1} is not UTF-8: this is no text"
        raise FileFaults.one("", what, SHAPES) from None
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _of_data(data: Any) -> list[tuple[Any, Any]]:
    """Return pairs of index and name of plain data."""
    if isinstance(data, dict) and isinstance(data.get("categories"), list):
        return _of_categories(data["categories"])
    if isinstance(data, dict) and "names" in data:
        data = data["names"]
    if isinstance(data, list):
        return list(enumerate(data))
    if isinstance(data, dict) and data:
        turned = all(_index(value) is not None for value in data.values())
        if turned and any(_index(key) is None for key in data):
            data = {value: key for key, value in _injective(data)}
        bad = next((key for key in data if _index(key) is None), None)
        if bad is None:
            return sorted(data.items(), key=lambda pair: _index(pair[0]) or 0)
        raise FileFaults.one("", f"{bad!r} is no class index", SHAPES)
    raise FileFaults.one("", "there are no class names in it", SHAPES)


def _of_categories(categories: Iterable[Any]) -> list[tuple[Any, Any]]:
    pairs = []
    for at, one in enumerate(categories):
        if not isinstance(one, dict) or _index(one.get("id")) is None:
            raise FileFaults.one(f": categories[{at}]", "there is no id in it", SHAPES)
        pairs.append((one["id"], one.get("name")))
    return sorted(pairs, key=lambda pair: _index(pair[0]) or 0)


def _injective(data: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    seen: dict[int, Any] = {}
    for name, value in data.items():
        index = _index(value)
        if index in seen:
            what = f"{seen[index]!r} and {name!r} have the index {index}"
            raise FileFaults.one("", what, "give each class an index of its own")
        if index is not None:
            seen[index] = name
    return data.items()


def _index(value: Any) -> int | None:
    """Return a class index, written as a whole number or its digits; None if it is none."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        return int(value) if len(value) < 20 else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _add(found: FileFaults, index: Any, what: str, mend: str) -> None:
    at = At("class", _index(index) or 0)
    found.add(f": class {index}", what, mend, kind=("", mend), at=at)


def _checked(pairs: list[tuple[Any, Any]]) -> Names:
    found = FileFaults()
    seen: dict[str, Any] = {}
    indices: set[int | None] = set()
    for index, name in pairs:
        add = partial(_add, found, index)
        if _index(index) in indices:
            add("this index comes twice", "give each class an index of its own")
        indices.add(_index(index))
        text = str(name).strip()
        if isinstance(name, bool) or not isinstance(name, str | int | None):
            add(f"{text} is no text", "write a name")
        elif name is None or not text:
            add("the name is empty", "write a name")
        elif text in seen:
            what = f"{text!r} is the name of class {seen[text]} already"
            add(what, "give each class a name of its own")
        seen.setdefault(text, index)
    if not pairs:
        found.add("", "there are no class names in it", SHAPES)
    found.raise_if_any()
    return tuple(str(_index(index)) for index, _ in pairs), tuple(str(n).strip() for _, n in pairs)
