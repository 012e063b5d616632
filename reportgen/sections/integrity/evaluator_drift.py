"""Where a difference between two figures comes from: convention, settings, labels, predictions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from reportgen.inputs.detections import Boxes, DetectionSet, EvaluatorPins
from reportgen.language import _
from reportgen.sections.integrity.evaluator_rows import ALL, OF_CLASS, Evaluated
from reportgen.sections.integrity.evaluator_words import title_told
from reportgen.sections.integrity.pins import declared_convention
from reportgen.sections.integrity.result_evaluation import DriftRow
from reportgen.stats.detection import CONVENTIONS, FIGURES
from reportgen.wording import clauses, fixed, quoted, separated

MEANS: tuple[str, ...] = tuple(FIGURES)
ROUNDING = 0.0005
"""Half a unit of the third decimal, with which average precision is printed."""
MAKING = ("confidence", "nms_iou", "max_detections")
"""Pins that decide which predictions there are."""


def convention_drift(found: Evaluated, first: str, second: str) -> tuple[DriftRow, ...]:
    """Return what a figure loses or gains from one convention to another, on the same matches."""
    cause = _why(first, second)
    rows = []
    for metric, category in _figures(found):
        values = found.value(first, metric, category), found.value(second, metric, category)
        rows.append(_row(found, metric, category, (first, second), values, cause))
    return tuple(rows)


def _why(first: str, second: str) -> str:
    """Return what two conventions do differently, on predictions that are the same."""
    old, new = CONVENTIONS[first], CONVENTIONS[second]
    if first == second:
        return _("none: one convention")
    if old.matching != new.matching:
        return _("matching and sum: boxes meet by another rule, and precision is summed by another")
    if {first, second} == {"ultralytics_8_4_36", "ultralytics_8_4_37"}:
        return _(
            "the sum alone: up to 8.4.36 a straight line from the highest recall down to recall 1"
            " is counted in, from 8.4.37 on nothing is (pull request #24175)"
        )
    return _("the sum alone: the same matches, precision summed over recall by another rule")


def _figures(found: Evaluated) -> list[tuple[str, int | None]]:
    figures: list[tuple[str, int | None]] = [(metric, None) for metric in MEANS]
    for category in range(len(found.detections.categories)):
        figures += [(metric, category) for metric, _figure in OF_CLASS]
    return figures


def _row(
    found: Evaluated,
    metric: str,
    category: int | None,
    sides: tuple[str, str],
    values: tuple[float | None, float | None],
    cause: str,
    *,
    compared: bool = True,
) -> DriftRow:
    old, new = values
    known = compared and old is not None and new is not None
    return DriftRow(
        metric,
        ALL if category is None else found.detections.categories[category],
        *sides,
        old,
        new,
        new - old if known and old is not None and new is not None else None,
        cause,
    )


@dataclass(frozen=True)
class Against:
    """Two sets of detections held against each other.

    Attributes
    ----------
    same_labels : bool
    identical : bool
        Whether both have the same predictions, in whatever order.
    only_first, only_second : int
        Predictions that the other one lacks.
    settings : tuple of text
        Pins that decide which predictions there are, and differ.
    conventions : (text, text)
        Each side's own, as declared, else the first of the two compared.
    declared : (bool, bool)
        Whether that follows from its declared tool and version.
    rows : tuple of DriftRow
    """

    same_labels: bool
    identical: bool
    only_first: int
    only_second: int
    settings: tuple[str, ...]
    conventions: tuple[str, str]
    declared: tuple[bool, bool]
    rows: tuple[DriftRow, ...] = ()

    @property
    def moved(self) -> float:
        """The largest difference of a mean; 0 where nothing was compared."""
        means = [row for row in self.rows if row.class_ == ALL and row.difference is not None]
        return max((abs(row.difference or 0.0) for row in means), default=0.0)


def own_conventions(
    first: EvaluatorPins, second: EvaluatorPins, fallback: str
) -> tuple[tuple[str, str], tuple[bool, bool]]:
    """Return the convention of each side by its declared tool, and whether it was declared."""
    told = declared_convention(first), declared_convention(second)
    return (told[0] or fallback, told[1] or fallback), (told[0] is not None, told[1] is not None)


def against(first: Evaluated, second: Evaluated, fallback: str) -> Against:
    """Hold two evaluated sets against each other, each under its own tool's convention.

    Parameters
    ----------
    first, second : Evaluated
        Both under every convention that either may need.
    fallback : str
        Convention of a side whose tool and version do not tell one.
    """
    one, two = first.detections, second.detections
    conventions, declared = own_conventions(one.pins, two.pins, fallback)
    only_first, only_second = _only(one, two, predicted=True)
    same_labels = one.categories == two.categories and _only(one, two, predicted=False) == (0, 0)
    settings = _settings(one.pins, two.pins)
    plain = Against(
        same_labels,
        not only_first + only_second,
        only_first,
        only_second,
        settings,
        conventions,
        declared,
    )
    cause = cause_of(plain)
    sides = f"{one.name} ({conventions[0]})", f"{two.name} ({conventions[1]})"
    rows = []
    for metric, category in _figures(first):
        if category is not None and one.categories != two.categories:
            continue
        values = (
            first.value(conventions[0], metric, category),
            second.value(conventions[1], metric, category),
        )
        comparable = not settings and same_labels
        rows.append(_row(first, metric, category, sides, values, cause, compared=comparable))
    return replace(plain, rows=tuple(rows))


def cause_of(plain: Against) -> str:
    """Return in words where a difference comes from."""
    refused = why_refused(plain)
    if refused:
        return _("not compared: {why}").format(why=refused)
    apart = plain.conventions[0] != plain.conventions[1]
    if plain.identical and not apart:
        return _("none: same predictions, same convention")
    said = _("the predictions are the same")
    if not plain.identical:
        said = _("predictions differ: {first} only in the first, {second} only in the second")
        said = said.format(first=fixed(plain.only_first, 0), second=fixed(plain.only_second, 0))
    return clauses((said, _why(*plain.conventions))) if apart else said


def why_refused(plain: Against) -> str:
    """Return why two sides are not compared, "" where they are."""
    if not plain.same_labels:
        return _("the labels differ")
    if plain.settings:
        return _("settings differ ({settings})").format(settings=clauses(plain.settings))
    return ""


def undeclared(first: DetectionSet, second: DetectionSet, held: Against) -> list[str]:
    """Return, as sentences, what a comparison takes for granted of sides that do not declare it."""
    said = []
    sides = list(zip((first, second), held.conventions, held.declared, strict=True))
    if not any(held.declared):
        said.append(
            _("Neither side declares tool and version: both are summed by {rule}.").format(
                rule=title_told(sides[0][1])
            )
        )
    else:
        said += [
            _(
                "The rule of {name} does not follow from a declared tool and version: it is taken"
                " to be {rule}."
            ).format(name=quoted(one.name), rule=title_told(rule))
            for one, rule, told in sides
            if not told
        ]
    for one, other in ((first, second), (second, first)):
        gone = [
            name
            for name in MAKING
            if getattr(one.pins, name) is None and getattr(other.pins, name) is not None
        ]
        if gone and not held.identical:
            said.append(
                _(
                    "{name} does not declare {settings}: whether the settings are the same is not"
                    " known."
                ).format(name=quoted(one.name), settings=separated(gone))
            )
    return said


def _settings(first: EvaluatorPins, second: EvaluatorPins) -> tuple[str, ...]:
    said = []
    for name in MAKING:
        one, two = getattr(first, name), getattr(second, name)
        if one is not None and two is not None and one != two:
            said.append(
                _("{setting} {first} and {second}").format(
                    setting=name, first=f"{one:g}", second=f"{two:g}"
                )
            )
    return tuple(said)


def _only(first: DetectionSet, second: DetectionSet, *, predicted: bool) -> tuple[int, int]:
    """Return how many boxes either set has that the other lacks."""
    one, two = (
        _content(each, each.predicted if predicted else each.truth) for each in (first, second)
    )
    return (one - two).total(), (two - one).total()


def _content(detections: DetectionSet, boxes: Boxes | None) -> Counter[tuple[object, ...]]:
    """Return boxes by what they say, whatever their order and ids."""
    if boxes is None:
        return Counter()
    score = boxes.score.tolist() if boxes.score is not None else [None] * len(boxes.ids)
    rows = zip(
        boxes.image.tolist(),
        boxes.category.tolist(),
        boxes.xywh.tolist(),
        boxes.crowd.tolist(),
        boxes.ignore.tolist(),
        score,
        strict=True,
    )
    return Counter(
        (str(detections.images[image]), detections.categories[category], tuple(xywh), *rest)
        for image, category, xywh, *rest in rows
    )
