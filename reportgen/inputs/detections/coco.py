"""COCO files: ground truth with its images and categories, and the list of results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.errors import choose_from
from reportgen.inputs.detections.fields import Entry, finite, shown
from reportgen.inputs.detections.raw import Id, Listing, RawBoxes, ascending
from reportgen.inputs.opening import Digest, digest_file
from reportgen.inputs.strict_json import read_strict
from reportgen.inputs.trouble import At, FileFaults
from reportgen.language import n_

MOST_BYTES = 512 * 1024 * 1024
LISTS = ("images", "annotations", "categories")
MEND = "export it anew as COCO JSON, or name the columns of a table: columns: {…}"


def read_json_file(path: Path) -> tuple[Any, Digest]:
    """Return the plain data of a JSON file of at most 512 MiB, and its digest.

    Raises
    ------
    FileFaults
        If it is too large or no JSON.
    """
    digest = digest_file(path)
    if digest.size > MOST_BYTES:
        what = f"the file holds {digest.size} bytes; at most {MOST_BYTES} are read as JSON"
        raise FileFaults.one("", what, "write the boxes as a table (csv or parquet)")
    return read_strict(path.read_bytes(), most=MOST_BYTES, mend=MEND, of="boxes"), digest


def parse_truth(data: Any, path: str, digest: Digest) -> tuple[Listing, RawBoxes]:
    """Return images, categories and boxes of COCO ground truth; mistakes are in the boxes' `found`.

    Raises
    ------
    FileFaults
        If it is not a mapping with the three lists.
    """
    found = FileFaults()
    if not isinstance(data, dict):
        met = "a list stands at the top, as in COCO results" if isinstance(data, list) else "no map"
        mend = "ground truth is a mapping with images, annotations and categories"
        raise FileFaults.one("", met, mend)
    for name in LISTS:
        if not isinstance(data.get(name), list):
            what = "it is missing" if name not in data else f"{shown(data[name])} is no list"
            found.add(f": field {name!r}", what, f"COCO ground truth lists its {name}")
    found.raise_if_any()
    listing = _listing(data, found)
    return listing, _boxes(data["annotations"], "annotations", path, digest, found, results=False)


def parse_results(data: Any, path: str, digest: Digest) -> RawBoxes:
    """Return the boxes of COCO results; mistakes are in their `found`.

    Raises
    ------
    FileFaults
        If it is not a list.
    """
    if not isinstance(data, list):
        mend = "COCO results are a list of {image_id, category_id, bbox, score}"
        raise FileFaults.one("", "no list stands at the top", mend)
    return _boxes(data, "", path, digest, FileFaults(), results=True)


def _entries(listed: Sequence[Any], name: str, found: FileFaults) -> Iterator[tuple[int, Entry]]:
    """Yield the mappings of a list, noting what is none."""
    for at, one in enumerate(listed):
        place = f": {name}[{at}]"
        if isinstance(one, dict):
            yield at, Entry(one, place, found, At(name, at))
        else:
            found.add(place, f"{shown(one)} is no mapping", MEND, kind=("", name), at=At(name, at))


def _listing(data: Mapping[str, Any], found: FileFaults) -> Listing:
    images, entries = _by_id(data["images"], "images", found)
    files: dict[str, str] = {}
    sizes: dict[str, tuple[float, float]] = {}
    for key, entry in entries.items():
        if "file_name" in entry.data and (file := entry.text("file_name")):
            files[key] = file
        if (size := _size(entry)) is not None:
            sizes[key] = size
    classes, categories = _by_id(data["categories"], "categories", found)
    names = {key: entry.text("name") or "" for key, entry in categories.items()}
    _refuse_shared_names(names, categories)
    order, class_order = ascending(images), ascending(classes)
    return Listing(
        images=tuple(order),
        files=tuple(files[key] for key in order) if len(files) == len(order) else None,
        sizes=sizes,
        categories=tuple(names[key] for key in class_order),
        category_ids=tuple(class_order),
        image_ids=images,
        class_ids=classes,
    )


def _by_id(
    listed: Sequence[Any], name: str, found: FileFaults
) -> tuple[dict[str, Id], dict[str, Entry]]:
    """Return ids and entries of a list by the id's text, noting the ones that come twice."""
    ids: dict[str, Id] = {}
    entries: dict[str, Entry] = {}
    for _place, entry in _entries(listed, name, found):
        key = entry.id("id")
        if key is None:
            continue
        if key.text in ids:
            first = entries[key.text].place.removeprefix(": ")
            what = f"{key} is the id of {first} already"
            if key != ids[key.text]:
                what = f"{key} and the {ids[key.text]} of {first} differ in quotes alone"
            entry.refuse("id", what, "give every entry an id of its own")
            continue
        ids[key.text] = key
        entries[key.text] = entry
    return ids, entries


def _size(entry: Entry) -> tuple[float, float] | None:
    """Return width and height of an image, None where they are not given."""
    if entry.data.get("width") is None and entry.data.get("height") is None:
        return None
    sides = []
    for name in ("width", "height"):
        side = finite(entry.data.get(name))
        if side is None or side <= 0:
            met = shown(entry.data.get(name))
            entry.refuse(name, f"{met} is no number above 0", "write it in pixels")
        else:
            sides.append(side)
    return (sides[0], sides[1]) if len(sides) == 2 else None


def _refuse_shared_names(names: Mapping[str, str], entries: Mapping[str, Entry]) -> None:
    seen: dict[str, str] = {}
    for key, name in names.items():
        if name and name in seen:
            what = f"{name!r} is the name of category {seen[name]} already"
            entries[key].refuse("name", what, "give every category a name of its own")
        seen.setdefault(name, key)


def _boxes(
    listed: Sequence[Any],
    name: str,
    path: str,
    digest: Digest,
    found: FileFaults,
    *,
    results: bool,
) -> RawBoxes:
    """Return the boxes of a list, those with mistakes among them as far as they go."""
    places: list[str] = []
    spots: list[At] = []
    ids: list[str] = []
    image: list[Id] = []
    category: list[Id] = []
    rows: list[list[float]] = []
    flags: list[tuple[bool, bool]] = []
    masks = 0
    seen: dict[str, str] = {}
    for at, bare in _entries(listed, name, found):
        own = None if results and "id" not in bare.data else bare.id("id")
        entry = bare if own is None else replace(bare, place=f"{bare.place} (id {own})")
        text = str(at + 1) if own is None else own.text
        if text in seen:
            where = seen[text].removeprefix(": ")
            entry.refuse("id", f"it is that of {where} too", "give every box an id of its own")
        seen.setdefault(text, bare.place)
        places.append(entry.place)
        spots.append(entry.at)
        ids.append(text)
        image.append(entry.id("image_id") or Id("", False))
        category.append(entry.id("category_id") or Id("", False))
        score = _score(entry) if results else math.nan
        area = entry.number("area", optional=True)
        rows.append([*entry.box(), area, score])
        flags.append((entry.flag("iscrowd"), entry.flag("ignore")))
        masks += bool(entry.data.get("segmentation"))
    numbers = np.array(rows, dtype=np.float64).reshape(-1, 6)
    flagged = np.array(flags, dtype=bool).reshape(-1, 2)
    return RawBoxes(
        path=path,
        digest=digest,
        header=(),
        place=places.__getitem__,
        at=spots.__getitem__,
        ids=np.array(ids, dtype=object),
        image=np.array([one.text for one in image], dtype=object),
        category=np.array([one.text for one in category], dtype=object),
        image_ids=tuple(image),
        class_ids=tuple(category),
        box=numbers[:, :4],
        area=numbers[:, 4],
        crowd=flagged[:, 0],
        ignore=flagged[:, 1],
        polygon=np.zeros(len(ids), dtype=bool),
        score=numbers[:, 5] if results else None,
        sizes={},
        found=found,
        notes=_notes(masks),
    )


def _notes(masks: int) -> tuple[str, ...]:
    text = n_(
        "masks of {n} annotation not used: their boxes are",
        "masks of {n} annotations not used: their boxes are",
        masks,
    )
    return (text.format(n=masks),) if masks else ()


def _score(entry: Entry) -> float:
    score = entry.number("score")
    if not (math.isnan(score) or 0 <= score <= 1):
        entry.refuse("score", f"{score:g} is out of range", "write a number from 0 to 1")
    return score


def check_ids(
    given: Sequence[Id], known: Mapping[str, Id], raw: RawBoxes, *, name: str, kind: str
) -> None:
    """Note every box whose image or category is not listed, or is under an id of another type.

    Parameters
    ----------
    given : sequence of Id
        One a box.
    known : mapping of text to Id
        The listed ids.
    raw : RawBoxes
        Its `found` takes the mistakes.
    name, kind : str
        The field, and what it names: "image_id", "image".
    """
    for row, one in enumerate(given):
        listed = known.get(one.text)
        within = f": field {name!r}"
        place = f"{raw.place(row)}{within}"
        if one.text and listed is None:
            unknown = (within, "unknown")
            # The nearest of many ids takes long to find, and the first are shown alone.
            near = raw.found.names(unknown)
            mend = choose_from(known, one.text) if near else "name a listed one"
            what = f"no {kind} has the id {one}"
            raw.found.add(place, what, mend, kind=unknown, at=raw.at(row))
        elif listed is not None and listed != one:
            own = f"the {kind}'s own id {listed} as {_form(listed)}"
            what = f"{one} is written as {_form(one)}, {own}"
            mend = "write both alike: ids are compared as declared"
            raw.found.add(place, what, mend, kind=(within, mend), at=raw.at(row))


def _form(one: Id) -> str:
    return "a number" if one.is_number else "text"
