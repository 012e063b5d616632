"""What a manifest declares beside its tables: images, boxes, class maps, pipelines, plain lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from reportgen.errors import Fault, InputError, Key, key_text
from reportgen.inputs import noted
from reportgen.inputs.assessing import quality_of_file
from reportgen.inputs.beside import Finder, in_file
from reportgen.inputs.convert import Column, RoleError, to_codes
from reportgen.inputs.deployed.content import ClassMap, Pipeline
from reportgen.inputs.deployed.settings import ClassMapSettings, PipelineSettings
from reportgen.inputs.detections.content import DetectionSet
from reportgen.inputs.detections.settings import DetectionsSettings
from reportgen.inputs.grid import Grid
from reportgen.inputs.images.content import ImageSet
from reportgen.inputs.images.settings import ImagesSettings
from reportgen.inputs.opening import Digest, read_file
from reportgen.inputs.table import InputRecord, Inputs
from reportgen.inputs.trouble import FileFaults
from reportgen.settings import Settings

BLOCKS: Mapping[str, type[Settings]] = {
    "images": ImagesSettings,
    "detections": DetectionsSettings,
    "class_maps": ClassMapSettings,
    "pipelines": PipelineSettings,
}
"""The blocks of a manifest that hold inputs by name, beside its tables."""

S = TypeVar("S")
R = TypeVar("R")
Reader = Callable[[str, S, Finder], tuple[R, list[InputRecord]]]
"""Reads one entry of a block; raises InputError with every fault of it."""


@dataclass(frozen=True)
class Blocks:
    """The entries of each block that are to be read, by name."""

    images: Mapping[str, ImagesSettings] = field(default_factory=dict)
    detections: Mapping[str, DetectionsSettings] = field(default_factory=dict)
    class_maps: Mapping[str, ClassMapSettings] = field(default_factory=dict)
    pipelines: Mapping[str, PipelineSettings] = field(default_factory=dict)

    def names(self) -> set[tuple[str, str]]:
        """Return block and name of every entry."""
        return {(block, name) for block in BLOCKS for name in getattr(self, block)}


@dataclass(frozen=True)
class ListFile:
    """A table of plain text that a section names.

    Attributes
    ----------
    section : str
        The id of the section.
    key : Key
        Where in the section it is named.
    place : Key
        The same from the manifest's top.
    path : str
    """

    section: str
    key: Key
    place: Key
    path: str

    @property
    def name(self) -> str:
        """The key as text: ``near_duplicates.verdicts``."""
        return key_text(self.key)


def gather_blocks(blocks: Blocks, finder: Finder) -> tuple[Inputs, list[Fault]]:
    """Read what can be read of the blocks, and gather what is wrong with the rest.

    Returns
    -------
    inputs : Inputs
        Without tables; records in the order of the blocks and of their entries.
    faults : list of Fault
    """
    records: list[InputRecord] = []
    faults: list[Fault] = []
    images = _read_each(blocks.images, _read_images, finder, records, faults)
    detections = _read_each(blocks.detections, _read_detections, finder, records, faults)
    class_maps = _read_each(blocks.class_maps, _read_class_map, finder, records, faults)
    pipelines = _read_each(blocks.pipelines, _read_pipeline, finder, records, faults)
    inputs = Inputs(
        {},
        tuple(records),
        images=images,
        detections=detections,
        class_maps=class_maps,
        pipelines=pipelines,
    )
    return inputs, faults


def _read_images(
    name: str, settings: ImagesSettings, finder: Finder
) -> tuple[ImageSet, list[InputRecord]]:
    # Imported where images are named alone: the reader brings image libraries with it.
    from reportgen.inputs.images.reading import read_images

    return read_images(name, settings, finder)


def _read_detections(
    name: str, settings: DetectionsSettings, finder: Finder
) -> tuple[DetectionSet, list[InputRecord]]:
    from reportgen.inputs.detections.reading import read_detections

    return read_detections(name, settings, finder)


def _read_class_map(
    name: str, settings: ClassMapSettings, finder: Finder
) -> tuple[ClassMap, list[InputRecord]]:
    from reportgen.inputs.deployed.reading import read_class_map

    return read_class_map(name, settings, finder)


def _read_pipeline(
    name: str, settings: PipelineSettings, finder: Finder
) -> tuple[Pipeline, list[InputRecord]]:
    from reportgen.inputs.deployed.reading import read_pipeline

    return read_pipeline(name, settings, finder)


def _read_each(
    entries: Mapping[str, S],
    reader: Reader[S, R],
    finder: Finder,
    records: list[InputRecord],
    faults: list[Fault],
) -> dict[str, R]:
    """Return the entries that are sound; add their records, and the faults of the others."""
    read: dict[str, R] = {}
    for name, settings in entries.items():
        try:
            read[name], found = reader(name, settings, finder)
            records += found
        except InputError as error:
            faults += error.faults
    return read


def gather_lists(
    lists: Iterable[ListFile], finder: Finder
) -> tuple[
    dict[tuple[str, str], dict[str, tuple[str, ...]]], list[InputRecord], list[Fault], set[str]
]:
    """Read the tables of plain text that sections name.

    Returns
    -------
    lists : mapping of (text, text) to mapping of text to tuple of text
        As in `Inputs`.
    records : list of InputRecord
        Named ``<section id>.<key>``.
    faults : list of Fault
    unread : set of text
        Ids of the sections that lack one of theirs.
    """
    read: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    records: list[InputRecord] = []
    faults: list[Fault] = []
    unread: set[str] = set()
    for one in lists:
        try:
            read[one.section, one.name], record = _read_list(one, finder)
            records.append(record)
        except InputError as error:
            faults += error.faults
            unread.add(one.section)
    return read, records, faults, unread


def _read_list(one: ListFile, finder: Finder) -> tuple[dict[str, tuple[str, ...]], InputRecord]:
    path = finder.find(one.path, one.place)
    try:
        header, _ = read_file(path, reading=None, wanted=())
        _refuse_twins(header.columns)
        grid, digest = read_file(path, reading=None, wanted=set(header.columns))
        cells = {name: _texts(grid.data[name], name) for name in grid.columns}
    except FileFaults as found:
        raise InputError(in_file(found, one.path, one.place, finder.where)) from None
    return cells, _record(one, digest, grid)


def _refuse_twins(columns: tuple[str, ...]) -> None:
    twice = [name for name in dict.fromkeys(columns) if columns.count(name) > 1]
    if twice:
        what = f"there are {columns.count(twice[0])} columns {twice[0]!r}"
        raise FileFaults.one("", what, "give each column a name of its own")


def _texts(column: Column, name: str) -> tuple[str, ...]:
    try:
        return tuple(to_codes(column, missing=(), role="id").text().tolist())
    except RoleError as error:
        if error.mend is not None:
            raise FileFaults.one(f": column {name!r}", f"it holds {error}", error.mend) from None
        # Dates, say: which columns are used, the section knows alone.
        return tuple("" if cell is None else str(cell) for cell in column.to_pylist())


def _record(one: ListFile, digest: Digest, grid: Grid) -> InputRecord:
    return InputRecord(
        name=f"{one.section}.{one.name}",
        path=one.path,
        sha256=digest.sha256,
        bytes=digest.size,
        rows=grid.n_rows,
        columns=grid.columns,
        read=grid.n_rows,
        notes=(*grid.notes, *noted.of_rows(grid)),
        quality=quality_of_file(grid, ((name, "text") for name in grid.columns), {""}),
    )


def files_named(block: str, entry: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """Yield key, relative to the entry, and path of every file that an entry of a block names.

    Parameters
    ----------
    block : str
        One of `BLOCKS`.
    entry : mapping
        Plain data, perhaps with faults; what is no text is not yielded.
    """
    if isinstance(entry.get("path"), str):
        yield ("path",), entry["path"]
    for part in ("ground_truth", "predictions", "gates", "shown"):
        given = entry.get(part)
        if isinstance(given, str) and block == "detections":
            yield (part,), given
        elif isinstance(given, dict) and isinstance(given.get("path"), str):
            yield (part, "path"), given["path"]
    for part in ("copies", "artefacts"):
        listed = entry.get(part)
        for at, one in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(one, dict) and isinstance(one.get("path"), str):
                yield (part, at, "path"), one["path"]
