"""How the pages of an integrity section call detectors, splits, symmetries and checks."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.render import numbers
from reportgen.render.pages.words import listed
from reportgen.render.view import Plain

ARROW = " → "
MEASURES = {
    "rms32": "root-mean-square difference, grey levels of 0 to 255",
    "wdct": "cosine similarity, −1 to 1",
}
SYMMETRIES = {
    "identity": "as it lies",
    "rotate_90": "rotated by 90°",
    "rotate_180": "rotated by 180°",
    "rotate_270": "rotated by 270°",
    "flip_left_right": "flipped left–right",
    "flip_top_bottom": "flipped top–bottom",
    "transpose": "transposed",
    "transverse": "transposed along the other diagonal",
}
BY = {
    "source": "source picture",
    "unit": "patient",
    "site": "site",
    "content": "same pixels",
    "date": "date",
    "augmented copies": "augmented copies",
}
CONVENTIONS = {
    "coco_101": "COCO, 101 points",
    "voc_11": "VOC 2007, 11 points",
    "voc_11_plus_1": "VOC 2007, 11 points, inclusive pixels",
    "all_point": "all points, with envelope",
    "ultralytics_8_4_36": "Ultralytics until 8.4.36",
    "ultralytics_8_4_37": "Ultralytics from 8.4.37",
    "step": "steps, no envelope",
}
SHORT_CONVENTIONS = {
    "voc_11_plus_1": "VOC 2007, +1 pixel",
    "all_point": "all points",
    "step": "steps",
}
METRICS = {
    "map50": "mAP, IoU 0.5",
    "map75": "mAP, IoU 0.75",
    "map50_95": "mAP, IoU 0.5 to 0.95",
    "ap50": "AP, IoU 0.5",
    "ap50_95": "AP, IoU 0.5 to 0.95",
    "recall": "Recall",
    "accuracy": "Accuracy",
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "balanced_accuracy": "Balanced accuracy",
    "precision": "Precision",
    "f1": "F1",
    "kappa": "Cohen's kappa",
    "mcc": "Matthews correlation",
    "auc": "Area under the ROC curve",
    "prevalence": "Prevalence",
    "base_rate": "Base rate",
}
EVERY_CLASS = "all"
LONGEST_NAME = 30
"""Characters of an identifier that a printed table shows; the file of the table has it whole."""


def splits(row: Plain) -> str:
    """Return which split is searched for copies of which: "train → test", "within test"."""
    first, second = row["split"], row["twin_split"]
    return f"within {first}" if first == second else f"{first}{ARROW}{second}"


def k_of_n(row: Plain, k: str = "k", n: str = "n") -> str:
    """Return two counts of a row as people write a share: "96 of 109"."""
    if row.get(k) is None or row.get(n) is None:
        return ""
    return f"{numbers.count(row[k])} of {numbers.count(row[n])}"


def symmetry(name: str) -> str:
    """Return a symmetry in words."""
    return SYMMETRIES.get(name, name)


def methods_of(shares: Sequence[Plain | None]) -> str:
    """Return by which methods the intervals of estimates were made: "Intervals: exact.", or ""."""
    named = dict.fromkeys(
        share["method"] for share in shares if share and share.get("method") is not None
    )
    return f"Intervals: {listed(list(named))}." if named else ""


def convention(name: str) -> str:
    """Return a convention of average precision in words; what is none stays as it is."""
    return CONVENTIONS.get(name, name)


def short_convention(name: str) -> str:
    """Return a convention in few words, for the head of a narrow column."""
    return SHORT_CONVENTIONS.get(name, convention(name))


def conventions_named(text: str) -> str:
    """Return a sentence with conventions in words where their keys stand in it."""
    for key in sorted(CONVENTIONS, key=len, reverse=True):
        if "_" in key:
            text = text.replace(key, CONVENTIONS[key])
    return text


def side(text: str) -> str:
    """Return one side of a comparison in words: "run (step)" reads "run, steps, no envelope"."""
    name, bracket, key = text.removesuffix(")").rpartition(" (")
    return f"{name}, {CONVENTIONS[key]}" if bracket and key in CONVENTIONS else convention(text)


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """Return an identifier with its middle left out if it is long: its ends tell most apart."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]}…{text[1 - half :]}"


def some(names: Sequence[str], most: int = 3, longest: int = LONGEST_NAME) -> str:
    """Return the first of some identifiers, shortened, and whether there are more."""
    more = " …" if len(names) > most else ""
    return listed([shortened(name, longest) for name in names[:most]]) + more or "–"


def metric(name: str, class_: str = EVERY_CLASS) -> str:
    """Return a figure in words, of all classes or of one: "AP of ulcer, IoU 0.5"."""
    words = METRICS.get(name, name)
    if class_ == EVERY_CLASS:
        return words
    short, comma, rest = words.removeprefix("m").partition(",")
    return f"{short} of {class_}{comma}{rest}"


def tick(value: bool | None) -> str:
    """Return "yes", "no" or, where it is not known, "not known"."""
    return "not known" if value is None else "yes" if value else "no"


def or_dash(value: int | None) -> str:
    """Return a count, or a dash where there is none."""
    return "–" if value is None else numbers.count(value)


def of_class(name: str) -> str:
    """Return the class of a row as a table writes it: "all classes" for all together."""
    return "all classes" if name == EVERY_CLASS else name
