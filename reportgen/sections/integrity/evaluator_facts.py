"""What is said of an evaluator: drift, missing pins, other predictions, other settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.inputs.detections import DetectionSet
from reportgen.section import Code
from reportgen.sections.integrity.evaluator_drift import ROUNDING, Against, cause_of, undeclared
from reportgen.sections.integrity.evaluator_rows import ALL
from reportgen.sections.integrity.pins import declared_convention
from reportgen.sections.integrity.records import Facts, counted
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_evaluation import ConventionRow, DriftRow, PinRow
from reportgen.stats.detection import CONVENTIONS
from reportgen.wording import MINUS, fixed, quoted

CODES: tuple[Code, ...] = (
    Code(
        "INT-055",
        ("fail", "warn", "note", "pass"),
        "The same predictions give another figure under another convention, by more than half a "
        "unit of the third decimal: major where tool and version are not both declared, for then "
        "the reported number is not determined; minor where they are and the rule does not follow "
        "from them; else for information.",
    ),
    Code(
        "INT-056",
        ("warn", "pass"),
        "Settings that an average precision depends on are not declared: tool, version, "
        "confidence, overlap of non-maximum suppression, largest number of detections.",
    ),
    Code(
        "INT-057",
        ("fail", "warn", "pass", "note"),
        "Two runs against each other: figures differ although the predictions are the same "
        "(major), or the predictions differ (minor). The cause is named.",
    ),
    Code(
        "INT-058",
        ("fail", "warn", "pass"),
        "Settings that do not fit: two runs with other settings or labels, whose comparison is "
        "refused (major); predictions that contradict their declared settings, or begin at so high "
        "a score that the curve ends early (minor).",
    ),
    Code(
        "INT-059",
        ("note", "pass"),
        "Classes without a labelled box, which are in no mean, and classes that are never "
        "predicted; or the evaluator cannot be tested, with the reason.",
    ),
)

CHECK = "evaluator"
HEADLINE = ("map50", "map50_95")
NAMES = {
    "map50": "mAP@.5",
    "map50_95": "mAP@.5:.95",
    "map75": "mAP@.75",
    "auc": "AUC",
    "f1": "F1",
    "mcc": "MCC",
}
"""Metrics as they are written."""


@dataclass(frozen=True)
class Found:
    """What was found of an evaluator; fields as in `Evaluator`."""

    detections: DetectionSet
    other: DetectionSet | None
    rows: tuple[ConventionRow, ...]
    drift: tuple[DriftRow, ...]
    pins: tuple[PinRow, ...]
    held: Against | None
    cut: tuple[str, ...]
    without_boxes: tuple[str, ...]
    never_predicted: tuple[str, ...]


def no_labels(reason: str) -> Facts:
    """Return that nothing can be evaluated."""
    return Facts("INT-059", CHECK, "evaluator", "Evaluator", reason, status="not testable")


def evaluator_facts(found: Found) -> Iterator[Facts]:
    """Yield what each check of an evaluator found."""
    yield _drift(found)
    yield _pins(found.pins)
    if found.other is not None:
        yield _against(found)
    yield _settings(found)
    yield _classes(found)


def _means(rows: Sequence[DriftRow]) -> dict[str, DriftRow]:
    return {row.metric: row for row in rows if row.class_ == ALL}


def signed(value: float) -> str:
    """Return a difference with its sign and four decimals."""
    text = fixed(value, 4)
    return text if text.startswith(MINUS) or value == 0 else f"+{text}"


def _told(row: DriftRow) -> str:
    if row.first_value is None or row.second_value is None:
        return f"{NAMES[row.metric]} not defined"
    text = f"{NAMES[row.metric]} {row.first_value:.4f} and {row.second_value:.4f}"
    return text if row.difference is None else f"{text} ({signed(row.difference)})"


def _drift_grade(found: Found) -> Grade:
    """Return how grave a drift is: the less, the better the reported number is pinned."""
    pins = {pin.setting: pin.value for pin in found.pins}
    if pins["tool"] is None or pins["version"] is None:
        return "major"
    return "minor" if declared_convention(found.detections.pins) is None else "info"


def _title(convention: str) -> str:
    return quoted(CONVENTIONS[convention].title)


def _drift(found: Found) -> Facts:
    means = _means(found.drift)
    row = means["map50_95"]
    told = ", ".join(_told(means[metric]) for metric in HEADLINE)
    spread = _spread(found.rows)
    moved = max(abs(means[metric].difference or 0.0) for metric in HEADLINE)
    cause = f"; cause: {row.cause}" if moved >= ROUNDING else ""
    said = (
        f"The same predictions give {told} under the rules {_title(row.first)} and"
        f" {_title(row.second)}{cause}.{spread}"
    )
    facts = Facts(
        "INT-055",
        CHECK,
        "evaluator",
        "Figures by convention",
        said,
        before=row.first_value,
        after=row.second_value,
        affected_claim="every published average precision of this model",
        limits="The predictions are the same; nothing is said of which convention is right.",
    )
    if moved < ROUNDING:
        return facts
    return replace(
        facts,
        status="found",
        grade=_drift_grade(found),
        remedy="print tool, version and rule beside the figure; compare figures of one rule only",
    )


def _spread(rows: Sequence[ConventionRow]) -> str:
    values = [
        row.value
        for row in rows
        if row.metric == "map50_95" and row.class_ == ALL and row.value is not None
    ]
    if len(values) < 2:
        return ""
    n = next(row.n_classes for row in rows if row.metric == "map50_95" and row.class_ == ALL)
    return (
        f" Over {len(values)} conventions mAP@.5:.95 runs from {min(values):.4f} to"
        f" {max(values):.4f} ({counted(n, 'class', 'classes')} in the mean)."
    )


def _pins(pins: Sequence[PinRow]) -> Facts:
    gone = [pin for pin in pins if pin.value is None]
    facts = Facts(
        "INT-056",
        CHECK,
        "evaluator",
        "Settings of the evaluation",
        f"All {len(pins)} settings that the figure depends on are declared.",
        k=len(gone),
        n=len(pins),
        interval=False,
    )
    if not gone:
        return facts
    names = ", ".join(pin.setting for pin in gone)
    return replace(
        facts,
        statement=f"Not declared: {len(gone)} of {len(pins)} settings ({names}).",
        status="found",
        grade="minor",
        evidence=[f"{pin.setting}: {pin.moves}" for pin in gone],
        remedy="declare them under detections: settings",
    )


def _against(found: Found) -> Facts:
    base = Facts("INT-057", CHECK, "evaluator", "Two runs against each other", "")
    held, other = found.held, found.other
    if held is None or other is None:
        name = quoted(other.name if other else "")
        reason = f"detections {name} have no predictions with scores"
        return replace(base, statement=reason, status="not testable")
    means = _means(held.rows)
    told = ", ".join(_told(means[metric]) for metric in HEADLINE)
    same = _identity(found, held)
    said = f"{quoted(found.detections.name)} and {quoted(other.name)}: {same}; {told}."
    unsaid = undeclared(found.detections, other, held)
    facts = replace(
        base,
        statement=" ".join([f"{said} Cause: {cause_of(held)}.", *unsaid]),
        evidence=unsaid,
        before=means["map50_95"].first_value,
        after=means["map50_95"].second_value if held.rows else None,
    )
    if held.settings or not held.same_labels:
        return replace(facts, statement=cause_of(held), status="not testable")
    assumed = len(set(held.declared)) == 2  # the rule of one side, while the other declares its own
    if held.identical and held.moved < ROUNDING and not assumed:
        return facts
    return replace(
        facts,
        status="found",
        grade="major" if held.identical and not assumed else "minor",
        affected_claim="every comparison of the two runs",
        remedy="evaluate both runs with one tool and version before comparing them",
    )


def _identity(found: Found, held: Against) -> str:
    """Return whether the predictions are the same, as files and as boxes."""
    digests = (
        found.detections.predictions_digest,
        found.other.predictions_digest if found.other else None,
    )
    if not held.identical:
        return (
            f"predictions differ ({held.only_first:,} only in the first, {held.only_second:,} only"
            " in the second)"
        )
    if digests[0] is not None and digests[0] == digests[1]:
        return f"predictions byte for byte the same (SHA-256 {digests[0][:12]}…)"
    return "predictions the same, in files that differ"


def _settings(found: Found) -> Facts:
    base = Facts("INT-058", CHECK, "evaluator", "Settings that do not fit", "")
    held = found.held
    if held is not None and (held.settings or not held.same_labels):
        return replace(
            base,
            statement=f"The comparison with {quoted(found.other.name if found.other else '')} is"
            f" refused: {cause_of(held).removeprefix('not compared: ')}.",
            status="found",
            grade="major",
            evidence=[*held.settings, *found.cut],
            remedy="make both predictions with the same settings on the same labels",
        )
    if found.cut:
        return replace(
            base,
            statement=_sentence(found.cut),
            status="found",
            grade="minor",
            evidence=found.cut,
            remedy="predict from a confidence of 0.001 and declare the settings",
        )
    return replace(base, statement="Predictions and declared settings fit each other.")


def _classes(found: Found) -> Facts:
    base = Facts("INT-059", CHECK, "evaluator", "Classes in the mean", "")
    n = len(found.detections.categories)
    used = n - len(found.without_boxes)
    parts = []
    if found.without_boxes:
        names = ", ".join(map(quoted, found.without_boxes[:20]))
        parts.append(f"{counted(n - used, 'class', 'classes')} without a labelled box: {names}")
    if found.never_predicted:
        names = ", ".join(map(quoted, found.never_predicted[:20]))
        k = len(found.never_predicted)
        parts.append(f"{counted(k, 'class', 'classes')} never predicted: {names}")
    said = f"The means are over {used} of {counted(n, 'class', 'classes')}"
    if not parts:
        return replace(base, statement=f"{said}, and each is predicted.")
    return replace(
        base,
        statement=f"{said}; {'; '.join(parts)}.",
        status="found",
        grade="info",
        evidence=[*found.without_boxes, *found.never_predicted],
    )


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."
