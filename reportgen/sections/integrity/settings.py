"""Settings of a benchmark integrity audit: one block a sub-audit."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from reportgen.settings import SectionSettings, Settings

Detector = Literal["wdct", "rms32"]
Convention = Literal[
    "coco_101",
    "voc_11",
    "voc_11_plus_1",
    "all_point",
    "ultralytics_8_4_36",
    "ultralytics_8_4_37",
    "step",
]
Symmetry = Literal[
    "identity",
    "rotate_90",
    "rotate_180",
    "rotate_270",
    "flip_left_right",
    "flip_top_bottom",
    "transpose",
    "transverse",
]
LeakBy = Literal["source", "unit", "site", "content", "date"]
Stratum = Literal["dominant_class", "instance_quartile"]

ALL_LEAKS: tuple[LeakBy, ...] = ("source", "unit", "site", "content", "date")
BOTH_STRATA: tuple[Stratum, ...] = ("dominant_class", "instance_quartile")
DRIFT: tuple[Convention, ...] = ("ultralytics_8_4_36", "ultralytics_8_4_37")
DETECTORS: dict[Detector, float] = {"wdct": 0.60}
SEEN: tuple[Symmetry, ...] = ("identity",)
Claimed = Literal[
    "accuracy",
    "sensitivity",
    "specificity",
    "balanced_accuracy",
    "precision",
    "f1",
    "mcc",
    "auc",
    "prevalence",
    "map50",
    "map50_95",
    "map75",
]


class NearDuplicatesSettings(Settings):
    """Pictures that are the same but for a flip, a rotation and small changes."""

    between: Literal["all"] | list[list[str]] = Field(
        default="all", description="pairs of splits, [train, test]: the second one's images counted"
    )
    detectors: dict[Detector, float] = Field(
        default_factory=lambda: dict(DETECTORS), description="detector and its threshold"
    )
    verdicts: str | None = Field(
        default=None,
        description="CSV: image, twin, verdict (duplicate | different), reviewer, date",
    )
    show: int = Field(default=6, ge=0, le=60, description="pairs that are pictured")
    pictures: Literal["show", "ids"] = Field(
        default="show", description="ids: no picture leaves the input"
    )


class DuplicateRowsSettings(Settings):
    """Rows of a table with the same or nearly the same features."""

    table: str
    distance: float = Field(
        default=0.05,
        ge=0,
        description="near: root mean square difference of features in standard deviations",
    )


class LeakageSettings(Settings):
    """What training and evaluation share, of images or of a table and its training rows."""

    by: list[LeakBy] = Field(default_factory=lambda: list(ALL_LEAKS))
    between: Literal["all"] | list[list[str]] = "all"
    table: str | None = Field(default=None, description="a table with its training rows")


class LabelAgreementSettings(Settings):
    """Whether the two copies of a duplicate pair carry the same labels."""

    iou: float = Field(default=0.5, gt=0, lt=1)


class MemorisationSettings(Settings):
    """Whether predictions are nearer to the training copy's labels than to their own."""

    seen: list[Symmetry] = Field(
        default_factory=lambda: list(SEEN),
        description="orientations of the training copy that training could show the model",
    )
    confidence: float = Field(
        default=0.25, ge=0, le=1, description="score of a detection that counts"
    )
    iou: float = Field(default=0.5, gt=0, lt=1)


class RemovalEffectSettings(Settings):
    """What the figures become when duplicates leave the evaluation."""

    controls: int = Field(default=10_000, ge=100, le=100_000)
    resamples: int | None = Field(
        default=None, ge=100, le=100_000, description="defaults.resamples"
    )
    strata: list[Stratum] = Field(default_factory=lambda: list(BOTH_STRATA))
    duplicates: str | None = Field(
        default=None,
        description="CSV, column image: the duplicates of the evaluation; else near_duplicates'",
    )
    confidence: float = Field(
        default=0.25, ge=0, le=1, description="score of a detection that counts for recall"
    )


class EvaluatorSettings(Settings):
    """The same matches under every convention, and two of them or two files compared."""

    conventions: Literal["all"] | list[Convention] = "all"
    compare: list[Convention] = Field(
        default_factory=lambda: list(DRIFT),
        min_length=2,
        max_length=2,
    )
    against: str | None = Field(
        default=None, description="a second entry of detections: the same predictions, another run"
    )


class CalibrationSettings(Settings):
    """The bins in which scores and observed rates are compared."""

    bins: int = Field(default=10, ge=1, le=100)
    by: Literal["width", "counts"] = Field(
        default="width", description="of equal width from 0 to 1, or of equal counts"
    )


class ClassifierSettings(Settings):
    """A classifier that may have degenerated."""

    table: str
    score: str | None = None
    threshold: float
    split: str | None = Field(default=None, description="a group attribute: one row a split")
    calibration: CalibrationSettings = CalibrationSettings()


class HeadColumns(Settings):
    """The columns of a counting head; both among the table's features."""

    true: str
    predicted: str


class CountingHeadsSettings(Settings):
    """Heads that count, against two heads that do not look."""

    table: str
    heads: dict[str, HeadColumns] = Field(min_length=1)


class PipelineAudit(Settings):
    """Where images and findings are lost between the benchmark and the user."""

    of: str = Field(description="an entry of pipelines")
    confidence: float = Field(
        default=0.25, ge=0, le=1, description="score from which something counts as detected"
    )
    iou: float = Field(default=0.5, gt=0, lt=1)
    in_domain: list[str] | None = Field(
        default=None, description="domains the system is meant for; with several, name them"
    )
    most_blocked: float = Field(
        default=0.1,
        ge=0,
        lt=1,
        description="share of a class's images that gates may stop before it is critical",
    )


class Claim(Settings):
    """A published figure to be recomputed."""

    metric: Claimed
    value: str = Field(description="as printed, in quotes: the digits say the rounding")
    n: int | None = Field(default=None, ge=1, description="units the figure rests on")
    k: int | None = Field(default=None, ge=0)
    split: str | None = None
    source: str | None = None


def _or_a_name(schema: dict[str, Any]) -> None:
    """Say in the manifest's schema that the name of a pipeline will do."""
    schema["anyOf"].insert(0, {"type": "string"})


class IntegritySettings(SectionSettings):
    """Settings of an ``integrity`` section."""

    kind: Literal["integrity"]
    images: str | None = Field(default=None, description="an entry of images")
    detections: str | None = Field(default=None, description="an entry of detections")
    class_map: str | None = Field(default=None, description="an entry of class_maps")
    same_names: dict[str, str] = Field(
        default_factory=dict,
        description="class name of the model: displayed name that means the same",
    )
    near_duplicates: NearDuplicatesSettings | None = None
    duplicate_rows: DuplicateRowsSettings | None = None
    leakage: LeakageSettings | None = None
    label_agreement: LabelAgreementSettings | None = None
    memorisation: MemorisationSettings | None = None
    label_geometry: bool = Field(default=True, description="of detections")
    removal_effect: RemovalEffectSettings | None = None
    evaluator: EvaluatorSettings | None = None
    classifier: ClassifierSettings | None = None
    counting_heads: CountingHeadsSettings | None = None
    pipeline: PipelineAudit | None = Field(default=None, json_schema_extra=_or_a_name)
    claims: list[Claim] = Field(default_factory=list)
    planned: list[str] = Field(
        default_factory=list,
        description="sub-audits fixed by the pinned plan: confirmatory; others are exploratory",
    )
    planted: str | None = Field(
        default=None, description="says what was planted in these data; printed above the findings"
    )

    @model_validator(mode="before")
    @classmethod
    def _pipeline_by_name(cls, data: Any) -> Any:
        """Read ``pipeline: app`` as ``pipeline: {of: app}``."""
        if isinstance(data, dict) and isinstance(data.get("pipeline"), str):
            return {**data, "pipeline": {"of": data["pipeline"]}}
        return data
