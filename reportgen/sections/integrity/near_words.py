"""What is said of near duplicates: one set of facts a detector and two splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.inputs.images import ImageSet
from reportgen.sections.integrity.near_search import SMALL, Search
from reportgen.sections.integrity.records import (
    MOST_ROWS,
    Facts,
    counted,
    independence_grade,
    written_share,
)
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_partition import (
    AllPairsCount,
    DetectorRow,
    PairCount,
    PairRow,
    ReviewRow,
)
from reportgen.sections.integrity.splits import SplitPair
from reportgen.wording import MUCH_LEFT_OUT, number, percent, quoted, typed

CHECK = "near_duplicates"
WHY_LOWER_BOUND = (
    "crops, small rotations, changes of colour and other photographs of the same patient are not"
    " looked for, and a detector misses strongly augmented copies"
)
LIMITS = (
    "A count is the detector's: pairs that no one has looked at may be no duplicates, and those"
    " that it misses are not counted. That none is found does not show that there is none."
)


def rule(detector: str, threshold: float) -> str:
    """Return a detector with its threshold: "wdct, similarity ≥ 0.6"."""
    sign = "RMS ≤" if detector == "rms32" else "similarity ≥"
    return f"{detector}, {sign} {typed(threshold)}"


def split_facts(
    search: Search, pair: SplitPair, count: PairCount, more: Sequence[PairCount], rows: Rows
) -> Facts:
    """Return what one detector found between two splits, or within one.

    Parameters
    ----------
    search : Search
    pair : SplitPair
    count : PairCount
        At the manifest's threshold.
    more : sequence of PairCount
        At the other thresholds.
    rows : sequence of PairRow
        Nearest first.
    """
    code = "INT-002" if pair.within else "INT-001"
    where = f"within {quoted(pair.first)}"
    if not pair.within:
        where = f"of {quoted(pair.first)} in {quoted(pair.second)}"
    title = f"Near duplicates {where} by {search.detector}"
    if not count.n:
        reason = f"{search.detector} can compare no image of {quoted(pair.second)}"
        return Facts(code, CHECK, "partition", title, reason, "not testable")
    twins = "there" if pair.within else f"in {quoted(pair.first)}"
    statement = (
        f"{'At least ' if count.k else ''}{written_share(count.k, count.n, count.share)} images of"
        f" {quoted(pair.second)} have a near duplicate {twins}"
        f" ({rule(search.detector, search.threshold)})"
    )
    parts = [statement, *(_details(count) if count.k else ()), _sensitivity(more)]
    grade: Grade = "info" if pair.within else independence_grade(count.k, count.n)
    return Facts(
        code,
        CHECK,
        "partition",
        title,
        f"{'; '.join(parts)}.",
        "found" if count.k else "not found",
        grade if count.k else None,
        count.k,
        count.n,
        lower_bound_reason=WHY_LOWER_BOUND,
        affected_claim=f"That {counted(count.n, 'image')} of {quoted(pair.second)} are"
        " independent observations"
        if pair.within
        else f"Every figure on {quoted(pair.second)} that takes it to be independent of"
        f" {quoted(pair.first)}",
        remedy=_REMEDY[pair.within] if count.k else "",
        evidence=_evidence(rows, pair),
        limits=LIMITS,
        summary=f"{pair.name}, {search.detector}: {'at least ' if count.k else ''}"
        f"{written_share(count.k, count.n)} images",
    )


Rows = Sequence[PairRow]
_REMEDY = {
    False: "Look at the pairs; take duplicates out of training or evaluation, and train again.",
    True: "Count clusters, not images, where an interval is made.",
}


def _details(count: PairCount) -> Iterator[str]:
    yield (
        f"{count.fixed_alignment:,} of them as they lie, {count.other_alignment:,} only after a"
        f" flip or rotation; {counted(count.pairs, 'pair')} in {counted(count.clusters, 'cluster')}"
    )
    if count.instances_n:
        share = percent((count.instances_k or 0) / count.instances_n)
        yield f"they carry {count.instances_k:,} of {count.instances_n:,} boxes ({share})"


def _sensitivity(more: Sequence[PairCount]) -> str:
    counts = [f"{row.k:,} at {typed(row.threshold)}" for row in more]
    return f"at other thresholds {' and '.join(counts)}"


def _evidence(rows: Sequence[PairRow], pair: SplitPair | None) -> list[str]:
    chosen = [
        row
        for row in rows
        if pair is None or (row.split == pair.second and row.twin_split == pair.first)
    ]
    return [_pair_text(row) for row in chosen[:MOST_ROWS]]


def _pair_text(row: PairRow) -> str:
    measure = (
        f"RMS {number(row.rms)}" if row.rms is not None else f"similarity {row.similarity or 0:.3f}"
    )
    full = "" if row.full_r is None else f", r = {row.full_r:.2f} at full resolution"
    return f"{row.image} ~ {row.twin}: {measure}, {row.symmetry}{full}"


def all_facts(
    search: Search, counts: Sequence[AllPairsCount], rows: Sequence[PairRow], n: int
) -> Facts:
    """Return what one detector found among images without splits."""
    at, *others = counts
    more = " and ".join(f"{row.pairs:,} at {typed(row.threshold)}" for row in others)
    found = at.pairs > 0
    statement = (
        f"{'At least ' if found else ''}{counted(at.pairs, 'pair')} of near duplicates among"
        f" {counted(n, 'image')} ({rule(search.detector, search.threshold)}), on"
        f" {counted(at.images, 'image')} in {counted(at.clusters, 'cluster')};"
        f" {at.fixed_alignment:,} as they lie; at other thresholds {more}. The images have no"
        " splits: whether a pair breaks the independence of an evaluation is not known."
    )
    return Facts(
        "INT-006",
        CHECK,
        "partition",
        f"Near duplicates among all images by {search.detector}",
        statement,
        "found" if found else "not found",
        "info" if found else None,
        at.images,
        n,
        lower_bound_reason=WHY_LOWER_BOUND,
        affected_claim="That the images are independent observations",
        remedy="Name the splits, and split by cluster." if found else "",
        evidence=_evidence(rows, None),
        limits=LIMITS,
        summary=f"{search.detector}: {'at least ' if found else ''}{counted(at.pairs, 'pair')}",
    )


def detector_facts(row: DetectorRow, n: int) -> Iterator[Facts]:
    """Yield that a detector cannot compare some images for lack of detail, or cannot be used."""
    if row.reason is not None:
        title = f"Near duplicates by {row.detector}"
        yield Facts("INT-003", CHECK, "partition", title, row.reason, "not testable")
        return
    small = [one for one in row.not_comparable if one.reason == SMALL]
    for one in small:
        yield Facts(
            "INT-003",
            CHECK,
            "partition",
            f"Images that {row.detector} cannot compare",
            f"{written_share(one.k, n)} images are {one.reason}; rms32 can compare them",
            "not testable",
            None,
            one.k,
            n,
            interval=False,
        )


def trouble_facts(images: ImageSet) -> Iterator[Facts]:
    """Yield which images no detector can compare: unreadable, oversized, without contrast."""
    kinds = ("unreadable", "oversized", "blank")
    counts = {kind: sum(one.kind == kind for one in images.trouble) for kind in kinds}
    k, n = sum(counts.values()), images.n_images
    if not k:
        return
    listed = ", ".join(f"{counts[kind]:,} {kind}" for kind in kinds if counts[kind])
    yield Facts(
        "INT-004",
        CHECK,
        "partition",
        "Images that were not compared",
        f"{written_share(k, n)} images were not compared: {listed}.",
        "found",
        "minor" if k > MUCH_LEFT_OUT * n else "info",
        k,
        n,
        interval=False,
        affected_claim="Counts of near duplicates: these images are in no denominator",
        remedy="Replace the files, or raise max_pixels where an image is meant to be so large.",
        evidence=[f"{one.file}: {one.kind}, {one.reason}" for one in images.trouble],
        limits="Images without contrast resemble each other whatever they show.",
    )


def review_facts(row: ReviewRow, pairs: int) -> Facts:
    """Return what reviewers said of the pairs that one detector flagged."""
    title = f"Reviewed precision of {row.detector}"
    if not row.reviewed:
        reason = f"no flagged pair of {row.detector} has an undisputed verdict"
        return Facts("INT-005", CHECK, "partition", title, reason, "not testable")
    wrong = row.reviewed - row.duplicates
    disputed = f" Reviewers disagree on {row.disputed:,} more." if row.disputed else ""
    return Facts(
        "INT-005",
        CHECK,
        "partition",
        title,
        f"Of {counted(pairs, 'flagged pair')} {row.reviewed:,} were reviewed;"
        f" {written_share(row.duplicates, row.reviewed, row.precision)} are duplicates.{disputed}",
        "found" if wrong else "not found",
        "info" if wrong else None,
        row.duplicates,
        row.reviewed,
        affected_claim="Counts of near duplicates, which include pairs found to be different",
        remedy="Choose a stricter threshold where many pairs are different." if wrong else "",
        limits="The share holds for the pairs reviewed; it says nothing of pairs not flagged.",
    )
