"""Settings of a decision curve section, and what the manifest alone shows to be wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pydantic import Field

from reportgen.errors import Key, KeyFault, choose_from, unknown_name
from reportgen.inputs import TableSettings
from reportgen.language import _
from reportgen.sections.dca.result import BETTER_DEFAULT, TREAT_ALL, TREAT_NONE
from reportgen.settings import DecimalNumber, Prevalence, SectionSettings, Settings

RESERVED = (TREAT_ALL, TREAT_NONE, BETTER_DEFAULT)
MOST_THRESHOLDS = 1000


class Thresholds(Settings):
    """The threshold probabilities, as a grid or as a list, and who chose them and why."""

    from_: DecimalNumber | None = Field(default=None, alias="from")
    to: DecimalNumber | None = None
    step: DecimalNumber | None = None
    values: list[DecimalNumber] | None = None
    owner: str | None = Field(default=None, description="who chose the range")
    reason: str | None = Field(default=None, description="why this range")


class DcaSettings(SectionSettings):
    """Settings of a ``dca`` section."""

    kind: Literal["dca"]
    table: str
    scores: list[str] | None = Field(default=None, description="shown names; all if absent")
    thresholds: Thresholds | list[DecimalNumber]
    harm: dict[str, float] = Field(default={}, description="net true positives per row")
    prevalence: Prevalence | None = None


@dataclass(frozen=True)
class Grid:
    """The thresholds a section uses.

    Attributes
    ----------
    values : tuple of float
        Ascending, distinct, in [0, 1); each the float nearest to the decimal that was typed.
    notes : tuple of str
        What was changed on the way.
    owner, reason : str or None
        Who chose them and why.
    """

    values: tuple[float, ...]
    notes: tuple[str, ...]
    owner: str | None
    reason: str | None


def check(settings: DcaSettings, tables: Mapping[str, TableSettings]) -> Iterable[KeyFault]:
    """Yield what the manifest alone shows to be wrong with a ``dca`` section."""
    yield from threshold_faults(settings.thresholds)
    table = tables.get(settings.table)
    if table is None:
        yield unknown_name("table", settings.table, tables, key=("table",))
        return
    if table.label is None:
        mend = "add label: {column, positive} (or time, event, positive and at) to it"
        yield KeyFault(("table",), f"table {settings.table!r} has no label", mend)
    if table.scale == "score":
        what = f"the scores of table {settings.table!r} are declared to rank only (scale: score)"
        mend = "net benefit needs probabilities: name calibrated scores, with scale: probability"
        yield KeyFault(("table",), what, mend)
    yield from _score_faults(settings, table)
    yield from _harm_faults(settings, table)


def _score_faults(settings: DcaSettings, table: TableSettings) -> Iterator[KeyFault]:
    for name in _in_use(settings, table):
        if name in table.scores and name.strip().casefold() in RESERVED:
            key: Key = ("tables", settings.table, "scores", name)  # where it is given that name
            what = f"{name!r} is the name of a default strategy"
            yield KeyFault(key, what, "show the score under another name", absolute=True)
    if not table.scores:
        what = f"table {settings.table!r} has no scores"
        yield KeyFault(("table",), what, "add scores: {shown name: column} to it")
        return
    if settings.scores is not None and not settings.scores:
        yield KeyFault(("scores",), "no score is named", choose_from(table.scores))
    for position, name in enumerate(settings.scores or ()):
        if name not in table.scores:
            what = f"table {settings.table!r} has no score {name!r}"
            yield KeyFault(("scores", position), what, choose_from(table.scores, name))
        elif name in (settings.scores or ())[:position]:
            yield KeyFault(("scores", position), f"{name!r} is named twice", "name it once")


def _harm_faults(settings: DcaSettings, table: TableSettings) -> Iterator[KeyFault]:
    names = _in_use(settings, table)
    for name, harm in settings.harm.items():
        if name not in names:
            yield unknown_name("score in use", name, names, key=("harm", name))
        if not 0 <= harm < 1:
            what = f"a harm of {harm:g} does not lie in [0, 1)"
            mend = "write it in true positives per row: 0.01 is one in a hundred rows"
            yield KeyFault(("harm", name), what, mend)


def _in_use(settings: DcaSettings, table: TableSettings) -> list[str]:
    return list(table.scores) if settings.scores is None else settings.scores


def threshold_faults(thresholds: Thresholds | list[DecimalNumber]) -> Iterator[KeyFault]:
    """Yield what is wrong with the thresholds, keys relative to the section."""
    faults = list(_form_faults(thresholds))
    if not faults:
        faults = [fault for key, value in _typed(thresholds) for fault in _range_fault(key, value)]
    if not faults and not read_thresholds(thresholds).values:
        what = "no threshold below 1 is left"
        faults = [KeyFault(("thresholds",), what, "write numbers in [0, 1), such as 0.05")]
    yield from faults


def _form_faults(thresholds: Thresholds | list[DecimalNumber]) -> Iterator[KeyFault]:
    key: Key = ("thresholds",)
    if isinstance(thresholds, list):
        if not thresholds:
            yield KeyFault(key, "the list is empty", "write numbers in [0, 1), such as 0.05")
        return
    grid = (thresholds.from_, thresholds.to, thresholds.step)
    if thresholds.values is not None:
        if any(part is not None for part in grid):
            yield KeyFault(key, "both values and from, to, step are given", "keep one of them")
        if not thresholds.values:
            yield KeyFault((*key, "values"), "the list is empty", "write numbers in [0, 1)")
        return
    missing = [
        name for name, part in zip(("from", "to", "step"), grid, strict=True) if part is None
    ]
    if missing:
        what = f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        yield KeyFault(key, what, "write {from: 0.05, to: 0.5, step: 0.01} or {values: [0.1, 0.2]}")
        return
    yield from _grid_faults(*(part for part in grid if part is not None))


def _grid_faults(start: Decimal, stop: Decimal, step: Decimal) -> Iterator[KeyFault]:
    key: Key = ("thresholds",)
    if step <= 0:
        yield KeyFault((*key, "step"), f"a step of {step} leads nowhere", "write one above 0")
    elif start > stop:
        yield KeyFault(key, f"from {start} lies above to {stop}", "swap them")
    elif (stop - start) / step > MOST_THRESHOLDS:
        what = f"a step of {step} gives more than {MOST_THRESHOLDS} thresholds"
        yield KeyFault((*key, "step"), what, "write a larger one, such as 0.01")


def _typed(thresholds: Thresholds | list[DecimalNumber]) -> Iterator[tuple[Key, Decimal]]:
    """Yield the numbers as typed, with their keys."""
    if isinstance(thresholds, list):
        yield from ((("thresholds", i), value) for i, value in enumerate(thresholds))
    elif thresholds.values is not None:
        yield from ((("thresholds", "values", i), v) for i, v in enumerate(thresholds.values))
    else:
        for name, value in (("from", thresholds.from_), ("to", thresholds.to)):
            if value is not None:
                yield ("thresholds", name), value


def _range_fault(key: Key, value: Decimal) -> Iterator[KeyFault]:
    if 0 <= value <= 1:
        return
    what = f"threshold {value} does not lie in [0, 1)"
    percent = (value / 100).normalize()
    looks = 1 < value <= 100
    mend = f"{value} looks like percent: {percent:f}" if looks else "write a probability"
    yield KeyFault(key, what, mend)


def read_thresholds(thresholds: Thresholds | list[DecimalNumber]) -> Grid:
    """Return the thresholds in use; `threshold_faults` must have found nothing.

    Steps are added as decimals, so that 0.05 + 5 * 0.01 is 0.1, and each sum becomes the nearest
    float once: a score printed as 0.1 equals it.
    """
    owner, reason = None, None
    if isinstance(thresholds, Thresholds):
        owner, reason = thresholds.owner, thresholds.reason
    listed, notes = _listed(thresholds)
    distinct = sorted(set(listed))
    if len(distinct) < len(listed):
        text = _("{repeated} repeated thresholds were left out")
        notes.append(text.format(repeated=len(listed) - len(distinct)))
    if listed != sorted(listed):
        notes.append(_("the thresholds were put in ascending order"))
    if distinct and distinct[-1] == 1:
        distinct.pop()
        notes.append(_("threshold 1 was left out: a false positive would weigh infinitely there"))
    return Grid(tuple(map(float, distinct)), tuple(notes), owner, reason)


def _listed(thresholds: Thresholds | list[DecimalNumber]) -> tuple[list[Decimal], list[str]]:
    if isinstance(thresholds, list):
        return list(thresholds), []
    if thresholds.values is not None:
        return list(thresholds.values), []
    start, stop, step = thresholds.from_, thresholds.to, thresholds.step
    if start is None or stop is None or step is None:
        raise ValueError("thresholds need values, or from, to and step")
    grid = [start + k * step for k in range(int((stop - start) // step) + 1)]
    if grid[-1] == stop:
        return grid, []
    text = _("steps of {step} from {start} end at {last}, before {stop}")
    return grid, [text.format(step=step, start=start, last=grid[-1], stop=stop)]
