"""The codes of the findings of a decision curve section."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.section import Code

CODES: tuple[Code, ...] = (
    Code(
        "DCA-001",
        ("pass",),
        mark(
            "Supported: over the whole stated range the simultaneous limits of the model's gain in "
            "net benefit over the better of treat all and treat none lie above 0, with at least 5 "
            "units behind every threshold."
        ),
    ),
    Code(
        "DCA-002",
        ("fail", "note"),
        mark(
            "Not supported: somewhere in the stated range the simultaneous limits of the gain lie "
            "below 0. A note where it concerns recalibrated scores, which are not the ones in use."
        ),
    ),
    Code(
        "DCA-003",
        ("warn", "note"),
        mark(
            "Undecided: neither supported throughout nor not supported anywhere. A note where it "
            "concerns recalibrated scores."
        ),
    ),
    Code(
        "DCA-004",
        ("note",),
        mark(
            "The range of thresholds has no owner or no reason: nobody has said which trade-off "
            "between missed cases and needless treatments the decision allows."
        ),
    ),
    Code(
        "DCA-005",
        ("note", "warn"),
        mark("Rows without outcome or score were left out; a warning above 5 % of the rows."),
    ),
    Code(
        "DCA-006",
        ("warn", "note"),
        mark(
            "A score is constant (warn: it only ever repeats a default strategy) or takes two "
            "values (note: its curve is a straight line between them)."
        ),
    ),
    Code(
        "DCA-007",
        ("note",),
        mark(
            "Net benefit is carried to a stated prevalence, which assumes label shift; scores as "
            "deployed are not calibrated to it."
        ),
    ),
    Code(
        "DCA-008",
        ("warn",),
        mark(
            "The self-check failed: bootstrap and analytic standard errors differ by more than the "
            "number of resamples explains."
        ),
    ),
    Code(
        "DCA-009",
        ("warn",),
        mark(
            "The section could not be assessed: no rows, one class only, or follow-up that ends "
            "before the horizon."
        ),
    ),
    Code("DCA-010", ("note",), mark("How two models compare, in pairs, over the stated range.")),
    Code(
        "DCA-011",
        ("note",),
        mark(
            "The shift of recalibrated scores is taken as known though it comes from this sample's "
            "prevalence: of a cohort their intervals can be too narrow. How far the curve hangs on "
            "it."
        ),
    ),
    Code(
        "DCA-012",
        ("note",),
        mark(
            "Thresholds were sorted, left out because they repeat or are 1, or end before the "
            "stated one."
        ),
    ),
)
