"""Every finding a robust audit can make."""

from __future__ import annotations

from reportgen.language import mark
from reportgen.section import Code

CODES: tuple[Code, ...] = (
    Code(
        "ROB-001",
        ("pass",),
        mark(
            "Robust: the certified worst gap, and its one-sided limit for sampling, keep the "
            "tolerance under every declared move; every group has patients enough."
        ),
    ),
    Code(
        "ROB-002",
        ("warn",),
        mark(
            "Undetermined: no move was found that passes the tolerance, and it is not certified "
            "that none does, sampling error included. It is never a pass."
        ),
    ),
    Code("ROB-003", ("fail",), mark("Static fail: the gap passes the tolerance without any move.")),
    Code(
        "ROB-004",
        ("fail",),
        mark(
            "Fragile: the gap keeps the tolerance as it stands, and a declared move that passes it "
            "was found and scored again by the model."
        ),
    ),
    Code(
        "ROB-005",
        ("fail", "warn"),
        mark(
            "Not assessable: a group lacks the figure or has too few patients, or nobody is "
            "selected. A warning where only groups are concerned that are not required."
        ),
    ),
    Code(
        "ROB-006",
        ("note", "warn"),
        mark(
            "Rows without label, score, group or feature were left out; a warning above 5 % of the "
            "rows."
        ),
    ),
    Code(
        "ROB-007",
        ("note",),
        mark(
            "The table names no patients: every row counts as a patient of its own. Several rows "
            "of one patient would make every limit too narrow."
        ),
    ),
    Code(
        "ROB-008",
        ("note",),
        mark(
            "The label's base rates differ between groups: a demographic parity gap has to be read "
            "beside them."
        ),
    ),
    Code(
        "ROB-009",
        ("note",),
        mark("What wrong groups, another mix or drift of a declared size can do."),
    ),
    Code(
        "ROB-010",
        ("note",),
        mark("The worst direction: features, moves of each group and decisions that change."),
    ),
    Code(
        "ROB-011",
        ("note",),
        mark("The joint critical radius of several metrics and what binds it."),
    ),
    Code("ROB-012", ("note",), mark("Moves whose size has no stated basis.")),
    Code(
        "ROB-013",
        ("note",),
        mark("The sensitive attribute is an input of the model; it is not moved."),
    ),
    Code("ROB-014", ("warn",), mark("The model carries code that was run when it was opened.")),
    Code(
        "ROB-015",
        ("note",),
        mark(
            "The model can only be asked for scores: what is found is a lower bound, nothing is "
            "certified."
        ),
    ),
    Code(
        "ROB-016",
        ("note",),
        mark("No model is given: the gaps stand as they are, nothing is moved."),
    ),
    Code(
        "ROB-017",
        ("warn",),
        mark("Witnesses that broke a constraint or did not score as said; they were not counted."),
    ),
    Code(
        "ROB-018",
        ("note",),
        mark(
            "Inputs that are an exact linear function of others: moved apart they may be "
            "impossible, and the worst case is then an upper bound."
        ),
    ),
    Code(
        "ROB-019",
        ("note",),
        mark(
            "The sensitive attribute is known by a probability: bounds, and estimates that need "
            "assumptions."
        ),
    ),
    Code("ROB-020", ("warn",), mark("The section could not be assessed: no rows.")),
    Code("ROB-021", ("note",), mark("Rows without a value of the attribute are a group.")),
    Code("ROB-022", ("note",), mark("Patients with rows in several groups, by name.")),
)

SEVERITY = {"robust": "pass", "undetermined": "warn"}
CODE = {
    "robust": "ROB-001",
    "undetermined": "ROB-002",
    "static fail": "ROB-003",
    "fragile": "ROB-004",
    "not assessable": "ROB-005",
}
LIMITS = mark(
    "Holds for the declared moves of the named features, on these patients, at this decision rule. "
    "It cannot show moves that were not declared, errors of labels, or other populations."
)
STATIC_LIMITS = mark(
    "The gap as it stands, on these patients; nothing is said of what moves of the features can do."
)
PROXY_LIMITS = mark(
    "The bounds take the probabilities of membership to be right, and hold no sampling error."
)
CUT_AT_HALF = mark(
    "Members taken to be those with a probability of at least 0.5: this can exaggerate or hide a "
    "gap and bounds nothing."
)
EVIDENCE = (
    mark("metric"),
    mark("static"),
    mark("tolerance"),
    mark("worst"),
    mark("worst found"),
    mark("worst certified"),
    mark("critical radius"),
    mark("one sided limit"),
    mark("label gap"),
    mark("highest"),
    mark("lowest"),
    mark("threats"),
    mark("past tolerance"),
    mark("selected"),
    mark("no longer selected"),
    mark("binding"),
    mark("moves"),
    mark("violations"),
    mark("largest difference"),
    mark("inputs"),
    mark("least"),
    mark("low"),
    mark("high"),
    mark("weighted"),
    mark("thresholded"),
    mark("rows"),
    mark("patients"),
)
"""Keys of evidence as pages write them; in results.json, where they are looked up, English."""
