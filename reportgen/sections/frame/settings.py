"""Settings of a FRAME section, and what manifest and data show to be wrong with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from pydantic import Field

from reportgen.errors import Key, KeyFault, choose_from, unknown_name
from reportgen.inputs import Inputs, SurvivalLabel, Table, TableSettings
from reportgen.inputs.trouble import few
from reportgen.sections.attributes import numbers_for_groups
from reportgen.sections.frame.result import BETWEEN, MISSING_GROUP, OVERALL
from reportgen.settings import SectionSettings, Settings

RANKING = ("auc",)
AT_THRESHOLD = (
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "precision",
    "npv",
    "selection_rate",
    "false_positive_rate",
)
PRIMARY = (*RANKING, *AT_THRESHOLD)


class Minimum(Settings):
    """Patients of either class that a group needs for a verdict."""

    positive_units: int = Field(default=10, ge=2)
    negative_units: int = Field(default=10, ge=2)


class FrameSettings(SectionSettings):
    """Settings of a ``frame`` section."""

    kind: Literal["frame"]
    table: str
    score: str | None = Field(default=None, description="one shown name; all scores if absent")
    scores: list[str] | None = Field(default=None, description="several, compared in pairs")
    threshold: float | None = Field(
        default=None, description="operating point: a row is selected where score >= threshold"
    )
    groups: list[str | list[str]] | None = Field(
        default=None, description="attributes; a list inside is an intersection; all if absent"
    )
    reference: dict[str, str] = Field(
        default_factory=dict, description="attribute: group; else the group of most patients"
    )
    primary: list[str] = Field(
        default_factory=lambda: list(RANKING), description=f"of {', '.join(PRIMARY)}"
    )
    margin: float | None = Field(
        default=None, description="largest gap without clinical consequence; must be given"
    )
    required: dict[str, list[str]] = Field(
        default_factory=dict, description="groups that must be estimable for a release"
    )
    minimum: Minimum = Minimum()
    alpha: float = Field(default=0.05, gt=0, le=0.2, description="level of the primary family")

    @property
    def stated_margin(self) -> float:
        """The margin; `check` refuses a section without one."""
        if self.margin is None:
            raise ValueError("check() refuses a section without a margin")
        return self.margin

    def score_names(self, known: Iterable[str]) -> tuple[str, ...]:
        """Return the scores in use, of those that the table has."""
        if self.scores is not None:
            return tuple(self.scores)
        return tuple(known) if self.score is None else (self.score,)

    def attributes(self, known: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """Return the attributes in use, each as its parts: one, or several that are crossed."""
        groups: Sequence[str | list[str]] = list(known) if self.groups is None else self.groups
        return tuple((one,) if isinstance(one, str) else tuple(one) for one in groups)


def shown(parts: Sequence[str]) -> str:
    """Return the name of an attribute, or of a group of it, from those of its parts."""
    return BETWEEN.join(parts)


def check(settings: FrameSettings, tables: Mapping[str, TableSettings]) -> Iterator[KeyFault]:
    """Yield what the manifest alone shows to be wrong with a ``frame`` section."""
    yield from _margin_faults(settings)
    yield from _primary_faults(settings)
    table = tables.get(settings.table)
    if table is None:
        yield unknown_name("table", settings.table, tables, key=("table",))
        return
    if table.label is None:
        what = f"table {settings.table!r} has no label, so no error can be counted"
        yield KeyFault(("table",), what, f"add tables.{settings.table}.label")
    elif isinstance(table.label, SurvivalLabel):
        what = f"the label of {settings.table!r} is a time to an event"
        yield KeyFault(("table",), what, "FRAME needs a binary label")
    yield from _score_faults(settings, table)
    yield from _threshold_faults(settings, table)
    yield from _group_faults(settings, table)


def _margin_faults(settings: FrameSettings) -> Iterator[KeyFault]:
    if settings.margin is None:
        mend = "state the largest gap without clinical consequence, such as margin: 0.05"
        yield KeyFault(("margin",), "no margin is given, so no gap can be called small", mend)
    elif not 0 < settings.margin < 1:
        mend = "write it in the metric's own unit, such as 0.05"
        yield KeyFault(("margin",), f"a margin of {settings.margin:g} is not in (0, 1)", mend)


def _primary_faults(settings: FrameSettings) -> Iterator[KeyFault]:
    if not settings.primary:
        yield KeyFault(("primary",), "no metric is named", choose_from(PRIMARY))
    for position, name in enumerate(settings.primary):
        key: Key = ("primary", position)
        if name not in PRIMARY:
            yield unknown_name("metric", name, PRIMARY, key=key)
        elif name in settings.primary[:position]:
            yield KeyFault(key, f"{name!r} is named twice", "name it once")
        elif name in AT_THRESHOLD and settings.threshold is None:
            yield KeyFault(key, f"{name} needs an operating point", "add threshold")


def _score_faults(settings: FrameSettings, table: TableSettings) -> Iterator[KeyFault]:
    if settings.score is not None and settings.scores is not None:
        yield KeyFault(("score",), "stands beside scores", "keep one of the two")
    if not table.scores:
        what = f"table {settings.table!r} has no scores"
        yield KeyFault(("table",), what, "add scores: {shown name: column} to it")
        return
    if settings.scores == []:
        yield KeyFault(("scores",), "no score is named", choose_from(table.scores))
    named: list[tuple[Key, str]] = [] if settings.score is None else [(("score",), settings.score)]
    named += [(("scores", at), name) for at, name in enumerate(settings.scores or ())]
    for key, name in named:
        if name not in table.scores:
            what = f"table {settings.table!r} has no score {name!r}"
            yield KeyFault(key, what, choose_from(table.scores, name))
    for at, name in enumerate(settings.scores or ()):
        if name in (settings.scores or ())[:at]:
            yield KeyFault(("scores", at), f"{name!r} is named twice", "name it once")


def _threshold_faults(settings: FrameSettings, table: TableSettings) -> Iterator[KeyFault]:
    value = settings.threshold
    if value is None or table.scale == "score" or 0 <= value <= 1:
        return
    percent = f"; {value:g} % is {value / 100:g}" if 1 < value <= 100 else ""
    what = f"threshold {value:g} is no probability{percent}"
    mend = "write it from 0 to 1, or declare the table's scale: score"
    yield KeyFault(("threshold",), what, mend)


def _group_faults(settings: FrameSettings, table: TableSettings) -> Iterator[KeyFault]:
    known = known_groups(table)
    if not known:
        what = f"table {settings.table!r} has no groups"
        yield KeyFault(("table",), what, f"add tables.{settings.table}.groups: [sex, …]")
        return
    if settings.groups == []:
        yield KeyFault(("groups",), "no attribute is named", choose_from(known))
    attributes = settings.attributes(known)
    yield from _attribute_faults(settings, table, known, attributes)
    yield from _feature_faults(settings, table, {name for parts in attributes for name in parts})
    names = [shown(parts) for parts in attributes]
    for key_name in ("reference", "required"):
        for name in getattr(settings, key_name):
            if name not in names:
                what = f"{name!r} is not an attribute of this section"
                yield KeyFault((key_name, name), what, choose_from(names, name))


def _attribute_faults(
    settings: FrameSettings,
    table: TableSettings,
    known: Sequence[str],
    attributes: Sequence[tuple[str, ...]],
) -> Iterator[KeyFault]:
    for at, parts in enumerate(attributes):
        nested = settings.groups is not None and isinstance(settings.groups[at], list)
        if nested and len(set(parts)) < 2:
            what = "an intersection needs two different attributes"
            yield KeyFault(("groups", at), what, "write [sex, age_band], or the name alone")
        for place, name in enumerate(parts):
            if name not in known:
                key: Key = ("groups", at, place) if nested else ("groups", at)
                what = f"{name!r} is not among the groups of table {settings.table!r}"
                yield KeyFault(key, what, _bins_hint(table, name) or choose_from(known, name))
        if shown(parts) == OVERALL:
            what = f"an attribute cannot be called {OVERALL!r}: that is the whole table"
            where: Key = ("table",) if settings.groups is None else ("groups", at)
            yield KeyFault(where, what, "rename the column in the file and in groups")
        if parts in attributes[:at]:
            yield KeyFault(("groups", at), f"{shown(parts)!r} stands here twice", "name it once")


def _feature_faults(
    settings: FrameSettings, table: TableSettings, names: Collection[str]
) -> Iterator[KeyFault]:
    """Yield a fault for every feature that is a group: it would tell the groups apart by itself."""
    train = table.train.features if table.train is not None else []
    lists: tuple[tuple[Key, object], ...] = (
        (("features",), table.features),
        (("train", "features"), train),
    )
    for below, features in lists:
        for at, name in enumerate(features if isinstance(features, list) else ()):
            if name in names and name not in table.bins_by_name:
                key: Key = ("tables", settings.table, *below, at)
                what = f"{name!r} is a group of section {settings.name}"
                yield KeyFault(key, what, "take it out of the features", absolute=True)


def _bins_hint(table: TableSettings, name: str) -> str:
    made = table.bins.get(name)
    return f"its bins are called {made.name!r}" if made is not None and made.name else ""


def known_groups(table: TableSettings) -> list[str]:
    """Return the attributes of a table: its groups, and those made by bins."""
    made = [bins.name or column for column, bins in table.bins.items()]
    return list(dict.fromkeys([*table.groups, *made]))


def check_inputs(settings: FrameSettings, inputs: Inputs) -> Iterator[KeyFault]:
    """Yield what the groups in the data show to be wrong with a ``frame`` section."""
    table = inputs.tables[settings.table]
    for at, parts in enumerate(settings.attributes(table.groups)):
        for name in parts:
            measured = numbers_for_groups(table, name)
            if measured:
                key: Key = ("table",) if settings.groups is None else ("groups", at)
                yield KeyFault(key, *measured)
    yield from _absent(settings, table)


def _absent(settings: FrameSettings, table: Table) -> Iterator[KeyFault]:
    """Yield a fault for every reference or required group that does not occur.

    A required group may be declared without rows: it is then there and not estimable.
    """
    for name, parts in {shown(p): p for p in settings.attributes(table.groups)}.items():
        if name not in settings.reference and not settings.required.get(name):
            continue  # nothing is asked of it, and looking at every row takes seconds
        present = present_groups(table, parts)
        declared = table.levels.get(name, ()) if len(parts) == 1 else ()
        reference = settings.reference.get(name)
        if reference is not None and reference not in present:
            what = f"no row of table {settings.table!r} has the {name} {reference!r}"
            yield KeyFault(("reference", name), what, _listed(present, reference))
        for at, group in enumerate(settings.required.get(name, ())):
            if group not in present and group not in declared:
                what = f"no row of table {settings.table!r} has the {name} {group!r}"
                mend = f"{_listed(present, group)}; or declare it in levels, to be shown with n = 0"
                yield KeyFault(("required", name, at), what, mend)


def present_groups(table: Table, parts: Sequence[str]) -> list[str]:
    """Return the groups of an attribute that occur in a table, sorted."""
    columns = [table.groups[part].tolist() for part in parts]
    rows = set(zip(*columns, strict=True))
    named = {shown([str(v) or MISSING_GROUP for v in row]) for row in rows}
    return sorted(named)


def _listed(present: Sequence[str], word: str) -> str:
    guess = choose_from(present, word)
    return guess.replace("known here:", "present:") if present else f"present: {few(present)}"
