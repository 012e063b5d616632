"""What an integrity section finds as a whole, and the record that every check leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from reportgen.result import Estimate
from reportgen.sections.integrity.result_evaluation import (
    ClassifierAudit,
    CountingHeads,
    Evaluator,
    RemovalEffect,
)
from reportgen.sections.integrity.result_labels import (
    ClassNames,
    LabelAgreement,
    LabelGeometry,
    Memorisation,
)
from reportgen.sections.integrity.result_partition import DuplicateRows, Leakage, NearDuplicates
from reportgen.sections.integrity.result_use import ClaimsAudit, ClassMapAudit, PipelineFunnel

Status = Literal["found", "not found", "not testable"]
Grade = Literal["critical", "major", "minor", "info"]
Layer = Literal["partition", "label", "evaluator", "model", "pipeline", "display"]


@dataclass(frozen=True)
class Record:
    """One line of the findings table: what was looked for and what came of it (methods §9).

    ``check`` is the sub-audit's key, ``analysis`` says whether the pinned plan fixed it before the
    run. ``grade`` is None unless the status is "found". ``evidence`` names at most twenty rows.
    """

    code: str
    check: str
    layer: Layer
    what: str
    status: Status
    reason: str | None
    grade: Grade | None
    analysis: Literal["confirmatory", "exploratory"]
    k: int | None
    n: int | None
    share: Estimate | None
    lower_bound: bool
    lower_bound_reason: str | None
    p: float | None
    resamples: int | None
    seed: int | None
    affected_claim: str
    before: float | None
    after: float | None
    evidence: tuple[str, ...]
    remedy: str
    command: str


@dataclass(frozen=True)
class IntegrityResult:
    """What an integrity section found: one part a sub-audit, None where it was not asked for."""

    planted: str | None
    confidence: float
    images: str | None
    detections: str | None
    records: tuple[Record, ...]
    near_duplicates: NearDuplicates | None = None
    duplicate_rows: DuplicateRows | None = None
    leakage: Leakage | None = None
    label_agreement: LabelAgreement | None = None
    memorisation: Memorisation | None = None
    label_geometry: LabelGeometry | None = None
    class_names: ClassNames | None = None
    removal_effect: RemovalEffect | None = None
    evaluator: Evaluator | None = None
    classifier: ClassifierAudit | None = None
    counting_heads: CountingHeads | None = None
    pipeline: PipelineFunnel | None = None
    class_map: ClassMapAudit | None = None
    claims: ClaimsAudit | None = None
    notes: tuple[str, ...] = field(default=())
