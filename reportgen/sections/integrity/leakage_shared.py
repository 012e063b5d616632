"""What images of two splits share: sources, patients, sites, pixels, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark
from reportgen.sections.integrity.joined import NO_LABEL, ImageLabels
from reportgen.sections.integrity.records import MOST_ROWS, counted, share_of
from reportgen.sections.integrity.result_partition import LeakRow
from reportgen.sections.integrity.splits import SplitPair
from reportgen.wording import between, clauses, fixed
from reportgen.wording import day as day_written

TextArray = NDArray[np.object_]
BoolArray = NDArray[np.bool_]
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
ALL = mark("all")
BY = (mark("source"), mark("unit"), mark("site"), mark("content"), mark("date"))
COPIES = mark("augmented copies")
"""What splits can share: codes in the results."""


@dataclass(frozen=True)
class Shared:
    """Values that both splits have.

    Attributes
    ----------
    known : (n,) bool array
        Images of the second split with a value.
    hit : (n,) bool array
        Of those the ones whose value the first split has too.
    named : tuple of text
        The shared values, sorted.
    """

    known: BoolArray
    hit: BoolArray
    named: tuple[str, ...]


def shared_values(values: TextArray, pair: SplitPair) -> Shared:
    """Return which images of the second split have a value that the first has as well.

    An image without a value shares it with none: two unknown patients are two patients.
    """
    first = {value for value in values[pair.first_at] if value}
    second = values[pair.second_at]
    known = np.array([bool(value) for value in second], dtype=bool)
    hit = np.array([value in first for value in second], dtype=bool)
    return Shared(known, hit, tuple(sorted(set(second[hit]))))


def rows_by_value(
    by: str,
    values: TextArray,
    pair: SplitPair,
    *,
    labels: ImageLabels | None,
    confidence: float,
    named_by: TextArray | None = None,
) -> tuple[LeakRow, ...]:
    """Return the share of the second split's images that share a value, over all and by class.

    Parameters
    ----------
    by : str
        What is shared, as in `LeakRow`.
    values : (n,) object array
        Of every image of the set, "" where missing.
    pair : SplitPair
    labels : ImageLabels or None
        Rows by class are added where there are at least two classes.
    confidence : float
    named_by : (n,) object array, optional
        What to name in place of the values, where these are digests: the images' ids.
    """
    found = shared_values(values, pair)
    missing = int(np.count_nonzero(~found.known))
    note = without(counted(missing, "image"), by) if missing else ""
    second = values[pair.second_at]
    called = second if named_by is None else named_by[pair.second_at]

    def row(of: str, among: BoolArray, note: str = "") -> LeakRow:
        hit = found.hit & among
        k, n = int(np.count_nonzero(hit)), int(np.count_nonzero(among))
        of_what = _("image with a {by}").format(by=_(by))
        share = share_of(k, n, confidence=confidence, of=of_what)
        named = tuple(sorted(set(called[hit])))[:MOST_ROWS]
        return LeakRow(
            by, pair.first, pair.second, of, k, n, share, len(set(second[hit])), named, note
        )

    rows = [row(ALL, found.known, note)]
    rows.extend(row(name, member & found.known) for name, member in _classes(labels, pair))
    return tuple(one for one in rows if one.of == ALL or one.n)


def without(counted_rows: str, by: str) -> str:
    """Return how many images or rows were left out because they lack something."""
    return _("{rows} without a {by} left out").format(rows=counted_rows, by=_(by))


def _classes(labels: ImageLabels | None, pair: SplitPair) -> Iterator[tuple[str, BoolArray]]:
    """Yield each class with the images of the second split that have it, the unlabelled last."""
    if labels is None:
        return
    sets = [labels.sets[at] for at in pair.second_at]
    names = labels.names
    unlabelled = np.array([one is not None and not one for one in sets], dtype=bool)
    if len(names) + bool(unlabelled.any()) < 2:
        return
    for name in names:
        yield name, np.array([one is not None and name in one for one in sets], dtype=bool)
    if unlabelled.any():
        yield NO_LABEL, unlabelled


def copies_row(images: ImageSet, pair: SplitPair, *, confidence: float) -> LeakRow | None:
    """Return how sources with several images were split, None if every source has one image.

    `n` are the images of the second split whose source has several images in the set, `k` those of
    them with another copy in the first split: where sources were split before their copies were
    made, k is 0.
    """
    source = images.source
    if source is None:
        return None
    names, count = np.unique([name for name in source if name], return_counts=True)
    several = {str(name) for name, many in zip(names, count, strict=True) if many > 1}
    if not several:
        return None
    copies = np.array([name if name in several else "" for name in source], dtype=object)
    found = shared_values(copies, pair)
    k, n = int(np.count_nonzero(found.hit)), int(np.count_nonzero(found.known))
    least, most = int(count[count > 1].min()), int(count.max())
    each = str(most) if least == most else between(str(least), str(most))
    note = _("{k} of {sources} have several images, {each} each").format(
        k=fixed(len(several), 0), sources=counted(len(names), "source"), each=each
    )
    of = mark("image of a source with several")
    share = share_of(k, n, confidence=confidence, of=of)
    return LeakRow(
        COPIES,
        pair.first,
        pair.second,
        ALL,
        k,
        n,
        share,
        len(found.named),
        found.named[:MOST_ROWS],
        note,
    )


BEFORE = mark("before the first day")
DURING = mark("from the first day on, before the last")
SAME = mark("on the last day")
AFTER = mark("after the last day")


def date_rows(acquired: TextArray, pair: SplitPair, *, confidence: float) -> tuple[LeakRow, ...]:
    """Return how the days of the second split lie to those of the first.

    The row of "all" counts the images taken before the first split's last day; a day that both have
    as the last is no overlap. The other rows take the images apart, so that their counts add up.
    Empty if a split has no day at all.
    """
    first, second = _days(acquired[pair.first_at]), _days(acquired[pair.second_at])
    known = sorted(day for day in first if day)
    days = [day for day in second if day]
    if not known or not days:
        return ()
    low, high = known[0], known[-1]
    parts = {
        BEFORE: sum(day < low for day in days),
        DURING: sum(low <= day < high for day in days),
        SAME: sum(day == high for day in days),
        AFTER: sum(day > high for day in days),
    }
    n = len(days)
    note = _("{split} runs from {low} to {high}").format(
        split=pair.first, low=day_written(low), high=day_written(high)
    )
    left = len(second) - n
    if left:
        note = clauses([note, without(counted(left, "image"), "date")])
    counts = {ALL: parts[BEFORE] + parts[DURING], **parts}
    return tuple(
        LeakRow(
            "date",
            pair.first,
            pair.second,
            of,
            k,
            n,
            share_of(k, n, confidence=confidence),
            len({day for day in days if day < high}) if of == ALL else 0,
            (),
            note if of == ALL else "",
        )
        for of, k in counts.items()
    )


def _days(values: Sequence[str] | TextArray) -> list[str]:
    """Return the day of each date or date and time, "" where there is none."""
    met = [DAY.match(str(value)) for value in values]
    return ["" if one is None else one.group() for one in met]
