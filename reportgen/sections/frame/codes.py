"""Every finding a FRAME section can make."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.section import Code

CODES: tuple[Code, ...] = (
    Code(
        "FRM-001",
        ("pass",),
        mark(
            "No gap beyond margin: the groups are not shown to differ, and two "
            "one-sided tests exclude a gap of the margin or more in either direction."
        ),
    ),
    Code(
        "FRM-002",
        ("warn",),
        mark(
            "Sampling variation not excluded: the groups are not shown to differ, and "
            "a gap beyond the margin is not excluded either. It is inconclusive and "
            "never a pass."
        ),
    ),
    Code(
        "FRM-003",
        ("note",),
        mark(
            "Gap shown, below margin: the groups are shown to differ, with the whole "
            "interval inside the margin."
        ),
    ),
    Code(
        "FRM-004",
        ("fail", "warn", "note"),
        mark(
            "Gap shown, with representational evidence: the group is covered less than "
            "its reference, and its loss rises with the distance from the reference "
            "beyond what the score explains. Fail if the interval lies wholly beyond "
            "the margin against the group, a note if the gap is in its favour, else a "
            "warning."
        ),
    ),
    Code(
        "FRM-005",
        ("fail", "warn", "note"),
        mark(
            "Gap shown, without representational evidence: coverage or its link with "
            "the loss is not shown. Severities as for FRM-004."
        ),
    ),
    Code(
        "FRM-006",
        ("fail", "warn", "note"),
        mark(
            "Gap shown, evidence not assessed: there are no features, or too little to "
            "assess them. Severities as for FRM-004."
        ),
    ),
    Code(
        "FRM-007",
        ("fail", "warn"),
        mark(
            "Not estimable: a group or its reference has too few positive or negative "
            "patients, or the gap has no interval or test. Fail where the group is "
            "required."
        ),
    ),
    Code(
        "FRM-008",
        ("fail",),
        mark(
            "A group that must be estimable for a release is not, and no comparison "
            "says so; or the section could not be assessed and groups are required."
        ),
    ),
    Code(
        "FRM-009",
        ("note",),
        mark(
            "Exploratory gaps (intersections, other metrics) that stand out after "
            "Benjamini and Hochberg; they have no verdict."
        ),
    ),
    Code(
        "FRM-010",
        ("note", "warn"),
        mark("Rows without label or score were left out; a warning above 5 % of the rows."),
    ),
    Code(
        "FRM-011",
        ("note",),
        mark(
            "Rows without a value of an attribute: they form a group of their own, "
            "counted and compared."
        ),
    ),
    Code(
        "FRM-012",
        ("note",),
        mark(
            "Patients with rows in several groups of an attribute: they are drawn as "
            "one unit, and the groups are correlated."
        ),
    ),
    Code(
        "FRM-013",
        ("note",),
        mark(
            "The table names no patients: every row counts as a patient of its own. "
            "Several rows of one patient would make every interval too narrow."
        ),
    ),
    Code(
        "FRM-014",
        ("note",),
        mark("No threshold is declared: nothing is said of decisions, only of ranking."),
    ),
    Code(
        "FRM-015",
        ("note",),
        mark(
            "Figures that cannot be had in more than 1 % of the patient draws: "
            "unstable; above 5 % there is no percentile interval."
        ),
    ),
    Code(
        "FRM-016",
        ("note",),
        mark(
            "A perfect AUC: its variance cannot be estimated; the interval is an exact "
            "one-sided bound on patients."
        ),
    ),
    Code(
        "FRM-017",
        ("note",),
        mark(
            "Regions of the feature space with more errors, found on half the patients "
            "and confirmed on the other half."
        ),
    ),
    Code(
        "FRM-018",
        ("note",),
        mark("How a gap changes from one score to another on the same patients."),
    ),
    Code(
        "FRM-019",
        ("note",),
        mark("The groups of an attribute differ by more than sampling explains (Cochran's Q)."),
    ),
    Code(
        "FRM-020",
        ("warn",),
        mark(
            "No rows, so nothing was assessed; or one class only: what needs both is not defined."
        ),
    ),
    Code(
        "FRM-021",
        ("warn",),
        mark(
            "Patients of the test set are in the training set too: its figures do not "
            "hold for new patients."
        ),
    ),
    Code(
        "FRM-022",
        ("note",),
        mark("Nobody, or everybody, is selected: parity of decisions says nothing."),
    ),
    Code(
        "FRM-023",
        ("warn",),
        mark(
            "No primary comparison was made, or none by a declared attribute: no "
            "release follows from what was not compared."
        ),
    ),
    Code(
        "FRM-024",
        ("note",),
        mark(
            "A feature separates the groups of an attribute without overlap: that the "
            "groups can be told apart by the features follows from it."
        ),
    ),
    Code(
        "FRM-025",
        ("note",),
        mark(
            "Features that are constant or a copy of another, and rows without a feature, were "
            "left out where groups are compared by their features."
        ),
    ),
    Code(
        "FRM-026",
        ("note",),
        mark(
            "The coverage of a group by its reference is not estimable, as a rule for want of "
            "patients."
        ),
    ),
    Code(
        "FRM-027",
        ("note",),
        mark("Failure clusters were not looked for, as a rule since there are too few failures."),
    ),
)

SAMPLING = mark("Sampling of these patients alone, not training, labels or other populations.")
LINK = mark(
    "Evidence is an association: it is consistent with a representational cause and does not "
    "establish one. Its absence is no evidence of absence: in the simulated world N3, with 300 and "
    "150 patients, it finds 16 to 34 % of such causes."
)
"""Measured power (gap, coverage deficit and link all shown), in two runs of other seeds: with one
image a patient .20 and .16, four .32 and .31, one to twenty .30 and .25, twenty .34 and .30, of 40
to 150 data sets each. Worlds and tests are those of
tests/stats/representation/test_representation_simulation.py, which prints it."""
