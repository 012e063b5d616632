"""Mistakes of an integrity section that need no computing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from reportgen.errors import Key, KeyFault, choose_from, key_text, unknown_name
from reportgen.inputs import Inputs, TableSettings
from reportgen.inputs.images import ImageSet
from reportgen.sections.integrity.checks_evaluation import (
    check_evaluation,
    check_evaluation_inputs,
)
from reportgen.sections.integrity.near_rows import DIFFERENT, DUPLICATE
from reportgen.sections.integrity.settings import Detector, IntegritySettings
from reportgen.sections.integrity.splits import Between, in_order

SUB_AUDITS = (
    "near_duplicates",
    "duplicate_rows",
    "leakage",
    "label_agreement",
    "memorisation",
    "label_geometry",
    "class_names",
    "removal_effect",
    "evaluator",
    "classifier",
    "counting_heads",
    "pipeline",
    "class_map",
    "claims",
)
"""Keys of the sub-audits, in the order of the page."""
THRESHOLDS: dict[Detector, tuple[float, float, str]] = {
    "rms32": (0, 255, "grey levels, 0 to 255, such as 15"),
    "wdct": (-1, 1, "a cosine, −1 to 1, such as 0.6"),
}
VERDICT_COLUMNS = ("image", "twin", "verdict")
VERDICTS: Key = ("near_duplicates", "verdicts")
MOST_CELLS = 2
"""Faults of a list of verdicts that are told one by one."""


def check(settings: IntegritySettings, tables: Mapping[str, TableSettings]) -> Iterator[KeyFault]:
    """Yield the mistakes that the manifest alone shows."""
    yield from _detector_faults(settings)
    yield from _between_faults(settings)
    yield from _need_faults(settings)
    yield from _planned_faults(settings)
    yield from _table_faults(settings, tables)
    yield from check_evaluation(settings, tables)


def _detector_faults(settings: IntegritySettings) -> Iterator[KeyFault]:
    near = settings.near_duplicates
    if near is None:
        return
    key: Key = ("near_duplicates", "detectors")
    if not near.detectors:
        yield KeyFault(key, "no detector is named", "write {wdct: 0.6}, {rms32: 15} or both")
    for name, value in near.detectors.items():
        low, high, meaning = THRESHOLDS[name]
        if not low <= value <= high:
            what = f"{value:g} is no threshold of {name}"
            yield KeyFault((*key, name), what, f"write {meaning}")


def _betweens(settings: IntegritySettings) -> Iterator[tuple[Key, Between]]:
    """Yield the lists of pairs of splits with their keys."""
    if settings.near_duplicates is not None:
        yield ("near_duplicates", "between"), settings.near_duplicates.between
    if settings.leakage is not None:
        yield ("leakage", "between"), settings.leakage.between


def _between_faults(settings: IntegritySettings) -> Iterator[KeyFault]:
    for key, between in _betweens(settings):
        if between == "all":
            continue
        if not between:
            yield KeyFault(key, "no pair of splits is named", "write all, or [[train, test]]")
        for at, pair in enumerate(between):
            if len(pair) != 2:
                what = f"{len(pair)} splits where a pair is meant"
                yield KeyFault((*key, at), what, "write two: [train, test]")
            elif pair in between[:at]:
                yield KeyFault((*key, at), f"{pair[0]}, {pair[1]} stands twice", "name it once")
            elif key[0] == "leakage" and pair[0] == pair[1]:
                what = f"{pair[0]!r} is held against itself"
                yield KeyFault((*key, at), what, "name two different splits")


def _need_faults(settings: IntegritySettings) -> Iterator[KeyFault]:
    """Yield the sub-audits that were asked for without what they are about."""
    if settings.near_duplicates is not None and settings.images is None:
        yield _lacks("near_duplicates", "pictures", "add images: NAME to the section")
    if settings.leakage is not None:
        if settings.images is None and settings.leakage.table is None:
            mend = "add images: NAME to the section, or leakage: {table: NAME}"
            yield _lacks("leakage", "images or a table", mend)
        if not settings.leakage.by:
            mend = choose_from(("source", "unit", "site", "content", "date"))
            yield KeyFault(("leakage", "by"), "nothing to look for is named", mend)
    for name in ("label_agreement", "memorisation"):
        if getattr(settings, name) is not None and settings.near_duplicates is None:
            yield _lacks(name, "duplicate pairs", "add near_duplicates: {} to the section")
    for name in ("memorisation", "removal_effect", "evaluator"):
        if getattr(settings, name) is not None and settings.detections is None:
            yield _lacks(name, "boxes", "add detections: NAME to the section")


def _lacks(name: str, what: str, mend: str) -> KeyFault:
    return KeyFault((name,), f"{name} needs {what}, and the section names none", mend)


def _planned_faults(settings: IntegritySettings) -> Iterator[KeyFault]:
    for at, name in enumerate(settings.planned):
        key: Key = ("planned", at)
        if name not in SUB_AUDITS:
            yield unknown_name("sub-audit", name, SUB_AUDITS, key=key)
        elif name == "memorisation":
            yield KeyFault(key, "memorisation is always exploratory", "take it out of the list")
        elif name in settings.planned[:at]:
            yield KeyFault(key, f"{name!r} is named twice", "name it once")
        elif name != "class_names" and not getattr(settings, name):
            what = f"{name!r} was planned, and the section does not ask for it"
            yield KeyFault(key, what, f"add {name}, or take it out of the list")


def _table_faults(
    settings: IntegritySettings, tables: Mapping[str, TableSettings]
) -> Iterator[KeyFault]:
    if settings.duplicate_rows is not None:
        table = tables.get(settings.duplicate_rows.table)
        if table is not None and not table.features:
            what = f"table {settings.duplicate_rows.table!r} has no features to compare"
            yield KeyFault(("duplicate_rows", "table"), what, "add features to the table")
    if settings.classifier is not None and settings.classifier.table in tables:
        scores = tables[settings.classifier.table].scores
        if settings.classifier.score is None and len(scores) != 1:
            what = f"table {settings.classifier.table!r} has {len(scores)} scores"
            yield KeyFault(("classifier", "score"), what, "say which one: score: NAME")


def check_inputs(settings: IntegritySettings, inputs: Inputs) -> Iterator[KeyFault]:
    """Yield the mistakes that only the data show."""
    if settings.planned and inputs.plan is None:
        what = "sub-audits are said to be planned, and no analysis plan is pinned"
        yield KeyFault(("planned",), what, "add plan: {path: …, sha256: …} to the manifest")
    yield from check_evaluation_inputs(settings, inputs)
    images = inputs.images.get(settings.images or "")
    if images is None:
        return
    yield from _split_faults(settings, images)
    verdicts = inputs.lists.get((settings.name, key_text(VERDICTS)))
    if verdicts is not None:
        yield from _verdict_faults(verdicts, images)


def _split_faults(settings: IntegritySettings, images: ImageSet) -> Iterator[KeyFault]:
    known = in_order(images)
    for key, between in _betweens(settings):
        if between == "all":
            continue
        if images.split is None:
            what = f"the images {images.name!r} have no splits"
            yield KeyFault(key, what, f"add images.{images.name}.columns.split, or write all")
            continue
        for at, pair in enumerate(between):
            for place, name in enumerate(pair):
                if name not in known:
                    yield unknown_name("split", name, known, key=(*key, at, place))


def _verdict_faults(
    verdicts: Mapping[str, tuple[str, ...]], images: ImageSet
) -> Iterator[KeyFault]:
    lacking = [name for name in VERDICT_COLUMNS if name not in verdicts]
    if lacking:
        what = f"the verdicts have no column {', '.join(map(repr, lacking))}"
        yield KeyFault(VERDICTS, what, f"name the columns {', '.join(VERDICT_COLUMNS)}")
        return
    for found in _cell_faults(verdicts, images.ids.tolist()):
        named = len(found) if len(found) <= MOST_CELLS + 1 else MOST_CELLS
        for row, what, mend in found[:named]:
            yield KeyFault(VERDICTS, f"row {row}: {what}", mend())
        if found[named:]:
            rest = [row for row, _what, _mend in found[named:]]
            what = f"… and {len(rest)} more rows likewise, from row {rest[0]} to row {rest[-1]}"
            yield KeyFault(VERDICTS, what, "mend them likewise", count=len(rest))


def _cell_faults(
    verdicts: Mapping[str, tuple[str, ...]], ids: Sequence[str]
) -> Iterator[list[tuple[int, str, Callable[[], str]]]]:
    """Yield the mistakes of each column: row counted from 1, what, and a call that says the mend.

    The nearest of many names takes long to find, and the first mistakes are shown alone.
    """
    known = set(ids)
    for column in ("image", "twin"):
        yield [
            (
                row,
                f"column {column!r} names no image of the set: {name!r}",
                partial(choose_from, ids, name),
            )
            for row, name in enumerate(verdicts[column], start=1)
            if name not in known
        ]
    yield [
        (row, f"{verdict!r} is no verdict", lambda: f"write {DUPLICATE} or {DIFFERENT}")
        for row, verdict in enumerate(verdicts["verdict"], start=1)
        if verdict.strip().casefold() not in (DUPLICATE, DIFFERENT)
    ]
