"""Rows on the labels: agreement of duplicates, memorisation, geometry, names."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.result import Estimate


@dataclass(frozen=True)
class AgreementRow:
    """Label agreement of duplicates between two splits, each image with its nearest twin."""

    split: str
    twin_split: str
    k: int
    n: int
    share: Estimate
    box_f1: Estimate
    kappa: Estimate


@dataclass(frozen=True)
class ClassAgreementRow:
    """Agreement on one class over the pairs: both, only the image, only the twin, neither."""

    split: str
    twin_split: str
    class_: str
    both: int
    image_only: int
    twin_only: int
    neither: int
    kappa: Estimate


@dataclass(frozen=True)
class LabelAgreement:
    """Whether both copies of a picture carry the same labels."""

    status: str
    reason: str | None
    rows: tuple[AgreementRow, ...] = ()
    classes: tuple[ClassAgreementRow, ...] = ()
    iou: float | None = None


@dataclass(frozen=True)
class MemorisationRow:
    """F1 of predictions against the training copy's labels and against their own."""

    orientation: str
    pairs: int
    clusters: int
    f1_twin: Estimate
    f1_own: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Memorisation:
    """Whether predictions follow the training copy's labels; always exploratory."""

    status: str
    reason: str | None
    rows: tuple[MemorisationRow, ...] = ()
    seen: tuple[str, ...] = ()
    confidence: float | None = None
    iou: float | None = None


@dataclass(frozen=True)
class GeometryRow:
    """Boxes with one kind of defect."""

    problem: str
    k: int
    n: int
    share: Estimate
    images: int
    named: tuple[str, ...]


@dataclass(frozen=True)
class LabelGeometry:
    """Boxes that cannot be right as they stand, and how they may have come to be."""

    status: str
    reason: str | None
    rows: tuple[GeometryRow, ...] = ()
    hint: str | None = None
    """Such as that x + w beyond the width in most boxes suggests xyxy."""
    predicted_hint: str | None = None
    """The same of the predictions."""


@dataclass(frozen=True)
class NamesRow:
    """The class names of one artefact against those of the first one.

    `missing` and `extra` compare the sets, `moved` counts names that stand at another index.
    """

    artefact: str
    classes: int
    same_set: bool
    same_order: bool
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    moved: int
    digest: str | None


@dataclass(frozen=True)
class ClassNames:
    """Category names and their order across artefacts."""

    status: str
    reason: str | None
    reference: str | None = None
    rows: tuple[NamesRow, ...] = ()
