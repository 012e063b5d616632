"""Rows on what reaches the user: the pipeline, the class map, the claims."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.result import Estimate


@dataclass(frozen=True)
class GateRow:
    """A gate's decisions on the images of a domain and class ("all" for every class)."""

    domain: str
    in_domain: bool
    class_: str
    gate: str
    n: int
    rejected: int
    accepted: int
    share_rejected: Estimate


@dataclass(frozen=True)
class FunnelRow:
    """Images of a class on their way to the user, each step among those of the step before.

    A step that the inputs cannot show is None: without predictions what was detected, without a
    table of displayed findings (or a class map to work it out from) what was shown.

    `image_sensitivity` is rightly named of n; `instance_sensitivity` counts boxes;
    `misses_never_analysed` is the share of the images not reported that a gate had stopped.
    """

    class_: str
    n: int
    accepted: int
    detected: int | None
    above_threshold: int | None
    shown: int | None
    rightly_named: int | None
    image_sensitivity: Estimate
    image_sensitivity_without_gates: Estimate
    instance_sensitivity: Estimate
    misses: int | None
    misses_never_analysed: Estimate
    instance_sensitivity_without_gates: Estimate | None = None
    instances: int = 0
    image_sensitivity_of_detector: Estimate | None = None
    """Share of images on which the detector alone finds the class from its deployed threshold on:
    without gates, and whatever name is shown."""


@dataclass(frozen=True)
class PipelineFunnel:
    """From benchmark to user."""

    status: str
    reason: str | None
    rows: tuple[FunnelRow, ...] = ()
    gates: tuple[GateRow, ...] = ()
    specificity: Estimate | None = None
    out_of_domain_accepted: Estimate | None = None
    shown_from: str = ""
    """"displayed": the table of findings; "class map": worked out from thresholds and names."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class MapRow:
    """One class of the model and the name under which it is displayed."""

    index: str
    model: str | None
    shown: str
    same: bool | None
    threshold: float | None
    threshold_of_right_name: float | None
    inferred: str | None
    """The name that the confusion suggests, where the model's own is missing."""
    note: str = ""
    """Such as that two names are nearly the same; then `same` is None."""


@dataclass(frozen=True)
class WrongNames:
    """Displayed findings or images under a wrong name."""

    of: str
    """"findings", "images" (every name wrong, of all images), "images that show something" (every
    name wrong, of those) or "images with any" (wrong name, of all images)."""
    k: int
    n: int
    share: Estimate
    share_by_image: Estimate | None = None
    """Of findings: the interval that takes those of one image (patient) together."""


@dataclass(frozen=True)
class ThresholdRow:
    """Detections shown or hidden because the threshold followed the wrong name."""

    model: str
    shown_as: str
    threshold_used: float
    threshold_meant: float
    wrongly_shown: int
    wrongly_hidden: int
    n: int


@dataclass(frozen=True)
class CopyRow:
    """A deployed copy and whether it still carries the map."""

    copy: str
    digest: str
    same_file: bool
    wrong: int | None
    classes: int
    affected: bool | None


@dataclass(frozen=True)
class Inferred:
    """How much the best permutation gains over the displayed names: (best trace − diagonal) / n.

    The best one always gains something on the matches it was chosen on, so `gain` has no interval
    of its own: `gain_crossed` is that of assignments on the half they were not chosen on, with the
    bootstrap interval of units, and may be below zero.
    """

    matched: int
    diagonal: int
    best: int
    gain: Estimate
    classes_moved: int
    gain_crossed: Estimate | None = None


@dataclass(frozen=True)
class ClassMapAudit:
    """Whether what is displayed bears the name of what was found."""

    status: str
    reason: str | None
    rows: tuple[MapRow, ...] = ()
    k: int | None = None
    n: int | None = None
    wrong: tuple[WrongNames, ...] = ()
    threshold_by_wrong_name: tuple[ThresholdRow, ...] = ()
    inferred: Inferred | None = None
    copies: tuple[CopyRow, ...] = ()
    names_from: str = ""
    """Where the model's own names were taken from."""
    shown_from: str = ""
    """"displayed" or "class map", as in `PipelineFunnel`."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimRow:
    """A published figure against what these data give."""

    metric: str
    claimed: str
    n: int | None
    k: int | None
    split: str | None
    source: str | None
    recomputed: float | None
    recomputed_from: str | None
    possible: bool | None
    """Whether the digits can be k/n for a whole k; None where the metric is no proportion."""
    nearest: str | None
    agrees: bool | None
    reason: str | None
    conflict: str | None = None
    """Another claim of the same metric that cannot hold together with this one."""


@dataclass(frozen=True)
class ClaimsAudit:
    """Claims recomputed."""

    status: str
    reason: str | None
    rows: tuple[ClaimRow, ...] = ()
