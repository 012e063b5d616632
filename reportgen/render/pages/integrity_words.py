"""How the pages of an integrity section call detectors, splits, symmetries and checks."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.render import numbers
from reportgen.render.pages.words import listed
from reportgen.render.view import Plain

ARROW = " → "
DETECTORS = {"rms32": "rms32", "wdct": "wdct"}
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
CHECKS = {
    "near_duplicates": "Near duplicates",
    "duplicate_rows": "Duplicate rows",
    "leakage": "Leakage",
    "label_agreement": "Label agreement",
    "memorisation": "Memorisation",
    "label_geometry": "Label geometry",
    "class_names": "Class names",
    "removal_effect": "Removal of duplicates",
    "evaluator": "Evaluator",
    "classifier": "Classifier",
    "counting_heads": "Counting heads",
    "pipeline": "Pipeline",
    "class_map": "Class map",
    "claims": "Claims",
}
BY = {
    "source": "source picture",
    "unit": "patient",
    "site": "site",
    "content": "same pixels",
    "date": "date",
    "augmented copies": "augmented copies",
}


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
