"""One entry of ``detections``: its files read, joined and checked; no box is dropped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from reportgen.errors import Fault, InputError, Key
from reportgen.inputs.beside import Finder, in_file
from reportgen.inputs.columned import told
from reportgen.inputs.detections.assessing import quality_of, repeats_of, spellings
from reportgen.inputs.detections.box_table import listing_of, read_table
from reportgen.inputs.detections.coco import parse_results, parse_truth, read_json_file
from reportgen.inputs.detections.content import Boxes, DetectionSet, EvaluatorPins
from reportgen.inputs.detections.joining import in_pixels, joined, size_array, with_sizes
from reportgen.inputs.detections.raw import Listing, RawBoxes
from reportgen.inputs.detections.settings import BoxFile, DetectionsSettings
from reportgen.inputs.opening import KINDS, Digest
from reportgen.inputs.settings import PinnedFile
from reportgen.inputs.table import InputRecord
from reportgen.inputs.trouble import FileFaults
from reportgen.language import _, n_


@dataclass(frozen=True)
class Source:
    """A file of boxes, the key that names it, and where files are.

    `bare` says that the key holds the path itself.
    """

    given: BoxFile
    key: Key
    bare: bool
    finder: Finder

    @property
    def path_key(self) -> Key:
        """The key of its path."""
        return self.key if self.bare else (*self.key, "path")

    def refuse(self, what: str, mend: str, *below: str) -> InputError:
        """Return a mistake of what the manifest says of this file."""
        key = (*self.key, *below)
        return InputError([Fault(self.finder.where(key), what, mend, key)])

    @contextmanager
    def placed(self) -> Iterator[None]:
        """Turn mistakes of the file into those of an input."""
        try:
            yield
        except FileFaults as found:
            faults = in_file(found, self.given.path, self.path_key, self.finder.where)
            raise InputError(faults) from None

    def json(self) -> tuple[Any, Digest]:
        """Return the plain data and the digest of a COCO file, pinned or not."""
        path = self.finder.find(self.given.path, self.path_key)
        if PurePath(self.given.path.removesuffix(".gz").removesuffix(".zip")).suffix in KINDS:
            what = f"{self.given.path!r} is a table whose columns are not named"
            raise self.refuse(what, "say {path: …, columns: {image: …, class: …, x: …, …}}")
        with self.placed():
            data, digest = read_json_file(path)
        pinned = PinnedFile(path=self.given.path, sha256=self.given.sha256)
        changed = self.finder.check_pin(pinned, digest, (*self.key, "sha256"))
        if changed:
            raise InputError(changed)
        return data, digest

    def sound(self, raw: RawBoxes) -> RawBoxes:
        """Return the boxes, or raise what is wrong with them."""
        if raw.found:
            raise InputError(told(raw.found, self.given.path, self.path_key, self.finder))
        return raw


def read_detections(
    name: str, settings: DetectionsSettings, finder: Finder
) -> tuple[DetectionSet, list[InputRecord]]:
    """Read ground truth and predictions of an entry of ``detections``.

    Identifiers are text. Within JSON they are compared as declared, so that 7 and "7" differ; with
    a table their texts are compared. COCO ground truth lists its images and categories, and any
    other one is a mistake. A table of ground truth cannot list images without boxes: images and
    classes that its predictions alone name are added to the set, and counted in a note. Boxes
    without extent or outside of their image are kept as they are.

    Parameters
    ----------
    name : str
        In the manifest.
    settings : DetectionsSettings
    finder : Finder

    Returns
    -------
    detections : DetectionSet
    records : list of InputRecord
        One a file: ``detections.<name>.ground_truth``, ``.predictions``.

    Raises
    ------
    InputError
        With the faults of both files, each with annotation or line, and field or column; at most
        twenty a file and a line that counts the rest.
    """
    below: Key = ("detections", name)
    listing: Listing | None = None
    truth = predicted = None
    faults: list[Fault] = []
    bare = isinstance(settings.ground_truth, str)
    source = Source(settings.truth_file, (*below, "ground_truth"), bare, finder)
    try:
        listing, truth = _read_truth(source, settings.join)
    except InputError as error:
        faults += error.faults
    if settings.predictions_file is not None:
        bare = isinstance(settings.predictions, str)
        source = Source(settings.predictions_file, (*below, "predictions"), bare, finder)
        try:
            listing, predicted = _read_predictions(source, listing, settings.join)
        except InputError as error:
            faults += error.faults
    if faults or listing is None or truth is None:
        raise InputError(faults)
    notes = _truth_notes(listing, truth)
    spelt = tuple(spellings(listing))
    notes = (*notes, *spelt)
    records = [_record(f"detections.{name}.ground_truth", listing, truth, notes, spelt)]
    if predicted is not None:
        more = _prediction_notes(listing, predicted)
        records.append(_record(f"detections.{name}.predictions", listing, predicted, more))
        notes = (*notes, *more)
    return _set(name, settings, listing, truth, predicted, notes), records


def _read_truth(source: Source, join: str) -> tuple[Listing, RawBoxes]:
    columns = source.given.columns
    if columns is None:
        data, digest = source.json()
        with source.placed():
            listing, raw = parse_truth(data, source.given.path, digest)
        listing, raw = joined(listing, raw, join=join)
        if join == "file" and listing.files is None:
            what = "an image without file_name cannot be joined by file"
            raw.found.add(": field 'images'", what, "add it, or say join: id")
        elif join == "file" and len(set(listing.files or ())) < len(listing.images):
            what = "two images have the same file_name"
            raw.found.add(": field 'images'", what, "name every image once")
    elif columns.score is not None:
        raise source.refuse("ground truth has no score", "delete this key", "columns", "score")
    else:
        raw = read_table(source.given, columns, source.key, source.finder)
        listing = listing_of(raw, files=join == "file")
    listing = with_sizes(listing, raw, source.given)
    return listing, source.sound(in_pixels(raw, listing, source.given))


def _read_predictions(
    source: Source, listing: Listing | None, join: str
) -> tuple[Listing | None, RawBoxes]:
    """Return the predictions, and the listing with what they add to it.

    Without a listing, as the ground truth has mistakes, the file is checked by itself.
    """
    columns = source.given.columns
    if columns is None:
        data, digest = source.json()
        with source.placed():
            raw = parse_results(data, source.given.path, digest)
    elif columns.score is None:
        mend = "name the column of their confidence: score: …"
        raise source.refuse("predictions need a score", mend, "columns")
    else:
        raw = read_table(source.given, columns, source.key, source.finder)
    if listing is None:
        return None, source.sound(raw)
    listing, raw = joined(listing, raw, join=join)
    listing = with_sizes(listing, raw, source.given)
    return listing, source.sound(in_pixels(raw, listing, source.given))


def _set(
    name: str,
    settings: DetectionsSettings,
    listing: Listing,
    truth: RawBoxes,
    predicted: RawBoxes | None,
    notes: tuple[str, ...],
) -> DetectionSet:
    return DetectionSet(
        name=name,
        images=np.array(listing.images, dtype=object),
        files=None if listing.files is None else np.array(listing.files, dtype=object),
        size=size_array(listing, listing.images),
        categories=listing.categories,
        category_ids=listing.category_ids,
        truth=_boxes(listing, truth),
        predicted=None if predicted is None else _boxes(listing, predicted),
        pins=EvaluatorPins(**settings.settings.model_dump()),
        join=settings.join,
        predictions_digest=None if predicted is None else predicted.digest.sha256,
        notes=notes,
        listed=listing.closed,
    )


def _boxes(listing: Listing, raw: RawBoxes) -> Boxes:
    image = {one: at for at, one in enumerate(listing.images)}
    category = {one: at for at, one in enumerate(listing.category_ids)}
    extent = np.clip(raw.box[:, 2], 0, None) * np.clip(raw.box[:, 3], 0, None)
    return Boxes(
        ids=raw.ids,
        image=np.array([image[one] for one in raw.image.tolist()], dtype=np.intp),
        category=np.array([category[one] for one in raw.category.tolist()], dtype=np.intp),
        xywh=raw.box,
        area=np.where(np.isnan(raw.area), extent, raw.area),
        crowd=raw.crowd,
        ignore=raw.ignore,
        polygon=raw.polygon,
        score=raw.score,
    )


def _truth_notes(listing: Listing, truth: RawBoxes) -> tuple[str, ...]:
    images, classes = len(listing.images), len(listing.categories)
    empty = images - len(set(truth.image.tolist()))
    counts = n_("{images}, {n} class", "{images}, {n} classes", classes)
    listed = n_("{n} image", "{n} images", images).format(n=images)
    notes = [counts.format(images=listed, n=classes)]
    if empty:
        text = n_("{n} image without a box", "{n} images without a box", empty)
        notes.append(text.format(n=empty))
    for kind, flags in (
        (_("crowd box: {n}"), truth.crowd),
        (_("box to be ignored: {n}"), truth.ignore),
    ):
        if flags.any():
            notes.append(kind.format(n=int(np.count_nonzero(flags))))
    repeats = repeats_of(truth)
    if repeats:
        text = n_(
            "{n} box repeating another one in image, class and place",
            "{n} boxes repeating another one in image, class and place",
            repeats,
        )
        notes.append(text.format(n=repeats))
    return (*truth.notes, *notes)


def _prediction_notes(listing: Listing, predicted: RawBoxes) -> tuple[str, ...]:
    notes: list[str] = []
    without = len(listing.images) - len(set(predicted.image.tolist()))
    if without:
        text = n_("{n} image without a detection", "{n} images without a detection", without)
        notes.append(text.format(n=without))
    repeats = repeats_of(predicted)
    if repeats:
        text = n_(
            "{n} detection repeating another one in every value",
            "{n} detections repeating another one in every value",
            repeats,
        )
        notes.append(text.format(n=repeats))
    return (*predicted.notes, *notes)


def _record(
    part: str,
    listing: Listing,
    raw: RawBoxes,
    notes: tuple[str, ...],
    remarks: tuple[str, ...] = (),
) -> InputRecord:
    return InputRecord(
        name=part,
        path=raw.path,
        sha256=raw.digest.sha256,
        bytes=raw.digest.size,
        rows=raw.n_boxes,
        columns=raw.header,
        read=raw.n_boxes,
        units=len(set(raw.image.tolist())),
        notes=notes,
        remarks=remarks,
        quality=quality_of(listing, raw),
    )
