"""What a table's settings say that cannot be, seen without its file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePath

from reportgen.errors import Key, KeyFault
from reportgen.inputs.codes import canonical, scalar_text
from reportgen.inputs.settings import BinaryLabel, Reading, Scalar, SurvivalLabel, TableSettings


def check_table(table: TableSettings) -> Iterator[KeyFault]:
    """Yield a fault, its key relative to the table, for every contradiction."""
    if isinstance(table.label, BinaryLabel):
        yield from _check_binary(table.label)
    elif isinstance(table.label, SurvivalLabel):
        yield from _check_survival(table.label)
    yield from _check_outcome_as_score(table)
    yield from _check_features(table)
    yield from _check_groups(table)
    yield from _check_levels(table)
    yield from _check_bins(table)
    yield from _check_reading(table)


def _check_binary(label: BinaryLabel) -> Iterator[KeyFault]:
    if label.negative is not None and canonical(label.negative) == canonical(label.positive):
        what = f"positive and negative are both {scalar_text(label.positive)!r}"
        yield KeyFault(("label", "negative"), what, "name two values")


def _check_survival(label: SurvivalLabel) -> Iterator[KeyFault]:
    if label.time == label.event:
        what = f"time and event are both the column {label.time!r}"
        yield KeyFault(("label", "event"), what, "name two columns")
    seen: dict[str, str] = {canonical(label.positive): "positive"}
    lists: tuple[tuple[str, list[Scalar]], ...] = (
        ("competing", label.competing),
        ("censored", label.censored),
    )
    for role, codes in lists:
        for position, code in enumerate(codes):
            if canonical(code) in seen:
                what = f"{scalar_text(code)!r} is under {seen[canonical(code)]} already"
                yield KeyFault(("label", role, position), what, "name each code once")
            seen.setdefault(canonical(code), role)


def _check_outcome_as_score(table: TableSettings) -> Iterator[KeyFault]:
    outcome: set[str] = set()
    if isinstance(table.label, BinaryLabel):
        outcome = {table.label.column}
    elif isinstance(table.label, SurvivalLabel):
        outcome = {table.label.time, table.label.event}
    for name, column in table.scores.items():
        if column in outcome:
            what = f"column {column!r} is the outcome"
            yield KeyFault(("scores", name), what, "a score may not be the outcome itself")
        if not name.strip():
            yield KeyFault(("scores", name), "the shown name is empty", "name the score")


def _check_features(table: TableSettings) -> Iterator[KeyFault]:
    """Yield a fault for every feature, of the training set too, that is no property of the row."""
    label = table.label
    roles: list[tuple[str | None, str]] = [(table.unit, "the unit"), (table.key, "the row id")]
    if isinstance(label, BinaryLabel):
        roles.append((label.column, "the outcome"))
    elif isinstance(label, SurvivalLabel):
        roles += [(label.time, "the outcome's time"), (label.event, "the outcome")]
    lists: list[tuple[Key, list[str]]] = [(("features",), table.feature_columns)]
    if table.train is not None and isinstance(table.train.features, list):
        lists.append((("train", "features"), table.train.features))
        roles += [(table.train.unit, "the unit"), (table.train.key, "the row id")]
    roles += [(column, f"the score {name!r}") for name, column in table.scores.items()]
    taken = {column: role for column, role in reversed(roles) if column is not None}
    for key, columns in lists:
        for at, column in enumerate(columns):
            if column in taken:
                what = f"column {column!r} is {taken[column]}"
                yield KeyFault((*key, at), what, "take it out of the features")


def _check_groups(table: TableSettings) -> Iterator[KeyFault]:
    for position, name in enumerate(table.groups):
        if name in table.groups[:position]:
            yield KeyFault(("groups", position), f"{name!r} stands here twice", "name it once")


def _check_levels(table: TableSettings) -> Iterator[KeyFault]:
    for name, levels in table.levels.items():
        key: Key = ("levels", name)
        if name not in table.groups:
            yield KeyFault(key, f"{name!r} is not among groups", "add it to groups")
        seen: dict[str, str] = {}
        for level, spellings in levels.items():
            for position, spelling in enumerate(spellings):
                text = scalar_text(spelling)
                if text in seen:
                    what = f"{text!r} is under {seen[text]!r} already"
                    yield KeyFault((*key, level, position), what, "put it under one level")
                seen.setdefault(text, level)


def _check_bins(table: TableSettings) -> Iterator[KeyFault]:
    made: dict[str, str] = {}
    for column, bins in table.bins.items():
        edges = bins.edges
        if any(low >= high for low, high in pairwise(edges)):
            what = f"the edges {edges} do not rise"
            yield KeyFault(("bins", column, "edges"), what, "write them from low to high")
        name = bins.name or column
        if name in made:
            what = f"{name!r} is the name of the bins of {made[name]!r}"
            yield KeyFault(("bins", column, "name"), what, "give another name")
        if name in table.levels:
            yield KeyFault(("levels", name), f"{name!r} is made by bins", "delete one of the two")
        made.setdefault(name, column)


def _check_reading(table: TableSettings) -> Iterator[KeyFault]:
    read = table.read
    for key, what, mend in unusable(read):
        yield KeyFault(("read", key), what, mend)
    name = table.path.lower().removesuffix(".gz").removesuffix(".zip")
    usual = {".tsv": "\t", ".csv": ","}.get(PurePath(name).suffix, "")
    if read.decimal == (read.delimiter or usual):
        what = f"delimiter and decimal are both {read.decimal!r}"
        key = "decimal" if read.delimiter is None else "delimiter"
        yield KeyFault(
            ("read", key), what, 'they must differ, as in {delimiter: ";", decimal: ","}'
        )


def unusable(read: Reading) -> Iterator[tuple[str, str, str]]:
    """Yield key, what and mend of every part of a declaration that no file can be read with."""
    if read.delimiter is not None and (len(read.delimiter) != 1 or read.delimiter in '"\r\n'):
        what = f"the delimiter {read.delimiter!r} is not one character"
        yield "delimiter", what, 'write one, such as ";" or "\\t"'
    try:
        " ".encode(read.encoding)
    except LookupError:
        what = f"there is no text encoding {read.encoding!r}"
        yield "encoding", what, "write utf-8, cp1252, latin-1 or utf-16"
