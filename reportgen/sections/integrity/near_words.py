"""What is said of near duplicates: one set of facts a detector and two splits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reportgen.inputs.images import ImageSet
from reportgen.language import _, mark, p_
from reportgen.sections.integrity.near_counts import comparable
from reportgen.sections.integrity.near_search import Search, small
from reportgen.sections.integrity.records import (
    MOST_ROWS,
    Facts,
    counted,
    independence_grade,
    stated,
    together,
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
from reportgen.wording import (
    MUCH_LEFT_OUT,
    fixed,
    named,
    number,
    percent,
    quoted,
    sentences,
    separated,
    typed,
)

CHECK = "near_duplicates"
WHY_LOWER_BOUND = mark(
    "crops, small rotations, changes of colour and other photographs of the same patient are not"
    " looked for, and a detector misses strongly augmented copies"
)
LIMITS = mark(
    "A count is the detector's: pairs that no one has looked at may be no duplicates, and those"
    " that it misses are not counted. That none is found does not show that there is none."
)
SYMMETRY_NAMES = (
    mark("identity"),
    mark("rotate_90"),
    mark("rotate_180"),
    mark("rotate_270"),
    mark("flip_left_right"),
    mark("flip_top_bottom"),
    mark("transpose"),
    mark("transverse"),
)
"""Those of `reportgen.stats.duplicates.SYMMETRIES`: codes in the results."""


def rule(detector: str, threshold: float) -> str:
    """Return a detector with its threshold: "wdct, similarity ≥ 0.6"."""
    text = _("{detector}, similarity ≥ {threshold}")
    if detector == "rms32":
        text = _("{detector}, RMS ≤ {threshold}")
    return text.format(detector=detector, threshold=typed(threshold))


def split_facts(
    search: Search,
    pair: SplitPair,
    count: PairCount,
    more: Sequence[PairCount],
    rows: Rows,
    *,
    left_out: str = "",
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
    left_out : str
        How many images no two splits compare, "" where none is left out.
    """
    code = "INT-002" if pair.within else "INT-001"
    first, second = quoted(pair.first), quoted(pair.second)
    title = _("Near duplicates of {first} in {second} by {detector}")
    if pair.within:
        title = _("Near duplicates within {second} by {detector}")
    title = title.format(first=first, second=second, detector=search.detector)
    if not count.n:
        reason = _cannot_compare(search, pair)
        return Facts(code, CHECK, "partition", title, reason, "not testable")
    parts = [
        _statement(search, pair, count),
        *(_details(count) if count.k else ()),
        _sensitivity(more),
        "" if pair.within else left_out,
    ]
    grade: Grade = "info" if pair.within else independence_grade(count.k, count.n)
    claim = _("Every figure on {second} that takes it to be independent of {first}")
    if pair.within:
        claim = _("That {images} of {second} are independent observations")
    summary = _("{pair}, {detector}: at least {share} images")
    if not count.k:
        summary = _("{pair}, {detector}: {share} images")
    return Facts(
        code,
        CHECK,
        "partition",
        title,
        stated(parts),
        "found" if count.k else "not found",
        grade if count.k else None,
        count.k,
        count.n,
        lower_bound_reason=_(WHY_LOWER_BOUND),
        affected_claim=claim.format(first=first, second=second, images=counted(count.n, "image")),
        remedy=_(_REMEDY[pair.within]) if count.k else "",
        evidence=_evidence(rows, pair),
        limits=_(LIMITS),
        summary=summary.format(
            pair=pair.name, detector=search.detector, share=written_share(count.k, count.n)
        ),
    )


def _cannot_compare(search: Search, pair: SplitPair) -> str:
    """Return why no image of the second split can be compared with one of the first."""
    in_second = comparable(search, pair)[1]
    text = _("{detector} can compare no image of {split}")
    if in_second and pair.within:
        text = _("{detector} can compare only one image of {split}")
    split = pair.first if in_second else pair.second
    return text.format(detector=search.detector, split=quoted(split))


def _statement(search: Search, pair: SplitPair, count: PairCount) -> str:
    """Return how many images have a near duplicate, without the full stop."""
    if pair.within:
        text = _("{share} images of {second} have a near duplicate there ({rule})")
        if count.k:
            text = _("At least {share} images of {second} have a near duplicate there ({rule})")
    else:
        text = _("{share} images of {second} have a near duplicate in {first} ({rule})")
        if count.k:
            text = _(
                "At least {share} images of {second} have a near duplicate in {first} ({rule})"
            )
    return text.format(
        share=written_share(count.k, count.n, count.share),
        first=quoted(pair.first),
        second=quoted(pair.second),
        rule=rule(search.detector, search.threshold),
    )


Rows = Sequence[PairRow]
_REMEDY = {
    False: mark(
        "Look at the pairs; take duplicates out of training or evaluation, and train again."
    ),
    True: mark("Count clusters, not images, where an interval is made."),
}


def _details(count: PairCount) -> Iterator[str]:
    text = _(
        "{fixed} of them as they lie, {other} only after a flip or rotation; {pairs} in {clusters}"
    )
    yield text.format(
        fixed=fixed(count.fixed_alignment, 0),
        other=fixed(count.other_alignment, 0),
        pairs=counted(count.pairs, "pair"),
        clusters=counted(count.clusters, "cluster"),
    )
    if count.instances_n:
        k = count.instances_k or 0
        text = _("they carry {k} of {n} boxes ({share})")
        share = percent(k / count.instances_n)
        yield text.format(k=fixed(k, 0), n=fixed(count.instances_n, 0), share=share)


def _sensitivity(more: Sequence[PairCount]) -> str:
    return _("at other thresholds {counts}").format(
        counts=_at_thresholds((row.k, row.threshold) for row in more)
    )


def _at_thresholds(counts: Iterable[tuple[int, float]]) -> str:
    """Return counts with the thresholds at which they hold: "3 at 0.55 and 2 at 0.65"."""
    text = _("{k} at {threshold}")
    return together(text.format(k=fixed(k, 0), threshold=typed(at)) for k, at in counts)


def _evidence(rows: Sequence[PairRow], pair: SplitPair | None) -> list[str]:
    chosen = [
        row
        for row in rows
        if pair is None or (row.split == pair.second and row.twin_split == pair.first)
    ]
    return [_pair_text(row) for row in chosen[:MOST_ROWS]]


def _pair_text(row: PairRow) -> str:
    measure = _("similarity {figure}").format(figure=fixed(row.similarity or 0, 3))
    if row.rms is not None:
        measure = _("RMS {figure}").format(figure=number(row.rms))
    parts = [measure, _(row.symmetry)]
    if row.full_r is not None:
        parts.append(_("r = {r} at full resolution").format(r=f"{row.full_r:.2f}"))
    return named(f"{row.image} ~ {row.twin}", separated(parts))


def all_facts(
    search: Search, counts: Sequence[AllPairsCount], rows: Sequence[PairRow], n: int
) -> Facts:
    """Return what one detector found among images without splits."""
    at, *others = counts
    found = at.pairs > 0
    statement = _(
        "{pairs} of near duplicates among {n} ({rule}), on {images} in {clusters}; {fixed} as they"
        " lie; at other thresholds {counts}. The images have no splits: whether a pair breaks the"
        " independence of an evaluation is not known."
    )
    summary = _("{detector}: {pairs}")
    if found:
        statement = _(
            "At least {pairs} of near duplicates among {n} ({rule}), on {images} in {clusters};"
            " {fixed} as they lie; at other thresholds {counts}. The images have no splits: whether"
            " a pair breaks the independence of an evaluation is not known."
        )
        summary = _("{detector}: at least {pairs}")
    pairs = counted(at.pairs, "pair")
    return Facts(
        "INT-006",
        CHECK,
        "partition",
        _("Near duplicates among all images by {detector}").format(detector=search.detector),
        statement.format(
            pairs=pairs,
            n=counted(n, "image"),
            rule=rule(search.detector, search.threshold),
            images=counted(at.images, "image"),
            clusters=counted(at.clusters, "cluster"),
            fixed=fixed(at.fixed_alignment, 0),
            counts=_at_thresholds((row.pairs, row.threshold) for row in others),
        ),
        "found" if found else "not found",
        "info" if found else None,
        at.images,
        n,
        lower_bound_reason=_(WHY_LOWER_BOUND),
        affected_claim=_("That the images are independent observations"),
        remedy=_("Name the splits, and split by cluster.") if found else "",
        evidence=_evidence(rows, None),
        limits=_(LIMITS),
        summary=summary.format(detector=search.detector, pairs=pairs),
    )


def detector_facts(row: DetectorRow, n: int) -> Iterator[Facts]:
    """Yield that a detector cannot compare some images for lack of detail, or cannot be used."""
    if row.reason is not None:
        title = _("Near duplicates by {detector}").format(detector=row.detector)
        yield Facts("INT-003", CHECK, "partition", title, row.reason, "not testable")
        return
    text = _("{share} images are {reason}; rms32 can compare them")
    for one in row.not_comparable:
        if one.reason != small():
            continue
        yield Facts(
            "INT-003",
            CHECK,
            "partition",
            _("Images that {detector} cannot compare").format(detector=row.detector),
            text.format(share=written_share(one.k, n), reason=one.reason),
            "not testable",
            None,
            one.k,
            n,
            interval=False,
        )


KINDS = (mark("unreadable"), mark("oversized"), mark("blank"))
"""What keeps an image from every detector: codes of `ImageSet.trouble`."""


def trouble_facts(images: ImageSet) -> Iterator[Facts]:
    """Yield which images no detector can compare: unreadable, oversized, without contrast."""
    counts = {kind: sum(one.kind == kind for one in images.trouble) for kind in KINDS}
    k, n = sum(counts.values()), images.n_images
    if not k:
        return
    kinds = [
        p_("images", "{k} {reason}").format(k=fixed(counts[kind], 0), reason=_(kind))
        for kind in KINDS
        if counts[kind]
    ]
    text = _("{share} images were not compared: {kinds}.")
    yield Facts(
        "INT-004",
        CHECK,
        "partition",
        _("Images that were not compared"),
        text.format(share=written_share(k, n), kinds=separated(kinds)),
        "found",
        "minor" if k > MUCH_LEFT_OUT * n else "info",
        k,
        n,
        interval=False,
        affected_claim=_("Counts of near duplicates: these images are in no denominator"),
        remedy=_("Replace the files, or raise max_pixels where an image is meant to be so large."),
        evidence=[named(one.file, separated([_(one.kind), one.reason])) for one in images.trouble],
        limits=_("Images without contrast resemble each other whatever they show."),
    )


def review_facts(row: ReviewRow, pairs: int) -> Facts:
    """Return what reviewers said of the pairs that one detector flagged."""
    title = _("Reviewed precision of {detector}").format(detector=row.detector)
    if not row.reviewed:
        reason = _("no flagged pair of {detector} has an undisputed verdict")
        reason = reason.format(detector=row.detector)
        return Facts("INT-005", CHECK, "partition", title, reason, "not testable")
    wrong = row.reviewed - row.duplicates
    statement = _("Of {pairs} {reviewed} were reviewed; {share} are duplicates.").format(
        pairs=counted(pairs, "flagged pair"),
        reviewed=fixed(row.reviewed, 0),
        share=written_share(row.duplicates, row.reviewed, row.precision),
    )
    disputed = ""
    if row.disputed:
        disputed = _("Reviewers disagree on {k} more.").format(k=fixed(row.disputed, 0))
    return Facts(
        "INT-005",
        CHECK,
        "partition",
        title,
        sentences([statement, disputed]),
        "found" if wrong else "not found",
        "info" if wrong else None,
        row.duplicates,
        row.reviewed,
        affected_claim=_("Counts of near duplicates, which include pairs found to be different"),
        remedy=_("Choose a stricter threshold where many pairs are different.") if wrong else "",
        limits=_("The share holds for the pairs reviewed; it says nothing of pairs not flagged."),
    )
