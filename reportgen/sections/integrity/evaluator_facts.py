"""What is said of an evaluator: drift, missing pins, other predictions, other settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.inputs.detections import DetectionSet
from reportgen.language import _, mark, n_
from reportgen.section import Code
from reportgen.sections.integrity.evaluator_drift import (
    ROUNDING,
    Against,
    cause_of,
    undeclared,
    why_refused,
)
from reportgen.sections.integrity.evaluator_rows import ALL, cut_short
from reportgen.sections.integrity.evaluator_words import title_told
from reportgen.sections.integrity.pins import declared_convention
from reportgen.sections.integrity.records import Facts
from reportgen.sections.integrity.result import Grade
from reportgen.sections.integrity.result_evaluation import ConventionRow, DriftRow, PinRow
from reportgen.wording import MINUS, clauses, fixed, named, quoted, sentences, separated

CODES: tuple[Code, ...] = (
    Code(
        "INT-055",
        ("fail", "warn", "note", "pass"),
        mark(
            "The same predictions give another figure under another convention, by more than half"
            " a unit of the third decimal: major where tool and version are not both declared,"
            " for then the reported number is not determined; minor where they are and the rule"
            " does not follow from them; else for information."
        ),
    ),
    Code(
        "INT-056",
        ("warn", "pass"),
        mark(
            "Settings that an average precision depends on are not declared: tool, version, "
            "confidence, overlap of non-maximum suppression, largest number of detections."
        ),
    ),
    Code(
        "INT-057",
        ("fail", "warn", "pass", "note"),
        mark(
            "Two runs against each other: figures differ although the predictions are the same "
            "(major), or the predictions differ (minor). The cause is named."
        ),
    ),
    Code(
        "INT-058",
        ("fail", "warn", "pass"),
        mark(
            "Settings that do not fit: two runs with other settings or labels, whose comparison"
            " is refused (major); no prediction at all, predictions that contradict their declared"
            " settings, or begin at so high a score that the curve ends early (minor)."
        ),
    ),
    Code(
        "INT-059",
        ("note", "pass"),
        mark(
            "Classes without a labelled box, which are in no mean, and classes that are never "
            "predicted; or the evaluator cannot be tested, with the reason."
        ),
    ),
)

CHECK = "evaluator"
PREDICT = mark("name the file that the detector wrote, or predict again")
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
    return Facts("INT-059", CHECK, "evaluator", _("Evaluator"), reason, status="not testable")


def no_predictions(detections: DetectionSet) -> Iterator[Facts]:
    """Yield that a file of predictions holds none, where no evaluator says so."""
    if detections.predicted is None or _n_predictions(detections):
        return
    yield Facts(
        "INT-058",
        CHECK,
        "evaluator",
        _("Predictions"),
        _sentence(cut_short(detections)),
        "found",
        "minor",
        remedy=_(PREDICT),
    )


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
        return _("{metric} not defined").format(metric=NAMES[row.metric])
    text = _("{metric} {first} and {second}")
    if row.difference is not None:
        text = _("{metric} {first} and {second} ({difference})")
    return text.format(
        metric=NAMES[row.metric],
        first=fixed(row.first_value, 4),
        second=fixed(row.second_value, 4),
        difference=signed(row.difference or 0.0),
    )


def _n_predictions(detections: DetectionSet) -> int:
    return 0 if detections.predicted is None else len(detections.predicted.ids)


def _drift_grade(found: Found) -> Grade:
    """Return how grave a drift is: the less, the better the reported number is pinned."""
    pins = {pin.setting: pin.value for pin in found.pins}
    if pins["tool"] is None or pins["version"] is None:
        return "major"
    return "minor" if declared_convention(found.detections.pins) is None else "info"


def _drift(found: Found) -> Facts:
    title = _("Figures by convention")
    if not _n_predictions(found.detections):
        reason = _("there is no prediction")
        return Facts("INT-055", CHECK, "evaluator", title, reason, "not testable")
    means = _means(found.drift)
    row = means["map50_95"]
    moved = max(abs(means[metric].difference or 0.0) for metric in HEADLINE)
    said = _("The same predictions give {told} under the rules {first} and {second}.")
    if moved >= ROUNDING:
        said = _(
            "The same predictions give {told} under the rules {first} and {second}; cause: {cause}."
        )
    said = said.format(
        told=separated(_told(means[metric]) for metric in HEADLINE),
        first=title_told(row.first),
        second=title_told(row.second),
        cause=row.cause,
    )
    facts = Facts(
        "INT-055",
        CHECK,
        "evaluator",
        title,
        sentences((said, _spread(found.rows))),
        before=row.first_value,
        after=row.second_value,
        affected_claim=_("every published average precision of this model"),
        limits=_("The predictions are the same; nothing is said of which convention is right."),
    )
    if moved < ROUNDING:
        return facts
    return replace(
        facts,
        status="found",
        grade=_drift_grade(found),
        remedy=_(
            "print tool, version and rule beside the figure; compare figures of one rule only"
        ),
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
    return n_(
        "Over {k} conventions mAP@.5:.95 runs from {low} to {high} ({n} class in the mean).",
        "Over {k} conventions mAP@.5:.95 runs from {low} to {high} ({n} classes in the mean).",
        n,
    ).format(k=len(values), low=fixed(min(values), 4), high=fixed(max(values), 4), n=n)


def _pins(pins: Sequence[PinRow]) -> Facts:
    gone = [pin for pin in pins if pin.value is None]
    facts = Facts(
        "INT-056",
        CHECK,
        "evaluator",
        _("Settings of the evaluation"),
        _("All {n} settings that the figure depends on are declared.").format(n=len(pins)),
        k=len(gone),
        n=len(pins),
        interval=False,
    )
    if not gone:
        return facts
    said = _("Not declared: {k} of {n} settings ({names}).")
    return replace(
        facts,
        statement=said.format(
            k=len(gone), n=len(pins), names=separated(pin.setting for pin in gone)
        ),
        status="found",
        grade="minor",
        evidence=[named(pin.setting, pin.moves) for pin in gone],
        remedy=_("declare them under detections: settings"),
    )


def _against(found: Found) -> Facts:
    base = Facts("INT-057", CHECK, "evaluator", _("Two runs against each other"), "")
    held, other = found.held, found.other
    if held is None or other is None:
        name = quoted(other.name if other else "")
        reason = _("detections {name} have no predictions with scores").format(name=name)
        return replace(base, statement=reason, status="not testable")
    means = _means(held.rows)
    said = _("{first} and {second}: {same}; {told}. Cause: {cause}.").format(
        first=quoted(found.detections.name),
        second=quoted(other.name),
        same=_identity(found, held),
        told=separated(_told(means[metric]) for metric in HEADLINE),
        cause=cause_of(held),
    )
    unsaid = undeclared(found.detections, other, held)
    facts = replace(
        base,
        statement=sentences((said, *unsaid)),
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
        affected_claim=_("every comparison of the two runs"),
        remedy=_("evaluate both runs with one tool and version before comparing them"),
    )


def _identity(found: Found, held: Against) -> str:
    """Return whether the predictions are the same, as files and as boxes."""
    digests = (
        found.detections.predictions_digest,
        found.other.predictions_digest if found.other else None,
    )
    if not held.identical:
        return _(
            "predictions differ ({first} only in the first, {second} only in the second)"
        ).format(first=fixed(held.only_first, 0), second=fixed(held.only_second, 0))
    if digests[0] is not None and digests[0] == digests[1]:
        same = _("predictions byte for byte the same (SHA-256 {digest}…)")
        return same.format(digest=digests[0][:12])
    return _("predictions the same, in files that differ")


def _settings(found: Found) -> Facts:
    base = Facts("INT-058", CHECK, "evaluator", _("Settings that do not fit"), "")
    held = found.held
    if held is not None and (held.settings or not held.same_labels):
        return replace(
            base,
            statement=_("The comparison with {name} is refused: {why}.").format(
                name=quoted(found.other.name if found.other else ""), why=why_refused(held)
            ),
            status="found",
            grade="major",
            evidence=[*held.settings, *found.cut],
            remedy=_("make both predictions with the same settings on the same labels"),
        )
    if found.cut:
        remedy = _("predict from a confidence of 0.001 and declare the settings")
        if not _n_predictions(found.detections):
            remedy = _(PREDICT)
        return replace(
            base,
            statement=_sentence(found.cut),
            status="found",
            grade="minor",
            evidence=found.cut,
            remedy=remedy,
        )
    return replace(base, statement=_("Predictions and declared settings fit each other."))


def _classes(found: Found) -> Facts:
    base = Facts("INT-059", CHECK, "evaluator", _("Classes in the mean"), "")
    n = len(found.detections.categories)
    used = n - len(found.without_boxes)
    parts = []
    if found.without_boxes:
        text = n_(
            "{k} class without a labelled box: {names}",
            "{k} classes without a labelled box: {names}",
            n - used,
        )
        parts.append(
            text.format(k=n - used, names=separated(map(quoted, found.without_boxes[:20])))
        )
    if found.never_predicted:
        k = len(found.never_predicted)
        text = n_("{k} class never predicted: {names}", "{k} classes never predicted: {names}", k)
        parts.append(text.format(k=k, names=separated(map(quoted, found.never_predicted[:20]))))
    if not parts:
        said = n_(
            "The means are over {used} of {n} class, and each is predicted.",
            "The means are over {used} of {n} classes, and each is predicted.",
            n,
        )
        return replace(base, statement=said.format(used=used, n=n))
    said = n_(
        "The means are over {used} of {n} class; {parts}.",
        "The means are over {used} of {n} classes; {parts}.",
        n,
    )
    return replace(
        base,
        statement=said.format(used=used, n=n, parts=clauses(parts)),
        status="found",
        grade="info",
        evidence=[*found.without_boxes, *found.never_predicted],
    )


def _sentence(parts: Sequence[str]) -> str:
    text = clauses(parts)
    return _("{sentence}.").format(sentence=f"{text[:1].upper()}{text[1:]}")
