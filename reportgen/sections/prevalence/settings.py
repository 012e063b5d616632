"""What a prevalence section can be told, and what the manifest alone shows to be wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Literal

from pydantic import Field

from reportgen.errors import KeyFault, choose_from, unknown_name
from reportgen.inputs import SurvivalLabel, TableSettings
from reportgen.settings import CountOf, DecimalNumber, Prevalence, SectionSettings


class PrevalenceSettings(SectionSettings):
    """Settings of a ``prevalence`` section: a table with a score, or published figures."""

    kind: Literal["prevalence"]
    table: str | None = None
    score: str | None = None
    threshold: DecimalNumber | None = None
    thresholds: list[DecimalNumber] | None = None
    sensitivity: CountOf | float | None = None
    specificity: CountOf | float | None = None
    unlabelled: str | None = Field(default=None, description="a table without labels")
    prevalences: list[Prevalence] = Field(min_length=1)

    @property
    def all_thresholds(self) -> tuple[Decimal, ...]:
        """The stated thresholds, in order; none for published figures without one."""
        if self.thresholds is not None:
            return tuple(self.thresholds)
        return () if self.threshold is None else (self.threshold,)


def check(settings: PrevalenceSettings, tables: Mapping[str, TableSettings]) -> Iterable[KeyFault]:
    """Yield what the manifest alone shows to be wrong with a ``prevalence`` section."""
    published = settings.sensitivity is not None or settings.specificity is not None
    if settings.table is None and settings.score is None and not published:
        yield KeyFault(
            (),
            "neither a table nor published figures",
            "give table and score, or sensitivity and specificity",
        )
    elif settings.table is not None or settings.score is not None:
        yield from _check_table(settings, tables)
    else:
        yield from _check_published(settings)
    yield from _check_unlabelled(settings, tables)
    yield from _check_lists(settings)


def score_name(settings: PrevalenceSettings, table: TableSettings) -> str | None:
    """Return the score a section uses: the named one, else the only one of its table."""
    if settings.score is not None:
        return settings.score
    return next(iter(table.scores)) if len(table.scores) == 1 else None


def _check_table(
    settings: PrevalenceSettings, tables: Mapping[str, TableSettings]
) -> Iterator[KeyFault]:
    for name in ("sensitivity", "specificity"):
        if getattr(settings, name) is not None:
            yield KeyFault((name,), "stands beside a table", "give a table or published figures")
    if settings.threshold is None and settings.thresholds is None:
        yield KeyFault((), "no threshold for the table's score", "add threshold or thresholds")
    if settings.table is None:
        yield KeyFault(("score",), "a score without a table", "add table")
        return
    if settings.table not in tables:
        yield unknown_name("table", settings.table, tables, key=("table",))
        return
    table = tables[settings.table]
    yield from _check_label(settings.table, table)
    if settings.score is not None and settings.score not in table.scores:
        yield unknown_name("score", settings.score, table.scores, key=("score",))
    elif score_name(settings, table) is None:
        yield KeyFault(
            ("table",), f"{settings.table!r} has {len(table.scores)} scores", "name one in score"
        )
    if table.scale != "score":
        yield from _check_probabilities(settings, table)


def _check_label(name: str, table: TableSettings) -> Iterator[KeyFault]:
    if table.label is None:
        yield KeyFault(("table",), f"{name!r} declares no label", f"add tables.{name}.label")
    elif isinstance(table.label, SurvivalLabel):
        yield KeyFault(
            ("table",),
            f"the label of {name!r} is a time to an event",
            "prevalence tables need a binary label; use dca for time-to-event outcomes",
        )


def _check_probabilities(settings: PrevalenceSettings, table: TableSettings) -> Iterator[KeyFault]:
    for key, value in _threshold_keys(settings):
        if not 0 <= value <= 1:
            percent = " (percent are divided by 100)" if table.scale == "percent" else ""
            yield KeyFault(
                key,
                f"{value} is no probability{percent}",
                "give a threshold from 0 to 1, or declare the table's scale: score",
            )


def _threshold_keys(
    settings: PrevalenceSettings,
) -> list[tuple[tuple[str | int, ...], Decimal]]:
    if settings.thresholds is not None:
        return [(("thresholds", at), value) for at, value in enumerate(settings.thresholds)]
    return [] if settings.threshold is None else [(("threshold",), settings.threshold)]


def _check_published(settings: PrevalenceSettings) -> Iterator[KeyFault]:
    for name in ("sensitivity", "specificity"):
        value: CountOf | float | None = getattr(settings, name)
        if value is None:
            yield KeyFault((), f"{name} is missing beside its twin", f"add {name}")
        elif isinstance(value, CountOf):
            if value.k > value.n:
                yield KeyFault((name, "k"), f"{value.k} of {value.n}", "k counts some of the n")
        elif not 0 <= value <= 1:
            percent = f"; {value:g} % is {value / 100:g}" if 1 < value <= 100 else ""
            yield KeyFault(
                (name,), f"{value:g} does not lie from 0 to 1{percent}", "give a share or {k, n}"
            )
    if len(settings.all_thresholds) > 1:
        yield KeyFault(
            ("thresholds",),
            f"{len(settings.all_thresholds)} thresholds for one published pair of figures",
            "give the one they were measured at, and a section for each further pair",
        )


def _check_unlabelled(
    settings: PrevalenceSettings, tables: Mapping[str, TableSettings]
) -> Iterator[KeyFault]:
    name = settings.unlabelled
    if name is None:
        return
    labelled = None if settings.table is None else tables.get(settings.table)
    if settings.table is None:
        yield KeyFault(
            ("unlabelled",),
            "an unlabelled table needs a labelled one",
            "add table and score, or take unlabelled out",
        )
    if name not in tables:
        yield unknown_name("table", name, tables, key=("unlabelled",))
    elif name == settings.table:
        yield KeyFault(("unlabelled",), "is the labelled table itself", "name another table")
    elif labelled is not None:
        yield from _check_match(settings, labelled, name, tables[name])


def _check_match(
    settings: PrevalenceSettings, labelled: TableSettings, name: str, other: TableSettings
) -> Iterator[KeyFault]:
    score = score_name(settings, labelled)
    if score is not None and score in labelled.scores and score not in other.scores:
        yield KeyFault(
            ("unlabelled",), f"{name!r} has no score {score!r}", choose_from(other.scores, score)
        )
    if (labelled.scale == "score") != (other.scale == "score"):
        yield KeyFault(
            ("unlabelled",),
            f"scale {other.scale} here, {labelled.scale} in {settings.table!r}",
            "declare one scale for both",
        )


def _check_lists(settings: PrevalenceSettings) -> Iterator[KeyFault]:
    if settings.threshold is not None and settings.thresholds is not None:
        yield KeyFault(("threshold",), "stands beside thresholds", "keep one of the two")
    if settings.thresholds == []:
        yield KeyFault(("thresholds",), "is empty", "give at least one threshold")
    yield from _check_repeats("thresholds", settings.thresholds or [])
    yield from _check_repeats("prevalences", settings.prevalences)


def _check_repeats(key: str, values: Sequence[Decimal] | Sequence[float]) -> Iterator[KeyFault]:
    for at, value in enumerate(values):
        if value in values[:at]:
            yield KeyFault((key, at), f"{value} stands here twice", "keep one")
