"""Class maps with their copies and artefacts, and what pipelines decided and displayed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import Fault, InputError, Key, choose_from
from reportgen.inputs import noted
from reportgen.inputs.beside import Finder
from reportgen.inputs.codes import canonical
from reportgen.inputs.columned import Columned, open_columns, told
from reportgen.inputs.deployed.content import (
    ClassMap,
    Gates,
    NamedClasses,
    Pipeline,
    Shown,
    ShownClasses,
)
from reportgen.inputs.deployed.names import read_names
from reportgen.inputs.deployed.settings import (
    Artefact,
    ClassMapSettings,
    CopyFile,
    GateFile,
    MapColumns,
    PipelineSettings,
    ShownFile,
)
from reportgen.inputs.settings import PinnedFile, Reading
from reportgen.inputs.table import InputRecord
from reportgen.inputs.trouble import FileFaults, counted
from reportgen.language import n_

ONE_GATE = "gate"
"""What the only gate is called where no column names gates."""


@dataclass(frozen=True)
class MapFile:
    """A file of a class map: the map itself or a copy of it."""

    path: str
    sha256: str | None
    read: Reading


def read_class_map(
    name: str, settings: ClassMapSettings, finder: Finder
) -> tuple[ClassMap, list[InputRecord]]:
    """Read an entry of ``class_maps``: the map, its deployed copies, the artefacts.

    Parameters
    ----------
    name : str
        In the manifest.
    settings : ClassMapSettings
    finder : Finder

    Returns
    -------
    class_map : ClassMap
        Rows in the order of their file.
    records : list of InputRecord
        ``class_maps.<name>``, then ``class_maps.<name>.copies.<copy>`` and
        ``class_maps.<name>.artefacts.<artefact>`` for those in files.

    Raises
    ------
    InputError
        With the faults of all files: class indices that come twice, thresholds outside 0 to 1,
        copies or artefacts of one name, and what keeps a file from being read.
    """
    below: Key = ("class_maps", name)
    faults = _shared_names(settings, below, finder)
    records: list[InputRecord] = []
    app: ShownClasses | None = None
    model: tuple[str, ...] | None = None
    copies: list[ShownClasses] = []
    artefacts: list[NamedClasses] = []
    own = MapFile(settings.path, settings.sha256, settings.read)
    try:
        app, model, record = _shown(name, own, settings.columns, below, (*below, "columns"), finder)
        records.append(record)
    except InputError as error:
        faults += error.faults
    for at, copy in enumerate(settings.copies):
        try:
            made, record = _copy(copy, settings, (*below, "copies", at), finder)
            copies.append(made)
            records.append(record)
        except InputError as error:
            faults += error.faults
    for at, artefact in enumerate(settings.artefacts):
        try:
            named, more = _artefact(artefact, (*below, "artefacts", at), finder)
            artefacts.append(named)
            records += more
        except InputError as error:
            faults += error.faults
    if faults or app is None:
        raise InputError(faults)
    return ClassMap(name, model, app, tuple(copies), tuple(artefacts)), records


def _shared_names(settings: ClassMapSettings, below: Key, finder: Finder) -> list[Fault]:
    faults = []
    for part, listed in (("copies", settings.copies), ("artefacts", settings.artefacts)):
        names = [one.name for one in listed]
        for at, one in enumerate(names):
            if one in names[:at]:
                key: Key = (*below, part, at, "name")
                what = f"{part}[{names.index(one)}] is called {one!r} already"
                faults.append(Fault(finder.where(key), what, "give it a name of its own", key))
    return faults


def _copy(
    copy: CopyFile, settings: ClassMapSettings, key: Key, finder: Finder
) -> tuple[ShownClasses, InputRecord]:
    columns, named_at = copy.columns, (*key, "columns")
    if columns is None:
        columns = settings.columns.model_copy(update={"model": None})
        named_at = (*key[:2], "columns")
    own = MapFile(copy.path, copy.sha256, copy.read or settings.read)
    made, _image, record = _shown(copy.name, own, columns, key, named_at, finder)
    return made, record


def _shown(
    name: str, given: MapFile, columns: MapColumns, key: Key, named_at: Key, finder: Finder
) -> tuple[ShownClasses, tuple[str, ...] | None, InputRecord]:
    """Return the names that a file displays, and the model's own if it has them."""
    table = open_columns(given, columns.model_dump(), key, finder, columns_key=named_at)
    index = [canonical(cell) for cell in table.text("index").tolist()]
    _refuse_repeats(table, index)
    threshold = table.numbers("threshold") if table.has("threshold") else None
    if threshold is not None:
        for row in np.flatnonzero((threshold < 0) | (threshold > 1)).tolist():
            what = f"{threshold[row]:g} is out of range"
            table.refuse(row, "threshold", what, "write a number from 0 to 1")
    made = ShownClasses(
        name=name,
        index=tuple(index),
        shown=tuple(table.text("shown", blank="").tolist()),
        threshold=None if threshold is None else tuple(threshold.tolist()),
        digest=table.digest.sha256,
    )
    model = tuple(table.text("model", blank="").tolist()) if table.has("model") else None
    _raise_found(table, key, finder)
    parts = key[:2] if len(key) == 2 else (*key[:3], name)
    return made, model, _record(".".join(map(str, parts)), table)


def _refuse_repeats(table: Columned, index: list[str]) -> None:
    seen: dict[str, int] = {}
    for row, one in enumerate(index):
        if one and one in seen:
            what = f"class {one} stands in {table.line(seen[one])} already"
            table.refuse(row, "index", what, "give each class one row")
        seen.setdefault(one, row)


def _artefact(
    artefact: Artefact, key: Key, finder: Finder
) -> tuple[NamedClasses, list[InputRecord]]:
    if artefact.path is None:
        return _listed(artefact, key, finder), []
    path = finder.find(artefact.path, (*key, "path"))
    try:
        (index, classes), digest = read_names(path)
    except FileFaults as found:
        raise InputError(told(found, artefact.path, (*key, "path"), finder)) from None
    pinned = PinnedFile(path=artefact.path, sha256=artefact.sha256)
    changed = finder.check_pin(pinned, digest, (*key, "sha256"))
    if changed:
        raise InputError(changed)
    record = InputRecord(
        name=".".join(map(str, (*key[:3], artefact.name))),
        path=artefact.path,
        sha256=digest.sha256,
        bytes=digest.size,
        rows=len(classes),
        read=len(classes),
    )
    return NamedClasses(artefact.name, index, classes, digest.sha256), [record]


def _listed(artefact: Artefact, key: Key, finder: Finder) -> NamedClasses:
    """Return the names that the manifest itself lists, indices counted from 0."""
    names = [name.strip() for name in artefact.classes or ()]
    faults = []
    for at, name in enumerate(names):
        what = "the name is empty" if not name else f"{name!r} stands here twice"
        if not name or name in names[:at]:
            place: Key = (*key, "classes", at)
            mend = "give each class a name of its own"
            faults.append(Fault(finder.where(place), what, mend, place))
    if not names:
        place = (*key, "classes")
        faults.append(Fault(finder.where(place), "there are no names", "list them", place))
    if faults:
        raise InputError(faults)
    return NamedClasses(artefact.name, tuple(map(str, range(len(names)))), tuple(names))


def read_pipeline(
    name: str, settings: PipelineSettings, finder: Finder
) -> tuple[Pipeline, list[InputRecord]]:
    """Read an entry of ``pipelines``: what the gates decided, what was displayed.

    Parameters
    ----------
    name : str
        In the manifest.
    settings : PipelineSettings
    finder : Finder

    Returns
    -------
    pipeline : Pipeline
    records : list of InputRecord
        ``pipelines.<name>.gates``, ``pipelines.<name>.shown``.

    Raises
    ------
    InputError
        With the faults of both files: decisions that are neither yes nor no, an image twice at one
        gate or in two domains, an order that misses a gate, and what keeps a file from being read.
    """
    below: Key = ("pipelines", name)
    faults: list[Fault] = []
    records: list[InputRecord] = []
    gates: Gates | None = None
    shown: Shown | None = None
    try:
        if settings.gates is not None:
            gates, record = _gates(settings.gates, (*below, "gates"), finder)
            records.append(record)
    except InputError as error:
        faults += error.faults
    try:
        if settings.shown is not None:
            shown, record = _displayed(settings.shown, (*below, "shown"), finder)
            records.append(record)
    except InputError as error:
        faults += error.faults
    if faults:
        raise InputError(faults)
    return Pipeline(name, gates, shown), records


def _gates(given: GateFile, key: Key, finder: Finder) -> tuple[Gates, InputRecord]:
    table = open_columns(given, given.columns.model_dump(), key, finder)
    image = table.text("image")
    domain = _column(table, "domain", "")
    gate = _column(table, "gate", ONE_GATE)
    yes = set() if given.accepted is None else {canonical(given.accepted)}
    accepted = table.flags("accepted", yes=yes)
    if yes and not accepted.any():
        what = f"the value {next(iter(yes))!r} that means accepted does not occur"
        where = f": column {table.columns['accepted']!r}"
        table.found.add(where, what, "correct it there", key=(*key, "accepted"))
    _refuse_twice(table, image, gate)
    _refuse_two_domains(table, image, domain)
    faults = _order_faults(given, gate, key, finder)
    faults += told(table.found, given.path, (*key, "path"), finder) if table.found else []
    if faults:
        raise InputError(faults)
    order = tuple(given.order) or tuple(dict.fromkeys(gate.tolist()))
    return Gates(image, domain, gate, accepted, order), _record(_name(key), table)


def _column(table: Columned, role: str, absent: str) -> NDArray[np.object_]:
    """Return a column of text, or one value for every row where there is no such column."""
    if table.has(role):
        return table.text(role)
    return np.full(table.grid.n_rows, absent, dtype=object)


def _refuse_twice(table: Columned, image: NDArray[np.object_], gate: NDArray[np.object_]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(zip(image.tolist(), gate.tolist(), strict=True)):
        if all(pair) and pair in seen:
            at = f" at {pair[1]!r}" if table.has("gate") else ""
            what = f"image {pair[0]!r}{at} stands in {table.line(seen[pair])} already"
            table.refuse(row, "image", what, "give each image one row a gate")
        seen.setdefault(pair, row)


def _refuse_two_domains(
    table: Columned, image: NDArray[np.object_], domain: NDArray[np.object_]
) -> None:
    first: dict[str, str] = {}
    for row, (one, of) in enumerate(zip(image.tolist(), domain.tolist(), strict=True)):
        if table.has("domain") and one and first.setdefault(one, of) != of:
            what = f"{of!r}, in a row above {first[one]!r} for image {one!r}"
            table.refuse(row, "domain", what, "an image has one domain")


def _order_faults(
    given: GateFile, gate: NDArray[np.object_], key: Key, finder: Finder
) -> list[Fault]:
    """Return what the declared order of gates misses, repeats or makes up."""
    met = [one for one in dict.fromkeys(gate.tolist()) if one]
    faults = []
    for at, one in enumerate(given.order):
        place: Key = (*key, "order", at)
        if one in given.order[:at]:
            what, mend = f"{one!r} stands here twice", "name each gate once"
        elif one not in met:
            what, mend = f"{given.path} has no gate {one!r}", choose_from(met, one)
        else:
            continue
        faults.append(Fault(finder.where(place), what, mend, place))
    missed = [one for one in met if given.order and one not in given.order]
    if missed:
        place = (*key, "order")
        listed = ", ".join(map(repr, missed))
        what = f"{counted(len(missed), 'gate')} of {given.path} not in the order: {listed}"
        faults.append(Fault(finder.where(place), what, "name every gate", place))
    return faults


def _displayed(given: ShownFile, key: Key, finder: Finder) -> tuple[Shown, InputRecord]:
    table = open_columns(given, given.columns.model_dump(), key, finder)
    image, shown = table.text("image"), table.text("name")
    detection = np.full(table.grid.n_rows, "", dtype=object)
    if table.has("detection"):
        detection = table.text("detection", blank="")
    _raise_found(table, key, finder)
    named = [one for one in detection.tolist() if one]
    again = len(named) - len(set(named))
    text = n_(
        "{n} row of a detection that is displayed already",
        "{n} rows of a detection that is displayed already",
        again,
    )
    notes = (text.format(n=again),) if again else ()
    return Shown(image, detection, shown), _record(_name(key), table, notes)


def _raise_found(table: Columned, key: Key, finder: Finder) -> None:
    if table.found:
        raise InputError(told(table.found, table.path, (*key, "path"), finder))


def _name(key: Key) -> str:
    return ".".join(map(str, key))


def _record(name: str, table: Columned, notes: tuple[str, ...] = ()) -> InputRecord:
    return InputRecord(
        name=name,
        path=table.path,
        sha256=table.digest.sha256,
        bytes=table.digest.size,
        rows=table.grid.n_rows,
        columns=table.grid.columns,
        read=table.grid.n_rows,
        notes=(*table.grid.notes, *noted.of_rows(table.grid), *notes),
        quality=table.quality(),
    )
