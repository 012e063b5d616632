"""Which columns a table's declaration names, and which of them its file has not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from reportgen.errors import Fault, Key, choose_from
from reportgen.inputs.settings import TableSettings


def columns_by_role(table: TableSettings) -> Iterator[tuple[Key, str]]:
    """Yield the key, relative to the table, and the column of every role."""
    yield from columns_named(table.model_dump())


def columns_named(table: Mapping[str, Any]) -> Iterator[tuple[Key, str]]:
    """Yield the same of a table that is plain data, perhaps with faults; what is no text is not."""
    label = table.get("label")
    for part in ("column", "time", "event"):
        if isinstance(label, dict) and isinstance(label.get(part), str):
            yield ("label", part), label[part]
    yield from _texts("scores", _mapping(table, "scores").items())
    for role in ("unit", "key"):
        if isinstance(table.get(role), str):
            yield (role,), table[role]
    bins = _mapping(table, "bins")
    made = made_by_bins(bins)
    groups = enumerate(_list(table, "groups"))
    yield from _texts("groups", ((at, name) for at, name in groups if name not in made))
    yield from _texts("features", enumerate(_list(table, "features")))
    yield from _texts("bins", ((column, column) for column in bins))


def made_by_bins(bins: Mapping[str, Any]) -> list[str]:
    """Return the names of the attributes that declared bins make."""
    named = {
        column: one.get("name") if isinstance(one, dict) else None for column, one in bins.items()
    }
    return [name if isinstance(name, str) else column for column, name in named.items()]


def limited(table: TableSettings, present: Sequence[str]) -> TableSettings:
    """Return a declaration without the roles whose columns a file has not exactly once."""
    there = {column for column in present if present.count(column) == 1}
    outcome = {column for key, column in columns_by_role(table) if key[0] == "label"}
    bins = {column: one for column, one in table.bins.items() if column in there}
    groups = there.difference(made_by_bins(table.model_dump()["bins"])).union(
        one.name or column for column, one in bins.items()
    )
    kept: dict[str, Any] = {
        "label": table.label if outcome <= there else None,
        "scores": {name: column for name, column in table.scores.items() if column in there},
        "unit": table.unit if table.unit in there else None,
        "key": table.key if table.key in there else None,
        "groups": [name for name in table.groups if name in groups],
        "bins": bins,
    }
    if isinstance(table.features, list):
        kept["features"] = [column for column in table.features if column in there]
    return table.model_copy(update=kept)


def _mapping(table: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = table.get(name)
    return value if isinstance(value, dict) else {}


def _list(table: Mapping[str, Any], name: str) -> list[Any]:
    value = table.get(name)
    return value if isinstance(value, list) else []


def _texts(role: str, entries: Iterable[tuple[str | int, Any]]) -> Iterator[tuple[Key, str]]:
    return (((role, key), value) for key, value in entries if isinstance(value, str))


def column_faults(
    named: Iterable[tuple[Key, str]],
    present: Sequence[str],
    *,
    path: str,
    where: Callable[[Key], str],
) -> Iterator[Fault]:
    """Yield a fault for every column that a file has not, or has more than once.

    Parameters
    ----------
    named : iterable of (Key, text)
        The columns with the keys of the manifest that name them.
    present : sequence of str
        The header of the file.
    path : str
        The file, as the manifest gives it.
    where : callable
        Turns a manifest key into its place.
    """
    for key, column in named:
        count = present.count(column)
        if count == 0:
            what = f"{path} has no column {column!r}"
            yield Fault(where(key), what, choose_from(set(present), column), key)
        elif count > 1:
            what = f"{path} has {count} columns {column!r}"
            yield Fault(where(key), what, "give each column a name of its own", key)
