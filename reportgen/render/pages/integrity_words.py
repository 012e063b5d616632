"""How the pages of an integrity section call detectors, splits, symmetries and checks."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.language import _, mark
from reportgen.render import numbers
from reportgen.render.pages.words import listed
from reportgen.render.view import Plain

ARROW = " → "
MEASURES = {
    "rms32": mark("root-mean-square difference, grey levels of 0 to 255"),
    "wdct": mark("cosine similarity, −1 to 1"),
}
AXES = {
    "rms32": mark("Root-mean-square difference, grey levels of 0 to 255"),
    "wdct": mark("Cosine similarity, −1 to 1"),
}
SYMMETRIES = {
    "identity": mark("as it lies"),
    "rotate_90": mark("rotated by 90°"),
    "rotate_180": mark("rotated by 180°"),
    "rotate_270": mark("rotated by 270°"),
    "flip_left_right": mark("flipped left–right"),
    "flip_top_bottom": mark("flipped top–bottom"),
    "transpose": mark("transposed"),
    "transverse": mark("transposed along the other diagonal"),
}
BY = {
    "source": mark("source picture"),
    "unit": mark("patient"),
    "site": mark("site"),
    "content": mark("same pixels"),
    "date": mark("date"),
    "augmented copies": mark("augmented copies"),
}
CONVENTIONS = {
    "coco_101": mark("COCO, 101 points"),
    "voc_11": mark("VOC 2007, 11 points"),
    "voc_11_plus_1": mark("VOC 2007, 11 points, inclusive pixels"),
    "all_point": mark("all points, with envelope"),
    "ultralytics_8_4_36": mark("Ultralytics until 8.4.36"),
    "ultralytics_8_4_37": mark("Ultralytics from 8.4.37"),
    "step": mark("steps, no envelope"),
}
SHORT_CONVENTIONS = {
    "voc_11_plus_1": mark("VOC 2007, +1 pixel"),
    "all_point": mark("all points"),
    "step": mark("steps"),
}
METRICS = {
    "map50": mark("mAP, IoU 0.5"),
    "map75": mark("mAP, IoU 0.75"),
    "map50_95": mark("mAP, IoU 0.5 to 0.95"),
    "ap50": mark("AP, IoU 0.5"),
    "ap50_95": mark("AP, IoU 0.5 to 0.95"),
    "recall": mark("Recall"),
    "accuracy": mark("Accuracy"),
    "sensitivity": mark("Sensitivity"),
    "specificity": mark("Specificity"),
    "balanced_accuracy": mark("Balanced accuracy"),
    "precision": mark("Precision"),
    "f1": mark("F1"),
    "kappa": mark("Cohen's kappa"),
    "mcc": mark("Matthews correlation"),
    "auc": mark("Area under the ROC curve"),
    "prevalence": mark("Prevalence"),
    "base_rate": mark("Base rate"),
}
OF_CLASS = {
    "map50": mark("AP of {class_}, IoU 0.5"),
    "map75": mark("AP of {class_}, IoU 0.75"),
    "map50_95": mark("AP of {class_}, IoU 0.5 to 0.95"),
    "ap50": mark("AP of {class_}, IoU 0.5"),
    "ap50_95": mark("AP of {class_}, IoU 0.5 to 0.95"),
}
OVERLAPS = {
    "map50": "0.5",
    "map75": "0.75",
    "map50_95": "0.5–0.95",
    "ap50": "0.5",
    "ap50_95": "0.5–0.95",
}
BOUND = mark("at least {counts}")
VERDICTS = (mark("duplicate"), mark("different"), mark("disputed"), mark("not reviewed"))
EVERY_CLASS = "all"
LONGEST_NAME = 30
"""Characters of an identifier that a printed table shows; the file of the table has it whole."""


def splits(row: Plain) -> str:
    """Return which split is searched for copies of which: "train → test", "within test"."""
    first, second = row["split"], row["twin_split"]
    if first == second:
        return _("within {split}").format(split=first)
    return f"{first}{ARROW}{second}"


def k_of_n(row: Plain, k: str = "k", n: str = "n") -> str:
    """Return two counts of a row as people write a share: "96 of 109"."""
    if row.get(k) is None or row.get(n) is None:
        return ""
    return of_all(row[k], row[n])


def of_all(k: int, n: int) -> str:
    """Return two counts as people write a share: "96 of 109"."""
    return _("{k} of {n}").format(k=numbers.count(k), n=numbers.count(n))


def symmetry(name: str) -> str:
    """Return a symmetry in words."""
    return _(SYMMETRIES[name]) if name in SYMMETRIES else name


def methods_of(rows: Sequence[Plain], *keys: str) -> str:
    """Return how the intervals in these columns were made: "Intervals: exact.", or ""."""
    estimates = [row[key] for row in rows for key in keys]
    named = dict.fromkeys(
        one["method"] for one in estimates if one and one.get("method") is not None
    )
    return _("Intervals: {methods}.").format(methods=listed(list(named))) if named else ""


def convention(name: str) -> str:
    """Return a convention of average precision in words; what is none stays as it is."""
    return _(CONVENTIONS[name]) if name in CONVENTIONS else name


def short_convention(name: str) -> str:
    """Return a convention in few words, for the head of a narrow column."""
    return _(SHORT_CONVENTIONS[name]) if name in SHORT_CONVENTIONS else convention(name)


def conventions_named(text: str) -> str:
    """Return a sentence with conventions in words where their keys stand in it."""
    for key in sorted(CONVENTIONS, key=len, reverse=True):
        if "_" in key:
            text = text.replace(key, _(CONVENTIONS[key]))
    return text


def side(text: str) -> str:
    """Return one side of a comparison in words: "run (step)" reads "run, steps, no envelope"."""
    name, bracket, key = text.removesuffix(")").rpartition(" (")
    if bracket and key in CONVENTIONS:
        text = _("{run}, {convention}")
        return text.format(run=name, convention=_(CONVENTIONS[key]))
    return convention(text)


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
    if class_ == EVERY_CLASS:
        return _(METRICS[name]) if name in METRICS else name
    if name in OF_CLASS:
        return _(OF_CLASS[name]).format(class_=class_)
    return _("{metric} of {class_}").format(metric=metric(name), class_=class_)


def overlap(name: str) -> str:
    """Return the overlap that an average precision asks for: "0.5", "0.5–0.95"; else the name."""
    return OVERLAPS.get(name) or metric(name)


def tick(value: bool | None) -> str:
    """Return "yes", "no" or, where it is not known, "not known"."""
    return _("not known") if value is None else _("yes") if value else _("no")


def or_dash(value: int | None) -> str:
    """Return a count, or a dash where there is none."""
    return "–" if value is None else numbers.count(value)


def of_class(name: str) -> str:
    """Return the class of a row as a table writes it: "all classes" for all together."""
    return _("all classes") if name == EVERY_CLASS else name
