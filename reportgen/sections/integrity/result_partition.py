"""Rows on the partitions: near duplicates, duplicate rows, leakage."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.result import Estimate, LeftOut


@dataclass(frozen=True)
class PairRow:
    """One pair that a detector flagged; `symmetry` carries the twin onto the image.

    `distance` is in the detector's own measure, `rms` in grey levels (32 × 32) and `similarity` a
    cosine; the one that the detector does not use is None. `full_rms` and `full_r` compare the pair
    at full resolution under the same symmetry; `verified` means both a small RMS and a correlation.
    """

    image: str
    twin: str
    split: str | None
    twin_split: str | None
    detector: str
    symmetry: str
    rms: float | None
    similarity: float | None
    full_rms: float | None
    full_r: float | None
    verified: bool | None
    verdict: str | None
    cluster: int


@dataclass(frozen=True)
class PairCount:
    """Images of `twin_split` with at least one near duplicate in `split`.

    `n` are the comparable images of `twin_split`, `k` those flagged; `fixed_alignment` counts those
    found without flip or rotation, `other_alignment` the rest; `clusters` are the connected
    components of the pairs; `instances` is the share of boxes that the k images carry. Within one
    split (`split` = `twin_split`) every image with a near duplicate there counts.
    """

    detector: str
    threshold: float
    split: str
    twin_split: str
    k: int
    n: int
    share: Estimate
    fixed_alignment: int
    other_alignment: int
    pairs: int
    clusters: int
    instances_k: int | None
    instances_n: int | None
    instances: Estimate | None
    lower_bound: bool


@dataclass(frozen=True)
class AllPairsCount:
    """Pairs among all images of the set, whatever their split."""

    detector: str
    threshold: float
    pairs: int
    fixed_alignment: int
    images: int
    clusters: int
    same_source: int | None
    other_source: int | None


@dataclass(frozen=True)
class NearestBin:
    """Images whose nearest neighbour in the other split lies between `from` and `to`.

    Both are in the detector's own measure, as its threshold is: grey levels, or a similarity. An
    image at a limit counts on the side of the nearer ones, so that one at the threshold is flagged.
    The counts of the bins with the band "flagged" add up to the images flagged.
    """

    detector: str
    split: str
    twin_split: str
    from_: float
    to: float
    k: int
    band: str
    """"flagged", "review" (near the threshold) or "apart"."""


@dataclass(frozen=True)
class ReviewRow:
    """Reviewer verdicts on flagged pairs of a detector: the reviewed precision."""

    detector: str
    reviewed: int
    duplicates: int
    precision: Estimate
    disputed: int = 0
    """Pairs on which reviewers disagree; they are not among the reviewed."""


@dataclass(frozen=True)
class PictureRow:
    """A pair that is pictured: test image, aligned training copy, difference (× `gain`).

    `distance` is the RMS in grey levels, or 1 − similarity.
    """

    image: str
    twin: str
    detector: str
    chosen_as: str
    """"nearest", "median" or "at the threshold"."""
    symmetry: str
    distance: float
    full_rms: float | None
    full_r: float | None
    image_labels: str
    twin_labels: str
    gain: int
    picture: str | None
    """SHA-256 of the PNG under ``pictures/``; None where pictures are left out."""
    boxes_drawn: bool = False
    """Whether labelled boxes stand on the picture."""


@dataclass(frozen=True)
class DetectorRow:
    """A detector as it was used: its definition, threshold, and which images it can compare."""

    detector: str
    threshold: float
    definition: str
    compared: int
    not_comparable: tuple[LeftOut, ...]
    status: str
    reason: str | None


@dataclass(frozen=True)
class NearDuplicates:
    """Near duplicates between and within splits."""

    status: str
    reason: str | None
    detectors: tuple[DetectorRow, ...] = ()
    counts: tuple[PairCount, ...] = ()
    sensitivity: tuple[PairCount, ...] = ()
    all_pairs: tuple[AllPairsCount, ...] = ()
    histogram: tuple[NearestBin, ...] = ()
    rows: tuple[PairRow, ...] = ()
    reviewed: tuple[ReviewRow, ...] = ()
    pictures: tuple[PictureRow, ...] = ()
    why_lower_bound: str = ""


@dataclass(frozen=True)
class DuplicateRow:
    """Rows with the same ("exact") or nearly the same ("near") features; `where` names tables."""

    kind: str
    where: str
    k: int
    n: int
    share: Estimate
    conflicting: int | None
    """Of the k rows those with a twin of another label; None without labels."""
    groups: int


@dataclass(frozen=True)
class DuplicateRowPair:
    """Two rows with their distance in standard deviations (root mean square over the features)."""

    kind: str
    where: str
    row: int
    twin_row: int
    distance: float
    same_label: bool | None


@dataclass(frozen=True)
class DuplicateRows:
    """Duplicates of feature vectors."""

    status: str
    reason: str | None
    rows: tuple[DuplicateRow, ...] = ()
    pairs: tuple[DuplicateRowPair, ...] = ()
    features: tuple[str, ...] = ()
    distance: float | None = None


@dataclass(frozen=True)
class LeakRow:
    """Evaluation units that share something with another split.

    `by` is "source", "unit", "site", "content" (the same pixels), "date", or "augmented copies";
    `k` of the `n` images (rows) of `twin_split` share it with `split`; `values` counts the shared
    sources (patients, …), `named` holds at most twenty. `of` names the class, "all" for all.
    """

    by: str
    split: str
    twin_split: str
    of: str
    k: int
    n: int
    share: Estimate
    values: int
    named: tuple[str, ...]
    note: str


@dataclass(frozen=True)
class ConflictRow:
    """Images (rows) with the same content and different labels."""

    content: str
    images: tuple[str, ...]
    labels: tuple[str, ...]
    splits: tuple[str, ...]


@dataclass(frozen=True)
class SplitRow:
    """A split: its images, sources, units and classes, and which classes it lacks."""

    split: str
    images: int
    sources: int | None
    units: int | None
    classes: int | None
    without_label: int | None
    absent: tuple[str, ...]


@dataclass(frozen=True)
class SuspectColumn:
    """A feature that may give the label away: identifier-like, or nearly the label itself."""

    column: str
    why: str
    auc: float | None
    distinct: int
    n: int


@dataclass(frozen=True)
class ConstantRow:
    """An attribute with one value in all files, such as a magnification in every name."""

    attribute: str
    value: str
    n: int


@dataclass(frozen=True)
class ClassSourceRow:
    """How many sources the images of a class come from."""

    of: str
    images: int
    sources: int


@dataclass(frozen=True)
class Leakage:
    """What splits share."""

    status: str
    reason: str | None
    rows: tuple[LeakRow, ...] = ()
    conflicts: tuple[ConflictRow, ...] = ()
    splits: tuple[SplitRow, ...] = ()
    columns: tuple[SuspectColumn, ...] = ()
    constants: tuple[ConstantRow, ...] = ()
    not_testable: tuple[LeftOut, ...] = ()
    """Each `by` that could not be looked at, with the reason; k is 0."""
    class_sources: tuple[ClassSourceRow, ...] = ()
