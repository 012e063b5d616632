"""The flagged pairs one by one: compared at full resolution, with what reviewers said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from reportgen.inputs.images import ImageSet
from reportgen.language import mark
from reportgen.sections.integrity.near_search import Search, oriented
from reportgen.sections.integrity.records import share_of
from reportgen.sections.integrity.result_partition import PairRow, ReviewRow
from reportgen.sections.integrity.splits import SplitPair
from reportgen.stats.duplicates import SYMMETRIES, compare_full

FULL_RMS = 22.0
FULL_R = 0.5
"""Verified means an RMS of at most 22 grey levels and a correlation of at least .5 (methods §4):
flat pictures have a small RMS and no correlation."""
MOST_VERIFIED = 20_000
"""Pairs of a detector compared at full resolution, the nearest ones: it takes reading the files."""
PICTURES_HELD = 256

DUPLICATE, DIFFERENT, DISPUTED = "duplicate", "different", "disputed"
Verdicts = Mapping[tuple[str, str], str]


@dataclass(frozen=True)
class Flagged:
    """A flagged pair with its positions in the set, for those that need the pictures."""

    row: PairRow
    image: int
    twin: int
    symmetry: int
    distance: float


def flagged_pairs(
    search: Search, images: ImageSet, pairs: Sequence[SplitPair], verdicts: Verdicts
) -> tuple[Flagged, ...]:
    """Return the pairs at the manifest's threshold, nearest first, then by ids.

    Parameters
    ----------
    search : Search
    images : ImageSet
    pairs : sequence of SplitPair
        Only pairs of these splits; of all images if empty.
    verdicts : mapping of (id, id) to verdict
        Ids of a pair in ascending order.
    """
    load = lru_cache(maxsize=PICTURES_HELD)(images.load)
    cluster = _cluster_numbers(search)
    found = sorted(
        _oriented(search, pairs),
        key=lambda one: (one[3], images.ids[one[0]], images.ids[one[1]]),
    )
    result = []
    for at, (image, twin, symmetry, distance) in enumerate(found):
        full = (
            compare_full(load(image), load(twin), symmetry) if at < MOST_VERIFIED else (None, None)
        )
        names = str(images.ids[image]), str(images.ids[twin])
        row = PairRow(
            names[0],
            names[1],
            _split(images, image),
            _split(images, twin),
            search.detector,
            SYMMETRIES[symmetry],
            distance if search.detector == "rms32" else None,
            None if search.detector == "rms32" else 1 - distance,
            full[0],
            full[1],
            verified(full[0], full[1]),
            verdicts.get((min(names), max(names))),
            int(cluster[image]),
        )
        result.append(Flagged(row, image, twin, symmetry, distance))
    return tuple(result)


def _oriented(search: Search, pairs: Sequence[SplitPair]) -> Iterator[tuple[int, int, int, float]]:
    """Yield image, twin, symmetry and distance of each flagged pair, each pair once."""
    hits = search.found
    taken = np.zeros(len(hits), dtype=bool)
    for pair in pairs or (None,):
        found = oriented(hits, pair, len(search.comparable))
        fresh = ~taken[found.hit]
        taken[found.hit] = True
        columns = found.image, found.twin, found.symmetry, found.distance
        yield from zip(*(column[fresh].tolist() for column in columns), strict=True)


def verified(rms: float | None, r: float | None) -> bool | None:
    """Return whether a comparison at full resolution confirms a pair; None if none was made."""
    if rms is None:
        return None
    return rms <= FULL_RMS and r is not None and r >= FULL_R


def _split(images: ImageSet, at: int) -> str | None:
    return str(images.split[at]) or None if images.split is not None else None


def _cluster_numbers(search: Search) -> NDArray[np.intp]:
    """Return the number of each image's cluster, from 1 in the order of first members; 0 alone."""
    code = search.cluster
    shared = np.bincount(code, minlength=1) > 1
    return np.where(shared[code], np.cumsum(shared)[code], 0).astype(np.intp)


def read_verdicts(lists: Mapping[str, tuple[str, ...]] | None) -> Verdicts:
    """Return the verdict on each pair of ids; where reviewers disagree it is "disputed".

    Parameters
    ----------
    lists : mapping of column to cells, or None
        With the columns image, twin, verdict.
    """
    result: dict[tuple[str, str], str] = {}
    if lists is None:
        return result
    for image, twin, verdict in zip(lists["image"], lists["twin"], lists["verdict"], strict=True):
        key, word = (min(image, twin), max(image, twin)), verdict.strip().casefold()
        if word in (DUPLICATE, DIFFERENT):
            result[key] = word if result.get(key, word) == word else DISPUTED
    return result


def reviewed(detector: str, rows: Sequence[PairRow], *, confidence: float) -> ReviewRow:
    """Return the share of the reviewed pairs that are duplicates; disputed ones aside."""
    verdicts = [row.verdict for row in rows]
    k = verdicts.count(DUPLICATE)
    n = k + verdicts.count(DIFFERENT)
    of = mark("reviewed pair without dispute")
    precision = share_of(k, n, confidence=confidence, of=of)
    return ReviewRow(detector, n, k, precision, verdicts.count(DISPUTED))
