"""The codes of the findings of a prevalence section."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.section import Code

CODES: tuple[Code, ...] = (
    Code("PRV-001", ("note",), mark("The precision at each stated prevalence.")),
    Code("PRV-002", ("note",), mark("The table rests on label shift, which it cannot test.")),
    Code("PRV-003", ("warn",), mark("Fewer than 10 units of a class stand behind the table.")),
    Code(
        "PRV-004",
        ("warn",),
        mark(
            "No false positive or no false negative was seen: a predictive value of 1 is not shown."
        ),
    ),
    Code("PRV-005", ("warn",), mark("A class is absent, so its rate cannot be estimated.")),
    Code("PRV-006", ("warn",), mark("The area under the ROC curve is below one half.")),
    Code(
        "PRV-007",
        ("note", "warn"),
        mark("Rows were left out for a missing label or score; above 5 % it is a warning."),
    ),
    Code("PRV-008", ("warn",), mark("The prevalence of the unlabelled table is not identifiable.")),
    Code(
        "PRV-009",
        ("warn",),
        mark(
            "Rogan–Gladen and EM disagree: evidence against pure label shift or calibration. They"
            " are compared only where both can be identified."
        ),
    ),
    Code("PRV-010", ("warn",), mark("Published without counts: there are no intervals.")),
    Code(
        "PRV-011",
        ("note",),
        mark("Nobody or everybody is flagged: a predictive value is 0 of 0."),
    ),
    Code(
        "PRV-012",
        ("warn",),
        mark("No row has both label and score: the section is not assessed."),
    ),
)
